//! The series as a picture, for hosts that show images and no pages.

use super::{Output, Params};
use crate::chart::{self, ChartSpec, Extent, Line, Span, Theme};
use crate::error::Result;
use crate::indicators::nber::RECESSIONS;
use crate::model::{Catalogue, Frequency, Observation};

/// Longest unit that stands beside a value; a longer one stands under the title alone.
const SHORT_UNIT: usize = 6;

/// Recessions by the NBER's dates, for shading.
pub fn recessions() -> Vec<Span> {
    RECESSIONS
        .iter()
        .map(|r| Span {
            start: r.start(),
            end: r.end(),
        })
        .collect()
}

impl Output {
    /// The same answer with a picture of every row it has now, when one was asked for.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when it cannot be drawn.
    pub(super) fn pictured(mut self, params: &Params, decimals: u8) -> Result<Self> {
        if params.chart {
            self.picture = Some(chart::png(&self.drawing(params, decimals))?.into());
        }
        Ok(self)
    }

    fn drawing(&self, params: &Params, decimals: u8) -> ChartSpec {
        let known = Catalogue::embedded().get(&self.series_id);
        let in_words = known.filter(|_| params.units.is_none());
        let credit = &self.attribution.text;
        // The source has a line of its own in the drawing.
        let credit = credit
            .split_once("; source:")
            .map_or(credit.as_str(), |(c, _)| c);
        let is_short = self.unit.len() <= SHORT_UNIT;
        let beside = if is_short { &self.unit } else { "" };
        ChartSpec {
            title: self.display_name.clone(),
            unit: in_words.map_or_else(|| self.unit.clone(), |info| info.units.clone()),
            unit_short: beside.to_owned(),
            // A change is not more exact than its base.
            decimals: if params.units.is_some() {
                decimals.min(2)
            } else {
                decimals
            },
            lines: vec![Line {
                name: String::new(),
                points: self.observations(),
                frequency: self.measured(),
            }],
            shading: recessions(),
            source: self.source.clone().unwrap_or_default(),
            credit: credit.to_owned(),
            extent: Extent::Whole,
            theme: Theme::Light,
            size: (800, 420),
        }
    }

    /// The rows as observations.
    pub(super) fn observations(&self) -> Vec<Observation> {
        let rows = self.data.iter();
        rows.map(|r| Observation::new(r.date, r.value)).collect()
    }

    /// How often it is measured: as stated, else as the distance of the rows suggests.
    pub(super) fn measured(&self) -> Frequency {
        let stated = self.frequency.as_deref().and_then(|word| word.parse().ok());
        stated.unwrap_or_else(|| crate::desk::holdings::guess_frequency(&self.observations()))
    }
}

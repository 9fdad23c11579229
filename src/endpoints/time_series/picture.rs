//! The series as a picture, for hosts that show images and no pages.

use super::answer::TimeSeriesAnswer;
use super::arguments::Params;
use crate::catalogue::Catalogue;
use crate::chart::{ChartSpec, Extent, Line, Span, Theme};
use crate::endpoints::measured::Measured;
use crate::indicators::nber::RECESSIONS;
use crate::indicators::transform::Units;

/// Longest unit that stands beside a value; a longer one stands under the title alone.
const SHORT_UNIT: usize = 6;

/// Recessions by the NBER's dates, for shading.
pub fn recessions() -> Vec<Span> {
    let spans = RECESSIONS.iter().map(|r| Span {
        start: r.start(),
        end: r.end(),
    });
    spans.collect()
}

/// A chart of every row that the answer has now.
pub(super) fn drawing(
    answer: &TimeSeriesAnswer,
    params: &Params,
    measured: &Measured,
) -> ChartSpec {
    let known = Catalogue::embedded().get(&answer.series_id);
    let in_words = known.filter(|_| params.units() == Units::Level);
    let is_short = answer.unit.len() <= SHORT_UNIT;
    // A model reads pictures, too, and no mark stands beside the words in one.
    let is_ours = answer.untrusted.is_none();
    // The source has a line of its own in the drawing.
    let credit = answer.attribution.text.split("; source:").next();
    let title = match is_ours {
        true => &answer.display_name,
        false => &answer.series_id,
    };
    ChartSpec {
        title: title.clone(),
        unit: in_words.map_or(&answer.unit, |info| &info.units).clone(),
        unit_short: if is_short {
            answer.unit.clone()
        } else {
            String::new()
        },
        decimals: u8::try_from(measured.decimals).unwrap_or(2),
        lines: vec![Line {
            name: String::new(),
            points: answer.data.clone(),
            frequency: answer.measured(),
            is_right: false,
        }],
        shading: recessions(),
        source: answer
            .source
            .clone()
            .filter(|_| is_ours)
            .unwrap_or_default(),
        credit: credit.unwrap_or_default().to_owned(),
        extent: Extent::Whole,
        theme: Theme::Light,
        size: (800, 420),
    }
}

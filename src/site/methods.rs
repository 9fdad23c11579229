//! How every composite and the regime are made, and what they are made of today.

use super::fault;
use super::prelude::*;
use super::text::{dashed, in_words, percent, plain, points, readable};
use econoscope_core::format::month;
use econoscope_core::indicators::expectation::{FORMULAS, Formula};
use econoscope_core::indicators::reading::Input;
use econoscope_core::indicators::regime::{Contributor, Outlook, REGIME, RegimeMonth};
use econoscope_core::indicators::{COMPOSITES, Composite, Reading};
use econoscope_core::model::AsOf;
use econoscope_core::model::series_info::round_to;
use econoscope_data::desk::scores::Scores;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "methods.html")]
struct Methods<'a> {
    frame: Frame,
    desk: &'a Desk,
    /// Composites by their identifiers, and what they are made of today.
    methods: Vec<(String, &'static Composite, Arc<Reading>)>,
    regime: &'a Outlook,
    scores: &'static Scores,
    expectations: &'static [Formula],
}

/// docs/METHODS.md#regime in a paragraph.
const SUMMARY: &str = "Two scores cut a plane into four quadrants. Growth G is a weighted mean of industrial production, \
    payrolls, unemployment and permits, each in standard deviations from its own twenty years. Inflation I is 70 % the \
    level of core and headline CPI over twelve months against target and 30 % the momentum of core. G ≥ 0 and I < 0 is \
    Goldilocks, both ≥ 0 Reflation, G < 0 and I ≥ 0 Stagflation, both < 0 Deflation. An axis changes sides only when its \
    score is 0.10 past zero; the confidence is the probability of the quadrant when the scores are off by normal \
    errors of 0.20 and 0.12.";

pub(super) fn page(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let description =
        "Formula, inputs, source and present make-up of every composite and of the macro regime.";
    let methods = COMPOSITES.iter().copied().map(|composite| {
        let reading = desk.reading(composite, AsOf::Latest)?;
        let info = desk.resolve("series", composite.about.id)?;
        Ok((desk.shown_id(&info.id), composite, reading))
    });
    let page = Methods {
        frame: Frame::of(desk, "Methods", description, "/methods")?,
        desk,
        methods: methods.collect::<Result<_>>()?,
        regime: &desk.regimes(AsOf::Latest)?.now,
        scores: Scores::embedded()?,
        expectations: &FORMULAS,
    };
    html(&page, "")
}

impl Methods<'_> {
    /// An input's value; none of a series whose figures may not be shown.
    fn value(&self, input: &Input) -> String {
        let value = input
            .value
            .filter(|_| self.desk.barred(&input.series).is_none());
        dashed(value, |v| {
            format!("{} {}", plain(round_to(v, 2)), input.unit)
        })
    }

    /// Why there is none.
    fn missing(&self, input: &Input) -> Option<String> {
        let barred = self.desk.barred(&input.series);
        barred
            .map(|b| fault::reader_reason(&b))
            .or_else(|| input.missing.as_deref().map(readable))
    }
}

fn bands(composite: &Composite) -> String {
    let bands = composite.bands.iter();
    let bands = bands.map(|b| format!("{} from {}", b.name, plain(b.from)));
    bands.collect::<Vec<_>>().join(", ")
}

fn made_of(reading: &Reading, composite: &Composite) -> String {
    readable(&(composite.interpret)(reading))
}

/// What the scores are made of, by axis.
fn parts(of: &RegimeMonth) -> impl Iterator<Item = (&'static str, &Contributor)> {
    let growth = of.growth_parts.iter().map(|part| ("growth", part));
    growth.chain(of.inflation_parts.iter().map(|part| ("inflation", part)))
}

/// A figure with two decimals at most.
fn figure(value: &f64) -> String {
    plain(round_to(*value, 2))
}

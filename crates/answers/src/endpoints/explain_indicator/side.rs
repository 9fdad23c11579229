//! An indicator at one state of knowledge: its scores and the inputs they add up from.

use super::answer::{ExplainedInput, Score};
use crate::endpoints::prelude::*;
use crate::endpoints::regime::narrative;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::narrative_velocity::{self, NVI};
use econoscope_core::indicators::reading::{Input, Reading};
use econoscope_core::indicators::recession::{self, CRPI};
use econoscope_core::indicators::{self, Indicator, regime, sahm};
use std::sync::Arc;

/// One side of the comparison.
pub(super) struct ComparisonSide {
    pub(super) scores: Vec<Score>,
    pub(super) inputs: Vec<ExplainedInput>,
    pub(super) label: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) basis: Vec<String>,
    /// Probits whose mean the value is, by their inputs.
    pub(super) probits: Vec<(String, f64)>,
    /// Every series it may read.
    pub(super) reads: Vec<&'static str>,
}

impl ComparisonSide {
    /// An indicator as known at `as_of`; of all but the regime the one score of its reading.
    pub(super) fn of(desk: &Desk, about: &'static Indicator, as_of: AsOf) -> Result<Self> {
        let Some((reading, _)) = reading(desk, about, as_of)? else {
            return Self::of_regime(desk, as_of);
        };
        let (composite, value) = (indicators::composite(about.id), reading.value);
        let is_sahm = about.id == sahm::SAHM.id;
        let unit = match Catalogue::of(about).map(|info| info.units_short.as_str()) {
            Some("0-100") => "points",
            Some(own) => own,
            None => "percentage points",
        };
        let label = match composite {
            Some(composite) => value.and_then(|value| composite.band(value)),
            None => value.filter(|_| is_sahm).map(sahm::state),
        };
        let date = value.map(|_| reading.date);
        let inputs = reading.inputs.iter();
        Ok(Self {
            scores: vec![score("value", unit, date, (value, reading.base))],
            inputs: inputs.map(|i| input(desk, "value", i)).collect(),
            label: label.map(str::to_owned),
            reason: reading.reason.clone(),
            basis: reading.basis.clone(),
            probits: match about.id == CRPI.about.id {
                true => recession::probits(&reading),
                false => Vec::new(),
            },
            reads: match composite {
                Some(composite) => composite.inputs(),
                None => Vec::from_iter(is_sahm.then_some("UNRATE")),
            },
        })
    }

    /// The regime's two scores.
    fn of_regime(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let path = desk.regimes(as_of)?;
        let state = path.now.state.as_ref();
        let axis = |name, unit, value: fn(&regime::RegimeMonth) -> f64| {
            let date = state.map(|s| s.month);
            score(name, unit, date, (state.map(value), 0.0))
        };
        let inputs = state.into_iter().flat_map(|state| {
            let part = |axis, c| input(desk, axis, &contribution(c, state.month));
            let growth = state.growth_parts.iter().map(move |c| part("growth", c));
            let inflation = state.inflation_parts.iter();
            growth.chain(inflation.map(move |c| part("inflation", c)))
        });
        Ok(Self {
            scores: vec![
                axis("growth", "standard deviations", |s| s.growth),
                axis("inflation", "points around target", |s| s.inflation),
            ],
            inputs: inputs.collect(),
            label: state.map(|s| s.regime.name().to_owned()),
            reason: path.now.reason.clone(),
            basis: state.map(|s| s.basis.clone()).unwrap_or_default(),
            probits: Vec::new(),
            reads: regime::INPUTS.to_vec(),
        })
    }

    /// Puts what stood before beside what stands now: scores one by one, inputs by score and name.
    pub(super) fn compare(&mut self, before: &Self) {
        for (score, old) in self.scores.iter_mut().zip(&before.scores) {
            (score.value_before, score.base_before) = (old.value, old.base);
        }
        for input in &mut self.inputs {
            let mut olds = before.inputs.iter();
            let is_same = |o: &&ExplainedInput| o.score == input.score && o.name == input.name;
            if let Some(old) = olds.find(is_same) {
                (input.value_before, input.points_before) = (old.value, old.points);
            }
        }
    }
}

/// A reading, and what puts it into sentences.
type ReadingInWords = (Arc<Reading>, fn(&Reading) -> String);

/// What an indicator says, the Sahm rule from the unemployment rates known at `as_of`, and what puts that into sentences;
/// `None` of the regime.
fn reading(desk: &Desk, about: &Indicator, as_of: AsOf) -> Result<Option<ReadingInWords>> {
    Ok(Some(match indicators::composite(about.id) {
        Some(composite) => (desk.reading(composite, as_of)?, composite.interpret),
        None if about.id == NVI.id => (desk.narrative(as_of)?, narrative_velocity::interpret),
        None if about.id == sahm::SAHM.id => {
            let day = desk.data_date(["UNRATE"], as_of)?.as_of;
            let reading = sahm::reading(&desk.set(["UNRATE"], as_of)?, day);
            (Arc::new(reading), sahm::interpret)
        }
        None => return Ok(None),
    }))
}

/// What an indicator as known at `as_of` means, in sentences.
pub(super) fn interpretation(desk: &Desk, about: &Indicator, as_of: AsOf) -> Result<String> {
    match reading(desk, about, as_of)? {
        Some((reading, interpret)) => Ok(interpret(&reading)),
        None => narrative(desk, as_of),
    }
}

fn score(name: &str, unit: &str, date: Option<Date>, (value, base): (Option<f64>, f64)) -> Score {
    Score {
        name: name.into(),
        unit: unit.into(),
        date,
        value: value.map(rounded),
        base: rounded(base),
        value_before: None,
        base_before: 0.0,
    }
}

/// An input of a score; a figure that may not be passed on is left out.
fn input(desk: &Desk, score: &str, i: &Input) -> ExplainedInput {
    let barred = desk.barred(&i.series).map(|error| error.to_string());
    ExplainedInput {
        score: score.into(),
        name: i.name.into(),
        series: i.series.join(", "),
        unit: i.unit.into(),
        weight: i.weight.map(rounded),
        date: i.date,
        value: i.value.filter(|_| barred.is_none()).map(rounded),
        points: i.contribution.map(rounded),
        value_before: None,
        points_before: None,
        missing: barred.or_else(|| i.missing.clone()),
    }
}

/// A part of a regime score; its figures are those of the month before the regime's.
fn contribution(c: &regime::Contributor, month: Date) -> Input {
    let found = (c.value, Month::of(month).plus(-1).first_day());
    let about = (c.name, &[c.series][..], c.unit);
    Input {
        weight: Some(c.weight),
        contribution: Some(c.contribution),
        ..Input::of(about, Some(found), None)
    }
}

fn rounded(value: f64) -> f64 {
    round_to(value, 4)
}

//! An indicator at one state of knowledge: its scores and the inputs they add up from.

use super::answer::{ExplainedInput, Score};
use crate::catalogue::Catalogue;
use crate::desk::Desk;
use crate::endpoints::regime::narrative;
use crate::error::Result;
use crate::indicators::months::Month;
use crate::indicators::reading::{Input, Reading};
use crate::indicators::{self, Indicator, narrative_velocity, regime};
use crate::model::series_info::round_to;
use crate::model::{AsOf, Date};

/// One side of the comparison.
pub(super) struct Side {
    pub(super) scores: Vec<Score>,
    pub(super) inputs: Vec<ExplainedInput>,
    pub(super) label: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) basis: Vec<String>,
    /// Every series it may read.
    pub(super) reads: Vec<&'static str>,
}

impl Side {
    /// An indicator as known at `as_of`.
    pub(super) fn of(desk: &Desk, about: &'static Indicator, as_of: AsOf) -> Result<Self> {
        if let Some(composite) = indicators::composite(about.id) {
            let reading = desk.reading(composite, as_of)?;
            let band = reading.value.and_then(|v| composite.band(v));
            return Ok(Self {
                label: band.map(str::to_owned),
                reads: composite.inputs(),
                ..Self::of_reading(desk, about, &reading)
            });
        }
        if about.id == narrative_velocity::NVI.id {
            let reading = desk.narrative(as_of)?;
            return Ok(Self::of_reading(desk, about, &reading));
        }
        Self::of_regime(desk, as_of)
    }

    /// The one score of a reading.
    fn of_reading(desk: &Desk, about: &Indicator, reading: &Reading) -> Self {
        let unit = match Catalogue::of(about).map_or("", |info| &info.units_short) {
            "0-100" => "points",
            own => own,
        };
        let date = reading.value.map(|_| reading.date);
        let inputs = reading.inputs.iter();
        Self {
            scores: vec![score("value", unit, date, (reading.value, reading.base))],
            inputs: inputs.map(|i| input(desk, "value", i)).collect(),
            label: None,
            reason: reading.reason.clone(),
            basis: reading.basis.clone(),
            reads: Vec::new(),
        }
    }

    /// The regime's two scores.
    fn of_regime(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let path = desk.regimes(as_of)?;
        let state = path.now.state.as_ref();
        let state = state.filter(|_| path.now.reason.is_none());
        let axis = |name, unit, value: fn(&regime::RegimeMonth) -> f64| {
            let date = state.map(|s| s.month);
            score(name, unit, date, (state.map(value), 0.0))
        };
        let mut inputs = Vec::new();
        if let Some(state) = state {
            for (axis, parts) in [
                ("growth", &state.growth_parts),
                ("inflation", &state.inflation_parts),
            ] {
                let parts = parts.iter().map(|c| contribution(c, state.month));
                inputs.extend(parts.map(|i| input(desk, axis, &i)));
            }
        }
        Ok(Self {
            scores: vec![
                axis("growth", "standard deviations", |s| s.growth),
                axis("inflation", "points around target", |s| s.inflation),
            ],
            inputs,
            label: state.map(|s| s.regime.name().to_owned()),
            reason: path.now.reason.clone(),
            basis: state.map(|s| s.basis.clone()).unwrap_or_default(),
            reads: regime::INPUTS.to_vec(),
        })
    }

    /// Puts what stood before beside what stands now: scores by name, inputs by score and name.
    pub(super) fn compare(&mut self, before: &Self) {
        for score in &mut self.scores {
            if let Some(old) = before.scores.iter().find(|old| old.name == score.name) {
                (score.value_before, score.base_before) = (old.value, old.base);
            }
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

/// What an indicator as known at `as_of` means, in sentences.
pub(super) fn interpretation(desk: &Desk, about: &Indicator, as_of: AsOf) -> Result<String> {
    if let Some(composite) = indicators::composite(about.id) {
        return Ok((composite.interpret)(&*desk.reading(composite, as_of)?));
    }
    if about.id == narrative_velocity::NVI.id {
        return Ok(narrative_velocity::interpret(&*desk.narrative(as_of)?));
    }
    narrative(desk, as_of)
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
    Input {
        name: c.name,
        series: vec![c.series],
        value: Some(c.value),
        unit: c.unit,
        date: Some(Month::of(month).plus(-1).first_day()),
        weight: Some(c.weight),
        contribution: Some(c.contribution),
        missing: None,
    }
}

fn rounded(value: f64) -> f64 {
    round_to(value, 4)
}

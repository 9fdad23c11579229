//! One side of the comparison: an indicator as known on a day, with its scores and inputs.

use super::answer::{ExplainedInput, ProbitAnswer, Score};
use crate::endpoints::regime::narrative;
use crate::prelude::*;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::narrative_velocity::{self, NVI};
use econoscope_core::indicators::reading::{Input, Reading};
use econoscope_core::indicators::recession::{self, CRPI};
use econoscope_core::indicators::{self, Indicator, regime, sahm};

/// An indicator as known on a day.
#[derive(Default)]
pub(super) struct ComparisonSide {
    pub(super) scores: Vec<Score>,
    pub(super) inputs: Vec<ExplainedInput>,
    pub(super) label: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) basis: Vec<String>,
    /// For the recession probability, the probits whose mean it is, by their inputs.
    pub(super) probits: BTreeMap<String, ProbitAnswer>,
    /// Every series that it may read.
    pub(super) series: Vec<&'static str>,
}

impl ComparisonSide {
    /// Reads an indicator as known at `as_of`. All but the regime have one score.
    pub(super) fn new(desk: &Desk, indicator: &'static Indicator, as_of: AsOf) -> Result<Self> {
        let Some((reading, _)) = reading(desk, indicator, as_of)? else {
            return Self::regime(desk, as_of);
        };
        let composite = indicators::composite(indicator.id);
        let value = reading.value;
        let is_sahm = indicator.id == sahm::SAHM.id;
        let unit = match Catalogue::of_indicator(indicator).map(|info| info.units_short.as_str()) {
            Some("0-100") => "points",
            Some(unit) => unit,
            None => "percentage points",
        };
        let label = match composite {
            Some(composite) => value.and_then(|value| composite.band(value)),
            None => value.filter(|_| is_sahm).map(sahm::state),
        };
        let date = value.map(|_| reading.date);
        let probits = (indicator.id == CRPI.indicator.id).then(|| recession::probits(&reading));
        let probit = |(name, value)| {
            let probit = ProbitAnswer {
                value: rounded(value),
                value_before: None,
            };
            (name, probit)
        };
        let inputs = reading.inputs.iter();
        Ok(Self {
            scores: vec![score("value", unit, date, value, reading.base)],
            inputs: inputs.map(|i| input(desk, "value", i)).collect(),
            label: label.map(str::to_owned),
            reason: reading.reason.clone(),
            basis: reading.basis.clone(),
            probits: probits.into_iter().flatten().map(probit).collect(),
            series: match composite {
                Some(composite) => composite.inputs(),
                None => Vec::from_iter(is_sahm.then_some("UNRATE")),
            },
        })
    }

    fn regime(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let path = desk.regimes(as_of)?;
        let mut side = Self {
            reason: path.now.reason.clone(),
            series: regime::INPUTS.to_vec(),
            ..Self::default()
        };
        let state = path.now.state.as_ref();
        let month = state.map(|s| s.month);
        let growth = state.map(|s| s.growth);
        let inflation = state.map(|s| s.inflation);
        side.scores = vec![
            score("growth", "standard deviations", month, growth, 0.0),
            score("inflation", "points around target", month, inflation, 0.0),
        ];
        if let Some(state) = state {
            let growth = state.growth_parts.iter().map(|part| ("growth", part));
            let inflation = state.inflation_parts.iter().map(|part| ("inflation", part));
            let parts = growth.chain(inflation);
            let inputs = parts.map(|(axis, c)| input(desk, axis, &regime_input(c, state.month)));
            side.inputs = inputs.collect();
            side.label = Some(state.regime.name().to_owned());
            side.basis.clone_from(&state.basis);
        }
        Ok(side)
    }

    /// Adds the values of `before`: scores by their order, inputs by score and name.
    pub(super) fn compare(&mut self, before: &Self) {
        for (score, old) in self.scores.iter_mut().zip(&before.scores) {
            (score.value_before, score.base_before) = (old.value, old.base);
        }
        for (name, probit) in &mut self.probits {
            probit.value_before = before.probits.get(name).map(|old| old.value);
        }
        for input in &mut self.inputs {
            let mut olds = before.inputs.iter();
            if let Some(old) = olds.find(|o| o.score == input.score && o.name == input.name) {
                (input.value_before, input.points_before) = (old.value, old.points);
            }
        }
    }
}

/// A reading, and the function that interprets it.
type InterpretedReading = (Arc<Reading>, fn(&Reading) -> String);

/// Reads an indicator; the Sahm rule from the unemployment rates known at `as_of`. `None` for the regime.
fn reading(desk: &Desk, indicator: &Indicator, as_of: AsOf) -> Result<Option<InterpretedReading>> {
    Ok(Some(match indicators::composite(indicator.id) {
        Some(composite) => (desk.reading(composite, as_of)?, composite.interpret),
        None if indicator.id == NVI.id => (desk.narrative(as_of)?, narrative_velocity::interpret),
        None if indicator.id == sahm::SAHM.id => {
            let day = desk.reference_day(["UNRATE"], as_of)?.as_of;
            let reading = sahm::reading(&desk.series_set(["UNRATE"], as_of)?, day);
            (Arc::new(reading), sahm::interpret)
        }
        None => return Ok(None),
    }))
}

/// Describes what an indicator as known at `as_of` means.
pub(super) fn interpretation(desk: &Desk, indicator: &Indicator, as_of: AsOf) -> Result<String> {
    match reading(desk, indicator, as_of)? {
        Some((reading, interpret)) => Ok(interpret(&reading)),
        None => narrative(desk, as_of),
    }
}

fn score(name: &str, unit: &str, date: Option<Date>, value: Option<f64>, base: f64) -> Score {
    Score {
        name: name.into(),
        unit: unit.into(),
        date,
        value: value.map(rounded),
        base: rounded(base),
        ..Score::default()
    }
}

/// Builds an input of a score. A figure that may not be passed on is left out.
fn input(desk: &Desk, score: &str, input: &Input) -> ExplainedInput {
    let restricted = desk
        .redistribution_error(&input.series)
        .map(|error| error.to_string());
    ExplainedInput {
        score: score.into(),
        name: input.name.into(),
        series: input.series.join(", "),
        unit: input.unit.into(),
        weight: input.weight.map(rounded),
        date: input.date,
        value: input.value.filter(|_| restricted.is_none()).map(rounded),
        points: input.contribution.map(rounded),
        missing: restricted.or_else(|| input.missing.clone()),
        ..ExplainedInput::default()
    }
}

/// Returns a part of a regime score as an input; its figures are those of the month before the regime's.
fn regime_input(part: &regime::Contributor, month: Date) -> Input {
    let figure = (part.value, Month::from_date(month).plus(-1).first_day());
    Input {
        weight: Some(part.weight),
        contribution: Some(part.contribution),
        ..Input::new((part.name, &[part.series], part.unit), Ok(figure))
    }
}

fn rounded(value: f64) -> f64 {
    round_to(value, 4)
}

//! An indicator at one state of knowledge: its scores and the inputs they add up from.

use super::{Score, rounded};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::{Composite, narrative_velocity, regime};
use crate::model::{AsOf, Catalogue, Date};

/// One input.
pub(super) struct Part {
    pub(super) score: &'static str,
    pub(super) name: &'static str,
    pub(super) series: Vec<&'static str>,
    pub(super) unit: &'static str,
    pub(super) weight: f64,
    pub(super) date: Option<Date>,
    pub(super) value: Option<f64>,
    pub(super) points: Option<f64>,
    pub(super) missing: Option<String>,
}

/// One side of the comparison.
pub(super) struct Half {
    pub(super) scores: Vec<Score>,
    pub(super) parts: Vec<Part>,
    pub(super) label: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) basis: Vec<String>,
    pub(super) interpretation: String,
    /// Every series it may read.
    pub(super) reads: Vec<&'static str>,
}

impl Half {
    /// A composite's reading.
    pub(super) fn of_composite(
        desk: &Desk,
        composite: &'static Composite,
        as_of: AsOf,
    ) -> Result<Self> {
        let reading = desk.reading(composite, as_of)?;
        let name = "value";
        let unit = Catalogue::embedded()
            .get(composite.id)
            .map_or_else(String::new, |i| match i.units_short.as_str() {
                "0-100" => "points of 100".into(),
                own => own.to_owned(),
            });
        let parts = reading.inputs.iter().map(|i| Part {
            score: name,
            name: i.name,
            series: i.series.clone(),
            unit: i.unit,
            weight: i.weight,
            date: i.date,
            value: i.value,
            points: i.contribution,
            missing: i.missing.clone(),
        });
        Ok(Self {
            scores: vec![Score {
                name: name.into(),
                unit,
                date: reading.value.map(|_| reading.date),
                value: reading.value.map(rounded),
                base: rounded(reading.base),
                value_before: None,
                base_before: 0.0,
            }],
            parts: parts.collect(),
            label: reading
                .value
                .and_then(|v| composite.band(v))
                .map(str::to_owned),
            reason: reading.reason.clone(),
            basis: reading.basis.clone(),
            interpretation: (composite.interpret)(&reading),
            reads: composite.inputs.to_vec(),
        })
    }

    /// The regime's two scores.
    pub(super) fn of_regime(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let path = desk.regimes(as_of)?;
        let now = &path.now;
        let state = now.state.as_ref().filter(|_| now.reason.is_none());
        let score = |name: &str, unit: &str, value: Option<f64>| Score {
            name: name.into(),
            unit: unit.into(),
            date: state.map(|s| s.month),
            value: value.map(rounded),
            base: 0.0,
            value_before: None,
            base_before: 0.0,
        };
        let mut parts = Vec::new();
        if let Some(state) = state {
            parts.extend(state.growth_parts.iter().map(|c| part("growth", c, state)));
            parts.extend(
                state
                    .inflation_parts
                    .iter()
                    .map(|c| part("inflation", c, state)),
            );
        }
        Ok(Self {
            scores: vec![
                score("growth", "standard deviations", state.map(|s| s.growth)),
                score(
                    "inflation",
                    "points around target",
                    state.map(|s| s.inflation),
                ),
            ],
            parts,
            label: state.map(|s| s.regime.name().to_owned()),
            reason: now.reason.clone(),
            basis: state.map(|s| s.basis.clone()).unwrap_or_default(),
            interpretation: super::super::regime::narrative(desk, as_of)?,
            reads: regime::INPUTS.to_vec(),
        })
    }

    /// The index of texts: its three channels, or why it cannot speak.
    pub(super) fn of_texts(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let reading = desk.narrative(as_of)?;
        let parts = reading.inputs.iter().map(|i| Part {
            score: "value",
            name: i.name,
            series: Vec::new(),
            unit: i.unit,
            weight: i.weight,
            date: i.date,
            value: i.value,
            points: i.contribution,
            missing: i.missing.clone(),
        });
        Ok(Self {
            scores: vec![Score {
                name: "value".into(),
                unit: "index".into(),
                date: reading.value.map(|_| reading.date),
                value: reading.value.map(rounded),
                base: rounded(reading.base),
                value_before: None,
                base_before: 0.0,
            }],
            parts: parts.collect(),
            label: None,
            reason: reading.reason.clone(),
            basis: reading.basis.clone(),
            interpretation: narrative_velocity::interpret(&reading),
            reads: Vec::new(),
        })
    }
}

/// A contributor of the regime; its figures are those of the month before the regime's.
fn part(score: &'static str, c: &regime::Contributor, state: &regime::State) -> Part {
    let figures = crate::indicators::months::Month::of(state.month).plus(-1);
    Part {
        score,
        name: c.name,
        series: vec![c.series],
        unit: c.unit,
        weight: c.weight,
        date: Some(figures.first_day()),
        value: Some(c.value),
        points: Some(c.contribution),
        missing: None,
    }
}

//! FRED's short words for frequency, aggregation and units, as arguments of the endpoints that take them.

use econoscope_core::indicators::regime::Regime;
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::Frequency;
use econoscope_core::model::frequency::Periods;
use econoscope_data::desk::scenarios::Status;
use jiff::civil::Weekday;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use std::borrow::Cow;

/// What is chosen by one of some words.
pub(super) trait Choice: Copy + 'static {
    /// Every word with what it stands for, as a schema lists them.
    const ALL: &'static [(&'static str, Self)];
}

/// A choice, and the word it was made by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<T> {
    pub(super) word: &'static str,
    pub(super) meaning: T,
}

/// Periods, of which weeks end on a day that may be chosen.
pub(super) type Period = Chosen<Periods>;
/// How finer figures become coarser.
pub(super) type How = Chosen<Aggregation>;
/// A transformation.
pub(super) type Code = Chosen<Units>;

impl<'de, T: Choice> Deserialize<'de> for Chosen<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let given = String::deserialize(from)?;
        let found = T::ALL.iter().find(|(word, _)| *word == given);
        let (word, meaning) = *found.ok_or_else(|| Error::custom("none of the choices"))?;
        Ok(Self { word, meaning })
    }
}

impl<T: Choice> JsonSchema for Chosen<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = T::ALL.iter().map(|(word, _)| *word).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

const fn weeks_to(week_ends: Weekday) -> Periods {
    Periods {
        frequency: Frequency::Weekly,
        week_ends,
    }
}

const fn usual(frequency: Frequency) -> Periods {
    Periods {
        frequency,
        ..weeks_to(Weekday::Friday)
    }
}

impl Choice for Periods {
    const ALL: &'static [(&'static str, Self)] = &[
        ("d", usual(Frequency::Daily)),
        ("w", usual(Frequency::Weekly)),
        ("wem", weeks_to(Weekday::Monday)),
        ("wetu", weeks_to(Weekday::Tuesday)),
        ("wew", weeks_to(Weekday::Wednesday)),
        ("weth", weeks_to(Weekday::Thursday)),
        ("wef", weeks_to(Weekday::Friday)),
        ("wesa", weeks_to(Weekday::Saturday)),
        ("wesu", weeks_to(Weekday::Sunday)),
        ("bw", usual(Frequency::Biweekly)),
        ("m", usual(Frequency::Monthly)),
        ("q", usual(Frequency::Quarterly)),
        ("sa", usual(Frequency::Semiannual)),
        ("a", usual(Frequency::Annual)),
    ];
}

impl Choice for Aggregation {
    const ALL: &'static [(&'static str, Self)] = &[
        ("avg", Self::Average),
        ("sum", Self::Sum),
        ("eop", Self::EndOfPeriod),
    ];
}

impl Choice for Regime {
    const ALL: &'static [(&'static str, Self)] = &[
        (Self::Goldilocks.name(), Self::Goldilocks),
        (Self::Reflation.name(), Self::Reflation),
        (Self::Stagflation.name(), Self::Stagflation),
        (Self::Deflation.name(), Self::Deflation),
    ];
}

impl Choice for Units {
    const ALL: &'static [(&'static str, Self)] = &Self::ALL;
}

impl Choice for Status {
    const ALL: &'static [(&'static str, Self)] = &[
        ("active", Self::Active),
        ("paused", Self::Paused),
        ("resolved", Self::Resolved),
        ("archived", Self::Archived),
    ];
}

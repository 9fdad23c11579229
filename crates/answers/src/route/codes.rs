//! Arguments that take one of a fixed set of words, among them FRED's codes for frequency, aggregation and units.

use econoscope_core::indicators::regime::Regime;
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::Frequency;
use econoscope_core::model::frequency::Periods;
use econoscope_desk::texts::scenarios::Status;
use jiff::civil::Weekday;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use std::borrow::Cow;

/// A type whose values are named by words.
pub(crate) trait EnumValues: Copy + 'static {
    /// Every word with its value, in the order of the schema.
    const ALL: &'static [(&'static str, Self)];
}

/// An argument that takes one of the words of [`EnumValues`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct EnumArgument<T> {
    /// As given.
    pub(crate) code: &'static str,
    pub(crate) value: T,
}

/// A frequency; of weeks also the day on which they end.
pub(crate) type FrequencyCode = EnumArgument<Periods>;
/// How finer figures become coarser.
pub(crate) type AggregationCode = EnumArgument<Aggregation>;
/// A transformation.
pub(crate) type UnitsCode = EnumArgument<Units>;

impl<'de, T: EnumValues> Deserialize<'de> for EnumArgument<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = T::ALL.iter().find(|(code, _)| *code == text).copied();
        let (code, value) = known.ok_or_else(|| Error::custom("none of the choices"))?;
        Ok(Self { code, value })
    }
}

impl<T: EnumValues> JsonSchema for EnumArgument<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let codes: Vec<&str> = T::ALL.iter().map(|(code, _)| *code).collect();
        json_schema!({ "type": "string", "enum": codes })
    }
}

const fn periods(frequency: Frequency, week_ends: Weekday) -> Periods {
    Periods {
        frequency,
        week_ends,
    }
}

impl EnumValues for Periods {
    const ALL: &'static [(&'static str, Self)] = &[
        ("d", periods(Frequency::Daily, Weekday::Friday)),
        ("w", periods(Frequency::Weekly, Weekday::Friday)),
        ("wem", periods(Frequency::Weekly, Weekday::Monday)),
        ("wetu", periods(Frequency::Weekly, Weekday::Tuesday)),
        ("wew", periods(Frequency::Weekly, Weekday::Wednesday)),
        ("weth", periods(Frequency::Weekly, Weekday::Thursday)),
        ("wef", periods(Frequency::Weekly, Weekday::Friday)),
        ("wesa", periods(Frequency::Weekly, Weekday::Saturday)),
        ("wesu", periods(Frequency::Weekly, Weekday::Sunday)),
        ("bw", periods(Frequency::Biweekly, Weekday::Friday)),
        ("m", periods(Frequency::Monthly, Weekday::Friday)),
        ("q", periods(Frequency::Quarterly, Weekday::Friday)),
        ("sa", periods(Frequency::Semiannual, Weekday::Friday)),
        ("a", periods(Frequency::Annual, Weekday::Friday)),
    ];
}

impl EnumValues for Aggregation {
    const ALL: &'static [(&'static str, Self)] = &Self::CODES;
}

impl EnumValues for Regime {
    const ALL: &'static [(&'static str, Self)] = &[
        (Self::Goldilocks.name(), Self::Goldilocks),
        (Self::Reflation.name(), Self::Reflation),
        (Self::Stagflation.name(), Self::Stagflation),
        (Self::Deflation.name(), Self::Deflation),
    ];
}

impl EnumValues for Units {
    const ALL: &'static [(&'static str, Self)] = &Self::ALL;
}

impl EnumValues for Status {
    const ALL: &'static [(&'static str, Self)] = &[
        ("active", Self::Active),
        ("paused", Self::Paused),
        ("resolved", Self::Resolved),
        ("archived", Self::Archived),
    ];
}

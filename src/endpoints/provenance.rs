//! What travels with every answer: the day it speaks for, how old that is, and why a figure is absent.

use crate::desk::{DataDate, Desk};
use crate::error::{Error, Result};
use crate::model::{AsOf, Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of knowledge behind an answer; absent where an upstream does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Day the answer speaks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// Days from then to today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i64>,
    /// `live` when a sync within 48 hours stands behind it, else `snapshot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<String>,
    /// Why a field is null, or on what basis it stands, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

impl Provenance {
    /// The desk's state of knowledge.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn of(desk: &Desk, as_of: AsOf) -> Result<Self> {
        Ok(Self::at(&desk.data_date(as_of)?))
    }

    /// A known state of knowledge.
    pub fn at(day: &DataDate) -> Self {
        Self {
            as_of: Some(day.as_of),
            age_days: Some(day.age_days),
            freshness: Some(day.freshness().to_owned()),
            notes: BTreeMap::new(),
        }
    }

    /// Adds on what the knowledge of a past day rests: recorded vintages or publication lags.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn rests_on<'a>(
        &mut self,
        desk: &Desk,
        as_of: AsOf,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        if let Some(basis) = desk.basis(ids, as_of)? {
            self.note("as_of", basis);
        }
        Ok(())
    }

    /// Adds why a field is null or how it came about.
    pub fn note(&mut self, field: &str, why: impl Into<String>) {
        self.notes.insert(field.to_owned(), why.into());
    }

    /// The sentence for a model: "As of 2026-08-21 (snapshot, 92 days old)."
    pub fn sentence(&self) -> String {
        if let (Some(day), Some(basis)) = (self.as_of, self.notes.get("as_of")) {
            return format!("As known on {day}, {basis}.");
        }
        match (self.as_of, self.age_days, self.freshness.as_deref()) {
            (Some(day), Some(0), Some(word)) => format!("As of {day} ({word})."),
            (Some(day), Some(age), Some(word)) => format!("As of {day} ({word}, {age} days old)."),
            _ => String::new(),
        }
    }

    /// Why fields are null, as a line for a model; empty when nothing is.
    pub fn missing(&self) -> String {
        let parts: Vec<String> = self
            .notes
            .iter()
            .filter(|(field, _)| *field != "as_of")
            .map(|(field, why)| format!("{field}: {why}"))
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!("Notes: {}.", parts.join("; "))
        }
    }
}

/// Reads a day argument.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field and an example.
pub fn parse_day(field: &str, text: &str) -> Result<Date> {
    let fail = |problem: &str| {
        Error::invalid(
            field,
            text,
            problem,
            "a day as YYYY-MM-DD, for example 2026-03-01",
        )
    };
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| {
            if i == 4 || i == 7 {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        });
    if !shape {
        return Err(fail("is not a day"));
    }
    let day: Date = text
        .parse()
        .map_err(|_| fail("is not a day of the calendar"))?;
    if day.year() < 1700 {
        Err(fail("is before 1700"))
    } else {
        Ok(day)
    }
}

/// Reads the `as_of` argument of a local answer: absent is now; the future is refused.
///
/// # Errors
/// [`Error::InvalidParam`] for what is not a day or lies in the future.
pub fn parse_as_of(desk: &Desk, text: Option<&str>) -> Result<AsOf> {
    let Some(text) = text else {
        return Ok(AsOf::Latest);
    };
    let day = parse_day("as_of", text)?;
    if day > desk.today() {
        return Err(Error::invalid(
            "as_of",
            text,
            "lies in the future",
            &format!("a day up to {}", desk.today()),
        ));
    }
    Ok(AsOf::Day(day))
}

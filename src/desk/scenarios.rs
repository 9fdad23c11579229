//! Tracked scenarios: definitions from `data/scenarios/`, embedded.

use crate::error::{Error, Result};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::sync::OnceLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/scenarios");

/// Where a scenario stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Watched now.
    Active,
    /// Not watched for the time being.
    Paused,
    /// Came true or was refuted.
    Resolved,
    /// Kept for the record.
    Archived,
}

impl Status {
    /// The contract's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Resolved => "resolved",
            Self::Archived => "archived",
        }
    }
}

/// What may happen, how often it has happened, and what decides it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Scenario {
    /// For addresses.
    pub slug: String,
    /// Event in one line.
    pub title: String,
    /// What to watch and what would confirm or refute it.
    pub thesis: String,
    /// Where it stands.
    pub status: Status,
    /// Assets it bears on.
    pub asset_classes: Vec<String>,
    /// Subjects.
    pub tags: Vec<String>,
    /// For risk assets: bearish, bullish or neutral.
    pub polarity: String,
    /// Share of past start months in which the event followed (METHODS 9).
    pub base_rate: f64,
    /// Wilson 90 % interval of the base rate on non-overlapping windows.
    #[serde(default)]
    pub base_rate_interval: Option<[f64; 2]>,
    /// First year of the record behind the base rate.
    #[serde(default)]
    pub since: Option<i16>,
    /// An operator's own probability, where one is set.
    #[serde(default)]
    pub probability_override: Option<f64>,
    /// Tags by which articles belong to it.
    #[serde(default)]
    pub articles: Vec<String>,
}

/// The embedded scenarios, by slug.
///
/// # Errors
/// [`Error::BadFile`] for a definition that cannot be read, which a test rules out.
pub fn embedded() -> Result<&'static [Scenario]> {
    static SCENARIOS: OnceLock<Vec<Scenario>> = OnceLock::new();
    if let Some(ready) = SCENARIOS.get() {
        return Ok(ready);
    }
    let mut list = FILES
        .files()
        .filter(|f| f.path().extension().is_some_and(|e| e == "toml"))
        .map(|f| {
            read(
                &f.path().display().to_string(),
                f.contents_utf8().unwrap_or_default(),
            )
        })
        .collect::<Result<Vec<_>>>()?;
    list.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok(SCENARIOS.get_or_init(|| list))
}

/// Reads one definition.
///
/// # Errors
/// [`Error::BadFile`] naming the file and what is wrong in it.
pub fn read(file: &str, text: &str) -> Result<Scenario> {
    let bad = |problem: String| Error::BadFile {
        file: file.to_owned(),
        line: None,
        problem,
    };
    let scenario: Scenario = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
    let share = |p: f64| (0.0..=1.0).contains(&p);
    if !share(scenario.base_rate) || !scenario.probability_override.is_none_or(share) {
        return Err(bad(
            "base_rate and probability_override are shares from 0 to 1".into(),
        ));
    }
    if !matches!(
        scenario.polarity.as_str(),
        "bearish" | "bullish" | "neutral"
    ) {
        return Err(bad(format!(
            "polarity {} is not bearish, bullish or neutral",
            scenario.polarity
        )));
    }
    Ok(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_scenario_is_sound() -> Result<()> {
        let list = embedded()?;
        assert!(list.len() >= 15, "{} scenarios", list.len());
        assert!(list.windows(2).all(|w| w[0].slug != w[1].slug));
        Ok(())
    }

    #[test]
    fn a_bad_definition_names_its_file() {
        let said = read("x.toml", "slug = 1")
            .map_err(|e| e.to_string())
            .unwrap_err();
        assert!(said.starts_with("x.toml: "), "{said}");
    }
}

//! Tracked scenarios: embedded definitions from `data/scenarios/`, and those of an operator's folder.
//!
//! Base rates are measured from the store. Where its history is too short, the documented base rate is used.

use super::folder;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::base_rates::{Condition, Event};
use econoscope_core::model::SeriesId;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;
use strum::Display;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/scenarios");

/// The status of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Tracked now.
    Active,
    /// Not tracked for now.
    Paused,
    /// Came true or was refuted.
    Resolved,
    /// Kept for the record.
    Archived,
}

/// A scenario: an event, its base rate, and the rule that decides it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Last part of its address.
    pub slug: String,
    /// Event in one line.
    pub title: String,
    /// What to watch and what would confirm or refute it.
    pub thesis: String,
    /// Status.
    pub status: Status,
    /// Assets it bears on.
    pub asset_classes: Vec<String>,
    /// Subjects.
    pub tags: Vec<String>,
    /// For risk assets: bearish, bullish or neutral.
    pub polarity: String,
    /// Share of past start months in which the event followed (docs/SCENARIOS.md#base-rates).
    pub base_rate: f64,
    /// Wilson 90 % interval of the base rate on non-overlapping windows.
    pub base_rate_interval: Option<[f64; 2]>,
    /// First year of the record behind the base rate.
    pub since: Option<i16>,
    /// Probability set by an operator.
    pub probability_override: Option<f64>,
    /// Tags of articles about it.
    #[serde(default)]
    pub articles: Vec<String>,
    /// Rule that decides it; without one the base rate is the documented one.
    pub event: Option<Event>,
    /// Condition on the starting months that count.
    pub condition: Option<Condition>,
}

/// Returns the embedded scenarios, ordered by slug.
pub fn embedded() -> &'static [Scenario] {
    static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
        let mut list = folder::embedded(&FILES, "toml", parse);
        list.sort_by(|a, b| a.slug.cmp(&b.slug));
        list
    });
    &SCENARIOS
}

/// Reads every `.toml` file of an operator's folder, ordered by slug.
///
/// # Errors
/// [`Error::BadFile`] with the folder or file and the problem.
pub fn from_folder(folder: &Path) -> Result<Vec<Scenario>> {
    folder::texts(folder, "toml", parse)
}

/// Parses a definition.
///
/// # Errors
/// [`Error::BadFile`] with the file and the problem.
pub fn parse(file: &str, text: &str) -> Result<Scenario> {
    let bad = |problem: String| Error::bad_file(file, problem);
    let scenario: Scenario = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
    match scenario.problem(Path::new(file)) {
        Some(problem) => Err(bad(problem)),
        None => Ok(scenario),
    }
}

impl Scenario {
    /// Describes the first problem of the definition.
    fn problem(&self, file: &Path) -> Option<String> {
        let Self { slug, polarity, .. } = self;
        let is_share = |p: f64| (0.0..=1.0).contains(&p);
        let is_interval = |[low, high]: [f64; 2]| is_share(low) && is_share(high) && low <= high;
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_named = (1..=64).contains(&slug.len()) && slug.chars().all(is_kebab);
        let is_file = file.file_stem().is_none_or(|stem| stem == slug.as_str());
        let has_shares = is_share(self.base_rate) && self.probability_override.is_none_or(is_share);
        let is_polar = matches!(polarity.as_str(), "bearish" | "bullish" | "neutral");
        let problem = if !is_named {
            format!("slug {slug} is not of a-z, 0-9 and hyphens")
        } else if !is_file {
            format!("slug {slug} is not the file's name; rename one of them")
        } else if !has_shares {
            "base_rate and probability_override are shares from 0 to 1".to_owned()
        } else if !self.base_rate_interval.is_none_or(is_interval) {
            "base_rate_interval is two shares, the lower first".to_owned()
        } else if !is_polar {
            format!("polarity {polarity} is not bearish, bullish or neutral")
        } else if let Some(event) = &self.event {
            return self.event_problem(event);
        } else if self.condition.is_some() {
            "[condition] without an [event]".to_owned()
        } else {
            return None;
        };
        Some(problem)
    }

    fn event_problem(&self, event: &Event) -> Option<String> {
        if let Err(error) = SeriesId::new(&event.series) {
            return Some(format!("[event] series: {error}"));
        }
        if !(1..=120).contains(&event.horizon_months) {
            return Some("[event] horizon_months is a whole number from 1 to 120".into());
        }
        let threshold = self.condition.as_ref().map_or(0.0, |c| c.threshold);
        if !event.threshold.is_finite() || !threshold.is_finite() {
            return Some("threshold is not a number".into());
        }
        self.since
            .is_none()
            .then(|| "[event] needs `since`, the first year that counts".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_scenario_is_valid() {
        let list = embedded();
        let is_definition = |path: &Path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        };
        let files = FILES.files().filter(|file| is_definition(file.path()));
        assert_eq!(list.len(), files.count());
        assert!(list.len() >= 15, "{} scenarios", list.len());
        assert!(list.windows(2).all(|w| w[0].slug != w[1].slug));
        for scenario in list {
            let event = scenario.event.as_ref().unwrap();
            let known = econoscope_core::catalogue::Catalogue::embedded().get(&event.series);
            assert!(known.is_some(), "{}: {}", scenario.slug, event.series);
        }
    }

    const OWN: &str = "slug = \"x\"\ntitle = \"t\"\nthesis = \"t\"\nstatus = \"active\"\nasset_classes = []\n\
        tags = []\npolarity = \"neutral\"\nbase_rate = 0.5\n";

    #[test]
    fn invalid_definitions_are_rejected_with_the_problem() {
        let problem =
            |more: &str| parse("x.toml", &format!("{OWN}{more}")).map_err(|e| e.to_string());
        assert!(problem("").is_ok());
        let event = "[event]\nseries = \"DGS10\"\ntransform = \"level\"\nmove = \"rises_by\"\n\
            threshold = 1.0\nmonthly = \"mean\"\nhorizon_months = ";
        for (more, want) in [
            ("colour = 1".to_owned(), "unknown field `colour`"),
            (
                "base_rate_interval = [0.9, 0.1]".to_owned(),
                "the lower first",
            ),
            (format!("{event}12"), "needs `since`"),
            (format!("since = 1962\n{event}0"), "from 1 to 120"),
            (
                "[condition]\ntransform = \"level\"\nrelation = \"below\"\nthreshold = 1"
                    .to_owned(),
                "without an [event]",
            ),
        ] {
            let message = problem(&more).unwrap_err();
            assert!(
                message.starts_with("x.toml: ") && message.contains(want),
                "{message}"
            );
        }
        let message = parse("y.toml", OWN).unwrap_err().to_string();
        assert!(
            message.contains("slug x is not the file's name"),
            "{message}"
        );
    }

    #[test]
    fn invalid_definition_names_its_file() {
        let message = parse("x.toml", "slug = 1")
            .map_err(|e| e.to_string())
            .unwrap_err();
        assert!(message.starts_with("x.toml: "), "{message}");
    }
}

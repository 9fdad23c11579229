//! Figures in doubt: `data/doubts.csv`, with the source of each doubt.
//!
//! A doubt has a reason that is public: a month without a survey, a smaller sample, a benchmark or an annual revision that is
//! due. It is told from the day on which it was known until the figures were revised.

use econoscope_core::model::{Date, table};
use serde::Deserialize;
use std::sync::LazyLock;

/// A doubt about figures of some series.
#[derive(Deserialize)]
pub struct Doubt {
    /// absent, sample, benchmark, annual revision.
    pub kind: String,
    /// Identifiers, separated by spaces.
    pub series: String,
    /// First date of the figures.
    pub first: Date,
    /// Last date of the figures.
    pub last: Date,
    /// Day from which it was known.
    pub known_from: Date,
    /// Day on which it ends, if it does.
    pub until: Option<Date>,
    /// The reason, as a sentence without a capital or stop.
    pub text: String,
    /// Address or name of the source.
    pub source: String,
    /// Day on which the source was read.
    pub read: Date,
}

static DOUBTS: LazyLock<Vec<Doubt>> =
    LazyLock::new(|| table::records(include_str!("../../data/doubts.csv")));

impl Doubt {
    /// Returns the doubts known on a day, the most important of a series first.
    pub fn known_on(day: Date) -> impl Iterator<Item = &'static Self> {
        let is_open = move |doubt: &&Self| {
            doubt.known_from <= day && doubt.until.is_none_or(|until| day < until)
        };
        DOUBTS.iter().filter(is_open)
    }

    /// Returns the first doubt on the figure of a series, as known on a day.
    pub fn find(id: &str, date: Date, day: Date) -> Option<&'static Self> {
        Self::known_on(day).find(|doubt| {
            let dates = doubt.first..=doubt.last;
            dates.contains(&date) && doubt.series.split(' ').any(|named| named == id)
        })
    }
}

/// Renders the doubts known on a day as a table in Markdown.
pub fn render_markdown(day: Date) -> String {
    let mut text = String::from(
        "# Figures in doubt\n\nEach doubt has a public reason. It is told with the figure from the day on which it was known.\n\n\
         | Series | Figures | Doubt | Known from | Until | Source | Read |\n|---|---|---|---|---|---|---|\n",
    );
    text.extend(Doubt::known_on(day).map(|doubt| {
        let Doubt { first, last, .. } = doubt;
        let until = doubt.until.map(|day| day.to_string()).unwrap_or_default();
        format!(
            "| {} | {first} to {last} | {}: {} | {} | {until} | {} | {} |\n",
            doubt.series, doubt.kind, doubt.text, doubt.known_from, doubt.source, doubt.read
        )
    }));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use jiff::civil::date;

    #[test]
    fn every_doubt_is_valid() {
        let lines = include_str!("../../data/doubts.csv").lines().count();
        assert_eq!(DOUBTS.len(), lines - 1);
        for doubt in DOUBTS.iter() {
            for id in doubt.series.split(' ') {
                assert!(Catalogue::embedded().get(id).is_some(), "{id}");
            }
            let kinds = ["absent", "sample", "benchmark", "annual revision"];
            assert!(kinds.contains(&doubt.kind.as_str()), "{}", doubt.text);
            assert!(doubt.first <= doubt.last, "{}", doubt.text);
            assert!(
                doubt.until.is_none_or(|until| doubt.known_from < until),
                "{}",
                doubt.text
            );
            assert!(
                !doubt.source.is_empty() && !doubt.text.ends_with('.'),
                "{}",
                doubt.text
            );
        }
    }

    #[test]
    fn doubt_is_told_only_while_it_was_known() {
        let found = |id, month, day| Doubt::find(id, month, day).map(|doubt| doubt.kind.as_str());
        let march = date(2025, 3, 1);
        assert_eq!(found("PAYEMS", march, date(2025, 9, 8)), None);
        assert_eq!(found("PAYEMS", march, date(2025, 9, 9)), Some("benchmark"));
        assert_eq!(found("PAYEMS", march, date(2026, 2, 11)), None);
        let november = date(2025, 11, 1);
        assert_eq!(
            found("UNRATE", november, date(2025, 12, 20)),
            Some("absent")
        );
        assert_eq!(found("UNRATE", november, date(2025, 12, 1)), None);
        assert_eq!(found("DGS10", november, date(2026, 1, 1)), None);
        let told = render_markdown(date(2025, 10, 1));
        assert!(
            told.contains("911 thousand") && !told.contains("October 2025 was"),
            "{told}"
        );
    }
}

//! Remarks that keep figures from being misread: `data/remarks.csv`, `data/ended.csv`, `data/estimates.csv` and
//! `data/never_published.csv`.
//!
//! They state the quotation of a currency, the index of a published rate, the successor of a discontinued series, the
//! nearest stored series for one that is not stored, and the days whose figures are estimates.

use crate::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Absence, Error, Result};
use econoscope_core::indicators::prose::enclosed;
use econoscope_core::indicators::transform;
use econoscope_core::model::words::fold_name;
use econoscope_core::model::{AsOf, Date, SeriesInfo, table};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Series, kind of remark, another series, and text.
///
/// `headline`: the published 12-month rate is of the other series. `quote`: the quotation of a currency. `ended`: the
/// series is discontinued and the other one follows. `sibling`: the other series is similar.
type Remark = [&'static str; 4];

const NEVER_PUBLISHED: &str = include_str!("../../data/never_published.csv");

static REMARKS: LazyLock<HashMap<&str, Remark>> = LazyLock::new(|| {
    let rows = table::embedded(include_str!("../../data/remarks.csv"));
    rows.map(|row: Remark| (row[0], row)).collect()
});

/// Returns the other series and the text of a remark of a kind.
fn remark(id: &str, kind: &str) -> Option<(&'static str, &'static str)> {
    let [_, row_kind, other, text] = REMARKS.get(id)?;
    (*row_kind == kind).then_some((*other, *text))
}

/// By their names: name, title, last day and successor of each discontinued series.
static ENDED: LazyLock<HashMap<String, [&str; 4]>> = LazyLock::new(|| {
    let rows = table::embedded::<4>(include_str!("../../data/ended.csv"));
    rows.map(|row| (fold_name(row[0]), row)).collect()
});

/// Days on which the figures of a series are estimates.
#[derive(Deserialize)]
struct EstimatedDays {
    series_id: String,
    start: Date,
    end: Date,
    remark: String,
}

static ESTIMATES: LazyLock<Vec<EstimatedDays>> =
    LazyLock::new(|| table::records(include_str!("../../data/estimates.csv")));

/// Returns whether the source never published the figure of a period. Any other gap may be one of the store.
pub fn was_never_published(id: &str, period: Date) -> bool {
    let row = format!("{id},{period}");
    NEVER_PUBLISHED.lines().any(|line| line == row)
}

/// Returns the remark on a series some of whose figures from `start` to `end` are estimates.
pub fn estimates_remark(id: &str, start: Date, end: Date) -> Option<&'static str> {
    let mut estimates = ESTIMATES.iter().filter(|estimate| estimate.series_id == id);
    let found = estimates.find(|estimate| estimate.start <= end && start <= estimate.end)?;
    Some(&found.remark)
}

/// Builds the error for the name of a discontinued series: "ended 2023-06-30; SOFR follows".
pub(crate) fn discontinued(name: &str) -> Option<Error> {
    let [_, title, last, successor] = ENDED.get(&fold_name(name))?;
    Some(Error::NoData {
        what: (*title).to_owned(),
        reason: describe_end(last, successor),
        absence: Absence::Ended,
    })
}

fn describe_end(last: &str, successor: &str) -> String {
    let ended = format!("ended {last}");
    let follows = enclosed("; ", successor, " follows");
    format!("{}{follows}", ended.trim_end())
}

/// Returns the remark that must accompany every figure of a series: its quotation or its end.
pub fn permanent_remark(id: &str) -> Option<String> {
    let quotation = remark(id, "quote").map(|(_, text)| text.to_owned());
    quotation.or_else(|| end_of(id))
}

/// Describes the end of a series; `None` for one that goes on.
pub(crate) fn end_of(id: &str) -> Option<String> {
    remark(id, "ended").map(|(next, last)| describe_end(last, next))
}

/// Returns the remark on a seasonally adjusted price index that the published yearly rate is of another series.
pub fn headline_remark(id: &str) -> Option<String> {
    remark(id, "headline").map(|(other, text)| format!("{text}, {other}"))
}

impl Desk {
    /// Returns the remark on a change over twelve months if the published rate is of another series, with that series'
    /// rate of the month if it is stored.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn published_rate_remark(
        &self,
        id: &str,
        date: Date,
        as_of: AsOf,
    ) -> Result<Option<String>> {
        let other = remark(id, "headline").and_then(|(id, _)| Catalogue::embedded().get(id));
        let (Some(text), Some(info)) = (headline_remark(id), other) else {
            return Ok(None);
        };
        let series = self.series(info, as_of)?;
        let rate = series.and_then(|series| {
            series.value_on(date)?;
            transform::year_on_year(&series, date)
        });
        Ok(Some(match rate {
            Some(rate) => format!("{text}: {rate:.2} % in {}", date.strftime("%Y-%m")),
            None => text,
        }))
    }

    /// Returns the remark on the most similar series, if that is available.
    pub(crate) fn sibling(&self, info: &SeriesInfo) -> Result<Option<String>> {
        let sibling = remark(info.id.as_str(), "sibling")
            .and_then(|(id, text)| Some((Catalogue::embedded().get(id)?, text)));
        let Some((other, text)) = sibling else {
            return Ok(None);
        };
        let is_available =
            self.series_status(&other.id)?.is_some() || self.identity_of(&other.id)?.is_some();
        Ok(is_available.then(|| format!("{} is held: {text}", other.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_names_known_series() {
        let catalogue = Catalogue::embedded();
        let text = include_str!("../../data/remarks.csv");
        for (line, row) in table::rows::<4>(text) {
            let [id, kind, other, _] = row.unwrap();
            let is_kind = ["headline", "quote", "ended", "sibling"].contains(&kind);
            assert!(is_kind, "line {line}: {kind}");
            for id in [id, other].into_iter().filter(|id| !id.is_empty()) {
                assert!(catalogue.get(id).is_some(), "line {line}: {id}");
            }
        }
        assert_eq!(REMARKS.len(), text.lines().count() - 1);
        let text = include_str!("../../data/ended.csv");
        for (line, row) in table::rows::<4>(text) {
            let [name, _, last, follows] = row.unwrap();
            assert!(catalogue.get(name).is_none(), "line {line}: {name}");
            assert!(catalogue.get(follows).is_some(), "line {line}: {follows}");
            assert!(
                last.is_empty() || last.parse::<Date>().is_ok(),
                "line {line}"
            );
        }
        assert_eq!(ENDED.len(), text.lines().count() - 1);
        let text = include_str!("../../data/estimates.csv");
        assert_eq!(ESTIMATES.len(), text.lines().count() - 1);
        for EstimatedDays {
            series_id: id,
            start,
            end,
            remark,
        } in ESTIMATES.iter()
        {
            assert!(catalogue.get(id).is_some() && start <= end, "{id}");
            assert!(remark.contains(&start.to_string()), "{id}: {remark}");
        }
        for (line, row) in table::rows::<2>(NEVER_PUBLISHED) {
            let [id, period] = row.unwrap();
            assert!(catalogue.get(id).is_some(), "line {line}: {id}");
            assert!(was_never_published(id, period.parse().unwrap()));
        }
        let message = discontinued("3 Month LIBOR").unwrap().to_string();
        assert!(
            message.contains("ended 2023-06-30; SOFR follows"),
            "{message}"
        );
        assert_eq!(
            permanent_remark("TEDRATE").unwrap(),
            "ended 2022-01-21; SOFR follows"
        );
        assert!(
            permanent_remark("DEXJPUS")
                .unwrap()
                .contains("rises when the dollar does")
        );
    }
}

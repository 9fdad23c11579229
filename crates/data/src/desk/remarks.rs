//! What has to be said of a series so that a right figure is not read wrong: `data/remarks.csv` and `data/ended.csv`.
//!
//! Which way a currency is quoted, which index the published rate is of, what ended and what follows it, which of the
//! series that are held comes nearest to one that is not.

use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::transform;
use econoscope_core::model::words::fold;
use econoscope_core::model::{AsOf, Date, SeriesInfo, table};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Series, what is said of it, another series, and the words.
///
/// `headline`: the published 12-month rate is of the other one.
/// `quote`: which way a currency is quoted. `ended`: no more figures come, the other one follows. `sibling`: the other one
/// says nearly the same.
type Remark = [&'static str; 4];

static REMARKS: LazyLock<HashMap<&'static str, Remark>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/remarks.csv"));
    // A test reads every row of both tables.
    let rows = rows.filter_map(|(_, row)| row.ok());
    rows.map(|row: Remark| (row[0], row)).collect()
});

/// The other series and the words of a remark of that kind.
fn of(id: &str, kind: &str) -> Option<(&'static str, &'static str)> {
    let [_, said, other, text] = REMARKS.get(id)?;
    (*said == kind).then_some((*other, *text))
}

/// Name, title, last day and what follows, of series that are no more.
type DiscontinuedSeries = [&'static str; 4];

static ENDED: LazyLock<HashMap<String, DiscontinuedSeries>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/ended.csv"));
    let rows = rows.filter_map(|(_, row)| row.ok());
    rows.map(|row: DiscontinuedSeries| (fold(row[0]), row))
        .collect()
});

/// What is said of the name of a series that is no more: "ended 2023-06-30; SOFR follows".
pub(super) fn ended(name: &str) -> Option<Error> {
    let [_, title, last, follows] = ENDED.get(&fold(name))?;
    Some(Error::NoData {
        what: (*title).to_owned(),
        reason: end(last, follows),
    })
}

fn end(last: &str, follows: &str) -> String {
    let last = if last.is_empty() { "" } else { " " }.to_owned() + last;
    match follows {
        "" => format!("ended{last}"),
        follows => format!("ended{last}; {follows} follows"),
    }
}

/// What must be said of a series wherever its figures stand: which way it is quoted, or that it has ended.
pub fn always(id: &str) -> Option<String> {
    let quoted = of(id, "quote").map(|(_, text)| text.to_owned());
    quoted.or_else(|| of(id, "ended").map(|(follows, last)| end(last, follows)))
}

/// Of a price index that is seasonally adjusted: that the published yearly rate is of the other one.
pub fn headline(id: &str) -> Option<String> {
    of(id, "headline").map(|(other, text)| format!("{text}, {other}"))
}

impl Desk {
    /// Beside a change over twelve months: the published rate, where that is of another series; with its figure of the
    /// month where that is held.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn published_rate(&self, id: &str, date: Date, as_of: AsOf) -> Result<Option<String>> {
        let other = of(id, "headline").and_then(|(other, _)| Catalogue::embedded().get(other));
        let (Some(said), Some(info)) = (headline(id), other) else {
            return Ok(None);
        };
        let series = self.series(info, as_of)?;
        let rate = series.and_then(|series| {
            let last = series.last_on_or_before(date).filter(|o| o.date == date)?;
            transform::year_on_year(&series, last.date)
        });
        Ok(Some(match rate {
            Some(rate) => format!("{said}: {rate:.2} % in {}", date.strftime("%Y-%m")),
            None => said,
        }))
    }

    /// The series that comes nearest to one of which nothing is held, if that one is held.
    pub(super) fn sibling(&self, info: &SeriesInfo) -> Result<Option<String>> {
        let said = of(info.id.as_str(), "sibling");
        let said = said.and_then(|(id, text)| Some((Catalogue::embedded().get(id)?, text)));
        let Some((other, text)) = said else {
            return Ok(None);
        };
        let is_there = self.held(&other.id)?.is_some() || self.made_by(&other.id)?.is_some();
        Ok(is_there.then(|| format!("{} is held: {text}", other.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_is_read_and_is_about_known_series() {
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
        let said = ended("3 Month LIBOR").unwrap().to_string();
        assert!(said.contains("ended 2023-06-30; SOFR follows"), "{said}");
        assert_eq!(always("TEDRATE").unwrap(), "ended 2022-01-21; SOFR follows");
        assert!(
            always("DEXJPUS")
                .unwrap()
                .contains("rises when the dollar does")
        );
    }
}

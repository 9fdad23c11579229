//! Parses `macro://` addresses. There are few shapes; every segment is decoded and bounded, and anything else is refused.

use econoscope_core::error::{Error, Result, is_invisible};
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;

/// The scheme of resources that the desk answers.
pub(in crate::mcp) const SCHEME: &str = "macro://";

/// Maximum length of an address.
const MAX_BYTES: usize = 400;

/// Maximum length of a decoded segment.
const MAX_SEGMENT: usize = 120;

/// A resource of the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mcp) enum Address {
    /// All series, or those of one category.
    Catalog(Option<String>),
    /// The summary of the economy.
    Summary,
    /// The real-time record of the indicators.
    Scores,
    /// Figures in doubt.
    Doubts,
    /// What may be done with figures.
    Rights,
    /// The present regime.
    Regime,
    /// The release calendar.
    Calendar,
    /// The rows of a series.
    Series {
        /// Identifier or name.
        id: String,
        /// Whether the format is CSV.
        csv: bool,
        /// Start, end, frequency and units, as in the query.
        range: BTreeMap<String, String>,
    },
    /// The latest figure of a series.
    Metric(String),
    /// The language of formulas and conditions.
    Formulas,
    /// The newest articles, all or those with a tag.
    Articles(Option<String>),
    /// A condition and its crossings.
    Alert(String),
    /// A document by its id, as `fetch` returns it: `method:crpi`.
    Document(String),
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] that lists the valid addresses.
    pub(in crate::mcp) fn parse(uri: &str) -> Result<Self> {
        let fail = |problem: &str| {
            Error::invalid(
                "uri",
                uri,
                problem,
                "macro://catalog, macro://summary, macro://regime, macro://calendar, macro://scores, macro://doubts, macro://rights, macro://series/{seriesId}, \
                 macro://metric/{ticker}, macro://method/{indicator}, macro://formulas, macro://glossary/{slug}, \
                 macro://scenario/{slug}, macro://article/{slug}, macro://articles",
            )
        };
        if uri.len() > MAX_BYTES {
            return Err(fail("is too long"));
        }
        let rest = uri
            .strip_prefix(SCHEME)
            .ok_or_else(|| fail("is not an address of this server"))?;
        if rest.contains('#') {
            return Err(fail("has a fragment"));
        }
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        // A condition may contain a division.
        let is_alert = path.starts_with("alert/");
        let decoded = path
            .splitn(if is_alert { 2 } else { usize::MAX }, '/')
            .map(|raw| decode_segment(raw, is_alert))
            .collect::<Option<Vec<String>>>()
            .ok_or_else(|| fail("is not a plain address"))?;
        let segments: Vec<&str> = decoded.iter().map(String::as_str).collect();
        let address = match segments.as_slice() {
            ["series", id] => {
                return parse_series(id, query).ok_or_else(|| fail("is not understood"));
            }
            ["catalog"] => Self::Catalog(None),
            ["catalog", category] => Self::Catalog(Some((*category).to_owned())),
            ["summary"] => Self::Summary,
            ["regime"] => Self::Regime,
            ["scores"] => Self::Scores,
            ["doubts"] => Self::Doubts,
            ["rights"] => Self::Rights,
            ["calendar"] => Self::Calendar,
            ["metric", ticker] => Self::Metric((*ticker).to_owned()),
            ["alert", condition] => Self::Alert((*condition).to_owned()),
            ["formulas"] => Self::Formulas,
            ["glossary", slug] => Self::Document(format!("term:{slug}")),
            ["articles"] => Self::Articles(None),
            ["articles", tag] => Self::Articles(Some((*tag).to_owned())),
            [kind @ ("method" | "scenario" | "article"), slug] => {
                Self::Document(format!("{kind}:{slug}"))
            }
            _ => return Err(fail("is not understood")),
        };
        if query.is_empty() {
            Ok(address)
        } else {
            Err(fail("takes no query"))
        }
    }
}

/// Decodes a segment of the path; `None` if it is empty, too long, `.` or `..`, or has invisible characters or slashes.
fn decode_segment(raw: &str, may_have_slash: bool) -> Option<String> {
    let text = percent_decode_str(raw).decode_utf8().ok()?;
    let is_forbidden =
        |c: char| c.is_control() || is_invisible(c) || c == '\\' || (c == '/' && !may_have_slash);
    let is_plain = !text.is_empty() && text.len() <= MAX_SEGMENT && !text.contains(is_forbidden);
    (is_plain && !matches!(&*text, "." | "..")).then(|| text.into_owned())
}

fn parse_series(name: &str, query: &str) -> Option<Address> {
    let (id, mut csv) = match name.rsplit_once('.') {
        Some((id, ending)) if ending.eq_ignore_ascii_case("csv") => (id, true),
        Some((id, ending)) if ending.eq_ignore_ascii_case("json") => (id, false),
        _ => (name, false),
    };
    let mut range = BTreeMap::new();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "format" => csv = matches!(&*value, "csv" | "CSV"),
            "start" | "end" | "as_of" | "frequency" | "aggregation" | "units" => {
                range.insert(key.into_owned(), value.into_owned());
            }
            _ => return None,
        }
    }
    (!id.is_empty()).then(|| Address::Series {
        id: id.to_owned(),
        csv,
        range,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_parse() -> Result<()> {
        assert_eq!(Address::parse("macro://regime")?, Address::Regime);
        assert_eq!(
            Address::parse("macro://metric/10%20year")?,
            Address::Metric("10 year".into())
        );
        for condition in ["UNRATE%20%2F%202%20%3C%203", "UNRATE / 2 < 3"] {
            let alert = Address::parse(&format!("macro://alert/{condition}"))?;
            assert_eq!(alert, Address::Alert("UNRATE / 2 < 3".into()));
        }
        let Address::Series { id, csv, range } =
            Address::parse("macro://series/DGS10.csv?start=5y&end=2020-01-01")?
        else {
            panic!("no series")
        };
        assert_eq!((id.as_str(), csv, range.len()), ("DGS10", true, 2));
        Ok(())
    }

    #[test]
    fn other_addresses_are_refused() {
        for uri in [
            "macro://",
            "macro://series/",
            "macro://series/../../etc/passwd",
            "macro://series/%2e%2e",
            "macro://series/..%2f..%2fetc",
            "macro://series/a%00b",
            "macro://series/%ff",
            "macro://series/DGS10?file=x",
            "macro://regime?x=1",
            "macro://regime#x",
            "macro://glossary/a/b",
            "macro://glossary/a%2Fb",
            "macro://alert/",
            "macro://alert/UNRATE%20%3C%203?x=1",
            "file:///etc/passwd",
            "macro:regime",
        ] {
            assert!(Address::parse(uri).is_err(), "{uri}");
        }
        assert!(Address::parse(&format!("macro://series/{}", "A".repeat(1_000))).is_err());
    }
}

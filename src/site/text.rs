//! Figures, days and names as they stand in a page.

use econoscope_answers::endpoints::metric::Metric;
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::format::{Unit, number, short_day, signed};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, SeriesInfo};
use econoscope_data::desk::Desk;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

pub(super) use econoscope_core::format::{day as in_words, exact as plain, readable};

/// What stands in an address as it is. A dot is not among it: a part of two dots leads upwards.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_');

/// A name as a part of a path.
pub(crate) fn encoded(name: &str) -> String {
    utf8_percent_encode(name, PART).to_string()
}

/// What a figure means, for readers: without the sentences on statistical scores, which stand under Methods.
pub(super) fn meaning(text: &str) -> String {
    let text = readable(text);
    let mut kept: Vec<&str> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let ends = rest.match_indices(". ").map(|(at, _)| at + 1);
        let is_end = |at: &usize| {
            let next = rest.get(at + 1..).and_then(|after| after.chars().next());
            next.is_some_and(char::is_uppercase)
        };
        let (sentence, after) = rest.split_at(ends.into_iter().find(is_end).unwrap_or(rest.len()));
        if !sentence.contains("AUC") {
            kept.push(sentence.trim());
        }
        rest = after.trim_start();
    }
    kept.join(" ")
}

/// What a figure of a series means, in house style: "+29,000 people" for "+29 thousand persons", and what it was a year
/// earlier with its unit.
pub(super) fn meaning_of(info: &SeriesInfo, text: &str) -> String {
    let (unit, decimals) = (
        Unit::of(&info.units_short, &info.units),
        usize::from(info.decimals),
    );
    let mut out = text.to_owned();
    let over = format!(" {} over ", info.unit_in_words());
    if let Some((figure, rest)) = text.split_once(&over)
        && let Ok(value) = figure.parse()
    {
        out = format!("{} over {rest}", changed(&unit, value, decimals));
    }
    if let Some((before, rest)) = out.split_once("earlier (")
        && let Some((figure, rest)) = rest.split_once(')')
        && let Ok(value) = figure.parse()
    {
        out = format!("{before}earlier ({}){rest}", unit.write(value, decimals));
    }
    meaning(&out)
}

/// A change with its sign and its unit: "+29,000 people", "+0.3 %".
pub(super) fn changed(unit: &Unit, value: f64, decimals: usize) -> String {
    let (_, after) = unit.parts(value, decimals);
    let text = format!("{} {after}", unit.change(value, decimals));
    text.trim_end().to_owned()
}

/// A value in words, "–" where there is none.
pub(super) fn dashed<T>(value: Option<T>, said: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), said)
}

/// A share as a whole number of percent.
pub(super) fn whole(share: &f64) -> String {
    number(100.0 * share, 0)
}

/// A share for reading: "12 %".
pub(super) fn percent(share: &f64) -> String {
    whole(share) + " %"
}

/// A score or points with their sign.
pub(super) fn points(value: &f64) -> String {
    signed(*value, 2)
}

/// Decimals with which figures of a series are written, by the name that it has in answers; of one that the catalogue
/// does not know, as its figure has them.
pub(super) fn decimals(desk: &Desk, name: &str, value: f64) -> usize {
    let mut catalogue = Catalogue::embedded().iter();
    let known = catalogue.find(|info| desk.shown_id(&info.id) == name);
    known.map_or_else(|| places(value), |info| usize::from(info.decimals))
}

/// Decimals that a figure has, at most four.
pub(super) fn places(value: f64) -> usize {
    let mut all = (0..4).zip(0..4);
    let found = all.find(|(n, _)| (round_to(value, *n) - value).abs() < 1e-9);
    found.map_or(4, |(_, places)| places)
}

/// The first eight bytes of a text's SHA-256, in hexadecimal.
pub(crate) fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let bytes = digest.iter().take(8);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// A figure of a metric for reading, and its unit: "158.6 million" and "people".
pub(super) fn figure(desk: &Desk, o: &Metric, value: f64) -> (String, String) {
    let unit = Unit::of(&o.unit, o.unit_in_words.as_deref().unwrap_or_default());
    unit.parts(value, decimals(desk, &o.ticker, value))
}

/// What follows the period of a figure after which the next one should have come.
pub(super) fn overdue(o: &Metric) -> &'static str {
    match o.stale {
        Some(true) => "; a newer one should be out",
        Some(false) | None => "",
    }
}

/// "21 Aug 2026" and, where that is long past, "92 days old".
pub(super) fn dated(p: &Provenance) -> (String, String) {
    let day = p.as_of.map(short_day).unwrap_or_default();
    let old = p.age_days.filter(|age| *age > 2);
    (
        day,
        old.map(|age| format!("{age} days old")).unwrap_or_default(),
    )
}

/// "As known on 30 April 2020, from figures up to 29 April 2020."; of today how old the data are.
pub(super) fn known(as_of: AsOf, p: &Provenance) -> String {
    let AsOf::Day(day) = as_of else {
        return aged(p);
    };
    let until = p.as_of.map(in_words);
    let until = until.map(|until| format!(", from figures up to {until}"));
    format!(
        "As known on {}{}.",
        in_words(day),
        until.unwrap_or_default()
    )
}

/// "Data as of 21 August 2026, 92 days old: a snapshot, no sync since."
pub(super) fn aged(p: &Provenance) -> String {
    let Some(day) = p.as_of else {
        return String::new();
    };
    let long = in_words(day);
    match p.age_days.unwrap_or_default() {
        0 => format!("Data as of {long}."),
        1 => format!("Data as of {long}, one day old."),
        age if p.freshness.as_deref() == Some("live") => {
            format!("Data as of {long}, {age} days old.")
        }
        age => format!("Data as of {long}, {age} days old: a snapshot, not synced since."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_under_methods_and_alarms_are_told() {
        let text = "Low: a 10.9 % chance, down 5.0 points. Out of sample it has AUC .863 (.767 to .949) and Brier .117: no \
                    gain is shown. It gave a false alarm of about 75 in 2023.";
        assert_eq!(
            meaning(text),
            "Low: a 10.9 % chance, down 5.0 points. It gave a false alarm of about 75 in 2023."
        );
        assert_eq!(meaning("-0.1 on 2026-08-19"), "−0.1 on 19 August 2026");
        assert_eq!(meaning(""), "");
    }

    #[test]
    fn what_a_figure_means_is_told_in_house_style() {
        for (id, text, read) in [
            (
                "PAYEMS",
                "-524 thousand persons over a month; +0.3 % from a year earlier (158548); the highest of the last ten years.",
                "−524,000 people over a month; +0.3 % from a year earlier (158.5 million people); the highest of the last ten years.",
            ),
            (
                "UNRATE",
                "+0.1 points (+10 bp) over a month; -0.2 points (-20 bp) from a year earlier (4.4).",
                "+0.1 points (+10 bp) over a month; −0.2 points (−20 bp) from a year earlier (4.4 %).",
            ),
            (
                "GASREGW",
                "-0.250 $/gal over 30 days.",
                "−$0.250 a gallon over 30 days.",
            ),
            ("PAYEMS", "Nothing to tell.", "Nothing to tell."),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            assert_eq!(meaning_of(info, text), read, "{id}");
        }
    }
}

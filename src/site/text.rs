//! Formatting of figures, days and names for pages.

use econoscope_answers::endpoints::metric::Metric;
use econoscope_answers::endpoints::revisions::plus;
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_answers::render::provenance::Provenance;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::format::{Unit, number, signed};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, Frequency, SeriesInfo, Timeliness};
use econoscope_desk::Desk;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

pub(super) use econoscope_core::format::{day as format_day, exact as format_exact, format_dates};

/// Characters to escape in a path segment. The dot is among them, since `..` would lead upwards.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_');

/// Encodes a name as a segment of a path.
pub(crate) fn encode_segment(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// Returns the words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty())
}

/// Formats the interpretation of a figure: "+29,000 people" for "+29 thousand persons", with a unit behind the value of a
/// year earlier, and without sentences on statistical scores.
pub(super) fn format_interpretation(info: &SeriesInfo, text: &str) -> String {
    let unit = Unit::parse(&info.units_short, &info.units);
    let decimals = usize::from(info.decimals);
    let mut out = text.to_owned();
    let over = format!(" {} over ", info.long_unit());
    if let Some((change, rest)) = text.split_once(&over)
        && let Ok(value) = change.parse()
    {
        let (_, after) = unit.format_parts(value, decimals);
        let text = format!("{} {after}", unit.format_change(value, decimals));
        out = format!("{} over {rest}", text.trim_end());
    }
    if let Some((before, rest)) = out.split_once("earlier (")
        && let Some((value, rest)) = rest.split_once(')')
        && let Ok(value) = value.parse()
    {
        out = format!("{before}earlier ({}){rest}", unit.write(value, decimals));
    }
    format_dates(&out)
}

/// Formats a value, or "–" where there is none.
pub(super) fn format_or_dash<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), format)
}

/// Formats a revision with its sign; empty where there is none.
pub(super) fn format_revision(revision: &Option<f64>) -> String {
    revision.map_or_else(String::new, |revision| format_dates(&plus(revision)))
}

/// Formats a share as a whole number of percent: "12".
pub(super) fn format_whole(share: &f64) -> String {
    number(100.0 * share, 0)
}

/// Formats a share: "12 %".
pub(super) fn format_percent(share: &f64) -> String {
    format_whole(share) + " %"
}

/// Formats a score or points with their sign.
pub(super) fn format_points(value: &f64) -> String {
    signed(*value, 2)
}

/// Parses the frequency of an answer. Without one it is daily.
pub(super) fn parse_frequency(word: Option<&str>) -> Frequency {
    let frequency = word.and_then(|word| word.parse().ok());
    frequency.unwrap_or(Frequency::Daily)
}

/// Returns the unit of an answer's figures in words, or else its short form.
pub(super) fn unit_name(answer: &TimeSeriesAnswer) -> &str {
    answer.unit_in_words.as_deref().unwrap_or(&answer.unit)
}

/// Returns the unit of an answer's figures.
pub(super) fn series_unit(answer: &TimeSeriesAnswer) -> Unit {
    Unit::parse(
        &answer.unit,
        answer.unit_in_words.as_deref().unwrap_or_default(),
    )
}

/// Returns the decimals of a series by its identifier in answers, or those of `value` for an unknown series.
pub(super) fn series_decimals(desk: &Desk, id: &str, value: f64) -> usize {
    let mut catalogue = Catalogue::embedded().iter();
    let info = catalogue.find(|info| desk.display_id(&info.id) == id);
    info.map_or_else(|| value_decimals(value), |info| usize::from(info.decimals))
}

/// Returns the decimals of a value, at most four.
pub(super) fn value_decimals(value: f64) -> usize {
    let is_exact = |n: &u8| (round_to(value, i32::from(*n)) - value).abs() < 1e-9;
    (0..4).find(is_exact).unwrap_or(4).into()
}

/// Returns the first eight bytes of a text's SHA-256, in hexadecimal.
pub(crate) fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let bytes = digest.iter().take(8);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a value of a metric as number and unit: "158.6 million" and "people".
pub(super) fn format_metric(desk: &Desk, metric: &Metric, value: f64) -> (String, String) {
    let long = metric.unit_in_words.as_deref().unwrap_or_default();
    let decimals = series_decimals(desk, &metric.ticker, value);
    Unit::parse(&metric.unit, long).format_parts(value, decimals)
}

/// Returns a note for a metric whose next figure is late; else an empty text.
pub(super) fn late_note(metric: &Metric) -> String {
    let since = metric.provenance.late.get("value");
    match (since, metric.stale) {
        (Some(since), _) => format!("; {}", Timeliness::Late { since: *since }),
        (None, Some(true)) => "; a newer figure was due but is not loaded".to_owned(),
        (None, _) => String::new(),
    }
}

/// Describes the age of figures: "As known on 30 April 2020, from figures up to 29 April 2020." for a past reference day,
/// else "Data as of 21 August 2026, 92 days old: a snapshot, not synced since."
pub(super) fn describe_data_age(as_of: AsOf, provenance: &Provenance) -> String {
    let newest = provenance.as_of.map(format_day);
    if let AsOf::Day(day) = as_of {
        let until = newest.map(|newest| format!(", from figures up to {newest}"));
        return format!(
            "As known on {}{}.",
            format_day(day),
            until.unwrap_or_default()
        );
    }
    let Some(newest) = newest else {
        return String::new();
    };
    match provenance.age_days.unwrap_or_default() {
        0 => format!("Data as of {newest}."),
        1 => format!("Data as of {newest}, one day old."),
        age if provenance.freshness.as_deref() == Some("live") => {
            format!("Data as of {newest}, {age} days old.")
        }
        age => format!("Data as of {newest}, {age} days old: a snapshot, not synced since."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpretation_shows_units_as_readers_write_them() {
        for (id, text, expected) in [
            (
                "PAYEMS",
                "-524 thousand persons over a month; +0.3 % from a year earlier (158548); the highest of the last ten years.",
                "−524,000 people over a month; +0.3 % from a year earlier (158.5 million people); the highest of the last ten years.",
            ),
            (
                "UNRATE",
                "+0.1 points over a month; -0.2 points from a year earlier (4.4).",
                "+0.1 points over a month; −0.2 points from a year earlier (4.4 %).",
            ),
            (
                "GASREGW",
                "-0.250 $/gal over 30 days.",
                "−$0.250 a gallon over 30 days.",
            ),
            ("PAYEMS", "Nothing to tell.", "Nothing to tell."),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            assert_eq!(format_interpretation(info, text), expected, "{id}");
        }
    }
}

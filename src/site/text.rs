//! Figures, days and names as they stand in a page.

use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_core::chart::in_thousands;
use econoscope_core::indicators::prose::{number, signed};
use econoscope_core::model::Date;

/// A name as a part of a path.
pub(super) fn encoded(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// "1 August 2026": a line may break in it, which in 2026-08-01 looks like a fault.
pub(super) fn in_words(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
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

/// A number as a person writes it: commas between thousands, a true minus.
pub(super) fn plain(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    sign.to_owned() + &in_thousands(&value.abs().to_string())
}

/// "2026-08-21" and, where that is long past, "92 d old".
pub(super) fn dated(p: &Provenance) -> (String, String) {
    let day = p.as_of.map(|day| day.to_string()).unwrap_or_default();
    let old = p.age_days.filter(|age| *age > 2);
    (
        day,
        old.map(|age| format!("{age} d old")).unwrap_or_default(),
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

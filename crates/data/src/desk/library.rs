//! Pages on methods, terms and scenarios, as text.

use super::glossary::{Glossary, Term};
use super::local::Desk;
use econoscope_core::error::{Error, Result, Suggestion};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::{COMPOSITES, Composite, Indicator, regime};
use econoscope_core::model::AsOf;
use std::fmt::Write;

/// Longest name for which terms like it are looked up, in bytes.
pub const LONGEST_NAME: usize = 200;

/// Indicators whose method has an address.
pub fn methods() -> impl Iterator<Item = &'static Indicator> {
    let composites = COMPOSITES.iter().map(|c| &c.about);
    composites.chain([&regime::REGIME])
}

/// How an indicator is computed, and what it was made of at the newest day.
///
/// # Errors
/// [`Error::Unknown`] with the indicators there are; whatever the desk says.
pub fn method(desk: &Desk, name: &str) -> Result<String> {
    if name.eq_ignore_ascii_case("regime") {
        return Ok(regime_method());
    }
    let info = desk.resolve("indicator", name).ok();
    let composite = info.and_then(|i| econoscope_core::indicators::composite(i.id.as_str()));
    let Some(c) = composite else {
        let known = methods().map(|m| Suggestion::new(m.slug(), m.title));
        return Err(Error::unknown("indicator", name, known.collect()));
    };
    let id = econoscope_core::model::SeriesId::new(c.about.id)?;
    let mut text = format!(
        "# {} ({})\n\nMethod: {}\n\nFormula: {}\n\nSource: {}\n",
        c.about.title,
        desk.shown_id(&id),
        c.about.method,
        c.about.formula,
        c.about.source
    );
    if !c.bands.is_empty() {
        let bands: Vec<String> = c
            .bands
            .iter()
            .map(|b| format!("{} from {}", b.name, b.from))
            .collect();
        let _ = writeln!(text, "\nBands: {}", bands.join(", "));
    }
    reading(&mut text, desk, c)?;
    let _ = writeln!(text, "\nSeries it may read: {}", c.inputs().join(", "));
    Ok(text)
}

/// The newest reading taken apart: every input with value, weight and contribution.
fn reading(text: &mut String, desk: &Desk, c: &'static Composite) -> Result<()> {
    let now = desk.reading(c, AsOf::Latest)?;
    let reason = now.reason.as_deref().unwrap_or("not stated");
    let value = match now.value {
        Some(v) => format!("{v:.4} = {:.4} + contributions", now.base),
        None => format!("no value: {reason}"),
    };
    let _ = write!(
        text,
        "\nOn {}: {value}\n\n| input | series | value | unit | date | weight | contribution |\n|---|---|---|---|---|---|---|\n",
        now.date
    );
    let number = |v: Option<f64>, digits: usize| {
        v.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
    };
    for input in &now.inputs {
        let missing = || input.missing.clone().unwrap_or_default();
        let cells = [
            input.name.to_owned(),
            input.series.join(" or "),
            number(input.value, 4),
            input.unit.to_owned(),
            input.date.map_or_else(missing, |d| d.to_string()),
            number(input.weight, 2),
            number(input.contribution, 4),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    Ok(())
}

fn regime_method() -> String {
    let glossary = Glossary::embedded();
    let mut text = format!("# Macro regime\n\nMethod: {}\n", regime::REGIME.method);
    for slug in [
        "macro-regime",
        "growth-score",
        "inflation-score",
        "hysteresis",
        "regime-confidence",
        "trajectory",
        "transition-target",
    ] {
        if let Some(term) = glossary.get(slug) {
            let _ = write!(text, "\n**{}**: {}\n", term.term, term.summary);
        }
    }
    let _ = writeln!(text, "\nSeries it reads: {}", regime::INPUTS.join(", "));
    text
}

/// A term of the glossary.
///
/// # Errors
/// [`Error::Unknown`] with the nearest terms.
pub fn term(slug: &str) -> Result<String> {
    let glossary = Glossary::embedded();
    let Some(term) = glossary.get(&slug.to_lowercase()) else {
        // Nothing is like a text that is longer than any name, and to find that out takes long.
        let asked = Some(slug).filter(|slug| slug.len() <= LONGEST_NAME);
        let near = asked.map(|slug| glossary.search(slug)).unwrap_or_default();
        let near = near.into_iter().take(3);
        let near = near.map(|t| Suggestion::new(t.slug.as_str(), t.term.as_str()));
        return Err(Error::unknown("term", slug, near.collect()));
    };
    Ok(term_page(term))
}

/// What may happen, how often it has happened, and what decides it.
///
/// # Errors
/// [`Error::Unknown`] for another slug; [`Error::Store`] when the store cannot be read.
pub fn scenario(desk: &Desk, slug: &str) -> Result<String> {
    let found = desk.find_scenarios(slug)?.into_iter().next();
    let found = found.ok_or_else(|| Error::unknown("scenario", slug, Vec::new()))?;
    let rates = desk.base_rates()?;
    let rate = rates.get(&found.slug);
    let share = rate.map_or(found.base_rate, |r| r.share);
    let interval = found.interval(rate).map(|[low, high]| {
        let (low, high) = (100.0 * low, 100.0 * high);
        format!("90 % interval {low:.1} to {high:.1} %; ")
    });
    let rule = found.rule().zip(found.counted_from());
    let rule = rule.map(|(rule, from)| format!("\n\nRule: {rule}\n\nCounted from: {from}"));
    Ok(format!(
        "# {}\n\n{}{}\n\nBase rate: {:.1} % ({}{})\n\nStatus: {}, {} for risk assets\n\nAssets: {}\n\nTags: {}\n",
        found.title,
        found.thesis,
        rule.unwrap_or_default(),
        100.0 * share,
        interval.unwrap_or_default(),
        found.basis(rate),
        found.status.word(),
        found.polarity,
        found.asset_classes.join(", "),
        found.tags.join(", ")
    ))
}

/// The recessions since a year, the latest first, for a term that is about them: what belongs to its meaning.
pub fn recessions(term: &Term, since: i32) -> Option<String> {
    let month = |m: Month| m.first_day().strftime("%Y-%m").to_string();
    let listed = RECESSIONS.iter().rev();
    let listed = listed.filter(|r| r.peak >= Month::new(since, 1));
    let rows = listed.map(|r| {
        let length = r.trough.since(r.peak);
        format!("{} to {} ({length} months)", month(r.peak), month(r.trough))
    });
    let rows: Vec<String> = rows.collect();
    (term.series == ["USREC"]).then(|| format!("Recessions, peak to trough: {}.", rows.join("; ")))
}

/// The page of a term.
pub fn term_page(term: &Term) -> String {
    let mut text = format!("# {}\n\n{}\n", term.term, term.summary);
    let mut list = |label: &str, items: &[String], address: &str| {
        if !items.is_empty() {
            let links: Vec<String> = items.iter().map(|i| format!("{address}{i}")).collect();
            let _ = writeln!(text, "\n{label}: {}", links.join(", "));
        }
    };
    list("Also called", &term.aliases, "");
    list("Series", &term.series, "macro://series/");
    list("Related", &term.related, "macro://glossary/");
    let _ = writeln!(text, "\nCategory: {}", term.category);
    if let Some(source) = &term.source {
        let _ = writeln!(text, "\nSource: {source}");
    }
    if let Some(recessions) = recessions(term, 0) {
        let _ = writeln!(text, "\n{recessions}");
    }
    text
}

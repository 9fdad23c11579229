//! Text pages on methods, terms and scenarios.

use crate::desk::Desk;
use crate::texts::glossary::{self, Term};
use econoscope_core::error::{Error, Result, Suggestion};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::prose::join;
use econoscope_core::indicators::{self, COMPOSITES, Indicator, Reading, regime};
use econoscope_core::model::{AsOf, SeriesId};
use std::fmt::Write;

/// Longest name for which similar terms are searched, in bytes.
pub const LONGEST_NAME: usize = 200;

/// Returns the indicators whose method has an address.
pub fn methods() -> impl Iterator<Item = &'static Indicator> {
    let composites = COMPOSITES.iter().map(|c| &c.indicator);
    composites.chain([&regime::REGIME])
}

/// Renders the method of an indicator, with its newest reading.
///
/// # Errors
/// [`Error::Unknown`] with all indicators; the errors of the desk.
pub fn render_method(desk: &Desk, name: &str) -> Result<String> {
    if name.eq_ignore_ascii_case("regime") {
        return Ok(render_regime_method());
    }
    let info = desk.resolve("indicator", name).ok();
    let composite = info.and_then(|i| indicators::composite(i.id.as_str()));
    let Some(c) = composite else {
        let methods = methods().map(|m| Suggestion::new(m.slug(), m.definition().title));
        return Err(Error::unknown("indicator", name, methods.collect()));
    };
    let definition = c.indicator.definition();
    let mut text = format!(
        "# {} ({})\n\nMethod: {}\n\nFormula: {}\n\nSource: {}\n",
        definition.title,
        desk.display_id(&SeriesId::new(c.indicator.id)?),
        definition.method,
        definition.formula,
        definition.source
    );
    if !definition.bands.is_empty() {
        let named = definition.bands.iter();
        let bands = named.map(|(from, name)| format!("{name} from {from}"));
        let _ = writeln!(text, "\nBands: {}", join(bands, ", "));
    }
    render_reading(&mut text, &*desk.reading(c, AsOf::Latest)?);
    let _ = writeln!(text, "\nSeries it may read: {}", c.inputs().join(", "));
    Ok(text)
}

/// Renders a reading as a table of its inputs with value, weight and contribution.
fn render_reading(text: &mut String, reading: &Reading) {
    let reason = reading.reason.as_deref().unwrap_or("not stated");
    let value = match reading.value {
        Some(v) => format!("{v:.4} = {:.4} + contributions", reading.base),
        None => format!("no value: {reason}"),
    };
    let _ = write!(
        text,
        "\nOn {}: {value}\n\n| input | series | value | unit | date | weight | contribution |\n|---|---|---|---|---|---|---|\n",
        reading.date
    );
    let number = |v: Option<f64>, digits: usize| {
        v.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
    };
    for input in &reading.inputs {
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
}

fn render_regime_method() -> String {
    let mut text = format!(
        "# Macro regime\n\nMethod: {}\n",
        regime::REGIME.definition().method
    );
    for slug in [
        "macro-regime",
        "growth-score",
        "inflation-score",
        "hysteresis",
        "regime-confidence",
        "trajectory",
        "transition-target",
    ] {
        if let Some(term) = glossary::get(slug) {
            let _ = write!(text, "\n**{}**: {}\n", term.term, term.summary);
        }
    }
    let _ = writeln!(text, "\nSeries it reads: {}", regime::INPUTS.join(", "));
    text
}

/// Renders a term of the glossary.
///
/// # Errors
/// [`Error::Unknown`] with the nearest terms.
pub fn render_term(slug: &str) -> Result<String> {
    let Some(term) = glossary::get(&slug.to_lowercase()) else {
        // A search for a longer text is slow and finds nothing.
        let query = Some(slug).filter(|slug| slug.len() <= LONGEST_NAME);
        let found = query.into_iter().flat_map(glossary::search);
        let near = found.map(|t| Suggestion::new(t.slug.as_str(), t.term.as_str()));
        return Err(Error::unknown("term", slug, near.take(3).collect()));
    };
    Ok(render_definition(term))
}

/// Renders a scenario with its base rate.
///
/// # Errors
/// [`Error::Unknown`] for another slug; [`Error::Store`] when the store cannot be read.
pub fn render_scenario(desk: &Desk, slug: &str) -> Result<String> {
    let found = desk.find_scenarios(slug)?.into_iter().next();
    let scenario = found.ok_or_else(|| Error::unknown("scenario", slug, Vec::new()))?;
    let rates = desk.base_rates()?;
    let base_rate = rates.get(&scenario.slug).map(|rate| {
        let interval = rate.interval.map_or_else(String::new, |ends| {
            let [low, high] = ends.map(|end| 100.0 * end);
            format!("90 % interval {low:.1} to {high:.1} %; ")
        });
        format!("{:.1} % ({interval}{})", 100.0 * rate.share, rate.basis)
    });
    let rule = scenario
        .describe_rule()
        .zip(scenario.describe_condition())
        .map(|(rule, from)| format!("\n\nRule: {rule}\n\nCounted from: {from}"));
    Ok(format!(
        "# {}\n\n{}{}\n\nBase rate: {}\n\nStatus: {}, {} for risk assets\n\nAssets: {}\n\nTags: {}\n",
        scenario.title,
        scenario.thesis,
        rule.unwrap_or_default(),
        base_rate.unwrap_or_default(),
        scenario.status,
        scenario.polarity,
        scenario.asset_classes.join(", "),
        scenario.tags.join(", ")
    ))
}

/// Describes the recessions since a year, the latest first, for a term about recessions.
pub fn describe_recessions(term: &Term, since: i32) -> Option<String> {
    let month = |m: Month| m.first_day().strftime("%Y-%m").to_string();
    let newest = RECESSIONS.iter().rev();
    let told = newest.filter(|r| r.peak >= Month::new(since, 1));
    let recessions = told.map(|r| {
        let length = r.trough.since(r.peak);
        format!("{} to {} ({length} months)", month(r.peak), month(r.trough))
    });
    (term.series == ["USREC"])
        .then(|| format!("Recessions, peak to trough: {}.", join(recessions, "; ")))
}

fn render_definition(term: &Term) -> String {
    let mut text = format!("# {}\n\n{}\n", term.term, term.summary);
    let mut list = |label: &str, items: &[String], address: &str| {
        if !items.is_empty() {
            let links = items.iter().map(|i| format!("{address}{i}"));
            let _ = writeln!(text, "\n{label}: {}", join(links, ", "));
        }
    };
    list("Also called", &term.aliases, "");
    list("Series", &term.series, "macro://series/");
    list("Related", &term.related, "macro://glossary/");
    let _ = writeln!(text, "\nCategory: {}", term.category);
    if let Some(source) = &term.source {
        let _ = writeln!(text, "\nSource: {source}");
    }
    if let Some(recessions) = describe_recessions(term, 0) {
        let _ = writeln!(text, "\n{recessions}");
    }
    text
}

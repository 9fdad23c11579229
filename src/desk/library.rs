//! The library: everything that can be looked up by words or by address, series, terms, methods and
//! articles, as documents with a title and a text.

use super::Desk;
use super::glossary::{Glossary, Term};
use crate::error::{Error, Result, Suggestion, quote};
use crate::indicators::{COMPOSITES, Composite, regime};
use crate::model::AsOf;
use std::fmt::Write;

mod find;

pub(super) use find::Index;
pub use find::{Hit, Kind};

/// The last part of a method's address: `crpi`.
pub fn method_slug(composite: &Composite) -> String {
    let bare = composite
        .id
        .rsplit_once('_')
        .map_or(composite.id, |(_, b)| b);
    bare.to_ascii_lowercase()
}

/// How an indicator is computed, and what it was made of at the newest day.
///
/// # Errors
/// [`Error::Unknown`] with the indicators there are; whatever the desk says.
pub fn method(desk: &Desk, name: &str) -> Result<String> {
    if name.eq_ignore_ascii_case("regime") {
        return regime_method();
    }
    let info = desk.resolve("indicator", name).ok();
    let composite = info.and_then(|i| crate::indicators::composite(i.id.as_str()));
    let Some(c) = composite else {
        let mut suggestions: Vec<Suggestion> = COMPOSITES
            .iter()
            .map(|c| Suggestion {
                id: method_slug(c),
                title: c.name.to_owned(),
            })
            .collect();
        suggestions.push(Suggestion {
            id: "regime".into(),
            title: "Macro regime".into(),
        });
        return Err(Error::Unknown {
            kind: "indicator",
            name: quote(name),
            suggestions,
        });
    };
    let id = crate::model::SeriesId::new(c.id)?;
    let mut text = format!(
        "# {} ({})\n\nMethod: {}\n\nFormula: {}\n\nSource: {}\n",
        c.name,
        desk.shown_id(&id),
        c.method,
        c.formula,
        c.source
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
    let _ = writeln!(text, "\nSeries it may read: {}", c.inputs.join(", "));
    Ok(text)
}

/// The newest reading taken apart: every input with value, weight and contribution.
fn reading(text: &mut String, desk: &Desk, c: &'static Composite) -> Result<()> {
    let now = desk.reading(c, AsOf::Latest)?;
    let value = now.value.map_or_else(
        || {
            format!(
                "no value: {}",
                now.reason.as_deref().unwrap_or("not stated")
            )
        },
        |v| format!("{v:.4} = {:.4} + contributions", now.base),
    );
    let _ = write!(
        text,
        "\nOn {}: {value}\n\n| input | series | value | unit | date | weight | contribution |\n|---|---|---|---|---|---|---|\n",
        now.date
    );
    for input in &now.inputs {
        let number = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} | {} |",
            input.name,
            input.series.join(" or "),
            number(input.value),
            input.unit,
            input.date.map_or_else(
                || input.missing.clone().unwrap_or_default(),
                |d| d.to_string()
            ),
            input.weight,
            number(input.contribution)
        );
    }
    Ok(())
}

fn regime_method() -> Result<String> {
    let glossary = Glossary::embedded()?;
    let mut text = format!("# Macro regime\n\nMethod: {}\n", regime::METHOD);
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
    Ok(text)
}

/// A term of the glossary.
///
/// # Errors
/// [`Error::Unknown`] with the nearest terms.
pub fn term(slug: &str) -> Result<String> {
    let glossary = Glossary::embedded()?;
    let Some(term) = glossary.get(&slug.to_lowercase()) else {
        let near = glossary.search(slug);
        return Err(Error::Unknown {
            kind: "term",
            name: quote(slug),
            suggestions: near
                .into_iter()
                .take(3)
                .map(|t| Suggestion {
                    id: t.slug.clone(),
                    title: t.term.clone(),
                })
                .collect(),
        });
    };
    Ok(term_page(term))
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
    text
}

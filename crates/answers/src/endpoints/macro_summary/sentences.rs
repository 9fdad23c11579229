//! The text of the summary: the regime first, then a line for each subject, with the date of each figure.

use super::MacroSummary;
use crate::prelude::*;
use econoscope_core::format;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::stress::CMSI;

/// Renders the text. An upstream dates no figure and explains none, so its own narrative is told, too.
pub(super) fn render(a: &MacroSummary) -> String {
    let is_forwarded = a.provenance.as_of.is_none();
    let lines = [
        ("Labor", labor(a)),
        ("Inflation", inflation(a)),
        ("Rates", rates(a)),
        ("Recession", recession(a, is_forwarded)),
        ("Stress and liquidity", stress(a, is_forwarded)),
        ("Markets", markets(a)),
    ];
    let told = lines
        .iter()
        .map(|(subject, text)| enclosed(&format!("\n- {subject}: "), text, "."));
    let narrative = a.narrative.as_deref().filter(|_| is_forwarded);
    let narrative = enclosed("\n", narrative.unwrap_or_default(), "");
    format!(
        "{}{}{narrative}{}",
        regime(a),
        join(told, ""),
        closing(a).render_closing(&a.attribution)
    )
}

/// What is known of the answer, with the notes on figures that are missing alone.
fn closing(a: &MacroSummary) -> Provenance {
    let mut provenance = a.provenance.clone();
    let is_told = |name: &str| a.dates.contains_key(name);
    provenance.notes.retain(|name, _| !is_told(name));
    provenance
}

fn regime(a: &MacroSummary) -> String {
    let regime = &a.regime;
    let confidence = regime.confidence.map(|c| format!("{c} % confidence"));
    let known = date(a, "regime").map(format::month);
    let trajectory = Some(regime.trajectory.clone());
    let details = join(known.into_iter().chain(confidence).chain(trajectory), ", ");
    let known_scores = regime.growth_score.zip(regime.inflation_score);
    let scores = known_scores.map(|(growth, inflation)| {
        format!(
            ": growth scores {} standard deviations from its 20-year mean, inflation {} points from its threshold",
            format_signed(growth, 2),
            format_signed(inflation, 2)
        )
    });
    let is_past = !a.provenance.knowledge.is_empty();
    let subject = match a.provenance.as_of.filter(|_| is_past).map(format::day) {
        Some(day) => format!("On {day} the US economy was in"),
        None => "The US economy is in".to_owned(),
    };
    let name = match regime.current.as_str() {
        "Unknown" => "an unknown regime",
        name => name,
    };
    format!(
        "{subject} {name} ({details}){}.",
        scores.unwrap_or_default()
    )
}

fn labor(a: &MacroSummary) -> String {
    let labor = &a.labor;
    let month = date(a, "payrolls");
    let payrolls = labor.payrolls_thousands.map(|level| {
        let level = format!("{} thousand", format::number(level, 0));
        let change = labor.payrolls_change_thousands.map(|change| {
            (
                change,
                format!("{} thousand", format::number(change.abs(), 0)),
            )
        });
        format!("payrolls {}", moved_to(change, in_month(month), &level))
    });
    let unemployment = labor.unemployment_rate_pct.map(|level| {
        let change = labor.unemployment_change_pp.map(|change| {
            (
                change,
                format!("{} points", format::number(change.abs(), 1)),
            )
        });
        let other = date(a, "unemployment_rate").filter(|own| month != Some(*own));
        format!(
            "unemployment {}",
            moved_to(change, in_month(other), &format!("{level} %"))
        )
    });
    let sahm = labor.sahm_rule.map(|value| {
        let month = date(a, "sahm_rule").map(|day| format!("{}; ", format::month(day)));
        format!(
            "Sahm rule {value} points ({}it signals at 0.5)",
            month.unwrap_or_default()
        )
    });
    join([payrolls, unemployment, sahm].into_iter().flatten(), "; ")
}

fn inflation(a: &MacroSummary) -> String {
    let note = a.provenance.notes.get("cpi_yoy_pct");
    let note = enclosed(", ", note.map_or("", String::as_str), "");
    let prices = a.inflation.cpi_yoy_pct.map(|rate| {
        let verb = if rate < 0.0 { "fell" } else { "rose" };
        let size = format::number(rate.abs(), 1);
        let month = date(a, "cpi_yoy_pct").map(|day| format!(" to {}", format::month(day)));
        format!(
            "consumer prices {verb} {size} % over the year{}{note}",
            month.unwrap_or_default()
        )
    });
    prices.unwrap_or_default()
}

fn rates(a: &MacroSummary) -> String {
    let rates = &a.key_rates;
    let spread = rates
        .spread_2s10s_bps
        .map(|bp| format!("{} basis points", format_signed(bp, 0)));
    let percent = |rate: Option<f64>| rate.map(|rate| format!("{rate} %"));
    let figures = [
        ("10-year Treasury", percent(rates.ten_year), "10y"),
        ("2-year", percent(rates.two_year), "2y"),
        ("fed funds", percent(rates.fed_funds), "fed_funds"),
        ("10 less 2 years", spread, "spread_2s10s_bps"),
    ];
    let daily = dated(a, &figures);
    let averages = a.newer_means.iter().map(|(name, mean)| {
        let named = figures.iter().find(|(_, _, field)| field == name);
        let label = named.map_or(name.as_str(), |(label, ..)| label);
        (mean.date, format!("{label} {} %", mean.value))
    });
    let newer: Vec<(Date, String)> = averages.collect();
    let month = newer.first().map(|(month, _)| format::month(*month));
    let head = format!(". Newer averages, of {}: ", month.unwrap_or_default());
    daily + &enclosed(&head, &join(newer.iter().map(|(_, text)| text), ", "), "")
}

fn recession(a: &MacroSummary, is_forwarded: bool) -> String {
    let ahead = a.recession_probability.map(|value| {
        let month = date(a, "recession_probability").map(format::month);
        let own = CRPI.band(value).filter(|_| !is_forwarded);
        let band = own.map(|band| format!(", {band}, not odds"));
        let month = enclosed(" (", &month.unwrap_or_default(), ")");
        format!(
            "{value} % within 12 months{month}{}",
            band.unwrap_or_default()
        )
    });
    let now = a.labor.recession_now.map(|value| {
        let week = date(a, "recession_now").map(format::day);
        let week = enclosed(" (week to ", &week.unwrap_or_default(), ")");
        let state = a
            .labor
            .recession_alarm
            .map(|on| if on { "on" } else { "off" });
        let alarm = enclosed(", alarm ", state.unwrap_or_default(), "");
        let since = a.labor.recession_alarm_since.map(format::month);
        let since = enclosed(" since ", &since.unwrap_or_default(), "");
        format!("{value} % that it is one now{week}{alarm}{since}")
    });
    join([ahead, now].into_iter().flatten(), "; ")
}

fn stress(a: &MacroSummary, is_forwarded: bool) -> String {
    let stress = a.stress_index.map(|value| {
        let band = CMSI.band(value).filter(|_| !is_forwarded);
        let band = enclosed("", band.unwrap_or_default(), ", ");
        let missing = a
            .stress_weight_missing_pct
            .map(|share| format!(" ({share} % of its weight has no figure)"));
        format!("{band}{value} of 100{}", missing.unwrap_or_default())
    });
    let liquidity = a
        .net_liquidity_trn
        .map(|value| format!("{value} trillion dollars"));
    let figures = [
        ("stress", stress, "stress_index"),
        ("net liquidity", liquidity, "net_liquidity_trn"),
    ];
    dated(a, &figures)
}

fn markets(a: &MacroSummary) -> String {
    let spread = a.credit.hy_spread_bps;
    let figures = [
        (
            "VIX",
            a.volatility.vix.map(|value| value.to_string()),
            "vix",
        ),
        (
            "high-yield spread",
            spread.map(|bp| format!("{bp} basis points")),
            "hy_spread_bps",
        ),
    ];
    dated(a, &figures)
}

/// Lists the figures that there are; a date stands behind the last of those that share it.
fn dated(a: &MacroSummary, figures: &[(&str, Option<String>, &str)]) -> String {
    let texts = figures.iter().filter_map(|(label, value, field)| {
        let text = format!("{label} {}", value.as_deref()?);
        Some((text, date(a, field)))
    });
    let present: Vec<(String, Option<Date>)> = texts.collect();
    let by_day = present.chunk_by(|(_, day), (_, next)| day == next);
    let groups = by_day.map(|group| {
        let day = group.first().and_then(|(_, day)| *day).map(format::day);
        let texts = join(group.iter().map(|(text, _)| text), ", ");
        texts + &enclosed(" (", &day.unwrap_or_default(), ")")
    });
    join(groups, "; ")
}

/// The date of a figure.
fn date(a: &MacroSummary, name: &str) -> Option<Date> {
    a.dates.get(name)?.parse().ok()
}

fn in_month(day: Option<Date>) -> String {
    enclosed(" in ", &day.map(format::month).unwrap_or_default(), "")
}

/// "rose by 29 thousand in September 2026 to 159,044 thousand", or "stood in September 2026 at …" without a change.
fn moved_to(change: Option<(f64, String)>, when: String, level: &str) -> String {
    match change {
        Some((change, size)) if change > 0.0 => format!("rose by {size}{when} to {level}"),
        Some((change, size)) if change < 0.0 => format!("fell by {size}{when} to {level}"),
        Some(_) => format!("did not change{when}, {level}"),
        None => format!("stood{when} at {level}"),
    }
}

//! The start page of a server that forwards: what an upstream's regime, summary and signals have, in three calls and so
//! without charts.

use super::super::headlines::Headline;
use super::super::prelude::*;
use super::Gauge;
use econoscope_answers::endpoints::macro_summary::MacroSummary;
use econoscope_answers::endpoints::signals::{IndexSignal, Signals};
use econoscope_core::format::{Unit, number};
use econoscope_core::indicators::liquidity::CNLI;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::stress::CMSI;
use econoscope_core::indicators::{Composite, established};

/// Reads headlines, gauges and the sentence on their age; what failed is left out.
pub(super) fn read(answers: &mut Answers) -> (Vec<Headline>, Vec<Gauge>, String) {
    let summary = answers.read::<MacroSummary>().ok();
    let signals = answers.read::<Signals>().ok();
    let gauge = |composite| gauge(composite, summary.as_ref(), signals.as_ref());
    let gauges = established().filter_map(gauge).collect();
    let updated = summary.as_ref().and_then(|summary| summary.last_updated);
    let age = updated.map_or_else(String::new, |time| {
        let day = time.to_zoned(jiff::tz::TimeZone::UTC).date();
        format!("Figures of another service, updated {}.", format_day(day))
    });
    let headlines = summary.as_ref().map(headlines);
    (headlines.unwrap_or_default(), gauges, age)
}

fn headlines(summary: &MacroSummary) -> Vec<Headline> {
    let rates = &summary.key_rates;
    let inflation = summary.inflation.cpi_yoy_pct;
    let spread = summary.credit.hy_spread_bps;
    // Series, name, value, decimals, unit, name of the date.
    #[rustfmt::skip]
    let figures = [
        ("DGS10", "10-year Treasury yield", rates.ten_year, 2, " %", "10y"),
        ("EFFR", "Fed funds rate", rates.fed_funds, 2, " %", "fed_funds"),
        ("CPIAUCSL", "Inflation (CPI)", inflation, 1, " %", "cpi_yoy_pct"),
        ("SAHMREALTIME", "Sahm rule", summary.labor.sahm_rule, 2, " points", "sahm_rule"),
        ("VIXCLS", "Volatility (VIX)", summary.volatility.vix, 1, "", "vix"),
        ("BAMLH0A0HYM2", "High-yield spread", spread, 1, " bp", "hy_spread_bps"),
    ];
    let headline = |(id, name, value, decimals, unit, date)| {
        let day = || summary.dates.get(date)?.parse::<Date>().ok();
        let period = || day().map(format_day).unwrap_or_default();
        let figure = |value: f64| (number(value, decimals) + unit, period());
        Headline {
            id,
            name,
            figure: Option::map(value, figure),
            ..Headline::default()
        }
    };
    figures.map(headline).into()
}

/// Returns a composite by the signals, or by the summary; `None` where neither has it.
fn gauge(
    composite: &Composite,
    summary: Option<&MacroSummary>,
    signals: Option<&Signals>,
) -> Option<Gauge> {
    let about = &composite.indicator;
    let is_own = |name: &String| {
        name.eq_ignore_ascii_case(about.id) || name.eq_ignore_ascii_case(about.ticker())
    };
    let is_it = |signal: &&IndexSignal| is_own(&signal.series_id) || is_own(&signal.ticker);
    let signal = signals.and_then(|signals| signals.convex_indices.iter().find(is_it));
    let of_summary = |summary: &MacroSummary| {
        let values = [
            (&CRPI, summary.recession_probability),
            (&CMSI, summary.stress_index),
            (&CNLI, summary.net_liquidity_trn),
        ];
        let own = values
            .into_iter()
            .find(|(other, _)| other.indicator.id == about.id);
        own?.1
    };
    let value = signal.and_then(|signal| signal.value);
    let shown = value.or_else(|| summary.and_then(of_summary))?;
    let info = Catalogue::of_indicator(about)?;
    let unit = Unit::parse(&info.units_short, &info.units);
    let (level, unit) = unit.format_parts(shown, usize::from(info.decimals));
    let date = signal.and_then(|signal| signal.date).map(format_day);
    let band = composite.band(shown).map(capitalize);
    Some(Gauge {
        id: about.id.to_owned(),
        name: about.definition().title.to_owned(),
        value: Some(level),
        unit,
        note: join(band.into_iter().chain(date), " · "),
        ..Gauge::default()
    })
}

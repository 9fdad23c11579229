//! The text of the summary: the regime first, then a line for each subject, with the date of each figure.

use super::MacroSummary;
use crate::endpoints::regime::describe_scores;
use crate::prelude::*;
use econoscope_core::format;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::stress::CMSI;

/// Fields whose notes are told in a line, or are the basis of a composite, which the structure has.
const TOLD: [&str; 6] = [
    "cpi_yoy_pct",
    "net_liquidity_trn",
    "recession_now",
    "recession_probability",
    "regime",
    "stress_index",
];

/// The regime of an answer that knows none.
const UNKNOWN: &str = "Unknown";

/// Renders the text. An upstream dates no figure and explains none, so its own narrative is told, too.
pub(super) fn render(a: &MacroSummary) -> String {
    let is_forwarded = a.provenance.as_of.is_none();
    let lines = [
        ("Output", output(a)),
        ("Labor", labor(a)),
        ("Inflation", inflation(a)),
        ("Rates", rates(a)),
        ("Recession", recession(a, is_forwarded)),
        ("Stress", stress(a, is_forwarded)),
        ("Net liquidity", liquidity(a)),
        ("Markets", markets(a)),
    ];
    let told = lines
        .iter()
        .map(|(subject, text)| enclosed(&format!("\n- {subject}"), text, "."));
    let others = a.narrative.as_deref().filter(|_| is_forwarded);
    let narrative = enclosed_value("\n", others, "");
    format!(
        "{}{}{narrative}{}",
        regime(a),
        join(told, ""),
        closing(a).render_closing(&a.attribution)
    )
}

/// What is known of the answer, with the notes that change the reading: why a figure is missing, and what stands in for it.
fn closing(a: &MacroSummary) -> Provenance {
    let mut provenance = a.provenance.clone();
    provenance.notes.retain(|name, _| {
        let is_told = TOLD.contains(&name.as_str());
        let is_unknown = name == "regime" && a.regime.current == UNKNOWN;
        !is_told || is_unknown || !a.dates.contains_key(name)
    });
    provenance
}

fn regime(a: &MacroSummary) -> String {
    let regime = &a.regime;
    let confidence = regime.confidence.map(|c| format!("{c} % confidence"));
    let is_known = |word: &String| !word.is_empty() && !word.eq_ignore_ascii_case(UNKNOWN);
    let trajectory = Some(regime.trajectory.clone()).filter(is_known);
    let month = month(a, "regime").into_iter();
    let known = join(month.chain(confidence).chain(trajectory), ", ");
    let details = enclosed(" (", &known, ")");
    if !is_known(&regime.current) {
        return format!("The regime of the US economy is unknown{details}.");
    }
    let known_scores = regime.growth_score.zip(regime.inflation_score);
    let told = known_scores.map(|(growth, inflation)| describe_scores(growth, inflation));
    let scores = enclosed_value(": ", told, "");
    let is_past = !a.provenance.knowledge.is_empty();
    let subject = match a.provenance.as_of.filter(|_| is_past).map(format::day) {
        Some(day) => format!("On {day} the US economy was in"),
        None => "The US economy is in".to_owned(),
    };
    format!("{subject} {}{details}{scores}.", regime.current)
}

fn output(a: &MacroSummary) -> String {
    let quarter = date(a, "gdp_growth_pct").map(|day| Frequency::Quarterly.label(day));
    let end = format!(" at an annual rate{}", enclosed_value(" in ", quarter, ""));
    enclosed_value(": real GDP ", a.gdp_growth_pct.map(grown), &end)
}

fn labor(a: &MacroSummary) -> String {
    let labor = &a.labor;
    let released = date(a, "payrolls");
    let payrolls = labor.payrolls_thousands.map(|level| {
        let moved = moved(labor.payrolls_change_thousands, 0, "thousand", released);
        format!("payrolls {moved} {} thousand", format::number(level, 0))
    });
    let unemployment = labor.unemployment_rate_pct.map(|level| {
        let other = date(a, "unemployment_rate").filter(|own| released != Some(*own));
        let moved = moved(labor.unemployment_change_pp, 1, "points", other);
        format!("unemployment {moved} {level} %")
    });
    let sahm = labor.sahm_rule.map(|value| {
        let month = enclosed_value("", month(a, "sahm_rule"), "; ");
        format!("Sahm rule {value} points ({month}it signals at 0.5)")
    });
    let pay = labor.hourly_pay_yoy_pct.map(|rate| {
        let until = enclosed_value(" to ", month(a, "hourly_pay_yoy_pct"), "");
        format!("hourly pay {} over the year{until}", grown(rate))
    });
    let told = [payrolls, unemployment, pay, sahm].into_iter().flatten();
    enclosed(": ", &join(told, "; "), "")
}

/// What a rate says: "rose 3.4 %".
fn grown(rate: f64) -> String {
    let verb = if rate < 0.0 { "fell" } else { "rose" };
    format!("{verb} {} %", format::number(rate.abs(), 1))
}

fn inflation(a: &MacroSummary) -> String {
    let basis = a.provenance.notes.get("cpi_yoy_pct");
    let note = enclosed_value(", ", basis, "");
    let until = enclosed_value(" to ", month(a, "cpi_yoy_pct"), "");
    let end = format!(" over the year{until}{note}");
    enclosed_value(
        ": consumer prices ",
        a.inflation.cpi_yoy_pct.map(grown),
        &end,
    )
}

fn rates(a: &MacroSummary) -> String {
    let rates = &a.key_rates;
    let in_points = rates.spread_2s10s_bps;
    let spread = in_points.map(|bp| format!("{} bp", format_signed(bp, 0)));
    let percent = |rate: Option<f64>| rate.map(|rate| format!("{rate} %"));
    let figures = [
        ("10-year", percent(rates.ten_year), "10y"),
        ("2-year", percent(rates.two_year), "2y"),
        ("fed funds", percent(rates.fed_funds), "fed_funds"),
        ("curve", spread, "spread_2s10s_bps"),
    ];
    let daily = dated(a, &figures);
    let means = figures.iter().filter_map(|(label, _, field)| {
        let mean = a.newer_means.get(*field)?;
        Some((mean.date, format!("{label} {} %", mean.value)))
    });
    let newer: Vec<(Date, String)> = means.collect();
    let month = newer.first().map(|(month, _)| format::month(*month));
    let head = format!(". {} averaged: ", month.unwrap_or_default());
    daily + &enclosed(&head, &join(newer.iter().map(|(_, text)| text), ", "), "")
}

fn recession(a: &MacroSummary, is_forwarded: bool) -> String {
    let ahead = a.recession_probability.map(|value| {
        let month = enclosed_value(" (", month(a, "recession_probability"), ")");
        let band = CRPI.band(value).filter(|_| !is_forwarded);
        let reading = enclosed_value(", ", band, ", not odds");
        format!("{value} % within 12 months{month}{reading}")
    });
    let now = a.labor.recession_now.map(|value| {
        let known = date(a, "recession_now").map(format::day);
        let week = enclosed_value(" (week to ", known, ")");
        let alarm = a.labor.recession_alarm;
        let state = alarm.map(|on| if on { "on" } else { "off" });
        let told = enclosed_value(", alarm ", state, "");
        let start = a.labor.recession_alarm_since.map(format::month);
        let since = enclosed_value(" since ", start, "");
        // It is never certain.
        let share = match value {
            ..100.0 => value.to_string(),
            _ => "over 99".to_owned(),
        };
        format!("{share} % now{week}{told}{since}")
    });
    enclosed(": ", &join([ahead, now].into_iter().flatten(), "; "), "")
}

fn stress(a: &MacroSummary, is_forwarded: bool) -> String {
    let stress = a.stress_index.map(|value| {
        let band = CMSI.band(value).filter(|_| !is_forwarded);
        let share = a.stress_weight_missing_pct;
        let missing = enclosed_value(" (", share, " % of its weight has no figure)");
        format!("{}{value} of 100{missing}", enclosed_value("", band, ", "))
    });
    dated(a, &[("", stress, "stress_index")])
}

fn liquidity(a: &MacroSummary) -> String {
    let trillions = a.net_liquidity_trn;
    let told = trillions.map(|value| format!("{value} trillion dollars"));
    dated(a, &[("", told, "net_liquidity_trn")])
}

fn markets(a: &MacroSummary) -> String {
    let points = a.credit.hy_spread_bps;
    let spread = points.map(|bp| format!("{bp} basis points"));
    let vix = a.volatility.vix.map(|value| value.to_string());
    let credit = ("high-yield spread", spread, "hy_spread_bps");
    dated(a, &[("VIX", vix, "vix"), credit])
}

/// Lists the figures that there are, the date of those that share it before them: ", 20 August 2026: VIX 17.2".
fn dated(a: &MacroSummary, figures: &[(&str, Option<String>, &str)]) -> String {
    let texts = figures.iter().filter_map(|(label, value, field)| {
        let text = format!("{label} {}", value.as_deref()?);
        Some((text.trim_start().to_owned(), date(a, field)))
    });
    let present: Vec<(String, Option<Date>)> = texts.collect();
    let by_day = present.chunk_by(|(_, day), (_, next)| day == next);
    let groups = by_day.enumerate().map(|(i, group)| {
        let day = group.first().and_then(|(_, day)| *day).map(format::day);
        let head = match (i, day) {
            (0, None) => ": ".to_owned(),
            (_, None) => "; ".to_owned(),
            (0, Some(day)) => format!(", {day}: "),
            (_, Some(day)) => format!("; {day}: "),
        };
        head + &join(group.iter().map(|(text, _)| text), ", ")
    });
    join(groups, "")
}

/// The date of a figure.
fn date(a: &MacroSummary, name: &str) -> Option<Date> {
    a.dates.get(name)?.parse().ok()
}

/// The month of a figure.
fn month(a: &MacroSummary, name: &str) -> Option<String> {
    date(a, name).map(format::month)
}

/// What a level did, up to its number: "rose by 29 thousand in September 2026 to", "stood at" without a change.
fn moved(change: Option<f64>, decimals: usize, unit: &str, month: Option<Date>) -> String {
    let when = enclosed_value(" in ", month.map(format::month), "");
    let size = cell(change.map(|change| format::number(change.abs(), decimals)));
    let by = format!("by {size} {unit}{when} to");
    match change {
        Some(change) if change > 0.0 => format!("rose {by}"),
        Some(change) if change < 0.0 => format!("fell {by}"),
        Some(_) => format!("did not change{when}:"),
        None => format!("stood{when} at"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;
    use econoscope_desk::testing::TestDesk;

    #[test]
    fn what_stands_in_for_a_figure_is_told() {
        let desk = TestDesk::bundled().open();
        let told = |day: &str| {
            let as_of = Some(day.to_owned());
            render(&Params::local(&desk, &Params { as_of }).unwrap())
        };
        let text = told("1955-06-30");
        assert!(
            text.contains("10-year Treasury: monthly average, May 1955 (GS10)."),
            "{text}"
        );
        let text = told("2008-12-31");
        assert!(text.contains("Fed funds: from DFF."), "{text}");
        assert!(
            !text.contains("public profile"),
            "the basis of a composite: {text}"
        );
        let text = told("1930");
        assert!(
            text.starts_with("The regime of the US economy is unknown."),
            "{text}"
        );
        assert!(text.contains("The regime: "), "with the reason: {text}");
    }

    #[test]
    fn what_an_upstream_leaves_out_leaves_no_gap() {
        let desk = TestDesk::bundled().open();
        let mut answer = Params::local(&desk, &Params { as_of: None }).unwrap();
        answer.provenance = Provenance::default();
        answer.dates.clear();
        answer.regime.trajectory.clear();
        answer.regime.confidence = None;
        answer.regime.growth_score = None;
        let text = render(&answer);
        assert!(
            text.starts_with("The US economy is in Reflation.\n- "),
            "{text}"
        );
        answer.regime.current.clear();
        let text = render(&answer);
        assert!(
            text.starts_with("The regime of the US economy is unknown.\n"),
            "{text}"
        );
    }
}

//! Contributions add up to the change that they explain, and those of the CPI are the effects that the BLS publishes.

use super::support::ask;
use econoscope_answers::Backend;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::indicators::drivers::{Ends, Rule, Whole};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Observation, SeriesSet};
use econoscope_desk::testing::TestDesk;
use econoscope_desk::{Audience, Settings};
use jiff::ToSpan;
use jiff::civil::date;
use std::sync::Arc;

/// Effects on the all items index over twelve months, from table 7 of the BLS's releases of June 2021 to July 2026.
const EFFECTS: &str = include_str!("effects.csv");

fn set_of(whole: &Whole) -> SeriesSet {
    let desk = TestDesk::bundled().open();
    let series = |id| desk.series(Catalogue::embedded().get(id).unwrap(), AsOf::Latest);
    whole
        .inputs()
        .filter_map(|id| series(id).unwrap())
        .collect()
}

#[test]
fn contributions_add_up_in_every_period() {
    for whole in Whole::all() {
        let set = set_of(whole);
        let mut explained = 0;
        let mut of_other_states = 0;
        for to in set
            .get(whole.total)
            .unwrap()
            .observations
            .iter()
            .map(|o| o.date)
        {
            for months in [whole.months, 3, 12] {
                let from = shift(to, (-months).months());
                let tolerance = match whole.rule {
                    Rule::Prices => 0.03,
                    Rule::Sum => 40.0,
                    Rule::Rate | Rule::Published => 0.1,
                };
                match whole.break_down(&set, Ends { from, to }) {
                    Ok(parts) => {
                        explained += 1;
                        let rest = parts.rest().abs();
                        assert!(rest <= tolerance, "{} {from} to {to}: {rest}", whole.series);
                        // BLS's own weights leave nothing but rounding.
                        let is_cpi = whole.series.starts_with("CPI");
                        assert!(!is_cpi || rest < 0.002, "{} {to}: {rest}", whole.series);
                    }
                    Err(reason) if reason.contains("different states") => of_other_states += 1,
                    Err(_) => {}
                }
            }
        }
        println!(
            "{}: {explained} changes, {of_other_states} refused",
            whole.series
        );
        assert!(explained >= 300, "{}: {explained}", whole.series);
    }
}

#[test]
fn parts_that_may_not_be_passed_on_are_in_no_breakdown() {
    let settings = Settings {
        audience: Audience::Public,
        ..Settings::default()
    };
    let figure = [Observation::new(date(2026, 9, 1), 570.0)];
    let desk = TestDesk::bundled()
        .settings(settings)
        .series("USMINE", "cboe", &figure, None)
        .open();
    let backend = Backend::local(Arc::new(desk));
    let refused = ask(&backend, "explain_indicator", &[("indicator", "payrolls")]);
    let said = refused.map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("USMINE may not be passed on"), "{said}");
    let answered = ask(
        &backend,
        "explain_indicator",
        &[("indicator", "cpi"), ("date", "2022-06")],
    );
    let (json, _) = answered.unwrap();
    let mut parts = json["inputs"].as_array().unwrap().iter();
    assert!(parts.all(|part| part["date"] == "2022-06-01"), "{json}");
}

#[test]
fn contributions_to_the_cpi_are_those_published() {
    let whole = Whole::all()
        .iter()
        .find(|whole| whole.series == "CPIAUCSL")
        .unwrap();
    let set = set_of(whole);
    let mut compared = 0;
    for line in EFFECTS.lines().skip(1) {
        let [item, month, effect]: [&str; 3] =
            line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let to: Date = month.parse().unwrap();
        let from = shift(to, (-12).months());
        let parts = whole.break_down(&set, Ends { from, to }).unwrap();
        let own = parts
            .contributions
            .iter()
            .find(|c| c.part.series.ends_with(item));
        let published: f64 = effect.parse().unwrap();
        let computed = own.unwrap().points;
        assert!((computed - published).abs() < 0.0011, "{line}: {computed}");
        compared += 1;
    }
    assert!(compared >= 300);
}

//! Figures in texts of ours: each in the thesis of a scenario is computed here from the figures, by hand and not by the
//! program's base rates, or follows from the scenario's own rule; and the tables of docs/SCENARIOS.md are those of the texts.

use super::statements::{fields, measured};
use super::support::{ask, backend, now};
use econoscope_answers::Backend;
use econoscope_core::indicators::base_rates::{Condition, Event, Move, Relation};
use econoscope_core::indicators::prose::capitalize;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Observation};
use econoscope_data::store::Sqlite;
use econoscope_desk::testing::TestDesk;
use econoscope_desk::texts::scenarios::{Scenario, embedded};
use jiff::ToSpan;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A claim: scenario or article, words, formula or scenario, range, measure, and the bounds of its figure.
const CLAIMS: &str = include_str!("claims.csv");

/// Articles whose every figure is computed; of the others the record's sentences are.
const ARTICLES: [&str; 2] = ["sahm-rule-record", "the-month-that-is-missing"];

const METHODS: &str = include_str!("../../docs/METHODS.md");
const COMPOSITES: &str = include_str!("../../docs/COMPOSITES.md");
const SCENARIOS: &str = include_str!("../../docs/SCENARIOS.md");

fn is_hit(event: &Event, start: f64, later: f64) -> bool {
    let by = event.threshold;
    let dust = 1e-9;
    match event.movement {
        Move::ReachesOrAbove => later >= by - dust,
        Move::ReachesOrBelow => later <= by + dust,
        Move::RisesBy => later - start >= by - dust,
        Move::FallsBy => start - later >= by - dust,
        Move::RisesByPct => later >= start * (1.0 + by / 100.0) - dust,
        Move::FallsByPct => later <= start * (1.0 - by / 100.0) + dust,
    }
}

fn is_start(condition: Option<&Condition>, value: f64) -> bool {
    condition.is_none_or(|c| match c.relation {
        Relation::Below => value < c.threshold,
        Relation::Above => value > c.threshold,
        Relation::AtOrBelow => value <= c.threshold,
        Relation::Equals => (value - c.threshold).abs() < 1e-9,
    })
}

/// Starting months of a scenario whose window is complete, and those of them that the event followed.
struct Counted {
    starts: Vec<Date>,
    hits: Vec<Date>,
}

fn count(scenario: &Scenario, figures: &[Observation], years: [i16; 2]) -> Counted {
    let event = scenario.event.as_ref().unwrap();
    let values: BTreeMap<Date, f64> = figures.iter().map(|o| (o.date, o.value)).collect();
    let later = |date: Date, months: i32| values.get(&shift(date, months.months())).copied();
    let starts = values.iter().filter(|(date, value)| {
        (years[0]..=years[1]).contains(&date.year())
            && is_start(scenario.condition.as_ref(), **value)
            && later(**date, event.horizon_months).is_some()
    });
    let starts: Vec<(Date, f64)> = starts.map(|(date, value)| (*date, *value)).collect();
    let followed = |start: &&(Date, f64)| {
        let window = (1..=event.horizon_months).filter_map(|n| later(start.0, n));
        window
            .into_iter()
            .any(|value| is_hit(event, start.1, value))
    };
    Counted {
        hits: starts.iter().filter(followed).map(|s| s.0).collect(),
        starts: starts.into_iter().map(|s| s.0).collect(),
    }
}

/// The first and last month of the longest run of consecutive months.
fn longest(months: &[Date]) -> [Date; 2] {
    let follows = |a: &Date, b: &Date| shift(*a, 1.month()) == *b;
    let runs = months.chunk_by(follows);
    let run = runs.max_by_key(|run| run.len()).unwrap();
    [run[0], run[run.len() - 1]]
}

/// A figure that is counted over the months of a scenario.
fn counted(desk: &TestDeskOf, scenario: &Scenario, row: &[String]) -> f64 {
    let (_, status) = desk.0.event_state(scenario).unwrap().unwrap();
    let years = [&row[3], &row[4]].map(|year| year.parse().unwrap());
    let counted = count(scenario, &status.figures, years);
    let near_recession = |month: &&Date| {
        let from = shift(**month, (-12).months());
        let to = shift(**month, 12.months());
        desk.1
            .iter()
            .any(|o| o.value > 0.5 && (from..=to).contains(&o.date))
    };
    let year = |n: usize| f64::from(longest(&counted.hits)[n].year());
    match row[5].as_str() {
        "share" => 100.0 * counted.hits.len() as f64 / counted.starts.len() as f64,
        "hits" => counted.hits.len() as f64,
        "hitsNearRecession" => counted.hits.iter().filter(near_recession).count() as f64,
        "longestFrom" => year(0),
        "longestTo" => year(1),
        other => panic!("{other}"),
    }
}

/// A desk over the bundled history, and the recession months of it.
struct TestDeskOf(econoscope_desk::Desk, Vec<Observation>);

fn bundled_desk() -> TestDeskOf {
    let desk = TestDesk::over(Arc::new(Sqlite::bundled().unwrap()))
        .at(now())
        .open();
    let recessions = desk.resolve("series", "USREC").unwrap();
    let series = desk.series(&recessions, econoscope_core::model::AsOf::Latest);
    let months = series.unwrap().unwrap().observations.to_vec();
    TestDeskOf(desk, months)
}

/// A text of ours by its name, with the title and summary that stand above it.
fn text_of(name: &str) -> String {
    let scenario = embedded().iter().find(|s| s.slug == name);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/desk/data/articles");
    let article = || std::fs::read_to_string(format!("{folder}/{name}.md")).unwrap();
    scenario.map_or_else(article, |s| s.thesis.clone())
}

/// The change in percent from the figure twelve rows above.
fn change_by_row(backend: &Backend, row: &[String]) -> f64 {
    let call = [
        ("seriesId", row[2].as_str()),
        ("start", "2023-01-01"),
        ("end", row[4].as_str()),
        ("detail", "full"),
    ];
    let (json, _) = ask(backend, "get_time_series", &call).unwrap();
    let rows = json["data"].as_array().unwrap();
    let value = |back: usize| rows[rows.len() - 1 - back]["value"].as_f64().unwrap();
    100.0 * (value(0) / value(12) - 1.0)
}

fn figure(backend: &Backend, row: &[String]) -> f64 {
    let series = &row[2];
    if row[5] == "byRow" {
        return change_by_row(backend, row);
    }
    let range = [("start", row[3].as_str()), ("end", row[4].as_str())];
    if row[5] == "median" {
        let call = [
            ("seriesId", series.as_str()),
            ("detail", "full"),
            range[0],
            range[1],
        ];
        let (json, _) = ask(backend, "get_time_series", &call).unwrap();
        let values = json["data"].as_array().unwrap().iter();
        let mut values: Vec<f64> = values.map(|r| r["value"].as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        return values[values.len() / 2];
    }
    let call = [("series", series.as_str()), range[0], range[1]];
    let (json, _) = ask(backend, "compare_series", &call).unwrap();
    measured(&json["columns"][0], &row[5])
}

#[test]
fn figures_of_texts_are_what_the_series_give() {
    let desk = bundled_desk();
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let mut wrong = Vec::new();
    for row in CLAIMS.lines().skip(1).map(fields) {
        assert!(text_of(&row[0]).contains(&row[1]), "{row:?}");
        let found = match embedded().iter().find(|s| s.slug == row[2]) {
            Some(counting) => counted(&desk, counting, &row),
            None => figure(&backend, &row),
        };
        let bounds: f64 = row[6].parse().unwrap();
        if !(bounds..=row[7].parse().unwrap()).contains(&found) {
            wrong.push(format!("{}: {}: {} is {found}", row[0], row[1], row[5]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The figures in a text with their places: digits that are no part of an identifier.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let is_in_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let mut found = Vec::new();
    for (at, _) in text.match_indices(|c: char| c.is_ascii_digit()) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || is_in_number(before) || "-_".contains(before) {
            continue;
        }
        let end = text[at..]
            .find(|c| !is_in_number(c))
            .unwrap_or(text.len() - at);
        found.push((at, text[at..at + end].trim_end_matches(['.', ','])));
    }
    found
}

/// The figures of a scenario's own rule and base rate, which other tests compute.
fn own_figures(scenario: &Scenario) -> Vec<String> {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    let mut own = vec![percent(scenario.base_rate)];
    own.extend(
        scenario
            .base_rate_interval
            .into_iter()
            .flatten()
            .map(percent),
    );
    own.extend(scenario.since.map(|year| year.to_string()));
    let event = scenario.event.as_ref().map(|event| event.threshold);
    let condition = scenario
        .condition
        .as_ref()
        .map(|condition| condition.threshold);
    for threshold in event.into_iter().chain(condition) {
        own.extend([0, 1, 2].map(|digits| format!("{threshold:.digits$}")));
    }
    own
}

/// Whether a number is a year, the day of a date or the number of a point, and no figure.
fn is_no_figure(text: &str, at: usize, number: &str) -> bool {
    let is_year = number.len() == 4 && number.parse().is_ok_and(|y| (1900..2100).contains(&y));
    let after = text[at + number.len()..].trim_start();
    let is_day = ["January", "July", "August", "December"]
        .iter()
        .any(|m| after.starts_with(m));
    let is_point = text[..at].ends_with('\n') && after.starts_with('.');
    is_year || is_day || is_point
}

/// Fails for a figure that no claim covers, unless it is one of the text's own.
fn check_numbers(name: &str, text: &str, is_own: impl Fn(usize, &str) -> bool) -> usize {
    let claims = CLAIMS
        .lines()
        .skip(1)
        .map(fields)
        .filter(|row| row[0] == name);
    let spans: Vec<_> = claims
        .flat_map(|row| {
            let len = row[1].len();
            let places = text.match_indices(row[1].as_str());
            places.map(|(at, _)| at..at + len).collect::<Vec<_>>()
        })
        .collect();
    let all = numbers(text);
    for (at, number) in &all {
        let is_claimed = spans.iter().any(|span| span.contains(at));
        let around = &text[at.saturating_sub(40)..];
        assert!(
            is_claimed || is_own(*at, number),
            "{name}: no test computes {number} in: {}",
            around.chars().take(90).collect::<String>()
        );
    }
    all.len()
}

#[test]
fn every_figure_of_a_scenario_is_computed() {
    let count = |scenario: &Scenario| {
        let own = own_figures(scenario);
        let text = &scenario.thesis;
        check_numbers(&scenario.slug, text, |at, number| {
            text[..at].ends_with("S&P ") || own.iter().any(|own| own == number)
        })
    };
    let count: usize = embedded().iter().map(count).sum();
    assert!(count > 40, "{count}");
}

#[test]
fn every_figure_of_these_articles_is_computed() {
    for name in ARTICLES {
        let file = text_of(name);
        // Behind the head, but for the summary.
        let summary = file
            .lines()
            .find(|line| line.starts_with("summary: "))
            .unwrap();
        let body = file.splitn(3, "---").nth(2).unwrap();
        let text = format!("{summary}\n{body}");
        let count = check_numbers(name, &text, |at, number| {
            // The threshold of the Sahm rule.
            number == "0.50" || is_no_figure(&text, at, number)
        });
        assert!(count > 30, "{name}: {count}");
    }
}

#[test]
fn base_rates_of_methods_are_those_of_the_scenarios() {
    let mut rows = 0;
    for scenario in embedded().iter().filter(|s| s.event.is_some()) {
        let starts = |line: &&str| {
            let name = line
                .strip_prefix("| ")
                .and_then(|rest| rest.split([' ', '|']).next());
            name == Some(scenario.slug.as_str()) && line.split('|').count() == 7
        };
        let line = SCENARIOS.lines().find(starts);
        let line = line.unwrap_or_else(|| panic!("{} is not in SCENARIOS", scenario.slug));
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let since = scenario.since.unwrap();
        assert_eq!(cells[4], since.to_string(), "{line}");
        let share = format!("{:.3}", scenario.base_rate);
        let mut expected = share.trim_start_matches('0').to_owned();
        if cells[5].contains('[') {
            let bounds = scenario.base_rate_interval.unwrap();
            let [low, high] = bounds.map(|bound| format!("{bound:.2}"));
            expected += &format!(
                " [{}, {}]",
                low.trim_start_matches('0'),
                high.trim_start_matches('0')
            );
        }
        assert_eq!(cells[5].trim_end_matches(" †"), expected, "{line}");
        rows += 1;
    }
    assert!(rows > 20, "{rows}");
}

#[test]
fn missing_decisions_have_a_reason() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let note = |since: &str, as_of: &str| {
        let call = [("since", since), ("as_of", as_of)];
        let (json, text) = ask(&backend, "what_changed", &call).unwrap();
        let note = json["notes"]["decisions"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(text.contains(&capitalize(&note)), "{text}");
        assert_eq!(
            json["decisions"].as_array().unwrap().is_empty(),
            !note.is_empty()
        );
        note
    };
    // The target range is held from 2021 on.
    let held = note("2020-02-20", "2020-03-20");
    assert!(
        held.contains("FOMC on 3 March 2020 and 15 March 2020 are not loaded"),
        "{held}"
    );
    let none = note("2026-08-01", "2026-08-20");
    assert!(
        none.contains("no meeting of the FOMC has decided since 1 August 2026"),
        "{none}"
    );
    assert_eq!(note("2026-06-01", "2026-08-20"), "");
}

/// Tax receipts without contributions for social insurance, taken from all expenditures, would double the deficit.
#[test]
fn deficit_is_of_receipts_and_outlays_of_one_account() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let (json, _) = ask(&backend, "get_metric", &[("ticker", "federal deficit")]).unwrap();
    assert_eq!(json["ticker"], "MTSDS133FMS");
    let note = json["notes"]["value"].as_str().unwrap();
    assert!(note.contains("no deficit follows from the two"), "{note}");
    let term = econoscope_desk::texts::glossary::get("federal-deficit").unwrap();
    assert!(!term.series.iter().any(|id| id == "W006RC1Q027SBEA"));
}

/// Eight months are compared with the same eight of the year before, and a year without October with the same eleven.
#[test]
fn changes_of_unfinished_periods_compare_the_same_months() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    for id in ["CPIAUCNS", "CPIAUCSL", "RETAILX", "UNRATE"] {
        let base = [
            ("seriesId", id),
            ("start", "2021-01-01"),
            ("detail", "full"),
        ];
        let (json, _) = ask(&backend, "get_time_series", &base).unwrap();
        let rows = json["data"].as_array().unwrap().iter();
        let row = |r: &serde_json::Value| {
            (
                r["date"].as_str().unwrap().to_owned(),
                r["value"].as_f64().unwrap(),
            )
        };
        let months: BTreeMap<String, f64> = rows.map(row).collect();
        for (frequency, width) in [("a", 12), ("q", 3)] {
            for units in ["pch", "pc1"] {
                let call = [
                    base[0],
                    base[1],
                    base[2],
                    ("frequency", frequency),
                    ("units", units),
                    ("aggregation", "avg"),
                ];
                let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
                let notes = json["notes"].to_string();
                assert!(
                    notes.contains("the months that both periods have"),
                    "{notes}"
                );
                let back = if units == "pc1" { 12 } else { width };
                for row in json["data"].as_array().unwrap().iter().rev().take(8) {
                    let first: Date = row["date"].as_str().unwrap().parse().unwrap();
                    let pairs: Vec<[f64; 2]> = (0..width)
                        .filter_map(|n| {
                            let of = |back: i32| {
                                months
                                    .get(&shift(first, (n - back).months()).to_string())
                                    .copied()
                            };
                            Some([of(back)?, of(0)?])
                        })
                        .collect();
                    // The history that was asked for begins in 2021.
                    if first < jiff::civil::date(2023, 1, 1) || pairs.is_empty() {
                        continue;
                    }
                    let [before, now] = [0, 1].map(|n| pairs.iter().map(|p| p[n]).sum::<f64>());
                    let found = row["value"].as_f64().unwrap();
                    let expected = 100.0 * (now / before - 1.0);
                    assert!(
                        (found - expected).abs() < 1e-6,
                        "{id} {frequency} {units} {first}: {found}, {expected}"
                    );
                }
            }
        }
    }
    // As published: 2.7 % in 2025.
    let call = [
        ("seriesId", "CPIAUCNS"),
        ("start", "2025-01-01"),
        ("frequency", "a"),
        ("units", "pch"),
    ];
    let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
    let value = |n: usize| json["data"][n]["value"].as_f64().unwrap();
    assert_eq!(
        [value(0), value(1)].map(|v| (10.0 * v).round() / 10.0),
        [2.7, 3.3],
        "{json}"
    );
}

#[test]
fn sum_of_changes_that_cancel_divides_nothing() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let call = [
        ("series", "abs(UNRATE)/cch(GASREGW)"),
        ("start", "1995-01-01"),
        ("end", "2020-12-31"),
        ("frequency", "m"),
        ("aggregation", "sum"),
    ];
    let (json, _) = ask(&backend, "compare_series", &call).unwrap();
    let column = &json["columns"][0];
    let largest = column["max"]
        .as_f64()
        .unwrap()
        .max(-column["min"].as_f64().unwrap());
    assert!(
        column["count"].as_u64().unwrap() > 250 && largest < 1e5,
        "{column}"
    );
}

/// Every level that an `as_of` returns is among the levels of the period, from the same day.
#[test]
fn levels_of_a_period_are_those_of_past_days() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    for (id, period, count) in [
        ("GDPC1", "2026-04-01", 2),
        ("HOUST", "2026-07-01", 2),
        ("PAYEMS", "2026-07-01", 2),
        ("PAYEMS", "2008-12-01", 7),
    ] {
        let call = [("seriesId", id), ("date", period), ("levels", "true")];
        let (json, _) = ask(&backend, "get_revisions", &call).unwrap();
        let levels = json["levels"].as_array().unwrap();
        assert!(levels.len() >= count, "{id} {period}: {levels:?}");
        for level in levels {
            let known = level["known"].as_str().unwrap();
            let call = [
                ("seriesId", id),
                ("start", period),
                ("end", period),
                ("as_of", known),
            ];
            let (then, _) = ask(&backend, "get_time_series", &call).unwrap();
            assert_eq!(
                then["data"][0]["value"], level["level"],
                "{id} {period} {known}"
            );
        }
    }
}

/// A mean of percentages is of the figures, and not of percentages that were rounded before.
#[test]
fn means_of_percentages_are_of_unrounded_ones() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let mut wrong = Vec::new();
    let mut count = 0;
    for year in 2000..2026 {
        let after = format!("FOMC {year}");
        let call = [
            ("seriesId", "DCOILWTICO"),
            ("after", after.as_str()),
            ("horizons", "7d,1m"),
        ];
        let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
        for mean in json["means"].as_array().unwrap() {
            let points = json["points"].as_array().unwrap().iter();
            let own = points.filter(|p| p["horizon"] == mean["horizon"]);
            let percent = |p: &serde_json::Value| {
                let now = p["value"].as_f64()?;
                Some(100.0 * (now / (now - p["change"].as_f64()?) - 1.0))
            };
            let percents: Vec<f64> = own.filter_map(percent).collect();
            let Some(found) = mean["change_pct"].as_f64() else {
                continue;
            };
            let expected = percents.iter().sum::<f64>() / percents.len() as f64;
            count += 1;
            if (found - expected).abs() > 0.005 + 1e-6 {
                wrong.push(format!("{year} {}: {found}, {expected}", mean["horizon"]));
            }
        }
    }
    assert!(count > 40 && wrong.is_empty(), "{count}: {wrong:?}");
}

/// The claims of docs/COMPOSITES.md on the recession probability, from the history that the program gives.
#[test]
fn claims_on_the_recession_probability_are_computed() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let page = COMPOSITES.split_whitespace().collect::<Vec<_>>().join(" ");
    let known = |day: &str| {
        let call = [("ticker", "CRPI"), ("as_of", day)];
        let (json, _) = ask(&backend, "get_metric", &call).unwrap();
        json["value"].as_f64().unwrap()
    };
    let text = format!(
        "As known on their last days May 2023 is {:.2} and January 2009 is {:.2}",
        known("2023-05-31"),
        known("2009-01-31")
    );
    assert!(page.contains(&text), "{text}");
    let call = [
        ("seriesId", "CRPI"),
        ("start", "1960-01-01"),
        ("detail", "full"),
    ];
    let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
    let rows = json["data"].as_array().unwrap().iter();
    let row = |r: &serde_json::Value| {
        let day: Date = r["date"].as_str().unwrap().parse().unwrap();
        Observation::new(day, r["value"].as_f64().unwrap())
    };
    let months: Vec<Observation> = rows.map(row).collect();
    let recessions = bundled_desk().1;
    let is_near_recession = |month: Date| {
        let end = shift(month, 12.months());
        recessions
            .iter()
            .any(|o| o.value > 0.5 && (month..=end).contains(&o.date))
    };
    let name = |day: Date| day.strftime("%Y-%m").to_string();
    let runs = months.chunk_by(|a, b| (a.value >= 30.0) == (b.value >= 30.0));
    let alarms =
        runs.filter(|run| run[0].value >= 30.0 && !run.iter().any(|o| is_near_recession(o.date)));
    let alarms: Vec<String> = alarms
        .map(|run| match run {
            [one] => name(one.date),
            [first, .., last] => format!("{} to {}", name(first.date), name(last.date)),
            [] => String::new(),
        })
        .collect();
    assert_eq!(alarms.last().unwrap(), "2022-10 to 2024-11");
    let highest = |from: Date, to: Date| {
        let span = months.iter().filter(|o| (from..=to).contains(&o.date));
        span.map(|o| o.value).fold(0.0, f64::max)
    };
    let list = "since 1960, with no recession in the following year: ";
    let said = page.split(list).nth(1).unwrap();
    let said = said.split(" (bundle)").next().unwrap();
    let mut without_peaks = said.to_owned();
    for (from, to) in [((1966, 7), (1967, 4)), ((2022, 10), (2024, 11))] {
        let [from, to] = [from, to].map(|(year, month)| jiff::civil::date(year, month, 1));
        let peak = format!(" (up to {:.1})", highest(from, to));
        assert!(without_peaks.contains(&peak), "{said}: {peak}");
        without_peaks = without_peaks.replace(&peak, "");
    }
    assert_eq!(without_peaks, alarms.join(", "));
    // The twelve months up to each peak.
    let year_before = |year: i16, month: i8| {
        let peak = jiff::civil::date(year, month, 1);
        highest(shift(peak, (-11).months()), peak)
    };
    let text = format!(
        "Highest reading in the year before: 1990 {:.1}, 2001 {:.1}, 2008 {:.1}, 2020 {:.1} (one month, August 2019) (bundle)",
        year_before(1990, 7),
        year_before(2001, 3),
        year_before(2007, 12),
        year_before(2020, 2)
    );
    assert!(page.contains(&text), "{text}");
}

/// The alarm's record in docs/COMPOSITES.md: days after the last day of the peak's and the trough's month.
#[test]
fn claims_on_the_alarm_are_computed() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let (json, _) = ask(&backend, "explain_indicator", &[("indicator", "RNOW")]).unwrap();
    let mut periods: Vec<&serde_json::Value> = json["alarm"]["periods"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    periods.reverse();
    let day = |value: &serde_json::Value| -> Date { value.as_str().unwrap().parse().unwrap() };
    let days = |from: Date, to: Date| to.since(from).unwrap().get_days();
    let mut spans = Vec::new();
    let since = periods.into_iter().filter(|p| day(&p["on"]).year() >= 1976);
    for period in since {
        // Never outside a recession and the months around it.
        let recession = period["recession"].as_str().unwrap();
        let (first, last) = recession.split_once(" to ").unwrap();
        let month = |name: &str| -> Date { format!("{name}-01").parse().unwrap() };
        let peak = shift(month(first), (-1).day());
        let trough = month(last).last_of_month();
        let on = days(peak, day(&period["on_known"]));
        let off = days(trough, day(&period["off_known"]));
        spans.push(format!("{on} and {off}"));
    }
    let [y1980, y1981, again, y1990, y2001, y2007, y2020] = &spans[..] else {
        panic!("{spans:?}")
    };
    let text = format!(
        "1980 {y1980}; 1981-82 {y1981}, a second time {again}; 1990-91 {y1990}; 2001 {y2001}; 2007-09 {y2007}; 2020 {y2020}."
    );
    let page = COMPOSITES.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&text), "{text}");
}

/// The regimes that docs/COMPOSITES.md names, of the last revisions and as known on the last day of the month.
#[test]
fn regimes_of_composites_are_computed() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let path = backend
        .desk()
        .regimes(econoscope_core::model::AsOf::Latest)
        .unwrap();
    let table = COMPOSITES
        .split("| month | last revisions | known then |")
        .nth(1)
        .unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut count = 0;
    for line in rows {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let first: Date = format!("{}-01", cells[1]).parse().unwrap();
        let revised = path.months.iter().find(|m| m.month == first).unwrap();
        assert_eq!(
            format!("{} {}", revised.regime.name(), revised.confidence),
            cells[2],
            "{line}"
        );
        let last = first.last_of_month().to_string();
        let (json, _) = ask(&backend, "get_regime", &[("as_of", last.as_str())]).unwrap();
        let confidence = json["confidence"].as_f64().unwrap();
        assert_eq!(
            format!("{} {confidence}", json["regime"].as_str().unwrap()),
            cells[3],
            "{line}"
        );
        count += 1;
    }
    assert_eq!(count, 10);
    let state = path.now.state.as_ref().unwrap();
    let text = format!(
        "{} is {} {} with G {:.2}",
        state.month.strftime("%B %Y"),
        state.regime.name(),
        state.confidence,
        state.growth
    );
    assert!(COMPOSITES.contains(&text), "{text}");
    let (json, _) = ask(&backend, "get_signals", &[]).unwrap();
    let signals = json["marketSignals"].as_array().unwrap().iter();
    let listed = signals.filter(|s| s["ticker"] != "SERVICE_RNOW" && s["id"] != "SERVICE_RNOW");
    let held: Vec<bool> = listed.map(|s| !s["value"].is_null()).collect();
    assert_eq!(
        (held.len(), held.iter().filter(|held| **held).count()),
        (12, 9)
    );
    assert!(METHODS.contains("nine of twelve have a figure"));
}

use super::*;
use crate::endpoints::{Arguments, Backend, Route};
use econoscope_core::model::Frequency;
use econoscope_data::store::Sqlite;
use std::sync::Arc;

fn ask(given: serde_json::Value) -> Result<Comparison> {
    let clock = Arc::new(|| "2026-11-21T12:00:00Z".parse().unwrap());
    let desk = Desk::open(
        Arc::new(Sqlite::bundled().unwrap()),
        econoscope_data::desk::Settings::default(),
        clock,
    );
    let route = Route::find("compare_series").unwrap();
    let given: Arguments = given.as_object().cloned().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let backend = Backend::local(Arc::new(desk));
    let answer = runtime.block_on(route.call(&backend, given))?;
    Ok(serde_json::from_slice(&answer.json).unwrap())
}

#[test]
fn a_formula_is_the_difference_of_its_columns() -> Result<()> {
    let out = ask(serde_json::json!({
        "series": ["DGS10-DGS2", "10y", "2y"], "start": "2024-01-01", "max_points": 400,
        "correlations": true}))?;
    assert_eq!(out.frequency, "daily");
    assert_eq!(out.columns[0].unit, "pp");
    assert_eq!(
        out.columns[1].title.as_deref(),
        Some("10-Year Treasury Constant Maturity")
    );
    assert_eq!(
        out.columns[0].title.as_deref(),
        Some("10-Year Treasury Constant Maturity - 2-Year Treasury Constant Maturity")
    );
    for i in 0..out.dates.len() {
        let [spread, long, short] = [0, 1, 2].map(|c| out.columns[c].values[i].unwrap());
        assert!((spread - (long - short)).abs() < 1e-9, "{}", out.dates[i]);
    }
    assert_eq!(out.correlations.len(), 3);
    Ok(())
}

#[test]
fn the_lowest_frequency_rules_and_is_said() -> Result<()> {
    let out = ask(serde_json::json!({"series": "yoy(CPILFESL), DGS10", "start": "2020-01-01"}))?;
    assert_eq!(out.frequency, "monthly");
    assert_eq!(
        out.provenance.notes["frequency"],
        "finer series are averages of their monthly periods"
    );
    let annual =
        ask(serde_json::json!({"series": "UNRATE", "start": "2015-01-01", "frequency": "a"}))?;
    assert_eq!(annual.frequency, "annual");
    let finer = ask(serde_json::json!({"series": "UNRATE", "frequency": "d"})).unwrap_err();
    assert!(
        finer.to_string().starts_with("Invalid frequency"),
        "{finer}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_column() {
    let said = |series: &str| {
        ask(serde_json::json!({"series": [series]}))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(
        said("DGS10+GDP").contains("column 6: adds figures in % and $bn"),
        "{}",
        said("DGS10+GDP")
    );
    assert!(
        said("DGS10 +").contains("column 8: ends too early"),
        "{}",
        said("DGS10 +")
    );
    assert!(
        said("DGS1O-DGS2").contains("Did you mean: "),
        "{}",
        said("DGS1O-DGS2")
    );
    assert!(
        said("foo(DGS2)").contains("yoy, mom"),
        "{}",
        said("foo(DGS2)")
    );
}

#[test]
fn a_condition_counts_every_date_and_not_the_rows_shown() -> Result<()> {
    let out = ask(serde_json::json!({
        "series": ["T10Y2Y", "DGS2"], "start": "2020-01-01", "max_points": 12,
        "condition": "T10Y2Y < 0"}))?;
    let [found] = out.conditions.as_slice() else {
        panic!("{:?}", out.conditions)
    };
    let series = "../../data/series/T10Y2Y.csv";
    let text = std::fs::read_to_string(series).unwrap();
    let rows: Vec<(Date, f64)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[1].parse().unwrap(), cells[2].parse().unwrap())
        })
        .filter(|(date, _)| *date >= out.start && *date <= out.end)
        .collect();
    let inverted: Vec<Date> = rows
        .iter()
        .filter(|(_, v)| *v < 0.0)
        .map(|(d, _)| *d)
        .collect();
    assert_eq!((found.count, found.met), (rows.len(), inverted.len()));
    assert_eq!(
        (found.first, found.last),
        (inverted.first().copied(), inverted.last().copied())
    );
    assert_eq!(
        found.crossing.as_ref().map(|c| c.direction.as_str()),
        Some("up")
    );
    let text = out.render_text();
    let (last, value) = *rows.iter().rfind(|(_, v)| *v < 0.0).unwrap();
    assert_eq!(found.last_values, [("T10Y2Y".to_owned(), value)].into());
    for said in [
        format!("met in {} of {}", inverted.len(), rows.len()),
        format!("last {last} (T10Y2Y {value})"),
    ] {
        assert!(text.contains(&said), "{said}: {text}");
    }
    let each = ask(serde_json::json!({"series": ["UNRATE", "FEDFUNDS"], "condition": "> 5"}))?;
    let of: Vec<_> = each.conditions.iter().map(|c| c.of.as_deref()).collect();
    assert_eq!(of, [Some("UNRATE"), Some("FEDFUNDS")]);
    Ok(())
}

fn held(id: &str, out: &Comparison) -> Vec<(Date, f64)> {
    let text = std::fs::read_to_string(format!("../../data/series/{id}.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[1].parse().unwrap(), cells[2].parse().unwrap())
    });
    rows.filter(|(date, _)| *date >= out.start && *date <= out.end)
        .collect()
}

#[test]
fn each_column_keeps_its_own_dates_and_what_ends_early_is_said() -> Result<()> {
    let out = ask(serde_json::json!({
        "series": ["UNRATE", "FEDFUNDS", "DGS10"], "start": "2025-08-01", "end": "2026-07-31",
        "max_points": 400}))?;
    let places = |c: &ComparedColumn| {
        let rows = out.dates.iter().copied().zip(&c.values);
        rows.filter_map(|(date, value)| Some((date, (*value)?)))
            .collect::<Vec<_>>()
    };
    for (column, id) in out.columns.iter().zip(["UNRATE", "FEDFUNDS"]) {
        assert_eq!(places(column), held(id, &out), "{id}");
        assert_eq!(column.count, held(id, &out).len());
        assert_eq!(Some(column.date), places(column).last().map(|row| row.0));
    }
    let october: Date = "2025-10-01".parse().unwrap();
    let at = out.dates.iter().position(|date| *date == october).unwrap();
    assert_eq!(out.columns[0].values[at], None);
    assert!(out.columns[1].values[at].is_some());
    assert_eq!(
        out.provenance.notes["absent"],
        "no figure of October 2025 in UNRATE"
    );
    assert_eq!(out.rows, out.dates.len());
    assert!(out.count < out.rows);
    let text = out.render_text();
    for said in [
        "\n2025-10-01,–,".to_owned(),
        format!("{} dates, {} common to all columns.", out.rows, out.count),
    ] {
        assert!(text.contains(&said), "{said}: {text}");
    }
    let out = ask(serde_json::json!({"series": ["UNRATE", "GASREGW", "TOTALSL"]}))?;
    let newest = out.columns.iter().map(|c| c.date).max().unwrap();
    for column in out.columns.iter().filter(|c| c.date < newest) {
        let said = format!(
            "{} ends {}",
            column.series,
            Frequency::Monthly.when(column.date)
        );
        assert!(out.provenance.notes["ends"].contains(&said), "{said}");
    }
    assert!(out.columns.iter().any(|c| c.date < newest));
    Ok(())
}

#[test]
fn weeks_that_end_on_different_days_have_one_date_in_header_and_table() -> Result<()> {
    let out = ask(
        serde_json::json!({"series": ["ICSA", "WALCL"], "max_points": 400,
        "start": "2005-08-20", "end": "2005-10-30", "correlations": true}),
    )?;
    let (highest, worst) = held("ICSA", &out)
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap();
    // A Saturday stands at the Friday before it, a Wednesday at the one after it.
    let friday = highest.yesterday().unwrap();
    let claims = &out.columns[0];
    assert_eq!((claims.max_date, claims.max), (friday, worst));
    let at = out.dates.iter().position(|date| *date == friday).unwrap();
    assert_eq!(claims.values[at], Some(worst));
    for column in &out.columns {
        assert_eq!(column.count, column.values.iter().flatten().count());
        assert!(out.dates.contains(&column.date) && out.dates.contains(&column.min_date));
    }
    let note = &out.provenance.notes["weeks"];
    assert!(
        note.contains("ICSA on Saturday; WALCL on Wednesday"),
        "{note}"
    );
    assert!(note.contains("at the Friday of its week"), "{note}");
    let text = out.render_text();
    let common = format!("ICSA ~ WALCL on {} common dates", out.count);
    assert!(text.contains(&common), "{text}");
    let same = ask(serde_json::json!({"series": ["ICSA", "CCSA"], "start": "2020-01-01"}))?;
    assert_eq!(same.provenance.notes["weeks"], "weeks end on Saturday");
    Ok(())
}

#[test]
fn a_condition_splits_the_means_of_every_column() -> Result<()> {
    let out = ask(
        serde_json::json!({"series": ["UNRATE", "DGS10"], "start": "2005-01-01",
        "end": "2024-12-31", "condition": "FEDFUNDS > 2"}),
    )?;
    let funds: std::collections::BTreeMap<Date, f64> = held("FEDFUNDS", &out).into_iter().collect();
    let mean = |is_met: bool| {
        let all = held("UNRATE", &out).into_iter();
        let own: Vec<f64> = all
            .filter(|(d, _)| (funds[d] > 2.0) == is_met)
            .map(|row| row.1)
            .collect();
        (
            own.iter().sum::<f64>() / f64::from(u32::try_from(own.len()).unwrap()),
            own.len(),
        )
    };
    let found = &out.means[0];
    for ((wanted, count), (mean, n)) in [
        (mean(true), (found.met, found.met_count)),
        (mean(false), (found.unmet, found.unmet_count)),
    ] {
        assert!(
            (wanted - mean.unwrap()).abs() < 1e-3 && count == n,
            "{found:?}"
        );
    }
    assert_eq!((out.means.len(), &*found.frequency), (2, "monthly"));
    let said = format!("Mean of UNRATE where it is met {} (", found.met.unwrap());
    assert!(out.render_text().contains(&said), "{}", out.render_text());
    // A condition on quarters judges quarters; one without a name is about each column alone.
    let growth = ask(serde_json::json!({"series": "UNRATE", "condition": "pca(GDPC1) < 0"}))?;
    assert_eq!(growth.means[0].frequency, "quarterly");
    let each = ask(serde_json::json!({"series": "UNRATE,DGS10", "condition": "> 4"}))?;
    assert_eq!(each.means, []);
    Ok(())
}

#[test]
fn a_series_without_data_costs_its_column_and_not_the_answer() -> Result<()> {
    let empty = "UNRATE*1e308*1e308";
    let out = ask(serde_json::json!({"series": ["UNRATE", empty]}))?;
    assert_eq!(out.columns.len(), 1);
    assert!(out.provenance.notes[empty].contains("nothing can be computed"));
    assert!(ask(serde_json::json!({"series": [empty]})).is_err());
    let late = ask(serde_json::json!({"series": ["DGS10", "DGS2"], "start": "1m"}));
    let said = late.map(|_| ()).unwrap_err().to_string();
    assert!(
        said.contains("the newest figure before is 4.69 on 2026-08-20"),
        "{said}"
    );
    Ok(())
}

#[test]
fn correlations_are_of_ten_dates_that_vary_and_of_changes_without_a_gap() -> Result<()> {
    let pairs = |series: &[&str], start: &str| {
        let given = serde_json::json!({"series": series, "start": start, "correlations": true});
        ask(given).map(|out| out.correlations)
    };
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS"], "2026-03-01")?, []);
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS > 3"], "2015-01-01")?, []);
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS*0"], "2015-01-01")?, []);
    // October 2025 was never published: neither it nor the change across it counts.
    let found = pairs(&["yoy(CPIAUCSL)", "FEDFUNDS"], "2024-06-01")?;
    assert_eq!(found[0].changes, Some(-0.04));
    let unasked = ask(serde_json::json!({"series": "UNRATE,FEDFUNDS", "start": "2015-01-01"}))?;
    assert_eq!(unasked.correlations, []);
    let text = unasked.render_text();
    let count = unasked.columns[0].count;
    assert!(
        text.contains(&format!("; {count} figures, mean ")),
        "{text}"
    );
    assert!(
        text.contains(", percentile rank ") && !text.contains("Correlation"),
        "{text}"
    );
    Ok(())
}

#[test]
fn quarters_stamped_by_their_middle_month_meet_the_others() -> Result<()> {
    let out = ask(serde_json::json!({"series": ["TERMCBCCALLNS", "GDP"], "start": "2015-01-01"}))?;
    assert!(out.count > 40, "{}", out.count);
    Ok(())
}

#[test]
fn a_default_answer_stays_within_its_budget() -> Result<()> {
    let counter = tiktoken_rs::o200k_base().unwrap();
    for series in [
        vec!["yoy(CPILFESL)", "FEDFUNDS"],
        vec!["DGS10-DGS2"],
        vec!["DGS10", "DGS2", "UNRATE", "yoy(CPIAUCSL)", "PAYEMS/1000"],
    ] {
        let out = ask(serde_json::json!({ "series": series }))?;
        let tokens = counter.encode_ordinary(&out.render_text()).len();
        assert!(tokens <= 1_500, "{series:?}: {tokens} tokens");
    }
    Ok(())
}

#[test]
fn what_would_take_too_long_is_refused_before_it_is_computed() {
    let column = |column: usize| {
        let parts = (0..12).map(|n| format!("ma(DGS10,{})", 40 + 12 * column + n));
        parts.collect::<Vec<_>>().join("+")
    };
    let series: Vec<String> = (0..8).map(column).collect();
    let given = serde_json::json!({"series": series, "start": "1962-01-01"});
    let said = ask(given).unwrap_err().to_string();
    assert!(
        said.starts_with("Invalid series") && said.contains("million steps"),
        "{said}"
    );
}

#[test]
fn what_stands_twice_is_priced_once_and_ordinary_questions_are_far_below_the_bound() -> Result<()> {
    let same = vec![format!("{}DGS30{}", "ma(".repeat(8), ",20)".repeat(8)); 8];
    assert_eq!(
        ask(serde_json::json!({"series": same, "start": "1962-01-01"}))?
            .columns
            .len(),
        8
    );
    let daily = ["DGS1", "DGS2", "DGS3", "DGS5", "DGS7", "DGS10", "DGS20"];
    let averaged = daily.map(|id| format!("ma({id},250)"));
    for (series, units) in [(daily.map(String::from), "pc1"), (averaged, "lin")] {
        let given = serde_json::json!({"series": series, "start": "1962-01-01", "units": units});
        assert_eq!(ask(given)?.columns.len(), daily.len());
    }
    Ok(())
}

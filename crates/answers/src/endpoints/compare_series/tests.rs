use super::*;
use crate::{Arguments, Backend, Route};
use econoscope_core::model::Frequency;
use econoscope_desk::testing::TestDesk;
use serde_json::json;
use std::sync::Arc;

fn compare(request: serde_json::Value) -> Result<Comparison> {
    let desk = TestDesk::bundled().on("2026-11-21").open();
    let route = Route::find("compare_series").unwrap();
    let arguments: Arguments = request.as_object().cloned().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let backend = Backend::local(Arc::new(desk));
    let answer = runtime.block_on(route.call(&backend, arguments))?;
    Ok(serde_json::from_slice(&answer.json).unwrap())
}

#[test]
fn formula_is_the_difference_of_its_columns() -> Result<()> {
    let out = compare(serde_json::json!({
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
fn lowest_frequency_applies_and_is_noted() -> Result<()> {
    let out =
        compare(serde_json::json!({"series": "yoy(CPILFESL), DGS10", "start": "2020-01-01"}))?;
    assert_eq!(out.frequency, "monthly");
    assert_eq!(
        out.provenance.notes["frequency"],
        "finer series are monthly averages"
    );
    let annual =
        compare(serde_json::json!({"series": "UNRATE", "start": "2015-01-01", "frequency": "a"}))?;
    assert_eq!(annual.frequency, "annual");
    let finer = compare(serde_json::json!({"series": "UNRATE", "frequency": "d"})).unwrap_err();
    assert!(finer.to_string().starts_with("frequency="), "{finer}");
    Ok(())
}

#[test]
fn invalid_formulas_are_refused_with_their_column() {
    let error = |series: &str| {
        compare(serde_json::json!({"series": [series]}))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(
        error("DGS10+GDP").contains("column 6: adds figures in % and $bn"),
        "{}",
        error("DGS10+GDP")
    );
    assert!(
        error("DGS10 +").contains("column 8: ends too early"),
        "{}",
        error("DGS10 +")
    );
    assert!(
        error("DGS1O-DGS2").contains("Did you mean: "),
        "{}",
        error("DGS1O-DGS2")
    );
    assert!(
        error("foo(DGS2)").contains("yoy, mom"),
        "{}",
        error("foo(DGS2)")
    );
}

#[test]
fn condition_counts_all_dates_despite_thinning() -> Result<()> {
    let out = compare(serde_json::json!({
        "series": ["T10Y2Y", "DGS2"], "start": "2020-01-01", "max_points": 12,
        "condition": "T10Y2Y < 0"}))?;
    let [counts] = out.conditions.as_slice() else {
        panic!("{:?}", out.conditions)
    };
    let rows = stored("T10Y2Y", &out);
    let inverted: Vec<Date> = rows
        .iter()
        .filter(|(_, v)| *v < 0.0)
        .map(|(d, _)| *d)
        .collect();
    assert_eq!((counts.count, counts.met), (rows.len(), inverted.len()));
    assert_eq!(
        (counts.first, counts.last),
        (inverted.first().copied(), inverted.last().copied())
    );
    assert_eq!(
        counts.crossing.as_ref().map(|c| c.direction.as_str()),
        Some("up")
    );
    let text = out.render_text();
    let (last, value) = *rows.iter().rfind(|(_, v)| *v < 0.0).unwrap();
    assert_eq!(counts.last_values, [("T10Y2Y".to_owned(), value)].into());
    for expected in [
        format!("met in {} of {}", inverted.len(), rows.len()),
        format!("last {last} (T10Y2Y {value})"),
    ] {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    let each = compare(serde_json::json!({"series": ["UNRATE", "FEDFUNDS"], "condition": "> 5"}))?;
    let names: Vec<_> = each.conditions.iter().map(|c| c.of.as_deref()).collect();
    assert_eq!(names, [Some("UNRATE"), Some("FEDFUNDS")]);
    Ok(())
}

fn stored(id: &str, out: &Comparison) -> Vec<(Date, f64)> {
    let text = std::fs::read_to_string(format!("../../data/series/{id}.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[1].parse().unwrap(), cells[2].parse().unwrap())
    });
    rows.filter(|(date, _)| *date >= out.start && *date <= out.end)
        .collect()
}

#[test]
fn columns_keep_their_dates_and_early_ends_are_noted() -> Result<()> {
    let out = compare(serde_json::json!({
        "series": ["UNRATE", "FEDFUNDS", "DGS10"], "start": "2025-08-01", "end": "2026-07-31",
        "max_points": 400}))?;
    let figures = |c: &ComparedColumn| {
        let rows = out.dates.iter().copied().zip(&c.values);
        rows.filter_map(|(date, value)| Some((date, (*value)?)))
            .collect::<Vec<_>>()
    };
    for (column, id) in out.columns.iter().zip(["UNRATE", "FEDFUNDS"]) {
        assert_eq!(figures(column), stored(id, &out), "{id}");
        assert_eq!(column.count, stored(id, &out).len());
        assert_eq!(Some(column.date), figures(column).last().map(|row| row.0));
    }
    let october: Date = "2025-10-01".parse().unwrap();
    let row = out.dates.iter().position(|date| *date == october).unwrap();
    assert_eq!(out.columns[0].values[row], None);
    assert!(out.columns[1].values[row].is_some());
    assert_eq!(
        out.provenance.notes["absent"],
        "no figure of October 2025 in UNRATE"
    );
    assert_eq!(out.rows, out.dates.len());
    assert!(out.count < out.rows);
    let text = out.render_text();
    for expected in [
        "\n2025-10-01,–,".to_owned(),
        format!("{} dates, {} common to all columns.", out.rows, out.count),
    ] {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    let out = compare(serde_json::json!({"series": ["UNRATE", "GASREGW", "TOTALSL"]}))?;
    let newest = out.columns.iter().map(|c| c.date).max().unwrap();
    for column in out.columns.iter().filter(|c| c.date < newest) {
        let expected = format!(
            "{} ends {}",
            column.series,
            Frequency::Monthly.period_phrase(column.date)
        );
        assert!(
            out.provenance.notes["ends"].contains(&expected),
            "{expected}"
        );
    }
    assert!(out.columns.iter().any(|c| c.date < newest));
    Ok(())
}

#[test]
fn weeks_ending_on_different_days_share_one_date() -> Result<()> {
    let out = compare(
        serde_json::json!({"series": ["ICSA", "WALCL"], "max_points": 400,
        "start": "2005-08-20", "end": "2005-10-30", "correlations": true}),
    )?;
    let (highest, worst) = stored("ICSA", &out)
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap();
    // A Saturday stands at the Friday before it, a Wednesday at the one after it.
    let friday = highest.yesterday().unwrap();
    let claims = &out.columns[0];
    assert_eq!((claims.max_date, claims.max), (friday, worst));
    let row = out.dates.iter().position(|date| *date == friday).unwrap();
    assert_eq!(claims.values[row], Some(worst));
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
    let same = compare(serde_json::json!({"series": ["ICSA", "CCSA"], "start": "2020-01-01"}))?;
    assert_eq!(same.provenance.notes["weeks"], "weeks end on Saturday");
    Ok(())
}

#[test]
fn condition_splits_the_means_of_every_column() -> Result<()> {
    let out = compare(
        serde_json::json!({"series": ["UNRATE", "DGS10"], "start": "2005-01-01",
        "end": "2024-12-31", "condition": "FEDFUNDS > 2"}),
    )?;
    let funds: std::collections::BTreeMap<Date, f64> =
        stored("FEDFUNDS", &out).into_iter().collect();
    let mean = |is_met: bool| {
        let all = stored("UNRATE", &out).into_iter();
        let values: Vec<f64> = all
            .filter(|(d, _)| (funds[d] > 2.0) == is_met)
            .map(|row| row.1)
            .collect();
        (
            values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap()),
            values.len(),
        )
    };
    let means = &out.means[0];
    for ((expected, count), (mean, n)) in [
        (mean(true), (means.met, means.met_count)),
        (mean(false), (means.unmet, means.unmet_count)),
    ] {
        assert!(
            (expected - mean.unwrap()).abs() < 1e-3 && count == n,
            "{means:?}"
        );
    }
    assert_eq!((out.means.len(), &*means.frequency), (2, "monthly"));
    let expected = format!("Mean of UNRATE where it is met {} (", means.met.unwrap());
    assert!(
        out.render_text().contains(&expected),
        "{}",
        out.render_text()
    );
    // A condition on quarters judges quarters; one without a name is about each column alone.
    let growth = compare(serde_json::json!({"series": "UNRATE", "condition": "pca(GDPC1) < 0"}))?;
    assert_eq!(growth.means[0].frequency, "quarterly");
    let each = compare(serde_json::json!({"series": "UNRATE,DGS10", "condition": "> 4"}))?;
    assert_eq!(each.means, []);
    Ok(())
}

#[test]
fn series_without_data_loses_only_its_column() -> Result<()> {
    let empty = "UNRATE*1e308*1e308";
    let out = compare(serde_json::json!({"series": ["UNRATE", empty]}))?;
    assert_eq!(out.columns.len(), 1);
    assert!(out.provenance.notes[empty].contains("nothing can be computed"));
    assert!(compare(serde_json::json!({"series": [empty]})).is_err());
    let late = compare(serde_json::json!({"series": ["DGS10", "DGS2"], "start": "1m"}));
    let error = late.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("the newest figure before is 4.69 on 2026-08-20"),
        "{error}"
    );
    Ok(())
}

#[test]
fn correlations_need_ten_varying_dates_and_skip_gaps() -> Result<()> {
    let pairs = |series: &[&str], start: &str| {
        let arguments = serde_json::json!({"series": series, "start": start, "correlations": true});
        compare(arguments).map(|out| out.correlations)
    };
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS"], "2026-03-01")?, []);
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS > 3"], "2015-01-01")?, []);
    assert_eq!(pairs(&["UNRATE", "FEDFUNDS*0"], "2015-01-01")?, []);
    // October 2025 was never published: neither it nor the change across it counts.
    let correlations = pairs(&["yoy(CPIAUCSL)", "FEDFUNDS"], "2024-06-01")?;
    assert_eq!(correlations[0].changes, Some(-0.04));
    let without = compare(serde_json::json!({"series": "UNRATE,FEDFUNDS", "start": "2015-01-01"}))?;
    assert_eq!(without.correlations, []);
    let text = without.render_text();
    let count = without.columns[0].count;
    assert!(
        text.contains(",z-score,percentile\nUNRATE,Unemployment Rate (U-3),%,"),
        "{count} figures: {text}"
    );
    assert!(!text.contains("Correlation"), "{text}");
    Ok(())
}

#[test]
fn quarters_stamped_by_their_middle_month_are_aligned() -> Result<()> {
    let out =
        compare(serde_json::json!({"series": ["TERMCBCCALLNS", "GDP"], "start": "2015-01-01"}))?;
    assert!(out.count > 40, "{}", out.count);
    Ok(())
}

#[test]
fn default_answer_stays_within_its_token_budget() -> Result<()> {
    let counter = tiktoken_rs::o200k_base().unwrap();
    for series in [
        vec!["yoy(CPILFESL)", "FEDFUNDS"],
        vec!["DGS10-DGS2"],
        vec!["DGS10", "DGS2", "UNRATE", "yoy(CPIAUCSL)", "PAYEMS/1000"],
    ] {
        let out = compare(serde_json::json!({ "series": series }))?;
        let tokens = counter.encode_ordinary(&out.render_text()).len();
        assert!(tokens <= 1_500, "{series:?}: {tokens} tokens");
    }
    Ok(())
}

#[test]
fn expensive_formulas_are_refused_before_computation() {
    let column = |column: usize| {
        let parts = (0..12).map(|n| format!("ma(DGS10,{})", 40 + 12 * column + n));
        parts.collect::<Vec<_>>().join("+")
    };
    let series: Vec<String> = (0..8).map(column).collect();
    let arguments = serde_json::json!({"series": series, "start": "1962-01-01"});
    let error = compare(arguments).unwrap_err().to_string();
    assert!(
        error.starts_with("series=") && error.contains("million steps"),
        "{error}"
    );
}

#[test]
fn repeated_formulas_are_priced_once() -> Result<()> {
    let same = vec![format!("{}DGS30{}", "ma(".repeat(8), ",20)".repeat(8)); 8];
    assert_eq!(
        compare(serde_json::json!({"series": same, "start": "1962-01-01"}))?
            .columns
            .len(),
        8
    );
    let daily = ["DGS1", "DGS2", "DGS3", "DGS5", "DGS7", "DGS10", "DGS20"];
    let averaged = daily.map(|id| format!("ma({id},250)"));
    for (series, units) in [(daily.map(String::from), "pc1"), (averaged, "lin")] {
        let arguments =
            serde_json::json!({"series": series, "start": "1962-01-01", "units": units});
        assert_eq!(compare(arguments)?.columns.len(), daily.len());
    }
    Ok(())
}

#[test]
fn words_are_names_in_formulas() -> Result<()> {
    let column = |text: &str| -> Result<(f64, Date, f64)> {
        let out = compare(serde_json::json!({"series": [text], "start": "1990-01"}))?;
        let column = &out.columns[0];
        Ok((column.first, column.first_date, column.mean))
    };
    for (words, ids) in [
        ("fed funds - inflation", "FEDFUNDS-CPI_YOY"),
        ("yoy(core cpi)", "yoy(CPILFESL)"),
        ("(unemployment rate) + 1", "UNRATE+1"),
    ] {
        assert_eq!(column(words)?, column(ids)?, "{words}");
    }
    let error = column("yoy(household cats)").unwrap_err().to_string();
    assert!(error.contains("household cats"), "{error}");
    Ok(())
}

#[test]
fn ranges_before_a_series_say_when_it_begins_and_what_reaches_back() -> Result<()> {
    let note = |series: &str, start: &str| -> Result<String> {
        let out = compare(serde_json::json!({"series": [series], "start": start}))?;
        Ok(out
            .provenance
            .notes
            .get("names")
            .cloned()
            .unwrap_or_default())
    };
    for series in ["SOFR", "IORB", "DGS10"] {
        let note = note(series, "1954")?;
        let says = [
            format!("{series} begins "),
            " reaches back further, as another measure".into(),
        ];
        assert!(
            says.iter().all(|part| note.contains(part)),
            "{series}: {note}"
        );
    }
    assert_eq!(note("SOFR", "2018-04")?, "");
    assert_eq!(note("UNRATE", "max")?, "");
    assert_eq!(note("UNRATE", "1940")?, "UNRATE begins 1948-01-01");
    let refused = |start: &str, end: &str| {
        let request = serde_json::json!({"series": ["SOFR"], "start": start, "end": end});
        compare(request).map(|_| ()).unwrap_err().to_string()
    };
    for (start, range) in [("max", "up to 2010-12-31"), ("2010-12-31", "on 2010-12-31")] {
        let error = refused(start, "2010");
        assert!(error.contains(range) && !error.contains("1700"), "{error}");
        assert!(error.contains("FEDFUNDS ("), "{error}");
    }
    let all = compare(serde_json::json!({"series": "UNRATE", "start": "max"}))?;
    assert_eq!(all.start.to_string(), "1948-01-01");
    let old = compare(serde_json::json!({"series": "cpi", "start": "max", "end": "1920"}))?;
    assert_eq!(old.start.to_string(), "1913-01-01");
    Ok(())
}

#[test]
fn episodes_of_a_condition_have_their_extremes() -> Result<()> {
    let out = compare(
        serde_json::json!({"series": "UNRATE", "start": "1948", "condition": "UNRATE >= 9"}),
    )?;
    let counts = &out.conditions[0];
    let episodes: Vec<_> = counts
        .episodes
        .iter()
        .map(|one| {
            let run = one.run;
            (
                run.start.to_string(),
                run.end.to_string(),
                run.length,
                one.extreme,
                one.extreme_date.map(|d| d.to_string()),
            )
        })
        .collect();
    let row = |start: &str, end: &str, length, extreme, date: &str| {
        (
            start.to_owned(),
            end.to_owned(),
            length,
            Some(extreme),
            Some(date.to_owned()),
        )
    };
    assert_eq!(
        episodes,
        [
            row("1975-05-01", "1975-05-01", 1, 9.0, "1975-05-01"),
            row("1982-03-01", "1983-09-01", 19, 10.8, "1982-11-01"),
            row("2009-04-01", "2011-09-01", 30, 10.0, "2009-10-01"),
            row("2020-04-01", "2020-07-01", 4, 14.8, "2020-04-01"),
        ]
    );
    assert_eq!(counts.runs, 4);
    assert_eq!(counts.episodes[1].year_later, Some(7.3));
    let recent = compare(
        serde_json::json!({"series": "UNRATE", "start": "2025", "condition": "UNRATE >= 4"}),
    )?;
    assert_eq!(recent.conditions[0].episodes[0].year_later, None);
    let text = out.render_text();
    let told = "; runs (4): 1975-05-01 to 1975-05-01 (1, highest 9; a year later 7.4), 1982-03-01 to 1983-09-01 (19, highest 10.8; a year later 7.3)";
    assert!(text.contains(told), "{text}");
    Ok(())
}

#[test]
fn of_many_episodes_the_longest_are_told() -> Result<()> {
    // In the order of time; without an inequality no extreme.
    let many = compare(
        serde_json::json!({"series": "DGS10", "start": "max", "condition": "T10Y2Y < 0 and DGS10 > 0"}),
    )?;
    let counts = &many.conditions[0];
    assert!(
        counts.runs > 6 && counts.episodes.len() == 6,
        "{}",
        counts.runs
    );
    assert!(counts.episodes.iter().all(|one| one.extreme.is_none()));
    assert!(counts.episodes.is_sorted_by_key(|one| one.run.start));
    assert!(
        counts
            .episodes
            .iter()
            .any(|one| Some(one.run) == counts.longest)
    );
    assert!(
        many.render_text()
            .contains(&format!("the 6 longest of {} runs: ", counts.runs))
    );
    let below = compare(
        serde_json::json!({"series": "DGS10", "start": "2022", "condition": "T10Y2Y < 0"}),
    )?;
    assert!(
        below
            .render_text()
            .contains(", lowest -1.08; a year later 0.65)"),
        "{}",
        below.render_text()
    );
    Ok(())
}

/// The rows of a table: item, and figures by the name of their column.
fn table_of(
    arguments: serde_json::Value,
) -> Result<Vec<(String, serde_json::Map<String, serde_json::Value>)>> {
    let out = compare(arguments)?;
    assert!(out.columns.is_empty() && out.dates.is_empty());
    let rows = out.table.into_iter();
    Ok(rows.map(|row| (row.item, row.figures)).collect())
}

fn cell<'a>(
    rows: &'a [(String, serde_json::Map<String, serde_json::Value>)],
    item: &str,
    head: &str,
) -> &'a serde_json::Value {
    let row = rows.iter().find(|(name, _)| name == item);
    let figures = &row.unwrap_or_else(|| panic!("{item}: {rows:?}")).1;
    figures
        .get(head)
        .unwrap_or_else(|| panic!("{item}, {head}: {figures:?}"))
}

#[test]
fn whole_curve_has_a_row_for_each_tenor_and_a_column_for_each_day() -> Result<()> {
    let rows =
        table_of(serde_json::json!({"series": "yield curve", "dates": "2007-06-30, latest"}))?;
    assert_eq!(rows.len(), 11);
    assert_eq!(*cell(&rows, "10-year", "2007-06-29"), 5.03);
    assert_eq!(*cell(&rows, "3-month", "2007-06-29"), 4.82);
    assert_eq!(*cell(&rows, "20-year", "2007-06-29"), 5.21);
    let text =
        compare(serde_json::json!({"series": "yield curve", "dates": "2007-06-30, latest"}))?
            .render_text();
    assert!(
        text.contains("2007-06-30 had no trading, 2007-06-29 stands for it"),
        "{text}"
    );
    assert_eq!(text.matches("5.03").count(), 1, "{text}");
    assert!(
        text.contains("Not loaded: DGS2MO, DGS4MO, DGS6WK."),
        "{text}"
    );
    // As known on a day nothing later is newest.
    let then = table_of(
        serde_json::json!({"series": "the curve", "dates": ["2007-06-29", "latest"], "as_of": "2010-01-05"}),
    )?;
    assert_eq!(*cell(&then, "10-year", "2010-01-04"), 3.85);
    Ok(())
}

#[test]
fn days_of_a_table_are_those_that_are_named_in_their_order() -> Result<()> {
    let heads = |arguments: serde_json::Value| -> Result<Vec<String>> {
        let rows = compare(arguments.clone())?.table;
        let row = rows
            .first()
            .unwrap_or_else(|| panic!("{arguments} is no table"));
        Ok(row.figures.keys().cloned().collect())
    };
    for text in [
        "yield curve today vs June 2007",
        "yield curve latest and 2007-06",
        "yield curve now compared with June 2007",
        "yield curve now as it was in June 2007",
        "yield curve as of June 2007 compared with now",
        "yield curve in June 2007 and now",
    ] {
        let heads = heads(json!({"series": text}))?;
        assert_eq!(heads.len(), 3, "{text}: {heads:?}");
        assert_eq!(heads[0], "2007-06-29", "{text}: {heads:?}");
    }
    assert_eq!(heads(json!({"series": "yield curve now"}))?.len(), 3);
    // A change is the later less the earlier, however the days are given.
    for dates in ["latest,2020-04", "2020-04,latest"] {
        let rows = compare(json!({"series": "UNRATE", "dates": dates}))?.table;
        assert_eq!(rows[0].figures["change"], json!(-10.6), "{dates}");
    }
    for (text, first) in [
        ("Employment report As of 2023-09-01", "August 2023"),
        (
            "employment report as published on September 1, 2023",
            "August 2023",
        ),
        ("latest employment report", "September 2026"),
    ] {
        assert_eq!(heads(json!({"series": text}))?[0], first, "{text}");
    }
    let latest = json!({"series": "employment report", "dates": "latest"});
    assert_eq!(heads(latest)?[0], "September 2026");
    let twice = json!({"series": "jobs report as published 2023-09-01", "as_of": "2023-12-31"});
    assert!(
        compare(twice)
            .unwrap_err()
            .to_string()
            .contains("stands beside")
    );
    let late = json!({"series": "UNRATE", "dates": "2021-04", "as_of": "2020-06-30"});
    assert!(
        compare(late)
            .unwrap_err()
            .to_string()
            .contains("lies after as_of")
    );
    Ok(())
}

#[test]
fn tenors_that_did_not_exist_say_so() -> Result<()> {
    let rows = table_of(
        serde_json::json!({"series": "treasury curve", "dates": ["1990-06-29", "2004-03-01"]}),
    )?;
    assert_eq!(*cell(&rows, "1-month", "1990-06-29"), "begins 2001-07-31");
    assert_eq!(
        *cell(&rows, "20-year", "1990-06-29"),
        "none between 1986-12-31 and 1993-10-01"
    );
    assert!(
        rows.iter()
            .flat_map(|(_, row)| row.values())
            .all(|value| !value.is_null())
    );
    // What stands in the gap of the 30-year bond are estimates.
    let out =
        compare(serde_json::json!({"series": "curve", "dates": ["2004-03-01", "2007-03-01"]}))?;
    let note = &out.provenance.notes["DGS30"];
    assert!(note.contains("discontinued"), "{note}");
    Ok(())
}

#[test]
fn tables_are_found_as_people_write_them() -> Result<()> {
    for (text, title) in [
        ("the curve then and now", "Treasury yield curve"),
        (
            "whole Treasury yield curve on June 29, 2007 vs today",
            "Treasury yield curve",
        ),
        ("yield curve in June 2007 and now", "Treasury yield curve"),
        ("June 2007 yield curve", "Treasury yield curve"),
        ("real yield curve", "Real Treasury yield curve (TIPS)"),
        ("jobs report table", "Employment report"),
        (
            "The employment situation for March 2020",
            "Employment report",
        ),
        ("the CPI release", "CPI release"),
        ("GDP report 2022Q1", "GDP release"),
        (
            "Which state has the highest unemployment rate?",
            "Unemployment rate by state",
        ),
        (
            "what is $1,200 of January 1980 in January 2006",
            "What $1,200 became",
        ),
        ("1200 dollars of 1980-01 in 2006-01", "What $1,200 became"),
    ] {
        let out = compare(serde_json::json!({"series": [text]}))?;
        assert_eq!(out.provenance.notes[sheet::TITLE], title, "{text}");
    }
    // What says more than a table and its days is no table, nor is a range.
    for (text, start) in [
        ("yield curve slope", None),
        ("curve", Some("2020")),
        ("jobs report", Some("2020")),
        ("real yield", None),
    ] {
        let out = compare(serde_json::json!({"series": [text], "start": start.unwrap_or("5y")}))?;
        assert_eq!((out.table.len(), out.columns.len()), (0, 1), "{text}");
    }
    for dates in [
        serde_json::json!("2027-01-01"),
        serde_json::json!(vec!["2007"; 9]),
    ] {
        assert!(compare(serde_json::json!({"series": "curve", "dates": dates})).is_err());
    }
    let beside = compare(serde_json::json!({"series": "curve", "dates": "2007", "start": "2001"}));
    assert!(
        beside
            .map(|_| ())
            .unwrap_err()
            .to_string()
            .contains("cannot stand beside a range")
    );
    Ok(())
}

#[test]
fn release_stands_as_its_agency_printed_it() -> Result<()> {
    // USDL-23-1903 of 1 September 2023: payrolls +187 thousand, unemployment 3.8 after 3.5 percent.
    for arguments in [
        serde_json::json!({"series": "employment report", "as_of": "2023-09-01"}),
        serde_json::json!({"series": "employment report as published 2023-09-01"}),
    ] {
        let rows = table_of(arguments)?;
        let row = |item: &str| {
            ["August 2023", "on the month", "August 2022"]
                .map(|head| cell(&rows, item, head).as_f64().unwrap())
        };
        assert_eq!(row("Nonfarm payrolls")[..2], [156_419.0, 187.0]);
        assert_eq!(row("Unemployment rate"), [3.8, 0.3, 3.7]);
    }
    // USDL-22-1470 of 13 July 2022: all items +1.3 and 9.1 percent, energy +7.5 and 41.6, index 296.311.
    let rows = table_of(serde_json::json!({"series": "CPI report", "dates": "2022-06"}))?;
    assert_eq!(*cell(&rows, "All items", "June 2022"), 296.311);
    assert_eq!(*cell(&rows, "All items", "over the year"), 9.1);
    assert_eq!(*cell(&rows, "Energy", "over the year"), 41.6);
    let never = compare(serde_json::json!({"series": "CPI report", "dates": "2025-10"}))?;
    assert_eq!(never.table[0].figures["October 2025"], "none");
    assert!(never.provenance.notes["doubt"].contains("never published"));
    Ok(())
}

#[test]
fn states_stand_by_rank_and_amounts_beside_wages_and_rent() -> Result<()> {
    let rows = table_of(serde_json::json!({"series": "unemployment rate by state"}))?;
    let rates: Vec<f64> = rows
        .iter()
        .filter_map(|(_, row)| row.values().next()?.as_f64())
        .collect();
    assert_eq!(rows.len(), 51);
    assert!(rates.is_sorted_by(|a, b| a >= b), "{rates:?}");
    let rows =
        table_of(serde_json::json!({"series": ["$1,200"], "dates": ["1980-01", "2006-01"]}))?;
    assert_eq!(rows.len(), 3);
    assert_eq!(*cell(&rows, "Prices (CPI)", "$1,200 became"), 3058.61);
    assert_eq!(*cell(&rows, "Prices (CPI)", "change %"), 154.9);
    Ok(())
}

#[test]
fn days_of_any_series_become_columns() -> Result<()> {
    let out = compare(
        serde_json::json!({"series": "UNRATE,DGS10,yoy(CPIAUCSL)", "dates": "2007-06-29, 2020-04"}),
    )?;
    let figures: Vec<Vec<Option<f64>>> = out
        .table
        .iter()
        .map(|row| {
            row.figures
                .values()
                .map(serde_json::Value::as_f64)
                .collect()
        })
        .collect();
    assert_eq!(figures[0], [Some(4.6), Some(14.8), Some(10.2)]);
    assert_eq!(figures[1], [Some(5.03), Some(0.64), Some(-4.39)]);
    assert!(
        !out.provenance.notes.contains_key("days"),
        "{:?}",
        out.provenance.notes
    );
    Ok(())
}

#[test]
fn every_row_of_the_tables_is_a_formula_on_known_series() {
    let catalogue = Catalogue::embedded();
    let mut tables = std::collections::BTreeSet::new();
    for (_, row) in
        econoscope_core::model::table::rows::<5>(include_str!("../../../data/tables.csv"))
    {
        let [table, item, level, change, year] = row.unwrap();
        tables.insert(table);
        assert_eq!(change.is_empty(), year.is_empty(), "{item}");
        for text in [level, change, year]
            .into_iter()
            .filter(|text| !text.is_empty())
        {
            for (name, _) in expression::parse(text).unwrap().names() {
                let info = catalogue.get(name).unwrap_or_else(|| panic!("{name}"));
                assert_ne!(info.rights.word(), "fetch_only", "{name}");
            }
        }
    }
    let mut names = std::collections::BTreeMap::new();
    for (_, row) in
        econoscope_core::model::table::rows::<4>(include_str!("../../../data/table_names.csv"))
    {
        let [table, title, own, dated] = row.unwrap();
        assert!(tables.remove(table), "{table}");
        assert_eq!(title.is_empty(), table == "amount");
        for name in own
            .split('|')
            .chain(dated.split('|'))
            .filter(|name| !name.is_empty())
        {
            assert_eq!(names.insert(name, table), None, "{name}");
        }
    }
    assert!(tables.is_empty(), "{tables:?}");
}

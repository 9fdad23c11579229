use super::*;
use crate::endpoints::{Arguments, Backend, Route};
use crate::store::Memory;

fn ask(given: serde_json::Value) -> Result<Output> {
    let clock = Arc::new(|| "2026-11-21T12:00:00Z".parse().unwrap());
    let desk = Desk::open(
        Arc::new(Memory::new()),
        crate::desk::Settings::default(),
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
        "series": ["DGS10-DGS2", "10y", "2y"], "start": "2024-01-01", "max_points": 400}))?;
    assert_eq!(out.frequency, "daily");
    assert_eq!(out.columns[0].unit, "pp");
    assert_eq!(
        out.columns[1].title.as_deref(),
        Some("10-Year Treasury Constant Maturity")
    );
    assert_eq!(out.columns[0].title, None);
    for i in 0..out.dates.len() {
        let [spread, long, short] = [0, 1, 2].map(|c| out.columns[c].values[i]);
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
fn a_default_answer_stays_within_its_budget() -> Result<()> {
    let counter = tiktoken_rs::o200k_base().unwrap();
    for series in [
        vec!["yoy(CPILFESL)", "FEDFUNDS"],
        vec!["DGS10-DGS2"],
        vec!["DGS10", "DGS2", "UNRATE", "yoy(CPIAUCSL)", "PAYEMS/1000"],
    ] {
        let out = ask(serde_json::json!({ "series": series }))?;
        let tokens = counter.encode_ordinary(&out.in_prose()).len();
        assert!(tokens <= 1_500, "{series:?}: {tokens} tokens");
    }
    Ok(())
}

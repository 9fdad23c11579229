//! A formula over series: parsed, and evaluated over two small ones.
#![no_main]
use econoscope_core::indicators::expression::{Column, MAX_CHARACTERS, Scope, evaluate, parse};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::{Observation, Series};
use jiff::civil::date;
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static SERIES: LazyLock<Vec<Arc<Series>>> = LazyLock::new(|| {
    ["DGS10", "UNRATE"]
        .iter()
        .map(|id| {
            let info = Catalogue::embedded().get(id).expect("in the catalogue").clone();
            let rows = (0..40)
                .map(|n| Observation::new(date(2020 + n / 12, (n % 12 + 1) as i8, 1), f64::from(n) - 7.5))
                .collect();
            Arc::new(Series::new(info, rows))
        })
        .collect()
});

fuzz_target!(|text: &str| {
    let Ok(tree) = parse(text) else { return };
    assert!(text.chars().count() <= MAX_CHARACTERS, "a bound on length");
    let scope = Scope {
        series: &|name| SERIES.iter().find(|s| s.info.id.as_str() == name).or_else(|| SERIES.first()).cloned(),
        subject: SERIES.first().cloned().map(Column::new),
        start: date(2021, 1, 1),
        aggregation: Aggregation::EndOfPeriod,
        frequency: None,
    };
    if let Ok(column) = evaluate(&tree, scope) {
        let rows = &column.series.observations;
        assert!(rows.iter().all(|r| r.value.is_finite()), "numbers only");
        assert!(rows.is_sorted_by(|a, b| a.date < b.date), "days in order");
    }
});

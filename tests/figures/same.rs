//! One figure is one figure, whoever tells it: the same value, date, unit and age in every tool, on the history that
//! comes with the program and on an import.

use super::support::{ask, backend, real};
use econoscope_answers::Backend;
use econoscope_core::catalogue::Catalogue;
use econoscope_data::store::{Sqlite, Store};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What `get_metric` says of a series, with what follows from it; and how often others were held against it.
struct Told {
    backend: Backend,
    metrics: BTreeMap<String, (Value, String)>,
    pairs: usize,
    differ: Vec<String>,
}

impl Told {
    fn of(store: Arc<dyn Store>) -> Self {
        let backend = backend(store);
        let ids = Catalogue::embedded().iter().map(|info| info.id.to_string());
        let metric = |id: String| {
            Some((
                id.clone(),
                ask(&backend, "get_metric", &[("ticker", &id)]).ok()?,
            ))
        };
        let metrics = ids
            .filter_map(metric)
            .filter(|(_, (m, _))| !m["value"].is_null())
            .collect();
        Self {
            backend,
            metrics,
            pairs: 0,
            differ: Vec::new(),
        }
    }

    fn ask(&self, tool: &str, arguments: &[(&str, &str)]) -> Value {
        ask(&self.backend, tool, arguments).unwrap().0
    }

    /// Holds what another says against a field of the metric.
    fn same(&mut self, who: &str, id: &str, field: &str, said: &Value) {
        let Some((metric, _)) = self.metrics.get(id) else {
            return;
        };
        self.pairs += 1;
        let due = &metric[field];
        let is_same = match (due.as_f64(), said.as_f64()) {
            (Some(a), Some(b)) => is_rounded(a, b),
            _ => due == said || is_put_on_quarters(who, field, due, said),
        };
        if !is_same {
            let line = format!("{who} {id}.{field}: {said}, get_metric {due}");
            self.differ.push(line);
        }
    }

    /// Holds a value in a unit so many times smaller against the metric's.
    fn scaled(&mut self, who: &str, id: &str, factor: f64, said: &Value) {
        let scaled = said.as_f64().map(|said| Value::from(said / factor));
        self.same(who, id, "value", &scaled.unwrap_or_default());
    }

    /// Every series by the tools that take any.
    fn series(&mut self) {
        // Who asks for the rows of a projection gets them up to the period that is under way.
        let ids: Vec<String> = self
            .metrics
            .keys()
            .filter(|id| *id != "GDPPOT")
            .cloned()
            .collect();
        for id in &ids {
            let rows = self.ask(
                "get_time_series",
                &[
                    ("seriesId", id),
                    ("start", "max"),
                    // Forecasts go on.
                    ("end", "today"),
                    ("detail", "summary"),
                ],
            );
            self.same(
                "get_time_series",
                id,
                "value",
                &rows["summary"]["last"]["value"],
            );
            self.same(
                "get_time_series",
                id,
                "date",
                &rows["summary"]["last"]["date"],
            );
            for field in [
                "unit",
                "unitInWords",
                "frequency",
                "source",
                "displayName",
                "as_of",
                "age_days",
            ] {
                self.same("get_time_series", id, field, &rows[field]);
            }
            let asked = [("series", &**id), ("start", "max"), ("max_points", "2")];
            let compared = self.ask("compare_series", &asked);
            let column = &compared["columns"][0];
            self.same("compare_series", id, "value", &column["latest"]);
            self.same("compare_series", id, "date", &column["date"]);
            self.same("compare_series", id, "unit", &column["unit"]);
            self.same("compare_series", id, "displayName", &column["title"]);
            let document = self.ask("fetch", &[("id", &format!("series:{id}"))]);
            self.fetched(id, &document);
            let said = &self.metrics[id].1;
            let first = said.split_once(". ").map_or(&**said, |(first, _)| first);
            if !document["text"].as_str().unwrap().starts_with(first) {
                self.differ
                    .push(format!("fetch {id}: {} / {first}", document["text"]));
            }
            self.pairs += 1;
            let found = self.ask("search_series", &[("query", id), ("limit", "1")]);
            if found["results"][0]["seriesId"].as_str() == Some(id) {
                self.same(
                    "search_series",
                    id,
                    "date",
                    &found["results"][0]["lastDate"],
                );
                self.same(
                    "search_series",
                    id,
                    "source",
                    &found["results"][0]["source"],
                );
            }
            let today = self.ask("get_metric", &[("ticker", id), ("as_of", "today")]);
            for field in ["value", "date", "unit", "stale", "changes"] {
                self.same("get_metric as of today", id, field, &today[field]);
            }
        }
    }

    /// The end of a document's rows is the metric's date; a forecast's document has its later years too.
    fn fetched(&mut self, id: &str, document: &Value) {
        let to = &document["metadata"]["to"];
        let info = Catalogue::embedded().get(id).unwrap();
        if !info.is_forecast() {
            self.same("fetch", id, "date", to);
            return;
        }
        self.pairs += 1;
        let metric = &self.metrics[id].0;
        let (now, value) = (metric["date"].as_str().unwrap(), &metric["value"]);
        let rows = document["text"].as_str().unwrap().lines();
        let has_same = rows
            .filter_map(|row| row.split_once(','))
            .any(|(day, said)| {
                let figure = said.parse().unwrap_or(f64::NAN);
                day == now && is_rounded(value.as_f64().unwrap(), figure)
            });
        if !has_same || to.as_str().unwrap() < now {
            self.differ
                .push(format!("fetch {id}: to {to}, get_metric {value} on {now}"));
        }
    }

    /// What the tools of many figures say of each.
    fn overviews(&mut self) {
        let summary = self.ask("get_macro_summary", &[]);
        for (field, path, id, factor) in [
            ("10y", "/key_rates/10y", "DGS10", 1.0),
            ("2y", "/key_rates/2y", "DGS2", 1.0),
            ("fed_funds", "/key_rates/fed_funds", "EFFR", 1.0),
            ("sahm_rule", "/labor/sahm_rule", "SAHMREALTIME", 1.0),
            ("vix", "/volatility/vix", "VIXCLS", 1.0),
            (
                "hy_spread_bps",
                "/credit/hy_spread_bps",
                "BAMLH0A0HYM2",
                100.0,
            ),
            ("recession_now", "/labor/recession_now", "SERVICE_RNOW", 1.0),
            (
                "recession_probability",
                "/recession_probability",
                "SERVICE_CRPI",
                1.0,
            ),
            ("stress_index", "/stress_index", "SERVICE_CMSI", 1.0),
            (
                "net_liquidity_trn",
                "/net_liquidity_trn",
                "SERVICE_CNLI",
                1.0,
            ),
        ] {
            let said = summary.pointer(path).unwrap();
            self.scaled("get_macro_summary", id, factor, said);
            self.same("get_macro_summary", id, "date", &summary["dates"][field]);
        }
        // The spread of the two yields that stand beside it, on their day.
        let yields = ["DGS10", "DGS2"].map(|id| self.metrics[id].0["value"].as_f64().unwrap());
        let spread = summary["key_rates"]["spread_2s10s_bps"].as_f64().unwrap();
        assert!(
            (spread - 100.0 * (yields[0] - yields[1])).abs() < 0.01,
            "{spread} {yields:?}"
        );
        assert_eq!(
            summary["dates"]["spread_2s10s_bps"],
            summary["dates"]["10y"]
        );
        let signals = self.ask("get_signals", &[]);
        for signal in signals["convexIndices"].as_array().unwrap() {
            let id = signal["seriesId"].as_str().unwrap();
            for field in ["value", "date", "displayName"] {
                self.same("get_signals", id, field, &signal[field]);
            }
        }
        for signal in signals["marketSignals"].as_array().unwrap() {
            let id = signal["ticker"].as_str().unwrap();
            if signal["value"].is_null() {
                continue;
            }
            for field in ["value", "date", "displayName", "unit"] {
                self.same("get_signals", id, field, &signal[field]);
            }
        }
        let changed = self.ask("what_changed", &[]);
        for change in changed["changes"].as_array().unwrap() {
            let id = change["id"].as_str().unwrap();
            if !change["name"]
                .as_str()
                .unwrap()
                .ends_with("from a year earlier")
            {
                self.same("what_changed", id, "value", &change["now"]);
                self.same("what_changed", id, "unit", &change["unit"]);
            }
            self.same("what_changed", id, "date", &change["date"]);
        }
    }

    /// What composites are made of, and the regime by everyone who tells it.
    fn made(&mut self) {
        for indicator in ["CRPI", "RNOW", "CRPI2", "CNLI", "CMSI", "CRAI", "regime"] {
            let explained = self.ask("explain_indicator", &[("indicator", indicator)]);
            for input in explained["inputs"].as_array().unwrap() {
                let id = input["series"].as_str().unwrap();
                let has_same_unit = self
                    .metrics
                    .get(id)
                    .is_some_and(|(m, _)| m["unit"] == input["unit"]);
                if has_same_unit && !input["value"].is_null() {
                    let who = format!("explain_indicator {indicator}");
                    self.same(&who, id, "value", &input["value"]);
                    self.same(&who, id, "date", &input["date"]);
                }
            }
            for score in explained["scores"].as_array().unwrap() {
                if score["name"] == "value" && !score["value"].is_null() {
                    let id = format!("SERVICE_{indicator}");
                    let who = "explain_indicator";
                    self.scaled(who, &id, 1.0, &score["value"]);
                    self.same(who, &id, "date", &score["date"]);
                }
            }
        }
        let regime = self.ask("get_regime", &[]);
        let summary = self.ask("get_macro_summary", &[]);
        let changed = self.ask("what_changed", &[]);
        for (a, b) in [
            (&regime["confidence"], &summary["regime"]["confidence"]),
            (&regime["confidence"], &changed["regime"]["confidence"]),
            (&regime["regime"], &changed["regime"]["now"]),
            (&regime["month"], &summary["dates"]["regime"]),
            (&regime["narrative"], &Value::Null),
        ] {
            self.pairs += 1;
            if a != b && !b.is_null() {
                self.differ.push(format!("regime: {a} and {b}"));
            }
        }
    }

    /// Holds all against all.
    fn hold(mut self, least: usize) {
        self.series();
        self.overviews();
        self.made();
        assert!(
            self.differ.is_empty(),
            "{} differ:\n{}",
            self.differ.len(),
            self.differ.join("\n")
        );
        assert!(self.pairs >= least, "{} pairs", self.pairs);
    }
}

/// Whether the number with fewer decimals is the other, rounded; no fewer than four figures are told of any but a
/// composite, whose last figures mean nothing.
fn is_rounded(due: f64, said: f64) -> bool {
    (0..=9).any(|decimals| {
        let step = 10f64.powi(decimals);
        let rounded = (due * step).round() / step;
        (rounded - said).abs() <= 1e-9 * due.abs().max(1.0) && (rounded - due).abs() <= 0.051
    })
}

/// A quarterly series that its source dates by another month of the quarter stands beside others on its first day.
fn is_put_on_quarters(who: &str, field: &str, due: &Value, said: &Value) -> bool {
    let months = [due, said].map(|day| {
        day.as_str()
            .and_then(|day| day.get(5..7)?.parse::<u8>().ok())
    });
    match months {
        [Some(due), Some(said)] => {
            who == "compare_series"
                && field == "date"
                && said % 3 == 1
                && (said..said + 3).contains(&due)
        }
        _ => false,
    }
}

#[test]
fn tools_agree_on_a_bundled_figure() {
    Told::of(Arc::new(Sqlite::bundled().unwrap())).hold(300);
}

#[test]
fn tools_agree_on_an_imported_figure() {
    Told::of(real()).hold(300);
}

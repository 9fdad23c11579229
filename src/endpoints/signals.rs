//! `get_signals`: every composite and the market figures that people watch.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of};
use super::tolerance;
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::{COMPOSITES, narrative_velocity, transform};
use crate::model::catalogue::round_to;
use crate::model::resolve::DEFAULT_PREFIX;
use crate::model::{AsOf, Attribution, Catalogue, Date};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declaration and functions.
pub struct GetSignals;

/// Market figures, in the order in which they are shown.
const MARKET: [&str; 12] = [
    "T10Y2Y",
    "T10Y3M",
    "DGS10",
    "DGS2",
    "EFFR",
    "VIXCLS",
    "BAMLH0A0HYM2",
    "BAMLC0A0CM",
    "NFCI",
    "DTWEXBGS",
    "DCOILWTICO",
    "SAHMREALTIME",
];

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// What was known on this day, YYYY-MM-DD. Default: now.
    #[schemars(example = &"2020-03-01", length(max = 10))]
    as_of: Option<String>,
}

/// A composite index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Identifier: SERVICE_CRPI.
    pub series_id: String,
    /// Short name: CRPI.
    pub ticker: String,
    /// Full name.
    pub display_name: String,
    /// Latest value.
    pub value: Option<f64>,
    /// Its date.
    pub date: Option<Date>,
    /// What it means, or why it is null.
    pub interpretation: Option<String>,
}

/// A market figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// Identifier.
    pub ticker: String,
    /// Full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Latest value; null when stale or not held.
    pub value: Option<f64>,
    /// Unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Its date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// Change over 30 days, in the unit.
    #[serde(rename = "change30d", default, skip_serializing_if = "Option::is_none")]
    pub change_30d: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// When the data behind it were read.
    pub generated_at: Timestamp,
    /// Composite indices.
    #[serde(deserialize_with = "indices")]
    pub convex_indices: Vec<Index>,
    /// Market figures.
    #[serde(deserialize_with = "markets")]
    pub market_signals: Vec<Signal>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for GetSignals {
    const SPEC: Spec = Spec {
        tool: "get_signals",
        title: "Composite and market signals",
        path: "/api/public/signals",
        summary: "All composite indices with interpretation, and the market figures people watch",
        description: "Use this when asked for the composite indices and market signals together: recession \
            probability, net liquidity, risk appetite, financial stress, narrative, and market signals with their \
            change over 30 days. A null says why it is null. Do not use it for a single figure: use get_metric.",
        max_age: 300,
        in_contract: true,
        example: &[],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let mut provenance = Provenance::of(desk, as_of)?;
        let read = COMPOSITES.iter().map(|c| c.id).chain(MARKET);
        provenance.rests_on(desk, as_of, read)?;
        let mut indices = Vec::with_capacity(COMPOSITES.len() + 1);
        for composite in COMPOSITES {
            let reading = desk.reading(composite, as_of)?;
            indices.push(Index {
                value: reading
                    .value
                    .map(|v| round_to(v, if composite.id == "SERVICE_CNLI" { 3 } else { 1 })),
                date: reading.value.map(|_| reading.date),
                interpretation: Some((composite.interpret)(&reading)),
                ..index(desk, composite.id)
            });
        }
        let texts = desk.narrative(as_of)?;
        indices.push(Index {
            value: texts.value.map(|v| round_to(v, 1)),
            date: texts.value.map(|_| texts.date),
            interpretation: Some(narrative_velocity::interpret(&texts)),
            ..index(desk, narrative_velocity::ID)
        });
        let mut signals = Vec::with_capacity(MARKET.len());
        for id in MARKET {
            if let Some(signal) = market(desk, id, as_of, &mut provenance)? {
                signals.push(signal);
            }
        }
        Ok(Output {
            generated_at: desk.holdings()?.updated_at().unwrap_or_else(|| desk.now()),
            convex_indices: indices,
            market_signals: signals,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(o: &Output, _: &Params) -> String {
        use std::fmt::Write;
        let mut text = String::from("Composite indices:");
        for i in &o.convex_indices {
            let meaning = i.interpretation.as_deref().unwrap_or("");
            match (i.value, i.date) {
                (Some(value), Some(date)) => {
                    let _ = write!(
                        text,
                        "\n- {} ({}): {value} on {date}. {meaning}",
                        i.display_name, i.ticker
                    );
                }
                _ => {
                    let _ = write!(
                        text,
                        "\n- {} ({}): null. {meaning}",
                        i.display_name, i.ticker
                    );
                }
            }
        }
        text.push_str("\nMarket:");
        for s in &o.market_signals {
            if let (Some(value), Some(date)) = (s.value, s.date) {
                let unit = s.unit.as_deref().unwrap_or("");
                let _ = write!(
                    text,
                    " {} {} ({date});",
                    s.ticker,
                    super::metric::unit_value(value, unit)
                );
            }
        }
        let _ = write!(
            text,
            "\n{} {}",
            o.provenance.sentence(),
            o.provenance.missing()
        );
        let _ = write!(text, "\n{}: {}", o.attribution.text, o.attribution.url);
        text
    }
}

/// Composites as an upstream sends them, completed from their identifier.
fn indices<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<Index>, D::Error> {
    tolerance::list_or_keyed(deserializer, |id, object| {
        let bare = id.trim_start_matches(DEFAULT_PREFIX);
        let title = Catalogue::embedded()
            .get(id)
            .map_or(bare, |i| i.title.as_str());
        tolerance::fill(object, "seriesId", id);
        tolerance::fill(object, "ticker", bare);
        tolerance::fill(object, "displayName", title);
    })
}

/// Market figures as an upstream sends them.
fn markets<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<Signal>, D::Error> {
    tolerance::list_or_keyed(deserializer, |id, object| {
        tolerance::fill(object, "ticker", id)
    })
}

fn index(desk: &Desk, id: &str) -> Index {
    let info = Catalogue::embedded().get(id);
    let bare = id.trim_start_matches(DEFAULT_PREFIX);
    Index {
        series_id: info.map_or_else(|| id.to_owned(), |i| desk.shown_id(&i.id)),
        ticker: bare.to_owned(),
        display_name: info.map_or_else(|| bare.to_owned(), |i| i.title.clone()),
        value: None,
        date: None,
        interpretation: None,
    }
}

fn market(
    desk: &Desk,
    id: &str,
    as_of: AsOf,
    provenance: &mut Provenance,
) -> Result<Option<Signal>> {
    let Some(info) = Catalogue::embedded().get(id) else {
        return Ok(None);
    };
    if let Err(error) = desk.permit(info) {
        provenance.note(id, error.to_string());
        return Ok(None);
    }
    let day = desk.data_date(as_of)?.as_of;
    let series = desk.series(info, as_of)?;
    let last = series.as_ref().and_then(|s| s.lookup(day));
    if last.is_none() {
        let reason = match series.as_ref().and_then(|s| s.last_on_or_before(day)) {
            Some(old) => format!("newest figure is of {}, too old for {day}", old.date),
            None => "not in the store".into(),
        };
        provenance.note(id, reason);
    }
    Ok(Some(Signal {
        ticker: info.id.to_string(),
        display_name: Some(info.title.clone()),
        value: last.map(|o| info.round(o.value)),
        unit: Some(info.units_short.clone()),
        date: last.map(|o| o.date),
        change_30d: last.and_then(|_| {
            series
                .as_ref()
                .and_then(|s| transform::changes(s, day).month)
        }),
    }))
}

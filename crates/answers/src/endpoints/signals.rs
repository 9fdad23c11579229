//! `get_signals`: every composite, and the market figures that people watch.

use super::metric::NewerMean;
use super::revisions::plus;
use crate::prelude::*;
use crate::route::decode::format_value;
use econoscope_core::format::{self, amount_in_words};
use econoscope_core::indicators::{Indicator, Reading, established, narrative_velocity, transform};
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use serde_json::{Map, Value};

/// Series of the market figures, in the order of the answer.
const MARKET: &str = include_str!("../../data/market.txt");

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// As known on: 2008-12-31, Q4 2008.
    #[schemars(example = &"2020-03")]
    as_of: Option<String>,
}

/// A composite index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct IndexSignal {
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
pub struct MarketSignal {
    /// Identifier.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ticker: String,
    /// Full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Latest value; null if not stored.
    pub value: Option<f64>,
    /// Unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Its date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// True if a newer figure should be out by the usual lag, else left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// The monthly average of a later month, if stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer_mean: Option<NewerMean>,
    /// Change over 30 days, in the unit.
    #[serde(rename = "change30d", default, skip_serializing_if = "Option::is_none")]
    pub change_30d: Option<f64>,
    /// What an upstream tells beyond: its label, its reading.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signals {
    /// When the data were fetched.
    pub generated_at: Option<Timestamp>,
    /// Composite indices.
    pub convex_indices: Vec<IndexSignal>,
    /// Market figures.
    pub market_signals: Vec<MarketSignal>,
    /// Credit line.
    pub attribution: Attribution,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_signals";
    type Output = Signals;

    fn local(desk: &Desk, params: &Self) -> Result<Signals> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let ids = established().map(|c| c.indicator.id).chain(MARKET.lines());
        let mut provenance = Provenance::new(desk, as_of, ids)?;
        let mut indices = Vec::new();
        for composite in established() {
            let reading = desk.reading(composite, as_of)?;
            let about = &composite.indicator;
            let present = desk.reading_day(as_of);
            provenance.note_reading(about.ticker(), about, &reading, present);
            // Which of its inputs are missing is told where it is explained.
            let meaning = match &reading.reason {
                Some(reason) => format!("{}.", capitalize(reason)),
                None => (composite.interpret)(&reading),
            };
            indices.push(index_signal(desk, about, &reading, meaning));
        }
        let about = &narrative_velocity::NVI;
        let reading = desk.narrative(as_of)?;
        let meaning = narrative_velocity::interpret(&reading);
        indices.push(index_signal(desk, about, &reading, meaning));
        let mut market_signals = Vec::new();
        for id in MARKET.lines() {
            market_signals.extend(market_signal(desk, id, as_of, &mut provenance)?);
        }
        Ok(Signals {
            generated_at: Some(generated_at(desk)?),
            convex_indices: indices,
            market_signals,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn from_upstream(mut answer: Signals, _: &Self, _: Date) -> Result<Signals> {
        for index in &mut answer.convex_indices {
            index.complete();
        }
        Ok(answer)
    }

    fn text(a: &Signals, _: &Self) -> String {
        let is_forwarded = a.provenance.as_of.is_none();
        let indices = a.convex_indices.iter();
        let composites = indices.map(|index| index.describe(is_forwarded));
        let market = if is_forwarded {
            let figures = a.market_signals.iter().map(MarketSignal::describe);
            enclosed("\nMarket:", &join(figures, ""), "")
        } else {
            let rows = a.market_signals.iter().filter_map(MarketSignal::format_row);
            format!(
                "\nseries,value,unit,date,change over 30 days{}{}",
                join(rows, ""),
                format_newer(&a.market_signals)
            )
        };
        format!(
            "{}{market}{}",
            join(composites, "\n"),
            a.provenance.render_closing(&a.attribution)
        )
    }
}

impl IndexSignal {
    /// Describes the composite: "- Macro Stress Index (CMSI): 34.5 out of 100 (20 August 2026). Calm, …", or why it has no
    /// value, which an upstream does not tell.
    fn describe(&self, is_forwarded: bool) -> String {
        let info = Catalogue::embedded().get(&self.series_id);
        let unit = info.map_or_else(String::new, |info| info.long_unit());
        let is_told = self.value.is_some() || !is_forwarded;
        let meaning = self.interpretation.as_deref().filter(|_| is_told);
        let dated = info.map(|info| info.frequency).zip(self.date);
        let period = dated.map(|(frequency, date)| {
            if frequency == Frequency::Monthly {
                format::month(date)
            } else {
                format::day(date)
            }
        });
        let when = enclosed_value(" (", period, ")");
        let value = match self.value {
            Some(value) => format!("{}{when}.", amount_in_words(value, &unit)),
            None => "no value.".to_owned(),
        };
        let name = self.display_name.split(" (").next().unwrap_or_default();
        let sentence = capitalize(meaning.unwrap_or_default());
        let told = enclosed(" ", sentence.strip_suffix('.').unwrap_or(&sentence), ".");
        format!("- {name} ({}): {value}{told}", self.ticker)
    }

    /// Completes the names that an upstream leaves out from those that it gives.
    fn complete(&mut self) {
        if self.series_id.is_empty() {
            self.series_id.clone_from(&self.ticker);
        }
        let info = Catalogue::embedded().get(&self.series_id);
        let ticker = self.series_id.trim_start_matches(DEFAULT_PREFIX);
        if self.display_name.is_empty() {
            self.display_name = info.map_or(ticker, |info| &info.title).to_owned();
        }
        if self.ticker.is_empty() {
            ticker.clone_into(&mut self.ticker);
        }
    }
}

impl MarketSignal {
    /// Formats the figure as a row of a table; `None` without a figure.
    fn format_row(&self) -> Option<String> {
        let unit = self.unit.as_deref().unwrap_or_default();
        let date = self.date?;
        let change = cell(self.change_30d.map(plus));
        Some(format!(
            "\n{},{},{unit},{date},{change}",
            self.ticker, self.value?
        ))
    }

    /// Describes the figure: " DGS10 4.25 % (2026-08-21);"; empty when it tells nothing.
    fn describe(&self) -> String {
        let rest = self.rest.values().filter(|value| !value.is_null());
        // What has no ticker goes by the names that the upstream gives it.
        let name = match self.ticker.as_str() {
            "" => self.display_name.clone(),
            ticker => Some(ticker.to_owned()),
        };
        let mut parts: Vec<String> = name.into_iter().chain(rest.map(format_value)).collect();
        if self.rest.is_empty() && self.value.is_none() {
            return String::new();
        }
        let unit = spell_out_unit(self.unit.as_deref().unwrap_or(""));
        parts.extend(self.value.map(|value| amount_in_words(value, &unit)));
        let mean = self.newer_mean.as_ref().map(NewerMean::describe);
        let newer = enclosed_value("; ", mean, "");
        let dated = self.date.map(|date| format!(" ({date}{newer})"));
        format!(" {}{};", parts.join(" "), dated.unwrap_or_default())
    }
}

/// Tells the newer monthly averages by month: "Averages of September 2026 are newer: GS10 4.99 %."; empty without one.
fn format_newer(signals: &[MarketSignal]) -> String {
    let mut by_month: BTreeMap<Date, Vec<String>> = BTreeMap::new();
    for signal in signals {
        if let Some(mean) = &signal.newer_mean {
            let unit = spell_out_unit(signal.unit.as_deref().unwrap_or_default());
            let text = format!("{} {}", mean.series, amount_in_words(mean.value, &unit));
            by_month.entry(mean.date).or_default().push(text);
        }
    }
    let sentences = by_month.iter().map(|(date, means)| {
        let month = Frequency::Monthly.label(*date);
        format!("\nAverages of {month} are newer: {}.", means.join(", "))
    });
    join(sentences, "")
}

/// When the data of an answer were fetched.
pub(super) fn generated_at(desk: &Desk) -> Result<Timestamp> {
    let fetched = desk.store_summary()?.updated_at();
    Ok(fetched.unwrap_or_else(|| desk.now()))
}

/// Returns an indicator's value, rounded to the decimals of the catalogue.
pub(super) fn rounded_value(about: &Indicator, reading: &Reading) -> Option<f64> {
    let decimals = Catalogue::of_indicator(about).map_or(1, |info| i32::from(info.decimals));
    reading.value.map(|v| round_to(v, decimals))
}

fn index_signal(desk: &Desk, about: &Indicator, reading: &Reading, meaning: String) -> IndexSignal {
    let info = Catalogue::of_indicator(about);
    IndexSignal {
        series_id: info.map_or_else(|| about.id.to_owned(), |info| desk.display_id(&info.id)),
        ticker: about.ticker().to_owned(),
        display_name: about.definition().title.to_owned(),
        value: rounded_value(about, reading),
        date: reading.value.map(|_| reading.date),
        interpretation: Some(meaning),
    }
}

/// Returns a market figure; `None` for a restricted series. Notes why it is absent.
fn market_signal(
    desk: &Desk,
    id: &str,
    as_of: AsOf,
    provenance: &mut Provenance,
) -> Result<Option<MarketSignal>> {
    let Some(info) = Catalogue::embedded().get(id) else {
        return Ok(None);
    };
    if let Err(error) = desk.check_permitted(info) {
        provenance.note_missing(id, &error);
        return Ok(None);
    }
    let day = desk.reading_day(as_of);
    let stored = desk.series(info, as_of)?;
    let series = stored.as_ref();
    let last = series.and_then(|s| s.last_on_or_before(day));
    let late = last.and_then(|last| series?.timeliness(last.date, day).due_by());
    provenance.note_late(id, late);
    if last.is_none() {
        provenance.note_missing(id, &desk.no_data_error(info, as_of));
    }
    let newer_mean = NewerMean::find(desk, id, last.map(|o| o.date), as_of)?;
    Ok(Some(MarketSignal {
        ticker: desk.display_id(&info.id),
        display_name: Some(info.title.clone()),
        value: last.map(|o| info.round(o.value)),
        unit: Some(info.units_short.clone()),
        date: last.map(|o| o.date),
        stale: late.map(|_| true),
        newer_mean,
        change_30d: last.and_then(|_| transform::changes(series?, day).month),
        rest: Map::new(),
    }))
}

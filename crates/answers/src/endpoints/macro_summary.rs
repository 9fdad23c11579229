//! `get_macro_summary`: the state of the economy in one call.

mod sentences;

use super::metric::NewerMean;
use super::signals::rounded_value;
use crate::prelude::*;
use econoscope_core::indicators::liquidity::CNLI;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::recession_now::RNOW;
use econoscope_core::indicators::stress::CMSI;
use econoscope_core::indicators::summary::{self, Figure};
use econoscope_core::indicators::{Composite, established, regime};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// As known on: 2008-12-31, Q4 2008.
    #[schemars(example = &"2020-03")]
    as_of: Option<String>,
}

/// The regime in a few words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeLine {
    /// Goldilocks, Reflation, Stagflation, Deflation or Unknown.
    pub current: String,
    /// Probability of the label, percent.
    pub confidence: Option<f64>,
    /// improving, stable, deteriorating or unknown.
    pub trajectory: String,
    /// Growth, standard deviations from its 20-year mean, held within 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth_score: Option<f64>,
    /// Inflation, points from the threshold between the regimes, held within 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflation_score: Option<f64>,
}

/// Rates in percent, the spread in basis points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyRates {
    /// Ten-year Treasury yield, percent.
    #[serde(rename = "10y")]
    pub ten_year: Option<f64>,
    /// Two-year Treasury yield, percent.
    #[serde(rename = "2y")]
    pub two_year: Option<f64>,
    /// Ten less two years, basis points.
    pub spread_2s10s_bps: Option<f64>,
    /// Effective federal funds rate, percent.
    pub fed_funds: Option<f64>,
}

/// Volatility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Volatility {
    /// VIX, index.
    pub vix: Option<f64>,
}

/// Credit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// High-yield spread, basis points.
    pub hy_spread_bps: Option<f64>,
}

/// Labor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Labor {
    /// Unemployment rate, percent.
    pub unemployment_rate_pct: Option<f64>,
    /// Its change from the month before, percentage points.
    pub unemployment_change_pp: Option<f64>,
    /// Nonfarm payrolls, thousands of persons.
    pub payrolls_thousands: Option<f64>,
    /// Its change from the month before.
    pub payrolls_change_thousands: Option<f64>,
    /// Hourly pay against a year earlier, percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hourly_pay_yoy_pct: Option<f64>,
    /// Sahm rule, percentage points; 0.50 and more signals recession.
    pub sahm_rule: Option<f64>,
    /// Probability that this month is a recession month, percent (RNOW).
    pub recession_now: Option<f64>,
    /// Whether its alarm is on; null without a value.
    pub recession_alarm: Option<bool>,
    /// Week since which the alarm is on or off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recession_alarm_since: Option<Date>,
}

/// Inflation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inflation {
    /// Consumer prices against a year earlier, percent.
    pub cpi_yoy_pct: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MacroSummary {
    /// Regime.
    pub regime: RegimeLine,
    /// Probability of recession within 12 months, percent (CRPI, also CVRP).
    pub recession_probability: Option<f64>,
    /// Macro stress, 0 to 100.
    pub stress_index: Option<f64>,
    /// Share of its weight without a figure, percent; absent if zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress_weight_missing_pct: Option<f64>,
    /// Net liquidity, trillions of dollars.
    pub net_liquidity_trn: Option<f64>,
    /// Rates.
    pub key_rates: KeyRates,
    /// Volatility.
    pub volatility: Volatility,
    /// Credit.
    pub credit: Credit,
    /// Labor.
    pub labor: Labor,
    /// Inflation.
    pub inflation: Inflation,
    /// Real GDP against the quarter before at an annual rate, percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gdp_growth_pct: Option<f64>,
    /// The state in sentences, made from the numbers.
    pub narrative: Option<String>,
    /// Page of the answer.
    pub source_url: String,
    /// Credit line.
    pub attribution: String,
    /// When the newest input was fetched.
    pub last_updated: Option<Timestamp>,
    /// Date of each figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dates: BTreeMap<String, String>,
    /// Monthly averages of a later month than the daily figures above, by the figure's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub newer_means: BTreeMap<String, NewerMean>,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_macro_summary";
    type Output = MacroSummary;

    fn local(desk: &Desk, params: &Self) -> Result<MacroSummary> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let inputs = summary::INPUTS.iter().chain(regime::INPUTS).copied();
        let ids = inputs.chain(established().map(|c| c.indicator.id));
        let mut collector = Collector {
            desk,
            as_of,
            provenance: Provenance::new(desk, as_of, ids)?,
            dates: BTreeMap::new(),
            newer_means: BTreeMap::new(),
        };
        let set = desk.series_set(summary::INPUTS.iter().copied(), as_of)?;
        let figures = summary::summary(&set, desk.reading_day(as_of));
        let vix = collector.add_figure("vix", &figures.vix);
        let hy_spread_bps = collector.add_figure("hy_spread_bps", &figures.hy_spread_bps);
        let gdp_growth_pct = collector.add_figure("gdp_growth_pct", &figures.gdp_growth_pct);
        let cpi_yoy_pct = collector.add_figure("cpi_yoy_pct", &figures.cpi_yoy_pct);
        let spread = collector.add_figure("spread_2s10s_bps", &figures.spread_2s10s_bps);
        let attribution = desk.attribution();
        Ok(MacroSummary {
            regime: collector.add_regime()?,
            recession_probability: collector.add_composite("recession_probability", &CRPI)?,
            stress_index: collector.add_composite("stress_index", &CMSI)?,
            stress_weight_missing_pct: collector.note_missing_stress_weight()?,
            net_liquidity_trn: collector.add_composite("net_liquidity_trn", &CNLI)?,
            key_rates: KeyRates {
                ten_year: collector.add_rate("10y", &figures.ten_year)?,
                two_year: collector.add_rate("2y", &figures.two_year)?,
                spread_2s10s_bps: spread,
                fed_funds: collector.add_rate("fed_funds", &figures.fed_funds)?,
            },
            volatility: Volatility { vix },
            credit: Credit { hy_spread_bps },
            labor: collector.add_labor(&figures)?,
            inflation: Inflation { cpi_yoy_pct },
            gdp_growth_pct,
            narrative: Some(super::regime::narrative(desk, as_of)?),
            source_url: desk
                .settings()
                .address(Spec::of(Self::TOOL).path, "summary"),
            attribution: format!("{} ({})", attribution.text, attribution.url),
            last_updated: desk.store_summary()?.updated_at(),
            dates: collector.dates,
            newer_means: collector.newer_means,
            provenance: collector.provenance,
        })
    }

    fn text(a: &MacroSummary, _: &Self) -> String {
        sentences::render(a)
    }
}

/// Collects the figures of a summary with their dates and notes.
struct Collector<'a> {
    desk: &'a Desk,
    as_of: AsOf,
    provenance: Provenance,
    dates: BTreeMap<String, String>,
    newer_means: BTreeMap<String, NewerMean>,
}

impl Collector<'_> {
    fn add_figure(&mut self, name: &str, figure: &Figure) -> Option<f64> {
        if let Some(error) = self.desk.redistribution_error(&figure.series) {
            self.provenance.note_missing(name, &error);
            return None;
        }
        let note = figure.reason.as_deref().or(figure.basis.as_deref());
        self.provenance.note(name, note.unwrap_or_default());
        self.provenance.note_late(name, figure.late);
        let code = figure.absence.map(|code| (name.to_owned(), code));
        self.provenance.reasons.extend(code);
        self.add_date(name, figure.date);
        figure.value.map(|v| round_to(v, 4))
    }

    /// Adds a daily rate, and the monthly average that is newer.
    fn add_rate(&mut self, name: &str, figure: &Figure) -> Result<Option<f64>> {
        let id = figure.series.first().copied().unwrap_or_default();
        if let Some(mean) = NewerMean::find(self.desk, id, figure.date, self.as_of)? {
            self.newer_means.insert(name.to_owned(), mean);
        }
        Ok(self.add_figure(name, figure))
    }

    fn add_date(&mut self, name: &str, date: Option<Date>) {
        self.dates
            .extend(date.map(|date| (name.to_owned(), date.to_string())));
    }

    fn add_composite(&mut self, name: &str, composite: &'static Composite) -> Result<Option<f64>> {
        let reading = self.desk.reading(composite, self.as_of)?;
        let basis = reading.basis.join("; ");
        let note = reading.reason.clone().unwrap_or(basis);
        let band = reading.value.and_then(|value| composite.band(value));
        self.provenance.note(name, band.unwrap_or_default());
        if composite.indicator.id == CRPI.indicator.id && band.is_some() {
            self.provenance.append_note(name, "not odds");
        }
        self.provenance.append_note(name, &note);
        let present = self.desk.reading_day(self.as_of);
        self.provenance
            .note_reading(name, &composite.indicator, &reading, present);
        self.add_date(name, reading.value.map(|_| reading.date));
        Ok(rounded_value(&composite.indicator, &reading))
    }

    /// Notes which inputs of macro stress have no figure, and returns their share of its weight in percent; `None` when
    /// all have one.
    fn note_missing_stress_weight(&mut self) -> Result<Option<f64>> {
        let reading = self.desk.reading(&CMSI, self.as_of)?;
        let inputs = reading.inputs.iter();
        let missing = inputs.filter(|input| input.missing.is_some());
        let names = join(missing.map(|input| input.name), ", ");
        if reading.value.is_none() || names.is_empty() {
            return Ok(None);
        }
        let share = round_to(100.0 * (1.0 - reading.weight_present), 1);
        let note = format!("{share} % of its weight has no figure: {names}");
        self.provenance.append_note("stress_index", &note);
        Ok(Some(share))
    }

    fn add_labor(&mut self, figures: &summary::Summary) -> Result<Labor> {
        let recession_now = self.add_composite("recession_now", &RNOW)?;
        let reading = self.desk.reading(&RNOW, self.as_of)?;
        let alarm = reading.alarm.filter(|_| recession_now.is_some());
        let unemployment = &figures.unemployment_rate;
        let payrolls = &figures.payrolls;
        Ok(Labor {
            unemployment_rate_pct: self.add_figure("unemployment_rate", unemployment),
            unemployment_change_pp: unemployment.change,
            payrolls_thousands: self.add_figure("payrolls", payrolls),
            payrolls_change_thousands: payrolls.change,
            hourly_pay_yoy_pct: self.add_figure("hourly_pay_yoy_pct", &figures.hourly_pay_yoy_pct),
            sahm_rule: self.add_figure("sahm_rule", &figures.sahm_rule),
            recession_now,
            recession_alarm: alarm.map(|a| a.on),
            recession_alarm_since: alarm.and_then(|a| a.since),
        })
    }

    fn add_regime(&mut self) -> Result<RegimeLine> {
        let regimes = self.desk.regimes(self.as_of)?;
        let now = &regimes.now;
        let reason = now.reason.as_deref().unwrap_or_default();
        self.provenance.note("regime", reason);
        self.provenance.note_regime(now);
        self.add_date("regime", now.state.as_ref().map(|s| s.month));
        Ok(RegimeLine {
            current: now.regime.title().to_owned(),
            confidence: now.confidence,
            trajectory: now.trajectory.name().to_lowercase(),
            growth_score: now.state.as_ref().map(|s| round_to(s.growth, 2)),
            inflation_score: now.state.as_ref().map(|s| round_to(s.inflation, 2)),
        })
    }
}

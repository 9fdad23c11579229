//! The published figures of the one-call summary: rates, spreads, Sahm rule, inflation.
//!
//! Each one is the last known, with its date, the day since when it is late and how it was computed; or the
//! reason why there is none (docs/METHODS.md#summary). The set holds what was known on the day.

use super::months::Month;
use super::prose::join;
use super::sahm;
use super::transform::{Units, bps, changes, latest_year_on_year, spread_bps};
use crate::error::Absence;
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation, Series, SeriesSet, Timeliness};

/// Every series the summary may read, composites and regime apart.
pub const INPUTS: &[&str] = &[
    "DGS10",
    "GS10",
    "DGS2",
    "GS2",
    "EFFR",
    "DFF",
    "FEDFUNDS",
    "VIXCLS",
    "BAMLH0A0HYM2",
    "SAHMREALTIME",
    "CPIAUCNS",
    "CPIAUCSL",
    "UNRATE",
    "PAYEMS",
    "CES0500000003",
    "GDPC1",
];

/// One figure of the summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// The figure; absent with a `reason`.
    pub value: Option<f64>,
    /// Its own date, which may be older than the requested day.
    pub date: Option<Date>,
    /// Change from the month before, in the figure's unit, for monthly figures.
    pub change: Option<f64>,
    /// The day since when a newer one is late.
    pub late: Option<Date>,
    /// Series it comes from.
    pub series: Vec<&'static str>,
    /// Deviation from the usual computation: "monthly average, July 2026".
    pub basis: Option<String>,
    /// Why there is none.
    pub reason: Option<String>,
    /// The same as a code.
    pub absence: Option<Absence>,
}

impl Figure {
    fn new(
        latest: Observation,
        late: Option<Date>,
        series: Vec<&'static str>,
        basis: Option<String>,
    ) -> Self {
        Self {
            value: Some(latest.value),
            date: Some(latest.date),
            late,
            series,
            basis,
            ..Self::default()
        }
    }

    /// Builds an absent figure with the reason for each series: not loaded, or how old its newest figure is.
    fn absent(set: &SeriesSet, day: Date, ids: &[&'static str]) -> Self {
        let reason = |id: &&'static str| set.describe_missing(id, day);
        Self {
            series: ids.to_vec(),
            reason: Some(join(ids.iter().map(reason), "; ")),
            absence: ids.first().map(|id| set.absence(id, day)),
            ..Self::default()
        }
    }
}

/// The published figures at a day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Ten-year Treasury yield, percent.
    pub ten_year: Figure,
    /// Two-year Treasury yield, percent.
    pub two_year: Figure,
    /// Ten-year less two-year yield of the same date, basis points.
    pub spread_2s10s_bps: Figure,
    /// Effective federal funds rate, percent.
    pub fed_funds: Figure,
    /// VIX, index.
    pub vix: Figure,
    /// High-yield spread, basis points.
    pub hy_spread_bps: Figure,
    /// Sahm rule, percentage points: real-time (SAHMREALTIME), or else computed from current UNRATE.
    pub sahm_rule: Figure,
    /// Unemployment rate, percent.
    pub unemployment_rate: Figure,
    /// Nonfarm payrolls, thousands.
    pub payrolls: Figure,
    /// Consumer prices against a year earlier, percent, one decimal.
    pub cpi_yoy_pct: Figure,
    /// Hourly earnings of private employees against a year earlier, percent, one decimal.
    pub hourly_pay_yoy_pct: Figure,
    /// Real GDP against the quarter before, percent at an annual rate, one decimal.
    pub gdp_growth_pct: Figure,
}

/// Returns the figures at `day`.
pub fn summary(set: &SeriesSet, day: Date) -> Summary {
    let daily = |ids: &[&'static str]| first_current(set, day, ids);
    let monthly = |id: &'static str| Figure {
        change: set.get(id).and_then(|series| changes(series, day).month),
        ..daily(&[id])
    };
    let mut high_yield = daily(&["BAMLH0A0HYM2"]);
    high_yield.value = high_yield.value.map(bps);
    let mut sahm_rule = daily(&["SAHMREALTIME"]);
    if let Some((computed, late)) = sahm::computed(set, day)
        && (sahm_rule.value.is_none() || sahm_rule.late.is_some() && late.is_none())
    {
        let basis = "computed from current UNRATE".to_owned();
        sahm_rule = Figure::new(computed, late, vec!["UNRATE"], Some(basis));
    }
    Summary {
        ten_year: daily(&["DGS10", "GS10"]),
        two_year: daily(&["DGS2", "GS2"]),
        spread_2s10s_bps: spread(set, day),
        fed_funds: daily(&["EFFR", "DFF", "FEDFUNDS"]),
        vix: daily(&["VIXCLS"]),
        hy_spread_bps: high_yield,
        sahm_rule,
        unemployment_rate: monthly("UNRATE"),
        payrolls: monthly("PAYEMS"),
        cpi_yoy_pct: consumer_prices(set, day),
        hourly_pay_yoy_pct: rate_of(set, day, "CES0500000003", latest_year_on_year),
        gdp_growth_pct: rate_of(set, day, "GDPC1", annual_growth),
    }
}

/// Returns the newest figure of the first series that has a current one; where all are late, of the first that has any.
fn first_current(set: &SeriesSet, day: Date, ids: &[&'static str]) -> Figure {
    let newest = |id: &&'static str| {
        let series = set.get(id)?;
        Some((*id, series, series.last_on_or_before(day)?))
    };
    let all = || ids.iter().filter_map(newest);
    let current =
        all().find(|(_, series, last)| series.timeliness(last.date, day) == Timeliness::Current);
    let Some((id, series, last)) = current.or_else(|| all().next()) else {
        return Figure::absent(set, day, ids);
    };
    let month = Month::from_date(last.date).name();
    let stand_in = if series.frequency() == Frequency::Monthly {
        format!("monthly average, {month} ({id})")
    } else {
        format!("from {id}")
    };
    let basis = (ids.first() != Some(&id)).then_some(stand_in);
    let late = series.timeliness(last.date, day).due_by();
    Figure::new(last, late, vec![id], basis)
}

/// Returns the spread of daily yields on their newest common date; where that is late, of monthly averages on their
/// newest common month, unless they are late, too.
fn spread(set: &SeriesSet, day: Date) -> Figure {
    let spread = |long: &'static str, short: &'static str| {
        let a = set.get(long)?;
        let b = set.get(short)?;
        let spread = spread_bps(a, b, day)?;
        let late = |series: &Series| series.timeliness(spread.date, day).due_by();
        let late = late(a).or(late(b));
        let month = Month::from_date(spread.date).name();
        let basis = (a.frequency() == Frequency::Monthly)
            .then(|| format!("monthly averages, {month} ({long}, {short})"));
        Some(Figure::new(spread, late, vec![long, short], basis))
    };
    let pairs = [spread("DGS10", "DGS2"), spread("GS10", "GS2")];
    let all = || pairs.iter().flatten();
    let current = all().find(|figure| figure.late.is_none());
    let newest = current.or_else(|| all().next()).cloned();
    newest.unwrap_or_else(|| Figure::absent(set, day, &["DGS10", "DGS2", "GS10", "GS2"]))
}

/// Returns a rate computed from the newest figure of a series, rounded to one decimal.
fn rate_of(
    set: &SeriesSet,
    day: Date,
    id: &'static str,
    compute: fn(&Series, Date) -> Option<Observation>,
) -> Figure {
    let rated = set
        .get(id)
        .and_then(|series| Some((series, compute(series, day)?)));
    let Some((series, rate)) = rated else {
        return Figure::absent(set, day, &[id]);
    };
    let late = series.timeliness(rate.date, day).due_by();
    let rounded = Observation::new(rate.date, round_to(rate.value, 1));
    Figure::new(rounded, late, vec![id], None)
}

/// Returns the newest growth from the period before at an annual rate, in percent.
fn annual_growth(series: &Series, day: Date) -> Option<Observation> {
    let last = series.last_on_or_before(day)?;
    let growth = Units::PercentAnnualised.apply(series);
    growth.into_iter().rfind(|row| row.date == last.date)
}

/// Returns consumer price inflation, from the unadjusted index as the headline is published; from the adjusted one when
/// its month is newer or the other has none (docs/METHODS.md#inflation-rate). A month without a base a year earlier is
/// passed over.
fn consumer_prices(set: &SeriesSet, day: Date) -> Figure {
    let headline = rate_of(set, day, "CPIAUCNS", latest_year_on_year);
    let adjusted = rate_of(set, day, "CPIAUCSL", latest_year_on_year);
    // An absent figure has no date and is older than any.
    let (newest, basis) = if adjusted.date > headline.date {
        let no_newer = "seasonally adjusted; the unadjusted index has no newer month";
        (adjusted, no_newer)
    } else {
        (headline, "not seasonally adjusted")
    };
    if newest.value.is_none() {
        return Figure::absent(set, day, &["CPIAUCNS", "CPIAUCSL"]);
    }
    Figure {
        basis: Some(basis.to_owned()),
        ..newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::indicators::testdata;
    use crate::model::Series;
    use jiff::civil::date;
    use std::sync::Arc;

    impl Summary {
        /// Every figure with its name in the answer.
        fn figures(&self) -> [(&'static str, &Figure); 12] {
            [
                ("10y", &self.ten_year),
                ("2y", &self.two_year),
                ("spread_2s10s_bps", &self.spread_2s10s_bps),
                ("fed_funds", &self.fed_funds),
                ("vix", &self.vix),
                ("hy_spread_bps", &self.hy_spread_bps),
                ("sahm_rule", &self.sahm_rule),
                ("unemployment_rate", &self.unemployment_rate),
                ("payrolls", &self.payrolls),
                ("cpi_yoy_pct", &self.cpi_yoy_pct),
                ("hourly_pay_yoy_pct", &self.hourly_pay_yoy_pct),
                ("gdp_growth_pct", &self.gdp_growth_pct),
            ]
        }
    }

    fn set(rows: &[(&str, Date, f64)]) -> SeriesSet {
        let series = |&(id, day, value): &(&str, Date, f64)| {
            let info = Catalogue::embedded().get(id).unwrap().clone();
            Arc::new(Series::new(info, vec![Observation::new(day, value)]))
        };
        rows.iter().map(series).collect()
    }

    #[test]
    fn summary_of_august_2026_matches_the_series() {
        let set = testdata::load(INPUTS);
        let s = summary(&set, date(2026, 8, 21));
        let values = s.figures().map(|(name, f)| (name, f.value));
        assert_eq!(
            values,
            [
                ("10y", Some(4.69)),
                ("2y", Some(4.19)),
                ("spread_2s10s_bps", Some(50.0)),
                ("fed_funds", Some(3.63)),
                ("vix", None),
                ("hy_spread_bps", None),
                ("sahm_rule", Some(-0.03)),
                ("unemployment_rate", Some(4.1)),
                ("payrolls", Some(158_858.0)),
                ("cpi_yoy_pct", Some(3.3)),
                ("hourly_pay_yoy_pct", Some(3.5)),
                ("gdp_growth_pct", Some(1.5)),
            ]
        );
        let changes = (s.unemployment_rate.change, s.payrolls.change);
        assert_eq!(changes, (Some(-0.1), Some(-23.0)));
        assert_eq!(s.cpi_yoy_pct.date, Some(date(2026, 7, 1)));
        assert_eq!(s.cpi_yoy_pct.series, ["CPIAUCSL"]);
        assert_eq!(s.vix.reason.as_deref(), Some("VIXCLS is not loaded"));
        assert!(
            s.figures()
                .iter()
                .all(|(_, f)| f.value.is_some() != f.reason.is_some())
        );
    }

    #[test]
    fn headline_inflation_uses_the_unadjusted_index() {
        let set = testdata::load(INPUTS);
        let s = summary(&set, date(2022, 6, 30));
        assert_eq!(s.cpi_yoy_pct.value, Some(9.1));
        assert_eq!(
            s.cpi_yoy_pct.basis.as_deref(),
            Some("not seasonally adjusted")
        );
    }

    #[test]
    fn late_figure_has_its_date_and_lateness() {
        let mut set = testdata::load(INPUTS);
        let day = date(2026, 11, 21);
        let before = summary(&set, day);
        assert_eq!(before.ten_year.date, Some(date(2026, 8, 20)));
        assert_eq!(before.ten_year.late, Some(date(2026, 8, 30)));
        // A fresh figure of one series leaves every other as it was.
        let mut rows = set.get("DGS10").unwrap().observations.clone();
        rows.push(Observation::new(date(2026, 11, 20), 4.52));
        let info = Catalogue::embedded().get("DGS10").unwrap().clone();
        set.insert(Arc::new(Series::new(info, rows)));
        let after = summary(&set, day);
        assert_eq!(
            (after.ten_year.value, after.ten_year.late),
            (Some(4.52), None)
        );
        let others = |s: &Summary| {
            s.figures()
                .map(|(_, f)| f.clone())
                .into_iter()
                .skip(1)
                .collect::<Vec<_>>()
        };
        assert_eq!(others(&before), others(&after));
    }

    #[test]
    fn sahm_rule_signals_in_2024() {
        let set = testdata::load(INPUTS);
        let day = date(2024, 9, 10);
        let then = summary(&testdata::as_of(&set, day), day).sahm_rule;
        assert_eq!(
            (then.value, then.series),
            (Some(0.57), vec!["SAHMREALTIME"])
        );
        assert!(then.value >= Some(sahm::TRIGGER));
        let day = date(2026, 8, 22);
        let now = summary(&set, day).sahm_rule;
        assert_eq!((now.date, now.value), (Some(date(2026, 7, 1)), Some(-0.03)));
        let rates = testdata::load(&["UNRATE"]);
        let computed = summary(&rates, day).sahm_rule;
        assert_eq!(computed.value, sahm::computed(&set, day).map(|o| o.0.value));
        assert_eq!(
            computed.basis.as_deref(),
            Some("computed from current UNRATE")
        );
    }

    #[test]
    fn monthly_averages_replace_late_daily_yields() {
        let july = date(2026, 7, 1);
        let set = set(&[
            ("DGS10", date(2026, 5, 29), 4.0),
            ("GS10", july, 4.6),
            ("GS2", july, 4.1),
            ("FEDFUNDS", july, 3.63),
        ]);
        let s = summary(&set, date(2026, 8, 21));
        assert_eq!(
            (s.ten_year.value, s.spread_2s10s_bps.value),
            (Some(4.6), Some(50.0))
        );
        assert_eq!(
            s.ten_year.basis.as_deref(),
            Some("monthly average, July 2026 (GS10)")
        );
        assert_eq!(
            s.fed_funds.basis.as_deref(),
            Some("monthly average, July 2026 (FEDFUNDS)")
        );
        assert_eq!(s.spread_2s10s_bps.date, Some(july));
    }

    #[test]
    fn fallbacks_keep_their_order_and_units() {
        let day = date(2026, 8, 20);
        let set = set(&[
            ("DFF", day, 3.63),
            ("FEDFUNDS", date(2026, 7, 1), 3.6),
            ("BAMLH0A0HYM2", day, 2.876),
        ]);
        let s = summary(&set, day);
        assert_eq!(
            (s.fed_funds.value, s.fed_funds.basis.as_deref()),
            (Some(3.63), Some("from DFF"))
        );
        assert_eq!(s.hy_spread_bps.value, Some(287.6));
        assert_eq!(
            summary(&SeriesSet::default(), day)
                .figures()
                .iter()
                .filter(|(_, f)| f.value.is_some())
                .count(),
            0
        );
    }
}

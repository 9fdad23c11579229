//! The figures of the one-call summary that are read, not modelled: rates, spreads, Sahm, inflation.
//!
//! Each one is the last known, with its date, with the day since when it is late, and with how it came about; or the
//! reason why there is none (docs/METHODS.md#summary). The set is taken as what was known on the day.

use super::months::Month;
use super::prose::joined;
use super::reading::not_current;
use super::sahm;
use super::transform::{bps, changes, latest_year_on_year, spread_bps};
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation, SeriesSet};

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
];

/// One figure of the summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// The figure; absent with a `reason`.
    pub value: Option<f64>,
    /// Its own date, which may be older than the day asked for.
    pub date: Option<Date>,
    /// Against the month before, in the figure's unit, where that is told.
    pub change: Option<f64>,
    /// Since when a newer one should be there.
    pub late: Option<Date>,
    /// Series it comes from.
    pub series: Vec<&'static str>,
    /// How it came about where that is not the usual way: "monthly average, July 2026".
    pub basis: Option<String>,
    /// Why there is none.
    pub reason: Option<String>,
}

impl Figure {
    /// A figure that was found.
    fn of(found: Observation, series: Vec<&'static str>, basis: Option<String>) -> Self {
        Self {
            value: Some(found.value),
            date: Some(found.date),
            series,
            basis,
            ..Self::default()
        }
    }

    /// Says since when it is late.
    fn since(self, late: Option<Date>) -> Self {
        Self { late, ..self }
    }
}

/// The read figures at a day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Ten-year Treasury yield, percent.
    pub ten_year: Figure,
    /// Two-year Treasury yield, percent.
    pub two_year: Figure,
    /// Ten-year less two-year yield of one and the same date, basis points.
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
}

/// The figures at `day`.
pub fn summary(set: &SeriesSet, day: Date) -> Summary {
    let daily = |ids: &[&'static str]| first_current(set, day, ids);
    let monthly = |id: &'static str| Figure {
        change: set.get(id).and_then(|series| changes(series, day).month),
        ..daily(&[id])
    };
    let mut high_yield = daily(&["BAMLH0A0HYM2"]);
    high_yield.value = high_yield.value.map(bps);
    let mut sahm_rule = daily(&["SAHMREALTIME"]);
    if let Some((found, late)) = sahm::computed(set, day)
        && (sahm_rule.value.is_none() || sahm_rule.late.is_some() && late.is_none())
    {
        let basis = "computed from current UNRATE".to_owned();
        sahm_rule = Figure::of(found, vec!["UNRATE"], Some(basis)).since(late);
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
    }
}

/// The newest figure of the first series that has a current one; where all are late, of the first that has any.
fn first_current(set: &SeriesSet, day: Date, ids: &[&'static str]) -> Figure {
    let newest = |id: &&'static str| {
        let series = set.get(id)?;
        Some((*id, series, series.last_on_or_before(day)?))
    };
    let all = || ids.iter().filter_map(newest);
    let current = all().find(|(_, series, last)| !series.is_stale(last.date, day));
    let Some((id, series, last)) = current.or_else(|| all().next()) else {
        return absent(set, day, ids);
    };
    let month = Month::of(last.date).name();
    // What a figure is that stands in for the preferred series.
    let basis = match series.frequency() == Frequency::Monthly {
        true => format!("monthly average, {month} ({id})"),
        false => format!("from {id}"),
    };
    let basis = (ids.first() != Some(&id)).then_some(basis);
    Figure::of(last, vec![id], basis).since(series.late_since(last.date, day))
}

/// Daily yields on their newest common date; where that is late, monthly averages of their newest common month, unless
/// they are late, too.
fn spread(set: &SeriesSet, day: Date) -> Figure {
    let of = |long: &'static str, short: &'static str| {
        let (a, b) = (set.get(long)?, set.get(short)?);
        let found = spread_bps(a, b, day)?;
        let late = a
            .late_since(found.date, day)
            .or(b.late_since(found.date, day));
        Some((found, vec![long, short], late))
    };
    let (daily, monthly) = (of("DGS10", "DGS2"), of("GS10", "GS2"));
    let is_late =
        |found: &Option<(_, _, Option<Date>)>| found.as_ref().is_none_or(|f| f.2.is_some());
    if let Some((found, series, late)) = &daily
        && (late.is_none() || is_late(&monthly))
    {
        return Figure::of(*found, series.clone(), None).since(*late);
    }
    let Some((found, series, late)) = monthly else {
        return absent(set, day, &["DGS10", "DGS2", "GS10", "GS2"]);
    };
    let month = Month::of(found.date).name();
    let basis = format!("monthly averages, {month} (GS10, GS2)");
    Figure::of(found, series, Some(basis)).since(late)
}

/// Not seasonally adjusted first, as the headline is published; the adjusted series when its month is newer
/// or the other has none (docs/METHODS.md#inflation-rate). A month without a base a year earlier is passed over.
fn consumer_prices(set: &SeriesSet, day: Date) -> Figure {
    let of = |id: &'static str, basis| {
        let series = set.get(id)?;
        let found = latest_year_on_year(series, day)?;
        Some((found, id, basis, series.late_since(found.date, day)))
    };
    let headline = of("CPIAUCNS", "not seasonally adjusted");
    let no_newer = "seasonally adjusted; the unadjusted index has no newer month";
    let adjusted = of("CPIAUCSL", no_newer);
    let is_newer =
        |(o, ..): &(Observation, _, _, _)| headline.is_none_or(|(h, ..)| o.date > h.date);
    let Some((o, id, basis, late)) = adjusted.filter(is_newer).or(headline) else {
        return absent(set, day, &["CPIAUCNS", "CPIAUCSL"]);
    };
    let rounded = Observation::new(o.date, round_to(o.value, 1));
    Figure::of(rounded, vec![id], Some(basis.to_owned())).since(late)
}

/// No figure: for each series, that it is not there, or how old its newest figure is.
fn absent(set: &SeriesSet, day: Date, ids: &[&'static str]) -> Figure {
    let why = |id: &&'static str| {
        let newest = set.get(id).and_then(|s| s.last_on_or_before(day));
        not_current(id, newest.map(|o| o.date))
    };
    Figure {
        series: ids.to_vec(),
        reason: Some(joined(ids.iter().map(why), "; ")),
        ..Figure::default()
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
        fn figures(&self) -> [(&'static str, &Figure); 10] {
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
    fn the_real_figures_of_august_2026() {
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
    fn the_headline_of_june_2022_is_the_unadjusted_one() {
        let set = testdata::load(INPUTS);
        let s = summary(&set, date(2022, 6, 30));
        assert_eq!(s.cpi_yoy_pct.value, Some(9.1));
        assert_eq!(
            s.cpi_yoy_pct.basis.as_deref(),
            Some("not seasonally adjusted")
        );
    }

    #[test]
    fn a_late_figure_stands_on_its_date_and_says_since_when() {
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
    fn the_signal_of_2024_was_there() {
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
    fn monthly_averages_stand_in_and_say_so() {
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

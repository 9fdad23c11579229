//! What happened over the rows of a range: ends and change, extremes, the greatest fall and rise, and where the
//! latest figure stands.

use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::statistics;
use econoscope_core::indicators::window::{Extreme, Standing, Swing, extremes};
use econoscope_core::model::Observation;
use econoscope_core::model::series_info::without_noise;

/// Figures over all rows of the range. Changes are in `change_unit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Digest {
    /// Oldest row.
    pub first: Observation,
    /// Newest row.
    pub last: Observation,
    /// Lowest row.
    pub min: ExtremeRow,
    /// Highest row.
    pub max: ExtremeRow,
    /// Arithmetic mean.
    pub mean: f64,
    /// Last less first.
    pub change: f64,
    /// Unit of every change: "points" of a percentage or score, else the series' own.
    pub change_unit: String,
    /// The change in basis points, of percentages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_bp: Option<f64>,
    /// The change in percent of the first; null of percentages, logarithms, changes and scores, and unless all rows are positive.
    pub change_pct: Option<f64>,
    /// Percent a year at which the first grew to the last; null under a year, and where `change_pct` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yearly_pct: Option<f64>,
    /// The greatest fall from a row to a later one, by percent where there is one; null where nothing fell.
    pub fall: Option<RangeMove>,
    /// First row after the fall that is at its beginning again or above; null where none is up to the last row.
    pub fall_recovered: Option<Date>,
    /// The greatest rise likewise.
    pub rise: Option<RangeMove>,
    /// Percent of rows strictly below the last.
    pub below_pct: f64,
    /// Percent of rows equal to the last, itself among them.
    pub equal_pct: f64,
    /// Percent of rows strictly above the last.
    pub above_pct: f64,
    /// Percent of rows below the last and half of those equal to it.
    pub percentile: Option<f64>,
}

/// The lowest or highest row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtremeRow {
    /// The oldest date with the value.
    pub date: Date,
    /// In the series' unit.
    pub value: f64,
    /// Rows with that value, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<usize>,
    /// The newest date with the value, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_date: Option<Date>,
}

/// A way from one row to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RangeMove {
    /// Where it began.
    pub from: Observation,
    /// Where it ended.
    pub to: Observation,
    /// End less beginning.
    pub change: f64,
    /// The same in percent, where a percent change means something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
}

/// Figures over rows that ascend by date; `None` without a row.
pub(super) fn digest(rows: &[Observation], measured: &FigureKind) -> Option<Digest> {
    let whole = Swing {
        from: *rows.first()?,
        to: *rows.last()?,
    };
    let (min, max) = extremes(rows)?;
    let in_percent = measured.is_amount() && min.first.value > 0.0;
    let percent = |swing: &Swing| swing.percent().filter(|_| in_percent).map(shown_percent);
    let moved = |swing: Swing| RangeMove {
        from: swing.from,
        to: swing.to,
        change: without_noise(swing.change()),
        change_pct: percent(&swing),
    };
    let yearly = whole.yearly_percent(measured.frequency);
    let extreme = |of: Extreme| ExtremeRow {
        date: of.first.date,
        value: of.first.value,
        ties: (of.ties > 1).then_some(of.ties),
        last_date: (of.ties > 1).then_some(of.last),
    };
    let standing = Standing::of_latest(rows);
    let share = |count| round_to(standing.percent(count), 1);
    let values: Vec<f64> = rows.iter().map(|r| r.value).collect();
    let change = without_noise(whole.change());
    let fall = Swing::greatest_fall(rows, in_percent);
    let recovered = fall.and_then(|fall| {
        let is_back = |row: &&Observation| row.date > fall.to.date && row.value >= fall.from.value;
        rows.iter().find(is_back)
    });
    Some(Digest {
        first: whole.from,
        last: whole.to,
        min: extreme(min),
        max: extreme(max),
        mean: round_to(statistics::mean(&values)?, measured.decimals + 2),
        change,
        change_unit: measured.change_unit.clone(),
        change_bp: measured.basis_points(change),
        change_pct: percent(&whole),
        yearly_pct: yearly.filter(|_| in_percent).map(shown_percent),
        fall: fall.map(moved),
        fall_recovered: recovered.map(|row| row.date),
        rise: Swing::greatest_rise(rows, in_percent).map(moved),
        below_pct: share(standing.below),
        equal_pct: share(standing.equal),
        above_pct: share(standing.above),
        percentile: statistics::percentile_rank(&values, whole.to.value).map(|p| round_to(p, 1)),
    })
}

/// A percent change as it is told: to hundredths.
pub(super) fn shown_percent(percent: f64) -> f64 {
    round_to(percent, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::indicators::transform::Units;
    use econoscope_core::model::Series;
    use jiff::civil::date;

    fn of(id: &str, values: &[f64]) -> Digest {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        let month = |i: usize| {
            date(
                2020 + i16::try_from(i / 12).unwrap(),
                1 + i8::try_from(i % 12).unwrap(),
                1,
            )
        };
        let rows = values.iter().enumerate();
        let rows = rows.map(|(i, v)| Observation::new(month(i), *v)).collect();
        let series = Series::new(info, rows);
        let frequency = series.frequency();
        let measured = FigureKind::new(&series, Units::Level, frequency);
        digest(&series.observations, &measured).unwrap()
    }

    #[test]
    fn a_percentage_changes_in_points() {
        let d = of("UNRATE", &[4.2, 4.4, 4.1, 4.4, 4.1]);
        assert_eq!(
            (d.change, d.change_bp, d.change_pct),
            (-0.1, Some(-10.0), None)
        );
        assert_eq!(
            (d.max.ties, d.max.date, d.max.last_date),
            (Some(2), date(2020, 2, 1), Some(date(2020, 4, 1)))
        );
        assert_eq!((d.below_pct, d.equal_pct, d.above_pct), (0.0, 40.0, 60.0));
        assert_eq!(d.fall.unwrap().change, -0.3);
        assert_eq!((d.mean, d.percentile), (4.24, Some(20.0)));
        assert_eq!(d.fall_recovered, Some(date(2020, 4, 1)));
        assert_eq!(of("UNRATE", &[4.2, 4.4, 4.1, 4.3]).fall_recovered, None);
    }

    #[test]
    fn an_amount_changes_in_percent_and_by_the_year() {
        let values: Vec<f64> = (0..25).map(|i| 100.0 + f64::from(i)).collect();
        let d = of("PAYEMS", &values);
        assert_eq!((d.change, d.change_pct), (24.0, Some(24.0)));
        assert_eq!(d.yearly_pct, Some(11.36));
        assert_eq!(
            (d.change_unit.as_str(), d.change_bp),
            ("thousand persons", None)
        );
        assert_eq!(d.fall, None);
        assert_eq!(of("BOPGSTB", &[-5.0, -6.0]).change_pct, None);
    }
}

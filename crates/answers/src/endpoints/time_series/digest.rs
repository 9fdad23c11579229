//! Statistics over the rows of a range: ends and change, extremes, the greatest fall and rise, and the rank of the latest
//! figure.

use crate::prelude::*;
use econoscope_core::indicators::statistics;
use econoscope_core::indicators::window::{Extreme, RankCounts, ValueChange, extremes};

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

/// Move from one row to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RangeMove {
    /// First row.
    pub from: Observation,
    /// Last row.
    pub to: Observation,
    /// Last less first.
    pub change: f64,
    /// The same in percent, where a percent change means something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
}

/// The text tells the greatest fall and rise of more rows than these.
const MIN_ROWS_FOR_MOVES: usize = 24;

/// Summarizes rows that ascend by date; `None` without a row.
pub(super) fn summarize(rows: &[Observation], kind: &FigureKind) -> Option<Digest> {
    let whole = ValueChange {
        from: *rows.first()?,
        to: *rows.last()?,
    };
    let (min, max) = extremes(rows)?;
    let in_percent = kind.is_amount() && min.first.value > 0.0;
    let percent = |swing: &ValueChange| swing.percent().filter(|_| in_percent).map(round_percent);
    let range_move = |swing: ValueChange| RangeMove {
        from: swing.from,
        to: swing.to,
        change: remove_rounding_error(swing.change()),
        change_pct: percent(&swing),
    };
    let yearly = whole.yearly_percent(kind.frequency);
    let extreme = |extreme: Extreme| ExtremeRow {
        date: extreme.first.date,
        value: extreme.first.value,
        ties: (extreme.ties > 1).then_some(extreme.ties),
        last_date: (extreme.ties > 1).then_some(extreme.last),
    };
    let rank = RankCounts::of_latest(rows);
    let share = |count| round_to(rank.percent(count), 1);
    let values: Vec<f64> = rows.iter().map(|r| r.value).collect();
    let change = remove_rounding_error(whole.change());
    let fall = ValueChange::greatest_fall(rows, in_percent);
    let recovery = fall.and_then(|fall| {
        let is_back = |row: &&Observation| row.date > fall.to.date && row.value >= fall.from.value;
        rows.iter().find(is_back)
    });
    Some(Digest {
        first: whole.from,
        last: whole.to,
        min: extreme(min),
        max: extreme(max),
        mean: round_to(statistics::mean(&values)?, kind.decimals + 2),
        change,
        change_unit: kind.change_unit.clone(),
        change_bp: kind.basis_points(change),
        change_pct: percent(&whole),
        yearly_pct: yearly.filter(|_| in_percent).map(round_percent),
        fall: fall.map(range_move),
        fall_recovered: recovery.map(|row| row.date),
        rise: ValueChange::greatest_rise(rows, in_percent).map(range_move),
        below_pct: share(rank.below),
        equal_pct: share(rank.equal),
        above_pct: share(rank.above),
        percentile: statistics::percentile_rank(&values, whole.to.value).map(|p| round_to(p, 1)),
    })
}

impl Digest {
    /// Describes the digest of `count` rows.
    pub(super) fn describe(&self, count: usize, kind: &FigureKind) -> String {
        let label = |date| kind.frequency.label(date);
        let dated = |row: &Observation| kind.format_dated(row.value, row.date);
        if count == 1 {
            return format!("{}.", dated(&self.last));
        }
        // "14.80 in April 2020", "0.05 on 2011-09-22 (first of 3, last 2015-01-02)".
        let extreme = |row: &ExtremeRow| {
            let ties = row.ties.zip(row.last_date);
            let told = ties.map(|(n, last)| format!(" (first of {n}, last {})", label(last)));
            kind.format_dated(row.value, row.date) + &told.unwrap_or_default()
        };
        let yearly = enclosed_value(", ", self.yearly_pct, " % a year");
        let mut text = format!(
            "Latest {}; first {}; change {}{yearly}. Lowest {}; highest {}; mean {}.",
            dated(&self.last),
            dated(&self.first),
            kind.format_change(self.change, self.change_pct),
            extreme(&self.min),
            extreme(&self.max),
            self.mean,
        );
        let end = |row: &Observation| format!("{} ({})", kind.format(row.value), label(row.date));
        let recovery = match self.fall_recovered {
            Some(day) => format!(", recovered {}", kind.frequency.period_phrase(day)),
            None => format!(", not recovered by {}", label(self.last.date)),
        };
        let fall = ("fall", &self.fall, recovery.as_str());
        // The text already has the change from the first row to the last, and the rows themselves where they are few.
        let is_part = |m: &&RangeMove| {
            count > MIN_ROWS_FOR_MOVES && (m.from != self.first || m.to != self.last)
        };
        for (word, extreme, recovery) in [fall, ("rise", &self.rise, "")] {
            if let Some(m) = extreme.as_ref().filter(is_part) {
                let change = kind.format_change(m.change, m.change_pct);
                let from = end(&m.from);
                let to = end(&m.to);
                text += &format!(" Greatest {word} {change}, {from} to {to}{recovery}.");
            }
        }
        text
    }
}

/// Rounds a percent change to hundredths.
pub(super) fn round_percent(percent: f64) -> f64 {
    round_to(percent, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn digest_of(id: &str, values: &[f64]) -> Digest {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        let month = |i: usize| {
            date(
                2020 + i16::try_from(i / 12).unwrap(),
                1 + i8::try_from(i % 12).unwrap(),
                1,
            )
        };
        let rows = values
            .iter()
            .enumerate()
            .map(|(i, v)| Observation::new(month(i), *v))
            .collect();
        let series = Series::new(info, rows);
        let frequency = series.frequency();
        let kind = FigureKind::new(&series, Units::Level, frequency);
        summarize(&series.observations, &kind).unwrap()
    }

    #[test]
    fn percentages_change_in_points() {
        let d = digest_of("UNRATE", &[4.2, 4.4, 4.1, 4.4, 4.1]);
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
        assert_eq!(
            digest_of("UNRATE", &[4.2, 4.4, 4.1, 4.3]).fall_recovered,
            None
        );
    }

    #[test]
    fn amounts_change_in_percent_and_per_year() {
        let values: Vec<f64> = (0..25).map(|i| 100.0 + f64::from(i)).collect();
        let d = digest_of("PAYEMS", &values);
        assert_eq!((d.change, d.change_pct), (24.0, Some(24.0)));
        assert_eq!(d.yearly_pct, Some(11.36));
        assert_eq!(
            (d.change_unit.as_str(), d.change_bp),
            ("thousand persons", None)
        );
        assert_eq!(d.fall, None);
        assert_eq!(digest_of("BOPGSTB", &[-5.0, -6.0]).change_pct, None);
    }
}

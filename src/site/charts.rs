//! Charts of what `get_time_series` and `compare_series` answer.

use econoscope_answers::endpoints::compare_series::Comparison;
use econoscope_answers::endpoints::{recessions, time_series};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::{ChartSpec, Line};
use econoscope_core::model::{Frequency, Observation};

/// How often something is measured that is said in a word; daily where it is not.
fn measured(word: Option<&str>) -> Frequency {
    let stated = word.and_then(|word| word.parse().ok());
    stated.unwrap_or(Frequency::Daily)
}

/// The rows of an answer as a line with a name.
pub(super) fn line(o: &time_series::TimeSeriesAnswer, name: &str) -> Line {
    Line {
        name: name.to_owned(),
        points: o.data.clone(),
        frequency: measured(o.frequency.as_deref()),
        is_right: false,
    }
}

/// A plot of an answer for a page, recessions shaded.
pub(super) fn plot(o: &time_series::TimeSeriesAnswer) -> ChartSpec {
    let known = Catalogue::embedded().get(&o.series_id);
    let as_published = o.published_unit();
    // A change is not more exact than its base.
    let decimals = known.map_or(2, |info| info.decimals);
    ChartSpec {
        title: o.display_name.clone(),
        decimals: match as_published {
            Some(_) => decimals,
            None => decimals.clamp(1, 2),
        },
        unit: as_published.unwrap_or_else(|| o.unit.clone()),
        unit_short: o.unit.clone(),
        lines: vec![line(o, "")],
        shading: recessions(),
        ..ChartSpec::default()
    }
}

/// A plot of a comparison; columns of another unit than the first stand on the right axis.
pub(super) fn compared(o: &Comparison) -> ChartSpec {
    let first = o.columns.first().map_or("", |c| &*c.unit);
    let second = o.columns.iter().find(|c| c.unit != first);
    let second = second.map_or(first, |c| &*c.unit);
    // There are two axes; a line of a third unit on one of them would say what is not so.
    let drawn: Vec<_> = o
        .columns
        .iter()
        .filter(|c| c.unit == first || c.unit == second)
        .collect();
    let lines = drawn.iter().map(|column| {
        let rows = o.dates.iter().zip(&column.values);
        Line {
            name: match o.columns.len() {
                1 => String::new(),
                _ => column.series.clone(),
            },
            points: rows
                .filter_map(|(d, v)| Some(Observation::new(*d, (*v)?)))
                .collect(),
            frequency: match o.dates.len() < o.rows {
                // Rows were left out; that is no gap.
                true => Frequency::Annual,
                false => measured(Some(&o.frequency)),
            },
            is_right: column.unit != first,
        }
    });
    let names: Vec<&str> = drawn.iter().map(|c| &*c.series).collect();
    ChartSpec {
        title: names.join(", "),
        unit: match second == first {
            true => first.to_owned(),
            false => format!("{first}; right: {second}"),
        },
        unit_short: first.to_owned(),
        decimals: 2,
        lines: lines.collect(),
        shading: recessions(),
        ..ChartSpec::default()
    }
}

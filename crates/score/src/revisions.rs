//! Statistics of the revisions of series, over every period with a first print in the bundled vintages.

use crate::new_table;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::{format_number, format_signed};
use econoscope_core::indicators::revisions::PrintMeasure;
use econoscope_core::model::SeriesInfo;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use std::sync::Arc;

/// The series of the tables, in order.
pub(super) fn series() -> impl Iterator<Item = &'static Arc<SeriesInfo>> {
    let ids = include_str!("../data/revised.txt").lines();
    ids.filter_map(|id| Catalogue::embedded().get(id))
}

pub(super) fn table(desk: &Desk) -> Result<ScoreTable> {
    let mut table = new_table("revisions", "revisions")?;
    for info in series() {
        let revisions = desk.revisions(info)?;
        if let Some((revisions, usual)) = revisions.as_ref().and_then(|r| Some((r, r.usual?))) {
            let digits = match revisions.measure {
                PrintMeasure::Change => 0,
                PrintMeasure::LevelInPercent => 1,
                PrintMeasure::Level | PrintMeasure::Growth | PrintMeasure::AnnualGrowth => 2,
            };
            let [short, year] = usual.after;
            let flips = year.sign_flips.map_or("-".to_owned(), |n| n.to_string());
            let [from, to] = [usual.from, usual.to].map(|day| day.strftime("%Y-%m").to_string());
            let sizes = [short.mean_abs, year.mean_abs, year.median_abs, year.p90_abs]
                .map(|v| format_number(v, digits));
            let head = [info.id.as_str().to_owned(), from, to, usual.n.to_string()];
            let end = [format_signed(year.bias, digits), flips];
            table.row(head.into_iter().chain(sizes).chain(end));
        }
    }
    Ok(table)
}

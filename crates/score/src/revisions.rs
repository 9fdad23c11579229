//! Statistics of the revisions of series, over every period with a first print in the bundled vintages.

use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::{format_number, format_signed};
use econoscope_core::indicators::revisions::PrintMeasure;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;

/// The series of the tables, in order.
pub(super) const SERIES: [&str; 14] = [
    "PAYEMS",
    "UNRATE",
    "INDPRO",
    "CPIAUCSL",
    "CPILFESL",
    "PCEPI",
    "GDPC1",
    "HOUST",
    "PERMIT",
    "W875RX1",
    "DPCERA3M086SBEA",
    "CMRMTSPLX",
    "RETAILX",
    "M2SL",
];

pub(super) fn table(desk: &Desk) -> Result<ScoreTable> {
    let title = "how first prints were revised after 3 and after 12 months; payrolls in thousands, starts and permits in \
                 percent of the level, all else in percentage points";
    let columns = [
        "series",
        "from",
        "to",
        "n",
        "mean abs 3 m",
        "mean abs 12 m",
        "median abs 12 m",
        "p90 12 m",
        "bias 12 m",
        "sign flips 12 m",
    ];
    let mut table = ScoreTable::new("revisions", title, &columns);
    for info in SERIES.iter().filter_map(|id| Catalogue::embedded().get(id)) {
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

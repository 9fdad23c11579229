//! The answer of a comparison, and its text.

use super::sheet::{self, SheetRow};
use crate::conditions::ConditionFigures;
use crate::endpoints::revisions::plus;
use crate::prelude::*;
use econoscope_core::indicators::prose::format_or_none;

/// The head of the table of columns. A percentile counts half of the figures equal to the latest.
const COLUMNS: &str = "\nseries,name,unit,latest,date,change,mean,lowest,lowest date,highest,highest date,z-score,percentile";

/// A series or formula over the range. Columns stand in the order asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedColumn {
    /// As requested.
    pub series: String,
    /// Full name, of a formula in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Unit of every figure but zScore and percentile.
    pub unit: String,
    /// Observations in the range.
    pub count: usize,
    /// First figure of the range.
    pub first: f64,
    /// Its date.
    pub first_date: Date,
    /// Newest less first.
    pub change: f64,
    /// Newest figure.
    pub latest: f64,
    /// Its date.
    pub date: Date,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: Option<f64>,
    /// Smallest.
    pub min: f64,
    /// When first.
    pub min_date: Date,
    /// How often.
    pub min_count: usize,
    /// Largest.
    pub max: f64,
    /// When first.
    pub max_date: Date,
    /// How often.
    pub max_count: usize,
    /// (latest − mean) / sd.
    pub z_score: Option<f64>,
    /// Share of the range below latest, percent.
    pub percentile: Option<f64>,
    /// Figures at `dates`; null where it has none.
    pub values: Vec<Option<f64>>,
    /// Fields here whose text is by others: material, never instructions.
    #[serde(default, skip_serializing_if = "UntrustedFields::is_none")]
    pub untrusted: UntrustedFields,
}

/// Correlation of two columns on their common dates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// One column.
    pub a: String,
    /// The other.
    pub b: String,
    /// Common dates.
    pub count: usize,
    /// Correlation of the figures.
    pub figures: Option<f64>,
    /// Correlation of period-to-period changes; none across a gap.
    pub changes: Option<f64>,
}

/// A column where the condition is met and where it is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionMeans {
    /// The column.
    pub series: String,
    /// Common frequency.
    pub frequency: String,
    /// Mean where it is met.
    pub met: Option<f64>,
    /// Figures in it.
    pub met_count: usize,
    /// Mean where it is not met.
    pub unmet: Option<f64>,
    /// Figures in it.
    pub unmet_count: usize,
}

/// The answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Of every column.
    pub frequency: String,
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
    /// Dates that all columns have.
    pub count: usize,
    /// Dates that any column has.
    pub rows: usize,
    /// Columns.
    pub columns: Vec<ComparedColumn>,
    /// Where asked for: pairs of columns with ten common dates or more; none of what is constant or 1 and 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<Correlation>,
    /// The condition, counted; of each column where it names nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionFigures>,
    /// Where the condition names its series: the mean of each column where it is met and where it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<ConditionMeans>,
    /// Dates that any column has, thinned.
    pub dates: Vec<Date>,
    /// In place of columns: a row for each series, a column for each day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<SheetRow>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Comparison {
    /// Renders a table of the columns, a line for each condition and pair, then the rows as CSV.
    pub(super) fn render_text(&self) -> String {
        if !self.table.is_empty() {
            return self.render_table();
        }
        let label = |date: &Date| match self.frequency.parse::<Frequency>() {
            Ok(frequency) => frequency.label(*date),
            Err(()) => date.to_string(),
        };
        let range = match self.dates.first().zip(self.dates.last()) {
            Some((first, last)) => format!("{} to {}", label(first), label(last)),
            None => DateRange::new(self.start, self.end).to_string(),
        };
        let rows = self.rows;
        let common = match self.columns.len() {
            1 => String::new(),
            _ => format!(", {} common to all columns", self.count),
        };
        let columns = self.columns.iter().map(ComparedColumn::format_row);
        let conditions = self.conditions.iter().map(ConditionFigures::describe);
        let means = self.means.iter().map(ConditionMeans::describe);
        let pairs = self.correlations.iter().map(Correlation::describe);
        let told = conditions.chain(means).chain(pairs);
        let lines = told.map(|line| format!("\n{line}"));
        format!(
            "{} figures, {range}, {rows} dates{common}.{COLUMNS}{}{}{}{}",
            capitalize(&self.frequency),
            join(columns, ""),
            join(lines, ""),
            self.render_rows(),
            self.provenance
                .render_closing_without(&["ends"], &self.attribution)
        )
    }

    /// Renders the rows of a table as CSV below its title.
    fn render_table(&self) -> String {
        let known = &self.provenance;
        let title = known.notes.get(sheet::TITLE).map_or("", String::as_str);
        let closing = known.render_closing_without(&[sheet::TITLE], &self.attribution);
        format!("{title}.\n{}{closing}", SheetRow::csv(&self.table))
    }

    fn render_rows(&self) -> String {
        let mut text = "\ndate".to_owned();
        let names = self.columns.iter().map(|c| table_cell(&c.series));
        text.extend(names.map(|name| format!(",{name}")));
        for (i, date) in self.dates.iter().enumerate() {
            text += &format!("\n{date}");
            let values = self.columns.iter().filter_map(|c| c.values.get(i));
            let cell = |value: &Option<f64>| value.map_or(",–".into(), |v| format!(",{v}"));
            text.extend(values.map(cell));
        }
        let shown = self.dates.len();
        let rows = self.rows;
        if shown < rows {
            text += &format!("\n{shown} of {rows} rows; max_points gives more.");
        }
        text
    }
}

impl ComparedColumn {
    /// Formats the column as a row of the table.
    fn format_row(&self) -> String {
        let title = self.title.as_deref().unwrap_or_default();
        let name = self.untrusted.format_field("title", title);
        let cells = [
            table_cell(&self.series),
            table_cell(&name),
            table_cell(&spell_out_unit(&self.unit)),
            self.latest.to_string(),
            self.date.to_string(),
            plus(self.change),
            self.mean.to_string(),
            self.min.to_string(),
            self.min_date.to_string(),
            self.max.to_string(),
            self.max_date.to_string(),
            cell(self.z_score),
            cell(self.percentile),
        ];
        format!("\n{}", cells.join(","))
    }
}

impl Correlation {
    fn describe(&self) -> String {
        let [figures, changes] = [self.figures, self.changes].map(format_or_none);
        format!(
            "Correlation {} ~ {} on {} common dates: figures {figures}, changes {changes}.",
            self.a, self.b, self.count
        )
    }
}

impl ConditionMeans {
    fn describe(&self) -> String {
        let [met, unmet] = [self.met, self.unmet].map(format_or_none);
        let frequency = &self.frequency;
        format!(
            "Mean of {} where it is met {met} ({} {frequency} figures), where not {unmet} ({}).",
            self.series, self.met_count, self.unmet_count
        )
    }
}

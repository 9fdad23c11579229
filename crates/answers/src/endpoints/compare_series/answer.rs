//! The answer of a comparison, and its text.

use crate::conditions::ConditionFigures;
use crate::prelude::*;
use econoscope_core::indicators::prose::format_or_none;
use econoscope_core::model::quantity::spell_out_unit;

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
    #[serde(default)]
    pub first: f64,
    /// Its date.
    #[serde(default)]
    pub first_date: Date,
    /// Newest less first.
    #[serde(default)]
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
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Comparison {
    /// Renders a line for each column, condition and pair, then the rows as CSV.
    pub(super) fn render_text(&self) -> String {
        let frequency = &self.frequency;
        let rows = self.rows;
        let range = DateRange::new(self.start, self.end);
        let mut text = format!("{frequency} figures {range}");
        text += &match self.columns.len() {
            1 => format!(", {rows} dates."),
            _ => format!(", {rows} dates, {} common to all columns.", self.count),
        };
        let columns = self.columns.iter().map(ComparedColumn::describe);
        let conditions = self.conditions.iter().map(ConditionFigures::describe);
        let means = self.means.iter().map(ConditionMeans::describe);
        let pairs = self.correlations.iter().map(Correlation::describe);
        let lines = columns.chain(conditions).chain(means).chain(pairs);
        text.extend(lines.map(|line| format!("\n{line}")));
        text += &self.render_rows();
        let notes = [
            self.provenance.describe_as_of(),
            self.provenance.describe_gaps(),
        ]
        .into_iter()
        .filter(|note| !note.is_empty());
        text.extend(notes.map(|note| format!("\n{note}")));
        format!(
            "{text}\n{}{}",
            self.provenance.format_sources(),
            self.attribution
        )
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
            text += &format!("\n({shown} of {rows} rows, evenly thinned; max_points gives more)");
        }
        text
    }
}

impl ComparedColumn {
    fn describe(&self) -> String {
        let shown_title = |title| format!(" ({})", self.untrusted.format_field("title", title));
        let title = self.title.as_deref().map(shown_title);
        let unit = match self.unit.as_str() {
            "" => "unit not stated".to_owned(),
            unit => spell_out_unit(unit),
        };
        let ties = |count: usize| match count {
            ..=1 => String::new(),
            many => format!(" (first of {many})"),
        };
        let mut text = format!(
            "{}{}, {unit}: {} on {}, {} on {} (change {:+}); {} figures, mean {}, lowest {} on {}{}, highest {} on {}{}",
            self.series,
            title.unwrap_or_default(),
            self.latest,
            self.date,
            self.first,
            self.first_date,
            self.change,
            self.count,
            self.mean,
            self.min,
            self.min_date,
            ties(self.min_count),
            self.max,
            self.max_date,
            ties(self.max_count),
        );
        if let (Some(sd), Some(z), Some(rank)) = (self.sd, self.z_score, self.percentile) {
            text += &format!("; sd {sd}, z-score {z}, percentile rank {rank}");
        }
        text + "."
    }
}

impl Correlation {
    fn describe(&self) -> String {
        let a = &self.a;
        let b = &self.b;
        let count = self.count;
        let figures = format_or_none(self.figures);
        let changes = format_or_none(self.changes);
        format!(
            "Correlation {a} ~ {b} on {count} common dates: figures {figures}, changes {changes}."
        )
    }
}

impl ConditionMeans {
    fn describe(&self) -> String {
        let met = format_or_none(self.met);
        let unmet = format_or_none(self.unmet);
        let frequency = &self.frequency;
        format!(
            "Mean of {} where it is met {met} ({} {frequency} figures), where not {unmet} ({}).",
            self.series, self.met_count, self.unmet_count
        )
    }
}

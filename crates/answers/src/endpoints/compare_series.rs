//! `compare_series`: up to eight series or formulas aligned on one calendar, with statistics and correlations.

mod answer;
mod columns;
mod sheet;
mod table;
mod wording;

pub use answer::{ComparedColumn, Comparison, ConditionMeans, Correlation};
pub use sheet::SheetRow;

use crate::conditions::formulas::{self, NamedSeries, RequestedColumn};
use crate::conditions::{Condition, EvaluationContext};
use crate::prelude::*;
use crate::render::aggregation_notes::partial_periods;
use crate::route::codes::{AggregationCode, FrequencyCode, UnitsCode};
use econoscope_core::indicators::expression;
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::model::frequency::Periods;
use sheet::Sheet;
use table::Table;

/// Most columns.
const MAX_COLUMNS: usize = 8;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Series, names or formulas: DGS10-DGS2, ann(CPILFESL,3), GFDEBTN/GDP*100, real(AHETPI,"2026-07").
    #[schemars(example = &["yoy(CPILFESL)", "FEDFUNDS"], length(min = 1, max = 8))]
    series: Vec<String>,
    /// A day, month, quarter or year, or 5y, max.
    #[schemars(extend("default" = "10y"))]
    start: Option<String>,
    /// Until when.
    end: Option<String>,
    /// Days as columns of a table: 2007-06-29, latest.
    dates: Option<Vec<String>>,
    /// Counted over the range: T10Y2Y < 0; >= 0.5 is about every column.
    #[schemars(length(min = 1, max = 200))]
    condition: Option<String>,
    /// FRED's, of every column.
    #[schemars(extend("default" = "lin"))]
    units: Option<UnitsCode>,
    /// wew: weeks to Wednesday. Lowest of the series unless given.
    frequency: Option<FrequencyCode>,
    /// Of finer figures; unless given: last of stocks (money, debt), else mean.
    aggregation: Option<AggregationCode>,
    /// Adds those of each pair.
    #[serde(default)]
    correlations: bool,
    /// Rows shown.
    #[schemars(range(min = 2, max = 2000))]
    max_points: Option<usize>,
    /// As known on: 2008-12-31, Q4 2008.
    as_of: Option<String>,
}

impl Params {
    /// The same request with every row, for a file.
    #[must_use]
    pub fn with_all_rows(self) -> Self {
        Self {
            max_points: Some(usize::MAX),
            ..self
        }
    }

    fn units(&self) -> Units {
        self.units.map_or(Units::Level, |units| units.value)
    }

    /// Whether the request names the day on which weeks end; else they end as those of a weekly column do.
    fn has_own_weeks(&self) -> bool {
        self.frequency.is_some_and(|f| f.code.starts_with("we"))
    }
}

/// A request with its formulas parsed.
struct Query<'a> {
    params: &'a Params,
    columns: Vec<RequestedColumn>,
    condition: Option<Condition>,
    context: EvaluationContext,
}

impl<'a> Query<'a> {
    /// Parses the formulas and fetches the series they name.
    fn new(desk: &Desk, params: &'a Params, as_of: AsOf) -> Result<Self> {
        let range = date_range(params, as_of, desk.today())?;
        let columns = requested_columns(desk, params)?;
        let parsed = params.condition.as_deref().map(Condition::parse);
        let condition = parsed.transpose()?;
        let trees = columns.iter().map(|column| &column.tree);
        let formulas = trees.chain(condition.iter().map(|c| &c.tree));
        let series = NamedSeries::fetch(desk, as_of, range, formulas)?;
        let frequency = params.frequency.map(|code| code.value.frequency);
        let aggregation = params
            .aggregation
            .map_or_else(|| series.default_aggregation(frequency), |code| code.value);
        Ok(Self {
            params,
            columns,
            condition,
            context: EvaluationContext {
                series,
                aggregation,
                frequency,
                range,
            },
        })
    }
}

impl Endpoint for Params {
    const TOOL: &'static str = "compare_series";
    type Output = Comparison;

    fn local(desk: &Desk, params: &Self) -> Result<Comparison> {
        if let Some(sheet) = Sheet::read(desk, params)? {
            return sheet.answer(desk);
        }
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let query = Query::new(desk, params, as_of)?;
        let context = &query.context;
        let computed = columns::compute(&query)?;
        let coarsest = || expression::coarsest(computed.series()).into();
        let periods = params.frequency.map_or_else(coarsest, |code| code.value);
        let mut provenance = Provenance::new(desk, as_of, context.series.ids())?;
        let columns = &query.columns;
        context.series.note_names(desk, columns, &mut provenance)?;
        for id in context.series.ids() {
            provenance.note_estimates(id, context.range.start, context.range.end);
        }
        if computed.series().any(|s| s.frequency() < periods.frequency) {
            provenance.note(
                "frequency",
                describe_aggregation(context, periods.frequency),
            );
        }
        note_partial_periods(&mut provenance, &context.series, periods, context.range);
        if computed.without_base > 0 {
            let dates = format!("absent on {} dates of the range", computed.without_base);
            provenance.note("gap", dates + ", where its second side is not above zero");
        }
        let table = Table::new(computed, &query, periods)?;
        table.note_dates(&mut provenance);
        let mut conditions = Vec::new();
        let mut means = Vec::new();
        if let Some(condition) = &query.condition {
            if let Some(reason) = context.series.missing_reason(&condition.tree) {
                provenance.note("condition", reason.to_string());
            } else {
                conditions = table.count(condition, context)?;
                means = table.means(condition, context)?;
            }
        }
        let correlations = params.correlations.then(|| table.correlations());
        let shown = table.thin(params.max_points);
        let first = table.grid.dates.first().copied();
        Ok(Comparison {
            frequency: periods.frequency.word().into(),
            start: first
                .filter(|_| context.range.is_open())
                .unwrap_or(context.range.start),
            end: context.range.end,
            count: table.common,
            rows: table.grid.dates.len(),
            columns: table.summaries(&shown),
            correlations: correlations.unwrap_or_default(),
            conditions,
            means,
            dates: table.dates(&shown),
            table: Vec::new(),
            attribution: desk.attribution(),
            provenance: table.with_missing(provenance)?,
        })
    }

    fn text(answer: &Comparison, _: &Self) -> String {
        answer.render_text()
    }
}

/// Parses the requested columns.
///
/// # Errors
/// [`Error::InvalidParam`] for too many; those of [`formulas::columns`].
fn requested_columns(desk: &Desk, params: &Params) -> Result<Vec<RequestedColumn>> {
    let mut columns = Vec::new();
    for text in &params.series {
        columns.extend(formulas::columns(desk, columns::FIELD, text)?);
    }
    if columns.len() > MAX_COLUMNS {
        let problem = format!("are {} columns", columns.len());
        let allowed = "up to 8 columns";
        return Err(Error::invalid(columns::FIELD, "", &problem, allowed));
    }
    Ok(columns)
}

/// Returns the requested range, by default the last ten years. The future is no part of a comparison.
fn date_range(params: &Params, as_of: AsOf, today: Date) -> Result<DateRange> {
    let newest = newest(as_of, today);
    let end = params.end.as_deref().unwrap_or("max");
    let last = dates::read("end", end, newest, today)?.min(newest);
    let start = params.start.as_deref().unwrap_or("10y");
    Ok(DateRange::new(dates::start(start, last, today)?, last))
}

/// Describes how the figures of finer series became those of a frequency.
fn describe_aggregation(context: &EvaluationContext, frequency: Frequency) -> String {
    let word = match context.aggregation {
        Aggregation::Average => "averages",
        Aggregation::Sum => "sums",
        Aggregation::EndOfPeriod => "last values",
    };
    format!("finer series are {frequency} {word}")
}

/// Notes which aggregated periods are short, cut by the range or not over, each with its series.
fn note_partial_periods(
    provenance: &mut Provenance,
    series: &NamedSeries,
    periods: Periods,
    range: DateRange,
) {
    let mut notes: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for one in series.iter().filter(|s| s.frequency() < periods.frequency) {
        for note in partial_periods(one, periods, range) {
            let ids = notes.entry(note).or_default();
            if !ids.contains(&one.info.id.as_str()) {
                ids.push(one.info.id.as_str());
            }
        }
    }
    for ((field, note), ids) in notes {
        provenance.append_note(field, &format!("{}: {note}", ids.join(", ")));
    }
}

#[cfg(test)]
mod tests;

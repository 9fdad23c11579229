//! The keys of a recipe (docs/OWN-DATA.md#recipes).

use super::any::AnySeries;
use crate::model::{Date, Frequency, Rights, SeriesId};
use jiff::civil::Weekday;
use jiff::fmt::strtime;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// URL without the API key.
    pub url: String,
    /// URLs to request in turn when there is nothing at `url`.
    pub alternatives: Vec<String>,
    /// URL for a request with a key, if it differs.
    pub keyed_url: Option<String>,
    /// Body of a POST; `None` for a GET.
    pub post: Option<String>,
    /// The `key` of the series that the request is for; `None` if it is for all.
    pub key: Option<String>,
}

/// One recipe file: a source and its feeds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The source and its terms.
    pub source: SourceFacts,
    /// The feeds of the source. FRED has none: it is requested series by series.
    #[serde(default, rename = "feed")]
    pub feeds: Vec<Feed>,
    /// Its calendars.
    #[serde(default, rename = "calendar")]
    pub calendars: Vec<CalendarRecipe>,
}

/// A calendar: the address at which an agency announces its release days, and their format.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarRecipe {
    /// Name within the source.
    pub id: String,
    /// URL template: `{from}`, `{offset}`.
    pub url: String,
    /// Format of the response.
    pub format: CalendarFormat,
    /// JSON pointer to a list of rows, or to an object whose members are the rows.
    #[serde(default)]
    pub rows: String,
    /// Names of the cells of a table's row.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Cell with the name of the release, `*` for the key of a member; empty where all rows are of one release.
    #[serde(default)]
    pub name: String,
    /// Cells of the day and its time, joined with a blank; the first may be a list of several days.
    pub date: Vec<String>,
    /// Formats of strptime, tried in turn; also `instant` (RFC 3339).
    pub formats: Vec<String>,
    /// Whether the first cell of `date` has days of a month: `1, 8, 15`, or of a meeting, `27 - 28`, the last of which counts.
    #[serde(default)]
    pub days: bool,
    /// Whether times are in UTC instead of New York's.
    #[serde(default)]
    pub utc: bool,
    /// Cell with the period of the figures.
    pub period: Option<DateForm>,
    /// Rows of a full page, after which the next one is requested.
    pub page_rows: Option<usize>,
    /// Stored responses with what a test expects of them: `body`, `origin`, `rows`, and the day of a release, `expect`.
    #[serde(default, rename = "sample")]
    pub samples: Vec<toml::Table>,
}

/// Format of a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarFormat {
    /// A list of objects, or an object of objects.
    Json,
    /// Tables of a page.
    Html,
    /// Every date in the text of a page.
    Words,
}

/// A source: its name, terms, hosts and API key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFacts {
    /// Name as the origin of rows: lower case, digits, underscores.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL of its terms.
    pub terms: String,
    /// The citation that must be shown with its figures.
    pub cite: String,
    /// Rights of use by its terms.
    pub rights: Rights,
    /// The only hosts that requests and redirects may go to.
    pub hosts: Vec<String>,
    /// Milliseconds between two requests.
    #[serde(default = "second")]
    pub pace_ms: u64,
    /// Place of its API key, if it takes one.
    pub key: Option<KeyPlace>,
}

fn second() -> u64 {
    1000
}

/// Place of an API key: the query, a header or a JSON body.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyPlace {
    /// Name of the query parameter.
    pub query: Option<String>,
    /// Name of the header.
    pub header: Option<String>,
    /// Name of the member of the JSON body of a POST.
    pub body: Option<String>,
    /// Text before the key in the header.
    #[serde(default)]
    pub prefix: String,
    /// Whether the source answers without a key.
    #[serde(default)]
    pub optional: bool,
    /// URL or instructions for getting a key.
    pub from: String,
}

/// Format of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// A list of objects, or of lists whose cells `columns` names.
    Json,
    /// Elements below the root; a field is a path of elements in a row.
    Xml,
    /// A release of the Federal Reserve Board: SDMX-ML in a ZIP archive.
    BoardZip,
    /// The surveys of the Bureau of Labor Statistics.
    Bls,
    /// National accounts as `code,period,value`.
    BeaFlat,
    /// The monthly Treasury statement, which lists names of months below a fiscal year.
    Mts,
}

/// Evidence that a recipe fits its responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatEvidence {
    /// A real response is stored beside the recipe.
    #[default]
    Sample,
    /// Others have published a live response, or their programs read it this way.
    Others,
    /// From memory only: the figures are accepted once they agree with stored ones.
    Memory,
}

/// A feed: its requests and the format of its responses.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// Name within the source.
    pub id: String,
    /// URL template: `{year}`, `{from}`, `{to}`, `{from_epoch}`, `{page}`, `{offset}`, `{series}`.
    #[serde(default)]
    pub url: String,
    /// URL templates to request in turn when there is nothing at `url` (HTTP 404 or 410).
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// URL template for requests with a key, if it differs.
    pub keyed_url: Option<String>,
    /// Whether plain HTTP is allowed.
    #[serde(default)]
    pub plain_http: bool,
    /// Whether figures have a decimal comma, and points or blanks between thousands.
    #[serde(default)]
    pub decimal_comma: bool,
    /// Template of the body of a POST, in which `{fields}` is the JSON list of a batch; `None` for a GET.
    pub post: Option<String>,
    /// How a response says that the day's requests are used up.
    pub quota: Option<Quota>,
    /// Split of the feed into several requests.
    pub split: Option<Split>,
    /// Format of the response.
    pub format: Format,
    /// Required columns.
    #[serde(default)]
    pub header: Vec<String>,
    /// Separator of cells; a comma by default.
    pub separator: Option<char>,
    /// The header line; the text before it is the preamble.
    pub skip_to: Option<String>,
    /// Words that the preamble must contain.
    #[serde(default, rename = "must")]
    pub required_words: Vec<String>,
    /// Words that the preamble must not contain.
    #[serde(default, rename = "must_not")]
    pub forbidden_words: Vec<String>,
    /// JSON pointer to the rows, whose final `/*` takes the first list below; name of the rows in XML.
    #[serde(default)]
    pub rows: String,
    /// Values that the response must have, by JSON pointer; `{series}` stands for the requested key.
    #[serde(default, rename = "says")]
    pub required_values: Vec<Condition>,
    /// Names of the cells if rows are lists.
    #[serde(default)]
    pub columns: Vec<String>,
    /// JSON pointer in a row to a list; each of its entries becomes a row that also has the cells of the outer row.
    pub expand: Option<String>,
    /// Conditions that a row must meet.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Rule for several rows of a date; without it, two different values are an error.
    pub one_per_date: Option<OnePerDate>,
    /// Position and format of a row's date.
    pub date: Option<DateForm>,
    /// Texts of a missing figure; a number stands for every spelling of it.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Meaning of a missing column or key.
    #[serde(default, rename = "absent")]
    pub missing_field: MissingField,
    /// Release time of a new figure.
    pub release: Option<Release>,
    /// Age in days of the newest figure from which the next source is requested, too.
    pub max_age_days: Option<i64>,
    /// Whether each release recomputes the whole history.
    #[serde(default)]
    pub rewrites_history: bool,
    /// Whether today's row is preliminary and dropped.
    #[serde(default)]
    pub drop_last: bool,
    /// A series that must have a figure on every date of the response.
    pub every_date_of: Option<SeriesId>,
    /// Evidence that the recipe fits.
    #[serde(default, rename = "seen")]
    pub evidence: FormatEvidence,
    /// Its series. A series may be listed several times.
    #[serde(default)]
    pub series: Vec<SeriesRecipe>,
    /// The forms of the identifiers of further series.
    pub any: Option<AnySeries>,
    /// Stored responses with their expected figures.
    #[serde(default, rename = "sample")]
    pub samples: Vec<Sample>,
}

/// One series of a feed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesRecipe {
    /// Identifier.
    pub id: SeriesId,
    /// Its column, key or name in the response.
    #[serde(default)]
    pub field: String,
    /// Value of `{series}` in the URL.
    #[serde(default)]
    pub key: String,
    /// Factor from the response's unit to the catalogue's; 1 by default.
    pub scale: Option<f64>,
    /// Decimals to round to.
    pub decimals: Option<u8>,
    /// Smallest accepted value.
    pub min: Option<f64>,
    /// Largest accepted value.
    pub max: Option<f64>,
    /// First accepted date.
    pub from: Option<Date>,
    /// Conditions that a row must meet to count for this series. In a release of the Board, attributes that identify the
    /// series where its name is another than `field`.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Keeps only the last figure of each of these periods, once the period is over.
    pub last_of: Option<Frequency>,
    /// Expected unit in the response.
    pub unit: Option<String>,
    /// Expected unit multiplier in the response.
    pub multiplier: Option<f64>,
    /// Data set of the series in a response with several.
    pub set: Option<String>,
    /// Evidence that the entry fits; the feed's by default.
    #[serde(default, rename = "seen")]
    pub evidence: Option<FormatEvidence>,
    /// Title of a series that is not in the catalogue.
    pub title: Option<String>,
    /// Unit in words of a series that is not in the catalogue.
    pub units: Option<String>,
    /// Frequency of a series that is not in the catalogue.
    pub frequency: Option<Frequency>,
}

impl SeriesRecipe {
    /// Returns the evidence that the entry fits.
    pub fn format_evidence(&self, feed: &Feed) -> FormatEvidence {
        self.evidence.unwrap_or(feed.evidence)
    }
}

/// A condition: the cell `field` has the text `is`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Name of the cell, or JSON pointer.
    pub field: String,
    /// Expected text.
    pub is: String,
}

/// How a response says that the day's requests are used up.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Values that such a response has, by JSON pointer.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// JSON pointer to its message.
    pub message: String,
    /// Words of which the message has at least one.
    pub words: Vec<String>,
    /// What the operator can do, as a clause.
    pub hint: String,
    /// Requests a day without a key, and how many of them questions may take.
    pub daily: Option<[u32; 2]>,
    /// The same with a key.
    pub keyed_daily: Option<[u32; 2]>,
}

/// Rule for several rows of a date.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, tag = "keep", rename_all = "snake_case")]
pub enum OnePerDate {
    /// The row with the greatest text in a cell.
    Greatest {
        /// Name of the cell.
        field: String,
    },
    /// The sum of the rows.
    Sum,
}

/// Position and format of a row's date.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateForm {
    /// Name of its cell.
    #[serde(default)]
    pub field: String,
    /// Names of its cells, joined with a blank.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Formats of strptime, tried in turn; also `epoch`, `epoch_ms` and `year quarter`.
    pub formats: Vec<String>,
    /// Required weekday of every date.
    #[serde(default, deserialize_with = "parse_weekday")]
    pub weekday: Option<Weekday>,
    /// Period whose first day replaces the date.
    pub stamp: Option<Frequency>,
}

/// Parses a weekday from the first three letters of its English name.
fn parse_weekday<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Weekday>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let parsed = strtime::parse("%a", &name).ok();
    let weekday = parsed.and_then(|parsed| parsed.weekday());
    weekday.map(Some).ok_or_else(|| {
        D::Error::custom(format!(
            "\"{name}\" is none of mon, tue, wed, thu, fri, sat, sun"
        ))
    })
}

/// Meaning of a missing column or key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingField {
    /// The response has changed its format and is refused.
    #[default]
    Refuse,
    /// The row has no figure.
    Skip,
}

/// Release time of a new figure, in New York time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Business days after the date of the figure; the catalogue's lag by default.
    pub after_business_days: Option<u8>,
    /// Weekday of the release, on or after that day.
    #[serde(default, deserialize_with = "parse_weekday")]
    pub weekday: Option<Weekday>,
    /// Time of day.
    pub at: jiff::civil::Time,
}

/// Split of a feed into several requests.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, tag = "by", rename_all = "snake_case")]
pub enum Split {
    /// One request per year.
    Year {
        /// First available year.
        first: i16,
    },
    /// One request per window of days.
    Window {
        /// Days per request.
        days: i32,
        /// First available day.
        first: Date,
    },
    /// Pages, as long as the response links to a further one or announces more rows.
    Page {
        /// JSON pointer to a value that is null on the last page.
        next: Option<String>,
        /// JSON pointer to the total number of rows.
        total: String,
        /// First available day.
        first: Date,
    },
    /// One request per series.
    Series {
        /// First available day.
        first: Option<Date>,
    },
    /// Batches of series and years, the newest years first, so that a used-up quota leaves the oldest for the next day.
    Batch {
        /// Series per request.
        series: usize,
        /// Years per request.
        years: i16,
        /// Years of a whole history, this year included.
        history_years: i16,
    },
}

/// A stored response and its expected figures.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Path below `data/sources/samples`, or the response itself.
    pub body: String,
    /// Where and when it was recorded, or that it was written by hand.
    pub origin: String,
    /// Number of figures of the expected series in it.
    pub rows: usize,
    /// One of these figures.
    pub expect: Expect,
}

/// An expected figure of a stored response.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Series.
    pub id: SeriesId,
    /// Date.
    pub date: Date,
    /// Value in the catalogue's unit.
    pub value: f64,
}

//! What stands in a recipe, word by word (docs/SOURCES.md#recipes).

use crate::model::{Date, Frequency, Rights, SeriesId};
use jiff::civil::Weekday;
use jiff::fmt::strtime;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Address, without a key.
    pub url: String,
    /// Body of a POST.
    pub post: Option<String>,
    /// The key of the lines that it is about, where it is not about all.
    pub key: Option<String>,
}

/// One file: a source and its feeds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Who it is and what it allows.
    pub source: SourceFacts,
    /// Its files and paths, each the answer to one question; none of FRED, which is asked series by series.
    #[serde(default)]
    pub feed: Vec<Feed>,
}

/// Who a source is, and on which terms it is asked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFacts {
    /// Its name as the origin of rows: lower case, digits, underscores.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Page with its terms.
    pub terms: String,
    /// The sentence it asks for where its figures are shown.
    pub cite: String,
    /// What may be done with what it gives.
    pub rights: SourceRights,
    /// Only these hosts are asked or followed to.
    pub hosts: Vec<String>,
    /// Time between two requests, in milliseconds.
    #[serde(default = "second")]
    pub pace_ms: u64,
    /// Where its key goes, if it takes one.
    pub key: Option<KeyPlace>,
}

fn second() -> u64 {
    1000
}

/// What the owner of a source allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceRights {
    /// May be bundled and served.
    Open,
    /// May be served with the source's notice.
    Notice,
    /// May be served with a citation.
    Cite,
    /// Not for gain; passed on to nobody until an operator says so.
    NonCommercial,
    /// For whoever fetches it.
    Personal,
    /// As personal; the contract of the operator's key rules.
    OwnKey,
}

impl SourceRights {
    /// What is allowed, in the catalogue's terms.
    pub fn rights(self) -> Rights {
        match self {
            Self::Open => Rights::Ok,
            Self::Notice | Self::Cite => Rights::OkWithCitation,
            Self::NonCommercial | Self::Personal | Self::OwnKey => Rights::FetchOnly,
        }
    }
}

/// Where a key goes: into the query under a name, into a header, or into the body of the question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyPlace {
    /// Name in the query.
    pub query: Option<String>,
    /// Name of the header.
    pub header: Option<String>,
    /// What stands before the key in the header.
    #[serde(default)]
    pub prefix: String,
    /// Whether the source answers without one.
    #[serde(default)]
    pub optional: bool,
    /// Where a key comes from.
    pub from: String,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Rows of cells under a header.
    Csv,
    /// A list of objects, or of lists with `columns`.
    Json,
    /// A release of the Federal Reserve Board: a ZIP with SDMX in XML.
    BoardZip,
    /// The surveys of the Bureau of Labor Statistics, asked by POST.
    Bls,
    /// National accounts as `code,period,value`.
    BeaFlat,
    /// The monthly Treasury statement, whose months are names below a fiscal year.
    Mts,
    /// Weekly claims in XML, asked by POST.
    Claims,
}

/// Whether anybody has seen an answer that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// A real body is kept beside the recipe.
    #[default]
    Sample,
    /// Others have written down a live answer, or their programs read it so.
    Others,
    /// Nobody whom we know: it counts only after its figures agree with figures held.
    Memory,
}

/// One kind of question and how its answer is read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// Its name within the source.
    pub id: String,
    /// Template of the address: `{year}`, `{from}`, `{to}`, `{from_epoch}`, `{page}`, `{offset}`, `{series}`.
    #[serde(default)]
    pub url: String,
    /// Whether the address may lack TLS.
    #[serde(default)]
    pub plain_http: bool,
    /// Whether figures have a decimal comma, and points or blanks between thousands.
    #[serde(default)]
    pub decimal_comma: bool,
    /// Body of a POST, a template as well; without one it is a GET.
    pub post: Option<String>,
    /// How one question becomes several requests.
    pub split: Option<Split>,
    /// How the answer is written.
    pub format: Format,
    /// Columns that must be there.
    #[serde(default)]
    pub header: Vec<String>,
    /// Sign between cells.
    pub separator: Option<char>,
    /// The line that is the header; what stands before it is the preamble.
    pub skip_to: Option<String>,
    /// Words that the preamble must hold.
    #[serde(default)]
    pub must: Vec<String>,
    /// Words that the preamble must not hold.
    #[serde(default)]
    pub must_not: Vec<String>,
    /// JSON pointer to the rows.
    #[serde(default)]
    pub rows: String,
    /// What else the answer must say, by JSON pointer; `{series}` stands for the key asked for.
    #[serde(default)]
    pub says: Vec<Condition>,
    /// Names of the cells where rows are lists.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Pointer in a row to a list, each entry of which becomes a row with the cells of both.
    pub expand: Option<String>,
    /// Rows that count.
    #[serde(default, rename = "where")]
    pub only: Vec<Condition>,
    /// What to do with several rows of a date; without it two values are an error.
    pub one_per_date: Option<OnePerDate>,
    /// Where the date stands.
    pub date: Option<DateForm>,
    /// Words for a missing figure.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Whether a column or key may be lacking.
    #[serde(default)]
    pub absent: Absent,
    /// When the next figure comes.
    pub release: Option<Release>,
    /// Age in days at which its newest figure is a reason to ask the next source too.
    pub max_age_days: Option<i64>,
    /// Whether the whole past is computed anew each time.
    #[serde(default)]
    pub rewrites_history: bool,
    /// Whether the newest row is unfinished.
    #[serde(default)]
    pub drop_last: bool,
    /// Series of which every date of the answer must have a figure.
    pub every_date_of: Option<SeriesId>,
    /// Whether an answer was seen.
    #[serde(default)]
    pub seen: Seen,
    /// What it brings. The same series may stand here several times.
    pub series: Vec<SeriesRecipe>,
    /// Answers that are kept, with what they must give.
    #[serde(default)]
    pub sample: Vec<Sample>,
}

/// One series of a feed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesRecipe {
    /// Series.
    pub id: SeriesId,
    /// Its cell, or its name there.
    #[serde(default)]
    pub field: String,
    /// What `{series}` in the address stands for.
    #[serde(default)]
    pub key: String,
    /// Factor to the catalogue's unit.
    #[serde(default = "one")]
    pub scale: f64,
    /// Decimals to round to.
    pub decimals: Option<u8>,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// First date that counts.
    pub from: Option<Date>,
    /// Rows that count for this series.
    #[serde(default, rename = "where")]
    pub only: Vec<Condition>,
    /// Only the last figure of each of these periods, once the period is over.
    pub last_of: Option<Period>,
    /// The unit the answer must state, where it states one.
    pub unit: Option<String>,
    /// The multiplier the answer must state, where it states one.
    pub multiplier: Option<f64>,
    /// The data set the answer must have it in, where it has several.
    pub set: Option<String>,
    /// Whether an answer was seen; that of the feed otherwise.
    pub seen: Option<Seen>,
    /// What it is called, where the catalogue does not know it.
    pub title: Option<String>,
    /// Its unit in words, where the catalogue does not know it.
    pub units: Option<String>,
    /// Its frequency, where the catalogue does not know it.
    pub frequency: Option<Frequency>,
}

fn one() -> f64 {
    1.0
}

impl SeriesRecipe {
    /// Whether anybody has seen an answer for it.
    pub fn seen(&self, feed: &Feed) -> Seen {
        self.seen.unwrap_or(feed.seen)
    }
}

/// A condition: this cell holds this text.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Cell, or JSON pointer.
    pub field: String,
    /// Text.
    pub is: String,
}

/// Which of several rows of a date counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, tag = "keep", rename_all = "snake_case")]
pub enum OnePerDate {
    /// That with the greatest text in a cell.
    Greatest {
        /// Cell.
        field: String,
    },
    /// Their sum.
    Sum,
}

/// Where a date stands and how it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateForm {
    /// Its cell.
    #[serde(default)]
    pub field: String,
    /// Its cells, joined with a blank.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Forms as of strptime, tried in turn; `epoch`, `epoch_ms`, and `year quarter` too.
    pub formats: Vec<String>,
    /// The weekday every date must be.
    #[serde(default, deserialize_with = "weekday")]
    pub weekday: Option<Weekday>,
    /// The period whose first day is the stamp.
    pub stamp: Option<Period>,
}

/// A period that dates are stamped with the first day of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Its months.
    Month,
    /// Its quarters.
    Quarter,
    /// Its years.
    Year,
}

impl Period {
    /// The first day of the period that holds a day.
    pub(super) fn stamp(self, day: Date) -> Date {
        let frequency = match self {
            Self::Month => Frequency::Monthly,
            Self::Quarter => Frequency::Quarterly,
            Self::Year => Frequency::Annual,
        };
        frequency.stamp(day)
    }
}

/// A day of the week by the first three letters of its English name.
fn weekday<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Weekday>, D::Error> {
    let name = String::deserialize(reader)?;
    let day = strtime::parse("%a", &name).ok();
    let day = day.and_then(|day| day.weekday());
    let none = || {
        D::Error::custom(format!(
            "\"{name}\" is none of mon, tue, wed, thu, fri, sat, sun"
        ))
    };
    day.ok_or_else(none).map(Some)
}

/// What a lacking column or key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// The answer has changed its shape.
    #[default]
    Refuse,
    /// There is no figure.
    Skip,
}

/// When a new figure appears, New York time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Business days after the day of the figure; otherwise the catalogue's pattern holds.
    pub after_business_days: Option<u8>,
    /// The weekday on which it comes, on or after that.
    #[serde(default, deserialize_with = "weekday")]
    pub weekday: Option<Weekday>,
    /// Time of day.
    pub at: jiff::civil::Time,
}

/// How one question becomes several requests.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, tag = "by", rename_all = "snake_case")]
pub enum Split {
    /// A request a year.
    Year {
        /// First year there is.
        first: i16,
    },
    /// A request for so many days.
    Window {
        /// Days in a request.
        days: i32,
        /// First day there is.
        first: Date,
    },
    /// Pages, as long as the answer names a further one or announces more rows.
    Page {
        /// Pointer to what is null on the last page.
        next: Option<String>,
        /// Pointer to the number of all rows.
        total: String,
        /// First day there is.
        first: Date,
    },
    /// A request for each series, from this day.
    Series {
        /// First day there is.
        first: Option<Date>,
    },
}

/// A kept answer and what must come of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// File below `data/sources/samples`, or text.
    pub body: String,
    /// Where it is from and when it was read, or that it was written by hand.
    pub origin: String,
    /// Figures of the expected series in it.
    pub rows: usize,
    /// One of them.
    pub expect: Expect,
}

/// A figure that must come of a kept answer.
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

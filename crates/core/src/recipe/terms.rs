//! The smaller words of a recipe: conditions, dates, periods, requests, kept answers.

use crate::model::{Date, Frequency, SeriesId};
use serde::Deserialize;

/// A condition: this cell holds this text.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Is {
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
    pub weekday: Option<Day>,
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

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Day {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

impl From<Day> for jiff::civil::Weekday {
    fn from(day: Day) -> Self {
        Self::Monday.wrapping_add(day as i8)
    }
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
    pub weekday: Option<Day>,
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

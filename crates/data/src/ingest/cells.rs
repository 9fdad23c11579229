//! Reads the cells of CSV as spreadsheets and agencies write them: separators, dates, numbers, signs for a missing figure.
//!
//! A cell never decides alone what `01/02/2024` or `1,234` means. [`Notation::of`] looks at every row of a file; where the
//! rows allow two readings, the cell is an error that names both.

use econoscope_core::error::quote;
use econoscope_core::model::Date;
use econoscope_core::recipe;
use std::cmp::Ordering;

/// Valid years of a date.
const YEARS: std::ops::RangeInclusive<i16> = 1500..=2200;
const MONTH_FIRST: &str = "%m/%d/%Y";
const DAY_FIRST: &str = "%d/%m/%Y";
/// Forms of dates, the most frequent first. Those with slashes are told apart by all rows.
const DATE_FORMS: [&str; 12] = [
    "%Y-%m-%d",
    MONTH_FIRST,
    DAY_FIRST,
    "%d.%m.%Y",
    "%Y/%m/%d",
    "%Y%m%d",
    "%Y-%m",
    "%d-%b-%Y",
    "%b %Y",
    "%b-%Y",
    "%B %Y",
    "period",
];
/// Rows that a column of months or quarters needs, to be told from days by its form alone.
const MIN_MONTHS: usize = 13;
/// Texts for a missing figure, in small letters.
const MISSING: [&str; 13] = [
    "", ".", "nan", "na", "n/a", "#n/a", "n.a.", "nd", "nc", "null", "none", "-", "..",
];

/// How a file writes its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Notation {
    pub(super) separator: u8,
    /// `None`: days and months cannot be told apart.
    date_form: Option<&'static str>,
    /// The mark before decimals; `None`: it cannot be told from the one between thousands.
    mark: Option<char>,
}

impl Notation {
    /// The notation of FRED and of this program.
    pub(super) const PLAIN: Self = Self {
        separator: b',',
        date_form: Some("%Y-%m-%d"),
        mark: Some('.'),
    };

    /// Returns the separator of a first line: the one that sets a column apart whose name `is_known`.
    pub(super) fn separator(line: &[u8], is_known: impl Fn(&[u8]) -> bool) -> u8 {
        let separators = [b',', b';', b'\t'];
        let has_name = |separator: &u8| cells(line, *separator).any(&is_known);
        separators.into_iter().find(has_name).unwrap_or(b',')
    }

    /// Returns the notation of the dates and figures of a file, by all of its rows.
    pub(super) fn of<'l>(
        separator: u8,
        dates: impl Iterator<Item = &'l [u8]> + Clone,
        figures: impl Iterator<Item = &'l [u8]>,
    ) -> Self {
        let texts = dates.filter_map(|cell| std::str::from_utf8(cell).ok());
        let reads = |form, text| read_date(form, text).is_some();
        let first = texts
            .clone()
            .find_map(|text| DATE_FORMS.into_iter().find(|form| reads(form, text)));
        let date_form = match first {
            Some(MONTH_FIRST | DAY_FIRST) => order_of_days(&texts),
            first => Some(first.unwrap_or("%Y-%m-%d")),
        };
        // A point in a file with commas between its columns is a decimal one.
        let is_doubtful =
            |text: &&str| text.contains(',') || separator == b';' && text.contains('.');
        let (mut point, mut comma, mut both) = (false, false, false);
        let numbers = figures.filter_map(|cell| std::str::from_utf8(cell).ok());
        for text in numbers.filter(is_doubtful) {
            match (read_number(text, '.'), read_number(text, ',')) {
                (Some(_), Some(_)) => both = true,
                (as_point, as_comma) => {
                    point |= as_point.is_some();
                    comma |= as_comma.is_some();
                }
            }
        }
        let mark = if comma && !point { ',' } else { '.' };
        Self {
            separator,
            date_form,
            mark: Some(mark).filter(|_| point != comma || !both),
        }
    }

    /// Reads a date.
    ///
    /// # Errors
    /// Quotes the text and says what was expected.
    pub(super) fn date(&self, field: &[u8]) -> Result<Date, String> {
        let not_a_date = || format!("{} is not a date like 2026-07-31", quoted(field));
        let text = std::str::from_utf8(field).map_err(|_| not_a_date())?;
        if self.date_form.is_none()
            && let (Some(a), Some(b)) = (read_date(MONTH_FIRST, text), read_date(DAY_FIRST, text))
        {
            return Err(format!("{text} is {a} or {b}; write dates like 2026-07-31"));
        }
        read_date(self.date_form.unwrap_or(MONTH_FIRST), text).ok_or_else(not_a_date)
    }

    /// Reads a finite number; `None` for a missing one.
    ///
    /// # Errors
    /// Quotes the text.
    pub(super) fn figure(&self, field: &[u8]) -> Result<Option<f64>, String> {
        let not_a_number = || format!("{} is not a number", quoted(field));
        let text = std::str::from_utf8(field).map_err(|_| not_a_number())?;
        let is_text = |missing: &&str| text.eq_ignore_ascii_case(missing);
        if MISSING.iter().any(is_text) {
            return Ok(None);
        }
        if self.mark.is_none()
            && let (Some(a), Some(b)) = (read_number(text, '.'), read_number(text, ','))
            && a != b
        {
            return Err(format!(
                "\"{text}\" is {a} or {b}; write it without a separator of thousands"
            ));
        }
        match read_number(text, self.mark.unwrap_or('.')) {
            Some(number) if number.is_finite() => Ok(Some(number)),
            Some(_) => Err(format!("{} is not a finite number", quoted(field))),
            None => Err(not_a_number()),
        }
    }
}

/// Returns the cells of a line, without blanks and quotes around them. A separator within quotes separates nothing.
pub(super) fn cells(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    // A quote that nothing closes is a mistake of its own line, whose cells count as they stand.
    let has_quotes = line.iter().filter(|b| **b == b'"').count() % 2 == 0;
    let fields = line.split(move |b| {
        is_quoted ^= *b == b'"' && has_quotes;
        *b == separator && !is_quoted
    });
    fields.map(|field| {
        let trimmed = field.trim_ascii();
        let unquoted = trimmed
            .strip_prefix(b"\"")
            .and_then(|f| f.strip_suffix(b"\""));
        unquoted.map_or(trimmed, <[u8]>::trim_ascii)
    })
}

/// Reads a date in a form of [`DATE_FORMS`], with or without midnight behind it.
fn read_date(form: &str, text: &str) -> Option<Date> {
    let is_midnight = |rest: &str| rest.chars().all(|c| "T 0:.Z+".contains(c));
    let day = match text.split_at_checked("2026-07-31".len()) {
        Some((day, rest)) if is_midnight(rest) => day,
        Some(_) | None => text,
    };
    // `strptime` alone would accept signs and blanks.
    let mut parts = day.split(|c: char| "-/. ".contains(c));
    let is_plain =
        parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    let has_width = match form {
        "%Y-%m-%d" => day.len() == 10,
        "%Y%m%d" => day.len() == 8,
        _ => true,
    };
    let date = if form == "period" {
        recipe::parse_period(&day.to_ascii_uppercase().replace([' ', '-'], ""))
    } else {
        recipe::parse_date(form, day)
    };
    date.filter(|date| is_plain && has_width && YEARS.contains(&date.year()))
}

/// Returns the form in which all dates with slashes can be read: `None` when both can, and neither gives months.
fn order_of_days<'t, I>(texts: &I) -> Option<&'static str>
where
    I: Iterator<Item = &'t str> + Clone,
{
    let fit = |form| {
        let dates = || texts.clone().filter_map(|text| read_date(form, text));
        let count = dates().count();
        let is_monthly = count >= MIN_MONTHS && dates().all(|day| day.day() == 1);
        (count, is_monthly)
    };
    match fit(MONTH_FIRST).cmp(&fit(DAY_FIRST)) {
        Ordering::Greater => Some(MONTH_FIRST),
        Ordering::Less => Some(DAY_FIRST),
        Ordering::Equal => None,
    }
}

/// Reads a number with a mark before its decimals, and perhaps the other one between its thousands.
fn read_number(text: &str, mark: char) -> Option<f64> {
    let between = if mark == '.' { ',' } else { '.' };
    let (whole, decimals) = text.split_once(mark).unwrap_or((text, ""));
    let mut groups = whole.trim_start_matches(['-', '+']).split(between);
    let head = groups.next()?;
    let is_digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let is_grouped = (1..=3).contains(&head.len())
        && is_digits(head)
        && !head.starts_with('0')
        && groups.all(|group| group.len() == 3 && is_digits(group));
    if whole.contains(between) && !is_grouped {
        return None;
    }
    if mark == '.' && !whole.contains(between) {
        return text.parse().ok();
    }
    format!("{}.{decimals}", whole.replace(between, ""))
        .parse()
        .ok()
}

pub(super) fn quoted(field: &[u8]) -> String {
    format!("\"{}\"", quote(&String::from_utf8_lossy(field)))
}

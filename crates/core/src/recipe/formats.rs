//! Formats of single agencies: the release of the Federal Reserve Board (a ZIP with one large XML file,
//! docs/SOURCE-NOTES.md#board-releases), the surveys of the Bureau of Labor Statistics, the national accounts of the Bureau of
//! Economic Analysis, and the monthly Treasury statement.

use super::dates;
use super::read::{Bases, Cell, cell_text};
use super::shape::SeriesRecipe;
use crate::error::quote;
use crate::model::{Date, SeriesId};
use jiff::fmt::strtime;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The limit of an unpacked file: four times the largest release.
const MAX_UNPACKED_BYTES: u64 = 512 << 20;

/// The limit of a tag or a text of an XML file: far more than any of a release.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// Bytes of an XML file, at most [`MAX_EVENT_BYTES`] between two resets of `left`. The XML reader holds a whole tag or text.
struct BoundedEvents<R> {
    inner: R,
    left: usize,
}

impl<R: BufRead> Read for BoundedEvents<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for BoundedEvents<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other("a tag or text is longer than 1 MiB"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, read: usize) {
        self.left = self.left.saturating_sub(read);
        self.inner.consume(read);
    }
}

/// The requested series in a response of an agency.
#[derive(Debug, Default)]
pub(super) struct AgencyFigures {
    pub(super) cells: Vec<Cell>,
    /// Indexes of series with another unit or multiplier than expected, and the error. Other series are not affected.
    pub(super) refused: Vec<(usize, String)>,
    /// Series whose index has another base than expected, with that base.
    pub(super) bases: Bases,
}

/// Reads a release of the Board. Figures whose status is not `A` are missing.
///
/// # Errors
/// Describes why the whole archive is unusable.
pub(super) fn read_board_zip(
    body: &[u8],
    series: &[&SeriesRecipe],
) -> Result<AgencyFigures, String> {
    if !body.starts_with(b"PK") {
        return Err("the response is not a ZIP archive".to_owned());
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(body)).map_err(|e| e.to_string())?;
    let name = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.into_owned()))
        .find(|name| name.ends_with("_data.xml"))
        .ok_or("the archive has no file whose name ends in _data.xml")?;
    let file = archive.by_name(&name).map_err(|e| e.to_string())?;
    let mut file = BufReader::with_capacity(1 << 16, file.take(MAX_UNPACKED_BYTES));
    let release = read_board_xml(&mut file, series)?;
    if file.get_ref().limit() == 0 {
        let mib = MAX_UNPACKED_BYTES >> 20;
        return Err(format!("the unpacked file is larger than {mib} MiB"));
    }
    Ok(release)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "comments, declarations and other XML events carry no figures"
)]
fn read_board_xml(file: impl BufRead, series: &[&SeriesRecipe]) -> Result<AgencyFigures, String> {
    let mut release = AgencyFigures::default();
    let mut found = HashSet::new();
    let mut reader = Reader::from_reader(BoundedEvents {
        inner: file,
        left: MAX_EVENT_BYTES,
    });
    let mut buffer = Vec::new();
    let mut data_set = String::new();
    let mut indexes = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().left = MAX_EVENT_BYTES;
        match reader
            .read_event_into(&mut buffer)
            .map_err(|e| format!("invalid XML: {e}"))?
        {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "DataSet" => data_set = attribute(&tag, "id").unwrap_or_default(),
                "Series" => {
                    indexes = release.match_series(&tag, &data_set, series);
                    found.extend(&indexes);
                }
                "Obs" if !indexes.is_empty() => {
                    if let Some((date, value)) = parse_observation(&tag)? {
                        let cells = indexes.iter().map(|index| (*index, date, value.clone()));
                        release.cells.extend(cells);
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "Series" => indexes.clear(),
            Event::Eof => break,
            _ => {}
        }
    }
    found.extend(release.refused.iter().map(|(index, _)| *index));
    let found_ids: HashSet<&SeriesId> = (found.iter())
        .filter_map(|index| Some(&series.get(*index)?.id))
        .collect();
    for (index, missing) in series.iter().enumerate() {
        if !found_ids.contains(&missing.id) {
            let problem = format!("the release has no series {}", missing.field);
            release.refused.push((index, problem));
        }
    }
    Ok(release)
}

impl AgencyFigures {
    /// Returns the indexes of the requested series that a `Series` tag contains. Series with another unit or multiplier than
    /// expected are refused; another base year of an index is only recorded.
    fn match_series(
        &mut self,
        tag: &BytesStart<'_>,
        data_set: &str,
        series: &[&SeriesRecipe],
    ) -> Vec<usize> {
        let mut indexes = Vec::new();
        let Some(name) = attribute(tag, "SERIES_NAME") else {
            return indexes;
        };
        for (index, series) in series.iter().enumerate() {
            // The codes of some series are unknown, and their attributes are known.
            let has_attributes = || {
                let mut conditions = series.conditions.iter();
                !series.conditions.is_empty()
                    && conditions.all(|c| attribute(tag, &c.field).as_ref() == Some(&c.is))
            };
            let is_elsewhere = series.set.as_deref().is_some_and(|set| set != data_set);
            if is_elsewhere || series.field != name && !has_attributes() {
                continue;
            }
            let unit = attribute(tag, "UNIT").unwrap_or_default();
            if let Some(expected) = series.unit.as_deref().filter(|expected| *expected != unit) {
                let Some(year) = base_year(expected).and(base_year(&unit)) else {
                    let problem =
                        format!("{name} has the unit \"{unit}\"; expected \"{expected}\"");
                    self.refused.push((index, problem));
                    continue;
                };
                let base = format!("Index {year}=100");
                self.bases.insert(series.id.clone(), base);
            }
            let multiplier = attribute(tag, "UNIT_MULT").and_then(|text| text.parse::<f64>().ok());
            if series.multiplier.is_some() && series.multiplier != multiplier {
                let problem = format!("{name} has another multiplier than the recipe");
                self.refused.push((index, problem));
                continue;
            }
            indexes.push(index);
        }
        indexes
    }
}

/// Returns the base year of a unit such as `Index:_2017_100`.
fn base_year(unit: &str) -> Option<&str> {
    let year = unit.strip_prefix("Index:_")?.strip_suffix("_100")?;
    (year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit())).then_some(year)
}

fn parse_observation(tag: &BytesStart<'_>) -> Result<Option<(Date, String)>, String> {
    if attribute(tag, "OBS_STATUS").as_deref() != Some("A") {
        return Ok(None);
    }
    let day = attribute(tag, "TIME_PERIOD").unwrap_or_default();
    let date = (day.parse::<Date>()).map_err(|_| format!("\"{day}\" is not a date"))?;
    Ok(attribute(tag, "OBS_VALUE").map(|value| (date, value)))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok().flatten()?;
    let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
    Some(value.ok()?.into_owned())
}

/// What a response says of a name that the agency does not have.
pub(super) const NOT_FOUND: &str = "has no series";

#[derive(Deserialize)]
struct BlsResponse {
    status: String,
    #[serde(default)]
    message: Vec<String>,
    #[serde(rename = "Results", default)]
    results: Value,
}

/// Reads a response of the Bureau of Labor Statistics.
///
/// # Errors
/// Quotes the response's message. A message about a shortened span is an error, whatever the status.
pub(super) fn read_bls(body: &[u8], series: &[&SeriesRecipe]) -> Result<AgencyFigures, String> {
    let response: BlsResponse =
        serde_json::from_slice(body).map_err(|e| format!("invalid JSON: {e}"))?;
    let messages = response.message.join(" ");
    let message = quote(&messages);
    if response.status != "REQUEST_SUCCEEDED" {
        return Err(format!("{}: \"{message}\"", quote(&response.status)));
    }
    if messages.contains("has been reduced") {
        return Err(format!("the response is truncated: \"{message}\""));
    }
    let mut figures = AgencyFigures::default();
    for (index, series) in series.iter().enumerate() {
        let is_unknown = |text: &String| text.contains("not exist") && text.contains(&series.field);
        if response.message.iter().any(is_unknown) {
            let problem = format!("{NOT_FOUND} \"{}\"", series.field);
            figures.refused.push((index, problem));
        }
    }
    for entry in array(&response.results, "series") {
        let id = cell(entry, "seriesID");
        let Some(index) = series.iter().position(|series| series.field == id) else {
            continue;
        };
        let rows = array(entry, "data");
        // Annual and half-year averages of monthly figures are left out.
        let has = |kind| rows.iter().any(|row| cell(row, "period").starts_with(kind));
        let kinds = [['M', 'Q'], ['S', 'S'], ['A', 'A']];
        let finest = kinds.into_iter().find(|kinds| has(*kinds));
        for row in rows {
            let period = cell(row, "period");
            if !finest.is_some_and(|kinds| period.starts_with(kinds)) {
                continue;
            }
            let year = cell(row, "year");
            let is_year = |year: i16| (1000..=9999).contains(&year);
            if !year.parse().is_ok_and(is_year) {
                return Err(format!("\"{}\" is not a year", quote(&year)));
            }
            let date = dates::parse_period(&format!("{year}{period}"));
            let value = date.map(|date| (index, date, cell(row, "value")));
            figures.cells.extend(value);
        }
    }
    Ok(figures)
}

fn array<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let array = value.get(name).and_then(Value::as_array);
    array.map_or(&[], Vec::as_slice)
}

/// Reads a flat file of the Bureau of Economic Analysis row by row and collects only the requested codes.
///
/// # Errors
/// Describes why the whole file is unusable. The agency answers an unknown name with a page and status 200, so the first line is
/// checked.
pub(super) fn read_bea_flat(
    body: &[u8],
    series: &[&SeriesRecipe],
) -> Result<AgencyFigures, String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(body);
    let header = reader.headers().map_err(|e| e.to_string())?;
    let columns = header.iter().map(str::trim);
    if columns.ne(["%SeriesCode", "Period", "Value"]) {
        return Err("the first line is not \"%SeriesCode,Period,Value\"".to_owned());
    }
    let mut indexes: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, series) in series.iter().enumerate() {
        indexes.entry(&series.field).or_default().push(index);
    }
    let mut figures = AgencyFigures::default();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| e.to_string())? {
        let column = |index: usize| record.get(index).unwrap_or_default().trim();
        let Some(indexes) = indexes.get(column(0)) else {
            continue;
        };
        let date = dates::parse_period(column(1))
            .ok_or_else(|| format!("\"{}\" is not a period", column(1)))?;
        let cells = indexes.iter().map(|i| (*i, date, column(2).to_owned()));
        figures.cells.extend(cells);
    }
    Ok(figures)
}

/// Returns month, day of the report and cell of each row of the monthly Treasury statement.
///
/// # Errors
/// Names a month without a fiscal year.
pub(super) fn read_treasury_months(
    rows: &[Value],
    field: &str,
) -> Result<Vec<(Date, String, String)>, String> {
    let fiscal_year = |row| {
        let name = cell(row, "classification_desc");
        let year: i16 = name.strip_prefix("FY ")?.trim().parse().ok()?;
        let report = cell(row, "record_date");
        let id = cell(row, "classification_id");
        Some(((report, id), year))
    };
    let fiscal_years: HashMap<_, i16> = rows.iter().filter_map(fiscal_year).collect();
    let mut months = Vec::new();
    for row in rows {
        let name = cell(row, "classification_desc");
        let month = strtime::parse("%B", &name).ok();
        let Some(month) = month.and_then(|parsed| parsed.month()) else {
            continue;
        };
        let report = cell(row, "record_date");
        let year = fiscal_years
            .get(&(report.clone(), cell(row, "parent_id")))
            .ok_or_else(|| format!("{name} in the report of {report} has no fiscal year"))?;
        // A fiscal year begins in October.
        let year = if month >= 10 { year - 1 } else { *year };
        let date = Date::new(year, month, 1).map_err(|e| e.to_string())?;
        months.push((date, report, cell(row, field)));
    }
    Ok(months)
}

fn cell(row: &Value, name: &str) -> String {
    let text = row.get(name).map(cell_text);
    text.unwrap_or_default().into_owned()
}

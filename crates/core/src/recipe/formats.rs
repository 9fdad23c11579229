//! Formats of single agencies: the release of the Federal Reserve Board (a ZIP with one large XML file,
//! docs/SOURCES.md#board-releases), the surveys of the Bureau of Labor Statistics, the national accounts of the Bureau of
//! Economic Analysis, the monthly Treasury statement, and weekly claims. Each gives the place of a line, a date and a cell.

use super::dates;
use super::read::{Found, text};
use super::shape::SeriesRecipe;
use crate::error::quote;
use crate::model::Date;
use jiff::fmt::strtime;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, Read};

/// Most bytes of an unpacked file: four times the largest release.
const MAX_UNPACKED_BYTES: u64 = 512 << 20;

/// What a release of the Board holds of the lines asked for.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub(super) found: Vec<Found>,
    /// Lines whose series are of another unit than was expected; they refuse no other.
    pub(super) refused: Vec<(usize, String)>,
    /// Lines whose indexes stand on another base than was expected, with that base.
    pub(super) bases: Vec<(usize, String)>,
}

/// Figures that are not of status `A` are missing.
///
/// # Errors
/// Says what makes the whole archive useless.
pub(super) fn board(body: &[u8], lines: &[&SeriesRecipe]) -> Result<Archive, String> {
    if !body.starts_with(b"PK") {
        return Err("it is no ZIP archive".to_owned());
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(body)).map_err(|e| e.to_string())?;
    let names: Vec<String> = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.into_owned()))
        .collect();
    let is_data = |name: &&String| name.ends_with("_data.xml");
    let name = names.iter().find(is_data);
    let name = name.ok_or("the archive holds no file …_data.xml")?;
    let file = archive.by_name(name).map_err(|e| e.to_string())?;
    let mut file = BufReader::with_capacity(1 << 16, file.take(MAX_UNPACKED_BYTES));
    let found = board_series(&mut file, lines)?;
    if file.get_ref().limit() == 0 {
        let mib = MAX_UNPACKED_BYTES >> 20;
        return Err(format!("it unpacks to more than {mib} MiB"));
    }
    Ok(found)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "comments, declarations and what else XML may hold say nothing here"
)]
fn board_series(file: impl BufRead, lines: &[&SeriesRecipe]) -> Result<Archive, String> {
    let (mut archive, mut is_seen) = (Archive::default(), false);
    let mut reader = Reader::from_reader(file);
    let mut buffer = Vec::new();
    let (mut set, mut at) = (String::new(), Vec::new());
    loop {
        buffer.clear();
        match reader
            .read_event_into(&mut buffer)
            .map_err(|e| format!("its XML breaks off: {e}"))?
        {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                b"DataSet" => set = attribute(&tag, "id").unwrap_or_default(),
                b"Series" => {
                    let refused = archive.refused.len();
                    at = places(&tag, &set, lines, &mut archive);
                    is_seen |= !at.is_empty() || archive.refused.len() > refused;
                }
                b"Obs" if !at.is_empty() => {
                    if let Some((date, value)) = observation(&tag)? {
                        archive
                            .found
                            .extend(at.iter().map(|place| (*place, date, value.clone())));
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == b"Series" => at.clear(),
            Event::Eof => break,
            _ => {}
        }
    }
    match lines.first().filter(|_| !is_seen) {
        Some(line) => Err(format!("it holds no series {}", line.field)),
        None => Ok(archive),
    }
}

/// The lines a series is for, but those that expect another unit. Another base year of an index is told, not refused.
fn places(
    tag: &BytesStart<'_>,
    set: &str,
    lines: &[&SeriesRecipe],
    archive: &mut Archive,
) -> Vec<usize> {
    let mut places = Vec::new();
    let Some(name) = attribute(tag, "SERIES_NAME") else {
        return places;
    };
    for (place, line) in lines.iter().enumerate() {
        if line.field != name || line.set.as_deref().is_some_and(|want| want != set) {
            continue;
        }
        let unit = attribute(tag, "UNIT").unwrap_or_default();
        if let Some(want) = line.unit.as_deref().filter(|want| *want != unit) {
            let Some(year) = base_year(want).and(base_year(&unit)) else {
                let problem = format!("{name} is in \"{unit}\" where \"{want}\" was expected");
                archive.refused.push((place, problem));
                continue;
            };
            archive.bases.push((place, format!("Index {year}=100")));
        }
        let multiplier = attribute(tag, "UNIT_MULT").and_then(|text| text.parse::<f64>().ok());
        if line.multiplier.is_some() && line.multiplier != multiplier {
            archive.refused.push((
                place,
                format!("{name} has another multiplier than was expected"),
            ));
            continue;
        }
        places.push(place);
    }
    places
}

/// The base year of a unit such as `Index:_2017_100`.
fn base_year(unit: &str) -> Option<&str> {
    let year = unit.strip_prefix("Index:_")?.strip_suffix("_100")?;
    (year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit())).then_some(year)
}

fn observation(tag: &BytesStart<'_>) -> Result<Option<(Date, String)>, String> {
    if attribute(tag, "OBS_STATUS").as_deref() != Some("A") {
        return Ok(None);
    }
    let day = attribute(tag, "TIME_PERIOD").unwrap_or_default();
    let date: Result<Date, _> = day.parse();
    let date = date.map_err(|_| format!("\"{day}\" is not a date"))?;
    Ok(attribute(tag, "OBS_VALUE").map(|value| (date, value)))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok().flatten()?;
    let value = found.normalized_value(quick_xml::XmlVersion::Implicit1_0);
    Some(value.ok()?.into_owned())
}

#[derive(Deserialize)]
struct BlsAnswer {
    status: String,
    #[serde(default)]
    message: Vec<String>,
    #[serde(rename = "Results", default)]
    results: Value,
}

/// The place of a line, a date, and the cell.
///
/// # Errors
/// Says what the source says; a message about a shortened span is a refusal, whatever the status.
pub(super) fn bls(body: &[u8], lines: &[&SeriesRecipe]) -> Result<Vec<Found>, String> {
    let answer: BlsAnswer =
        serde_json::from_slice(body).map_err(|e| format!("it is no JSON: {e}"))?;
    let messages = answer.message.join(" ");
    let said = quote(&messages);
    if answer.status != "REQUEST_SUCCEEDED" {
        return Err(format!("{}: \"{said}\"", quote(&answer.status)));
    }
    if messages.contains("has been reduced") {
        return Err(format!("it is cut: \"{said}\""));
    }
    let mut found = Vec::new();
    for series in list(&answer.results, "series") {
        let id = cell(series, "seriesID");
        let Some(place) = lines.iter().position(|line| line.field == id) else {
            continue;
        };
        for row in list(series, "data") {
            let period = cell(row, "period");
            // Averages of years and halves are of no period.
            if !period.starts_with(['M', 'Q']) {
                continue;
            }
            let year = cell(row, "year");
            let is_year = |year: i16| (1000..=9999).contains(&year);
            if !year.parse().is_ok_and(is_year) {
                return Err(format!("\"{}\" is not a year", quote(&year)));
            }
            let date = dates::period(&format!("{year}{period}"));
            found.extend(date.map(|date| (place, date, cell(row, "value"))));
        }
    }
    Ok(found)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Whether the day's questions are used up.
pub fn is_spent(body: &[u8]) -> bool {
    let answer: Option<BlsAnswer> = serde_json::from_slice(body).ok();
    answer.is_some_and(|a| {
        let message = a.message.join(" ");
        let is_about_limit = message.contains("threshold") || message.contains("limit");
        a.status == "REQUEST_NOT_PROCESSED" && is_about_limit
    })
}

/// The place of a line, a date, and the cell, read row by row; only the codes asked for are kept.
///
/// # Errors
/// Says what makes the whole file useless. A made-up name is answered with a page under 200, so the first line counts.
pub(super) fn bea_flat(body: &[u8], lines: &[&SeriesRecipe]) -> Result<Vec<Found>, String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(body);
    let header = reader.headers().map_err(|e| e.to_string())?;
    if header
        .iter()
        .map(str::trim)
        .ne(["%SeriesCode", "Period", "Value"])
    {
        return Err("its first line is not \"%SeriesCode,Period,Value\"".to_owned());
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        places.entry(line.field.as_str()).or_default().push(place);
    }
    let mut found = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| e.to_string())? {
        let cell = |at: usize| record.get(at).unwrap_or_default().trim();
        let Some(at) = places.get(cell(0)) else {
            continue;
        };
        let period = dates::period(cell(1));
        let period = period.ok_or_else(|| format!("\"{}\" is not a period", cell(1)))?;
        found.extend(at.iter().map(|place| (*place, period, cell(2).to_owned())));
    }
    Ok(found)
}

/// Month, day of the report, and cell.
///
/// # Errors
/// Names a month that stands below no fiscal year.
pub(super) fn treasury_months(
    rows: &[Value],
    field: &str,
) -> Result<Vec<(Date, String, String)>, String> {
    let year = |row| {
        let name = cell(row, "classification_desc");
        let year: i16 = name.strip_prefix("FY ")?.trim().parse().ok()?;
        let (report, id) = (cell(row, "record_date"), cell(row, "classification_id"));
        Some(((report, id), year))
    };
    let years: HashMap<_, i16> = rows.iter().filter_map(year).collect();
    let mut found = Vec::new();
    for row in rows {
        let name = cell(row, "classification_desc");
        let month = strtime::parse("%B", &name).ok();
        let Some(month) = month.and_then(|named| named.month()) else {
            continue;
        };
        let report = cell(row, "record_date");
        let year = years.get(&(report.clone(), cell(row, "parent_id")));
        let year = year.ok_or_else(|| {
            format!("{name} of the report of {report} stands below no fiscal year")
        })?;
        // A fiscal year begins in October.
        let year = if month >= 10 { year - 1 } else { *year };
        let date = Date::new(year, month, 1).map_err(|e| e.to_string())?;
        found.push((date, report, cell(row, field)));
    }
    Ok(found)
}

fn cell(row: &Value, name: &str) -> String {
    let found = row.get(name).map(text);
    found.unwrap_or_default().into_owned()
}

/// Weekly claims for unemployment insurance as the Department of Labor gives them in XML; the field of a line is the path
/// in a week: `InitialClaims/SA`.
///
/// # Errors
/// Says where the XML breaks off.
pub(super) fn claims(body: &[u8], lines: &[&SeriesRecipe]) -> Result<Vec<Found>, String> {
    let body = String::from_utf8_lossy(body);
    let document = roxmltree::Document::parse(&body);
    let document = document.map_err(|e| format!("its XML breaks off: {e}"))?;
    let mut found = Vec::new();
    for week in document.root_element().children() {
        let Some(day) = child(week, "weekEnded") else {
            continue;
        };
        let day = day.text().unwrap_or_default().trim();
        let date = Date::strptime("%m/%d/%Y", day);
        let date = date.map_err(|_| format!("\"{day}\" is not a date"))?;
        for (place, line) in lines.iter().enumerate() {
            let cell = line
                .field
                .split('/')
                .try_fold(week, |node, name| child(node, name));
            let text = cell.map(|cell| cell.text().unwrap_or_default().trim());
            found.extend(text.map(|text| (place, date, text.to_owned())));
        }
    }
    match found.is_empty() {
        true => Err("it holds no weeks".to_owned()),
        false => Ok(found),
    }
}

fn child<'a, 'i>(node: roxmltree::Node<'a, 'i>, name: &str) -> Option<roxmltree::Node<'a, 'i>> {
    node.children()
        .find(|child| child.tag_name().name() == name)
}

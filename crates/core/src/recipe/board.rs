//! Releases of the Federal Reserve Board: a ZIP with one large XML file (docs/SOURCES.md#board-releases).
//!
//! The file is unpacked and read piece by piece, and only the series asked for are kept. Each says its unit and its
//! multiplier; when they are not those of the recipe, nothing of it is taken.

use super::cells::Found;
use super::shape::Line;
use crate::model::Date;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::{BufRead, BufReader, Cursor, Read};

/// Most bytes of an unpacked file: four times the largest release.
const MAX_UNPACKED_BYTES: u64 = 512 << 20;

/// The place of a line, a date, and the cell; a figure that is not of status `A` is missing.
///
/// # Errors
/// Says what makes the whole archive useless, or which series has another unit.
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Found>, String> {
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
    let found = series(&mut file, lines)?;
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
fn series(file: impl BufRead, lines: &[&Line]) -> Result<Vec<Found>, String> {
    let (mut found, mut is_seen) = (Vec::new(), false);
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
                "DataSet" => set = attribute(&tag, "id").unwrap_or_default(),
                "Series" => {
                    at = places(&tag, &set, lines)?;
                    is_seen |= !at.is_empty();
                }
                "Obs" if !at.is_empty() => {
                    if let Some((date, value)) = observation(&tag)? {
                        found.extend(at.iter().map(|place| (*place, date, value.clone())));
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "Series" => at.clear(),
            Event::Eof => break,
            _ => {}
        }
    }
    match lines.first().filter(|_| !is_seen) {
        Some(line) => Err(format!("it holds no series {}", line.field)),
        None => Ok(found),
    }
}

/// The lines a series is for.
fn places(tag: &BytesStart<'_>, set: &str, lines: &[&Line]) -> Result<Vec<usize>, String> {
    let Some(name) = attribute(tag, "SERIES_NAME") else {
        return Ok(Vec::new());
    };
    let mut places = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if line.field != name || line.set.as_deref().is_some_and(|want| want != set) {
            continue;
        }
        let unit = attribute(tag, "UNIT").unwrap_or_default();
        if let Some(want) = line.unit.as_deref().filter(|want| *want != unit) {
            return Err(format!(
                "{name} is in \"{unit}\" where \"{want}\" was expected"
            ));
        }
        let multiplier = attribute(tag, "UNIT_MULT").and_then(|text| text.parse::<f64>().ok());
        if line.multiplier.is_some() && line.multiplier != multiplier {
            return Err(format!("{name} has another multiplier than was expected"));
        }
        places.push(place);
    }
    Ok(places)
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

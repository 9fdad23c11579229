//! Weekly claims for unemployment insurance as the Department of Labor gives them in XML.

use super::cells::Found;
use super::shape::Line;
use crate::model::Date;
use quick_xml::Reader;
use quick_xml::events::Event;

/// The place of a line, a date, and the cell; a line's field is the path in a week: `InitialClaims/SA`.
///
/// # Errors
/// Says where the XML breaks off.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "comments, declarations and what else XML may hold say nothing here"
)]
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Found>, String> {
    let mut found = Vec::new();
    let mut reader = Reader::from_reader(body);
    let (mut path, mut week, mut buffer): (Vec<String>, Option<Date>, Vec<u8>) = Default::default();
    let mut text = String::new();
    loop {
        buffer.clear();
        match reader
            .read_event_into(&mut buffer)
            .map_err(|e| format!("its XML breaks off: {e}"))?
        {
            Event::Start(tag) => {
                path.push(tag.local_name().as_ref().to_owned());
                text.clear();
            }
            Event::Text(piece) => text.push_str(&piece),
            Event::End(_) => {
                let cell = text.trim();
                let below: Vec<&str> = path.iter().skip(2).map(String::as_str).collect();
                let below = below.join("/");
                if below == "weekEnded" {
                    let day = Date::strptime("%m/%d/%Y", cell);
                    week = Some(day.map_err(|_| format!("\"{cell}\" is not a date"))?);
                }
                if let Some(week) = week {
                    let places = lines.iter().enumerate();
                    let places = places.filter(|(_, line)| line.field == below);
                    found.extend(places.map(|(place, _)| (place, week, cell.to_owned())));
                }
                text.clear();
                path.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match found.is_empty() {
        true => Err("it holds no weeks".to_owned()),
        false => Ok(found),
    }
}

//! Weekly claims for unemployment insurance as the Department of Labor gives them in XML.

use super::shape::Line;
use crate::model::Date;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Dates and cells by the place of their line; a line's field is the path in a week: `InitialClaims/SA`.
///
/// # Errors
/// Says where the XML breaks off.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "comments, declarations and what else XML may hold say nothing here"
)]
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Vec<(Date, String)>>, String> {
    let mut found: Vec<Vec<(Date, String)>> = lines.iter().map(|_| Vec::new()).collect();
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
                    let all = lines
                        .iter()
                        .zip(&mut found)
                        .filter(|(line, _)| line.field == below);
                    all.for_each(|(_, points)| points.push((week, cell.to_owned())));
                }
                text.clear();
                path.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match found.iter().all(Vec::is_empty) {
        true => Err("it holds no weeks".to_owned()),
        false => Ok(found),
    }
}

//! Reads the calendars in which agencies announce their release days (docs/RELEASES.md#release-calendar).
//!
//! A calendar is requested once a day. One that cannot be read keeps the days that were read before, and is read at the
//! next sync.

use super::fetch::{HttpClient, unavailable};
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::state::{self, States};
use super::write::day_of;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_core::model::calendar::{AnnouncedDays, CalendarRow};
use econoscope_core::recipe::{CalendarRecipe, SourceFacts};
use jiff::Timestamp;

/// Name of the note with the [`AnnouncedDays`] of each calendar.
pub const ANNOUNCED: &str = "announced_days";
/// Name of the note with the time at which each calendar was read.
const READ_AT: &str = "calendars_read";
/// Least time between two reads of a calendar.
const INTERVAL_SECONDS: i64 = 20 * 3_600;
/// Most pages of a calendar.
const MAX_PAGES: usize = 10;

/// A read of a calendar, or of another list.
#[derive(Debug)]
pub(super) struct ListRead {
    /// Name of the list; of a calendar "source/calendar".
    pub(super) name: String,
    /// How much is in it, or why it was not read.
    pub(super) result: Result<String>,
}

/// Returns the calendars that can be asked: that of FRED with a key, and if FRED is asked at all.
pub(super) fn open_calendars(
    settings: &SourceSettings,
) -> impl Iterator<Item = (&SourceFacts, &CalendarRecipe)> {
    let is_open = |source: &SourceFacts| match source.id.as_str() {
        "fred" => settings.key.is_some() && !settings.no_fred,
        _ => settings.is_open(source),
    };
    let calendars = settings.recipes.calendars();
    calendars.filter(move |(source, _)| is_open(source))
}

/// Returns the announced days in the store, joined over all calendars.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn announced_days(store: &dyn Store) -> Result<AnnouncedDays> {
    Ok(AnnouncedDays::join(&state::read(store, ANNOUNCED)?))
}

/// Reads every calendar that is due, or all with `force`, and stores its days.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written. Errors of a calendar are in its result.
pub(super) async fn read_calendars(
    store: &dyn Store,
    settings: &SourceSettings,
    now: Timestamp,
    force: bool,
) -> Result<Vec<ListRead>> {
    let mut days: States<AnnouncedDays> = state::read(store, ANNOUNCED)?;
    let mut read_at: States<Timestamp> = state::read(store, READ_AT)?;
    let mut reads = Vec::new();
    for (source, calendar) in open_calendars(settings) {
        let name = format!("{}/{}", source.id, calendar.id);
        // A read in the future was dated by a wrong clock.
        let is_recent =
            |at: &Timestamp| (0..INTERVAL_SECONDS).contains(&now.duration_since(*at).as_secs());
        if !force && read_at.get(&name).is_some_and(is_recent) {
            continue;
        }
        let before = days.get(&name).cloned().unwrap_or_default();
        let today = day_of(now);
        let rows = fetch(settings, source, calendar, today).await;
        let read = rows.and_then(|rows| {
            let read = AnnouncedDays::from_rows(&name, &rows, today, &before);
            read.map_err(|problem| unusable(&name, &problem))
        });
        let result = read.map(|read| {
            let count = read.count_from(today);
            days.insert(name.clone(), read);
            read_at.insert(name.clone(), now);
            format!("{count} release days to come")
        });
        reads.push(ListRead { name, result });
    }
    if reads.iter().any(|read| read.result.is_ok()) {
        state::write(&days, store, ANNOUNCED)?;
        state::write(&read_at, store, READ_AT)?;
    }
    Ok(reads)
}

fn unusable(name: &str, problem: &str) -> Error {
    unavailable(format!("The calendar {name} cannot be used: {problem}."))
}

/// Fetches the rows of a calendar, with all its pages.
async fn fetch(
    settings: &SourceSettings,
    source: &SourceFacts,
    calendar: &CalendarRecipe,
    today: Date,
) -> Result<Vec<CalendarRow>> {
    let SourceFacts { id, hosts, .. } = source;
    let name = format!("{id}/{}", calendar.id);
    let is_fred = id == "fred";
    let address_name = if is_fred { "fred api" } else { id };
    let pace = PaceSettings::LISTS;
    let client = HttpClient::new(settings, address_name, &source.name, pace, hosts)?;
    let mut rows = Vec::new();
    for _ in 0..MAX_PAGES {
        let template = calendar.url.replace("{from}", &today.to_string());
        let address = template.replace("{offset}", &rows.len().to_string());
        let mut url = settings.url(address_name, &address)?;
        if let Some(key) = settings.key.as_ref().filter(|_| is_fred) {
            url.query_pairs_mut().append_pair("api_key", key.expose());
        }
        let response = client.send(client.get(url, "*/*"), |_| false).await?;
        if response.status != 200 {
            return Err(unusable(&name, &format!("HTTP {}", response.status)));
        }
        let page = calendar
            .read(&response.body)
            .map_err(|problem| unusable(&name, &problem))?;
        let count = page.len();
        rows.extend(page);
        if calendar.page_rows != Some(count) {
            break;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;

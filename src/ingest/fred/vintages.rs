//! ALFRED: what FRED published when. Asked in stretches of at most 2000 vintage days, the most FRED allows.

use super::super::key::ApiKey;
use super::api::{ask, pages, read};
use super::rows::day;
use super::{Fred, unusable};
use crate::error::Result;
use crate::model::frequency::shift;
use crate::model::{Date, Known, SeriesId};
use jiff::ToSpan;
use serde::Deserialize;
use std::collections::HashMap;

/// Most vintage days one request may span.
const MOST_DAYS: usize = 2000;
/// Most vintage days FRED lists in one page.
const LIST_PAGE: usize = 10_000;
/// FRED's word for "until further notice".
const FOREVER: &str = "9999-12-31";

#[derive(Deserialize)]
struct Listing {
    count: usize,
    vintage_dates: Vec<String>,
}

pub(super) async fn vintages(fred: &Fred, key: &ApiKey, id: &SeriesId) -> Result<Vec<Known>> {
    let days = vintage_days(fred, key, id).await?;
    let mut rows = Vec::new();
    for (start, end) in stretches(&days) {
        let (start, end) = (
            start.to_string(),
            end.map_or(FOREVER.to_owned(), |d| d.to_string()),
        );
        let query = [
            ("realtime_start", start.as_str()),
            ("realtime_end", end.as_str()),
        ];
        pages(fred, key, id, &query, |item| {
            // A figure that was withdrawn has no place in the store; what was known before stays.
            if let (date, Some(value)) = item.read(id)? {
                rows.push((day(id, &item.realtime_start)?, date, value));
            }
            Ok(())
        })
        .await?;
    }
    Ok(tidy(rows))
}

async fn vintage_days(fred: &Fred, key: &ApiKey, id: &SeriesId) -> Result<Vec<Date>> {
    let mut days = Vec::new();
    loop {
        let (offset, limit) = (days.len().to_string(), LIST_PAGE.to_string());
        let query = [("limit", limit.as_str()), ("offset", offset.as_str())];
        let answer = ask(fred, key, id, &["series", "vintagedates"], &query).await?;
        let page: Listing = read(key, id, &answer)?;
        let came = page.vintage_dates.len();
        for text in &page.vintage_dates {
            days.push(day(id, text)?);
        }
        if days.len() >= page.count {
            days.sort();
            days.dedup();
            return Ok(days);
        }
        if came == 0 {
            return Err(unusable(id, "its list of vintages ends early"));
        }
    }
}

/// First and last day of each request; the last one stays open.
fn stretches(days: &[Date]) -> Vec<(Date, Option<Date>)> {
    let starts: Vec<Date> = days
        .chunks(MOST_DAYS)
        .filter_map(|c| c.first())
        .copied()
        .collect();
    let ends = starts.iter().skip(1).map(|d| Some(shift(*d, (-1).days())));
    let ends: Vec<Option<Date>> = ends.chain([None]).collect();
    starts.into_iter().zip(ends).collect()
}

/// Orders by day of publication and drops what only repeats: FRED begins each stretch with a full copy.
fn tidy(mut rows: Vec<(Date, Date, f64)>) -> Vec<Known> {
    rows.sort_by_key(|(known, date, _)| (*known, *date));
    let mut newest: HashMap<Date, f64> = HashMap::new();
    rows.into_iter()
        .filter(|(_, date, value)| newest.insert(*date, *value) != Some(*value))
        .map(|(known, date, value)| Known {
            date,
            known_from: Some(known),
            value,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn stretches_meet_without_gap_or_overlap() {
        let days: Vec<Date> = (0..4100)
            .map(|n| shift(date(2010, 1, 1), i64::from(n).days()))
            .collect();
        let parts = stretches(&days);
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0].0, date(2010, 1, 1));
        assert_eq!(parts[0].1, Some(days[1999]));
        assert_eq!(parts[1], (days[2000], Some(days[3999])));
        assert_eq!(parts[2], (days[4000], None));
        assert_eq!(stretches(&[]), vec![]);
    }

    #[test]
    fn only_changes_remain_in_order_of_publication() {
        let (june, july) = (date(2026, 6, 1), date(2026, 7, 1));
        let (v1, v2, v3) = (date(2026, 7, 5), date(2026, 8, 5), date(2026, 9, 5));
        let rows = vec![
            (v2, june, 4.0),
            (v1, june, 4.0),
            (v2, july, 4.1),
            (v3, july, 4.2),
        ];
        let known = |date, known_from, value| Known {
            date,
            known_from,
            value,
        };
        assert_eq!(
            tidy(rows),
            vec![
                known(june, Some(v1), 4.0),
                known(july, Some(v2), 4.1),
                known(july, Some(v3), 4.2)
            ]
        );
    }
}

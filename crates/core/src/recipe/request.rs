//! Requests: what a feed's template becomes for some series from a day on.

use super::shape::{Feed, Format, Request, SeriesRecipe, Split};
use crate::model::Date;
use crate::model::frequency::shift;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;

/// Series and years in a request to the Bureau of Labor Statistics; with a key it allows twice as many of both.
const BLS_MAX_SERIES: usize = 25;
const BLS_MAX_YEARS: i16 = 10;
/// The first year of any of its series.
const BLS_FIRST_YEAR: i16 = 1913;

impl Feed {
    /// The requests for some of its series from a day on (`None` = all there is), in order. Of pages it is the first;
    /// [`Self::page`] gives the others.
    pub fn requests(
        &self,
        wanted: &[&SeriesRecipe],
        from: Option<Date>,
        today: Date,
    ) -> Vec<Request> {
        if self.format == Format::Bls {
            return bls_requests(self, wanted, from, today);
        }
        let since = |first: Date| from.map_or(first, |from| from.max(first));
        let spans: Vec<(Date, Date)> = match &self.split {
            None => vec![(from.unwrap_or(EARLIEST), today)],
            Some(Split::Page { .. }) => return vec![self.page(from, today, 1, 0)],
            Some(Split::Series { first }) => vec![(since(first.unwrap_or(EARLIEST)), today)],
            Some(Split::Year { first }) => {
                let first = from.map_or(*first, |day| day.year().max(*first));
                let day = |year, month, day| Date::new(year, month, day).ok();
                let year = |year| Some((day(year, 1, 1)?, day(year, 12, 31)?.min(today)));
                (first..=today.year()).filter_map(year).collect()
            }
            Some(Split::Window { days, first }) => {
                let window = |start: Date| {
                    let end = shift(start, i64::from(*days - 1).days());
                    (start <= today).then_some((start, end))
                };
                let next = |(_, end): &(Date, Date)| window(shift(*end, 1.day()));
                let windows = std::iter::successors(window(since(*first)), next);
                windows
                    .map(|(start, end)| (start, end.min(today)))
                    .collect()
            }
        };
        let fill = |key: Option<&str>| {
            let filled = |span: &(Date, Date)| self.filled(key, *span, (1, 0));
            spans.iter().map(filled).collect::<Vec<_>>()
        };
        if !self.url.contains("{series}") {
            return fill(None);
        }
        // One for each key that the address is filled with.
        let mut keys: Vec<&str> = Vec::new();
        for line in wanted {
            if !keys.contains(&line.key.as_str()) {
                keys.push(&line.key);
            }
        }
        keys.into_iter().flat_map(|key| fill(Some(key))).collect()
    }

    /// The request for a further page; `offset` rows came so far.
    pub fn page(&self, from: Option<Date>, today: Date, page: usize, offset: usize) -> Request {
        let first = match &self.split {
            Some(Split::Page { first, .. }) => *first,
            _ => EARLIEST,
        };
        let from = from.map_or(first, |from| from.max(first));
        self.filled(None, (from, today), (page, offset))
    }

    /// The templates with every word in its place: of a line, of days, of a page and the rows before it.
    fn filled(
        &self,
        key: Option<&str>,
        (from, to): (Date, Date),
        (page, offset): (usize, usize),
    ) -> Request {
        let epoch = from.to_zoned(TimeZone::UTC);
        let epoch = epoch.map_or(0, |at| at.timestamp().as_second());
        let words = [
            ("{series}", key.unwrap_or_default().to_owned()),
            ("{year}", to.year().to_string()),
            ("{from_year}", from.year().to_string()),
            ("{from}", from.to_string()),
            ("{to}", to.to_string()),
            ("{from_epoch}", epoch.to_string()),
            ("{page}", page.to_string()),
            ("{offset}", offset.to_string()),
        ];
        let fill = |template: &String| {
            let fill_in = |text: String, (name, word): &(&str, String)| text.replace(name, word);
            words.iter().fold(template.clone(), fill_in)
        };
        Request {
            url: fill(&self.url),
            post: self.post.as_ref().map(fill),
            key: key.map(str::to_owned),
        }
    }
}

/// Before any figure of ours.
const EARLIEST: Date = jiff::civil::date(1900, 1, 1);

/// The requests: newest years first, so that a quota that runs out leaves the past for tomorrow.
fn bls_requests(
    feed: &Feed,
    wanted: &[&SeriesRecipe],
    from: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let first = from.map_or(
        BLS_FIRST_YEAR.max(today.year() - 2 * BLS_MAX_YEARS + 1),
        Date::year,
    );
    let mut requests = Vec::new();
    let mut end = today.year();
    while end >= first {
        let start = first.max(end - BLS_MAX_YEARS + 1);
        for lines in wanted.chunks(BLS_MAX_SERIES) {
            let ids: Vec<&str> = lines.iter().map(|line| line.field.as_str()).collect();
            let body = json!({
                "seriesid": ids, "startyear": start.to_string(), "endyear": end.to_string()
            });
            requests.push(Request {
                url: feed.url.clone(),
                post: Some(body.to_string()),
                key: None,
            });
        }
        end = start - 1;
    }
    requests
}

//! Builds the requests of a feed from its templates.

use super::shape::{Feed, Format, Request, SeriesRecipe, Split};
use crate::model::frequency::shift;
use crate::model::{Date, DateRange};
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;

/// Series and years per request that the Bureau of Labor Statistics allows without a key; with a key it allows twice as many.
const BLS_MAX_SERIES: usize = 25;
const BLS_MAX_YEARS: i16 = 10;
/// The first year of any of its series.
const BLS_FIRST_YEAR: i16 = 1913;

/// A day before every figure of the catalogue.
const EARLIEST: Date = jiff::civil::date(1900, 1, 1);

impl Feed {
    /// Returns the requests for some of the feed's series from a day on (`None`: the whole history), in order. For a feed of
    /// pages it returns the first page; [`Self::page`] gives the others.
    pub fn requests(
        &self,
        series: &[&SeriesRecipe],
        from: Option<Date>,
        today: Date,
    ) -> Vec<Request> {
        if self.format == Format::Bls {
            return bls_requests(self, series, from, today);
        }
        let start = |first: Date| from.map_or(first, |from| from.max(first));
        let until_today = |start| vec![DateRange::new(start, today)];
        let ranges: Vec<DateRange> = match &self.split {
            None => until_today(from.unwrap_or(EARLIEST)),
            Some(Split::Series { first }) => until_today(start(first.unwrap_or(EARLIEST))),
            Some(Split::Page { .. }) => return vec![self.page(from, today, 1, 0)],
            Some(Split::Year { first }) => {
                let day = |year, month, day| Date::new(year, month, day).ok();
                let range = |year| {
                    let end = day(year, 12, 31)?.min(today);
                    Some(DateRange::new(day(year, 1, 1)?, end))
                };
                let begin = from.map_or(*first, |day| day.year().max(*first));
                (begin..=today.year()).filter_map(range).collect()
            }
            Some(Split::Window { days, first }) => {
                let next = |start: &Date| Some(shift(*start, i64::from(*days).days()));
                let end = |start| shift(start, i64::from(*days - 1).days()).min(today);
                std::iter::successors(Some(start(*first)), next)
                    .take_while(|start| *start <= today)
                    .map(|start| DateRange::new(start, end(start)))
                    .collect()
            }
        };
        let mut keys: Vec<Option<&str>> = vec![None];
        if self.url.contains("{series}") {
            keys.clear();
            for series in series {
                if !keys.contains(&Some(series.key.as_str())) {
                    keys.push(Some(&series.key));
                }
            }
        }
        let fill = |key| ranges.iter().map(move |days| self.fill(key, *days, 1, 0));
        keys.into_iter().flat_map(fill).collect()
    }

    /// Returns the request for a further page, after `offset` rows.
    pub fn page(&self, from: Option<Date>, today: Date, page: usize, offset: usize) -> Request {
        let first = match &self.split {
            Some(Split::Page { first, .. }) => *first,
            _ => EARLIEST,
        };
        let start = from.map_or(first, |from| from.max(first));
        self.fill(None, DateRange::new(start, today), page, offset)
    }

    /// Fills the templates of URL and body.
    fn fill(&self, key: Option<&str>, days: DateRange, page: usize, offset: usize) -> Request {
        let DateRange { start, end } = days;
        let epoch = start
            .to_zoned(TimeZone::UTC)
            .map_or(0, |zoned| zoned.timestamp().as_second());
        let values = [
            ("{series}", key.unwrap_or_default().to_owned()),
            ("{year}", end.year().to_string()),
            ("{from_year}", start.year().to_string()),
            ("{from}", start.to_string()),
            ("{to}", end.to_string()),
            ("{from_epoch}", epoch.to_string()),
            ("{page}", page.to_string()),
            ("{offset}", offset.to_string()),
        ];
        let fill = |template: &String| {
            let replace = |text: String, (name, value): &(&str, String)| text.replace(name, value);
            values.iter().fold(template.clone(), replace)
        };
        Request {
            url: fill(&self.url),
            post: self.post.as_ref().map(fill),
            key: key.map(str::to_owned),
        }
    }
}

/// Returns the requests with the newest years first, so that an exhausted quota leaves the oldest years for the next day.
fn bls_requests(
    feed: &Feed,
    series: &[&SeriesRecipe],
    from: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let default = BLS_FIRST_YEAR.max(today.year() - 2 * BLS_MAX_YEARS + 1);
    let first = from.map_or(default, Date::year);
    let mut requests = Vec::new();
    let mut end = today.year();
    while end >= first {
        let start = first.max(end - BLS_MAX_YEARS + 1);
        for chunk in series.chunks(BLS_MAX_SERIES) {
            let ids: Vec<&str> = chunk.iter().map(|series| series.field.as_str()).collect();
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

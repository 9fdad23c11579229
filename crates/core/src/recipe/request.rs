//! Builds the requests of a feed from its templates.

use super::shape::{Feed, Request, SeriesRecipe, Split};
use crate::model::frequency::shift;
use crate::model::{Date, DateRange};
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;

/// A day before every figure of the catalogue.
const EARLIEST: Date = jiff::civil::date(1900, 1, 1);

impl Feed {
    /// Whether its requests depend on the range of dates.
    pub fn has_range(&self) -> bool {
        let mut templates = [Some(&self.url), self.post.as_ref()].into_iter().flatten();
        let is_split = self.split.is_some();
        templates.any(|text| text.contains("{from") || is_split && text.contains("{year}"))
    }

    /// Returns the requests for some of the feed's series from a day on (`None`: the whole history), in order. For a feed of
    /// pages it returns the first page; [`Self::page`] gives the others.
    pub fn requests(
        &self,
        series: &[&SeriesRecipe],
        from: Option<Date>,
        today: Date,
    ) -> Vec<Request> {
        let start = |first: Date| from.map_or(first, |from| from.max(first));
        let until_today = |start| vec![DateRange::new(start, today)];
        let ranges: Vec<DateRange> = match &self.split {
            None => until_today(from.unwrap_or(EARLIEST)),
            Some(Split::Series { first }) => until_today(start(first.unwrap_or(EARLIEST))),
            Some(Split::Page { .. }) => return vec![self.page(from, today, 1, 0)],
            Some(Split::Year { first }) => {
                let begin = from.map_or(*first, |day| day.year().max(*first));
                (begin..=today.year())
                    .filter_map(|year| years(year, year, today))
                    .collect()
            }
            Some(Split::Batch {
                series: max_series,
                years: max_years,
                history_years,
            }) => {
                let default = today.year() - history_years + 1;
                let first = from.map_or(default, Date::year);
                let next = |end: &i16| end.checked_sub(*max_years);
                let batches = std::iter::successors(Some(today.year()), next)
                    .take_while(|end| *end >= first)
                    .filter_map(|end| years(first.max(end - max_years + 1), end, today))
                    .flat_map(|days| {
                        let chunks = series.chunks(*max_series);
                        chunks.map(move |chunk| self.fill_batch(chunk, days))
                    });
                return batches.collect();
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

    /// Fills the templates for a batch of series.
    fn fill_batch(&self, series: &[&SeriesRecipe], days: DateRange) -> Request {
        let fields: Vec<&str> = series.iter().map(|series| series.field.as_str()).collect();
        let mut request = self.fill(None, days, 1, 0);
        request.post =
            (request.post).map(|body| body.replace("{fields}", &json!(fields).to_string()));
        request
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
            alternatives: self.alternatives.iter().map(fill).collect(),
            keyed_url: self.keyed_url.as_ref().map(fill),
            post: self.post.as_ref().map(fill),
            key: key.map(str::to_owned),
        }
    }
}

/// Returns the days of the years from `first` to `last`, until today at most.
fn years(first: i16, last: i16, today: Date) -> Option<DateRange> {
    let start = Date::new(first, 1, 1).ok()?;
    let end = Date::new(last, 12, 31).ok()?;
    Some(DateRange::new(start, end.min(today)))
}

//! What is asked: the addresses that a feed's template and the wish for some series become.

use super::shape::{Ask, Feed, Format, Line};
use super::survey;
use super::terms::Split;
use crate::model::Date;
use crate::model::frequency::shift;
use jiff::ToSpan;
use jiff::tz::TimeZone;

impl Feed {
    /// The requests for some of its series from a day on (`None` = all there is), in order. Of pages it is the first;
    /// [`Self::page`] gives the others.
    pub fn asks(&self, wanted: &[&Line], from: Option<Date>, today: Date) -> Vec<Ask> {
        if self.format == Format::Bls {
            return survey::asks(self, wanted, from, today);
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
        let lines = self.keys(wanted).into_iter();
        let asks = lines.flat_map(|line| {
            let spans = spans.iter();
            spans.map(move |span| self.filled(line, *span, (1, 0)))
        });
        asks.collect()
    }

    /// A line for each key that the address is filled with; none of its own where it takes no key.
    fn keys<'a>(&self, wanted: &[&'a Line]) -> Vec<Option<&'a Line>> {
        if !self.url.contains("{series}") {
            return vec![None];
        }
        let mut lines: Vec<Option<&Line>> = Vec::new();
        for line in wanted {
            if !lines.iter().flatten().any(|other| other.key == line.key) {
                lines.push(Some(line));
            }
        }
        lines
    }

    /// The request for a further page; `offset` rows came so far.
    pub fn page(&self, from: Option<Date>, today: Date, page: usize, offset: usize) -> Ask {
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
        line: Option<&Line>,
        (from, to): (Date, Date),
        (page, offset): (usize, usize),
    ) -> Ask {
        let epoch = from.to_zoned(TimeZone::UTC);
        let epoch = epoch.map_or(0, |at| at.timestamp().as_second());
        let key = line.map(|line| line.key.clone());
        let words = [
            ("{series}", key.clone().unwrap_or_default()),
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
        Ask {
            url: fill(&self.url),
            post: self.post.as_ref().map(fill),
            key,
        }
    }
}

/// Before any figure of ours.
const EARLIEST: Date = jiff::civil::date(1900, 1, 1);

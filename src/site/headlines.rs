//! The figures that lead the start page, and what came out last and comes next.

use super::calendar::figure;
use super::home::START;
use super::questions::{Answers, Question};
use super::text::readable;
use econoscope_answers::endpoints::Endpoint;
use econoscope_answers::endpoints::release_calendar::{
    CalendarAnswer, Params, ReleaseEvent, ScheduledFigure,
};
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::format::{Unit, period};
use econoscope_core::model::Frequency;
use econoscope_data::desk::Desk;

/// A figure of the first screen.
pub(super) struct Headline {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// "4.2 %"; none where there is no figure.
    pub(super) value: Option<String>,
    /// The period of the figure.
    pub(super) period: String,
}

/// A release, past or to come.
pub(super) struct Release {
    /// "Fri 4 Dec".
    pub(super) day: String,
    pub(super) name: String,
    /// What it said or is of.
    pub(super) note: String,
    /// The page of its series, where it has one.
    pub(super) id: Option<String>,
}

/// A series, its name, the first day asked for, its units, and whether it is a change that carries its sign.
type Row = (&'static str, &'static str, &'static str, &'static str, bool);

/// Those that a chart of the page shows, too, are asked for as it asks: an upstream is paid once.
const HEADLINES: [Row; 6] = [
    ("UNRATE", "Unemployment", START, "", false),
    ("PAYEMS", "Jobs on the month", "2y", "chg", true),
    ("CPIAUCSL", "Inflation (CPI)", START, "pc1", true),
    ("A191RL1Q225SBEA", "GDP growth", "2y", "", true),
    ("DFF", "Fed funds rate", "2y", "", false),
    ("DGS10", "10-year Treasury yield", "2y", "", false),
];

/// Most releases of either kind, and days in which the next ones are.
const MOST: usize = 3;
const DAYS: u8 = 14;

/// The history of each: the newest figure of a quarterly series may be old.
pub(super) fn questions() -> impl Iterator<Item = Question> {
    HEADLINES.iter().map(|(id, _, start, units, _)| {
        let arguments = [("seriesId", *id), ("start", start), ("units", units)];
        Question::new("get_time_series", &arguments)
    })
}

/// The newest figure of each; one that cannot be had is left out with its value.
pub(super) fn read(answers: &mut Answers) -> Vec<Headline> {
    let figures = HEADLINES.iter().map(|(id, name, _, _, is_change)| {
        let answer = answers.read::<TimeSeriesAnswer>();
        let mut headline = Headline {
            id,
            name,
            value: None,
            period: String::new(),
        };
        let newest = answer.as_ref().ok().and_then(|o| Some((o, o.data.last()?)));
        if let Some((o, newest)) = newest {
            let unit = Unit::of(&o.unit, o.unit_in_words.as_deref().unwrap_or_default());
            let info = Catalogue::embedded().get(id);
            let decimals = match o.published_unit() {
                None if o.unit.starts_with('%') => 1,
                _ => info.map_or(1, |info| usize::from(info.decimals)),
            };
            let (value, after) = unit.parts(newest.value, decimals);
            let value = match is_change {
                true => unit.change(newest.value, decimals),
                false => value,
            };
            // What is counted stands in the name.
            let after = if after == "%" { " %" } else { "" };
            headline.value = Some(value + after);
            let frequency = o.frequency.as_deref().and_then(|word| word.parse().ok());
            headline.period = period(newest.date, frequency.unwrap_or(Frequency::Daily));
        }
        headline
    });
    figures.collect()
}

/// What came out last and what comes next, by the calendar.
///
/// # Errors
/// What the calendar says.
pub(super) fn releases(desk: &Desk) -> Result<(Vec<Release>, Vec<Release>)> {
    let answer: CalendarAnswer = Params::local(desk, &Params::of(DAYS, None, None))?;
    let mut last: Vec<&ScheduledFigure> = answer.figures.iter().collect();
    last.retain(|f| f.last.is_some());
    last.sort_by_key(|f| std::cmp::Reverse(f.last.as_ref().map(|last| last.date)));
    let last = last.into_iter().take(MOST).filter_map(printed).collect();
    let next = answer.events.iter().filter(|e| e.held != Some(true));
    Ok((last, next.take(MOST).map(coming).collect()))
}

fn printed(f: &ScheduledFigure) -> Option<Release> {
    let last = f.last.as_ref()?;
    let expected = last.expected.as_ref();
    let expected = expected.map(|e| format!("; {} expected", figure(f, e.value)));
    let of = readable(&last.period);
    Some(Release {
        day: last.date.strftime("%a %-d %b").to_string(),
        name: f.name.clone(),
        note: format!(
            "{}: {}{}",
            of,
            figure(f, last.value),
            expected.unwrap_or_default()
        ),
        id: Some(f.series_id.clone()),
    })
}

fn coming(e: &ReleaseEvent) -> Release {
    let day = e.date.strftime("%a %-d %b").to_string();
    Release {
        day: format!("{day} {}", e.time).trim_end().to_owned(),
        name: e.name.clone(),
        note: readable(&e.period),
        id: e.series.first().cloned(),
    }
}

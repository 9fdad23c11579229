//! The figures of coming releases: the expectation, the last print and its surprise, and the usual size of revisions.

use super::answer::{ExpectedPrint, LastPrint, ScheduledFigure, UsualRevision};
use crate::endpoints::revisions::{label, units};
use crate::prelude::*;
use econoscope_core::indicators::expectation::{Expectation, Formula};
use econoscope_core::indicators::prose::lowercase_first;
use econoscope_core::indicators::record::{LAST_STUDIED, counted};
use econoscope_core::indicators::revisions::HORIZONS;
use econoscope_core::model::calendar::{Release, ScheduledRelease};
use econoscope_desk::release_forecast::FirstPrint;

/// Returns the figures of the releases in `due`, each once, in the order of its first release.
pub(super) fn figures(
    desk: &Desk,
    due: &[ScheduledRelease],
    as_of: AsOf,
) -> Result<Vec<ScheduledFigure>> {
    let mut figures: Vec<ScheduledFigure> = Vec::new();
    for due in due {
        for id in due.release.headline.iter().chain(&due.release.revises) {
            if figures.iter().any(|f| f.series_id == *id) {
                continue;
            }
            let info = desk.resolve("series", id)?;
            let figure = scheduled_figure(desk, &info, Some(due.release), as_of)?;
            figures.extend(figure.filter(|f| f.measure.is_some() || f.usual_revision.is_some()));
        }
    }
    Ok(figures)
}

/// Returns one figure; `None` where the series is restricted.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(in crate::endpoints) fn scheduled_figure(
    desk: &Desk,
    info: &Arc<SeriesInfo>,
    release: Option<&'static Release>,
    as_of: AsOf,
) -> Result<Option<ScheduledFigure>> {
    if desk.check_permitted(info).is_err() {
        return Ok(None);
    }
    let figure = ScheduledFigure {
        series_id: desk.display_id(&info.id),
        name: info.title.clone(),
        release: release.map(|r| r.id.clone()).unwrap_or_default(),
        usual_revision: usual_revision(desk, info, as_of)?,
        ..ScheduledFigure::default()
    };
    let Some(formula) = Formula::for_series(info.id.as_str()) else {
        return Ok(Some(figure));
    };
    let forecast = desk.release_forecast(formula, as_of)?;
    let announced = desk.announced_days(as_of)?;
    let printed = forecast.last.as_ref();
    let last = printed.map(|print| last_print(formula, info.frequency, print));
    let day = newest(as_of, desk.today());
    let next = forecast.next.as_ref().map(|e| {
        let mut next = expected_print(formula, info.frequency, e);
        let due = release.and_then(|release| release.scheduled_for(e.period));
        let told = due.map(|due| announced.announce(due));
        let overdue = told.filter(|due| due.day < day);
        next.notes.extend(overdue.map(|due| match due.announced {
            Some(_) => format!("announced for {}, and not loaded", due.day),
            None => format!("due by its rule on {}, and not loaded", due.day),
        }));
        next
    });
    Ok(Some(ScheduledFigure {
        measure: Some(formula.measure.to_owned()),
        unit: Some(formula.unit.to_owned()),
        missing: next.as_ref().err().map(|why| (*why).clone()),
        next: next.ok(),
        last,
        formula: Some(formula.formula.to_owned()),
        record: Some(counted(formula.record(), day, LAST_STUDIED)),
        caveat: formula.caveat.clone(),
        ..figure
    }))
}

fn expected_print(formula: &Formula, frequency: Frequency, e: &Expectation) -> ExpectedPrint {
    let round = |value: f64| round_to(value, formula.decimals);
    ExpectedPrint {
        period: label(e.period, frequency),
        value: round(e.value),
        sd: round(e.sd),
        p90: e.p90.map(round),
        notes: e.notes.clone(),
    }
}

fn last_print(formula: &Formula, frequency: Frequency, print: &FirstPrint) -> LastPrint {
    let round = |value: f64| round_to(value, formula.decimals);
    let expected = print.expected.as_ref();
    LastPrint {
        period: label(print.period, frequency),
        date: print.day,
        recorded: print.is_recorded,
        value: round(print.value),
        expected: expected.ok().map(|e| expected_print(formula, frequency, e)),
        surprise: print.surprise().map(round),
        deviations: print.deviations().map(|z| round_to(z, 1)),
        missing: expected.err().cloned(),
    }
}

/// Returns the newest surprises of a series, the newest first; empty without a formula.
///
/// # Errors
/// As [`scheduled_figure`].
pub fn surprises(desk: &Desk, info: &SeriesInfo, count: usize) -> Result<Vec<LastPrint>> {
    let Some(formula) = Formula::for_series(info.id.as_str()) else {
        return Ok(Vec::new());
    };
    let newest = desk.surprises(formula, count)?;
    let print = |print: &FirstPrint| last_print(formula, info.frequency, print);
    Ok(newest.iter().map(print).collect())
}

/// Returns how far first prints were from the value a year later, as known at `as_of`; `None` without vintages.
fn usual_revision(desk: &Desk, info: &SeriesInfo, as_of: AsOf) -> Result<Option<UsualRevision>> {
    let Some(revisions) = desk.revisions(info)? else {
        return Ok(None);
    };
    let usual = match as_of {
        AsOf::Latest => revisions.usual,
        AsOf::Day(day) => revisions.usual_as_of(day),
    };
    let [_, (unit, decimals)] = units(revisions.measure, info);
    let [_, months] = HORIZONS;
    let round = |value: f64| round_to(value, decimals + 1);
    Ok(usual.map(|usual| {
        let [_, after_a_year] = usual.after;
        UsualRevision {
            months,
            mean_abs: round(after_a_year.mean_abs),
            p90_abs: round(after_a_year.p90_abs),
            bias: round(after_a_year.bias),
            unit: lowercase_first(&unit),
            n: usual.n,
        }
    }))
}

//! The figures that the releases of a calendar bring: what can be expected of them, and what came last.

use super::answer::{ExpectedPrint, LastPrint, ScheduledFigure, UsualRevision};
use crate::endpoints::days::newest;
use crate::endpoints::prelude::*;
use crate::endpoints::revisions::{label, units};
use econoscope_core::indicators::expectation::{Expectation, Formula};
use econoscope_core::indicators::prose::lowered;
use econoscope_core::indicators::revisions::HORIZONS;
use econoscope_core::model::calendar::{Due, Release};
use std::sync::Arc;

/// Decimals of surprises in standard deviations.
const DEVIATIONS: i32 = 1;

/// Each figure once, in the order of its first release.
pub(super) fn of(desk: &Desk, due: &[Due], as_of: AsOf) -> Result<Vec<ScheduledFigure>> {
    let mut figures: Vec<ScheduledFigure> = Vec::new();
    for due in due {
        let ids = due.release.headline.iter().chain(&due.release.revises);
        for id in ids {
            if figures.iter().any(|f| f.series_id == *id) {
                continue;
            }
            let info = desk.resolve("series", id)?;
            let found = figure(desk, &info, (Some(due.release), as_of))?;
            figures.extend(found.filter(|f| f.measure.is_some() || f.usual_revision.is_some()));
        }
    }
    Ok(figures)
}

/// A figure; `None` where it may not be passed on.
pub(in crate::endpoints) fn figure(
    desk: &Desk,
    info: &Arc<SeriesInfo>,
    (release, as_of): (Option<&'static Release>, AsOf),
) -> Result<Option<ScheduledFigure>> {
    if desk.permit(info).is_err() {
        return Ok(None);
    }
    let plain = ScheduledFigure {
        series_id: desk.shown_id(&info.id),
        name: info.title.clone(),
        release: release.map(|r| r.id.clone()).unwrap_or_default(),
        usual_revision: usual(desk, info, as_of)?,
        ..ScheduledFigure::default()
    };
    let Some(formula) = Formula::of(info.id.as_str()) else {
        return Ok(Some(plain));
    };
    let awaited = desk.awaited(formula, as_of)?;
    let round = |value: f64| round_to(value, formula.decimals);
    let expected = |e: &Expectation| ExpectedPrint {
        period: label(e.period, info.frequency),
        value: round(e.value),
        sd: round(e.sd),
        p90: e.p90.map(round),
        notes: e.notes.clone(),
    };
    let last = awaited.last.as_ref().map(|print| LastPrint {
        period: label(print.period, info.frequency),
        date: print.day,
        recorded: print.is_recorded,
        value: round(print.value),
        expected: print.expected.as_ref().ok().map(expected),
        surprise: print.surprise().map(round),
        deviations: print.deviations().map(|z| round_to(z, DEVIATIONS)),
        missing: print.expected.as_ref().err().cloned(),
    });
    let next = awaited.next.as_ref().map(|e| {
        let due = release.and_then(|release| release.due_for(e.period));
        let mut next = expected(e);
        // It is still to come, or came and is not held.
        let passed = due.filter(|due| due.day < newest(as_of, desk.today()));
        let passed = passed.map(|due| format!("due by its rule on {}, and not loaded", due.day));
        next.notes.extend(passed);
        next
    });
    Ok(Some(ScheduledFigure {
        measure: Some(formula.measure.to_owned()),
        unit: Some(formula.unit.to_owned()),
        missing: next.as_ref().err().map(|why| (*why).clone()),
        next: next.ok(),
        last,
        formula: Some(formula.formula.to_owned()),
        record: Some(formula.record.to_owned()),
        caveat: formula.caveat.clone(),
        ..plain
    }))
}

/// How far first prints lay from what stood there a year later, by what was known then.
fn usual(desk: &Desk, info: &SeriesInfo, as_of: AsOf) -> Result<Option<UsualRevision>> {
    let Some(record) = desk.revisions(info)? else {
        return Ok(None);
    };
    let usual = match as_of {
        AsOf::Latest => record.usual,
        AsOf::Day(day) => record.usual_by(day),
    };
    let [_, (unit, decimals)] = units(record.yardstick, info);
    let unit = lowered(&unit);
    let round = |value: f64| round_to(value, decimals + 1);
    Ok(usual.map(|usual| {
        let ([_, months], [_, spread]) = (HORIZONS, usual.after);
        UsualRevision {
            months,
            mean_abs: round(spread.mean_abs),
            p90_abs: round(spread.p90_abs),
            bias: round(spread.bias),
            unit,
            n: usual.n,
        }
    }))
}

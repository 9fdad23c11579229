//! The figures that the releases of a calendar bring: what can be expected of them, and what came last.

use super::answer::{AwaitedFigure, ExpectedPrint, LastPrint, UsualRevision};
use crate::desk::Desk;
use crate::desk::kept::Print;
use crate::endpoints::days::newest;
use crate::endpoints::revisions::{decimals, label, units};
use crate::error::Result;
use crate::indicators::expectation::{Expectation, Formula};
use crate::indicators::prose::lowered;
use crate::indicators::revisions::HORIZONS;
use crate::model::calendar::{Due, Release};
use crate::model::series_info::round_to;
use crate::model::{AsOf, Date, Frequency, SeriesInfo};
use std::sync::Arc;

/// Decimals of surprises in standard deviations.
const DEVIATIONS: i32 = 1;

/// Each figure once, in the order of its first release.
pub(super) fn of(desk: &Desk, due: &[Due], as_of: AsOf) -> Result<Vec<AwaitedFigure>> {
    let mut figures: Vec<AwaitedFigure> = Vec::new();
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
) -> Result<Option<AwaitedFigure>> {
    if desk.permit(info).is_err() {
        return Ok(None);
    }
    let formula = Formula::of(info.id.as_str());
    let awaited = formula.map(|f| desk.awaited(f, as_of)).transpose()?;
    let shown = Shown {
        decimals: formula.map_or(0, |f| f.decimals),
        frequency: info.frequency,
        release,
        today: newest(as_of, desk.today()),
    };
    let next = awaited.as_ref().map(|a| a.next.as_ref());
    let last = awaited.as_ref().and_then(|a| a.last.as_ref());
    Ok(Some(AwaitedFigure {
        series_id: desk.shown_id(&info.id),
        name: info.title.clone(),
        release: release.map(|r| r.id.clone()).unwrap_or_default(),
        measure: formula.map(|f| f.measure.to_owned()),
        unit: formula.map(|f| f.unit.to_owned()),
        missing: next.and_then(|next| next.err().cloned()),
        next: next.and_then(|next| next.ok().map(|e| shown.next(e))),
        last: last.map(|print| shown.last(print)),
        usual_revision: usual(desk, info, as_of)?,
        formula: formula.map(|f| f.formula.to_owned()),
        record: formula.map(|f| f.record.to_owned()),
        caveat: formula.and_then(|f| f.caveat.clone()),
    }))
}

/// How figures of a series are shown.
struct Shown {
    decimals: i32,
    frequency: Frequency,
    release: Option<&'static Release>,
    today: Date,
}

impl Shown {
    fn round(&self, value: f64) -> f64 {
        round_to(value, self.decimals)
    }

    /// What can be expected of a print that is still to come, or came and is not held.
    fn next(&self, e: &Expectation) -> ExpectedPrint {
        let due = self.release.and_then(|release| release.due_for(e.period));
        let mut next = self.expected(e);
        if let Some(day) = due.map(|due| due.day).filter(|day| *day < self.today) {
            next.notes
                .push(format!("due by its rule on {day}, and not loaded"));
        }
        next
    }

    fn expected(&self, e: &Expectation) -> ExpectedPrint {
        ExpectedPrint {
            period: label(e.period, self.frequency),
            value: self.round(e.value),
            sd: self.round(e.sd),
            p90: e.p90.map(|p90| self.round(p90)),
            notes: e.notes.clone(),
        }
    }

    fn last(&self, print: &Print) -> LastPrint {
        LastPrint {
            period: label(print.period, self.frequency),
            date: print.day,
            recorded: print.is_recorded,
            value: self.round(print.value),
            expected: print.expected.as_ref().ok().map(|e| self.expected(e)),
            surprise: print.surprise().map(|surprise| self.round(surprise)),
            deviations: print.deviations().map(|z| round_to(z, DEVIATIONS)),
            missing: print.expected.as_ref().err().cloned(),
        }
    }
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
    let (_, unit) = units(record.yardstick, info);
    let unit = lowered(&unit);
    let (_, decimals) = decimals(record.yardstick, info);
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

//! How a figure was revised, as a section of its series' page.

use crate::desk::Desk;
use crate::endpoints::revisions::{self, label, plus, size};
use crate::error::Result;
use crate::indicators::prose::{capitalised, lowered};
use crate::model::{Frequency, SeriesInfo};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The section.
pub(super) struct RevisionSection {
    /// "Change from the month before, thousands of persons".
    pub(super) measure: String,
    /// The period shown.
    pub(super) period: String,
    /// Stage, day, value, revision.
    pub(super) stages: Vec<[String; 4]>,
    /// Why a stage is absent.
    pub(super) reasons: BTreeSet<String>,
    /// "after 12 months mean 66.3, …"
    pub(super) usual: Vec<String>,
    /// What those sizes were counted over.
    pub(super) sample: String,
    /// Period, first print, present value, revision.
    pub(super) prints: Vec<[String; 4]>,
}

/// The section for the period written; `None` for a series of which no first print is on
/// record, and for what is computed here.
///
/// # Errors
/// [`crate::Error::InvalidParam`] for what is no period; [`crate::Error::Store`] when the store cannot be read.
pub(super) fn section(
    desk: &Desk,
    info: &Arc<SeriesInfo>,
    period: Option<&str>,
) -> Result<Option<RevisionSection>> {
    if info.is_composite() {
        return Ok(None);
    }
    let answer = revisions::read(desk, info, period)?;
    let (Some(period), Some(record)) = (&answer.period, &answer.vintages) else {
        return Ok(None);
    };
    let stages = period.stages.iter().map(|s| {
        let value = s.value.map_or("–".to_owned(), |v| v.to_string());
        let known = s.known.map_or(String::new(), |day| day.to_string());
        [capitalised(&s.stage), known, value, shown(s.revision)]
    });
    let reasons: BTreeSet<String> = period
        .stages
        .iter()
        .filter_map(|s| s.missing.as_deref().map(capitalised))
        .collect();
    let usual = answer.usual.as_ref();
    let months = |date| label(date, Frequency::Monthly);
    let prints = answer.first_prints.iter().map(|p| {
        let now = p.now.map_or("–".to_owned(), |now| now.to_string());
        [
            label(p.date, info.frequency),
            p.first.to_string(),
            now,
            shown(p.revision),
        ]
    });
    Ok(Some(RevisionSection {
        measure: format!("{}, {}", answer.measure, lowered(&answer.unit)),
        period: label(period.date, info.frequency),
        stages: stages.collect(),
        reasons,
        usual: usual.map_or_else(Vec::new, |u| u.after.iter().map(size).collect()),
        sample: format!(
            "{} first prints, in {}; vintages from {} to {}",
            usual.map_or(0, |u| u.n),
            lowered(&answer.revision_unit),
            months(record.from),
            months(record.to),
        ),
        prints: prints.collect(),
    }))
}

/// A revision with its sign; nothing where there is none.
fn shown(revision: Option<f64>) -> String {
    revision.map_or(String::new(), plus)
}

//! `get_revisions`: what was printed first for a period, what became of it, and how large such revisions usually are.
//!
//! Out of the vintages held alone. Where there are none the answer says so, and gives the present value.

mod table;
mod words;

pub use table::{
    LevelAnswer, PeriodAnswer, PeriodRow, PrintAnswer, RecordAnswer, RevisionsAnswer, StageAnswer,
};
pub(super) use words::units;
pub use words::{label, plus, size};

use super::days;
use super::foreign::UntrustedFields;
use crate::endpoints::prelude::*;
use econoscope_core::indicators;
use econoscope_core::indicators::revisions::Revisions;
use econoscope_data::desk::identities;
use jiff::tz::TimeZone;
use std::sync::Arc;
use table::RevisionTable;

/// First prints that are listed.
const LISTED: usize = 12;

/// Most periods of one answer.
const MOST_PERIODS: usize = 60;
/// Most levels of one answer.
const MOST_LEVELS: usize = 240;

/// A rate of growth and the series that it is of: first prints of the one are read from the vintages of the other, which
/// are compared by the same rate.
const GROWTH_OF: (&str, &str) = ("A191RL1Q225SBEA", "GDPC1");

/// Series without vintages, and the one whose vintages tell nearly the same.
const SIBLINGS: [(&str, &str); 4] = [
    ("CMRMTSPL", "CMRMTSPLx"),
    ("GDP", "GDPC1, real GDP"),
    ("ICSA", "CLAIMSx, its monthly mean"),
    ("RSAFS", "RETAILx"),
];

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"PAYEMS", length(min = 1, max = 80))]
    series_id: String,
    /// 2008-12, 2008Q4; several with commas; range 2008-01..2008-12. The newest first print without it.
    #[schemars(example = &"2008-12")]
    date: Option<String>,
    /// Adds every level: benchmark revisions.
    #[serde(default)]
    levels: bool,
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "get_revisions",
        title: "Revisions",
        path: "/api/public/revisions/{seriesId}",
        summary: "First print of a figure, what became of it, and how large its revisions usually are",
        description: "Use this when asked what was first reported or estimated for a month or quarter (payrolls, CPI, GDP, \
            retail sales), how it was revised, or how far first prints can be trusted: usual size, bias and sign \
            flips of revisions.",
        max_age: 1_800,
        in_contract: false,
        example: &[("seriesId", "PAYEMS")],
    };
    const PROVENANCE: Kept<RevisionsAnswer> = Some(|answer| &mut answer.provenance);
    type Output = RevisionsAnswer;

    fn omitted(&self) -> &'static [&'static str] {
        &[
            "rights",
            "vintages",
            "first_prints.known",
            "first_prints.revision",
        ]
    }

    fn local(desk: &Desk, params: &Self) -> Result<RevisionsAnswer> {
        let info = desk.resolve("series", &params.series_id)?;
        desk.permit(&info)?;
        if info.is_composite() || info.source.starts_with(identities::OWN) {
            return Err(computed_here(desk, &info));
        }
        let (growth, of) = GROWTH_OF;
        let has_prints = |own: Arc<Revisions>| !own.prints.is_empty();
        let is_read_from_level =
            info.id.as_str() == growth && !desk.revisions(&info)?.is_some_and(has_prints);
        let info = match is_read_from_level {
            true => desk.resolve("series", of)?,
            false => info,
        };
        desk.permit(&info)?;
        let mut answer = read(desk, &info, params.date.as_deref())?;
        if is_read_from_level {
            let said = format!("{growth} is read from the vintages of {of}, whose growth it is");
            answer.provenance.note("name", said);
        }
        if params.levels {
            add_levels(desk, &info, &mut answer)?;
        }
        Ok(answer)
    }

    fn text(answer: &RevisionsAnswer, _: &Self) -> String {
        words::text(answer)
    }
}

/// Why there is no first print of a composite.
fn computed_here(desk: &Desk, info: &SeriesInfo) -> Error {
    let inputs = indicators::composite(info.id.as_str()).map(|c| c.inputs());
    let identity = identities::of(info.id.as_str()).into_iter();
    let made_of = identity.flat_map(identities::Identity::inputs);
    let inputs = joined(inputs.into_iter().flatten().chain(made_of), ", ");
    let allowed = match inputs.is_empty() {
        true => "a published series, for example PAYEMS".to_owned(),
        false => format!("a published series, for example one of its inputs: {inputs}"),
    };
    let problem = "is computed here and not published, so it has no first print; as_of of get_time_series, get_metric or \
        explain_indicator has it as known on a day";
    Error::invalid("seriesId", &desk.shown_id(&info.id), problem, &allowed)
}

/// How a published series was revised; `date` as it was written.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no period; [`Error::Store`] when the store cannot be read.
pub fn read(desk: &Desk, info: &Arc<SeriesInfo>, date: Option<&str>) -> Result<RevisionsAnswer> {
    let held = desk.series(info, AsOf::Latest)?;
    let record = desk.revisions(info)?.unwrap_or_default();
    let today = desk.today();
    let asked = date.map(|text| days::periods("date", text, today));
    let asked = asked.transpose()?;
    let mut provenance = Provenance::of(desk, AsOf::Latest, [info.id.as_str()])?;
    if held.is_none() {
        provenance.note("period", desk.no_data(info, AsOf::Latest).to_string());
    } else if record.prints.is_empty() {
        provenance.note("vintages", without_vintages(info));
    }
    let read = desk.held(&info.id)?.map(|status| status.fetched_at);
    let read = read.map_or(today, |at| at.to_zoned(TimeZone::UTC).date());
    let yardstick = record.yardstick;
    let [(unit, decimals), (revision_unit, decimals_of_revision)] = units(yardstick, info);
    let table = RevisionTable {
        info,
        held: held.as_deref(),
        record: &record,
        decimals: [decimals, decimals_of_revision],
        read,
    };
    let stamps = table.stamps(asked.as_deref());
    if stamps.len() > MOST_PERIODS {
        let problem = format!("is {} periods", stamps.len());
        let allowed = format!("up to {MOST_PERIODS} periods");
        let date = date.unwrap_or_default();
        return Err(Error::invalid("date", date, &problem, &allowed));
    }
    if stamps.is_empty() && held.is_some() {
        provenance.note("period", "no figure is held of a period in that range");
    }
    let (period, periods) = match stamps.as_slice() {
        [one] => (Some(table.period(*one)), Vec::new()),
        several => (None, several.iter().map(|date| table.row(*date)).collect()),
    };
    if periods.iter().any(|row| row.after_12_months.is_none()) {
        provenance.note("periods", table.not_on_record());
    }
    Ok(RevisionsAnswer {
        series_id: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        frequency: info.frequency.word().into(),
        measure: words::measure(yardstick, info.frequency),
        unit,
        revision_unit,
        period,
        periods,
        level_unit: None,
        levels: Vec::new(),
        usual: table.usual(),
        first_prints: table.newest_prints(if asked.is_some() { 0 } else { LISTED }),
        vintages: table.record(),
        source: info.source.clone(),
        rights: info.rights.word().into(),
        untrusted: UntrustedFields::of(info, &["displayName", "unit", "source"]),
        attribution: desk.attribution(),
        provenance,
    })
}

/// Adds every level on record of the periods, the newest left out beyond [`MOST_LEVELS`].
fn add_levels(desk: &Desk, info: &SeriesInfo, answer: &mut RevisionsAnswer) -> Result<()> {
    let one = answer.period.iter().map(|period| period.date);
    for date in one.chain(answer.periods.iter().map(|row| row.date)) {
        answer.levels.extend(table::levels(desk, info, date)?);
    }
    let count = answer.levels.len();
    answer.level_unit = (count > 0).then(|| info.units.clone());
    let note = match count.saturating_sub(MOST_LEVELS) {
        0 if count > 0 => return Ok(()),
        0 => "no day is on record from which a level was known".to_owned(),
        left => format!("{left} more are left out: ask for fewer periods"),
    };
    answer.provenance.note("levels", note);
    answer.levels.truncate(MOST_LEVELS);
    Ok(())
}

/// Why a series has no first prints, and where some are.
fn without_vintages(info: &SeriesInfo) -> String {
    let sibling = SIBLINGS.iter().find(|(id, _)| *id == info.id.as_str());
    let sibling = sibling.map_or(String::new(), |(_, other)| format!("; see {other}"));
    format!(
        "none held of {}: its values are as last revised{sibling}",
        info.id
    )
}

#[cfg(test)]
mod tests;

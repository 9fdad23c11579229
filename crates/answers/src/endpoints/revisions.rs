//! `get_revisions`: what was printed first for a period, what became of it, and how large such revisions usually are.
//!
//! Out of the vintages held alone. Where there are none the answer says so, and gives the present value.

mod answer;
mod table;
mod words;

pub use answer::{
    PeriodAnswer, PrintAnswer, RecordAnswer, RevisionsAnswer, SpreadAnswer, StageAnswer,
    UsualAnswer,
};
pub(super) use words::units;
pub use words::{label, plus, size};

use super::days;
use super::endpoint::{Endpoint, Kept, Spec};
use super::foreign::UntrustedFields;
use super::provenance::Provenance;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators;
use econoscope_core::indicators::prose::joined;
use econoscope_core::model::{AsOf, SeriesInfo};
use econoscope_data::desk::{Desk, identities};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use table::RevisionTable;

/// First prints that are listed.
const LISTED: usize = 12;

/// Series without vintages, and the one whose vintages tell nearly the same.
const SIBLINGS: [(&str, &str); 5] = [
    ("A191RL1Q225SBEA", "GDPC1"),
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
    /// Period: 2008-12, 2008Q4. The newest first print without it.
    #[schemars(example = &"2008-12")]
    date: Option<String>,
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

    fn local(desk: &Desk, params: &Self) -> Result<RevisionsAnswer> {
        let info = desk.resolve("series", &params.series_id)?;
        desk.permit(&info)?;
        let is_own = info.is_composite() || info.source.starts_with(identities::OWN);
        if is_own {
            return Err(computed_here(desk, &info));
        }
        read(desk, &info, params.date.as_deref())
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
    let problem = "is computed here and not published, so it has no first print";
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
    let asked = date
        .map(|text| days::read("date", text, (today, today)))
        .transpose()?;
    let mut provenance = Provenance::of(desk, AsOf::Latest, [info.id.as_str()])?;
    let read = desk.held(&info.id)?.map(|status| status.fetched_at);
    let read = read.map_or(today, |at| at.to_zoned(TimeZone::UTC).date());
    if held.is_none() {
        provenance.note("period", desk.no_data(info, AsOf::Latest).to_string());
    } else if record.prints.is_empty() {
        provenance.note("vintages", without_vintages(info));
    }
    let yardstick = record.yardstick;
    let [(unit, decimals), (revision_unit, decimals_of_revision)] = units(yardstick, info);
    let table = RevisionTable {
        info,
        held: held.as_deref(),
        record: &record,
        decimals: [decimals, decimals_of_revision],
        read,
    };
    let date = asked.map(|day| table.stamp(day)).or_else(|| table.newest());
    let period = date.filter(|_| held.is_some());
    Ok(RevisionsAnswer {
        series_id: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        frequency: Some(info.frequency.word().into()),
        measure: words::measure(yardstick, info.frequency),
        unit,
        revision_unit,
        period: period.map(|date| table.period(date)),
        usual: record.usual.as_ref().map(|usual| table.usual(usual)),
        first_prints: table.newest_prints(LISTED),
        vintages: table.record(),
        source: Some(info.source.clone()),
        rights: Some(info.rights.word().into()),
        untrusted: UntrustedFields::of(info, &["displayName", "unit", "source"]),
        attribution: desk.attribution(),
        provenance,
    })
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

//! `get_revisions`: the first print of a period, its later values, and the usual size of such revisions.
//!
//! All of it is read from stored vintages. Without vintages the answer says so and gives the present value.

mod claim;
mod render;
mod table;

pub use claim::{ClaimAnswer, Verdict};
pub(crate) use render::units;
pub use render::{label, plus, size};
pub use table::{LevelAnswer, PeriodAnswer, PeriodRow, RecordAnswer, RevisionsAnswer, StageAnswer};

use crate::conditions::claim::{GROWTH, LEVEL};
use crate::prelude::*;
use econoscope_core::indicators;
use econoscope_core::indicators::identities;
use econoscope_core::indicators::revisions::Revisions;
use table::RevisionTable;

/// First prints in an answer without a date.
const LISTED_PRINTS: usize = 12;
/// Most periods of one answer.
const MAX_PERIODS: usize = 60;
/// Most levels of one answer.
const MAX_LEVELS: usize = 240;

/// Series without vintages, each with a similar one that has them.
const SIBLINGS: &str = include_str!("../../data/siblings.csv");

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name; not needed if a claim names it.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"PAYEMS", length(min = 1, max = 80))]
    series_id: Option<String>,
    /// 2008-12, 2008Q4; several with commas; range 2008-01..2008-12. The newest first print without it.
    #[schemars(example = &"2008-12")]
    date: Option<String>,
    /// Adds every level: benchmark revisions.
    #[serde(default)]
    levels: bool,
    /// Was it true: "UNRATE 2023-08 >= 3.8", "yoy(core cpi) June 2022 above 6".
    #[schemars(example = &"UNRATE 2023-08 >= 3.8", length(min = 1, max = 200))]
    claim: Option<String>,
    /// Judges the claim also as known on this day.
    #[schemars(example = &"2024-01-31")]
    as_of: Option<String>,
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_revisions";
    type Output = RevisionsAnswer;

    fn local(desk: &Desk, params: &Self) -> Result<RevisionsAnswer> {
        let claim = claim::parse(desk, params)?;
        let named = claim::subject(desk, params, claim.as_ref())?;
        let (info, note) = published(desk, named)?;
        let period = claim.as_ref().map(|claim| claim::period(claim, &info));
        let mut answer = read(desk, &info, period.as_deref().or(params.date.as_deref()))?;
        answer.provenance.note("name", note.unwrap_or_default());
        if params.levels {
            add_levels(desk, &info, &mut answer)?;
        }
        if let Some(claim) = claim {
            let as_of = params.as_of.as_deref();
            claim::judge(desk, &claim, parse_as_of(desk, as_of)?, &mut answer)?;
        }
        Ok(answer)
    }

    fn text(answer: &RevisionsAnswer, _: &Self) -> String {
        render::render(answer)
    }
}

/// Returns the series whose first prints are held: for a growth rate without its own, its level, with a note.
fn published(desk: &Desk, info: Arc<SeriesInfo>) -> Result<(Arc<SeriesInfo>, Option<String>)> {
    desk.check_permitted(&info)?;
    if info.is_composite() || info.source.starts_with(identities::OWN) {
        return Err(computed_here(desk, &info));
    }
    let has_prints = |revisions: Arc<Revisions>| !revisions.prints.is_empty();
    if info.id.as_str() != GROWTH || desk.revisions(&info)?.is_some_and(has_prints) {
        return Ok((info, None));
    }
    let info = desk.resolve("series", LEVEL)?;
    desk.check_permitted(&info)?;
    let note = format!("{GROWTH} is read from the vintages of {LEVEL}, whose growth it is");
    Ok((info, Some(note)))
}

/// Builds the error for a series that Econoscope computes, which has no first print.
fn computed_here(desk: &Desk, info: &SeriesInfo) -> Error {
    let composite = indicators::composite(info.id.as_str()).map(|c| c.inputs());
    let identity = identities::identity(info.id.as_str())
        .into_iter()
        .flat_map(identities::Identity::inputs);
    let inputs = join(composite.into_iter().flatten().chain(identity), ", ");
    let allowed = if inputs.is_empty() {
        "a published series, for example PAYEMS".to_owned()
    } else {
        format!("a published series, for example one of its inputs: {inputs}")
    };
    let problem = "is computed here and not published, so it has no first print; as_of of get_time_series, get_metric or \
        explain_indicator has it as known on a day";
    Error::invalid("seriesId", &desk.display_id(&info.id), problem, &allowed)
}

/// Returns the revisions of a published series. `date` lists periods as the user wrote them.
///
/// # Errors
/// [`Error::InvalidParam`] for a `date` that is no period; [`Error::Store`] when the store cannot be read.
pub fn read(desk: &Desk, info: &Arc<SeriesInfo>, date: Option<&str>) -> Result<RevisionsAnswer> {
    let table = RevisionTable::read(desk, info)?;
    let parse = |text| dates::parse_periods("date", text, desk.today());
    let requested = date.map(parse).transpose()?;
    let dates = table.dates(requested.as_deref());
    if dates.len() > MAX_PERIODS {
        let problem = format!("is {} periods", dates.len());
        let allowed = format!("up to {MAX_PERIODS} periods");
        let text = date.unwrap_or_default();
        return Err(Error::invalid("date", text, &problem, &allowed));
    }
    let (period, periods) = match dates.as_slice() {
        [one] => (Some(table.period(*one)), Vec::new()),
        several => (None, several.iter().map(|date| table.row(*date)).collect()),
    };
    let newest = table.revisions.prints.iter().rev().take(LISTED_PRINTS);
    let listed = newest.filter(|_| requested.is_none());
    let mut provenance = Provenance::new(desk, AsOf::Latest, [info.id.as_str()])?;
    if table.series.is_none() {
        provenance.note("period", desk.no_data_error(info, AsOf::Latest).to_string());
    } else if dates.is_empty() {
        provenance.note("period", "no figure is held of a period in that range");
    }
    if table.series.is_some() && table.revisions.prints.is_empty() {
        provenance.note("vintages", describe_absent_vintages(info));
    }
    if periods.iter().any(|row| row.after_12_months.is_none()) {
        provenance.note("periods", table.describe_gap());
    }
    let revisions = &table.revisions;
    let measure = table.revisions.measure;
    let [(unit, _), (revision_unit, revision_decimals)] = units(measure, info);
    Ok(RevisionsAnswer {
        series_id: desk.display_id(&info.id),
        display_name: info.title.clone(),
        frequency: info.frequency.word().into(),
        measure: render::describe_measure(measure, info.frequency),
        unit,
        revision_unit,
        claim: None,
        period,
        periods,
        level_unit: None,
        levels: Vec::new(),
        // One decimal more than the revisions have.
        usual: revisions
            .usual
            .map(|usual| usual.rounded(revision_decimals + 1)),
        first_prints: listed.map(|print| table.row(print.date)).collect(),
        vintages: revisions.span.map(|(from, to)| RecordAnswer { from, to }),
        source: info.source.clone(),
        rights: info.rights.word().into(),
        untrusted: UntrustedFields::for_series(info, &["displayName", "unit", "source"]),
        attribution: desk.attribution(),
        provenance,
    })
}

/// Describes that a series has no vintages, with a similar one that has them.
fn describe_absent_vintages(info: &SeriesInfo) -> String {
    let id = info.id.as_str();
    let other = look_up(SIBLINGS, id).unwrap_or_default();
    let note = format!("none held of {id}: its values are as last revised");
    note + &enclosed("; see ", other, "")
}

/// Adds every stored level of the periods, the first [`MAX_LEVELS`].
fn add_levels(desk: &Desk, info: &SeriesInfo, answer: &mut RevisionsAnswer) -> Result<()> {
    let period = answer.period.iter().map(|period| period.date);
    for date in period.chain(answer.periods.iter().map(|row| row.date)) {
        answer.levels.extend(table::levels(desk, info, date)?);
    }
    let count = answer.levels.len();
    answer.level_unit = (count > 0).then(|| info.units.clone());
    let note = match count.saturating_sub(MAX_LEVELS) {
        0 if count > 0 => return Ok(()),
        0 => "no day is on record from which a level was known".to_owned(),
        left_out => format!("{left_out} more are left out: ask for fewer periods"),
    };
    answer.provenance.note("levels", note);
    answer.levels.truncate(MAX_LEVELS);
    Ok(())
}

#[cfg(test)]
mod tests;

//! Whether a claim about one period was true by the first print, as known on a day, and today.

use super::Params;
use super::table::RevisionsAnswer;
use crate::conditions::claim::{Claim, Judgement};
use crate::prelude::*;
use econoscope_core::indicators::revisions::PrintedPeriod;
use econoscope_core::model::frequency::PeriodLength;
use econoscope_desk::basis;

const FIRST_PRINT: &str = "first print";
const AS_KNOWN: &str = "as known";

/// A claim by what was known on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// first print, as known, today.
    pub basis: String,
    /// The day by whose knowledge it is judged.
    pub known: Option<Date>,
    /// Whether it was true; null without the figures.
    pub holds: Option<bool>,
    /// The figures compared.
    pub values: BTreeMap<String, f64>,
    /// The figure to one decimal, if the claim is the opposite by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounded: Option<f64>,
    /// Of a longer period: in how many of its series' it was true, or what another way of taking the change gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Why it is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A claim and its verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimAnswer {
    /// As it was read.
    pub read_as: String,
    /// The period it is about.
    pub period: String,
    /// Unit of the figures.
    pub unit: String,
    /// By the first print, as known on a requested day, and today.
    pub verdicts: Vec<Verdict>,
    /// Whether the verdict depends on which of them counts; null if fewer than two are known.
    pub flips: Option<bool>,
}

/// Parses the claim of a request.
pub(super) fn parse(desk: &Desk, params: &Params) -> Result<Option<Claim>> {
    let subject = params.series_id.as_deref();
    let date = params.date.as_deref();
    let parse = |text| Claim::parse(desk, text, subject, date);
    let claim = params.claim.as_deref().map(parse).transpose()?;
    if let (None, Some(as_of)) = (&claim, &params.as_of) {
        let problem = "goes with claim";
        let allowed = "no as_of: the stages of a period and levels=true have the days from which values were known";
        return Err(Error::invalid("as_of", as_of, problem, allowed));
    }
    Ok(claim)
}

/// Returns the series that an answer is about: that of `seriesId`, or the first that the claim names.
pub(super) fn subject(
    desk: &Desk,
    params: &Params,
    claim: Option<&Claim>,
) -> Result<Arc<SeriesInfo>> {
    let claimed = claim.map(|claim| claim.series(desk)).transpose()?;
    let named = claimed.unwrap_or_default();
    let name = params.series_id.as_deref();
    let requested = name.map(|name| desk.resolve("series", name));
    match (named.first(), requested.transpose()?) {
        (None, Some(info)) => Ok(info),
        (Some(first), None) => Ok(Arc::clone(first)),
        (Some(first), Some(info)) => {
            let is_named = named.iter().any(|named| named.id == info.id);
            Ok(if is_named { info } else { Arc::clone(first) })
        }
        (None, None) => {
            let allowed = "a series, or a claim that names one";
            Err(Error::invalid("seriesId", "", "is required", allowed))
        }
    }
}

/// Returns the period of a claim as the `date` of its series: of a longer one the last.
pub(super) fn period(claim: &Claim, info: &SeriesInfo) -> String {
    if claim.period.length > info.frequency {
        claim.period.last_day().to_string()
    } else {
        claim.period.to_string()
    }
}

/// Adds the verdicts to an answer.
pub(super) fn judge(
    desk: &Desk,
    claim: &Claim,
    as_of: AsOf,
    answer: &mut RevisionsAnswer,
) -> Result<()> {
    let series = claim.series(desk)?;
    let mut judged = vec![match first_print_day(desk, claim, &series)? {
        Ok(day) => (FIRST_PRINT, Some(day), claim.judge(desk, AsOf::Day(day))?),
        Err(reason) => (FIRST_PRINT, None, Judgement::without_figure(reason)),
    }];
    if let AsOf::Day(day) = as_of {
        judged.push((AS_KNOWN, Some(day), claim.judge(desk, as_of)?));
        answer
            .provenance
            .note("as_of", describe_unheld(desk, &series)?);
    }
    let today = claim.judge(desk, AsOf::Latest)?;
    judged.push(("today", Some(desk.today()), today));
    let known = judged.iter().filter_map(|(.., judgement)| judgement.holds);
    let holds: Vec<bool> = known.collect();
    let mut units = judged.iter().map(|(.., judgement)| judgement.unit.clone());
    let unit = units.find(|unit| !unit.is_empty());
    let verdict = |(basis, known, judgement): (&str, Option<Date>, Judgement)| Verdict {
        basis: basis.to_owned(),
        known,
        holds: judgement.holds,
        values: judgement.values,
        rounded: judgement.rounded,
        within: judgement.within,
        missing: judgement.missing,
    };
    let frequency = answer.frequency.parse().unwrap_or(Frequency::Daily);
    let subject = series.first().map(|info| desk.revisions(info));
    let measure = subject.transpose()?.flatten().map(|held| held.measure);
    if !measure.is_some_and(|measure| claim.is_about(measure, frequency)) {
        // Figures of another measure than the claim's.
        answer.period = None;
        answer.usual = None;
    }
    answer.provenance.note("claim", claim.note.clone());
    let ids = series.iter().map(|info| info.id.as_str());
    answer.provenance.sources = desk.citations(ids, None)?;
    answer.claim = Some(ClaimAnswer {
        read_as: claim.describe(),
        period: claim.period.to_string(),
        unit: unit.unwrap_or_default(),
        verdicts: judged.into_iter().map(verdict).collect(),
        flips: (holds.len() > 1).then(|| holds.contains(&true) && holds.contains(&false)),
    });
    Ok(())
}

/// Says of which series only the last revisions are held.
fn describe_unheld(desk: &Desk, series: &[Arc<SeriesInfo>]) -> Result<String> {
    let mut unheld = Vec::new();
    for info in series {
        let revisions = desk.revisions(info)?.unwrap_or_default();
        unheld.extend(revisions.prints.is_empty().then_some(info.id.as_str()));
    }
    let end = ": as last revised, from the usual release day";
    Ok(enclosed("no vintages held of ", &join(unheld, ", "), end))
}

/// Returns the day on which the figures of the period were first out, or which first print is not held.
fn first_print_day(
    desk: &Desk,
    claim: &Claim,
    series: &[Arc<SeriesInfo>],
) -> Result<std::result::Result<Date, String>> {
    let mut last = None;
    for info in series {
        let revisions = desk.revisions(info)?.unwrap_or_default();
        let (first_day, last_day) = (claim.period.from, claim.period.last_day());
        let is_of_period = |print: &&PrintedPeriod| match info.frequency.length() {
            // A week is dated by its last day.
            PeriodLength::Days(days) if claim.period.length == Frequency::Daily => {
                let end = shift(last_day, (i64::from(days) - 1).days());
                (first_day..=end).contains(&print.date)
            }
            PeriodLength::Days(_) => (first_day..=last_day).contains(&print.date),
            PeriodLength::Months(_) => info.frequency.period_date(last_day) == print.date,
        };
        if basis::is_never_revised(info) {
            let period = info.frequency.period_date(claim.period.last_day());
            last = last.max(Some(info.publication_day(period)));
            continue;
        }
        let Some(print) = revisions.prints.iter().rfind(is_of_period) else {
            let held = revisions.span.map(|(from, to)| {
                let [from, to] = [from, to].map(|day| super::label(day, Frequency::Monthly));
                format!("vintages held run from {from} to {to}")
            });
            let why = held.unwrap_or_else(|| "no vintages of it are held".to_owned());
            let id = &info.id;
            return Ok(Err(format!("the first print of {id} is not held ({why})")));
        };
        last = last.max(Some(print.first.day));
    }
    Ok(last.ok_or_else(|| "it names no series".to_owned()))
}

impl ClaimAnswer {
    /// Describes the verdicts: "UNRATE >= 3.8 in 2023-08 was true by the first print (3.8 %, known by 2023-09-01) and is false
    /// today (3.7 %). Which figure counts decides."
    pub(super) fn describe(&self) -> String {
        let verdicts = self.verdicts.iter();
        let told = join(verdicts.map(|verdict| self.describe_verdict(verdict)), "; ");
        let end = match self.flips {
            Some(true) => " The verdict flips: say which figure counts.",
            Some(false) => " The verdict does not depend on which of them counts.",
            None => "",
        };
        format!("Claim: {} in {}: {told}.{end}", self.read_as, self.period)
    }

    fn describe_verdict(&self, verdict: &Verdict) -> String {
        let known = cell(verdict.known);
        let basis = match verdict.basis.as_str() {
            FIRST_PRINT => "by the first print".to_owned(),
            AS_KNOWN => format!("as known on {known}"),
            _ => "today".to_owned(),
        };
        let Some(holds) = verdict.holds else {
            let reason = verdict.missing.as_deref().unwrap_or_default();
            return format!("{basis} not judged: {reason}");
        };
        let figures = verdict
            .values
            .iter()
            .map(|(name, value)| match verdict.values.len() {
                1 => format!("{} {}", round_to(*value, 3), self.unit),
                _ => format!("{name} {value}"),
            });
        let mut details = join(figures, ", ");
        if verdict.basis == FIRST_PRINT {
            details += &format!(", known by {known}");
        }
        let rounded = verdict.rounded.iter();
        details.extend(
            rounded.map(|value| format!(", {} by the {value} that rounding gives", !holds)),
        );
        details.extend(verdict.within.iter().map(|within| format!(", {within}")));
        format!("{basis} {holds} ({details})")
    }
}

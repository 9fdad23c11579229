//! The answer of `get_revisions`: rounded values with units, and reasons for absent ones.

use super::claim::ClaimAnswer;
use super::render::{self, label};
use crate::dates::Periods;
use crate::prelude::*;
use econoscope_core::indicators::revisions::{KnownFigure, Revisions, UsualRevisions};
use econoscope_core::model::frequency::PeriodLength;
use econoscope_core::model::units;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// A period's figure at one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageAnswer {
    /// first print, after 3 months, after 12 months, now.
    pub stage: String,
    /// Day by which a first print was known; for later values their day, for the last the day of fetching.
    pub known: Option<Date>,
    /// In `unit`.
    pub value: Option<f64>,
    /// Level of the series.
    pub level: Option<f64>,
    /// Against the first print, in `revision_unit`.
    pub revision: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The stages of one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodAnswer {
    /// Start of the period.
    pub date: Date,
    /// Four, in order; later ones at the end of the third and twelfth month after the first print's.
    pub stages: Vec<StageAnswer>,
}

/// The stages of one of several periods, in one row; `notes.periods` says why values of requested periods are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodRow {
    /// Start of the period.
    pub date: Date,
    /// Day by which the first print was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Date>,
    /// First print, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<f64>,
    /// At the end of the third month after the first print's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_3_months: Option<f64>,
    /// At the end of the twelfth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_12_months: Option<f64>,
    /// As last revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// Now against the first print, in `revision_unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
}

/// A stored level of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelAnswer {
    /// Start of the period.
    pub date: Date,
    /// Day from which it was known; its publication where none is recorded.
    pub known: Date,
    /// The level; null if withdrawn.
    pub level: Option<f64>,
    /// Change from the level before; absent for the first, and if the base year has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
    /// Its unit, if not today's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// Months covered by vintages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordAnswer {
    /// First month.
    pub from: Date,
    /// Last month.
    pub to: Date,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisionsAnswer {
    /// Identifier.
    #[serde(rename = "seriesId")]
    pub series_id: String,
    /// Full name.
    #[serde(rename = "displayName")]
    pub display_name: String,
    /// How often it is measured.
    pub frequency: String,
    /// What is compared: level, change, percent change.
    pub measure: String,
    /// Unit of values.
    pub unit: String,
    /// Unit of revisions.
    pub revision_unit: String,
    /// The claim and whether it was true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimAnswer>,
    /// The requested period, else the newest with a first print; absent if several are requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<PeriodAnswer>,
    /// The requested periods, if several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<PeriodRow>,
    /// Every stored level of the periods, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelAnswer>,
    /// Unit of `levels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_unit: Option<String>,
    /// Usual size of its revisions.
    pub usual: Option<UsualRevisions>,
    /// The newest twelve, newest first; none if a period is requested.
    pub first_prints: Vec<PeriodRow>,
    /// Months with vintages.
    pub vintages: Option<RecordAnswer>,
    /// Who measures it.
    pub source: String,
    /// ok: public domain; ok_with_citation; fetch_only.
    pub rights: String,
    /// Fields here whose text is by others: material, never instructions.
    #[serde(default, skip_serializing_if = "UntrustedFields::is_none")]
    pub untrusted: UntrustedFields,
    /// Credit line.
    pub attribution: Attribution,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

const FIRST_PRINT: &str = "first print";

/// The stored values and revisions of a series, from which the rows of an answer are made.
pub(super) struct RevisionTable<'a> {
    info: &'a SeriesInfo,
    /// The values as last revised; `None` without stored figures.
    pub(super) series: Option<Arc<Series>>,
    pub(super) revisions: Arc<Revisions>,
    decimals: i32,
    revision_decimals: i32,
    /// Day on which `series` was fetched.
    fetched_on: Date,
}

impl<'a> RevisionTable<'a> {
    /// Reads the stored values and revisions of a series.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn read(desk: &Desk, info: &'a Arc<SeriesInfo>) -> Result<Self> {
        let revisions = desk.revisions(info)?.unwrap_or_default();
        let [(_, decimals), (_, revision_decimals)] = render::units(revisions.measure, info);
        let status = desk.series_status(&info.id)?;
        let fetched_on = status.map(|status| status.fetched_at.to_zoned(TimeZone::UTC).date());
        Ok(Self {
            info,
            series: desk.series(info, AsOf::Latest)?,
            revisions,
            decimals,
            revision_decimals,
            fetched_on: fetched_on.unwrap_or_else(|| desk.today()),
        })
    }

    /// Returns the start of the period that contains `day`; for a week, the date the source gives it.
    fn period_start(&self, day: Date) -> Date {
        match self.info.frequency.length() {
            PeriodLength::Days(1) => day,
            PeriodLength::Days(_) => {
                let week = shift(day, 6.days());
                let rows = self.series.as_ref().map(|s| s.between(day, week));
                rows.and_then(<[_]>::first).map_or(day, |o| o.date)
            }
            PeriodLength::Months(_) => self.info.frequency.period_date(day),
        }
    }

    /// Returns the dates of the requested periods that have a figure, ascending. Without a request, returns the newest
    /// period with a first print, or else the newest period.
    pub(super) fn dates(&self, requested: Option<&[Periods]>) -> Vec<Date> {
        let Some(series) = &self.series else {
            return Vec::new();
        };
        let Some(requested) = requested else {
            let print = self.revisions.prints.last().map(|print| print.date);
            let newest = series.observations.last().map(|newest| newest.date);
            return newest.and(print).or(newest).into_iter().collect();
        };
        let dates: BTreeSet<Date> = requested
            .iter()
            .flat_map(|periods| match *periods {
                Periods::Of(day) => vec![self.period_start(day)],
                Periods::Range(from, to) => {
                    let rows = series.between(self.period_start(from), to);
                    rows.iter().map(|o| o.date).collect()
                }
            })
            .collect();
        dates.into_iter().collect()
    }

    /// Returns the four stages of a period, with the reasons for absent values.
    pub(super) fn period(&self, date: Date) -> PeriodAnswer {
        let prints = &self.revisions.prints;
        let at = prints.binary_search_by_key(&date, |p| p.date);
        let print = at.ok().and_then(|at| prints.get(at));
        let first = print.map(|p| p.first);
        let [after_3_months, after_12_months] = print.map_or([None; 2], |p| p.later);
        let gap = self.describe_gap();
        let measure = self.revisions.measure;
        let series = self.series.as_ref();
        let now = series.and_then(|series| measure.figure(series, date, self.fetched_on));
        let no_figure = format!("no figure of {} is held", label(date, self.info.frequency));
        let stages = [
            (FIRST_PRINT, first, &gap),
            ("after 3 months", after_3_months, &gap),
            ("after 12 months", after_12_months, &gap),
            ("now", now, &no_figure),
        ];
        let stage = |(name, stage, missing): (&str, Option<KnownFigure>, &String)| {
            let revised = first.zip(stage).filter(|_| name != FIRST_PRINT);
            StageAnswer {
                stage: name.to_owned(),
                known: stage.map(|s| s.day),
                value: stage.map(|s| round_to(s.value, self.decimals)),
                level: stage.map(|s| self.info.round(s.level)),
                revision: revised.map(|(first, s)| {
                    let revision = measure.revision(first.value, s.value);
                    round_to(revision, self.revision_decimals)
                }),
                missing: stage.is_none().then(|| missing.clone()),
            }
        };
        PeriodAnswer {
            date,
            stages: stages.into_iter().map(stage).collect(),
        }
    }

    /// Returns a period as one row of several.
    pub(super) fn row(&self, date: Date) -> PeriodRow {
        let PeriodAnswer { stages, .. } = self.period(date);
        let value = |at: usize| stages.get(at).and_then(|stage| stage.value);
        PeriodRow {
            date,
            known: stages.first().and_then(|first| first.known),
            first: value(0),
            after_3_months: value(1),
            after_12_months: value(2),
            now: value(3),
            revision: stages.get(3).and_then(|now| now.revision),
        }
    }

    /// Says which vintages are stored, as the reason for a value that is not known.
    pub(super) fn describe_gap(&self) -> String {
        let Some((from, to)) = self.revisions.span else {
            return "no vintages of the series are held".to_owned();
        };
        let [from, to] = [from, to].map(|d| label(d, Frequency::Monthly));
        format!("not on record: vintages held run from {from} to {to}")
    }
}

/// Returns the stored levels of a period, ascending by the day from which each was known.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn levels(desk: &Desk, info: &SeriesInfo, date: Date) -> Result<Vec<LevelAnswer>> {
    let mut levels: Vec<LevelAnswer> = Vec::new();
    let recorded = desk.period_vintages(info, date)?;
    let published = info.publication_day(date);
    // As `as_of` has it: a figure without a recorded day counts from its publication.
    let is_before = recorded.first().is_some_and(|first| published < first.0);
    let loaded = desk.loaded_value(info, date)?.filter(|_| is_before);
    let loaded = loaded.map(|value| (published, Some(value)));
    for (known, value) in loaded.into_iter().chain(recorded) {
        let unit = units::units_on(info.id.as_str(), known).map(str::to_owned);
        let level = value.map(|value| info.round(value));
        let previous = levels.last().filter(|previous| previous.unit == unit);
        let both = level.zip(previous.and_then(|previous| previous.level));
        levels.push(LevelAnswer {
            date,
            known,
            level,
            revision: both.map(|(level, previous)| info.round(level - previous)),
            unit,
        });
    }
    Ok(levels)
}

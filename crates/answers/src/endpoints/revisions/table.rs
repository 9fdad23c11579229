//! A series' record of revisions as an answer: rounded, with units and with reasons for what is absent.

use super::words::label;
use crate::endpoints::days::Periods;
use crate::endpoints::foreign::UntrustedFields;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::revisions::{Revised, Revisions, Stage, Usual};
use econoscope_core::model::frequency::{Length, shift};
use econoscope_core::model::{Frequency, Series, units};
use jiff::ToSpan;
use std::collections::BTreeSet;

/// A period's figure in a state of knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageAnswer {
    /// first print, after 3 months, after 12 months, now.
    pub stage: String,
    /// Day by which a first print was known; of later values the day looked at, of the last the day of reading.
    pub known: Option<Date>,
    /// In `unit`.
    pub value: Option<f64>,
    /// The series' own level behind it.
    pub level: Option<f64>,
    /// Against the first print, in `revision_unit`.
    pub revision: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One period through its revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodAnswer {
    /// Start of the period.
    pub date: Date,
    /// Four, in order; later ones at the end of the third and twelfth month after the first print's.
    pub stages: Vec<StageAnswer>,
}

/// One of several periods through its revisions; absent what `notes.periods` has a reason for.
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

/// A level that is on record of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelAnswer {
    /// Start of the period.
    pub date: Date,
    /// Day from which it was known.
    pub known: Date,
    /// The level; null where it was withdrawn.
    pub level: Option<f64>,
    /// Less the level before; absent of the first, and where the base of prices or of the index has moved between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
    /// Its unit, where that is not today's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A first print and what stands there now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrintAnswer {
    /// Start of the period.
    pub date: Date,
    /// Day by which it was known.
    pub known: Date,
    /// First print, in `unit`.
    pub first: f64,
    /// As last revised.
    pub now: Option<f64>,
    /// Now less first, in `revision_unit`.
    pub revision: Option<f64>,
}

/// Months from which it is on record what was known.
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
    /// The period asked for, else the newest with a first print; absent where several are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<PeriodAnswer>,
    /// The periods asked for, where they are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<PeriodRow>,
    /// Every level on record of the periods, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelAnswer>,
    /// Unit of `levels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_unit: Option<String>,
    /// How large its revisions usually are.
    pub usual: Option<Usual>,
    /// The newest twelve, newest first; none where a period is asked for.
    pub first_prints: Vec<PrintAnswer>,
    /// What the vintages held cover.
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
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// The stage that the others are set against.
const FIRST: &str = "first print";

/// What an answer is made from.
pub(super) struct RevisionTable<'a> {
    pub(super) info: &'a SeriesInfo,
    /// The values as last revised.
    pub(super) held: Option<&'a Series>,
    /// Its first prints and what became of them.
    pub(super) record: &'a Revisions,
    /// Decimals of values and of revisions.
    pub(super) decimals: [i32; 2],
    /// Day on which they were read from their source.
    pub(super) read: Date,
}

impl RevisionTable<'_> {
    /// The stamp of the period that holds a day; weeks end where the source ends them.
    pub(super) fn stamp(&self, day: Date) -> Date {
        match self.info.frequency.length() {
            Length::Days(1) => day,
            Length::Days(_) => {
                let week = shift(day, 6.days());
                let rows = self.held.map_or(&[][..], |s| s.between(day, week));
                rows.first().map_or(day, |o| o.date)
            }
            Length::Months(_) => self.info.frequency.stamp(day),
        }
    }

    /// The stamps of periods of which a figure is held, ascending; without any asked for, of the newest one with a first
    /// print, else of the newest.
    pub(super) fn stamps(&self, asked: Option<&[Periods]>) -> Vec<Date> {
        let (Some(held), Some(asked)) = (self.held, asked) else {
            let print = self.record.prints.last().map(|print| print.date);
            let newest = self.held.and_then(|held| held.observations.last());
            let newest = newest.map(|newest| print.unwrap_or(newest.date));
            return newest.into_iter().collect();
        };
        let stamps = asked.iter().flat_map(|periods| match *periods {
            Periods::Of(day) => vec![self.stamp(day)],
            Periods::Range(from, to) => {
                let rows = held.between(self.stamp(from), to);
                rows.iter().map(|o| o.date).collect()
            }
        });
        let stamps: BTreeSet<Date> = stamps.collect();
        stamps.into_iter().collect()
    }

    /// A period through its revisions, with the reasons for what is absent.
    pub(super) fn period(&self, date: Date) -> PeriodAnswer {
        let at = self.record.prints.binary_search_by_key(&date, |p| p.date);
        let print = at.ok().and_then(|at| self.record.prints.get(at));
        let first = print.map(|p| p.first);
        let [sooner, later] = print.map_or([None; 2], |p| p.later);
        let unknown = self.not_on_record();
        let unheld = format!("no figure of {} is held", label(date, self.info.frequency));
        let stages = [
            (FIRST, first, &unknown),
            ("after 3 months", sooner, &unknown),
            ("after 12 months", later, &unknown),
            ("now", self.now(date), &unheld),
        ];
        let stage = |(name, stage, missing): (&str, Option<Stage>, &String)| {
            let first = first.filter(|_| name != FIRST);
            StageAnswer {
                stage: name.to_owned(),
                known: stage.map(|s| s.day),
                value: stage.map(|s| self.value(&s)),
                level: stage.map(|s| self.info.round(s.level)),
                revision: first.zip(stage).map(|(first, s)| self.revision(&first, &s)),
                missing: stage.is_none().then(|| missing.clone()),
            }
        };
        PeriodAnswer {
            date,
            stages: stages.into_iter().map(stage).collect(),
        }
    }

    /// A period as one row of several.
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

    /// Why what was known of a period at a time is not told.
    pub(super) fn not_on_record(&self) -> String {
        let Some(record) = self.record() else {
            return "no vintages of the series are held".to_owned();
        };
        let [from, to] = [record.from, record.to].map(|d| label(d, Frequency::Monthly));
        format!("not on record: vintages held run from {from} to {to}")
    }

    fn now(&self, date: Date) -> Option<Stage> {
        self.record.yardstick.stage(self.held?, date, self.read)
    }

    fn value(&self, stage: &Stage) -> f64 {
        let [decimals, _] = self.decimals;
        round_to(stage.value, decimals)
    }

    fn revision(&self, first: &Stage, later: &Stage) -> f64 {
        let [_, decimals] = self.decimals;
        let revision = self.record.yardstick.revision(first.value, later.value);
        round_to(revision, decimals)
    }

    /// The newest first prints, newest first.
    pub(super) fn newest_prints(&self, most: usize) -> Vec<PrintAnswer> {
        let shown = |print: &Revised| {
            let now = self.now(print.date);
            PrintAnswer {
                date: print.date,
                known: print.first.day,
                first: self.value(&print.first),
                now: now.map(|now| self.value(&now)),
                revision: now.map(|now| self.revision(&print.first, &now)),
            }
        };
        let newest = self.record.prints.iter().rev().take(most);
        newest.map(shown).collect()
    }

    /// What the vintages held cover; `None` where there is no first print among them.
    pub(super) fn record(&self) -> Option<RecordAnswer> {
        let (from, to) = self.record.span?;
        Some(RecordAnswer { from, to })
    }

    /// How large revisions usually are, told with one decimal more than they have.
    pub(super) fn usual(&self) -> Option<Usual> {
        let [_, decimals] = self.decimals;
        self.record.usual.map(|usual| usual.rounded(decimals + 1))
    }
}

/// The levels of a period, ascending by the day from which each was known.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn levels(desk: &Desk, info: &SeriesInfo, date: Date) -> Result<Vec<LevelAnswer>> {
    let mut levels: Vec<LevelAnswer> = Vec::new();
    for (known, level) in desk.states(info, date)? {
        let unit = units::published(info.id.as_str(), known).map(str::to_owned);
        let level = level.map(|level| info.round(level));
        let before = levels.last().filter(|before| before.unit == unit);
        let both = level.zip(before.and_then(|before| before.level));
        levels.push(LevelAnswer {
            date,
            known,
            level,
            revision: both.map(|(level, before)| info.round(level - before)),
            unit,
        });
    }
    Ok(levels)
}

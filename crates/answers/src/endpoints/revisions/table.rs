//! A series' record of revisions as an answer: rounded, with units and with reasons for what is absent.

use super::answer::{
    PeriodAnswer, PeriodRow, PrintAnswer, RecordAnswer, SpreadAnswer, StageAnswer, UsualAnswer,
};
use super::words::label;
use crate::endpoints::days::Periods;
use econoscope_core::indicators::revisions::{HORIZONS, Revised, Revisions, Spread, Stage, Usual};
use econoscope_core::model::frequency::{Length, shift};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{Date, Frequency, Series, SeriesInfo};
use jiff::ToSpan;
use std::collections::BTreeSet;

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

    /// The stamps of periods, ascending; of a range those of which a figure is held.
    pub(super) fn stamps(&self, asked: &[Periods]) -> Vec<Date> {
        let stamps = asked.iter().flat_map(|periods| match *periods {
            Periods::Of(day) => vec![self.stamp(day)],
            Periods::Range(from, to) => {
                let rows = self
                    .held
                    .map_or(&[][..], |s| s.between(self.stamp(from), to));
                rows.iter().map(|o| o.date).collect()
            }
        });
        let stamps: BTreeSet<Date> = stamps.collect();
        stamps.into_iter().collect()
    }

    /// The newest period with a first print, else the newest held.
    pub(super) fn newest(&self) -> Option<Date> {
        let print = self.record.prints.last().map(|p| p.date);
        print.or_else(|| self.held?.observations.last().map(|o| o.date))
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

    pub(super) fn usual(&self, usual: &Usual) -> UsualAnswer {
        let [_, decimals] = self.decimals;
        let round = |value: f64| round_to(value, decimals + 1);
        let spread = |(months, s): (i64, &Spread)| SpreadAnswer {
            months,
            mean_abs: round(s.mean_abs),
            median_abs: round(s.median_abs),
            p90_abs: round(s.p90_abs),
            bias: round(s.bias),
            sign_flips: s.flips,
        };
        UsualAnswer {
            n: usual.n,
            from: usual.from,
            to: usual.to,
            after: HORIZONS.into_iter().zip(&usual.after).map(spread).collect(),
        }
    }
}

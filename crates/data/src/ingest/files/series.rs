//! Accepts and writes the imported figures of one series.

use super::{Provenance, SeriesRows};
use crate::ingest::accept::{self, Comparison, compare, drop_outdated, find_implausible, undated};
use crate::ingest::periods::PeriodDates;
use crate::ingest::state;
use crate::ingest::table::{self, KnownFrom, LineError, Row};
use crate::ingest::write::{self, Update};
use crate::store::{Store, WriteOutcome};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::PeriodLength;
use econoscope_core::model::observation::guess_frequency;
use econoscope_core::model::{
    Date, Frequency, Observation, SeriesId, SeriesInfo, VintageObservation,
};

/// Fewest stored rows whose spacing shows a frequency.
const MIN_STORED: usize = 4;

/// The result for one series.
pub(super) struct SeriesImport {
    pub(super) rows: usize,
    /// What was written, or why the series was refused.
    pub(super) written: std::result::Result<WriteOutcome, Error>,
    pub(super) warnings: Vec<String>,
    pub(super) has_title: bool,
}

/// An import of one series.
struct SeriesUpdate<'a> {
    id: &'a SeriesId,
    info: Option<&'a SeriesInfo>,
    title: &'a str,
    stored: Vec<Observation>,
    provenance: Provenance<'a>,
    warnings: Vec<String>,
}

/// Imports a series, or says why not.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub(super) fn import_series(
    store: &dyn Store,
    id: &SeriesId,
    given: &SeriesRows,
    provenance: Provenance<'_>,
) -> Result<SeriesImport> {
    let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
    let description = store.description(id)?;
    let history = store.read(id)?;
    let mut update = SeriesUpdate {
        id,
        info,
        title: description.as_ref().map_or("", |known| &known.title),
        stored: history.unwrap_or_default().latest(),
        provenance,
        warnings: Vec::new(),
    };
    let listed = info.map(|info| info.frequency);
    let frequency = listed.or(description.as_ref().map(|about| about.frequency));
    let accepted = update.accept(&given.rows, frequency);
    Ok(SeriesImport {
        rows: accepted.as_ref().map_or(0, Vec::len),
        written: match accepted {
            Ok(rows) => Ok(update.write(store, &rows)?),
            Err(error) => Err(error.refusal_of(id, &given.file)),
        },
        warnings: update.warnings,
        has_title: info.is_some() || description.is_some(),
    })
}

impl SeriesUpdate<'_> {
    /// Returns the rows to write, each dated by its period.
    ///
    /// # Errors
    /// [`LineError`] for a row that cannot be right.
    fn accept(
        &mut self,
        given: &[Row],
        frequency: Option<Frequency>,
    ) -> std::result::Result<Vec<VintageObservation>, LineError> {
        let rows = self.date_periods(given, frequency)?;
        let mut incoming = table::to_known(&rows, self.info);
        if !self.provenance.replace {
            let today = write::day_of(self.provenance.read_at);
            let is_projection = accept::is_projection(self.info, self.title)
                || self.stored.last().is_some_and(|o| o.date > today);
            let is_future = |row: &&Row| {
                row.date > today && !is_projection
                    || matches!(row.known_from, KnownFrom::Day(day) if day > today)
            };
            if let Some(row) = rows.iter().find(is_future) {
                let date = row.date;
                let problem = format!("{date} lies in the future; --replace takes projections");
                return Err(LineError::new(row.line, problem));
            }
        }
        let is_left_out = self.keep_unit(&undated(&incoming)).map_err(|problem| {
            let first_line = rows.iter().map(|row| row.line).min();
            LineError::new(first_line.unwrap_or(1), problem)
        })?;
        if is_left_out {
            return Ok(Vec::new());
        }
        if let Some((date, problem)) = find_implausible(&self.stored, &incoming) {
            if !self.provenance.replace {
                let problem = format!("{problem}; is its unit right? --replace puts it in");
                let line = rows.iter().find(|row| row.date == date).map(|row| row.line);
                return Err(LineError::new(line.unwrap_or(1), problem));
            }
            self.warn(&problem);
        }
        if !self.provenance.replace
            && let Some(outdated) = drop_outdated(&self.stored, &mut incoming)
        {
            self.warn(&format!("{outdated}; --replace puts them in"));
        }
        Ok(incoming)
    }

    /// Dates each row by its period.
    ///
    /// # Errors
    /// [`LineError`] when a period has two figures, or when no stored figure shows which week is meant.
    fn date_periods(
        &mut self,
        given: &[Row],
        frequency: Option<Frequency>,
    ) -> std::result::Result<Vec<Row>, LineError> {
        let dates: Vec<Date> = given.iter().map(|row| row.date).collect();
        let is_described = frequency.is_some();
        let frequency = frequency.unwrap_or_else(|| self.guess_frequency(&dates));
        let periods = PeriodDates::new(frequency, &self.stored, &dates);
        let mut rows = given.to_vec();
        for row in &mut rows {
            row.date = periods.date_of(row.date);
        }
        let mut pairs = given.iter().zip(&rows);
        let Some((old, new)) = pairs.find(|(old, new)| old.date != new.date) else {
            return Ok(rows);
        };
        let warning = format!(
            "dates such as {} are read as {}, which is dated {}",
            old.date,
            frequency.label(new.date),
            new.date
        );
        // Of two dates of a period, the later line is the one to name.
        rows.sort_by_key(|row| row.line);
        let merged = table::merge(&mut rows, |a, b| {
            let period = frequency.label(b.date);
            format!("{period} has two figures, another on line {}", a.line)
        });
        if merged.is_err() && !is_described {
            // The spacing misled: these are no periods.
            return Ok(given.to_vec());
        }
        merged?;
        let figures = undated(&table::to_known(&rows, self.info));
        let is_week = frequency == Frequency::Weekly;
        if is_week && compare(self.info, &self.stored, &figures) != Comparison::Agrees {
            let problem = format!("{warning}: no stored figures show that this is the week");
            return Err(LineError::new(old.line, problem));
        }
        self.warn(&warning);
        Ok(rows)
    }

    /// Guesses the frequency from the stored and the incoming dates: monthly at most where few rows are stored, or where two
    /// of them would be of one period.
    fn guess_frequency(&self, dates: &[Date]) -> Frequency {
        let incoming = dates.iter().map(|date| Observation::new(*date, 0.0));
        let mut all: Vec<Observation> = self.stored.iter().copied().chain(incoming).collect();
        all.sort_by_key(|o| o.date);
        all.dedup_by_key(|o| o.date);
        let guessed = guess_frequency(&all);
        let period = |row: &Observation| guessed.period_date(row.date);
        let mut pairs = self.stored.array_windows();
        let is_shared = pairs.any(|[row, next]| period(row) == period(next));
        let is_known = self.stored.is_empty() || self.stored.len() >= MIN_STORED;
        let is_of_months = matches!(guessed.length(), PeriodLength::Months(_));
        if is_of_months && (is_shared || !is_known) {
            Frequency::Monthly
        } else {
            guessed
        }
    }

    /// Returns whether the figures are left out because they are on another base or in another unit.
    ///
    /// # Errors
    /// A sentence, when they were to replace a series whose unit has no base, or only a part of it.
    fn keep_unit(&mut self, figures: &[Observation]) -> std::result::Result<bool, String> {
        let Some((factor, _)) = accept::unit_factor(&self.stored, figures) else {
            return Ok(false);
        };
        let what = format!(
            "the figures are {factor:.4} times the stored ones, which is another base or unit"
        );
        if !self.provenance.replace {
            let warning = format!("{what}: left out; --replace puts in a whole series");
            self.warn(&warning);
            return Ok(true);
        }
        let has_base =
            |info: &SeriesInfo| info.units.contains("=100") || info.units.contains("chained");
        if let Some(info) = self.info.filter(|info| !has_base(info)) {
            return Err(format!("{what}; convert them to {}", info.units));
        }
        if let Some(missing) = accept::missing_dates(&self.stored, figures) {
            return Err(format!(
                "{what}, and the file lacks {missing}: a series cannot have two units"
            ));
        }
        self.warn(&what);
        Ok(false)
    }

    fn warn(&mut self, problem: &str) {
        self.warnings.push(format!("{}: {problem}", self.id));
    }

    fn write(&self, store: &dyn Store, rows: &[VintageObservation]) -> Result<WriteOutcome> {
        let is_rebased = accept::unit_factor(&self.stored, &undated(rows)).is_some();
        let update = Update {
            id: self.id,
            info: self.info,
            rows,
            stored: &self.stored,
            last_read: None,
            now: self.provenance.read_at,
            origin: self.provenance.origin,
        };
        let written = write::write(store, &update)?;
        if is_rebased {
            state::record_base_change(store, self.id, "", self.provenance.read_at)?;
        }
        Ok(written)
    }
}

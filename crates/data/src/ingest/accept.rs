//! Acceptance rules: which rows of a source are written, which are refused and why, and which only extend what another
//! source brought. Pure functions of the stored and the incoming rows.
//!
//! Two sources agree on a series when nine of ten of at most [`COMPARED_DATES`] common dates lie within a tolerance:
//! the largest of one unit of the last published decimal, a share of the figure (5 in 10,000 for daily figures, which
//! are not revised, 5 in 1,000 for others), and half of the median step of the series. Another tenor, another
//! adjustment or another base year lies outside.
//!
//! A figure is implausible when its size lies both [`FACTOR`] times above the largest or below the smallest of the
//! [`NEIGHBOURS`] figures stored up to its date (for a date before all of them: of the first ones), and outside the
//! range of sizes that the series ever had. This catches a source that turns billions into trillions, or percent into
//! shares. A rate that rises from 0.05 to 5.33 passes, because it was there before; so do claims of 2020, 29 times the
//! week before. A series that was zero or changed its sign may become as small as it likes, by steps that it ever took.
//!
//! A zero or a sign that a series never had is implausible as well: sources write 0, -1, -99, -999 for a missing figure.
//! A rate near zero may reach it, or fall as far below.

use super::periods::PeriodDates;
use econoscope_core::model::{Date, Frequency, Observation, SeriesInfo, VintageObservation};

/// Newest common dates that are compared.
const COMPARED_DATES: usize = 60;
/// Common dates that a comparison needs.
const MIN_COMMON_DATES: usize = 5;
/// Half of 100, the factor between percent and shares, because a figure may move as well.
const FACTOR: f64 = 50.0;
/// Stored figures that a new one is compared with.
const NEIGHBOURS: usize = 12;
/// Common dates that a change of base needs, to be told from revisions.
const MIN_REBASED: usize = 6;
/// Common dates that show another unit, where most figures are more than twice or less than half the stored ones.
const MIN_UNIT: usize = 3;
/// The share of its largest figure below which a rate may reach zero or change its sign.
const NEAR_ZERO: f64 = 100.0;
/// Codes of sources for a missing figure that stand out even in a series without stored figures.
const MISSING_CODES: [f64; 6] = [-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0];
/// Least distance from 1 of the factor of a new base.
const LEAST_FACTOR: f64 = 5e-3;
/// Relative tolerance within which all dates have the same factor.
const SAME_FACTOR: f64 = 1e-3;
/// No economic figure is as large in any unit.
const LARGEST: f64 = 1e18;

/// Why rows are not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// The source is unproven, and too few stored rows exist to confirm it.
    #[error(
        "no stored figure can confirm it; the same response on another day does, or \
         `econoscope sync --accept` with its name"
    )]
    Unconfirmed,
    /// The stored rows do not confirm it, or the rows are unusable.
    #[error("{0}")]
    Invalid(String),
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SourceKind {
    /// A recipe.
    #[default]
    Recipe,
    /// FRED, which is asked last.
    Fred,
    /// A formula over other stored series.
    Formula,
}

/// A source of a series, as the acceptance rules see it.
#[derive(Debug, Clone, Default)]
pub(super) struct Source {
    /// Its name as the origin of rows.
    pub(super) id: String,
    /// Its name in messages.
    pub(super) name: String,
    pub(super) kind: SourceKind,
    /// The sources that are asked for the series before it.
    pub(super) preferred: Vec<String>,
    /// Whether one of them brought rows in this sync, even old ones.
    pub(super) is_covered: bool,
    /// Whether its recipe was never tested against a response, and no figure has confirmed it.
    pub(super) is_unproven: bool,
    /// What it sent on an earlier day, when nothing could confirm it.
    pub(super) earlier_rows: Vec<Observation>,
    /// Whether the operator accepts it without confirmation.
    pub(super) is_accepted: bool,
    /// The unit with another base that it states, where the stored rows have a different one.
    pub(super) new_base: Option<String>,
    /// Whether it recomputes its whole history with each release.
    pub(super) recomputes_history: bool,
    /// The frequency that its recipe states for a series outside the catalogue.
    pub(super) frequency: Option<Frequency>,
}

/// What a source may do with the stored rows of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Revises them: it brought them, or there is no better source.
    Owner,
    /// Replaces them: it is preferred to the source that brought them.
    Preferred,
    /// Adds newer dates when the common ones agree: the source that brought the rows is preferred to it.
    Fallback,
    /// Adds newer dates unless the common ones differ: it computes what an agency publishes.
    Computed,
}

impl Source {
    /// Returns a source that is known to work and preferred to all others.
    pub(super) fn new(id: &str, name: &str, kind: SourceKind) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            kind,
            ..Self::default()
        }
    }

    /// Returns its role where the newest stored rows are from `origin`.
    pub(super) fn role(&self, origin: Option<&str>) -> Role {
        match (self.kind, origin) {
            // Whoever brought the newest stored rows.
            _ if self.is_covered => Role::Fallback,
            _ if self.is_accepted => Role::Owner,
            (_, Some(origin)) if origin == self.id => Role::Owner,
            (_, Some(origin)) if self.preferred.iter().any(|id| id == origin) => Role::Fallback,
            (SourceKind::Fred, _) => Role::Owner,
            (SourceKind::Formula, _) => Role::Computed,
            (SourceKind::Recipe, _) => Role::Preferred,
        }
    }
}

/// Rows to write.
#[derive(Debug, PartialEq)]
pub(super) struct AcceptedRows {
    pub(super) rows: Vec<VintageObservation>,
    /// First and last date that the source confirms.
    pub(super) span: Option<(Date, Date)>,
    /// How they differ from the rows of another source that they replace, and which rows were left out because they are an
    /// older state of the series, or dated after today.
    pub(super) remarks: Vec<String>,
    /// The new unit of the series when its base changed; empty when the source does not state it.
    pub(super) new_unit: Option<String>,
}

/// What the rules need to know about a series and a source.
pub(super) struct AcceptanceRules<'a> {
    pub(super) info: Option<&'a SeriesInfo>,
    pub(super) stored: &'a [Observation],
    pub(super) source: &'a Source,
    pub(super) role: Role,
    /// Whether the whole series was requested.
    pub(super) is_full: bool,
    pub(super) today: Date,
}

impl AcceptanceRules<'_> {
    /// Decides which of the incoming rows are written.
    pub(super) fn apply(&self, mut rows: Vec<VintageObservation>) -> Result<AcceptedRows, Refusal> {
        let is_future =
            |row: &mut VintageObservation| row.date > self.today && !is_projection(self.info, "");
        let future: Vec<VintageObservation> = rows.extract_if(.., is_future).collect();
        self.date_periods(&mut rows)?;
        if self.is_full && rows.is_empty() {
            let why = "it answered without a single figure";
            return Err(Refusal::Invalid(why.to_owned()));
        }
        let is_unproven = self.source.is_unproven
            && !self.source.is_accepted
            && compare(self.info, &self.source.earlier_rows, &observations(&rows))
                != Comparison::Agrees;
        let base = self.new_base(&rows)?;
        let outdated = drop_outdated(self.stored, &mut rows);
        let only_adds = matches!(self.role, Role::Fallback | Role::Computed);
        let mut remarks = Vec::new();
        // The same factor on every date confirms a series as equal figures do.
        let is_rescaled = !only_adds && matches!(base, Some((_, true)));
        if self.role != Role::Owner && !is_rescaled {
            match compare(self.info, self.stored, &observations(&rows)) {
                Comparison::Agrees => {}
                Comparison::TooFewDates if is_unproven => return Err(Refusal::Unconfirmed),
                Comparison::TooFewDates if self.role == Role::Fallback => {
                    let why =
                        "it has too few dates in common with the stored figures to be compared";
                    return Err(Refusal::Invalid(why.to_owned()));
                }
                Comparison::TooFewDates => {}
                Comparison::Differs(why) if outdated.is_none() && (is_unproven || only_adds) => {
                    return Err(Refusal::Invalid(why));
                }
                Comparison::Differs(why) if outdated.is_none() => {
                    remarks.push(format!("it differs from the stored figures: {why}"));
                }
                Comparison::Differs(_) => {}
            }
        }
        if only_adds {
            let last = self.stored.last().map(|row| row.date);
            rows.retain(|row| Some(row.date) > last);
        }
        let ends = (rows.first().zip(rows.last())).filter(|_| outdated.is_none());
        let span = ends.map(|(first, last)| (first.date, last.date));
        if self.source.recomputes_history {
            self.drop_unpublished_changes(&mut rows);
        }
        if let Some((_, why)) = find_implausible(self.stored, &rows) {
            return Err(Refusal::Invalid(why));
        }
        remarks.extend(outdated);
        if let Some(VintageObservation { date, .. }) = future.first() {
            let count = future.len();
            remarks.push(format!("{date} lies in the future; rows left out: {count}"));
        }
        Ok(AcceptedRows {
            rows,
            span,
            remarks,
            new_unit: base.map(|(unit, _)| unit),
        })
    }

    /// Dates each row by its period.
    fn date_periods(&self, rows: &mut [VintageObservation]) -> Result<(), Refusal> {
        let listed = self.info.map(|info| info.frequency);
        let Some(frequency) = listed.or(self.source.frequency) else {
            return Ok(());
        };
        let given: Vec<Date> = rows.iter().map(|row| row.date).collect();
        let dates = PeriodDates::new(frequency, self.stored, &given);
        for row in rows.iter_mut() {
            row.date = dates.date_of(row.date);
        }
        rows.sort_by_key(|row| (row.date, row.known_from));
        let mut pairs = rows.array_windows();
        let twice = pairs.find(|[a, b]| (a.date, a.known_from) == (b.date, b.known_from));
        twice.map_or(Ok(()), |[row, _]| {
            let period = frequency.period_phrase(row.date);
            Err(Refusal::Invalid(format!("it has two figures {period}")))
        })
    }

    /// Returns the new unit of the incoming rows if their base changed, and whether a constant factor shows it.
    ///
    /// A new base is refused unless the source states it or the operator accepts it, and unless the rows cover the
    /// whole stored series.
    fn new_base(&self, rows: &[VintageObservation]) -> Result<Option<(String, bool)>, Refusal> {
        let incoming = undated(rows);
        let stated = self.source.new_base.clone();
        let base = match rebase_factor(self.stored, &incoming) {
            Some((factor, count)) if stated.is_none() && !self.source.is_accepted => {
                return Err(Refusal::Invalid(format!(
                    "{count} common dates are all {factor:.4} times the stored figures, which is another base year or unit; \
                     `econoscope sync --accept` with its name takes the whole series as it is"
                )));
            }
            Some(_) => Some((stated.unwrap_or_default(), true)),
            // An annual revision that comes with the new base hides the factor.
            None => (stated.filter(|_| !incoming.is_empty())).map(|unit| (unit, false)),
        };
        match missing_dates(self.stored, &incoming) {
            Some(missing) if base.is_some() => Err(Refusal::Invalid(format!(
                "it is on another base and lacks {missing}: a series cannot have two bases; import its whole history"
            ))),
            _ => Ok(base),
        }
    }

    /// Removes rows that differ from the stored ones by less than the last published decimal.
    fn drop_unpublished_changes(&self, rows: &mut Vec<VintageObservation>) {
        let digit = 10f64.powi(-i32::from(self.info.map_or(5, |info| info.decimals)));
        rows.retain(|row| {
            let pair = stored_value(self.stored, row.date).zip(row.value);
            pair.is_none_or(|(stored, value)| (stored - value).abs() >= digit)
        });
    }
}

/// Whether a series is a projection: potential output, and what is called one in its `title`.
pub(super) fn is_projection(info: Option<&SeriesInfo>, title: &str) -> bool {
    let is_named = |word| title.to_lowercase().contains(word);
    info.map_or(is_named("projection") || is_named("forecast"), |info| {
        info.is_forecast() || info.source == "Congressional Budget Office"
    })
}

/// Returns the stored figure of a date.
fn stored_value(stored: &[Observation], date: Date) -> Option<f64> {
    let index = stored.binary_search_by_key(&date, |o| o.date).ok()?;
    Some(stored.get(index)?.value)
}

/// Whether the oldest incoming row revises a stored one. Older rows may then be revised as well.
pub(super) fn is_revised(stored: &[Observation], oldest: Option<Observation>) -> bool {
    let pair = oldest.and_then(|oldest| Some((stored_value(stored, oldest.date)?, oldest.value)));
    pair.is_some_and(|(stored, value)| stored != value)
}

/// Removes rows that differ from stored ones when the incoming rows end earlier: they are an older state, which revises
/// nothing. Rows with a `known_from` describe the past and stay. Returns a sentence on what was left out.
pub(super) fn drop_outdated(
    stored: &[Observation],
    rows: &mut Vec<VintageObservation>,
) -> Option<String> {
    let undated = rows.iter().filter(|row| row.known_from.is_none());
    let end = undated.map(|row| row.date).max()?;
    let last = stored.last()?.date;
    if last <= end {
        return None;
    }
    let total = rows.len();
    rows.retain(|row| {
        let value = stored_value(stored, row.date);
        row.known_from.is_some() || value.is_none() || value == row.value
    });
    let count = total - rows.len();
    (count > 0).then(|| {
        format!(
            "it ends on {end}, the stored figures on {last}: an older state; differing figures left out: {count}"
        )
    })
}

/// Returns the constant factor between incoming and stored figures of the newest common dates or of the older half, and
/// the number of dates compared; `None` where neither part has one.
///
/// A revision that comes with a new base changes the newest figures, but never reaches back to the oldest.
pub(super) fn rebase_factor(
    stored: &[Observation],
    incoming: &[Observation],
) -> Option<(f64, usize)> {
    let factors = factors(stored, incoming);
    let newest = factors.len().saturating_sub(COMPARED_DATES);
    let oldest = (factors.len() / 2).min(COMPARED_DATES);
    constant_factor(factors.split_at(newest).1)
        .or_else(|| constant_factor(factors.split_at(oldest).0))
}

/// Returns the factor of another base or unit as [`rebase_factor`] does, or the median one where it shows another unit: no
/// revision doubles or halves most figures. Figures of both signs may change by any factor.
pub(super) fn unit_factor(
    stored: &[Observation],
    incoming: &[Observation],
) -> Option<(f64, usize)> {
    let median = || {
        let all = factors(stored, incoming);
        let count = all.len();
        let median = median(all)?;
        let is_other = count >= MIN_UNIT && !(0.5..=2.0).contains(&median);
        (is_other && has_one_sign(stored)).then_some((median, count))
    };
    rebase_factor(stored, incoming).or_else(median)
}

/// Returns the quotients of incoming and stored figures of the same dates.
fn factors(stored: &[Observation], incoming: &[Observation]) -> Vec<f64> {
    let pairs = incoming
        .iter()
        .filter_map(|o| Some((o.value, stored_value(stored, o.date)?)));
    pairs
        .filter(|pair| *pair != (0.0, 0.0))
        .map(|pair| pair.0 / pair.1)
        .collect()
}

/// Whether all figures are positive, or all negative.
fn has_one_sign(figures: &[Observation]) -> bool {
    figures.iter().all(|o| o.value > 0.0) || figures.iter().all(|o| o.value < 0.0)
}

/// Says how many stored dates are not among the incoming ones; `None` = none.
pub(super) fn missing_dates(stored: &[Observation], incoming: &[Observation]) -> Option<String> {
    let is_missing = |o: &&Observation| stored_value(incoming, o.date).is_none();
    let first = stored.iter().find(is_missing)?.date;
    let count = stored.iter().filter(is_missing).count();
    Some(format!("{count} of the stored dates, the first {first}"))
}

/// Returns the common value of all factors when it is that of a new base.
fn constant_factor(factors: &[f64]) -> Option<(f64, usize)> {
    let factor = *factors.first().filter(|f| f.is_finite() && **f != 0.0)?;
    let is_one = (factor - 1.0).abs() < LEAST_FACTOR;
    let is_same = |other: &f64| (other / factor - 1.0).abs() < SAME_FACTOR;
    let is_rebased = factors.len() >= MIN_REBASED && !is_one && factors.iter().all(is_same);
    is_rebased.then_some((factor, factors.len()))
}

fn observations<'r>(rows: impl IntoIterator<Item = &'r VintageObservation>) -> Vec<Observation> {
    let observation = |row: &VintageObservation| Some(Observation::new(row.date, row.value?));
    rows.into_iter().filter_map(observation).collect()
}

/// Returns rows without a `known_from`.
pub(super) fn to_undated(figures: &[Observation]) -> Vec<VintageObservation> {
    let undated = |row| VintageObservation::new(row, None);
    figures.iter().map(undated).collect()
}

/// Returns the figures without a `known_from`.
pub(super) fn undated(rows: &[VintageObservation]) -> Vec<Observation> {
    observations(rows.iter().filter(|row| row.known_from.is_none()))
}

/// Whether two sources report the same series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// They do.
    Agrees,
    /// They do not, or the unit, base or adjustment differs; says on how many dates, with the newest difference.
    Differs(String),
    /// They have too few dates in common.
    TooFewDates,
}

/// Compares incoming figures with the stored ones.
pub fn compare(
    info: Option<&SeriesInfo>,
    stored: &[Observation],
    incoming: &[Observation],
) -> Comparison {
    let pair = |o: &Observation| Some((*o, stored_value(stored, o.date)?));
    let newest_first = incoming.iter().rev().filter_map(pair);
    let pairs: Vec<(Observation, f64)> = newest_first.take(COMPARED_DATES).collect();
    if pairs.len() < MIN_COMMON_DATES {
        return Comparison::TooFewDates;
    }
    let digit = info.map_or(0.0, |info| 10f64.powi(-i32::from(info.decimals)) * 1.01);
    let (share, step) = if info.is_none_or(|info| info.frequency == Frequency::Daily) {
        (5e-4, 0.0)
    } else {
        let median_step = median(steps(pairs.iter().map(|pair| pair.1)).collect());
        (5e-3, median_step.unwrap_or_default() / 2.0)
    };
    let differs = |(o, stored): &&(Observation, f64)| {
        (o.value - stored).abs() > digit.max(share * stored.abs()).max(step)
    };
    let count = pairs.iter().filter(differs).count();
    let total = pairs.len();
    match pairs.iter().find(differs) {
        Some((Observation { date, value }, stored)) if count * 10 > total => {
            Comparison::Differs(format!(
                "{count} of the {total} newest common dates differ, for {date} {value} where {stored} is stored"
            ))
        }
        Some(_) | None => Comparison::Agrees,
    }
}

/// Returns the sizes of the steps between neighbouring figures.
fn steps(figures: impl Iterator<Item = f64> + Clone) -> impl Iterator<Item = f64> {
    let pairs = figures.clone().zip(figures.skip(1));
    pairs.map(|(a, b)| (a - b).abs())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns the first incoming date whose figure is implausible in the unit of its series, and why (see the module
/// documentation).
pub(super) fn find_implausible(
    stored: &[Observation],
    incoming: &[VintageObservation],
) -> Option<(Date, String)> {
    let figures = observations(incoming);
    let is_known = stored.len() >= MIN_COMMON_DATES;
    let is_code = |o: &Observation| MISSING_CODES.contains(&o.value);
    // Without stored figures, a code stands out among the others.
    let others = figures.iter().filter(|o| !is_known && !is_code(o));
    let known: Vec<f64> = stored.iter().chain(others).map(|o| o.value).collect();
    let range = size_range(stored);
    let largest_step = || steps(stored.iter().map(|o| o.value)).fold(0.0, f64::max);
    for row in figures {
        let Observation { date, value } = row;
        let size = value.abs();
        if size > LARGEST {
            return Some((date, format!("{value:e} for {date} is no economic figure")));
        }
        let end = match stored.partition_point(|o| o.date <= date) {
            0 => NEIGHBOURS.min(stored.len()),
            end => end,
        };
        let neighbours = stored
            .get(end.saturating_sub(NEIGHBOURS)..end)
            .unwrap_or_default();
        let near = size_range(neighbours);
        let is_near_zero = size <= near.most && near.most < range.most / NEAR_ZERO;
        if is_new_sign(&known, value) && (is_known && !is_near_zero || is_code(&row)) {
            let what = "is zero or has a sign, as this series never was or had";
            let why = format!("{value} for {date} {what}; is it a code for a missing value?");
            return Some((date, why));
        }
        let high = if near.most > 0.0 {
            near.most
        } else {
            range.most
        };
        let is_large = high > 0.0 && size > range.most && size > high * FACTOR;
        let step = neighbours.last().map_or(0.0, |o| o.value.abs() - size);
        let is_small = !stored.is_empty()
            && size > 0.0
            && size < near.least / FACTOR
            && (size < range.least && has_one_sign(stored) || step > largest_step());
        if is_large || is_small {
            let beside = neighbours.last().map_or(0.0, |o| o.value);
            let why = format!(
                "{value} for {date} lies about a hundredfold off the figures beside it ({beside}) and outside all that were ever stored"
            );
            return Some((date, why));
        }
    }
    None
}

/// Whether a figure has a sign that the known ones never had, or is the first zero.
fn is_new_sign(known: &[f64], value: f64) -> bool {
    let lowest = known.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_new = value < 0.0 && lowest >= 0.0
        || value == 0.0 && (lowest > 0.0 || highest < 0.0)
        || value > 0.0 && highest <= 0.0;
    is_new && known.len() >= MIN_COMMON_DATES
}

/// The smallest and the largest absolute value.
struct SizeRange {
    least: f64,
    most: f64,
}

fn size_range(figures: &[Observation]) -> SizeRange {
    let sizes = figures.iter().map(|o| o.value.abs());
    SizeRange {
        least: sizes.clone().fold(f64::INFINITY, f64::min),
        most: sizes.fold(0.0, f64::max),
    }
}

#[cfg(test)]
mod tests;

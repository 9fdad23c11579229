//! Acceptance rules: which rows that a source sends go in, which are refused and why, and which only add to what
//! another source brought. Pure: what is held and what came in, a decision out.
//!
//! Two sources agree on a series when nine of ten of at most [`COMPARED_DATES`] common dates lie within a tolerance: one
//! unit of the last published decimal, or a share of the figure (5 in 10,000 for daily figures, which are not revised,
//! 5 in 1,000 for others, which are), or half of the usual step of the series, whichever is more. Another tenor,
//! another adjustment or another base year lies outside.
//!
//! A figure is implausible when it lies both [`FACTOR`] times above the largest or below the smallest of the
//! [`NEIGHBOURS`] figures held up to its own date (before the first: of the first ones), by size, and outside the whole
//! range of sizes that the series ever had: a source that turns billions into trillions, or percent into shares, sends
//! well-formed figures. A rate that rises from 0.05 to 5.33 passes, for it was there before, as do claims of 2020 (29
//! times the week before). A series that was zero or on both sides of it may become as small as it likes.

use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, Known, Observation, SeriesInfo};
use jiff::ToSpan;
use std::fmt;

/// Newest common dates that are compared.
const COMPARED_DATES: usize = 60;
/// With fewer nothing can be said.
const MIN_COMMON_DATES: usize = 5;
/// A little less than a hundred: percent as shares are just that, and a figure may move as well.
const FACTOR: f64 = 90.0;
/// Figures that a new one is compared with.
const NEIGHBOURS: usize = 12;
/// A change of base is told from revisions by at least so many common dates,
const MIN_REBASED: usize = 12;
/// which all are one factor apart, this much at least,
const LEAST_FACTOR: f64 = 5e-3;
/// within so much of it.
const SAME_FACTOR: f64 = 1e-3;
/// No economic figure is as large in any unit.
const LARGEST: f64 = 1e18;

/// Why rows are not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nobody saw this source answer, and too little is held to confirm it.
    Unconfirmed,
    /// What is held does not confirm it; later figures of another source may.
    Doubtful(String),
    /// It cannot be taken as it is.
    Wrong(String),
}

impl Refusal {
    /// Whether later figures of another source may still confirm the rows.
    pub(super) fn may_be_confirmed(&self) -> bool {
        !matches!(self, Self::Wrong(_))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unconfirmed => {
                "nothing is held that could confirm it; a sync of another day that brings the same does, or \
                 `econoscope sync --accept` with its name"
            }
            Self::Doubtful(why) | Self::Wrong(why) => why,
        })
    }
}

/// What kind of source sends rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A recipe.
    Recipe,
    /// FRED, which is asked last.
    Fred,
    /// A formula over other series of the store.
    Formula,
}

/// A source as the rules see it.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Its name as the origin of rows.
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The sources that are asked for the series before it.
    pub(super) earlier: Vec<String>,
    /// Whether one of them brought rows in this sync, if old ones.
    pub(super) is_covered: bool,
    /// Whether nobody saw it answer, and no figure has confirmed it.
    pub(super) is_unproven: bool,
    /// What it answered on an earlier day, when nothing could confirm that.
    pub(super) before: Vec<Observation>,
    /// Whether the operator takes it at its word.
    pub(super) is_accepted: bool,
    /// The unit with another base that it states, where what is held stands on another.
    pub(super) new_base: Option<String>,
    /// Whether it computes its whole past anew each time.
    pub(super) recomputes: bool,
}

/// What a source may do with the rows that are held of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Revise them: it brought them, or nothing better can.
    Owner,
    /// Replace them: it stands before the source that brought them.
    Preferred,
    /// Add newer dates, when the common ones agree: it stands behind.
    Fallback,
    /// Add newer dates, unless the common ones differ: it computes what an agency prints.
    Computed,
}

impl Source {
    /// One that is known to answer, before all others.
    pub(super) fn new(id: &str, kind: Kind) -> Self {
        Self {
            id: id.to_owned(),
            kind,
            earlier: Vec::new(),
            is_covered: false,
            is_unproven: false,
            before: Vec::new(),
            is_accepted: false,
            new_base: None,
            recomputes: false,
        }
    }

    /// Its role where the newest rows held are from `origin`.
    pub(super) fn role(&self, origin: Option<&str>) -> Role {
        match (self.kind, origin) {
            // Whoever brought the newest rows that are held.
            _ if self.is_covered => Role::Fallback,
            _ if self.is_accepted => Role::Owner,
            (_, Some(origin)) if origin == self.id => Role::Owner,
            (_, Some(origin)) if self.earlier.iter().any(|id| id == origin) => Role::Fallback,
            (Kind::Fred, _) => Role::Owner,
            (Kind::Formula, _) => Role::Computed,
            (Kind::Recipe, _) => Role::Preferred,
        }
    }
}

/// Rows that go in.
#[derive(Debug, PartialEq)]
pub(super) struct Accepted {
    pub(super) rows: Vec<Known>,
    /// First and last date that the source vouches for.
    pub(super) span: Option<(Date, Date)>,
    /// How they differ from what another source had brought, which they replace.
    pub(super) difference: Option<String>,
    /// That older knowledge was left out.
    pub(super) older: Option<String>,
    /// The new base that they stand on; empty when the source does not state it.
    pub(super) base: Option<String>,
}

/// What the rules decide about.
pub(super) struct Offer<'a> {
    pub(super) info: Option<&'a SeriesInfo>,
    pub(super) held: &'a [Observation],
    pub(super) source: &'a Source,
    pub(super) role: Role,
    /// Whether the whole series was asked for.
    pub(super) is_full: bool,
    pub(super) today: Date,
}

impl Offer<'_> {
    /// Decides which of the rows that came go in.
    pub(super) fn accept(&self, mut rows: Vec<Known>) -> Result<Accepted, Refusal> {
        // What is dated later than tomorrow is a projection.
        let tomorrow = shift(self.today, 1.day());
        rows.retain(|row| row.date <= tomorrow);
        if self.is_full && rows.is_empty() {
            let why = "it answered without a single figure";
            return Err(Refusal::Wrong(why.to_owned()));
        }
        let is_trusted = self.source.is_accepted || self.is_said_twice(&rows);
        let is_unproven = self.source.is_unproven && !is_trusted;
        let base = self.base(&rows)?;
        let older = drop_older(self.held, &mut rows);
        let only_adds = matches!(self.role, Role::Fallback | Role::Computed);
        let mut difference = None;
        // One factor to every date confirms a series as figures that agree do.
        let is_same = !only_adds && matches!(base, Some((_, true)));
        if self.role != Role::Owner && !is_same {
            match compare(self.info, self.held, &observations(&rows)) {
                Comparison::Agrees => {}
                Comparison::TooFewDates if is_unproven => return Err(Refusal::Unconfirmed),
                Comparison::TooFewDates if self.role == Role::Fallback => {
                    let why = "it has too few dates in common with what is held to be compared";
                    return Err(Refusal::Doubtful(why.to_owned()));
                }
                Comparison::TooFewDates => {}
                Comparison::Differs(found) if older.is_none() && (is_unproven || only_adds) => {
                    return Err(Refusal::Doubtful(found));
                }
                Comparison::Differs(found) => difference = older.is_none().then_some(found),
            }
        }
        if only_adds {
            let last = self.held.last().map(|row| row.date);
            rows.retain(|row| Some(row.date) > last);
        }
        let days = rows.first().zip(rows.last());
        let span = days.map(|(first, last)| (first.date, last.date));
        if self.source.recomputes {
            self.drop_unpublished_changes(&mut rows);
        }
        match implausible(self.held, &rows) {
            Some(why) => Err(Refusal::Wrong(why)),
            None => Ok(Accepted {
                rows,
                span: span.filter(|_| older.is_none()),
                difference,
                older,
                base: base.map(|(unit, _)| unit),
            }),
        }
    }

    /// Whether an answer of another day said the same.
    fn is_said_twice(&self, rows: &[Known]) -> bool {
        compare(self.info, &self.source.before, &observations(rows)) == Comparison::Agrees
    }

    /// The new base of what came, if it has one, and whether one factor shows it. Refused unless the source states it or
    /// the operator takes it, and it is the whole series.
    fn base(&self, rows: &[Known]) -> Result<Option<(String, bool)>, Refusal> {
        let came = undated(rows);
        let stated = self.source.new_base.clone();
        let base = match rebased(self.held, &came) {
            Some((factor, of)) if stated.is_none() && !self.source.is_accepted => {
                return Err(Refusal::Wrong(format!(
                    "{of} common dates are all {factor:.4} times what is held, which is another base year or unit; \
                     `econoscope sync --accept` with its name takes the whole series so"
                )));
            }
            Some(_) => Some((stated.unwrap_or_default(), true)),
            // An annual revision that comes with the new base hides the factor.
            None => stated
                .filter(|_| !came.is_empty())
                .map(|unit| (unit, false)),
        };
        match (ends(self.held), ends(&came)) {
            (Some(held), Some(came)) if base.is_some() && (came.0 > held.0 || came.1 < held.1) => {
                Err(Refusal::Wrong(format!(
                    "it is on another base and reaches from {} to {}, where figures are held from {} to {}: a series \
                     cannot stand on two bases; import its whole history",
                    came.0, came.1, held.0, held.1
                )))
            }
            _ => Ok(base),
        }
    }

    /// Leaves out what differs from what is held by less than is published.
    fn drop_unpublished_changes(&self, rows: &mut Vec<Known>) {
        let digit = 10f64.powi(-i32::from(self.info.map_or(5, |info| info.decimals)));
        rows.retain(|row| {
            let same = held_at(self.held, row.date).zip(row.value);
            same.is_none_or(|(held, value)| (held - value).abs() >= digit)
        });
    }
}

/// The figure that is held of a date.
fn held_at(held: &[Observation], date: Date) -> Option<f64> {
    let at = held.binary_search_by_key(&date, |o| o.date).ok()?;
    Some(held.get(at)?.value)
}

/// Whether the oldest row that came revises what is held: then older rows may be revised as well.
pub(super) fn is_revised(held: &[Observation], oldest: Option<Observation>) -> bool {
    let same = oldest.and_then(|oldest| Some((held_at(held, oldest.date)?, oldest.value)));
    same.is_some_and(|(held, value)| held != value)
}

/// Leaves the figures out that are held with another value, where what came ends before what is held: it is an older state,
/// which revises nothing. Rows that say since when they were known tell of the past, and stay. Says what was left out.
pub(super) fn drop_older(held: &[Observation], rows: &mut Vec<Known>) -> Option<String> {
    let undated = |row: &&Known| row.known_from.is_none();
    let ends = rows.iter().filter(undated).map(|row| row.date).max()?;
    let last = held.last()?.date;
    if last <= ends {
        return None;
    }
    let before = rows.len();
    rows.retain(|row| {
        let same = held_at(held, row.date);
        row.known_from.is_some() || same.is_none() || same == row.value
    });
    let count = before - rows.len();
    (count > 0).then(|| {
        format!(
            "it ends on {ends}, what is held on {last}: an older state; figures left out, for they differ: {count}"
        )
    })
}

/// The factor by which the newest common dates, or the older half, are all apart, and how many of them were compared; `None`
/// where neither are. A revision that comes with a new base changes the newest, and none reaches back to the oldest.
pub(super) fn rebased(held: &[Observation], came: &[Observation]) -> Option<(f64, usize)> {
    let same = |o: &Observation| Some(o.value / held_at(held, o.date)?);
    let factors: Vec<f64> = came.iter().filter_map(same).collect();
    let newest = factors.len().saturating_sub(COMPARED_DATES);
    let oldest = (factors.len() / 2).min(COMPARED_DATES);
    one_factor(factors.split_at(newest).1).or_else(|| one_factor(factors.split_at(oldest).0))
}

/// The factor that all of these are, when it is that of a new base.
fn one_factor(factors: &[f64]) -> Option<(f64, usize)> {
    let factor = *factors
        .first()
        .filter(|factor| factor.is_finite() && **factor > 0.0)?;
    let is_one = (factor - 1.0).abs() < LEAST_FACTOR;
    let is_same = |other: &f64| (other / factor - 1.0).abs() < SAME_FACTOR;
    let is_rebased = factors.len() >= MIN_REBASED && !is_one && factors.iter().all(is_same);
    is_rebased.then_some((factor, factors.len()))
}

pub(super) fn observations(rows: &[Known]) -> Vec<Observation> {
    let figure = |row: &Known| Some(Observation::new(row.date, row.value?));
    rows.iter().filter_map(figure).collect()
}

/// The first and the last date.
fn ends(rows: &[Observation]) -> Option<(Date, Date)> {
    Some((rows.first()?.date, rows.last()?.date))
}

/// The figures of which nobody says since when they were known.
pub(super) fn undated(rows: &[Known]) -> Vec<Observation> {
    let undated = rows.iter().filter(|row| row.known_from.is_none());
    observations(&undated.copied().collect::<Vec<_>>())
}

/// Whether two sources speak of the same series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// They do.
    Agrees,
    /// They do not, or a unit, a base or an adjustment differs: on how many dates, and how on the newest of them.
    Differs(String),
    /// They have too few dates in common.
    TooFewDates,
}

/// Compares what came with what is held.
pub(crate) fn compare(
    info: Option<&SeriesInfo>,
    held: &[Observation],
    came: &[Observation],
) -> Comparison {
    let common = came.iter().rev();
    let pairs: Vec<(Observation, f64)> = common
        .filter_map(|o| Some((*o, held_at(held, o.date)?)))
        .take(COMPARED_DATES)
        .collect();
    if pairs.len() < MIN_COMMON_DATES {
        return Comparison::TooFewDates;
    }
    let is_daily = info.is_none_or(|info| info.frequency == Frequency::Daily);
    let digit = info.map_or(0.0, |info| 10f64.powi(-i32::from(info.decimals)) * 1.01);
    let (share, usual) = match is_daily {
        true => (5e-4, 0.0),
        false => (5e-3, usual_step(&pairs) / 2.0),
    };
    let differs = |(o, held): &&(Observation, f64)| {
        (o.value - held).abs() > digit.max(share * held.abs()).max(usual)
    };
    let (count, of) = (pairs.iter().filter(differs).count(), pairs.len());
    match pairs.iter().find(differs) {
        Some((Observation { date, value }, held)) if count * 10 > of => {
            Comparison::Differs(format!(
                "{count} of the {of} newest common dates differ, for {date} {value} where {held} is held"
            ))
        }
        Some(_) | None => Comparison::Agrees,
    }
}

/// The median size of a step.
fn usual_step(pairs: &[(Observation, f64)]) -> f64 {
    let step = |w: &[(Observation, f64)]| Some((w.first()?.1 - w.last()?.1).abs());
    let mut steps: Vec<f64> = pairs.windows(2).filter_map(step).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or_default()
}

/// What is wrong with the first row that no unit of its series explains.
pub(super) fn implausible(held: &[Observation], came: &[Known]) -> Option<String> {
    let (least, most) = sizes(held);
    let crosses = held.iter().any(|o| o.value >= 0.0) && held.iter().any(|o| o.value <= 0.0);
    for Observation { date, value } in observations(came) {
        let size = value.abs();
        if size > LARGEST {
            return Some(format!("{value:e} for {date} is no economic figure"));
        }
        let end = held.partition_point(|o| o.date <= date);
        let beside = match end {
            0 => held.get(..NEIGHBOURS.min(held.len())),
            _ => held.get(end.saturating_sub(NEIGHBOURS)..end),
        };
        let beside = beside.unwrap_or_default();
        let (low, high) = sizes(beside);
        let high = if high > 0.0 { high } else { most };
        let grown = high > 0.0 && size > most && size > high * FACTOR;
        let shrunk =
            !held.is_empty() && !crosses && size > 0.0 && size < least && size < low / FACTOR;
        if grown || shrunk {
            let near = beside.last().map_or(0.0, |o| o.value);
            return Some(format!(
                "{value} for {date} lies about a hundredfold off the figures beside it ({near}) and outside all that were ever held"
            ));
        }
    }
    None
}

/// The smallest and the largest size.
fn sizes(figures: &[Observation]) -> (f64, f64) {
    let sizes = || figures.iter().map(|o| o.value.abs());
    (
        sizes().fold(f64::INFINITY, f64::min),
        sizes().fold(0.0, f64::max),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::model::frequency::day_from_number;

    #[test]
    fn a_role_follows_from_who_brought_the_rows() {
        let recipe = Source {
            earlier: vec!["treasury".to_owned()],
            ..Source::new("board", Kind::Recipe)
        };
        assert_eq!(recipe.role(Some("board")), Role::Owner);
        assert_eq!(recipe.role(Some("treasury")), Role::Fallback);
        assert_eq!(recipe.role(Some("bundled")), Role::Preferred);
        let fred = Source {
            earlier: recipe.earlier.clone(),
            ..Source::new("fred", Kind::Fred)
        };
        assert_eq!(fred.role(Some("bundled")), Role::Owner);
        assert_eq!(fred.role(Some("treasury")), Role::Fallback);
        let covered = Source {
            is_covered: true,
            ..fred
        };
        assert_eq!(covered.role(Some("bundled")), Role::Fallback);
        assert_eq!(covered.role(Some("fred")), Role::Fallback);
        assert_eq!(
            Source::new("formula", Kind::Formula).role(None),
            Role::Computed
        );
    }

    fn rows(f: impl Fn(i32) -> f64) -> Vec<Observation> {
        let day = |n| day_from_number(20_000 + n).unwrap();
        (0..80).map(|n| Observation::new(day(n), f(n))).collect()
    }

    fn verdict(id: &str, held: impl Fn(i32) -> f64, came: impl Fn(i32) -> f64) -> Comparison {
        let info = Catalogue::embedded().get(id).map(AsRef::as_ref);
        compare(info, &rows(held), &rows(came))
    }

    #[test]
    fn the_same_series_agrees_and_a_neighbour_does_not() {
        let yields = |n: i32| 4.0 + f64::from(n % 7) / 100.0;
        assert_eq!(verdict("DGS10", yields, yields), Comparison::Agrees);
        for other in [0.35, -0.03, 100.0] {
            let said = verdict("DGS10", yields, |n| yields(n) + other);
            assert!(matches!(said, Comparison::Differs(_)), "{other} {said:?}");
        }
        let index = |n: i32| 100.0 + f64::from(n) / 10.0;
        let revised = |n: i32| index(n) + if n > 70 { 0.2 } else { 0.01 };
        assert_eq!(verdict("INDPRO", index, revised), Comparison::Agrees);
        // A new base year of 2022 instead of 2017.
        let rebased = verdict("INDPRO", index, |n| index(n) * 0.97);
        assert!(matches!(rebased, Comparison::Differs(_)), "{rebased:?}");
        let thousands = verdict(
            "PAYEMS",
            |n| 150_000.0 + f64::from(n),
            |n| 150.0 + f64::from(n) / 1e3,
        );
        assert!(matches!(thousands, Comparison::Differs(_)), "{thousands:?}");
    }

    #[test]
    fn too_few_common_dates_say_nothing() {
        let info = Catalogue::embedded().get("DGS10").map(AsRef::as_ref);
        let some = rows(|_| 4.0);
        assert_eq!(compare(info, &some[..4], &some), Comparison::TooFewDates);
        assert_eq!(compare(info, &[], &some), Comparison::TooFewDates);
    }

    fn held(values: &[f64]) -> Vec<Observation> {
        (0i32..)
            .zip(values)
            .map(|(n, v)| Observation::new(day_from_number(n).unwrap(), *v))
            .collect()
    }

    fn is_implausible(before: &[f64], after: f64) -> bool {
        let next = day_from_number(i32::try_from(before.len()).unwrap()).unwrap();
        implausible(&held(before), &[known(next, after)]).is_some()
    }

    fn known(date: Date, value: f64) -> Known {
        Known {
            date,
            known_from: None,
            value: Some(value),
        }
    }

    #[test]
    fn another_unit_is_implausible() {
        let mut product = vec![243.0, 900.0, 9_000.0];
        product.extend([29_000.0; NEIGHBOURS]);
        for wrong in [29.5, 29_500_000.0, 1e308, -1e308] {
            assert!(is_implausible(&product, wrong), "{wrong}");
        }
        assert!(is_implausible(&[3.9, 4.1, 4.2], 0.042), "percent as shares");
        assert!(
            is_implausible(&[0.039, 0.041, 0.042], 4.2),
            "shares as percent"
        );
        assert!(is_implausible(&[0.0, 0.0], 1e300) && is_implausible(&[], 1e300));
    }

    #[test]
    fn real_moves_are_plausible() {
        for (before, after) in [
            (&[282.0, 211.0, 6_137.0 / 29.0][..], 6_137.0),
            (&[5.33, 0.05, 0.04], 5.3),
            (&[0.05, 5.33, 5.3, 5.2], 0.05),
            (&[0.5, 0.01, -0.02], 1.7),
            (&[1.0, 0.0, 900.0, 0.0, 0.0], 850.0),
            (&[0.0, 0.0, 0.0], 1.0),
            (&[0.2, -0.3, 0.4], 0.0001),
            (&[4.2, 4.1], 0.0),
        ] {
            assert!(!is_implausible(before, after), "{before:?} then {after}");
        }
    }

    #[test]
    fn a_revision_long_ago_is_held_against_its_own_time() {
        let mut history = vec![243.0; 12];
        history.extend([29_000.0; 24]);
        let first = day_from_number(0).unwrap();
        let before = day_from_number(-9).unwrap();
        assert_eq!(
            implausible(
                &held(&history),
                &[known(first, 242.9), known(before, 241.0)]
            ),
            None
        );
        assert!(implausible(&held(&history), &[known(first, 0.243)]).is_some());
    }
}

//! Series that nobody has to bring: made of others by the identity that defines them.
//!
//! `data/identities.csv` says of which: the ten-year yield less the two-year is T10Y2Y, the mean of a month's days is
//! the monthly series. The formula is one that a caller could have asked for, so that a reader can check it. It stands
//! in only where nothing is held of the series itself, and the answer says so.

use super::facts::held;
use super::local::Desk;
use crate::ingest::{Comparison, compare};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators;
use econoscope_core::indicators::expression::{self, Expr, Scope};
use econoscope_core::indicators::resample::{Aggregation, aggregate, last_is_partial};
use econoscope_core::indicators::sahm;
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{
    AsOf, Date, Frequency, Observation, Series, SeriesId, SeriesInfo, table,
};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// How the catalogue's source begins for a series that nobody publishes.
pub const OWN: &str = "computed here";

/// How a series is made of others.
#[derive(Debug)]
pub struct Identity {
    /// The formula, as a caller would write it.
    pub formula: &'static str,
    tree: Expr,
    /// How finer figures become those of the series.
    how: Aggregation,
    /// Whether a sync computes it, where no source beside FRED brings it.
    is_synced: bool,
    /// Where the published figures are known to be others, and why; empty for most.
    pub differs: &'static str,
}

impl Identity {
    fn read([id, formula, how, sync, differs]: [&'static str; 5]) -> Option<(&'static str, Self)> {
        let identity = Self {
            formula,
            tree: expression::parse(formula).ok()?,
            how: match how {
                "" => Aggregation::Average,
                how => how.parse().ok()?,
            },
            is_synced: sync == "yes",
            differs,
        };
        Some((id, identity))
    }

    /// What it is made of.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.tree.names().into_iter().map(|(name, _)| name)
    }
}

static IDENTITIES: LazyLock<HashMap<&'static str, Identity>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/identities.csv"));
    // A test reads every row.
    rows.filter_map(|(_, row)| Identity::read(row.ok()?))
        .collect()
});

/// The identity that makes a series, if there is one.
pub fn of(id: &str) -> Option<&'static Identity> {
    IDENTITIES.get(id)
}

/// The Sahm rule on the latest figures: the language of formulas has no least value of twelve months.
const SAHM: &str = "SAHMCURRENT";

/// What a sync computes a series from, where it does.
pub(crate) fn synced_from(id: &SeriesId) -> Option<Vec<&'static str>> {
    match of(id.as_str()) {
        Some(identity) => identity.is_synced.then(|| identity.inputs().collect()),
        None => (id.as_str() == SAHM).then(|| vec!["UNRATE"]),
    }
}

/// The figures of such a series from those of its inputs.
///
/// # Errors
/// [`Error::Internal`] for a formula that cannot be evaluated, which a test rules out.
pub(crate) fn figures(
    info: &Arc<SeriesInfo>,
    known: &HashMap<&str, Arc<Series>>,
) -> Result<Vec<Observation>> {
    match (of(info.id.as_str()), known.get("UNRATE")) {
        (Some(identity), _) => evaluated(identity, info, known),
        (None, Some(unrate)) => Ok(sahm::history(&unrate.observations)),
        (None, None) => Ok(Vec::new()),
    }
}

/// The series that is another's average over periods of a frequency.
pub fn averages(of: &SeriesId, frequency: Frequency) -> Option<Arc<SeriesInfo>> {
    let all = IDENTITIES
        .iter()
        .filter(|(_, identity)| identity.formula == of.as_str());
    let mut infos = all.filter_map(|(id, _)| Catalogue::embedded().get(id));
    infos.find(|info| info.frequency == frequency).cloned()
}

impl Desk {
    /// The identity by which a series is made here: where nothing is held of it, and something of each that it is
    /// made of.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn made_by(&self, id: &SeriesId) -> Result<Option<&'static Identity>> {
        let Some(identity) = of(id.as_str()) else {
            return Ok(None);
        };
        if self.held(id)?.is_some() {
            return Ok(None);
        }
        for input in identity.inputs() {
            let input = SeriesId::new(input)?;
            if self.held(&input)?.is_none() && self.made_by(&input)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(identity))
    }

    /// The date of a series' newest figure, as it is held or made here.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn newest(&self, info: &Arc<SeriesInfo>) -> Result<Option<Date>> {
        if let Some(composite) = indicators::composite(info.id.as_str()) {
            let reading = self.reading(composite, AsOf::Latest)?;
            return Ok(reading.value.map(|_| reading.date));
        }
        if let Some(held) = self.held(&info.id)? {
            // Of a projection, the period that is under way.
            let is_ahead = held.last > self.today();
            return Ok(Some(match is_ahead {
                true => info.frequency.stamp(self.today()),
                false => held.last,
            }));
        }
        let made = self.series(info, AsOf::Latest)?;
        Ok(made.and_then(|series| Some(series.observations.last()?.date)))
    }

    /// A series as its identity makes it of what was known on a day; none where that is not to be had or not to be
    /// passed on.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn by_identity(
        &self,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
    ) -> Result<Option<Arc<Series>>> {
        let Some(identity) = self.made_by(&info.id)? else {
            return Ok(None);
        };
        let inputs: Vec<&str> = identity.inputs().collect();
        if self.barred(&inputs).is_some() {
            return Ok(None);
        }
        Ok(match self.known_inputs(identity, as_of)? {
            Some(known) => held(info, evaluated(identity, info, &known)?),
            None => None,
        })
    }

    /// The series that an identity is made of; none where one of them is not to be had.
    fn known_inputs(
        &self,
        identity: &'static Identity,
        as_of: AsOf,
    ) -> Result<Option<HashMap<&'static str, Arc<Series>>>> {
        let mut known = HashMap::new();
        for (id, _) in identity.tree.names() {
            let input = Catalogue::embedded().get(id);
            let input = input.ok_or_else(|| Error::internal("an identity's input", id))?;
            match self.series(input, as_of)? {
                Some(series) => known.insert(id, series),
                None => return Ok(None),
            };
        }
        Ok(Some(known))
    }

    /// What is held and does not add up: series of which more than one in ten of the newest common dates are not what
    /// their identity makes of others, by the tolerances of two sources ([`crate::ingest`]).
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn contradictions(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for (id, identity) in IDENTITIES.iter() {
            let info = Catalogue::embedded().get(id);
            let held = match info {
                Some(info) if self.held(&info.id)?.is_some() => self.series(info, AsOf::Latest)?,
                Some(_) | None => None,
            };
            if let (Some(info), Some(held)) = (info, held)
                && let Some(known) = self.known_inputs(identity, AsOf::Latest)?
                && identity.differs.is_empty()
                && let Comparison::Differs(why) = compare(
                    Some(info),
                    &held.observations,
                    &evaluated(identity, info, &known)?,
                )
            {
                found.push(format!(
                    "{id} does not agree with {}: {why}",
                    identity.formula
                ));
            }
        }
        found.sort();
        Ok(found)
    }
}

/// The figures of an identity at the frequency of its series, to the decimals in which that is published. A period
/// that is not over is none.
fn evaluated(
    identity: &Identity,
    info: &SeriesInfo,
    known: &HashMap<&str, Arc<Series>>,
) -> Result<Vec<Observation>> {
    let scope = Scope {
        series: &|name| known.get(name).cloned(),
        subject: None,
        start: Date::MIN,
        how: identity.how,
        frequency: None,
    };
    let column = expression::evaluate(&identity.tree, scope);
    let column = column.map_err(|fault| Error::internal("an identity", fault.problem))?;
    let mut made = aggregate(&column.series, info.frequency, identity.how)?;
    if last_is_partial(&column.series, info.frequency.into()) {
        made.pop();
    }
    let scale = 10f64.powi(i32::from(info.decimals));
    // A half that binary arithmetic leaves just below a half is a half.
    let rounded = |value: f64| round_to(round_to(value * scale, 6), 0) / scale;
    for o in &mut made {
        o.value = rounded(o.value);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::frequency::shift;

    #[test]
    fn every_identity_is_made_of_known_series_and_none_of_itself() {
        let text = include_str!("../../data/identities.csv");
        let catalogue = Catalogue::embedded();
        for (line, row) in table::rows::<5>(text) {
            let (id, identity) = Identity::read(row.unwrap()).unwrap();
            let info = catalogue.get(id).unwrap();
            for input in identity.inputs() {
                let input = catalogue.get(input).unwrap();
                assert!(input.frequency <= info.frequency, "line {line}: {id}");
                let mut below = vec![input.id.to_string()];
                while let Some(one) = below.pop() {
                    assert_ne!(one, id, "line {line}: a circle");
                    below.extend(
                        of(&one)
                            .into_iter()
                            .flat_map(Identity::inputs)
                            .map(str::to_owned),
                    );
                }
            }
        }
        assert_eq!(IDENTITIES.len(), text.lines().count() - 1);
        let monthly = averages(&SeriesId::new("DCOILWTICO").unwrap(), Frequency::Monthly);
        assert_eq!(monthly.unwrap().id.as_str(), "MCOILWTICO");
    }

    #[test]
    fn what_a_sync_computes_agrees_with_figures_worked_by_hand() -> Result<()> {
        let of_values = |id: &'static str, values: &[f64]| {
            let info = Catalogue::embedded().get(id).unwrap();
            let period = |n: i64| {
                let first = jiff::civil::date(2025, 1, 1);
                (0..n).fold(first, |day, _| shift(day, info.frequency.period()))
            };
            let rows = (0..)
                .zip(values)
                .map(|(n, v)| Observation::new(period(n), *v));
            (id, Arc::new(Series::new(Arc::clone(info), rows.collect())))
        };
        let last = |id: &str, inputs: &[(&'static str, &[f64])]| {
            let id = SeriesId::new(id)?;
            let known: HashMap<_, _> = inputs.iter().map(|(id, v)| of_values(id, v)).collect();
            let mut names = synced_from(&id).unwrap();
            names.retain(|name| !known.contains_key(name));
            assert!(names.is_empty(), "{id}: {names:?}");
            let made = figures(Catalogue::embedded().get(id.as_str()).unwrap(), &known)?;
            Ok::<_, Error>(made.last().map(|o| o.value))
        };
        assert_eq!(
            last("T10Y2Y", &[("DGS10", &[5.17]), ("DGS2", &[4.81])])?,
            Some(0.36)
        );
        assert_eq!(last("T10Y2Y", &[("DGS10", &[5.17]), ("DGS2", &[])])?, None);
        // Breakevens of 2.4 % over five and 2.3 % over ten years: about 2.2 % over the second five.
        let yields: [(&str, &[f64]); 4] = [
            ("DGS5", &[4.4]),
            ("DGS10", &[4.5]),
            ("DFII5", &[2.0]),
            ("DFII10", &[2.2]),
        ];
        assert_eq!(last("T5YIFR", &yields)?, Some(2.2));
        let mut rates = vec![4.0; 14];
        rates.push(4.9);
        assert_eq!(last("SAHMCURRENT", &[("UNRATE", &rates)])?, Some(0.3));
        let money: [(&str, &[f64]); 2] = [("GDP", &[30.0]), ("M2SL", &[10.0, 20.0, 30.0, 40.0])];
        assert_eq!(last("M2V", &money)?, Some(1.5));
        Ok(())
    }
}

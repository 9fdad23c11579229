//! Series computed from others by the identity that defines them.
//!
//! `data/identities.csv` has the identities: T10Y2Y is the ten-year yield less the two-year; a monthly series is the mean
//! of the month's days. Each formula is one that a caller could send, so that a reader can check it. It is used only where
//! the series itself is not stored, and the answer says so.

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::indicators::expression::{self, Expr, Scope};
use crate::indicators::resample::{Aggregation, aggregate, last_is_partial};
use crate::indicators::sahm;
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation, Series, SeriesId, SeriesInfo, table};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The start of the catalogue's source for a series that nobody publishes.
pub const OWN: &str = "computed here";

/// The identity of a series.
#[derive(Debug)]
pub struct Identity {
    /// Formula, as a caller would write it.
    pub formula: &'static str,
    expression: Expr,
    /// How values of a higher frequency are aggregated.
    aggregation: Aggregation,
    /// Whether a sync computes it because no source but FRED has it.
    is_synced: bool,
    /// Whether it is the average over longer periods than those of its inputs.
    pub is_average: bool,
    /// Known differences to the published values, with the reason; empty for most.
    pub known_difference: &'static str,
    /// The input whose last reading is the day of all inputs: two agencies' figures of one state of the accounts. Empty for most.
    pub day_of: &'static str,
}

impl Identity {
    fn parse(row: [&'static str; 6]) -> Option<(&'static str, Self)> {
        let [id, formula, how, sync, differs, day_of] = row;
        let known = Aggregation::CODES.iter().find(|(code, _)| *code == how);
        let aggregation = match known {
            Some((_, aggregation)) => *aggregation,
            None if how.is_empty() => Aggregation::Average,
            None => return None,
        };
        let identity = Self {
            formula,
            expression: expression::parse(formula).ok()?,
            aggregation,
            is_synced: sync == "yes",
            is_average: how == "avg",
            known_difference: differs,
            day_of,
        };
        Some((id, identity))
    }

    /// Returns the identifiers of its inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        let names = self.expression.names();
        names.into_iter().map(|(name, _)| name)
    }
}

static IDENTITIES: LazyLock<HashMap<&'static str, Identity>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/identities.csv"));
    // A test checks every row.
    rows.filter_map(|(_, row)| Identity::parse(row.ok()?))
        .collect()
});

/// Iterates over every identity with the identifier of its series, in no order.
pub fn all() -> impl Iterator<Item = (&'static str, &'static Identity)> {
    IDENTITIES.iter().map(|(id, identity)| (*id, identity))
}

/// Returns the identity of a series, if it has one.
pub fn identity(id: &str) -> Option<&'static Identity> {
    IDENTITIES.get(id)
}

/// The Sahm rule on the latest values. It is no formula: the language has no minimum over twelve months.
const SAHM: &str = "SAHMCURRENT";

/// Returns the inputs of a series that a sync computes; `None` for any other.
pub fn sync_inputs(id: &SeriesId) -> Option<Vec<&'static str>> {
    match identity(id.as_str()) {
        Some(identity) => identity.is_synced.then(|| identity.inputs().collect()),
        None => (id.as_str() == SAHM).then(|| vec!["UNRATE"]),
    }
}

/// Computes a series of [`sync_inputs`] from its inputs.
///
/// # Errors
/// [`Error::Internal`] for a formula that cannot be evaluated, which a test rules out.
pub fn compute(
    info: &Arc<SeriesInfo>,
    inputs: &HashMap<&str, Arc<Series>>,
) -> Result<Vec<Observation>> {
    match (identity(info.id.as_str()), inputs.get("UNRATE")) {
        (Some(identity), _) => evaluate(identity, info, inputs),
        (None, Some(unrate)) => Ok(sahm::history(&unrate.observations)),
        (None, None) => Ok(Vec::new()),
    }
}

/// Returns the series that is the average of another one over periods of a frequency.
pub fn averages(id: &SeriesId, frequency: Frequency) -> Option<Arc<SeriesInfo>> {
    let identities = IDENTITIES.iter();
    let averages = identities.filter(|(_, identity)| identity.formula == id.as_str());
    let mut infos = averages.filter_map(|(id, _)| Catalogue::embedded().get(id));
    infos.find(|info| info.frequency == frequency).cloned()
}

/// Computes an identity at the frequency of its series, with the decimals in which that is published and without the
/// current period.
///
/// # Errors
/// [`Error::Internal`] for a formula that cannot be evaluated, which a test rules out.
pub fn evaluate(
    identity: &Identity,
    info: &SeriesInfo,
    inputs: &HashMap<&str, Arc<Series>>,
) -> Result<Vec<Observation>> {
    let scope = Scope {
        series: &|name| inputs.get(name).cloned(),
        subject: None,
        start: Date::MIN,
        aggregation: identity.aggregation,
        frequency: None,
    };
    let column = expression::evaluate(&identity.expression, scope)
        .map_err(|fault| Error::internal("an identity", fault.problem))?;
    let mut rows = aggregate(&column.series, info.frequency, identity.aggregation)?;
    if last_is_partial(&column.series, info.frequency.into()) {
        rows.pop();
    }
    let scale = 10f64.powi(i32::from(info.decimals));
    for row in &mut rows {
        // Rounding twice rounds up halves that binary arithmetic leaves just below a half.
        row.value = round_to(round_to(row.value * scale, 6), 0) / scale;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::shift;

    #[test]
    fn identities_use_known_series_without_cycles() {
        let text = include_str!("../../data/identities.csv");
        let catalogue = Catalogue::embedded();
        for (line, row) in table::rows::<6>(text) {
            let (id, identity) = Identity::parse(row.unwrap()).unwrap();
            let info = catalogue.get(id).unwrap();
            for input in identity.inputs() {
                let input = catalogue.get(input).unwrap();
                assert!(input.frequency <= info.frequency, "line {line}: {id}");
                let mut below = vec![input.id.to_string()];
                while let Some(one) = below.pop() {
                    assert_ne!(one, id, "line {line}: a circle");
                    below.extend(
                        super::identity(&one)
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
    fn synced_identities_match_hand_computed_values() -> Result<()> {
        let series = |id: &'static str, values: &[f64]| {
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
            let by_id: HashMap<_, _> = inputs.iter().map(|(id, v)| series(id, v)).collect();
            let mut names = sync_inputs(&id).unwrap();
            names.retain(|name| !by_id.contains_key(name));
            assert!(names.is_empty(), "{id}: {names:?}");
            let rows = compute(Catalogue::embedded().get(id.as_str()).unwrap(), &by_id)?;
            Ok::<_, Error>(rows.last().map(|o| o.value))
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

//! What can be watched, and the mark by which a change of it is seen.

use crate::mcp::resources::{Address, SCHEME};
use econoscope_core::error::Result;
use econoscope_core::indicators;
use econoscope_core::model::{AsOf, SeriesId};
use econoscope_data::desk::Desk;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What an address shows; many addresses show the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Regime,
    Summary,
    Calendar,
    Series(SeriesId),
}

/// A hash of what was seen of a target: another one is a change.
pub(super) type Mark = u64;

impl Target {
    /// What an address shows; nothing for one that cannot change or does not exist.
    pub(super) fn of(desk: &Desk, uri: &str) -> Result<Option<Self>> {
        if !uri.starts_with(SCHEME) {
            return Ok(None);
        }
        Ok(match Address::parse(uri) {
            Ok(Address::Regime) => Some(Self::Regime),
            Ok(Address::Summary) => Some(Self::Summary),
            Ok(Address::Calendar) => Some(Self::Calendar),
            Ok(Address::Series { id, .. } | Address::Metric(id)) => {
                desk.known(&id)?.map(Self::Series)
            }
            // Nothing else can be watched.
            Ok(_) | Err(_) => None,
        })
    }

    /// The mark where it can be told without computing anything.
    pub(super) fn known_mark(&self, desk: &Desk) -> Result<Option<Mark>> {
        let id = match self {
            Self::Regime => return Ok(None),
            // They rest on so many series that any change of the data may be one of them.
            Self::Summary | Self::Calendar => return Ok(Some(hash_of(desk.state()?))),
            Self::Series(id) => id,
        };
        let held = desk.held(id)?;
        let is_computed = |origin: &str| origin.starts_with("computed");
        if indicators::composite(id.as_str()).is_some()
            || held.as_ref().is_some_and(|held| is_computed(&held.origin))
        {
            return Ok(None);
        }
        // A store only ever adds to a series.
        Ok(Some(hash_of(held.map(|held| (held.rows, held.last)))))
    }

    /// The mark now.
    pub(super) fn mark(&self, desk: &Desk) -> Result<Mark> {
        match (self.known_mark(desk)?, self) {
            (Some(mark), _) => Ok(mark),
            (None, Self::Series(id)) => series(desk, id),
            (None, Self::Regime | Self::Summary | Self::Calendar) => regime(desk),
        }
    }
}

fn hash_of(what: impl Hash) -> Mark {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn series(desk: &Desk, id: &SeriesId) -> Result<Mark> {
    let info = desk.resolve("series", id.as_str())?;
    let series = desk.series(&info, AsOf::Latest)?;
    let rows = series.iter().flat_map(|s| &s.observations);
    let rows: Vec<_> = rows.map(|o| (o.date, o.value.to_bits())).collect();
    Ok(hash_of(rows))
}

fn regime(desk: &Desk) -> Result<Mark> {
    let path = desk.regimes(AsOf::Latest)?;
    let now = &path.now;
    let state = now.state.as_ref();
    let state = state.map(|s| (s.month, s.growth.to_bits(), s.inflation.to_bits()));
    let confidence = now.confidence.map(f64::to_bits);
    Ok(hash_of((
        now.regime,
        confidence,
        now.trajectory.name(),
        state,
    )))
}

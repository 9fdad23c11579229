//! What is watched by anybody: each target once, with what was last seen of it and those who wait for a change.

use super::target::{Mark, Target};
use econoscope_core::error::Result;
use econoscope_data::desk::{Desk, State};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Most targets watched at once; a wish for more is not granted.
const MAX_TARGETS: usize = 65_536;
/// Between a grant and its listener lies the time that the answer takes. What changed in it is news for whoever begins
/// to listen; and so long is a grant kept that nobody takes up.
const TAKING_UP: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Board {
    watched: Mutex<HashMap<Target, Watched>>,
}

struct Watched {
    /// None while it was not computed yet.
    mark: Option<Mark>,
    /// State of the data when it was last looked at.
    state: State,
    since: Instant,
    changed: Option<Instant>,
    news: watch::Sender<()>,
}

impl Watched {
    /// Whether somebody listens to it, or may be about to.
    fn is_wanted(&self) -> bool {
        self.news.receiver_count() > 0 || self.since.elapsed() < TAKING_UP
    }

    fn is_due(&self, state: State) -> bool {
        self.mark.is_none() || self.state != state
    }
}

impl Board {
    /// Hears of every change of a target from now on, and of those since it was lately granted; `None` when too many
    /// are watched. What it holds now is noted.
    pub(super) fn listen(
        &self,
        desk: &Desk,
        target: &Target,
    ) -> Result<Option<watch::Receiver<()>>> {
        let fresh = Watched {
            state: desk.state()?,
            mark: target.known_mark(desk)?,
            since: Instant::now(),
            changed: None,
            news: watch::Sender::new(()),
        };
        let mut watched = self.watched.lock();
        if watched.len() >= MAX_TARGETS && !watched.contains_key(target) {
            return Ok(None);
        }
        let held = match watched.entry(target.clone()) {
            Entry::Occupied(held) if held.get().is_wanted() => held.into_mut(),
            entry @ (Entry::Occupied(_) | Entry::Vacant(_)) => entry.insert_entry(fresh).into_mut(),
        };
        let mut news = held.news.subscribe();
        if held.changed.is_some_and(|at| at.elapsed() < TAKING_UP) {
            news.mark_changed();
        }
        Ok(Some(news))
    }

    /// Whether anything may be another than it was when it was last looked at.
    pub(super) fn is_due(&self, desk: &Desk) -> Result<bool> {
        let state = desk.state()?;
        Ok(self.watched.lock().values().any(|w| w.is_due(state)))
    }

    /// Looks at each target once and tells those who listen to one that changed. What cannot be read is left for the
    /// next look.
    pub(super) fn look(&self, desk: &Desk) -> Result<()> {
        let state = desk.state()?;
        let due: Vec<Target> = {
            let watched = self.watched.lock();
            let due = watched.iter().filter(|(_, w)| w.is_due(state));
            due.map(|(target, _)| target.clone()).collect()
        };
        for target in due {
            match target.mark(desk).and_then(|mark| Ok((mark, desk.state()?))) {
                Ok((mark, after)) => self.note(&target, mark, (state, after)),
                Err(error) => econoscope_core::error::log(&error, "subscriptions"),
            }
        }
        Ok(())
    }

    /// Notes what was seen between two states.
    fn note(&self, target: &Target, mark: Mark, (before, after): (State, State)) {
        let mut watched = self.watched.lock();
        let Some(held) = watched.get_mut(target) else {
            return;
        };
        let has_changed = match held.mark {
            Some(old) => old != mark,
            // Never seen before: what it held at the grant is not known once the data have moved on.
            None => held.state != after,
        };
        held.mark = Some(mark);
        held.state = before;
        if has_changed {
            held.changed = Some(Instant::now());
            held.news.send_replace(());
        }
    }

    /// Drops what nobody wants any more, and says whether anything is left to be watched.
    pub(super) fn tidy(&self) -> bool {
        let mut watched = self.watched.lock();
        watched.retain(|_, w| w.is_wanted());
        watched.values().any(|w| w.news.receiver_count() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::desk::Settings;
    use econoscope_data::store::{Sqlite, Store, Write};
    use std::sync::Arc;

    fn write(store: &dyn Store, id: &str, values: &[f64]) {
        let days = jiff::civil::date(2026, 8, 1).series(jiff::ToSpan::days(1));
        let observations: Vec<_> = days
            .zip(values)
            .map(|(day, value)| Observation::new(day, *value))
            .collect();
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &observations,
            known_from: None,
            fetched_at: "2026-08-22T00:00:00Z".parse().unwrap(),
            origin: "test",
        };
        store.write(write).unwrap();
    }

    fn desk() -> (Arc<Sqlite>, Desk) {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write(store.as_ref(), "OWN", &[1.0]);
        write(store.as_ref(), "OTHER", &[1.0]);
        let now = Arc::new(|| "2026-08-22T12:00:00Z".parse().unwrap());
        let desk = Desk::open(Arc::clone(&store) as _, Settings::default(), now);
        (store, desk)
    }

    #[test]
    fn many_listeners_to_many_forms_of_an_address_are_one_target() {
        let (store, desk) = desk();
        let board = Board::default();
        let forms = [
            "macro://series/OWN",
            "macro://series/own.csv",
            "macro://series/OWN?start=2020-01-01",
            "macro://metric/OWN",
        ];
        let mut listeners: Vec<_> = (0..300)
            .flat_map(|_| forms)
            .map(|uri| {
                let target = Target::of(&desk, uri).unwrap().unwrap();
                board.listen(&desk, &target).unwrap().unwrap()
            })
            .collect();
        assert_eq!(board.watched.lock().len(), 1);
        let woken = |listeners: &[watch::Receiver<()>]| {
            let woken = listeners.iter().filter(|l| l.has_changed().unwrap());
            woken.count()
        };
        assert!(
            !board.is_due(&desk).unwrap(),
            "what is known is not looked at"
        );
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        assert!(board.is_due(&desk).unwrap());
        board.look(&desk).unwrap();
        assert_eq!(woken(&listeners), 0);
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        board.look(&desk).unwrap();
        assert_eq!(woken(&listeners), listeners.len());
        listeners.iter_mut().for_each(|l| l.mark_unchanged());
        board.look(&desk).unwrap();
        assert_eq!(woken(&listeners), 0);
        assert!(board.tidy());
        drop(listeners);
        assert!(!board.tidy(), "nobody listens any more");
    }

    #[test]
    fn what_changes_between_the_grant_and_the_listener_is_news() {
        let (store, desk) = desk();
        let board = Board::default();
        let targets = ["macro://series/OWN", "macro://regime"]
            .map(|uri| Target::of(&desk, uri).unwrap().unwrap());
        for target in &targets {
            assert!(board.listen(&desk, target).unwrap().is_some());
        }
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        board.look(&desk).unwrap();
        for target in &targets {
            let news = board.listen(&desk, target).unwrap().unwrap();
            assert!(news.has_changed().unwrap(), "{target:?}");
        }
    }

    #[test]
    fn a_computed_target_that_stays_the_same_is_no_news() {
        let (store, desk) = desk();
        let board = Board::default();
        let regime = Target::of(&desk, "macro://regime").unwrap().unwrap();
        let news = board.listen(&desk, &regime).unwrap().unwrap();
        board.look(&desk).unwrap();
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        board.look(&desk).unwrap();
        assert!(!news.has_changed().unwrap());
    }

    #[test]
    fn names_that_mean_nothing_are_no_target() {
        let (_, desk) = desk();
        for uri in [
            "macro://series/NOSUCH",
            "macro://metric/DGS1O",
            "macro://catalog",
            "file:///etc/passwd",
            "macro://series/",
        ] {
            assert_eq!(Target::of(&desk, uri).unwrap(), None, "{uri}");
        }
    }
}

//! What every store must do, run on each of them: one suite, so that no caller can tell them apart.

mod describing;
mod keeping;
mod knowledge;

use crate::store::{Store, Write, WriteOutcome};
use econoscope_core::model::{Date, Observation, SeriesId};
use jiff::Timestamp;
use jiff::civil::date;

/// Runs functions of the contract on a fresh store of each kind, always as `&dyn Store`.
macro_rules! on_every_store {
    ($($part:ident: $($name:ident),*;)*) => {
        mod memory { $($(#[test] fn $name() {
            crate::store::contract::$part::$name(&crate::store::sqlite::Sqlite::in_memory().unwrap());
        })*)* }
        mod sqlite { $($(#[test] fn $name() {
            let folder = tempfile::tempdir().unwrap();
            let store = crate::store::sqlite::Sqlite::open(&folder.path().join("store.db")).unwrap();
            crate::store::contract::$part::$name(&store);
            assert_eq!(store.integrity().unwrap(), vec![]);
        })*)* }
        // By tests/cluster/run.sh, which starts a server.
        #[cfg(feature = "cluster")]
        mod postgres { $($(#[test] fn $name() {
            let (store, folder) = crate::store::postgres::testing::new_database(stringify!($name));
            crate::store::contract::$part::$name(&store);
            let copy = folder.path().join("copy.db");
            store.copy_to(&copy).unwrap();
            let copy = crate::store::sqlite::Sqlite::open_existing(&copy).unwrap();
            assert_eq!(copy.integrity().unwrap(), vec![]);
        })*)* }
    };
}

on_every_store! {
    knowledge:
    an_empty_store_holds_nothing,
    new_rows_are_read_back,
    a_second_write_of_the_same_rows_writes_nothing,
    a_changed_value_is_appended_and_the_old_one_kept,
    a_first_load_has_no_day_and_a_later_write_has_one,
    an_import_without_a_day_invents_none_for_new_dates,
    an_import_without_a_day_dates_changes_by_the_reading,
    as_of_sees_what_was_known_on_the_day,
    a_late_vintage_takes_its_place_once,
    the_later_of_two_writes_on_a_day_counts,
    an_archive_is_written_at_once_and_dates_are_withdrawn,
    what_was_read_without_a_day_gives_way_to_an_archive;
    describing:
    descriptions_are_kept_and_replaced,
    descriptions_are_found_by_all_their_words;
    keeping:
    bad_input_is_refused_whole,
    no_rows_at_all_are_no_series,
    status_tells_what_is_held,
    status_of_one_series_is_the_one_of_all,
    many_small_writes_lose_nothing,
    only_computed_series_can_be_replaced,
    articles_come_newest_first_and_once,
    a_tag_is_one_line_and_not_empty,
    notes_are_kept_and_replaced,
    version_grows_with_what_is_visible_and_only_then,
    readers_see_the_old_or_the_new_state,
    many_series_change_together_or_not_at_all;
}

fn id(name: &str) -> SeriesId {
    SeriesId::new(name).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    // 2026-11-21T12:00:00Z and so many seconds.
    Timestamp::from_second(1_795_262_400 + seconds).unwrap()
}

fn read_on() -> Date {
    date(2026, 11, 21)
}

/// Monthly from January 2026.
fn months(values: &[f64]) -> Vec<Observation> {
    (1..)
        .zip(values)
        .map(|(month, &value)| Observation::new(date(2026, month, 1), value))
        .collect()
}

fn put(store: &dyn Store, values: &[f64], known_from: Option<Date>) -> WriteOutcome {
    put_rows(store, &months(values), known_from)
}

fn put_rows(store: &dyn Store, rows: &[Observation], known_from: Option<Date>) -> WriteOutcome {
    store
        .write(Write {
            id: &id("GDP"),
            observations: rows,
            known_from,
            fetched_at: at(0),
            origin: "test",
        })
        .unwrap()
}

fn latest(store: &dyn Store) -> Vec<f64> {
    let rows = store.read(&id("GDP")).unwrap().unwrap().latest();
    rows.iter().map(|o| o.value).collect()
}

fn written(added: usize, revised: usize) -> WriteOutcome {
    WriteOutcome { added, revised }
}

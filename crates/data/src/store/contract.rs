//! The contract of a store: one test suite that runs on every implementation.

mod describing;
mod keeping;
mod knowledge;

use crate::store::{Store, Write, WriteOutcome};
use econoscope_core::model::{Date, Observation, SeriesId};
use jiff::Timestamp;
use jiff::civil::date;

/// Runs each function on a new store of each kind, as `&dyn Store`.
macro_rules! on_every_store {
    ($($part:ident: $($name:ident),*;)*) => {
        mod memory { $($(#[test] fn $name() {
            crate::store::contract::$part::$name(&crate::store::sqlite::Sqlite::in_memory().unwrap());
        })*)* }
        mod sqlite { $($(#[test] fn $name() {
            let folder = tempfile::tempdir().unwrap();
            let store = crate::store::sqlite::Sqlite::open(&folder.path().join("store.db")).unwrap();
            crate::store::contract::$part::$name(&store);
            assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
        })*)* }
        // tests/cluster/run.sh starts the server for these.
        #[cfg(feature = "cluster")]
        mod postgres { $($(#[test] fn $name() {
            let (store, folder) = crate::store::postgres::testing::new_database(stringify!($name));
            crate::store::contract::$part::$name(&store);
            let copy = folder.path().join("copy.db");
            store.copy_to(&copy).unwrap();
            let copy = crate::store::sqlite::Sqlite::open_existing(&copy).unwrap();
            assert_eq!(copy.check_integrity().unwrap(), Vec::<String>::new());
        })*)* }
    };
}

on_every_store! {
    knowledge:
    empty_store_returns_nothing,
    new_rows_round_trip,
    writing_the_same_rows_again_changes_nothing,
    changed_values_are_appended_and_old_ones_stay,
    first_load_has_no_day_of_knowledge,
    undated_import_leaves_new_dates_without_a_day,
    undated_import_dates_changes_by_the_fetch_day,
    as_of_returns_the_values_known_on_a_day,
    late_vintage_is_inserted_once,
    last_write_of_a_day_wins,
    archive_is_written_at_once_with_withdrawals,
    changed_values_count_from_the_given_day_unless_a_later_one_is_stored,
    archive_replaces_undated_rows;
    describing:
    descriptions_are_stored_and_replaced,
    descriptions_match_all_words;
    keeping:
    invalid_writes_change_nothing,
    writing_no_rows_creates_no_series,
    status_summarises_stored_series,
    status_of_one_series_equals_the_list_entry,
    many_small_writes_keep_every_row,
    only_computed_series_can_be_replaced,
    articles_are_unique_and_newest_first,
    tags_are_single_nonempty_lines,
    notes_are_stored_and_replaced,
    version_grows_only_with_visible_changes,
    readers_never_see_half_a_write,
    batch_changes_all_series_or_none,
    batch_is_visible_as_one_change;
}

fn id(name: &str) -> SeriesId {
    SeriesId::new(name).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    // 2026-11-21T12:00:00Z plus `seconds`.
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

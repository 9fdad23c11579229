//! The synthetic catalogue: the same series, figures and titles in every run.

use econoscope_core::model::frequency::day_from_number;
use econoscope_core::model::{Frequency, Observation, SeriesId};
use econoscope_data::store::{Description, Sqlite, Store, Write};
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::{Duration, Instant};

/// Series of 5,000 rows among the others.
pub(crate) const LONG: u32 = 64;
/// Titles in one transaction.
const BATCH: u32 = 20_000;

const SUBJECTS: [&str; 16] = [
    "Unemployment Rate",
    "Civilian Labor Force",
    "All Employees: Manufacturing",
    "Average Hourly Earnings of All Employees",
    "New Private Housing Units Authorized by Building Permits",
    "Consumer Price Index for All Urban Consumers: Shelter",
    "Real Gross Domestic Product",
    "Per Capita Personal Income",
    "All-Transactions House Price Index",
    "Bank Deposits at Commercial Banks",
    "Exports of Goods and Services",
    "Resident Population",
    "Estimated Percent of People in Poverty",
    "Housing Inventory: Median Listing Price",
    "Business Applications for Employer Firms",
    "Interest Rates: Government Bonds",
];
const STATES: [&str; 10] = [
    "Texas",
    "California",
    "Ohio",
    "Georgia",
    "Nevada",
    "Maine",
    "Oregon",
    "Iowa",
    "Utah",
    "Virginia",
];

/// The name of series number `n`, below a million, in no order of the alphabet.
pub(crate) fn name(n: u32) -> String {
    format!("SERIES_{:06}", u64::from(n) * 611_953 % 999_983)
}

fn title(n: u32) -> String {
    let subject = SUBJECTS.get(n as usize % SUBJECTS.len()).unwrap();
    let state = STATES
        .get(n as usize / SUBJECTS.len() % STATES.len())
        .unwrap();
    // Some 5,000 counties, each with a name of its own.
    format!("{subject} in {} County, {state}", county(n / 160))
}

/// A word of four syllables.
pub(crate) fn county(n: u32) -> String {
    let syllables = [
        "ba", "den", "for", "gil", "ham", "lo", "mer", "nor", "pel", "ris", "sta", "ton",
    ];
    let mut left = n % 20_736;
    let mut word = String::from("K");
    for _ in 0..4 {
        word.push_str(syllables.get(left as usize % 12).unwrap());
        left /= 12;
    }
    word
}

/// Makes the store unless it is there.
pub(crate) fn make(path: &Path, series: u32) {
    let store = Sqlite::open(path).unwrap();
    let all = u64::from(series + LONG);
    if store.count().unwrap() == all {
        return;
    }
    let start = Instant::now();
    let cpu_before = cpu();
    let mut rows = rows(625, 30);
    for n in 0..series {
        for row in rows.iter_mut().step_by(9) {
            row.value = f64::from(n % 1_009) / 100.0;
        }
        put(&store, &name(n), &rows);
    }
    for n in 0..LONG {
        put(&store, &format!("LONG{n}"), &self::rows(5_000, 1));
    }
    tell("figures", start, cpu_before);
    let start = Instant::now();
    let cpu_before = cpu();
    for first in (0..series).step_by(BATCH as usize) {
        let batch: Vec<Description> = (first..series.min(first + BATCH)).map(described).collect();
        store.describe(&batch).unwrap();
    }
    tell("titles", start, cpu_before);
    assert_eq!(store.count().unwrap(), all);
}

/// CPU time of this thread.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap(),
    )
}

fn tell(what: &str, start: Instant, cpu_before: Duration) {
    let wall = start.elapsed();
    let cpu = self::cpu().saturating_sub(cpu_before);
    println!(
        "  {what} written in {:.1} s, {:.1} s CPU",
        wall.as_secs_f64(),
        cpu.as_secs_f64()
    );
}

fn rows(count: i32, days: i32) -> Vec<Observation> {
    let row = |n: i32| {
        let value = f64::from(n * n % 977) / 100.0;
        Observation::new(day_from_number(20_000 - (count - n) * days).unwrap(), value)
    };
    (0..count).map(row).collect()
}

fn put(store: &Sqlite, name: &str, rows: &[Observation]) {
    let id = SeriesId::new(name).unwrap();
    let write = Write {
        id: &id,
        observations: rows,
        known_from: None,
        fetched_at: Timestamp::UNIX_EPOCH,
        origin: "import",
    };
    store.write(write).unwrap();
}

fn described(n: u32) -> Description {
    Description {
        id: SeriesId::new(&name(n)).unwrap(),
        title: title(n),
        units: "Percent".to_owned(),
        frequency: Frequency::Monthly,
        seasonally_adjusted: n.is_multiple_of(2),
        source: "made up".to_owned(),
    }
}

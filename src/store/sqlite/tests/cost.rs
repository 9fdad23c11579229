//! What it costs; run in release, one at a time: `cargo test --release --lib store::sqlite::tests::cost -- --ignored --nocapture --test-threads 1`.

use super::*;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// CPU time of this process and of its finished children, user and system, in units of 10 ms.
fn cpu() -> (Duration, Duration) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let ticks: Vec<u64> = after_name
        .split(' ')
        .skip(11)
        .take(4)
        .map(|n| n.parse().unwrap())
        .collect();
    let time = |a: u64, b: u64| Duration::from_millis(10 * (a + b));
    (time(ticks[0], ticks[1]), time(ticks[2], ticks[3]))
}

fn real_series() -> Option<Vec<(SeriesId, Vec<Observation>)>> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/data/series"
    ));
    let Ok(files) = fs::read_dir(folder) else {
        println!("skipped: no real data beside the project");
        return None;
    };
    let parse = |line: &str| {
        let mut cells = line.split(',').skip(1);
        let date = cells.next()?.parse().ok()?;
        Some(Observation::new(date, cells.next()?.parse().ok()?))
    };
    let mut all: Vec<_> = files
        .map(|file| {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (id(&name), text.lines().skip(1).filter_map(parse).collect())
        })
        .collect();
    all.sort_by(|a: &(SeriesId, Vec<_>), b| a.0.cmp(&b.0));
    Some(all)
}

/// Goal: at most 1.5 times the CPU of the sqlite3 tool's `.import` in one transaction.
#[test]
#[ignore = "a measurement"]
fn import_against_the_sqlite_tool() {
    let Some(series) = real_series() else { return };
    let count: usize = series.iter().map(|(_, rows)| rows.len()).sum();
    println!("{count} rows of {} series", series.len());
    let rounds = 10;
    let (mut ours, mut again) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..rounds {
        let (_folder, path, store) = new_store();
        ours += load(&store, &series, at(0));
        again += load(&store, &series, at(1));
        let start = cpu().0;
        drop(store);
        ours += cpu().0 - start;
        println!("file {} bytes", fs::metadata(&path).unwrap().len());
    }
    println!(
        "import {:?}, the same again {:?}",
        ours / rounds,
        again / rounds
    );
    match tool(&series, rounds) {
        Some(tool) => println!(
            "sqlite3 .import {:?}, ratio {:.2}",
            tool / rounds,
            ours.as_secs_f64() / tool.as_secs_f64()
        ),
        None => println!("skipped: no sqlite3 tool"),
    }
}

/// CPU time of writing all series.
fn load(store: &Sqlite, series: &[(SeriesId, Vec<Observation>)], at: Timestamp) -> Duration {
    let start = cpu().0;
    for (id, rows) in series {
        let write = Write {
            id,
            observations: rows,
            known_from: None,
            fetched_at: at,
            origin: "import",
        };
        store.write(write).unwrap();
    }
    cpu().0 - start
}

/// CPU time of the sqlite3 tool for the same rows, all rounds together.
fn tool(series: &[(SeriesId, Vec<Observation>)], rounds: u32) -> Option<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("all.csv");
    let rows = series.iter().flat_map(|(id, rows)| {
        rows.iter()
            .map(move |row| format!("{id},{},{}\n", row.date, row.value))
    });
    fs::write(&csv, rows.collect::<String>()).unwrap();
    let start = cpu().1;
    for round in 0..rounds {
        let status = Command::new("sqlite3")
            .arg(folder.path().join(format!("{round}.db")))
            .arg("PRAGMA journal_mode = WAL")
            .arg("PRAGMA synchronous = NORMAL")
            .arg("CREATE TABLE o (series TEXT, date TEXT, value REAL)")
            .arg("BEGIN")
            .arg(".mode csv")
            .arg(format!(".import {} o", csv.display()))
            .arg("COMMIT")
            .stdout(Stdio::null())
            .status()
            .ok()?;
        assert!(status.success());
    }
    Some(cpu().1 - start)
}

fn per<T>(times: u32, mut call: impl FnMut(u32) -> T) -> Duration {
    let start = Instant::now();
    for n in 0..times {
        std::hint::black_box(call(n));
    }
    start.elapsed() / times
}

/// The name of series number `n`, below a million, in no order of the alphabet.
fn name(n: u32) -> String {
    format!("SERIES_{:06}", u64::from(n) * 611_953 % 999_983)
}

/// Goal: 800,000 series of 625 rows in one file; reads that hardly slow down, 2 ms CPU per 10,000 rows written.
#[test]
#[ignore = "a measurement; writes some gigabytes"]
fn half_a_billion_rows() {
    let (_folder, path, store) = new_store();
    let long: Vec<Observation> = (0..5000i32)
        .map(|n| {
            let value = f64::from(n * n % 977) / 100.0;
            Observation::new(day_from_number(n * 7 / 5).unwrap(), value)
        })
        .collect();
    let mut rows = long[..625].to_vec();
    let mut held = 0;
    for target in [200u32, 20_000, 800_000] {
        let start = cpu().0;
        for n in held..target {
            for row in rows.iter_mut().step_by(9) {
                row.value = f64::from(n % 1009) / 100.0;
            }
            put(&store, &name(n), &rows, None);
        }
        let ten_thousands = f64::from(target - held) * 625.0 / 10_000.0;
        println!(
            "{target} series: {:.2} ms CPU per 10,000 rows, file {} MB",
            (cpu().0 - start).as_secs_f64() * 1000.0 / ten_thousands,
            fs::metadata(&path).unwrap().len() / 1_000_000
        );
        put(&store, &format!("LONG{target}"), &long, None);
        held = target;
        ask(&store, &path, held);
    }
}

fn ask(store: &Sqlite, path: &Path, held: u32) {
    let any = |n: u32| id(&name(n.wrapping_mul(2_654_435_761) % held));
    let read = |id: &SeriesId| store.read(id).unwrap();
    let long = id(&format!("LONG{held}"));
    let gone = |n: u32| id(&format!("GONE{n}"));
    println!("  625 rows {:?}", per(20_000, |n| read(&any(n)).unwrap()));
    println!("  5,000 rows {:?}", per(2000, |_| read(&long).unwrap()));
    println!("  absent {:?}", per(2000, |n| read(&gone(n))));
    println!(
        "  version {:?}",
        per(1_000_000, |_| store.version().unwrap())
    );
    println!("  open {:?}", per(50, |_| Sqlite::open(path).unwrap()));
    let mut day = 20_000;
    let mut add = |n: u32| {
        day += 1;
        put(store, any(n).as_str(), &days(day, 1, 1.0), None);
    };
    println!("  add a day {:?}", per(2000, &mut add));
    println!("  status {:?}", per(1, |_| store.status().unwrap().len()));
}

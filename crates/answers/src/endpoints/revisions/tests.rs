use super::*;
use econoscope_core::model::{Observation, SeriesId};
use econoscope_data::store::{Sqlite, Store, Write};
use econoscope_desk::testing::TestDesk;
use jiff::Timestamp;
use jiff::civil::date;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::LazyLock;

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// A file of this repository as rows of its cells, without the header.
fn cells(path: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../data/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let row = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(row).collect()
}

fn write(store: &Sqlite, id: &str, known_from: Option<Date>, observations: &[Observation]) {
    let id = &SeriesId::new(id).unwrap();
    let fetched_at = now();
    let origin = "fred";
    let write = Write {
        id,
        observations,
        known_from,
        fetched_at,
        origin,
    };
    store.write(write).unwrap();
}

fn desk() -> Desk {
    static STORE: LazyLock<Arc<Sqlite>> = LazyLock::new(|| Arc::new(store()));
    TestDesk::over(Arc::clone(&STORE) as Arc<dyn Store>)
        .at(now())
        .open()
}

/// Payrolls and real GDP as they were known month by month since 2005, then as they were read in November 2026; yields
/// and sales without a past.
fn store() -> Sqlite {
    let store = Sqlite::in_memory().unwrap();
    for id in ["PAYEMS", "GDPC1"] {
        let mut vintages: BTreeMap<Date, Vec<Observation>> = BTreeMap::new();
        for row in cells(&format!("vintages/{id}.csv")) {
            let month: Date = format!("{}-01", row[2]).parse().unwrap();
            if let Ok(value) = row[1].parse() {
                let rows = vintages.entry(month.last_of_month()).or_default();
                rows.push(Observation::new(row[0].parse().unwrap(), value));
            }
        }
        for (known_from, rows) in vintages.iter_mut().filter(|(day, _)| day.year() >= 2005) {
            rows.sort_by_key(|o| o.date);
            write(&store, id, Some(*known_from), rows);
        }
    }
    for id in ["PAYEMS", "GDPC1", "DGS10", "RSAFS"] {
        let rows = cells(&format!("series/{id}.csv")).into_iter();
        let row =
            |row: Vec<String>| Observation::new(row[1].parse().unwrap(), row[2].parse().unwrap());
        write(&store, id, None, &rows.map(row).collect::<Vec<_>>());
    }
    store
}

fn ask(desk: &Desk, series: &str, date: Option<&str>) -> Result<(RevisionsAnswer, String)> {
    ask_with(desk, series, date, false)
}

fn ask_with(
    desk: &Desk,
    series: &str,
    date: Option<&str>,
    levels: bool,
) -> Result<(RevisionsAnswer, String)> {
    let params = Params {
        series_id: Some(series.to_owned()),
        date: date.map(str::to_owned),
        levels,
        claim: None,
        as_of: None,
    };
    let answer = Params::local(desk, &params)?;
    let text = Params::text(&answer, &params);
    Ok((answer, text))
}

fn values(period: &PeriodAnswer) -> Vec<Option<f64>> {
    period.stages.iter().map(|s| s.value).collect()
}

#[test]
fn month_has_its_four_stages() -> Result<()> {
    let desk = desk();
    for written in ["2008-12", "2008-12-01", "2008-12-31"] {
        let (a, text) = ask(&desk, "nonfarm payrolls", Some(written))?;
        let period = a.period.unwrap();
        assert_eq!(values(&period), [-524.0, -681.0, -681.0, -694.0].map(Some));
        let stages = period.stages.iter().map(|s| (s.known.unwrap(), s.revision));
        let expected = [
            (date(2009, 1, 31), None),
            (date(2009, 4, 30), Some(-157.0)),
            (date(2010, 1, 31), Some(-157.0)),
            (date(2026, 11, 21), Some(-170.0)),
        ];
        assert_eq!(stages.collect::<Vec<_>>(), expected);
        assert_eq!((a.series_id.as_str(), a.rights.as_str()), ("PAYEMS", "ok"));
        assert_eq!(a.unit, "Thousands of persons");
        let line = "2008-12: first print -524 (known by 2009-01-31); after 3 months -681 (-157); \
             after 12 months -681 (-157); now -694 (-170).";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("change from the month before, in thousands of persons."),
            "{text}"
        );
    }
    Ok(())
}

#[test]
fn default_period_is_the_newest_first_print() -> Result<()> {
    let (a, text) = ask(&desk(), "PAYEMS", None)?;
    let period = a.period.unwrap();
    assert_eq!(period.date, date(2026, 2, 1));
    assert_eq!(values(&period)[1..3], [None; 2]);
    let why = "not on record: vintages held run from 2005-01 to 2026-03";
    assert_eq!(period.stages[2].missing.as_deref(), Some(why));
    let line = format!("; after 3 months none ({why}); after 12 months none; now ");
    assert!(text.contains(&line), "{text}");
    let listed: Vec<Date> = a.first_prints.iter().map(|p| p.date).collect();
    assert_eq!(listed.len(), LISTED_PRINTS);
    assert_eq!(listed[0], date(2026, 2, 1));
    assert!(listed.is_sorted_by(|a, b| a > b));
    assert!(a.usual.unwrap().after[1].bias > 0.0);
    assert!(text.contains("sign flipped"), "{text}");
    Ok(())
}

#[test]
fn quarter_can_be_written_in_several_ways() -> Result<()> {
    let desk = desk();
    for written in ["2008-Q4", "2008q4", "2008-11", "2008-10-01"] {
        let (a, text) = ask(&desk, "GDPC1", Some(written))?;
        let first = a.period.unwrap().stages.remove(0);
        let first = (first.value, first.known);
        assert_eq!(first, (Some(-3.8), Some(date(2009, 2, 28))), "{written}");
        assert!(text.contains("2008-Q4: first print -3.8"), "{text}");
    }
    Ok(())
}

#[test]
fn several_periods_become_rows() -> Result<()> {
    let desk = desk();
    let (a, text) = ask(&desk, "PAYEMS", Some("2008-10..2008-12"))?;
    assert_eq!((a.period, a.first_prints.len()), (None, 0));
    let rows: Vec<_> = a
        .periods
        .iter()
        .map(|p| (p.date, p.first, p.after_3_months, p.now))
        .collect();
    assert_eq!(rows.len(), 3);
    let december = (date(2008, 12, 1), Some(-524.0), Some(-681.0), Some(-694.0));
    assert_eq!(rows[2], december);
    let row = "\n2008-12: -524 (2009-01-31); -681; -681; -694 (-170)";
    assert!(text.contains(row), "{text}");
    let (listed, _) = ask(&desk, "PAYEMS", Some("2008-12, 2008-10"))?;
    let dates: Vec<Date> = listed.periods.iter().map(|p| p.date).collect();
    assert_eq!(dates, [date(2008, 10, 1), date(2008, 12, 1)]);
    // A range of one period is that period.
    let (one, _) = ask(&desk, "GDPC1", Some("2008-10..2008-12"))?;
    assert!(one.period.is_some_and(|p| p.date == date(2008, 10, 1)) && one.periods.is_empty());
    let message = ask(&desk, "PAYEMS", Some("1990..2008"))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("is 228 periods") && message.contains("up to 60"),
        "{message}"
    );
    let (none, text) = ask(&desk, "PAYEMS", Some("1901..1902"))?;
    assert!(
        none.period.is_none() && text.contains("No figure is held of a period"),
        "{text}"
    );
    Ok(())
}

#[test]
fn levels_list_every_stored_value_with_its_day() -> Result<()> {
    let desk = desk();
    let (a, text) = ask_with(&desk, "PAYEMS", Some("2025-03"), true)?;
    let states: Vec<_> = a.levels.iter().map(|l| (l.level, l.revision)).collect();
    let expected = [
        (Some(159_398.0), None),
        (Some(159_340.0), Some(-58.0)),
        (Some(159_275.0), Some(-65.0)),
        (Some(158_377.0), Some(-898.0)),
    ];
    assert_eq!(states, expected);
    let line = "Levels of 2025-03 in thousands of persons (revision, known by): 159398 (2025-04-30); \
                159340 (-58, 2025-05-31); 159275 (-65, 2025-06-30); 158377 (-898, 2026-02-28).";
    assert!(text.contains(line), "{text}");
    // A level in the dollars of another year is no revision.
    let (a, text) = ask_with(&desk, "GDPC1", Some("2008Q4"), true)?;
    let rebased: Vec<_> = a
        .levels
        .windows(2)
        .filter(|two| two[0].unit != two[1].unit)
        .map(|two| two[1].revision)
        .collect();
    assert!(
        rebased.len() >= 3 && rebased.iter().all(Option::is_none),
        "{rebased:?}"
    );
    assert!(text.contains("billions of chained 2000 dollars"), "{text}");
    let (a, text) = ask_with(&desk, "DGS10", Some("2026-08-20"), true)?;
    assert!(
        a.levels.is_empty() && text.contains(" No day is on record"),
        "{text}"
    );
    Ok(())
}

#[test]
fn growth_rate_is_read_from_the_vintages_of_its_level() -> Result<()> {
    let (a, text) = ask(&desk(), "real GDP growth annualized", Some("2008Q4"))?;
    let first = a.period.unwrap().stages.remove(0);
    assert_eq!((a.series_id.as_str(), first.value), ("GDPC1", Some(-3.8)));
    assert!(
        text.contains("A191RL1Q225SBEA is read from the vintages of GDPC1"),
        "{text}"
    );
    Ok(())
}

#[test]
fn invalid_period_is_an_error() {
    let desk = desk();
    for written in ["2008-13", "2008-Q5", "12/2008", "Q4", "latest", "2008-1"] {
        let message = ask(&desk, "PAYEMS", Some(written)).unwrap_err().to_string();
        assert!(message.starts_with("date="), "{message}");
        assert!(message.contains("2008-12, Dec 2008, 2008Q4"), "{message}");
    }
}

#[test]
fn month_without_a_first_print_has_a_reason() -> Result<()> {
    let desk = desk();
    let (a, text) = ask(&desk, "PAYEMS", Some("2026-07"))?;
    let period = a.period.unwrap();
    assert_eq!(values(&period), [None, None, None, Some(-23.0)]);
    assert!(
        text.contains("first print none (not on record: vintages held run from"),
        "{text}"
    );
    let (a, _) = ask(&desk, "PAYEMS", Some("1901-01"))?;
    let missing = a.period.unwrap().stages.remove(3).missing;
    assert_eq!(missing.as_deref(), Some("no figure of 1901-01 is held"));
    Ok(())
}

#[test]
fn series_without_vintages_has_its_present_value() -> Result<()> {
    let desk = desk();
    let (a, text) = ask(&desk, "DGS10", Some("2026-08-20"))?;
    assert!(a.usual.is_none() && a.first_prints.is_empty() && a.vintages.is_none());
    assert!(a.period.unwrap().stages[3].value.is_some());
    assert!(
        text.contains(" None held of DGS10: its values are as last revised."),
        "{text}"
    );
    let (_, text) = ask(&desk, "RSAFS", None)?;
    assert!(text.contains("as last revised; see RETAILx"), "{text}");
    let (a, text) = ask(&desk, "UNRATE", None)?;
    assert_eq!(a.period, None);
    assert!(text.contains("it is not loaded"), "{text}");
    Ok(())
}

#[test]
fn composite_has_no_first_print() {
    let message = ask(&desk(), "CRPI", None).unwrap_err().to_string();
    assert!(
        message.contains("is computed here and not published"),
        "{message}"
    );
    assert!(
        message.contains("PERMIT") && message.contains("as_of of get_time_series"),
        "{message}"
    );
}

#[test]
fn revisions_are_cached_per_state_of_the_data() -> Result<()> {
    let desk = desk();
    let info = desk.resolve("series", "PAYEMS")?;
    let revisions = || desk.revisions(&info).map(Option::unwrap);
    assert!(Arc::ptr_eq(&revisions()?, &revisions()?));
    Ok(())
}

/// Compares the row of a series in docs/RELEASES.md#revisions, each figure to its last printed digit.
fn matches_the_table_of_methods(id: &str, n: usize, sizes: [f64; 4], flips: Option<usize>) {
    let page = include_str!("../../../../../docs/RELEASES.md");
    let row = page.lines().find(|line| {
        let name = line.trim_start_matches("| ").split([' ', ',']).next();
        name == Some(id) && line.split('|').count() == 9
    });
    let row = row.unwrap_or_else(|| panic!("{id} is not in the table"));
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let (three, twelve) = cells[4].split_once(" / ").unwrap();
    assert_eq!(cells[3], n.to_string(), "{row}");
    for (printed, size) in [three, twelve, cells[5], cells[6]].into_iter().zip(sizes) {
        let decimals = printed
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len());
        let half = 0.5 * 10f64.powi(-i32::try_from(decimals).unwrap());
        let value: f64 = printed.parse().unwrap();
        // The sizes are rounded to a thousandth.
        assert!(
            (value - size).abs() <= half + 0.0005,
            "{row}: {printed}, {size}"
        );
    }
    let printed = flips.map_or_else(String::new, |flips| flips.to_string());
    assert_eq!(cells[7], printed, "{row}");
}

#[test]
fn bundled_history_gives_the_published_record() -> Result<()> {
    let desk = TestDesk::bundled().at(now()).open();
    // Sample, mean and 90th percentile after 12 months, flips, as in docs/RELEASES.md#revisions.
    for (id, n, mean, p90, flips) in [
        ("PAYEMS", 723, 66.3, 142.0, Some(50)),
        ("UNRATE", 712, 0.04, 0.1, None),
        ("INDPRO", 748, 0.277, 0.563, Some(95)),
        ("CPIAUCSL", 367, 0.053, 0.112, Some(15)),
        ("CPILFESL", 292, 0.026, 0.056, Some(2)),
        ("PCEPI", 295, 0.041, 0.095, Some(14)),
        // By the months of its states, all a month after the prints but for those of 1996, 2013 and 2019, it would be .828.
        ("GDPC1", 237, 0.835, 1.793, Some(7)),
        ("HOUST", 685, 1.99, 4.135, None),
        // One vintage more than the published record, of August 2026.
        ("PERMIT", 308, 2.011, 3.765, None),
        ("W875RX1", 307, 0.202, 0.435, Some(69)),
        ("DPCERA3M086SBEA", 255, 0.161, 0.327, Some(41)),
        ("CMRMTSPLx", 307, 0.182, 0.404, Some(27)),
        ("RETAILx", 307, 0.366, 0.759, Some(51)),
        ("M2SL", 307, 0.133, 0.292, Some(20)),
    ] {
        let (a, _) = ask(&desk, id, None)?;
        let usual = a.usual.unwrap_or_else(|| panic!("{id}: {:?}", a.vintages));
        let later = &usual.after[1];
        let size = (usual.n, later.mean_abs, later.p90_abs, later.sign_flips);
        assert_eq!(size, (n, mean, p90, flips), "{id}");
        let sizes = [
            usual.after[0].mean_abs,
            later.mean_abs,
            later.p90_abs,
            later.bias,
        ];
        matches_the_table_of_methods(id, n, sizes, flips);
    }
    let (a, _) = ask(&desk, "PAYEMS", Some("2008-12"))?;
    let period = a.period.unwrap();
    assert_eq!(values(&period), [-524.0, -681.0, -681.0, -694.0].map(Some));
    assert_eq!(period.stages[0].known, Some(date(2009, 1, 9)));
    Ok(())
}

type Verdicts = Vec<(String, Option<bool>)>;

/// Asks for a claim on the bundled history: text of the answer and verdicts by basis.
fn claimed(arguments: serde_json::Value) -> Result<(String, Verdicts)> {
    let desk = TestDesk::bundled().at(now()).open();
    let params: Params = serde_json::from_value(arguments).unwrap();
    let answer = Params::local(&desk, &params)?;
    let text = Params::text(&answer, &params);
    let verdicts = answer.claim.unwrap().verdicts.into_iter();
    Ok((text, verdicts.map(|v| (v.basis, v.holds)).collect()))
}

#[test]
fn claim_is_judged_by_first_print_as_known_and_today() -> Result<()> {
    // August 2023 was 3.8 % first and is 3.7 % now.
    let (text, verdicts) =
        claimed(json!({"claim": "UNRATE 2023-08 >= 3.8", "as_of": "2023-10-15"}))?;
    let holds = [("first print", true), ("as known", true), ("today", false)];
    let expected = holds.map(|(basis, holds)| (basis.to_owned(), Some(holds)));
    assert_eq!(verdicts, expected, "{text}");
    assert!(
        text.starts_with("Claim: UNRATE >= 3.8 in 2023-08: by the first print true (3.8 %"),
        "{text}"
    );
    assert!(
        text.contains("today false (3.7 %)") && text.contains("The verdict flips"),
        "{text}"
    );
    Ok(())
}

/// Claims, each with its verdicts by the first print and today.
const WRITTEN: &[(&str, bool, bool)] = &[
    ("was August 2023 unemployment above 3.75?", true, false),
    ("August 2023 unemployment rate at least 3.8%", true, false),
    (
        "In Aug 2023, the unemployment rate was 3.8 percent.",
        true,
        false,
    ),
    (
        "Unemployment in August 2023 was 3.8% or higher",
        true,
        false,
    ),
    ("UNRATE (2023-08) < 3.8", false, true),
    ("UNRATE[2023-08]=3.8", true, false),
    ("unemployment was no more than 3.7 in Aug-23", false, true),
    ("unemployment rate in Q3 2023 > 3.6", true, true),
    // -524 thousand first, -694 now.
    (
        "payrolls fell by more than 600 thousand in December 2008",
        false,
        true,
    ),
    (
        "payrolls fell by less than 600,000 jobs in December 2008",
        true,
        false,
    ),
    ("chg(PAYEMS) 2008-12 < -600", false, true),
    (
        "payrolls fell by at least 0.5 million in December 2008",
        true,
        true,
    ),
    // -3.8 % first, -8.5 % now.
    ("gdp growth 2008Q4 below -5", false, true),
    (
        "real gdp growth in the fourth quarter of 2008 was under -5 percent",
        false,
        true,
    ),
    ("UNRATE >= 3.8 and PAYEMS > 1000 2023-08", true, false),
    (
        "unemployment between 3.75 and 3.9 in August 2023",
        true,
        false,
    ),
    (
        "unemployment was between 3.6% and 3.7% in 08/2023",
        false,
        true,
    ),
    ("3.8 <= UNRATE 2023-08", true, false),
    ("real GDP fell by more than 5% in 2008Q4", false, true),
    ("real GDP grew more than 2 percent in 2008Q4", false, false),
    ("industrial production fell in December 2008", true, true),
    (
        "the US economy lost at least 600,000 jobs in December 2008",
        false,
        true,
    ),
    // In persons, not thousands; and the change, not the level: 114 thousand first, 53 now.
    ("jobs grew by more than 200,000 in May 2024", true, false),
    ("payrolls July 2024 > 100k", true, false),
    ("the jobs report for July 2024 was 114,000", true, false),
    ("payrolls in July 2024 were above 158 million", true, false),
    (
        "housing starts topped 1,500,000 in December 2023",
        false,
        true,
    ),
    // Growth of the economy is that of real output.
    ("GDP shrank in the first quarter of 2022", true, true),
    ("real GDP fell in 2022Q1", true, true),
    ("the economy grew in 2022Q1", false, false),
    (
        "GDP grew 2.8 percent in the third quarter of 2024",
        true,
        false,
    ),
    ("GDP 2022Q1 < 0", true, true),
    // A year's change, as no month's is near.
    ("CPI rose more than 8 percent in June 2022", true, true),
    ("CPI was above 8% in June 2022", true, true),
    ("CPI rose 1.3% in June 2022", true, true),
    // Of the unadjusted indices, as published.
    ("CPI rose 9.1 percent in June 2022", true, true),
    ("core inflation was 6.6% in September 2022", true, true),
    // The level of a month, whatever the verb.
    ("inflation peaked above 9% in June 2022", true, true),
    ("unemployment fell below 3.75% in August 2023", false, true),
    (
        "unemployment rose to 3.8 percent in August 2023",
        true,
        false,
    ),
    ("unemployment edged up in August 2023", true, true),
    ("unemployment climbed to 3.8% in August 2023", true, false),
    ("In August 2023 unemployment fell", false, false),
    ("payrolls fell in December 2020", true, true),
    // Changes over a year: from its end to the end of the year before, of flows from mean to mean.
    ("payrolls rose by more than 2 million in 2023", true, true),
    ("the unemployment rate fell below 4% in 2022", true, true),
    ("unemployment fell in 2022", true, true),
    ("GDP grew more than 2 percent in 2023", true, true),
    // One unit and one measure for both bounds.
    (
        "payrolls were between 157 and 158 million in July 2024",
        false,
        true,
    ),
    (
        "housing starts were between 1.2 and 1.4 million in December 2023",
        false,
        false,
    ),
    ("GDP grew between 2 and 3 percent in 2024Q3", true, false),
    (
        "CPI excluding food and energy rose between 0.5 and 0.7 percent in September 2022",
        true,
        true,
    ),
    // What happens on a day is judged by the furthest of the period.
    ("unemployment exceeded 14% in 2020", true, true),
    ("inflation fell below 3% in 2023", true, true),
    ("inflation exceeded 9% in 2022", true, true),
    // A rate is compared as it is.
    ("M2 grew less than inflation in 2023", true, true),
    ("unemployment was 4,2% in August 2024", true, true),
    ("CPI rose 6.5% in 2022", true, true),
];

#[test]
fn claim_is_read_as_people_write_it() -> Result<()> {
    for (claim, first, now) in WRITTEN {
        let (text, verdicts) = claimed(json!({"claim": claim}))?;
        let verdicts: Vec<_> = verdicts.into_iter().map(|(_, holds)| holds).collect();
        assert_eq!(verdicts, [Some(*first), Some(*now)], "{claim}: {text}");
    }
    let (text, verdicts) =
        claimed(json!({"seriesId": "UNRATE", "date": "2023-08", "claim": ">= 3.8"}))?;
    assert_eq!(verdicts[0].1, Some(true), "{text}");
    Ok(())
}

#[test]
fn claim_without_a_first_print_says_so() -> Result<()> {
    let (text, verdicts) = claimed(json!({"claim": "GASREGW June 2022 >= 5"}))?;
    let holds = [("first print", None), ("today", Some(false))];
    let expected = holds.map(|(basis, holds)| (basis.to_owned(), holds));
    assert_eq!(verdicts, expected, "{text}");
    assert!(
        text.contains("first print of GASREGW is not held"),
        "{text}"
    );
    // The mean of the month is below, one of its weeks above.
    assert!(text.contains("true in 1 of 4 weeks"), "{text}");
    // Never revised: the first print is today's figure.
    let (text, verdicts) = claimed(json!({"claim": "yoy(CPIAUCNS) June 2022 >= 9.1"}))?;
    assert!(
        verdicts.iter().all(|(_, holds)| *holds == Some(false)),
        "{text}"
    );
    assert!(text.contains("known by 2022-07-13"), "{text}");
    // 9.06 computed, 9.1 as published.
    assert!(
        text.contains("true by the 9.1 that rounding gives"),
        "{text}"
    );
    let (text, verdicts) = claimed(json!({"claim": "UNRATE 2025-10 > 4"}))?;
    assert!(verdicts.iter().all(|(_, holds)| holds.is_none()), "{text}");
    Ok(())
}

#[test]
fn invalid_claim_is_an_error() {
    for (arguments, problem) in [
        (json!({"claim": "UNRATE >= 3.8"}), "names no period"),
        (json!({"claim": "UNRATE 2023-08"}), "compares nothing"),
        (
            json!({"claim": "UNRATE 2023-08 > UNRATE 2022-08"}),
            "names several periods",
        ),
        (json!({"claim": "2023-08 > 3.8"}), "names no series"),
        (
            json!({"seriesId": "UNRATE", "as_of": "2024"}),
            "goes with claim",
        ),
        (
            json!({"claim": "payrolls were above 3% in August 2023"}),
            "compares percent with",
        ),
        (json!({}), "is required"),
        (json!({"claim": "CRPI 2023-08 > 50"}), "computed here"),
        (
            json!({"claim": "unemployment rose between 0.2 and 0.4 points in 2023"}),
            "ask for each",
        ),
    ] {
        let message = claimed(arguments.clone()).unwrap_err().to_string();
        assert!(message.contains(problem), "{arguments}: {message}");
    }
}

#[test]
fn every_sibling_is_a_series_of_the_catalogue() {
    let mut count = 0;
    for (line, row) in econoscope_core::model::table::rows::<2>(SIBLINGS) {
        let [series, sibling] = row.unwrap_or_else(|problem| panic!("line {line}: {problem}"));
        for id in [series, sibling.split(',').next().unwrap()] {
            assert!(econoscope_desk::names::resolve::find(id).is_some(), "{id}");
        }
        count += 1;
    }
    assert_eq!(count, 4);
}

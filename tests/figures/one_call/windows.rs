//! What happened over a stretch of time.

use super::Question;
use super::levels::rounded;
use crate::support::{between, by, on, rows};
use serde_json::{Value, json};

type Rows = Vec<(String, f64)>;

fn series(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_time_series", arguments)
}

pub(super) fn questions() -> Vec<Question> {
    [changes(), extremes(), standing(), coarser(), computed()]
        .into_iter()
        .flatten()
        .collect()
}

fn mean(rows: &[(String, f64)]) -> f64 {
    let count = u32::try_from(rows.len()).unwrap();
    rows.iter().map(|r| r.1).sum::<f64>() / f64::from(count)
}

/// Every pair of an earlier and a later row, the one that `of` makes least; the oldest of equal ones.
fn least(rows: &Rows, of: impl Fn(f64, f64) -> f64) -> (usize, usize) {
    let mut found = (0, 0, 0.0);
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            let size = of(rows[i].1, rows[j].1);
            if size < found.2 - 1e-9 {
                found = (i, j, size);
            }
        }
    }
    (found.0, found.1)
}

fn share(rows: &Rows, is: impl Fn(f64) -> bool) -> f64 {
    let some = rows.iter().filter(|r| is(r.1)).count();
    let all = rows.len();
    rounded(
        100.0 * f64::from(u32::try_from(some).unwrap()) / f64::from(u32::try_from(all).unwrap()),
        1,
    )
}

fn changes() -> Vec<Question> {
    let ten = between("DGS10", "2022-01-01", "2022-12-31");
    let first = &ten[0];
    let last = &ten[ten.len() - 1];
    let rise = last.1 - first.1;
    let prices = (on("CPIAUCNS", "2020-01-01"), on("CPIAUCNS", "2026-01-01"));
    let percent = 100.0 * (prices.1 / prices.0 - 1.0);
    let yearly = 100.0 * ((prices.1 / prices.0).powf(1.0 / 6.0) - 1.0);
    let jobs = (on("PAYEMS", "2021-01-01"), on("PAYEMS", "2024-12-01"));
    let output = (on("GDPC1", "2019-10-01"), on("GDPC1", "2025-10-01"));
    let grown = 100.0 * (output.1 / output.0 - 1.0);
    vec![
        series(
            "How much did the 10-year yield rise in 2022?",
            json!({"seriesId": "DGS10", "start": "2022-01-01", "end": "2022-12-31"}),
        )
        .at("/summary/change", rounded(rise, 2))
        .at("/summary/change_bp", rounded(100.0 * rise, 1))
        .at("/summary/change_pct", Value::Null)
        .says(format!(
            "first {:.2} on {}; change {rise:+.2} points",
            first.1, first.0
        )),
        series(
            "How much have prices risen since January 2020, and how much a year?",
            json!({"seriesId": "CPIAUCNS", "start": "2020-01-01", "end": "2026-01-01"}),
        )
        .at("/summary/change_pct", rounded(percent, 2))
        .at("/summary/yearly_pct", rounded(yearly, 2))
        .at("/notes/absent", "October 2025 was never published")
        .says(format!("({percent:+.2} %), {yearly:.2} % a year"))
        .says("October 2025 was never published"),
        series(
            "How many jobs were created between January 2021 and the end of 2024?",
            json!({"seriesId": "PAYEMS", "start": "2021-01-01", "end": "2024-12-31"}),
        )
        .at("/summary/change", jobs.1 - jobs.0)
        .at("/summary/change_unit", "thousand persons")
        .says(format!("change {:+} thousand persons", jobs.1 - jobs.0)),
        series(
            "How much larger is the economy than before the pandemic?",
            json!({"seriesId": "GDPC1", "start": "2019-10-01", "end": "2025-12-31"}),
        )
        .at("/summary/change_pct", rounded(grown, 2))
        .at("/summary/last/date", "2025-10-01")
        .says(format!("in Q4 2025; first {:.3} in Q4 2019", output.0))
        .says(format!("({grown:+.2} %)")),
    ]
}

fn extremes() -> Vec<Question> {
    let jobs = between("PAYEMS", "2007-01-01", "2012-12-31");
    let (peak, trough) = least(&jobs, |a, b| b / a - 1.0);
    let all_jobs = between("PAYEMS", "2007-01-01", "2026-06-30");
    let (top_jobs, low_jobs) = least(&all_jobs, |a, b| b / a - 1.0);
    let mut since = all_jobs.iter().skip(low_jobs + 1);
    let back = since.find(|row| row.1 >= all_jobs[top_jobs].1).unwrap();
    let oil = between("DCOILWTICO", "2008-01-01", "2009-12-31");
    let (high, low) = least(&oil, |a, b| b / a - 1.0);
    let fall = 100.0 * (oil[low].1 / oil[high].1 - 1.0);
    let curve = between("T10Y2Y", "2022-01-01", "2024-12-31");
    let deepest = curve.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
    let deep: Vec<&(String, f64)> = curve.iter().filter(|r| r.1 == deepest).collect();
    let funds = between("DFF", "2009-01-01", "2021-12-31");
    let least_funds = funds.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
    let zero: Vec<&(String, f64)> = funds.iter().filter(|r| r.1 == least_funds).collect();
    let yields = between("DGS30", "2024-01-01", "2026-08-20");
    let (start, end) = least(&yields, |a, b| a - b);
    let all = rows("UNRATE");
    let top = all.iter().map(|r| r.1).fold(0.0, f64::max);
    vec![
        series(
            "How many jobs did the great recession cost from peak to trough?",
            json!({"seriesId": "PAYEMS", "start": "2007-01-01", "end": "2012-12-31"}),
        )
        .at("/summary/fall/from/date", jobs[peak].0.as_str())
        .at("/summary/fall/to/date", jobs[trough].0.as_str())
        .at("/summary/fall/change", jobs[trough].1 - jobs[peak].1)
        .says(format!(
            "Greatest fall {} thousand persons",
            jobs[trough].1 - jobs[peak].1
        ))
        .says(format!(
            "{} (December 2007) to {} (February 2010)",
            jobs[peak].1, jobs[trough].1
        )),
        series(
            "When were the jobs lost in the worst slump since 2007 won back?",
            json!({"seriesId": "PAYEMS", "start": "2007-01-01", "end": "2026-06-30"}),
        )
        .at("/summary/fall_recovered", back.0.as_str())
        .says(", recovered in June 2022."),
        series(
            "How far did oil crash in 2008?",
            json!({"seriesId": "WTI", "start": "2008-01-01", "end": "2009-12-31"}),
        )
        .at("/summary/fall/change_pct", rounded(fall, 2))
        .at("/summary/fall_recovered", Value::Null)
        .says(", not recovered by 2009-12-31.")
        .at("/summary/fall/to/date", oil[low].0.as_str())
        .says(format!(
            "({fall:.2} %), {:.2} ({}) to {:.2} ({})",
            oil[high].1, oil[high].0, oil[low].1, oil[low].0
        )),
        series(
            "When was the yield curve most inverted?",
            json!({"seriesId": "T10Y2Y", "start": "2022-01-01", "end": "2024-12-31"}),
        )
        .at("/summary/min/value", deepest)
        .at("/summary/min/date", deep[0].0.as_str())
        .says(format!("Lowest {deepest:.2} on {}", deep[0].0)),
        series(
            "How low did the funds rate get at the zero bound, and on how many days?",
            json!({"seriesId": "DFF", "start": "2009-01-01", "end": "2021-12-31"}),
        )
        .at("/summary/min/value", least_funds)
        .at("/summary/min/ties", zero.len())
        .at("/summary/min/date", zero[0].0.as_str())
        .at("/summary/min/last_date", zero[zero.len() - 1].0.as_str())
        .says(format!(
            "Lowest {least_funds:.2} on {} (first of {}, last {})",
            zero[0].0,
            zero.len(),
            zero[zero.len() - 1].0
        )),
        series(
            "What was the biggest rise of the 30-year yield since the start of 2024?",
            json!({"seriesId": "DGS30", "start": "2024-01-01"}),
        )
        .at(
            "/summary/rise/change",
            rounded(yields[end].1 - yields[start].1, 2),
        )
        .at("/summary/rise/to/value", yields[end].1)
        .says(format!("{:+.2} points", yields[end].1 - yields[start].1)),
        series(
            "What is the highest unemployment ever recorded?",
            json!({"seriesId": "UNRATE", "start": "max"}),
        )
        .at("/summary/max/value", top)
        .at("/summary/max/date", "2020-04-01")
        .says(format!("highest {top:.1} in April 2020")),
    ]
}

fn standing() -> Vec<Question> {
    let ten = between("DGS10", "2016-08-20", "2026-08-20");
    let now = ten[ten.len() - 1].1;
    let highest = ten.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let jobless = between("UNRATE", "2000-01-01", "2026-12-31");
    let rate = jobless[jobless.len() - 1].1;
    let all = rows("UNRATE");
    let steps: Rows = all
        .iter()
        .zip(all.iter().skip(1))
        .filter(|(_, now)| now.0.as_str() >= "2022-01-01" && now.0 != "2025-11-01")
        .map(|(before, now)| (now.0.clone(), ((now.1 - before.1) * 10.0).round() / 10.0))
        .collect();
    let step = steps[steps.len() - 1].1;
    vec![
        series(
            "Is a 10-year yield of today's level high against the last ten years?",
            json!({"seriesId": "DGS10", "start": "2016-08-20", "end": "2026-08-20"}),
        )
        .at("/summary/below_pct", share(&ten, |v| v < now))
        .at("/summary/equal_pct", share(&ten, |v| v == now))
        .at("/summary/above_pct", share(&ten, |v| v > now))
        .says(format!("Latest {now:.2} on 2026-08-20"))
        .says(format!("highest {:.2} on {}", highest.1, highest.0)),
        series(
            "How often has unemployment been lower than now this century?",
            json!({"seriesId": "UNRATE", "start": "2000-01-01"}),
        )
        .at("/summary/below_pct", share(&jobless, |v| v < rate))
        .at("/summary/equal_pct", share(&jobless, |v| v == rate))
        .at("/summary/above_pct", share(&jobless, |v| v > rate))
        .at("/reduction/from_rows", jobless.len())
        .says(format!("Latest {rate:.1} in July 2026")),
        series(
            "Was the last monthly change of unemployment unusual since 2022?",
            json!({"seriesId": "UNRATE", "units": "chg", "start": "2022-01-01"}),
        )
        .at("/summary/last/value", step)
        .at("/summary/below_pct", share(&steps, |v| v < step))
        .at("/summary/equal_pct", share(&steps, |v| v == step))
        .at("/summary/above_pct", share(&steps, |v| v > step))
        .at("/rowCount", steps.len())
        .says(format!("Latest {step:.1} in July 2026")),
    ]
}

fn coarser() -> Vec<Question> {
    let year: Rows = between("DGS10", "2025-01-01", "2025-12-31");
    let sales = between("RSAFS", "2025-01-01", "2025-12-31");
    let total: f64 = sales.iter().map(|r| r.1).sum();
    let output = mean(&between("GDPC1", "2025-01-01", "2025-12-31"));
    let quarter = mean(&between("UNRATE", "2025-10-01", "2025-12-31"));
    let repo = between("RRPONTSYD", "2022-12-24", "2022-12-30")
        .pop()
        .unwrap();
    let august: Rows = between("DGS10", "2026-08-01", "2026-08-31");
    let claims = mean(&between("ICSA", "2020-04-01", "2020-04-30"));
    vec![
        series("What was the average 10-year yield in 2025?",
            json!({"seriesId": "10y", "start": "2025-01-01", "end": "2025-12-31", "frequency": "a", "aggregation": "avg"}))
            .at("/data/0/value", rounded(mean(&year), 9))
            .says(format!("{:.2} in 2025", mean(&year)))
            .says("mean of its daily ones"),
        series("What did Americans spend in shops in 2025?",
            json!({"seriesId": "RSAFS", "start": "2025-01-01", "end": "2025-12-31", "frequency": "a"}))
            .at("/data/0/value", total)
            .at("/unit", "$mn, summed")
            .says(format!("{total:.2} in 2025"))
            .says("Each annual figure is the sum of its monthly ones"),
        series("What was real GDP for 2025 as a whole?",
            json!({"seriesId": "GDPC1", "start": "2025-01-01", "end": "2025-12-31", "frequency": "a"}))
            .at("/data/0/value", rounded(output, 9))
            .says(format!("{output:.3} in 2025"))
            .says("mean of its quarterly ones"),
        series("What was unemployment in the last quarter of 2025?",
            json!({"seriesId": "UNRATE", "frequency": "q", "start": "2025-10-01", "end": "2025-12-31"}))
            .at("/data/0/value", rounded(quarter, 9))
            .at("/notes/short", "Q4 2025 (2 of 3) monthly figures")
            .says(format!("{quarter:.2} in Q4 2025"))
            .says("Q4 2025 (2 of 3) monthly figures"),
        series("How much was parked in reverse repos at the end of 2022, by week?",
            json!({"seriesId": "RRPONTSYD", "frequency": "w", "start": "2022-12-01", "end": "2022-12-31"}))
            .at("/summary/last/value", repo.1)
            .at("/summary/last/date", "2022-12-30")
            .says(format!("Latest {:.3} in the week ending 2022-12-30", repo.1))
            .says("last value of its daily ones"),
        series("What has the 10-year averaged this month?",
            json!({"seriesId": "DGS10", "frequency": "m", "aggregation": "avg", "start": "2026-08-01"}))
            .at("/data/0/value", rounded(mean(&august), 9))
            .at("/notes/partial", "August 2026: figures to 2026-08-20 only")
            .says(format!("{:.2} in August 2026", mean(&august)))
            .says("August 2026: figures to 2026-08-20 only"),
        series("How many claims a week were filed in April 2020?",
            json!({"seriesId": "ICSA", "frequency": "m", "start": "2020-04-01", "end": "2020-04-30"}))
            .at("/data/0/value", rounded(claims, 7))
            .says(format!("{claims:.2} in April 2020")),
    ]
}

fn computed() -> Vec<Question> {
    let months: Rows = between("CPIAUCNS", "2021-01-01", "2023-06-01")
        .into_iter()
        .map(|(date, value)| {
            let year = date[..4].parse::<u32>().unwrap() - 1;
            let before = on("CPIAUCNS", &format!("{year}{}", &date[4..]));
            (date, 100.0 * (value / before - 1.0))
        })
        .collect();
    let high = months.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let peak = on("WALCL", "2021-09-15") / 1e6
        - on("WTREGEN", "2021-09-15") / 1e6
        - on("RRPONTSYD", "2021-09-15") / 1e3;
    let spread = between("DGS10", "2026-01-01", "2026-08-20");
    let halves = spread
        .iter()
        .filter(|(day, ten)| (100.0 * (ten - by("DGS2", day).1)).round() == 50.0)
        .count();
    let core = 100.0 * (on("CPILFESL", "2026-07-01") / on("CPILFESL", "2025-07-01") - 1.0);
    let ends = ["2021-12-31", "2025-12-31"].map(|day| on("DGS10", day));
    vec![
        series("When did headline inflation peak after the pandemic?",
            json!({"seriesId": "CPIAUCNS", "units": "pc1", "start": "2021-01-01", "end": "2023-06-30"}))
            .at("/summary/max/value", rounded(high.1, 9))
            .at("/summary/max/date", high.0.as_str())
            .says(format!("highest {:.2} in June 2022", high.1)),
        series(
            "How much are core prices up on the year?",
            json!({"seriesId": "CPILFESL", "units": "pc1", "start": "2026-07-01", "end": "2026-07-01"}),
        )
        .at("/points/0/value", rounded(core, 9))
        .says(format!("{core:.2} in July 2026"))
        .says("The published yearly rate is of the unadjusted index, CPILFENS"),
        series("When was net liquidity highest?", json!({"seriesId": "CNLI", "start": "max"}))
            .at("/summary/max/value", rounded(peak, 5))
            .at("/summary/max/date", "2021-09-15")
            .says(format!("highest {peak:.3} in the week ending 2021-09-15")),
        series("How have the year-end 10-year yields moved since 2021?",
            json!({"seriesId": "DGS10", "frequency": "a", "start": "2021-01-01", "end": "2025-12-31"}))
            .at("/data/0/value", ends[0])
            .at("/data/4/value", ends[1])
            .says(format!("2021-01-01,{}", ends[0]))
            .says(format!("Latest {:.2} in 2025", ends[1])),
        Question::new(
            "What were the Fed's assets and the reverse repos at the end of 2022?",
            "compare_series",
            json!({"series": ["WALCL", "RRPONTSYD"], "start": "2022-12-01", "end": "2022-12-28"}),
        )
        .at("/columns/0/latest", on("WALCL", "2022-12-28"))
        .at("/columns/1/latest", rounded(on("RRPONTSYD", "2022-12-28"), 3))
        .at("/notes/frequency", "finer series are weekly last values")
        .says("series,name,unit,latest,date,")
        .says(format!("billion dollars,{},2022-12-28,", on("RRPONTSYD", "2022-12-28")))
        .says("Finer series are weekly last values."),
        Question::new(
            "What is left of the Fed's assets once reverse repos are taken off?",
            "compare_series",
            json!({"series": ["WALCL-RRPONTSYD"], "start": "2026-06-01"}),
        )
        .at("/columns/0/latest", on("WALCL", "2026-08-19") - 1e3 * on("RRPONTSYD", "2026-08-19"))
        .at("/columns/0/unit", "$mn")
        .says("series,name,unit,latest,date,")
        .says("million dollars,6745382,2026-08-19,"),
        Question::new(
            "On how many days was the ten-year minus the two-year at exactly half a point this year?",
            "compare_series",
            json!({"series": ["DGS10-DGS2"], "start": "2026-01-01", "condition": "= 0.5"}),
        )
        .at("/conditions/0/met", halves)
        .says(format!("met in {halves} of ")),
        Question::new("How have the 10-year and 2-year compared over five years?", "compare_series",
            json!({"series": ["DGS10", "DGS2"], "start": "5y"}))
            .at("/columns/0/latest", on("DGS10", "2026-08-20"))
            .at("/columns/1/latest", on("DGS2", "2026-08-20"))
            .at("/start", "2021-11-21")
            .says("Daily figures, 2021-11-22 to 2026-08-20")
            .says("series,name,unit,latest,date,")
            .says(format!("DGS2,2-Year Treasury Constant Maturity,%,{},2026-08-20,", on("DGS2", "2026-08-20"))),
    ]
}

//! What nobody publishes as a series, or nobody brought: made here of others and marked so.

use super::Question;
use crate::support::{on, rows};
use serde_json::json;
use std::collections::BTreeMap;

type Rows = BTreeMap<String, f64>;

pub(super) fn all(id: &str) -> Rows {
    rows(id).into_iter().collect()
}

/// A figure and its date.
pub(super) struct Figure {
    pub(super) date: String,
    pub(super) value: f64,
}

fn figure(date: &str, value: f64) -> Figure {
    Figure {
        date: date.to_owned(),
        value,
    }
}

/// Half away from zero.
pub(super) fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale * (1.0 + 1e-12)).round() / scale
}

/// What two files come to on their newest common date.
pub(super) fn newest(a: &str, b: &str, of: fn(f64, f64) -> f64) -> Figure {
    let a = all(a);
    let b = all(b);
    let (date, value) = a
        .iter()
        .rev()
        .find(|(date, _)| b.contains_key(*date))
        .unwrap();
    figure(date, of(*value, b[date]))
}

/// The first day of the month a year before.
pub(super) fn year_before(month: &str) -> String {
    let year: i32 = month[..4].parse().unwrap();
    format!("{}{}", year - 1, &month[4..])
}

/// The newest change from a year earlier, percent.
pub(super) fn over_a_year(id: &str) -> Figure {
    let all = all(id);
    let (date, value) = all.last_key_value().unwrap();
    figure(date, 100.0 * (value / all[&year_before(date)] - 1.0))
}

/// The means of a daily file by month.
pub(super) fn months(id: &str) -> Rows {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (date, value) in rows(id) {
        let sum = sums.entry(format!("{}-01", &date[..7])).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    sums.into_iter()
        .map(|(month, (sum, count))| (month, sum / count))
        .collect()
}

/// The newest value of a name, made here by a formula.
fn made(words: &'static str, name: &str, figure: Figure, formula: &str) -> Question {
    let Figure { date, value } = figure;
    Question::new(words, "get_metric", json!({ "ticker": name }))
        .at("/value", value)
        .at("/date", date)
        .says(value.to_string())
        .says(format!("computed here from {formula}"))
}

fn to(decimals: i32, exact: Figure) -> Figure {
    figure(&exact.date, round(exact.value, decimals))
}

pub(super) fn questions() -> Vec<Question> {
    [ratios(), spreads(), rates(), growth()]
        .into_iter()
        .flatten()
        .collect()
}

fn ratios() -> Vec<Question> {
    let debt = newest("GFDEBTN", "GDP", |debt, gdp| debt / 1e3 / gdp * 100.0);
    let money: BTreeMap<String, Vec<f64>> =
        rows("M2SL")
            .into_iter()
            .fold(BTreeMap::new(), |mut all, (date, value)| {
                let month: u32 = date[5..7].parse().unwrap();
                let quarter = format!("{}-{:02}-01", &date[..4], (month - 1) / 3 * 3 + 1);
                all.entry(quarter).or_insert_with(Vec::new).push(value);
                all
            });
    let (quarter, gdp) = rows("GDP").pop().unwrap();
    let velocity = gdp / (money[&quarter].iter().sum::<f64>() / money[&quarter].len() as f64);
    let (month, labor) = rows("CLF16OV").pop().unwrap();
    let unemployed = labor - on("CE16OV", &month);
    let openings = on("JTSJOL", &month);
    let taxes = newest("A091RC1Q027SBEA", "W006RC1Q027SBEA", |interest, taxes| {
        100.0 * interest / taxes
    });
    let gap = newest("GDPC1", "GDPPOT", |gdp, potential| {
        100.0 * (gdp / potential - 1.0)
    });
    let credit = newest("TOTALSL", "NONREVSL", |all, fixed| all - fixed);
    vec![
        made(
            "How large is the national debt against the economy?",
            "debt to GDP",
            to(5, debt),
            "(GFDEBTN/1000)/GDP*100",
        ),
        made(
            "How fast does money turn over?",
            "velocity of money",
            figure(&quarter, round(velocity, 3)),
            "GDP/M2SL",
        ),
        made(
            "How many vacancies are there for each unemployed person?",
            "job openings per unemployed",
            figure(&month, round(openings / unemployed, 2)),
            "JTSJOL/(CLF16OV-CE16OV)",
        ),
        made(
            "How many people are unemployed?",
            "number of unemployed",
            figure(&month, unemployed),
            "CLF16OV-CE16OV",
        ),
        made(
            "What share of tax receipts goes to interest?",
            "interest share of tax receipts",
            to(1, taxes),
            "100*A091RC1Q027SBEA/W006RC1Q027SBEA",
        ),
        made(
            "How far is GDP from potential?",
            "output gap",
            to(2, gap),
            "100*(GDPC1/GDPPOT-1)",
        ),
        made(
            "How much credit card debt is there?",
            "revolving credit",
            to(2, credit),
            "TOTALSL-NONREVSL",
        ),
    ]
}

fn spreads() -> Vec<Question> {
    let less = |a: &str, b: &str| to(2, newest(a, b, |a, b| a - b));
    let breakeven = {
        let nominal = all("DGS20");
        let real = all("DFII20");
        let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (date, value) in &nominal {
            if let Some(real) = real.get(date) {
                let sum = sums.entry(&date[..7]).or_default();
                *sum = (sum.0 + value - real, sum.1 + 1.0);
            }
        }
        let (sum, count) = sums["2026-06"];
        round(sum / count, 2)
    };
    vec![
        made(
            "What is the 5s30s curve?",
            "5s30s",
            less("DGS30", "DGS5"),
            "DGS30-DGS5",
        ),
        made("Where is 2s5s?", "2s5s", less("DGS5", "DGS2"), "DGS5-DGS2"),
        made("And 2s30s?", "2s30s", less("DGS30", "DGS2"), "DGS30-DGS2"),
        made(
            "And 10s30s?",
            "10s30s",
            less("DGS30", "DGS10"),
            "DGS30-DGS10",
        ),
        made(
            "How far is the ten-year from fed funds?",
            "10y minus fed funds",
            less("DGS10", "DFF"),
            "DGS10-DFF",
        ),
        made(
            "What is the spread of Brent over WTI?",
            "Brent-WTI spread",
            less("DCOILBRENTEU", "DCOILWTICO"),
            "DCOILBRENTEU-DCOILWTICO",
        ),
        Question::new(
            "What was the 20-year breakeven in June 2026?",
            "get_time_series",
            json!({"seriesId": "20y breakeven", "start": "2026-06-01", "end": "2026-06-30"}),
        )
        .at("/data/0/value", breakeven)
        .says(breakeven.to_string())
        .says("computed here from DGS20-DFII20"),
        Question::new(
            "What did WTI average in the months of the spring of 2026?",
            "get_time_series",
            json!({"seriesId": "monthly WTI", "start": "2026-03-01", "end": "2026-05-31"}),
        )
        .at(
            "/data/0/value",
            round(months("DCOILWTICO")["2026-03-01"], 2),
        )
        .at(
            "/data/2/value",
            round(months("DCOILWTICO")["2026-05-01"], 2),
        )
        .says("read as MCOILWTICO")
        .says("computed here from DCOILWTICO"),
        Question::new(
            "What was the average three-month yield in each month of early 2024?",
            "get_time_series",
            json!({"seriesId": "GS3M", "start": "2024-01-01", "end": "2024-03-31"}),
        )
        .at("/data/1/value", round(months("DGS3MO")["2024-02-01"], 2))
        .says(round(months("DGS3MO")["2024-02-01"], 2).to_string()),
    ]
}

fn rates() -> Vec<Question> {
    let Figure {
        date: month,
        value: prices,
    } = over_a_year("PCEPILFE");
    let real = round(on("FEDFUNDS", &month) - prices, 2);
    let Figure {
        date: may,
        value: inflation,
    } = over_a_year("CPIAUCNS");
    let misery = round(on("UNRATE", &may) + inflation, 2);
    let headline = 100.0 * (on("CPIAUCNS", "2022-06-01") / on("CPIAUCNS", "2021-06-01") - 1.0);
    let adjusted = 100.0 * (on("CPIAUCSL", "2022-06-01") / on("CPIAUCSL", "2021-06-01") - 1.0);
    let june = json!({"seriesId": "inflation", "start": "2022-06-01", "end": "2022-06-30"});
    vec![
        made("What is inflation?", "inflation", to(2, over_a_year("CPIAUCNS")), "yoy(CPIAUCNS)").says("read as CPI_YOY"),
        made("What is core inflation?", "core inflation", to(2, over_a_year("CPILFESL")), "yoy(CPILFESL)"),
        made("What is PCE inflation?", "pce inflation", to(2, over_a_year("PCEPI")), "yoy(PCEPI)"),
        made("What is the Fed's preferred inflation gauge at?", "core pce inflation", to(2, over_a_year("PCEPILFE")), "yoy(PCEPILFE)"),
        made("How fast do rents and homes in the CPI rise?", "shelter inflation", to(2, over_a_year("CUSR0000SAH1")), "yoy(CUSR0000SAH1)"),
        made("What is producer price inflation?", "ppi inflation", to(2, over_a_year("PPIFIS")), "yoy(PPIFIS)"),
        made("What is the real fed funds rate?", "real fed funds", figure(&month, real), "FEDFUNDS-yoy(PCEPILFE)"),
        made("What is the misery index?", "misery index", figure(&may, misery), "UNRATE+yoy(CPIAUCNS)"),
        Question::new("What was headline inflation in June 2022?", "get_time_series", june)
            .at("/data/0/value", round(headline, 2))
            .says(round(headline, 2).to_string()),
        Question::new("How much had the CPI risen over twelve months in June 2022?", "get_time_series",
            json!({"seriesId": "CPIAUCSL", "units": "pc1", "start": "2022-06-01", "end": "2022-06-30"}))
            .at("/notes/headline", format!("the published yearly rate is of the unadjusted index, CPIAUCNS: {headline:.2} % in 2022-06"))
            .says(format!("{adjusted:.2}"))
            .says(format!("{headline:.2} % in 2022-06")),
    ]
}

fn growth() -> Vec<Question> {
    let gdp = rows("GDPC1");
    let [.., (_, before), (quarter, now)] = gdp.as_slice() else {
        panic!("no quarters")
    };
    let annualised = round(100.0 * ((now / before).powi(4) - 1.0), 1);
    let jobs = rows("PAYEMS");
    let [.., (_, earlier), (month, latest)] = jobs.as_slice() else {
        panic!("no months")
    };
    let claims = rows("ICSA");
    let four = claims[claims.len() - 4..]
        .iter()
        .map(|(_, v)| v)
        .sum::<f64>()
        / 4.0;
    let Figure {
        date: pay_month,
        value: pay,
    } = over_a_year("CES0500000003");
    let real_pay = {
        let prices = all("CPIAUCSL");
        pay - 100.0 * (prices[&pay_month] / prices[&year_before(&pay_month)] - 1.0)
    };
    vec![
        made(
            "How fast is the economy growing?",
            "gdp growth",
            figure(quarter, annualised),
            "pca(GDPC1)",
        )
        .says("it may also mean REAL_GDP_YOY"),
        made(
            "How much larger is GDP than a year ago?",
            "gdp yoy",
            to(2, over_a_year("GDPC1")),
            "yoy(GDPC1)",
        ),
        made(
            "How fast does nominal GDP grow?",
            "nominal gdp growth",
            to(2, over_a_year("GDP")),
            "yoy(GDP)",
        ),
        made(
            "How many jobs were added last month?",
            "jobs added",
            figure(month, latest - earlier),
            "chg(PAYEMS)",
        ),
        made(
            "How fast do wages rise?",
            "wage growth",
            figure(&pay_month, round(pay, 2)),
            "yoy(CES0500000003)",
        ),
        made(
            "Do wages keep up with prices?",
            "real wage growth",
            figure(&pay_month, round(real_pay, 2)),
            "yoy(CES0500000003)-yoy(CPIAUCSL)",
        ),
        made(
            "Is the money supply growing?",
            "money supply growth",
            to(2, over_a_year("M2SL")),
            "yoy(M2SL)",
        ),
        made(
            "How much more do shops sell than a year ago?",
            "retail sales yoy",
            to(2, over_a_year("RSAFS")),
            "yoy(RSAFS)",
        ),
        made(
            "Is industry producing more than a year ago?",
            "industrial production growth",
            to(2, over_a_year("INDPRO")),
            "yoy(INDPRO)",
        ),
        made(
            "What is the four-week average of claims?",
            "4-week average of initial claims",
            figure(&claims.last().unwrap().0, round(four, 0)),
            "ma(ICSA,4)",
        ),
    ]
}

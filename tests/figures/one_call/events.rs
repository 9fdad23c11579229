//! What happened after an event.

use super::Question;
use super::levels::rounded;
use crate::support::{by, on};
use serde_json::{Value, json};

fn after(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_time_series", arguments)
}

pub(super) fn questions() -> Vec<Question> {
    [rates(), amounts()].into_iter().flatten().collect()
}

fn rates() -> Vec<Question> {
    let ten = ["2022-03-16", "2022-06-16", "2023-03-16"].map(|day| by("DGS10", day).1);
    let two = ["2023-03-09", "2023-03-16"].map(|day| by("DGS2", day).1);
    let jobless = ["2008-09-01", "2009-09-01"].map(|month| on("UNRATE", month));
    let usual = [
        "2001-09-11",
        "2001-10-11",
        "2001-12-11",
        "2002-03-11",
        "2002-09-11",
    ]
    .map(|day| by("DFF", day).1);
    let points = |now: f64, before: f64| format!("{:+.2} points", now - before);
    vec![
        after("What did the 10-year do in the three and twelve months after the first hike of March 2022?",
            json!({"seriesId": "DGS10", "after": "2022-03-16", "horizons": ["3m", "12m"]}))
            .at("/points/0/value", ten[0])
            .at("/points/1/horizon", "3m")
            .at("/points/1/change", rounded(ten[1] - ten[0], 2))
            .at("/points/2/value", ten[2])
            .at("/points/2/change", rounded(ten[2] - ten[0], 2))
            .at("/points/2/changeUnit", "points")
            .says(format!("+3m, 2022-06-16: {:.2}, change {}", ten[1], points(ten[1], ten[0])))
            .says(format!("+12m, 2023-03-16: {:.2}, change {}", ten[2], points(ten[2], ten[0]))),
        after("How far did the two-year fall in the week after SVB?",
            json!({"seriesId": "DGS2", "after": "2023-03-09", "horizons": "1w"}))
            .at("/points/1/change", rounded(two[1] - two[0], 2))
            .says(format!("+1w, 2023-03-16: {:.2}, change {}", two[1], points(two[1], two[0]))),
        after("What happened to unemployment in the year after Lehman?",
            json!({"seriesId": "UNRATE", "after": "2008-09-15", "horizons": ["12m"]}))
            .at("/points/1/date", "2009-09-01")
            .at("/points/1/change", rounded(jobless[1] - jobless[0], 1))
            .says(format!("{:.1} in September 2009, change {:+.1} points", jobless[1], jobless[1] - jobless[0])),
        after("What did the Fed do with its rate after 11 September 2001?",
            json!({"seriesId": "DFF", "after": "2001-09-11"}))
            .at("/points/1/value", usual[1])
            .at("/points/2/value", usual[2])
            .at("/points/3/value", usual[3])
            .at("/points/4/value", usual[4])
            .at("/points/4/horizon", "12m")
            .says(format!("+12m, 2002-09-11: {:.2}", usual[4]))
            .says(points(usual[4], usual[0])),
        after("How has the 10-year moved since a year before its last figure, and in two years?",
            json!({"seriesId": "DGS10", "after": "2025-08-20", "horizons": ["1y", "2y"]}))
            .at("/points/1/value", on("DGS10", "2026-08-20"))
            .at("/points/2/value", Value::Null)
            .says("+2y, 2027-08-20: no figure yet; the newest is of 2026-08-20"),
    ]
}

fn amounts() -> Vec<Question> {
    let oil = ["2022-02-24", "2022-05-24", "2023-02-24"].map(|day| by("DCOILWTICO", day).1);
    let jobs = ["2020-02-01", "2020-04-01", "2022-02-01"].map(|month| on("PAYEMS", month));
    let gdp = ["2007-10-01", "2009-04-01"].map(|quarter| on("GDPC1", quarter));
    let yen = ["2022-03-13", "2023-03-13"].map(|day| by("DEXJPUS", day).1);
    let percent = |now: f64, before: f64| rounded(100.0 * (now / before - 1.0), 2);
    vec![
        after("What did oil do after Russia invaded Ukraine?",
            json!({"seriesId": "WTI", "after": "2022-02-24", "horizons": ["3m", "1y"]}))
            .at("/points/1/change_pct", percent(oil[1], oil[0]))
            .at("/points/2/change_pct", percent(oil[2], oil[0]))
            .says(format!("+3m, 2022-05-24: {:.2}, change {:+.2} $/bbl ({:+.2} %)", oil[1], oil[1] - oil[0], percent(oil[1], oil[0])))
            .says(format!("({:+.2} %)", percent(oil[2], oil[0]))),
        after("How many jobs were lost in the two months after February 2020, and were they back in two years?",
            json!({"seriesId": "PAYEMS", "after": "2020-02-15", "horizons": ["2m", "24m"]}))
            .at("/points/1/change", jobs[1] - jobs[0])
            .at("/points/2/change", jobs[2] - jobs[0])
            .says(format!("{} in April 2020, change {:+} thousand persons ({:+.2} %)", jobs[1], jobs[1] - jobs[0], percent(jobs[1], jobs[0])))
            .says(format!("{} in February 2022, change {:+} thousand persons", jobs[2], jobs[2] - jobs[0])),
        after("How much did real GDP fall in the year and a half after the peak of late 2007?",
            json!({"seriesId": "GDPC1", "after": "2007-12-31", "horizons": ["18m"]}))
            .at("/points/0/date", "2007-10-01")
            .at("/points/1/change_pct", percent(gdp[1], gdp[0]))
            .says(format!("in Q2 2009, change {:+.3} billion 2017 dollars ({:+.2} %)", gdp[1] - gdp[0], percent(gdp[1], gdp[0]))),
        after("How far did the yen fall in the year after mid-March 2022?",
            json!({"seriesId": "DEXJPUS", "after": "2022-03-13", "horizons": ["12m"]}))
            .at("/points/0/date", "2022-03-11")
            .at("/points/0/note", "Sunday; Friday's")
            .at("/points/1/change_pct", percent(yen[1], yen[0]))
            .says(format!("({:+.2} %)", percent(yen[1], yen[0])))
            .says("JPY per USD"),
    ]
}

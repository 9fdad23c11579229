use super::{
    EMBEDDED, Feed, Figures, Format, FormatEvidence, Reader, Recipe, Recipes, Sample, SeriesRecipe,
};
use crate::catalogue::Catalogue;
use crate::model::{Date, Rights, SeriesId};
use jiff::civil::date;
use std::collections::BTreeSet;
use std::io::Write;

const TODAY: Date = date(2026, 11, 22);

fn body(feed: &Feed, sample: &Sample) -> Vec<u8> {
    let is_file = !sample.body.contains(['\n', '{', '<']);
    let bytes = if is_file {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sources/samples");
        std::fs::read(folder.join(&sample.body)).unwrap()
    } else {
        sample.body.clone().into_bytes()
    };
    if feed.format == Format::BoardZip {
        return zipped("H_data.xml", &bytes);
    }
    bytes
}

fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file(name, options).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}

/// The series of a feed that a sample with figures of `id` can contain.
fn series_in_sample<'a>(feed: &'a Feed, id: &SeriesId) -> Vec<&'a SeriesRecipe> {
    let series = feed.series.iter().find(|series| series.id == *id);
    let key = series.map(|series| &series.key);
    let is_board = feed.format == Format::BoardZip;
    let same_key = feed.series.iter().filter(|s| Some(&s.key) == key);
    same_key.filter(|s| !is_board || s.id == *id).collect()
}

fn read(feed: &Feed, bytes: &[u8], id: &SeriesId) -> Result<Figures, String> {
    let series = series_in_sample(feed, id);
    let request = feed.requests(&series, None, TODAY).remove(0);
    let mut reader = Reader::new(feed, &series);
    reader.read(bytes, &request)?;
    reader.finish(TODAY)
}

#[test]
fn every_sample_gives_its_expected_figures() {
    let mut samples = 0;
    let embedded = Recipes::embedded();
    let expected = embedded.feeds().flat_map(|route| &route.feed.samples);
    let recipes = embedded.with_requested(expected.map(|sample| &sample.expect.id));
    for route in recipes.feeds() {
        let name = route.name();
        let feed = route.feed;
        for sample in &feed.samples {
            let expected = &sample.expect;
            let figures = read(feed, &body(feed, sample), &expected.id)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let rows = figures[&expected.id]
                .as_ref()
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(rows.len(), sample.rows, "{name}");
            let row = rows
                .iter()
                .find(|row| row.date == expected.date)
                .unwrap_or_else(|| panic!("{name}: {rows:?}"));
            assert_eq!(row.value, expected.value, "{name}");
            samples += 1;
        }
        let lacks_sample = feed.samples.is_empty() && feed.evidence == FormatEvidence::Sample;
        assert!(!lacks_sample, "{name} has no sample");
    }
    assert!(samples >= 35, "{samples}");
}

#[test]
fn every_recipe_file_is_valid_and_embedded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sources");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path.file_name().unwrap().to_string_lossy();
            let text = std::fs::read_to_string(&path).unwrap();
            Recipe::parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
            let is_embedded = EMBEDDED.iter().any(|(file, _)| *file == name);
            assert!(is_embedded, "{name} is not in EMBEDDED of src/recipe.rs");
        }
    }
    assert_eq!(Recipes::embedded().recipes.len(), EMBEDDED.len());
    for route in Recipes::embedded().feeds() {
        for series in &route.feed.series {
            let is_known = Catalogue::embedded().get(series.id.as_str()).is_some();
            let name = route.name();
            assert!(is_known, "{} of {name} is not in catalogue.csv", series.id);
        }
    }
}

#[test]
fn the_page_of_sources_counts_every_source_and_series() {
    let page = include_str!("../../../../docs/SOURCES.md");
    for recipe in &Recipes::embedded().recipes {
        let id = &recipe.source.id;
        let start = format!("| `{id}` |");
        let mut lines = page.lines();
        let row = lines
            .find(|line| line.starts_with(&start))
            .unwrap_or_else(|| panic!("docs/SOURCES.md has no row of the source {id}"));
        let series: BTreeSet<_> = recipe
            .feeds
            .iter()
            .flat_map(|feed| feed.series.iter().map(|series| &series.id))
            .collect();
        // FRED and the formulas take their series from elsewhere.
        let count = row.split('|').nth(3).unwrap().trim();
        let is_right = series.is_empty() || count == series.len().to_string();
        assert!(
            is_right,
            "docs/SOURCES.md: {id} has {} series, not {count}",
            series.len()
        );
    }
    let public = Catalogue::embedded().iter().filter(|s| !s.is_composite());
    let sentence = format!("The catalogue has {} series", public.count());
    assert!(
        page.contains(&sentence),
        "docs/SOURCES.md lacks {sentence:?}"
    );
}

#[test]
fn a_mistake_in_a_recipe_is_named() {
    let good = include_str!("../../data/sources/chicago_fed.toml");
    for (from, to, expected) in [
        ("pace_ms", "pacems", "pacems"),
        (
            "https://www.chicagofed.org/-/media/publications/nfci",
            "http://www.chicagofed.org/-/media/publications/nfci",
            "https",
        ),
        ("www.chicagofed.org\"]", "example.org\"]", "source.hosts"),
        ("id = \"cfnai\"", "id = \"nfci\"", "duplicate"),
        ("id = \"ANFCI\"", "id = \"anfci\"", "upper-case"),
        ("id = \"ANFCI\", ", "", "missing field `id`"),
        ("format = \"csv\"", "", "missing field `format`"),
        ("rights = \"cite\"", "rights = \"mine\"", "mine"),
        ("\"chicago_fed\"", "\"fred\"", "source.id"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = Recipe::parse("x.toml", &good.replace(from, to))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(expected) && error.contains("x.toml"),
            "{error}"
        );
    }
}

fn feed(name: &str) -> &'static Feed {
    let route = Recipes::embedded()
        .feeds()
        .find(|route| route.name() == name);
    route.unwrap_or_else(|| panic!("{name}")).feed
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let feed = feed(name);
    match read(feed, bytes, &feed.series[0].id) {
        Err(problem) => problem,
        Ok(figures) => {
            let problems: Vec<String> = figures.into_values().filter_map(Result::err).collect();
            assert!(!problems.is_empty(), "{name} was accepted");
            problems.join("; ")
        }
    }
}

#[test]
fn responses_that_break_their_recipe_are_refused() {
    let bls = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/sources/samples/bls/v1_truncated.json"
    ))
    .unwrap();
    let board = |text: &str| zipped("G17_data.xml", text.as_bytes());
    let long = "x".repeat(2 << 20);
    let g17 = &feed("fed_board/g17").samples[0].body;
    let dts = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/sources/samples/treasury/dts_operating_cash_balance.json"
    ))
    .unwrap();
    let renamed = dts.replace("\"record_date\":\"2026-09-25\",\"account_type\":\"Treasury General Account (TGA) Closing Balance\"", "\"record_date\":\"2026-09-25\",\"account_type\":\"TGA close\"");
    let vix = "DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,1,2,3,";
    for (name, bytes, expected) in [
        ("bls/surveys", bls, "truncated"),
        ("bls/surveys", br#"{"status":"REQUEST_NOT_PROCESSED","message":["daily threshold"],"Results":{}}"#.to_vec(), "REQUEST_NOT_PROCESSED"),
        ("fed_board/g17", board(&g17.replace("Index:_2017_100", "Percent")), "\"Percent\""),
        ("fed_board/g17", board(&g17.replace("UNIT_MULT=\"1\"", "UNIT_MULT=\"100\"")), "multiplier"),
        ("fed_board/g17", board(&g17.replace("IP.B50001.S", "IP.X")), "no series"),
        ("fed_board/g17", zipped("other.txt", b"x"), "_data.xml"),
        ("fed_board/g17", board(&format!("<a b=\"{long}\"/>")), "longer than 1 MiB"),
        ("fed_board/g17", board(&format!("<a>{long}</a>")), "longer than 1 MiB"),
        ("fed_board/g17", board(&format!("<!--{long}-->")), "longer than 1 MiB"),
        ("fed_board/g17", board(&format!("<![CDATA[{long}]]>")), "longer than 1 MiB"),
        ("fed_board/g17", b"<html>".to_vec(), "ZIP"),
        ("treasury/tga", renamed.into_bytes(), "renamed"),
        ("treasury/tga", dts.replace("\"total-count\":10", "\"total-count\":11").into_bytes(), "announces 11"),
        ("cboe/index", format!("{vix}1000\n").into_bytes(), "outside"),
        ("cboe/index", b"DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,1,2".to_vec(), "ends within"),
        ("cboe/index", b"SYMBOL\n".to_vec(), "DATE"),
        ("cboe/index", b" \n".to_vec(), "empty"),
        ("cboe/chart", br#"{"symbol":"SPY","data":[]}"#.to_vec(), "_SPX"),
        ("kraken/ohlc", br#"{"error":["EGeneral"],"result":{}}"#.to_vec(), "/error"),
        ("coinbase/candles", br#"{"message":"NotFound"}"#.to_vec(), "no rows"),
        ("chicago_fed/nfci", b"Friday_of_Week,NFCI,ANFCI,Risk,Credit,Leverage,Nonfinancial_Leverage\n01/07/1971,1,1,1,1,1,1\n".to_vec(), "weekday"),
        ("bea/nipa_q", b"<!DOCTYPE html>".to_vec(), "%SeriesCode"),
        ("census/export", b"Not Seasonally Adj\n\nPeriod,Value\nJan-1994,1\n".to_vec(), "Seasonally Adjusted"),
        ("nyfed/effr", br#"{"refRates":[{"effectiveDate":"2026-09-25","type":"EFFR","percentRate":3.88},{"effectiveDate":"2026-09-25","type":"EFFR","percentRate":3.9}]}"#.to_vec(), "two values"),
        ("eia/spot", br#"{"error":{"code":"API_KEY_MISSING"}}"#.to_vec(), "no rows"),
    ] {
        let problem = refusal(name, &bytes);
        assert!(problem.contains(expected), "{name}: {problem}");
    }
}

#[test]
fn keys_for_batches_quotas_and_xml_are_read() {
    let recipe = r#"
[source]
id = "office"
name = "Statistics Office"
rights = "open"
terms = ""
cite = "Statistics Office"
hosts = ["data.example.org"]
key = { body = "token", optional = true, from = "https://data.example.org/key" }
[[feed]]
id = "weeks"
url = "https://data.example.org/v1"
keyed_url = "https://data.example.org/v2?until={year}"
post = '{"ids":{fields},"from":"{from_year}","to":"{year}"}'
split = { by = "batch", series = 2, years = 3, history_years = 4 }
format = "xml"
rows = "week"
absent = "skip"
date = { field = "end", formats = ["%Y-%m-%d"] }
quota = { where = [{ field = "/code", is = "7" }], message = "/texts", words = ["limit"], hint = "wait" }
series = [{ id = "A", field = "a" }, { id = "B", field = "b/c" }, { id = "C", field = "d" }]
"#;
    let recipe = Recipe::parse("office.toml", recipe).unwrap();
    assert_eq!(recipe.source.key.unwrap().body.unwrap(), "token");
    let feed = &recipe.feeds[0];
    let series: Vec<&SeriesRecipe> = feed.series.iter().collect();
    let requests = feed.requests(&series, None, TODAY);
    let bodies: Vec<&str> = requests.iter().flat_map(|r| r.post.as_deref()).collect();
    let expected = [
        r#"{"ids":["a","b/c"],"from":"2024","to":"2026"}"#,
        r#"{"ids":["d"],"from":"2024","to":"2026"}"#,
        r#"{"ids":["a","b/c"],"from":"2023","to":"2023"}"#,
        r#"{"ids":["d"],"from":"2023","to":"2023"}"#,
    ];
    assert_eq!(bodies, expected);
    let keyed_url = requests[0].keyed_url.as_deref();
    assert_eq!(keyed_url, Some("https://data.example.org/v2?until=2026"));
    let mut reader = Reader::new(feed, &series);
    let body = "<r><note/><week><end>2026-11-14</end><a>1</a><b><c> 2 </c></b></week></r>";
    reader.read(body.as_bytes(), &requests[0]).unwrap();
    let figures = reader.finish(TODAY).unwrap();
    let values: Vec<Option<f64>> = (figures.values())
        .map(|rows| Some(rows.as_ref().ok()?.first()?.value))
        .collect();
    assert_eq!(values, [Some(1.0), Some(2.0), None]);
    let mut reader = Reader::new(feed, &series);
    assert!(reader.read(b"<r/>", &requests[0]).is_err());
    let quota = feed.quota.as_ref().unwrap();
    assert!(quota.is_exhausted(br#"{"code":7,"texts":["the daily limit"]}"#));
    assert!(!quota.is_exhausted(br#"{"code":0,"texts":["the daily limit"]}"#));
    assert!(!quota.is_exhausted(b"<r/>"));
}

#[test]
fn requests_cover_the_time_span_without_gaps() {
    let years = feed("treasury/par_yields");
    let series: Vec<&SeriesRecipe> = years.series.iter().collect();
    assert_eq!(years.requests(&series, None, TODAY).len(), 37);
    let recent = years.requests(&series, Some(date(2025, 12, 30)), TODAY);
    assert!(
        recent[0].url.contains("csv/2025/all") && recent[1].url.contains("value=2026"),
        "{recent:?}"
    );
    let candles = feed("coinbase/candles");
    let two: Vec<&SeriesRecipe> = candles.series.iter().take(2).collect();
    let windows = candles.requests(&two, Some(date(2026, 1, 1)), TODAY);
    assert_eq!(windows.len(), 2, "one product, two windows");
    assert!(
        windows[0].url.contains("end=2026-10-27") && windows[1].url.contains("start=2026-10-28"),
        "{windows:?}"
    );
    let bls = feed("bls/surveys");
    let all: Vec<&SeriesRecipe> = bls.series.iter().collect();
    assert_eq!(
        bls.requests(&all, Some(date(2025, 1, 1)), TODAY).len(),
        17,
        "the latest two years, within the 25 requests that a day has without a key"
    );
}

#[test]
fn most_series_have_a_source_beside_fred() {
    let recipes = Recipes::embedded();
    let mut open = 0;
    let mut keyed = 0;
    let mut restricted = 0;
    let mut none = 0;
    for info in Catalogue::embedded()
        .iter()
        .filter(|info| !info.is_composite())
    {
        let first = recipes.routes(&info.id).next();
        match first.map(|route| route.source) {
            Some(source) if source.key.as_ref().is_some_and(|key| !key.optional) => keyed += 1,
            Some(source) if source.rights == Rights::FetchOnly => restricted += 1,
            Some(_) => open += 1,
            None => none += 1,
        }
    }
    println!("without a key {open}, free key {keyed}, restricted {restricted}, none {none}");
    assert!(
        open + keyed + restricted >= 840,
        "{open} {keyed} {restricted} {none}"
    );
}

#[test]
fn decimal_commas_are_parsed() {
    let recipe = r#"
[source]
id = "town"
name = "Our Town"
rights = "personal"
terms = ""
cite = "Our Town"
hosts = ["data.example.org"]
[[feed]]
id = "rain"
url = "https://data.example.org/rain.csv"
format = "csv"
separator = ";"
decimal_comma = true
header = ["day", "mm"]
date = { field = "day", formats = ["%d.%m.%Y"] }
series = [{ id = "TOWNRAIN", field = "mm", title = "Rain", units = "Millimetres", frequency = "D" }]
"#;
    let recipe = Recipe::parse("town.toml", recipe).unwrap();
    let feed = &recipe.feeds[0];
    let body = "day;mm\n01.11.2026;12,5\n02.11.2026;1.234,56\n";
    let figures = read(feed, body.as_bytes(), &feed.series[0].id).unwrap();
    let rows = figures.values().next().unwrap().as_ref().unwrap();
    let values: Vec<f64> = rows.iter().map(|row| row.value).collect();
    assert_eq!(values, [12.5, 1234.56]);
}

#[test]
fn series_missing_in_a_release_is_refused_under_its_own_name() {
    let g17 = feed("fed_board/g17");
    let of = |id: &str| g17.series.iter().find(|s| s.id.as_str() == id).unwrap();
    let series = [of("IPMAN"), of("INDPRO"), of("TCU")];
    let request = g17.requests(&series, None, TODAY).remove(0);
    let mut reader = Reader::new(g17, &series);
    let archive = zipped("G17_data.xml", g17.samples[0].body.as_bytes());
    reader.read(&archive, &request).unwrap();
    let figures = reader.finish(TODAY).unwrap();
    assert_eq!(figures[&of("INDPRO").id].as_ref().unwrap().len(), 2);
    for missing in [of("IPMAN"), of("TCU")] {
        let problem = figures[&missing.id].as_ref().unwrap_err();
        assert!(problem.contains(&missing.field), "{problem}");
    }
}

#[test]
fn charge_offs_are_found_by_their_attributes_or_their_name() {
    let chgdel = feed("fed_board/chgdel");
    let id = SeriesId::new("CORCCACBS").unwrap();
    let body = |name: &str, loans: &str| {
        let xml = format!(
            r#"<m:Group><frb:DataSet id="CHGDEL"><kf:Series SERIES_NAME="{name}" CHGDEL="CHG" LOANTYPE="{loans}" SIZE="ALL" SA="SA" COMPONENT="RATIO" UNIT_MULT="1"><frb:Obs OBS_STATUS="A" OBS_VALUE="4.1" TIME_PERIOD="2026-06-30"/></kf:Series></frb:DataSet></m:Group>"#
        );
        zipped("CHGDEL_data.xml", xml.as_bytes())
    };
    for (name, loans, is_found) in [
        ("UNKNOWN.Q", "CONCC", true),
        ("STFBQCCC%STFBAILCC_MA.Q", "X", true),
        ("UNKNOWN.Q", "CI", false),
    ] {
        let figures = read(chgdel, &body(name, loans), &id).unwrap();
        assert_eq!(figures[&id].is_ok(), is_found, "{name} {loans}");
    }
}

fn chart(close: &str) -> Result<Vec<crate::model::Observation>, String> {
    let chart = feed("cboe/chart");
    let body = format!(
        r#"{{"symbol":"SPY","data":[{{"date":"1993-01-28","close":{close}}},{{"date":"1993-01-29","close":"43.9"}}]}}"#
    );
    let id = SeriesId::new("SPY").unwrap();
    let series: Vec<&SeriesRecipe> = chart.series.iter().filter(|s| s.id == id).collect();
    let request = chart.requests(&series, None, TODAY).remove(0);
    let mut reader = Reader::new(chart, &series);
    reader.read(body.as_bytes(), &request)?;
    reader.finish(TODAY)?.remove(&id).unwrap()
}

proptest::proptest! {
    #[test]
    fn every_spelling_of_zero_is_missing(
        sign in "-?", zeros in 1_usize..3, decimals in 0_usize..12, exponent in "(e[+-]?[0-9])?", is_text in proptest::bool::ANY,
    ) {
        // JSON allows one zero before the point.
        let whole = "0".repeat(if is_text { zeros } else { 1 });
        let fraction = if decimals == 0 { String::new() } else { format!(".{}", "0".repeat(decimals)) };
        let zero = format!("{sign}{whole}{fraction}{exponent}");
        let cell = if is_text { format!("\"{zero}\"") } else { zero };
        let rows = chart(&cell).unwrap();
        proptest::prop_assert_eq!(rows.len(), 1, "{}", cell);
    }

    #[test]
    fn refused_figures_have_a_short_message(value in -1e308..0.009) {
        let problem = chart(&format!("{value:e}")).unwrap_err();
        proptest::prop_assert!(problem.ends_with("outside 0.01 or more") && problem.len() < 80, "{}", problem);
    }
}

#[test]
fn alternatives_are_filled_and_only_on_hosts_of_the_source() {
    let nfci = feed("chicago_fed/nfci");
    let series: Vec<&SeriesRecipe> = nfci.series.iter().collect();
    let request = nfci.requests(&series, None, TODAY).remove(0);
    assert!(request.url.contains("//api.data.chicagofed.org/NFCI/"));
    assert!(request.alternatives[0].contains("//www.chicagofed.org/"));
    let text = include_str!("../../data/sources/chicago_fed.toml");
    let other = text.replace("[\"https://www.chicagofed.org", "[\"https://example.org");
    let error = Recipe::parse("x.toml", &other).unwrap_err().to_string();
    assert!(error.contains("example.org"), "{error}");
}

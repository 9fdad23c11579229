//! Tests of the ranking: series in the catalogue and in the store, terms, documents of every kind.

use super::*;
use crate::Desk;
use crate::testing::TestDesk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::{Frequency, SeriesId};
use econoscope_data::store::{Description, Sqlite, Store};
use std::sync::Arc;

fn desk(store: Arc<Sqlite>) -> Desk {
    TestDesk::over(store).on("2026-11-21").open()
}

fn names(query: &str, kind: Kind) -> Vec<&'static str> {
    let documents = SearchIndex::embedded().find(query, Some(kind)).into_iter();
    documents.map(|d| d.name.as_str()).collect()
}

/// A few documents of one kind.
fn documents(query: &str) -> Vec<String> {
    let texts = [
        ("Term premium", "what a holder of long bonds asks for"),
        ("Breakeven inflation", "what bonds say of prices"),
        ("Core inflation rate", "without food and energy"),
        ("VIX", "the fear index of stocks"),
    ];
    let documents = texts.map(|(name, body)| Document {
        body: body.to_owned(),
        ..Document::new(Kind::Term, name, name)
    });
    let index = SearchIndex::new(documents.into(), 0);
    index
        .find(query, None)
        .into_iter()
        .map(|d| d.name.clone())
        .collect()
}

#[test]
fn names_rank_before_words_prefixes_and_near_spellings() {
    let [premium, breakeven, core, vix] = [
        "Term premium",
        "Breakeven inflation",
        "Core inflation rate",
        "VIX",
    ];
    assert_eq!(documents("what is core inflation")[0], core);
    assert_eq!(documents("infla"), [breakeven, core]);
    assert_eq!(documents("inflaton premuim")[0], premium);
    assert_eq!(documents("vxi"), [vix]);
    assert_eq!(documents("term premiums"), [premium]);
    assert_eq!(documents("bonds"), [premium, breakeven]);
    assert_eq!(documents("housing"), [""; 0]);
    assert_eq!(documents(""), [""; 0]);
}

#[test]
fn words_beyond_the_limit_are_ignored() {
    let many: String = (0..MAX_WORDS).map(|n| format!("word{n} ")).collect();
    assert_eq!(documents(&format!("{many} vix")), [""; 0]);
    assert_eq!(
        asked_words(&format!("vix {many}")).next().as_deref(),
        Some("vix")
    );
    assert_eq!(asked_words(&many.repeat(9)).count(), MAX_WORDS);
}

#[test]
fn common_phrases_find_their_series_first() {
    let desk = desk(Arc::new(Sqlite::bundled().unwrap()));
    let mut wrong = Vec::new();
    for (query, want) in [
        ("DGS10", "DGS10"),
        ("10 year treasury", "DGS10"),
        ("unemployment rate", "UNRATE"),
        ("unemploymnt", "UNRATE"),
        ("core cpi", "CPILFESL"),
        ("inflation", "CPI_YOY"),
        ("vix", "VIXCLS"),
        ("nonfarm payrols", "PAYEMS"),
        ("recession probability", "SERVICE_CRPI"),
        ("yen", "DEXJPUS"),
        ("fed balance sheet", "WALCL"),
        ("high yield spread", "BAMLH0A0HYM2"),
        ("initial claims", "ICSA"),
        ("housing starts", "HOUST"),
        ("industrial production", "INDPRO"),
    ] {
        let (found, _) = desk.find_series(query, None, 5).unwrap();
        let got: Vec<&str> = found.iter().map(|info| info.id.as_str()).collect();
        if got.first() != Some(&want) {
            wrong.push(format!("{query}: {got:?}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_alias_finds_its_series_first() {
    let names = Names::embedded();
    let ids = names
        .catalogue()
        .iter()
        .map(|info| (info.id.as_str(), info));
    let desk = desk(Arc::new(Sqlite::bundled().unwrap()));
    for (name, info) in ids.chain(names.aliases()) {
        let first = desk.find(name, 1).unwrap().remove(0);
        assert_eq!(
            (first.kind, first.name.as_str()),
            (Kind::Series, info.id.as_str()),
            "{name}"
        );
    }
}

#[test]
fn sample_queries_find_their_term_first() {
    let mut wrong = Vec::new();
    let queries = include_str!("../../../data/glossary/queries.csv");
    for line in queries.lines().skip(1) {
        let (query, want) = line.rsplit_once(',').unwrap();
        let got = names(query.trim_matches('"'), Kind::Term);
        if got.first() != Some(&want) {
            wrong.push(format!("{query}: {got:?}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn search_covers_every_kind_of_document() {
    let desk = desk(Arc::new(Sqlite::bundled().unwrap()));
    let best = |query: &str| -> Vec<String> {
        let documents = desk.find(query, 5).unwrap();
        documents
            .iter()
            .map(|d| format!("{}:{}", d.kind, d.name))
            .collect()
    };
    for (query, want) in [
        ("sahm rule", "term:sahm-rule"),
        ("unemployment rate", "series:UNRATE"),
        ("net liquidity method formula", "method:cnli"),
        ("reading the yield curve", "article:reading-the-yield-curve"),
        ("10 year treasury constant maturity", "series:DGS10"),
        ("oil rises thirty percent", "scenario:oil-spike-30"),
    ] {
        let matches = best(query);
        assert!(matches.iter().any(|m| m == want), "{query}: {matches:?}");
    }
    assert!(best("zzzz qqqq").is_empty());
    assert_eq!(best("price of zeppelins"), [""; 0]);
}

#[test]
fn a_word_that_is_a_name_outranks_one_of_a_title() -> Result<()> {
    let desk = desk(Arc::new(Sqlite::bundled().unwrap()));
    for (query, want) in [
        ("cats unemployment", "UNRATE"),
        ("payrolls of cats", "PAYEMS"),
    ] {
        let (found, _) = desk.find_series(query, None, 3)?;
        assert_eq!(found[0].id.as_str(), want, "{query}");
    }
    Ok(())
}

#[test]
fn category_filters_series() -> Result<()> {
    let desk = desk(Arc::new(Sqlite::bundled().unwrap()));
    let (fx, total) = desk.find_series("", Some("FX"), 500)?;
    let all = Catalogue::embedded().iter();
    assert_eq!(total, all.filter(|info| info.category == "fx").count());
    assert!(!fx.is_empty() && fx.iter().all(|info| info.category == "fx"));
    let (credit, _) = desk.find_series("spread", Some("credit"), 50)?;
    assert!(!credit.is_empty() && credit.iter().all(|info| info.category == "credit"));
    assert_eq!(desk.find_series("qqqqzzzz", None, 50)?.1, 0);
    Ok(())
}

#[test]
fn imported_series_are_counted_beyond_the_limit() -> Result<()> {
    let store = Arc::new(Sqlite::in_memory()?);
    for n in 0..300 {
        store.write(econoscope_data::store::Write {
            id: &SeriesId::new(&format!("OWN{n:03}"))?,
            observations: &[econoscope_core::model::Observation::new(
                jiff::civil::date(2026, 1, 1),
                1.0,
            )],
            known_from: None,
            fetched_at: jiff::Timestamp::UNIX_EPOCH,
            origin: "file",
        })?;
    }
    let desk = desk(store);
    let (series, total) = desk.find_series("", Some("imported"), 3)?;
    let ids: Vec<&str> = series.iter().map(|info| info.id.as_str()).collect();
    assert_eq!(
        (ids.as_slice(), total),
        (["OWN000", "OWN001", "OWN002"].as_slice(), 300)
    );
    assert_eq!(desk.find_series("own-29", Some("imported"), 50)?.1, 10);
    let (named, _) = desk.find_series("own299", None, 1)?;
    assert_eq!(named[0].id.as_str(), "OWN299");
    Ok(())
}

#[test]
fn stored_titles_rank_after_the_catalogue() -> Result<()> {
    let store = Arc::new(Sqlite::bundled().unwrap());
    let titles = [
        (
            "TXLONG",
            "Unemployment Rate for People of Some Age in Texas",
        ),
        ("TXANY", "Unemployment Rate in Texas"),
        ("DGS10", "Not our title"),
    ];
    store.describe(&titles.map(|(id, title)| Description {
        id: SeriesId::new(id).unwrap(),
        title: title.into(),
        units: "Percent".into(),
        frequency: Frequency::Quarterly,
        seasonally_adjusted: true,
        source: String::new(),
    }))?;
    let desk = desk(store);
    let ids = |query: &str, category: Option<&str>| -> Result<Vec<String>> {
        let series = desk.find_series(query, category, 500)?.0;
        Ok(series.iter().map(|info| info.id.to_string()).collect())
    };
    assert_eq!(
        ids("unemployment rate texas", Some("imported"))?,
        ["TXANY", "TXLONG"]
    );
    let all = ids("unemployment rate", None)?;
    assert_eq!(
        (all[0].as_str(), all.last().unwrap().as_str()),
        ("UNRATE", "TXLONG")
    );
    let labor = ids("unemployment rate", Some("labor"))?;
    assert!(
        !labor.is_empty()
            && labor
                .iter()
                .all(|id| !["TXANY", "TXLONG"].contains(&id.as_str()))
    );
    assert_eq!(ids("txlong", None)?[0], "TXLONG");
    // A stored title does not replace the catalogue's.
    assert!(ids("not our title", None)?.iter().all(|id| id != "DGS10"));
    Ok(())
}

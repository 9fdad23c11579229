//! FRED, the database of the St. Louis Fed: with a key its JSON API, without one the CSV download.
//!
//! Both give the same figures. Only the API knows what was known when (vintages) and describes a series.
//! This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.

mod api;
mod vintages;

use super::source::{Declaration, Question, Source, SourceSettings};
use crate::error::Result;
use crate::ingest::fetch::{CSV, Fetch, Response, Validators};
use crate::ingest::pace::PaceSettings;
use crate::ingest::table::{Column, Dates};
use crate::model::{Known, SeriesId, SeriesInfo};
use api::{address, not_carried};
use futures_util::future::BoxFuture;
use url::Url;

const HOME: &str = "https://fred.stlouisfed.org";

pub(super) const DECLARATION: Declaration = Declaration {
    name: "fred",
    title: "FRED",
    home: HOME,
    has_vintages: true,
    // FRED carries 800,000 series: one that is not in the catalogue is asked for.
    carries: |_, info| info.is_none_or(SeriesInfo::is_on_fred),
    open: |settings| match &settings.key {
        Some(key) => Ok(Box::new(api::Api::new(settings, key.clone())?)),
        None => Ok(Box::new(Download::new(settings)?)),
    },
};

/// `fredgraph.csv`, the download behind FRED's charts: no key, one series per request (docs/SOURCES.md#fred-download).
struct Download {
    home: Url,
    fetch: Fetch,
}

impl Download {
    fn new(settings: &SourceSettings) -> Result<Self> {
        Ok(Self {
            home: settings.address("fred", HOME)?,
            fetch: settings.fetch("fred", "FRED", PaceSettings::DOWNLOADS, &[])?,
        })
    }
}

impl Source for Download {
    fn rows<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Vec<Known>>> {
        Box::pin(async move {
            let id = question.id;
            let start = question.from.map(|day| day.to_string());
            let mut query = vec![("id", id.as_str())];
            query.extend(start.as_deref().map(|day| ("cosd", day)));
            let url = address(&self.home, &["graph", "fredgraph.csv"], &query)?;
            let known = Validators::default();
            let answer = self.fetch.get(&url, CSV, &known, |_| false).await?;
            if answer.status == 404 {
                return Err(not_carried(id));
            }
            read(id, &answer).map_err(|problem| self.fetch.unusable(id.as_str(), &problem))
        })
    }
}

/// Reads an answer, or says why it is none.
fn read(id: &SeriesId, answer: &Response) -> std::result::Result<Vec<Known>, String> {
    match answer.table(Dates::Iso)?.as_slice() {
        [column] if column.id == *id => Ok(column.known(None)),
        [Column { id, .. }] => Err(format!("it is of {id}")),
        _ => Err("it holds more than one series".to_owned()),
    }
}

/// The door of [`crate::ingest::fuzz::fred`].
#[cfg(fuzzing)]
pub(in crate::ingest) fn fuzz(answer: &Response) {
    use crate::ingest::key::ApiKey;
    let secret = "0123456789abcdef0123456789abcdef";
    let (Ok(id), Ok(key)) = (SeriesId::new("DGS10"), ApiKey::new(secret)) else {
        return;
    };
    let _ = read(&id, answer);
    match api::read::<api::Page>(&key, answer) {
        Ok(page) => drop(
            page.observations
                .iter()
                .map(api::Item::read)
                .collect::<Vec<_>>(),
        ),
        Err(refusal) => assert!(!format!("{refusal:?}").contains(secret), "the key"),
    }
}

#[cfg(test)]
mod tests;

//! `fredgraph.csv`, the download behind FRED's charts: no key, one series per request (docs/SOURCES.md#fred-download).

use super::api::{address, not_carried};
use crate::error::Result;
use crate::ingest::fetch::{CSV, Fetch, Response, Validators};
use crate::ingest::pace::PaceSettings;
use crate::ingest::sources::source::{Question, Source, SourceSettings};
use crate::ingest::table::{Column, Dates};
use crate::model::{Known, SeriesId};
use futures_util::future::BoxFuture;
use url::Url;

pub(super) const HOME: &str = "https://fred.stlouisfed.org";

pub(super) struct Download {
    home: Url,
    fetch: Fetch,
}

impl Download {
    pub(super) fn new(settings: &SourceSettings) -> Result<Self> {
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
pub(super) fn read(id: &SeriesId, answer: &Response) -> std::result::Result<Vec<Known>, String> {
    match answer.table(Dates::Iso)?.as_slice() {
        [column] if column.id == *id => Ok(column.known(None)),
        [Column { id, .. }] => Err(format!("it is of {id}")),
        _ => Err("it holds more than one series".to_owned()),
    }
}

//! FRED, the database of the St. Louis Fed: with a key its JSON API, without one the CSV download.
//!
//! Both give the same figures. Only the API knows what was known when (vintages) and describes a series.
//! This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.

mod api;
mod download;
mod vintages;

use super::source::Declaration;
use crate::model::SeriesInfo;

pub(super) const DECLARATION: Declaration = Declaration {
    name: "fred",
    title: "FRED",
    home: download::HOME,
    has_vintages: true,
    // FRED carries 800,000 series: one that is not in the catalogue is asked for.
    carries: |_, info| info.is_none_or(SeriesInfo::is_on_fred),
    open: |settings| match &settings.key {
        Some(key) => Ok(Box::new(api::Api::new(settings, key.clone())?)),
        None => Ok(Box::new(download::Download::new(settings)?)),
    },
};

/// The door of [`crate::ingest::fuzz::fred`].
#[cfg(fuzzing)]
pub(in crate::ingest) fn fuzz(answer: &crate::ingest::fetch::Response) {
    use crate::ingest::key::ApiKey;
    use crate::model::SeriesId;
    let secret = "0123456789abcdef0123456789abcdef";
    let (Ok(id), Ok(key)) = (SeriesId::new("DGS10"), ApiKey::new(secret)) else {
        return;
    };
    let _ = download::read(&id, answer);
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

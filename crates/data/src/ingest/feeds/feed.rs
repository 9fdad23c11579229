//! The list of feeds: ours, or an operator's.

use crate::disk;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::untrusted;
use serde::Deserialize;
use std::path::Path;
use url::Url;

/// A feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Who publishes it.
    pub name: String,
    /// Its address.
    pub url: Url,
    /// Subjects of all its articles.
    pub tags: Vec<String>,
}

impl Feed {
    /// Those of public agencies, in the order in which they are read.
    ///
    /// # Errors
    /// [`Error::BadFile`] when the embedded list cannot be read, which a test rules out.
    pub fn embedded() -> Result<Vec<Self>> {
        Self::list("feeds.csv", include_str!("../../../data/feeds.csv"))
    }

    /// An operator's list: CSV with the header `name,url,tags`; several tags are parted by blanks.
    ///
    /// # Errors
    /// [`Error::BadFile`] naming the file, the line and what is wrong.
    pub fn from_file(path: &Path) -> Result<Vec<Self>> {
        let file = disk::shown(path);
        match disk::read_text(path) {
            Ok(text) => Self::list(&file, &text),
            Err(e) => Err(Error::bad_file(file, e.to_string())),
        }
    }

    pub(super) fn list(file: &str, text: &str) -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            url: String,
            #[serde(default)]
            tags: String,
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.deserialize::<Row>().zip(2u64..);
        rows.map(|(row, line)| {
            let bad = |problem: String| Error::bad_line(file, line, problem);
            let row = row.map_err(|e| bad(e.to_string()))?;
            let url = untrusted::link(&row.url).and_then(|u| Url::parse(u).ok());
            Ok(Self {
                name: untrusted::line(&row.name, 80),
                url: url.ok_or_else(|| bad(format!("{} is no http(s) address", row.url)))?,
                tags: row.tags.split_whitespace().map(str::to_lowercase).collect(),
            })
        })
        .collect()
    }
}

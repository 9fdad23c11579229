//! The sources of the values in an answer, with the notices that they require.

use crate::Desk;
use econoscope_core::error::Result;
use econoscope_core::model::{Date, Rights, SeriesId};
use econoscope_core::recipe::SourceFacts;
use econoscope_data::store::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Name.
    pub source: String,
    /// Its series in the answer; composites by their inputs.
    pub series: Vec<String>,
    /// First date of its rows, if earlier rows are from another source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// Notice that it requires.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notice: String,
}

impl Desk {
    /// Returns the sources of these series on the days from the first to the last, or of their newest rows, ordered by
    /// series. Imported series are omitted, unless their rows have several origins.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn citations<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        days: Option<(Date, Date)>,
    ) -> Result<Vec<Citation>> {
        let mut sources: Vec<Citation> = Vec::new();
        for id in self.inputs(ids)? {
            let id = SeriesId::new(id)?;
            let Some(status) = self.series_status(&id)? else {
                continue;
            };
            for source in self.series_sources(&id, &status, days) {
                let is_same =
                    |s: &&mut Citation| (&s.source, s.from) == (&source.source, source.from);
                match sources.iter_mut().find(is_same) {
                    Some(same) => same.series.extend(source.series),
                    None => sources.push(source),
                }
            }
        }
        for source in &mut sources {
            source.notice = source.notice.replace("{title}", &source.series.join(", "));
        }
        Ok(sources)
    }

    fn series_sources(
        &self,
        id: &SeriesId,
        status: &Status,
        days: Option<(Date, Date)>,
    ) -> Vec<Citation> {
        let (from, to) = days.unwrap_or((status.last, status.last));
        let origins = status.origins(from, to);
        let has_several = origins.len() > 1;
        let source = |(origin, from): (&str, Option<Date>)| {
            let facts = self.source_facts(id, origin);
            let named = facts.filter(|facts| facts.id == origin || !has_several);
            (facts.is_some() || has_several).then(|| Citation {
                source: named.map_or(origin, |facts| &facts.name).to_owned(),
                series: vec![self.display_id(id)],
                from: from.filter(|_| has_several),
                notice: facts.map(|facts| facts.cite.clone()).unwrap_or_default(),
            })
        };
        origins.into_iter().filter_map(source).collect()
    }

    /// Returns the source of an origin; for bundled rows the first route whose values may be redistributed.
    fn source_facts<'d>(&'d self, id: &'d SeriesId, origin: &str) -> Option<&'d SourceFacts> {
        let recipes = self.settings().recipes();
        let bundled = origin.starts_with("bundled");
        recipes.source(origin).or_else(|| {
            let mut sources = recipes.routes(id).map(|route| route.source);
            let first = sources.find(|source| source.rights != Rights::FetchOnly);
            first.filter(|_| bundled)
        })
    }
}

//! Whose figures an answer shows, and the words that their owners ask for wherever they are shown.

use super::local::Desk;
use crate::store::Status;
use econoscope_core::error::Result;
use econoscope_core::model::{Date, Rights, SeriesId};
use econoscope_core::recipe::SourceFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who brought figures of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cited {
    /// Name.
    pub source: String,
    /// Their series in the answer; composites stand as their inputs.
    pub series: Vec<String>,
    /// First date of their rows, where rows before it are from somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// What they ask to be said where their figures are shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notice: String,
}

impl Desk {
    /// Who brought the rows of these series on these days, in the order of the series; without days, the newest rows.
    /// Imported series are left out, unless their rows are from several.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn cited<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        days: Option<(Date, Date)>,
    ) -> Result<Vec<Cited>> {
        let mut all: Vec<Cited> = Vec::new();
        for id in self.inputs(ids)? {
            let Ok(id) = SeriesId::new(id) else { continue };
            let Some(held) = self.held(&id)? else {
                continue;
            };
            for cited in self.cited_of(&id, &held, days) {
                let same = all
                    .iter_mut()
                    .find(|c| (&c.source, c.from) == (&cited.source, cited.from));
                match same {
                    Some(same) => same.series.extend(cited.series),
                    None => all.push(cited),
                }
            }
        }
        for cited in &mut all {
            cited.notice = cited.notice.replace("{title}", &cited.series.join(", "));
        }
        Ok(all)
    }

    fn cited_of(&self, id: &SeriesId, held: &Status, days: Option<(Date, Date)>) -> Vec<Cited> {
        let (from, to) = days.unwrap_or((held.last, held.last));
        let origins = held.origins(from, to);
        let many = origins.len() > 1;
        let cited = |(origin, from): (&str, Option<Date>)| {
            let facts = self.facts_of(id, origin);
            let is_own = facts.is_some_and(|facts| facts.id == origin);
            let name = facts.filter(|_| is_own || !many);
            (facts.is_some() || many).then(|| Cited {
                source: name.map_or(origin, |facts| &facts.name).to_owned(),
                series: vec![self.shown_id(id)],
                from: from.filter(|_| many),
                notice: facts.map(|facts| facts.cite.clone()).unwrap_or_default(),
            })
        };
        origins.into_iter().filter_map(cited).collect()
    }

    /// The source of an origin; of bundled rows the first that would be asked and may be passed on.
    fn facts_of<'d>(&'d self, id: &'d SeriesId, origin: &str) -> Option<&'d SourceFacts> {
        let recipes = &self.settings().recipes;
        let bundled = origin.starts_with("bundled");
        recipes.source(origin).or_else(|| {
            let mut sources = recipes.routes(id).map(|at| at.source);
            let first = sources.find(|source| source.rights.rights() != Rights::FetchOnly);
            first.filter(|_| bundled)
        })
    }
}

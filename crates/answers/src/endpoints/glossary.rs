//! `search_glossary`: what a term of macroeconomics means.

use crate::prelude::*;
use crate::route::decode::default_limit;
use econoscope_desk::names::search::Kind;
use econoscope_desk::reference;
use econoscope_desk::texts::glossary;

/// First year of the recessions listed with a term; `fetch` lists all.
const FIRST_RECESSION: i32 = 1945;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Term, alias or words of the meaning; a typo is forgiven.
    #[schemars(example = &"yield curve", length(min = 1, max = 200))]
    q: String,
    /// How many at most.
    #[serde(default = "default_limit::<10>")]
    #[schemars(range(min = 1, max = 50))]
    limit: usize,
}

/// A term that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Identifier.
    pub slug: String,
    /// Term as written.
    pub term: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Subject.
    pub category: String,
    /// Meaning.
    pub summary: String,
    /// Related terms.
    pub related_slugs: Vec<String>,
    /// Page of the term.
    pub url: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GlossaryAnswer {
    /// What was searched for.
    pub query: String,
    /// Matches returned.
    pub count: usize,
    /// True if no word of the query is in the best match, else left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<bool>,
    /// Best first.
    pub results: Vec<Match>,
    /// Credit line.
    pub attribution: Attribution,
}

impl Match {
    /// Whether the term, another name or the meaning has a word of a query.
    fn has_word_of(&self, query: &str) -> bool {
        let entry = format!("{} {} {}", self.term, self.aliases.join(" "), self.summary);
        let [text, wanted] = [entry.as_str(), query].map(str::to_lowercase);
        let own: Vec<&str> = words(&text).collect();
        words(&wanted).any(|word| own.contains(&word))
    }
}

/// Iterates over the words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

impl Endpoint for Params {
    const TOOL: &'static str = "search_glossary";
    type Output = GlossaryAnswer;

    fn local(desk: &Desk, params: &Self) -> Result<GlossaryAnswer> {
        let terms = glossary::search(&params.q).into_iter();
        let results: Vec<Match> = terms
            .take(params.limit)
            .map(|t| Match {
                slug: t.slug.clone(),
                term: t.term.clone(),
                aliases: t.aliases.clone(),
                category: t.category.clone(),
                summary: match reference::describe_recessions(t, FIRST_RECESSION) {
                    Some(recessions) => format!("{} {recessions}", t.summary),
                    None => t.summary.clone(),
                },
                related_slugs: t.related.clone(),
                url: super::fetch::address(desk.settings(), Kind::Term, &t.slug),
            })
            .collect();
        Ok(GlossaryAnswer {
            query: econoscope_core::error::quote(&params.q),
            count: results.len(),
            near: results
                .first()
                .and_then(|best| (!best.has_word_of(&params.q)).then_some(true)),
            results,
            attribution: desk.attribution(),
        })
    }

    fn from_upstream(mut answer: GlossaryAnswer, params: &Self, _: Date) -> Result<GlossaryAnswer> {
        answer.query = econoscope_core::error::quote(&params.q);
        answer.count = answer.results.len();
        for found in &mut answer.results {
            if found.term.is_empty() {
                found.term.clone_from(&found.slug);
            }
        }
        Ok(answer)
    }

    fn text(output: &GlossaryAnswer, _: &Self) -> String {
        let credit = &output.attribution;
        let mut matches = output.results.iter();
        let Some(best) = matches.next() else {
            let query = &output.query;
            return format!(
                "No term matches \"{query}\". Try a shorter or more common name.\n{credit}"
            );
        };
        let head = match output.near {
            Some(true) => format!("No term matches \"{}\". The nearest: ", output.query),
            _ => String::new(),
        };
        let near = join(matches.map(|m| &m.term), ", ");
        format!(
            "{head}{}: {}{}\n{credit}",
            best.term,
            best.summary,
            enclosed("\nNear: ", &near, ".")
        )
    }
}

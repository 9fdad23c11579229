//! Finding documents by words: BM25 over titles, other names and texts, with a name that resolves first.

use super::super::glossary::Glossary;
use super::super::{Desk, articles};
use super::method_slug;
use crate::error::Result;
use crate::indicators::COMPOSITES;
use crate::model::Catalogue;
use crate::model::resolve::Resolver;
use crate::store::Article;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a document is; the first part of its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A series: `series:DGS10`.
    Series,
    /// A term of the glossary: `term:sahm-rule`.
    Term,
    /// How an indicator is computed: `method:crpi`.
    Method,
    /// An article: `article:regime`.
    Article,
}

impl Kind {
    /// The word in identifiers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Term => "term",
            Self::Method => "method",
            Self::Article => "article",
        }
    }

    /// The kind of that word.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Series, Self::Term, Self::Method, Self::Article]
            .into_iter()
            .find(|k| k.word() == word)
    }
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// Its name within its kind: identifier, slug.
    pub name: String,
    /// Title.
    pub title: String,
    /// Where it is to be read, for articles, which may stand elsewhere.
    pub url: Option<String>,
}

/// A document's title counts this many times its text.
const TITLE_WEIGHT: u32 = 4;

/// The usual constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Below this share of the best score a document is noise.
const NOISE: f64 = 0.25;

/// The words of every document, counted once per state of the data.
pub(in crate::desk) struct Index {
    documents: Vec<Indexed>,
    /// In how many documents a word stands.
    frequency: HashMap<String, f64>,
    mean_length: f64,
}

struct Indexed {
    hit: Hit,
    title: HashSet<String>,
    counts: HashMap<String, u32>,
    length: f64,
}

impl Desk {
    /// Documents that speak of the words, best first, at most `most`. A name that resolves comes first.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read, [`crate::Error::BadFile`] for an embedded file
    /// that cannot be read, which tests rule out.
    pub fn find(&self, query: &str, most: usize) -> Result<Vec<Hit>> {
        let mut hits = named_then_ranked(&*self.index()?, query);
        hits.truncate(most);
        Ok(hits)
    }

    fn index(&self) -> Result<Arc<Index>> {
        let state = self.state()?;
        if let Some(ready) = self.library.get(&state) {
            return Ok(ready);
        }
        let built = Arc::new(Index::build(&self.articles(articles::MOST)?)?);
        self.library.insert(state, Arc::clone(&built));
        Ok(built)
    }
}

/// A series whose name the query is, then whatever speaks of its words.
fn named_then_ranked(index: &Index, query: &str) -> Vec<Hit> {
    let named = Resolver::embedded().find(query).map(|info| Hit {
        kind: Kind::Series,
        name: info.id.to_string(),
        title: info.title.clone(),
        url: None,
    });
    let mut hits: Vec<Hit> = named.into_iter().chain(index.rank(query)).collect();
    let mut seen = HashSet::new();
    hits.retain(|h| seen.insert((h.kind, h.name.clone())));
    hits
}

impl Index {
    fn build(articles: &[Article]) -> Result<Self> {
        let mut names: HashMap<&str, String> = HashMap::new();
        for (alias, info) in Resolver::embedded().aliases() {
            let other = names.entry(info.id.as_str()).or_default();
            other.push_str(alias);
            other.push(' ');
        }
        let mut documents = Vec::new();
        for info in Catalogue::embedded().iter() {
            let other = names.get(info.id.as_str()).map_or("", String::as_str);
            let text = format!("{} {other} {}", info.category, info.source);
            let name = info.id.to_string();
            let title = format!("{} {name}", info.title);
            documents.push(Indexed::new(Kind::Series, name, &info.title, &title, &text));
        }
        for term in Glossary::embedded()?.iter() {
            let title = format!("{} {}", term.term, term.aliases.join(" "));
            let name = term.slug.clone();
            documents.push(Indexed::new(
                Kind::Term,
                name,
                &term.term,
                &title,
                &term.summary,
            ));
        }
        for c in COMPOSITES {
            let title = format!("Method: {}", c.name);
            let text = format!("how is it computed {} {}", c.formula, c.source);
            documents.push(Indexed::new(
                Kind::Method,
                method_slug(c),
                &title,
                &title,
                &text,
            ));
        }
        let regime = "Method: macro regime";
        documents.push(Indexed::new(
            Kind::Method,
            "regime".into(),
            regime,
            regime,
            "",
        ));
        documents.extend(articles.iter().map(Indexed::article));
        Ok(Self::over(documents))
    }

    fn over(documents: Vec<Indexed>) -> Self {
        let mut frequency: HashMap<String, f64> = HashMap::new();
        for word in documents.iter().flat_map(|d| d.counts.keys()) {
            *frequency.entry(word.clone()).or_default() += 1.0;
        }
        let total: f64 = documents.iter().map(|d| d.length).sum();
        let mean_length = total / count(documents.len()).max(1.0);
        Self {
            documents,
            frequency,
            mean_length,
        }
    }

    fn rank(&self, query: &str) -> Vec<Hit> {
        let wanted = words(query);
        let mut scored: Vec<(f64, &Indexed)> = self
            .documents
            .iter()
            .map(|d| (self.score(d, &wanted), d))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        scored.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| a.1.hit.name.cmp(&b.1.hit.name))
        });
        let least = scored.first().map_or(0.0, |(best, _)| best * NOISE);
        scored
            .into_iter()
            .filter(|(score, _)| *score >= least)
            .map(|(_, d)| d.hit.clone())
            .collect()
    }

    /// BM25, up to doubled for a title that has all the words and few others.
    fn score(&self, d: &Indexed, wanted: &[String]) -> f64 {
        let all = count(self.documents.len());
        let whole = wanted.iter().all(|w| d.title.contains(w));
        let near = if whole {
            count(wanted.len()) / count(d.title.len()).max(1.0)
        } else {
            0.0
        };
        let sum: f64 = wanted
            .iter()
            .filter_map(|word| {
                let times = f64::from(*d.counts.get(word)?);
                let of = self.frequency.get(word).copied().unwrap_or(1.0);
                let rarity = ((all - of + 0.5) / (of + 0.5)).ln_1p();
                let length = 1.0 - B + B * d.length / self.mean_length;
                Some(rarity * times * (K1 + 1.0) / (times + K1 * length))
            })
            .sum();
        sum * (1.0 + near)
    }
}

impl Indexed {
    fn article(a: &Article) -> Self {
        let about = [a.subtitle.as_deref(), a.summary.as_deref(), Some(&a.source)];
        let about: Vec<&str> = about.into_iter().flatten().collect();
        let text = format!("{} {}", a.tags.join(" "), about.join(" "));
        let mut found = Self::new(Kind::Article, a.slug.clone(), &a.title, &a.title, &text);
        found.hit.url = Some(a.url.clone());
        found
    }

    /// `shown` is the title as it is shown, `title` what counts as title.
    fn new(kind: Kind, name: String, shown: &str, title: &str, text: &str) -> Self {
        let mut counts = HashMap::new();
        for (part, weight) in [(title, TITLE_WEIGHT), (text, 1)] {
            for word in words(part) {
                *counts.entry(word).or_default() += weight;
            }
        }
        let length = counts.values().copied().map(f64::from).sum();
        Self {
            hit: Hit {
                kind,
                name,
                title: shown.to_owned(),
                url: None,
            },
            title: words(shown).into_iter().collect(),
            counts,
            length,
        }
    }
}

fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}

/// Lower-case words without the smallest ones, with a plural's end cut off.
fn words(text: &str) -> Vec<String> {
    const SMALL: [&str; 22] = [
        "a", "an", "and", "are", "by", "does", "for", "how", "in", "is", "it", "of", "on", "or",
        "the", "to", "was", "what", "which", "who", "with", "s",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .filter(|w| !SMALL.contains(&w.as_str()))
        .map(|w| match w.strip_suffix('s') {
            Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => w,
        })
        .take(2_000)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(query: &str) -> Vec<String> {
        let embedded = crate::desk::articles::embedded().unwrap();
        let articles: Vec<Article> = embedded.iter().map(|t| t.article.clone()).collect();
        let index = Index::build(&articles).unwrap();
        let name = |h: &Hit| format!("{}:{}", h.kind.word(), h.name);
        named_then_ranked(&index, query)
            .iter()
            .take(5)
            .map(name)
            .collect()
    }

    #[test]
    fn words_find_series_terms_methods_and_articles() {
        for (query, want) in [
            ("sahm rule", "term:sahm-rule"),
            ("unemployment rate", "series:UNRATE"),
            ("net liquidity method formula", "method:cnli"),
            ("reading the yield curve", "article:reading-the-yield-curve"),
            ("10 year treasury constant maturity", "series:DGS10"),
        ] {
            let found = best(query);
            assert!(found.iter().any(|f| f == want), "{query}: {found:?}");
        }
        assert!(best("zzzz qqqq").is_empty());
    }
}

//! From what a person types to a series: exact identifier, then alias, then normalised spelling, then
//! failure with suggestions. It never guesses: a near hit is offered, not taken.

use super::catalogue::{Catalogue, SeriesInfo};
use super::series::SeriesId;
use super::table;
use crate::error::{Error, Result, Suggestion, quote};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// How composites are named when nothing else is configured.
pub const DEFAULT_PREFIX: &str = "SERVICE_";

/// Room for the names of the embedded tables; more only cost a move.
const ROOM: usize = 2_048;

/// Finds series by name.
#[derive(Debug)]
pub struct Resolver {
    catalogue: &'static Catalogue,
    aliases: HashMap<String, Arc<SeriesInfo>>,
    ambiguous: HashMap<String, Vec<Suggestion>>,
    names: Vec<Name>,
    /// The words of every title, in catalogue order; made for the first name that is not known.
    titles: OnceLock<Vec<(Vec<String>, Arc<SeriesInfo>)>>,
}

/// A spelling that a typo is compared with.
#[derive(Debug)]
struct Name {
    folded: String,
    /// As the tables write it.
    written: String,
    info: Arc<SeriesInfo>,
}

impl Resolver {
    /// The resolver over the embedded catalogue and alias table.
    pub fn embedded() -> &'static Self {
        static RESOLVER: OnceLock<Resolver> = OnceLock::new();
        RESOLVER.get_or_init(|| {
            Self::build(
                Catalogue::embedded(),
                include_str!("../../data/aliases.csv"),
                include_str!("../../data/ambiguous.csv"),
            )
            // Both tables are fixed at build time and a test reads every row of them.
            .unwrap_or_else(|_| Self {
                catalogue: Catalogue::embedded(),
                aliases: HashMap::new(),
                ambiguous: HashMap::new(),
                names: Vec::new(),
                titles: OnceLock::new(),
            })
        })
    }

    /// Builds a resolver from the two alias tables (CSV text with headers).
    ///
    /// # Errors
    /// [`Error::BadFile`] when a row cannot be read, names an unknown series, or repeats a name.
    pub fn build(catalogue: &'static Catalogue, aliases: &str, ambiguous: &str) -> Result<Self> {
        let mut resolver = Self {
            catalogue,
            aliases: HashMap::with_capacity(ROOM),
            ambiguous: HashMap::with_capacity(ROOM),
            names: Vec::with_capacity(ROOM),
            titles: OnceLock::new(),
        };
        for info in catalogue.iter() {
            resolver.names.push(Name {
                folded: fold(info.id.as_str()),
                written: info.id.to_string(),
                info: Arc::clone(info),
            });
            if let Some(bare) = info.id.as_str().strip_prefix(DEFAULT_PREFIX) {
                resolver.alias(bare, info, "catalogue.csv", 1)?;
            }
        }
        for (line, row) in table::rows(aliases) {
            let [alias, id] = row.map_err(|problem| bad("aliases.csv", line, problem))?;
            let info = known(catalogue, id, "aliases.csv", line)?;
            resolver.alias(alias, info, "aliases.csv", line)?;
        }
        for (line, row) in table::rows(ambiguous) {
            let [name, id, note] = row.map_err(|problem| bad("ambiguous.csv", line, problem))?;
            let info = known(catalogue, id, "ambiguous.csv", line)?;
            let choice = Suggestion {
                id: info.id.to_string(),
                title: note.to_owned(),
            };
            let choices = resolver.ambiguous.entry(fold(name)).or_default();
            choices.push(choice);
        }
        if let Some(name) = resolver
            .ambiguous
            .keys()
            .find(|n| resolver.aliases.contains_key(*n))
        {
            return Err(bad("ambiguous.csv", 1, format!("{name} is an alias too")));
        }
        Ok(resolver)
    }

    fn titles(&self) -> &[(Vec<String>, Arc<SeriesInfo>)] {
        self.titles.get_or_init(|| {
            let words = |info: &Arc<SeriesInfo>| (title_words(&info.title), Arc::clone(info));
            self.catalogue.iter().map(words).collect()
        })
    }

    fn alias(&mut self, name: &str, info: &Arc<SeriesInfo>, file: &str, line: u64) -> Result<()> {
        let folded = fold(name);
        if let Some(other) = self.aliases.insert(folded.clone(), Arc::clone(info))
            && other.id != info.id
        {
            return Err(bad(
                file,
                line,
                format!("{name} already means {}", other.id),
            ));
        }
        self.names.push(Name {
            folded,
            written: name.to_owned(),
            info: Arc::clone(info),
        });
        Ok(())
    }

    /// Every identifier and alias as written, with its series.
    pub fn names(&self) -> impl Iterator<Item = (&str, &Arc<SeriesInfo>)> {
        self.names.iter().map(|n| (n.written.as_str(), &n.info))
    }

    /// The series among which a person must choose when naming this; empty when the name is not ambiguous.
    pub fn choices(&self, name: &str) -> &[Suggestion] {
        self.ambiguous.get(&fold(name)).map_or(&[], Vec::as_slice)
    }

    /// The catalogue behind the names.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// Names and aliases, as typed by people (folded), with what they mean.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &Arc<SeriesInfo>)> {
        self.aliases
            .iter()
            .map(|(name, info)| (name.as_str(), info))
    }

    /// The series a name means. `kind` is the word for the error: `ticker` or `series`.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] for a word that several series answer to, [`Error::Unknown`] with up to three
    /// suggestions for anything else that is not known, [`Error::InvalidParam`] for an empty name.
    pub fn resolve(&self, kind: &'static str, name: &str) -> Result<Arc<SeriesInfo>> {
        self.find(name).ok_or_else(|| self.explain(kind, name))
    }

    /// The series a name means, or nothing; costs a map look-up or two.
    pub fn find(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let upper = name.trim().to_ascii_uppercase();
        let folded = || fold(name);
        self.catalogue
            .get(&upper)
            .or_else(|| self.aliases.get(&folded()))
            .or_else(|| self.by_folded_id(&folded()))
            .map(Arc::clone)
    }

    /// Why a name does not resolve: empty, ambiguous, or unknown with what is near.
    pub fn explain(&self, kind: &'static str, name: &str) -> Error {
        if fold(name).is_empty() {
            return Error::invalid(
                kind,
                name,
                "is empty",
                "an identifier such as DGS10 or a name such as \"10y\"",
            );
        }
        if let Some(choices) = self.ambiguous.get(&fold(name)) {
            return Error::Ambiguous {
                name: quote(name),
                choices: choices.clone(),
            };
        }
        Error::Unknown {
            kind,
            name: quote(name),
            suggestions: self.suggest(name, 3),
        }
    }

    fn by_folded_id(&self, folded: &str) -> Option<&Arc<SeriesInfo>> {
        if folded.is_empty() {
            return None;
        }
        let mut hits = self
            .names
            .iter()
            .filter(|n| n.folded == folded && fold(n.info.id.as_str()) == folded);
        let first = hits.next()?;
        hits.all(|n| n.info.id == first.info.id)
            .then_some(&first.info)
    }

    /// Up to `most` series whose identifier, alias or title is near `name`, the nearest first.
    pub fn suggest(&self, name: &str, most: usize) -> Vec<Suggestion> {
        let wanted = fold(name);
        let words = title_words(name);
        let mut best: BTreeMap<&SeriesId, (Score, &Arc<SeriesInfo>)> = BTreeMap::new();
        for n in &self.names {
            if let Some(score) = near(&wanted, &n.folded) {
                keep(&mut best, score, &n.info);
            }
        }
        for (have, info) in self.titles() {
            let hits = words
                .iter()
                .filter(|w| have.iter().any(|h| h.starts_with(w.as_str())))
                .count();
            if hits > 0 && hits == words.len() {
                keep(&mut best, (2, 9, have.len()), info);
            }
        }
        let mut found: Vec<_> = best.into_values().collect();
        found.sort_by_key(|(score, info)| (*score, Reverse(info.metric), info.id.clone()));
        found
            .into_iter()
            .take(most)
            .map(|(_, info)| Suggestion {
                id: info.id.to_string(),
                title: info.title.clone(),
            })
            .collect()
    }
}

/// Smaller is nearer: edits first, then how hands slip, then difference in length.
type Score = (usize, u8, usize);

fn keep<'a>(
    best: &mut BTreeMap<&'a SeriesId, (Score, &'a Arc<SeriesInfo>)>,
    score: Score,
    info: &'a Arc<SeriesInfo>,
) {
    let slot = best.entry(&info.id).or_insert((score, info));
    if score < slot.0 {
        *slot = (score, info);
    }
}

/// Edit distance where it is small for the length, or a shared beginning.
fn near(wanted: &str, name: &str) -> Option<Score> {
    let longer = wanted.len().max(name.len());
    let gap = wanted.len().abs_diff(name.len());
    let allowed = match longer {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    if gap <= allowed {
        let edits = strsim::osa_distance(wanted, name);
        if edits <= allowed && edits < longer {
            return Some((edits, slip(wanted, name), gap));
        }
    }
    (wanted.len() >= 3 && name.starts_with(wanted)).then_some((2, 9, gap))
}

/// Rows of a keyboard, digits above letters.
const KEYS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];

/// How likely a hand is to have made one text of the other: 0 for a key struck twice or once too little, a
/// key beside the right one, or two in the wrong order; 1 for a key left out or in; 2 for another key.
fn slip(typed: &str, meant: &str) -> u8 {
    let (typed, meant) = (typed.as_bytes(), meant.as_bytes());
    let start = typed.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (a, b) = (
        typed.get(start..).unwrap_or(&[]),
        meant.get(start..).unwrap_or(&[]),
    );
    let before = start.checked_sub(1).and_then(|i| typed.get(i));
    match (a, b) {
        ([x, rest @ ..], b) if rest == b => u8::from(before != Some(x)),
        (a, [y, rest @ ..]) if rest == a => u8::from(before != Some(y)),
        ([x, y, rest @ ..], [v, w, tail @ ..]) if x == w && y == v && rest == tail => 0,
        ([x, rest @ ..], [y, tail @ ..]) if rest == tail => {
            if beside(*x, *y) {
                0
            } else {
                2
            }
        }
        _ => 3,
    }
}

/// Whether two keys touch, or look alike.
fn beside(a: u8, b: u8) -> bool {
    let place = |key: u8| {
        KEYS.iter().zip(0i8..).find_map(|(row, y)| {
            let x = row.iter().zip(0i8..).find(|(k, _)| **k == key)?.1;
            Some((x, y))
        })
    };
    let alike = matches!(
        (a, b),
        (b'0', b'o') | (b'o', b'0') | (b'1', b'l' | b'i') | (b'l' | b'i', b'1')
    );
    alike
        || place(a)
            .zip(place(b))
            .is_some_and(|((x, y), (v, w))| x.abs_diff(v) <= 1 && y.abs_diff(w) <= 1)
}

/// Lower case, letters and digits alone: "10-Year " and "10 year" are one.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        let mut folded = String::with_capacity(name.len().min(80));
        folded.extend(kept.take(80).map(|b| char::from(b.to_ascii_lowercase())));
        return folded;
    }
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(80)
        .collect()
}

fn title_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .take(12)
        .map(str::to_lowercase)
        .collect()
}

fn known<'a>(
    catalogue: &'a Catalogue,
    id: &str,
    file: &str,
    line: u64,
) -> Result<&'a Arc<SeriesInfo>> {
    catalogue
        .get(id)
        .or_else(|| catalogue.get(&id.to_ascii_uppercase()))
        .ok_or_else(|| bad(file, line, format!("{id} is not in the catalogue")))
}

fn bad(file: &str, line: u64, problem: String) -> Error {
    Error::BadFile {
        file: file.into(),
        line: Some(line),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> String {
        Resolver::embedded()
            .resolve("ticker", name)
            .map_or_else(|e| e.to_string(), |i| i.id.to_string())
    }

    #[test]
    fn the_alias_tables_are_sound() -> Result<()> {
        let aliases = include_str!("../../data/aliases.csv");
        Resolver::build(
            Catalogue::embedded(),
            aliases,
            include_str!("../../data/ambiguous.csv"),
        )?;
        let mut folded: Vec<String> = aliases
            .lines()
            .skip(1)
            .filter_map(|l| l.rsplit_once(','))
            .map(|(a, _)| fold(a))
            .collect();
        assert!(folded.len() >= 300, "{} aliases", folded.len());
        folded.sort();
        folded
            .windows(2)
            .for_each(|w| assert_ne!(w.first(), w.last(), "twice"));
        Ok(())
    }

    #[test]
    fn names_people_use_resolve() {
        for (name, want) in [
            ("dgs10", "DGS10"),
            ("10y", "DGS10"),
            ("10-Year", "DGS10"),
            ("yield curve", "T10Y2Y"),
            ("fed funds", "EFFR"),
            ("unemployment", "UNRATE"),
            ("cpi", "CPIAUCSL"),
            ("vix", "VIXCLS"),
            ("CRPI", "SERVICE_CRPI"),
            ("cvrp", "SERVICE_CRPI"),
            ("T10Y-2Y", "T10Y2Y"),
            ("btc", "BTC"),
        ] {
            assert_eq!(id(name), want, "{name}");
        }
    }

    #[test]
    fn a_typo_is_never_taken_but_always_answered() {
        let said = id("DGS1O");
        assert!(
            said.starts_with("Unknown ticker \"DGS1O\". Did you mean: "),
            "{said}"
        );
        assert!(said.contains("DGS10"), "{said}");
        assert!(id("inflation").contains("ambiguous"));
        assert!(id("  ").contains("is empty"));
    }
}

//! Resolution of names: from what a person types to a series or formula, the same for every tool, page and command.
//!
//! The order is: catalogue and curated names; the store; identifiers of agencies and vendors; the usual meaning of an
//! ambiguous name; the reading of its words; the register of what is not carried; typos. A reading that is not written in
//! the names is stated in the answer ("read as GASREGW"). What has no reading is refused with the reason and the nearest
//! series; a name like nothing known has none.

use super::parts::inputs;
use super::read::{self, Part};
use super::register::{NameTable, suggest};
use super::words::{self, Token};
use crate::Desk;
use crate::texts::remarks;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::indicators::expression;
use econoscope_core::indicators::prose::{enclosed, join};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::model::words::{Spelling, fold_name};
use econoscope_core::model::{AsOf, Date, DateRange, SeriesId, SeriesInfo, table};
use jiff::ToSpan;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

/// Most series suggested for an unknown name, or listed beside the usual meaning of an ambiguous one.
const MAX_SUGGESTIONS: usize = 3;
/// Most readings of a misspelled word, and most misspelled words in a name.
const MAX_READINGS: usize = 4;
const MAX_MISSPELLED: usize = 2;
/// Fewest letters of the only word if one of them is another one.
const MIN_ONLY_WORD: usize = 6;

/// The series that a name means.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The series.
    pub info: Arc<SeriesInfo>,
    /// Series that belong to it, such as the other end of a range.
    pub related: Vec<Arc<SeriesInfo>>,
    /// The reading of a name that is not the series' own: "inflation" read as CPI_YOY.
    pub note: Option<String>,
}

/// What a name means: one series or formula, or several columns.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// The columns, each a series or formula.
    pub columns: Vec<Part>,
    /// How the name was read, unless it is the series' own.
    pub note: Option<String>,
}

impl Meaning {
    fn exact(info: &Arc<SeriesInfo>) -> Self {
        Self {
            columns: vec![Part::series(info)],
            note: None,
        }
    }

    fn of(name: &str, columns: Vec<Part>) -> Self {
        let reading = |part: &Part| {
            let others = part.choices.map_or_else(String::new, other_choices);
            format!("{}, {}{others}", part.formula, title(part))
        };
        let readings = join(columns.iter().map(reading), "; ");
        let mut unread: Vec<&String> = columns.iter().flat_map(|part| &part.unread).collect();
        unread.dedup();
        let unread = enclosed(
            "; not read: \"",
            &join(unread, " "),
            "\" (days are as_of, start, end or dates)",
        );
        let note = format!("\"{}\" read as {readings}{unread}", quote(name));
        Self {
            columns,
            note: Some(note),
        }
    }
}

/// Returns the title of a series, or the formula in words.
pub fn title(part: &Part) -> String {
    if let Some(info) = &part.info {
        return info.title.clone();
    }
    let name = |id: &str| match Catalogue::embedded().get(id) {
        Some(info) => info.title.clone(),
        None => id.to_owned(),
    };
    let tree = expression::parse(&part.formula);
    tree.map_or_else(|_| part.formula.clone(), |tree| tree.describe(&name))
}

/// Describes what an ambiguous name may mean besides its usual meaning.
fn other_choices(choices: &Choices) -> String {
    let is_beside = |id: &str| choices.companions.iter().any(|info| info.id.as_str() == id);
    let others = choices.candidates.iter().skip(1);
    let named = others.filter(|other| !is_beside(&other.id));
    let texts = named.map(|s| format!("{} ({})", s.id, s.title));
    let list = join(texts.take(MAX_SUGGESTIONS), ", ");
    enclosed("; it may also mean ", &list, "")
}

/// Returns the series of the catalogue that a name means.
pub fn find(name: &str) -> Option<Arc<SeriesInfo>> {
    Some(resolve("series", name).ok()?.info)
}

/// Resolves a name to one series of the catalogue. `kind` is the word for the name in errors: `ticker` or `series`.
///
/// # Errors
/// As [`read`]; [`Error::InvalidParam`] for what is a formula, [`Error::Ambiguous`] for several series.
pub fn resolve(kind: &'static str, name: &str) -> Result<Resolution> {
    let Meaning { columns, note } = read(kind, name)?;
    if let [part] = columns.as_slice() {
        let Some(info) = &part.info else {
            let problem = format!("is a formula here, {}", part.formula);
            let takes = "a series; get_metric and compare_series take";
            let allowed = format!("{takes} {}", part.formula);
            return Err(Error::invalid(kind, name, &problem, &allowed));
        };
        let choices = part.choices;
        return Ok(Resolution {
            info: Arc::clone(info),
            related: choices.map_or_else(Vec::new, |choices| choices.companions.clone()),
            note,
        });
    }
    let choice = |part: &Part| Suggestion::new(part.formula.as_str(), title(part));
    Err(Error::Ambiguous {
        name: quote(name),
        problem: "names several series, and one is taken here (compare_series takes up to eight)",
        choices: columns.iter().map(choice).collect(),
    })
}

/// Reads a name.
///
/// # Errors
/// [`Error::InvalidParam`] for an empty name, [`Error::NoData`] for a discontinued series, [`Error::Ambiguous`], and
/// [`Error::Unknown`] with the reason and the nearest series.
pub fn read(kind: &'static str, name: &str) -> Result<Meaning> {
    let names = Names::embedded();
    if let Some(info) = names.find(name) {
        return Ok(Meaning::exact(&info));
    }
    if fold_name(name).is_empty() {
        let allowed = "an identifier such as DGS10 or a name such as \"10y\"";
        return Err(Error::invalid(kind, name, "is empty", allowed));
    }
    if let Some(error) = remarks::discontinued(name) {
        return Err(error);
    }
    let text = foreign_id(name).unwrap_or(name);
    if let Some(part) = written(text) {
        return Ok(Meaning::of(name, vec![part]));
    }
    if let Some(choices) = names.choices(text) {
        return Ok(Meaning::of(name, vec![Part::usual(name, choices)?]));
    }
    if let Some(tokens) = words::with_state(text).map(|text| words::tokens(&text)) {
        if let Some(columns) = read_all(&tokens)? {
            return Ok(Meaning::of(name, columns));
        }
        if let Some(refusal) = read::elsewhere(&tokens) {
            return Err(unknown(kind, name, refusal));
        }
    }
    let tokens = words::tokens(text);
    if let Some(columns) = read_all(&tokens)? {
        return Ok(Meaning::of(name, columns));
    }
    if read::absent(&tokens).is_none()
        && let Some(reading) = correct(&tokens)?
    {
        if let Some(columns) = read_all(&reading)? {
            return Ok(Meaning::of(name, columns));
        }
        return Err(refuse(kind, name, &reading));
    }
    Err(refuse(kind, name, &tokens))
}

/// Reads an identifier, or a formula of identifiers.
fn written(text: &str) -> Option<Part> {
    if let Some(info) = Names::embedded().find(text) {
        return Some(Part::series(&info));
    }
    let tree = expression::parse(text).ok()?;
    let is_known = |(name, _): (&str, usize)| Catalogue::embedded().get(name).is_some();
    let is_formula = !tree.has_comparison() && tree.names().into_iter().all(is_known);
    is_formula.then(|| Part::formula(text, ""))
}

/// Reads the words of a name as written. What the register has is not computed from its words.
fn read_all(tokens: &[Token]) -> Result<Option<Vec<Part>>> {
    if read::is_absent(tokens)? {
        return Ok(None);
    }
    match read::single(tokens)? {
        Some(part) => Ok(Some(vec![part])),
        None if read::absent(tokens).is_some() => Ok(None),
        None => read::parts(tokens),
    }
}

/// Builds the error for a name without a reading.
fn refuse(kind: &'static str, name: &str, tokens: &[Token]) -> Error {
    let siblings = similar_ids(name);
    let word = name.trim();
    let is_one_word = !word.contains(' ') && !words::is_english(&word.to_lowercase());
    let near = if is_one_word {
        suggestions(name)
    } else {
        Vec::new()
    };
    let refusal = match read::absent(tokens) {
        Some(refusal) => Some(refusal),
        None if !siblings.is_empty() => {
            let others = near.into_iter().filter(|one| !siblings.contains(one));
            let all = others.take(1).chain(siblings.iter().cloned()).collect();
            Some(("no series here has this identifier".to_owned(), all))
        }
        None if !near.is_empty() => Some((String::new(), near)),
        None => read::refusal(tokens),
    };
    unknown(kind, name, refusal.unwrap_or_default())
}

fn unknown(kind: &'static str, name: &str, refusal: read::Refusal) -> Error {
    Error::Unknown {
        kind,
        name: quote(name),
        why: refusal.0,
        suggestions: refusal.1,
    }
}

/// Returns what an identifier of an agency or vendor is here, or its text without a vendor's prefix and suffix; `None` for
/// any other text.
fn foreign_id(name: &str) -> Option<&str> {
    let ids = &NameTable::embedded().ids;
    let name = name.trim();
    let is_prefix = |(before, _): &(&str, &str)| before.chars().all(char::is_alphanumeric);
    let prefixed = name.split_once(':').filter(is_prefix);
    let id = prefixed.map_or(name, |(_, id)| id);
    let mut prefixes = ["FRED/", "H15/", "G17/", "H41/", "^", "$"].into_iter();
    let after = prefixes.find_map(|prefix| id.strip_prefix(prefix));
    let stem = after.unwrap_or(id);
    let mut suffixes = [" Index", " Curncy", " Comdty", " Govt", "=X", "=F"].into_iter();
    let before = suffixes.find_map(|suffix| stem.strip_suffix(suffix));
    let bare = before.unwrap_or(stem);
    let folded = fold_name(bare);
    let is_held = Names::embedded().find(bare).is_some();
    // Only an identifier with a long number belongs to a family.
    let digits = |id: &str| id.chars().filter(char::is_ascii_digit).collect::<String>();
    // A slip in the letters alone is no other identifier.
    let is_other = |id: &str| id.len() == bare.len() && *bare == bare.to_ascii_uppercase();
    let is_slip = || {
        let near = suggestions(bare);
        // Identifiers of a family are of one length; with a letter too many or too few it is none.
        let has = |is_case: fn(&char) -> bool| bare.chars().any(|c| is_case(&c));
        let is_mixed = has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase);
        let is_meant = |id: &str| {
            is_mixed || id.len() != bare.len() || digits(id) == digits(bare) && !is_other(id)
        };
        near.iter().any(|one| is_meant(&one.id))
    };
    let is_long = digits(bare).len() > 2 && !is_held && !is_slip();
    let family = || {
        let mut ends = (3..folded.len()).rev().filter(|_| is_long);
        ends.find_map(|end| ids.get(&format!("{}*", folded.get(..end)?)))
    };
    let exact = ids.get(&fold_name(name)).or_else(|| ids.get(&folded));
    let known = exact.or_else(family).copied();
    known.or_else(|| (bare != name).then_some(bare))
}

/// Returns the identifiers with the same letters and the nearest numbers: DFII5 for DFII2.
fn similar_ids(name: &str) -> Vec<Suggestion> {
    let split = |id: &str| {
        let (digits, letters): (String, String) =
            fold_name(id).chars().partition(char::is_ascii_digit);
        Some((letters, digits.parse::<u32>().ok()?))
    };
    let Some((letters, number)) = split(name).filter(|(letters, _)| letters.len() >= 3) else {
        return Vec::new();
    };
    let all = Catalogue::embedded().iter();
    let alike = all.filter_map(|info| {
        let (others, other) = split(info.id.as_str())?;
        (others == letters).then(|| (other.abs_diff(number), info))
    });
    let mut nearest: Vec<_> = alike.collect();
    nearest.sort_by_key(|(distance, _)| *distance);
    suggest(nearest.into_iter().map(|(_, info)| info).take(2))
}

/// Corrects misspelled words; `None` if there are none, or no or more than one reading. An identifier is not corrected.
///
/// # Errors
/// As [`read_all`].
fn correct(tokens: &[Token]) -> Result<Option<Vec<Token>>> {
    let table = NameTable::embedded();
    let is_wrong = |token: &Token| token.kind == words::Kind::Word && !table.is_known(&token.text);
    let is_told = |token: &&Token| !matches!(token.kind, words::Kind::Stop | words::Kind::Filler);
    let wrong = tokens.iter().filter(|token| is_wrong(token)).count();
    let has_digits = tokens
        .iter()
        .any(|t| is_wrong(t) && t.typed.contains(|c: char| c.is_ascii_digit()));
    if !(1..=MAX_MISSPELLED).contains(&wrong) || has_digits {
        return Ok(None);
    }
    let is_only = tokens.iter().filter(is_told).count() == 1;
    let mut texts = vec![String::new()];
    for token in tokens {
        let mut near = vec![token.typed.as_str()];
        if is_wrong(token) {
            near = words::readings(&token.text, &table.spellings);
            if near.is_empty() {
                near = words::readings(&format!("{}s", token.text), &table.spellings);
            }
            near.retain(|word| !is_only || word.chars().next() == token.text.chars().next());
            let is_short = is_only && token.text.len() < MIN_ONLY_WORD;
            near.retain(|word| {
                !is_short
                    || word.len() == token.text.len()
                        && word.chars().all(|c| token.text.contains(c))
            });
        }
        near.truncate(MAX_READINGS);
        let pairs = texts
            .iter()
            .flat_map(|text| near.iter().map(move |word| [text.as_str(), *word]));
        texts = pairs.map(|pair| pair.join(" ")).collect();
    }
    let mut found: Option<(Vec<Token>, Vec<String>)> = None;
    for text in texts {
        let reading = words::tokens(&text);
        let parts = read_all(&reading)?.unwrap_or_default();
        let formulas: Vec<String> = parts.into_iter().map(|part| part.formula).collect();
        if formulas.is_empty() && read::absent(&reading).is_none() {
            continue;
        }
        if found.as_ref().is_some_and(|(_, other)| *other != formulas) {
            return Ok(None);
        }
        found = Some((reading, formulas));
    }
    Ok(found.map(|(reading, _)| reading))
}

/// Returns why what a text names is not carried, if the register or a place says so.
pub(super) fn absence(text: &str) -> Option<String> {
    let tokens = words::tokens(foreign_id(text).unwrap_or(text));
    if written(text).is_some() || read_all(&tokens).is_ok_and(|parts| parts.is_some()) {
        return None;
    }
    let refusal = read::absent(&tokens).or_else(|| read::elsewhere(&tokens));
    Some(unknown("series", text, refusal?).to_string())
}

/// Returns the identifiers of the series that a name means or, ambiguous, may mean, those of a formula included.
pub(super) fn ids(name: &str) -> Vec<String> {
    let columns = match read("series", name) {
        Ok(meaning) => meaning.columns,
        Err(Error::Ambiguous { choices, .. }) => {
            return choices.into_iter().map(|choice| choice.id).collect();
        }
        Err(_) => Vec::new(),
    };
    let formulas = columns.iter().map(|part| &part.formula);
    formulas.flat_map(|formula| inputs(formula)).collect()
}

fn catalogue_series(id: &str) -> Option<Arc<SeriesInfo>> {
    Catalogue::embedded().get(id).cloned()
}

/// Returns the series with a name spelled like this one, the most similar first.
pub fn suggestions(name: &str) -> Vec<Suggestion> {
    type Named = (Spelling, &'static Arc<SeriesInfo>);
    static NAMES: LazyLock<Vec<Named>> = LazyLock::new(|| {
        let names = Names::embedded();
        let all = names.catalogue().iter();
        let ids = all.map(|info| (info.id.as_str(), info));
        let choices = names.ambiguous().flat_map(|choices| {
            let ids = choices.candidates.iter().map(|candidate| &candidate.id);
            ids.filter_map(|id| Some((choices.name, Catalogue::embedded().get(id)?)))
        });
        let all = ids.chain(names.aliases()).chain(choices);
        all.map(|(name, info)| (Spelling::new(fold_name(name)), info))
            .collect()
    });
    let typed = Spelling::new(fold_name(name));
    // Two typos in five letters leave another word.
    let length = typed.text().chars().count();
    let distance = |(spelling, info): &Named| {
        let distance = typed.distance(spelling)?;
        (distance[0] <= 1 || length > 5).then_some((distance, !info.is_metric, *info))
    };
    let mut near: Vec<_> = NAMES.iter().filter_map(distance).collect();
    near.sort_by_key(|(distance, is_minor, info)| (*distance, *is_minor, &info.id));
    let mut seen = HashSet::new();
    let infos = near.into_iter().map(|(.., info)| info);
    suggest(infos.filter(|info| seen.insert(&info.id)))
}

impl Desk {
    /// Returns the series that a name means. Composites have the configured prefix, `SERVICE_`, or none.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Ambiguous`] or [`Error::InvalidParam`].
    pub fn resolve(&self, kind: &'static str, name: &str) -> Result<Arc<SeriesInfo>> {
        Ok(self.resolution(kind, name)?.info)
    }

    /// Resolves a name to one series and states its reading.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolution(&self, kind: &'static str, name: &str) -> Result<Resolution> {
        let mut resolution = match self.find_exact(name)? {
            Some(info) => Resolution {
                info,
                related: Vec::new(),
                note: None,
            },
            None => resolve(kind, name)?,
        };
        resolution.info = self.info_with_base(&resolution.info, self.today())?;
        Ok(resolution)
    }

    /// Resolves a name for a range as known at `as_of`: where its usual series begins later, to the same over a longer time. An
    /// identifier means that series alone. The note says when it begins, and which reaches back.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolution_in(
        &self,
        kind: &'static str,
        name: &str,
        range: DateRange,
        as_of: AsOf,
    ) -> Result<Resolution> {
        let mut resolution = self.resolution(kind, name)?;
        let old = Arc::clone(&resolution.info);
        let first = |info: &Arc<SeriesInfo>| -> Result<Option<Date>> {
            let series = self.series(info, as_of)?;
            Ok(series.and_then(|series| Some(series.observations.first()?.date)))
        };
        let mut pairs = table::embedded(include_str!("../../data/longer.csv"));
        let pair = pairs.find(|[id, ..]: &[&str; 3]| old.id.as_str() == *id);
        let [_, longer, taken] = pair.unwrap_or_default();
        let begins = first(&old)?;
        // All there is begins where it begins, but for what is short only by its source.
        let is_all = |day: Date| range.is_open() && range.end >= day && taken != "always";
        // A period may be dated by a day of the next one.
        let slack = shift(shift(range.start, 9.days()), old.frequency.period());
        if begins.is_some_and(|day| is_all(day) || day <= slack) {
            return Ok(resolution);
        }
        let mut notes: Vec<String> = resolution.note.take().into_iter().collect();
        notes.extend(begins.map(|day| format!("{} begins {day}", old.id)));
        if let Some(longer) = catalogue_series(longer)
            && first(&longer)?.is_some_and(|day| begins.is_none_or(|begins| day < begins))
        {
            let is_taken = taken != "never" && !old.id.as_str().eq_ignore_ascii_case(name.trim());
            let verb = match taken {
                _ if is_taken => "is taken",
                "never" => "reaches back further, as another measure",
                _ => "reaches back further",
            };
            notes.push(format!("{} ({}) {verb}", longer.id, longer.title));
            if is_taken {
                resolution.info = longer;
            }
        }
        resolution.note = Some(join(notes, "; ")).filter(|note| !note.is_empty());
        Ok(resolution)
    }

    /// Reads a name: a series, a formula, or several columns.
    ///
    /// # Errors
    /// As [`read`].
    pub fn meaning(&self, kind: &'static str, name: &str) -> Result<Meaning> {
        match self.find_exact(name)? {
            Some(info) => Ok(Meaning::exact(&info)),
            None if self.is_formula(name)? => Ok(Meaning {
                columns: vec![Part::formula(name, "")],
                note: None,
            }),
            None => read(kind, name),
        }
    }

    /// Whether a text is a formula of which a series outside the catalogue is a part, and all are held.
    fn is_formula(&self, text: &str) -> Result<bool> {
        let Ok(tree) = expression::parse(text) else {
            return Ok(false);
        };
        let names: Vec<&str> = tree.names().into_iter().map(|(name, _)| name).collect();
        let is_outside = |name: &&str| Names::embedded().find(name).is_none();
        if tree.has_comparison() || names == [text.trim()] || !names.iter().any(is_outside) {
            return Ok(false);
        }
        let ids = names.into_iter().map(|name| self.find_id(name));
        Ok(ids.collect::<Result<Vec<_>>>()?.iter().all(Option::is_some))
    }

    /// Returns the identifier that a name may be at a source: it is typed like one, in capitals and digits or after an agency,
    /// and is nothing here. No other word is sent to a source.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn requested_id(&self, name: &str) -> Result<Option<SeriesId>> {
        let typed = name.trim();
        let Ok(id) = SeriesId::new(typed) else {
            return Ok(None);
        };
        let is_typed = (2..=25).contains(&typed.len())
            && !typed.contains(|c: char| c.is_ascii_lowercase() || c == '.')
            && typed.contains(|c: char| c.is_ascii_uppercase())
            && !words::is_english(&typed.to_lowercase());
        let is_requested = is_typed || id.as_str().contains(':');
        Ok(match self.meaning("series", typed) {
            Err(Error::Unknown { .. }) if is_requested => Some(id),
            Err(error @ Error::Store { .. }) => return Err(error),
            Ok(_) | Err(_) => None,
        })
    }

    /// Returns the series with exactly this name, in the catalogue or the store.
    fn find_exact(&self, name: &str) -> Result<Option<Arc<SeriesInfo>>> {
        let id = self.find_id(name)?;
        let info = |id: SeriesId| match catalogue_series(id.as_str()) {
            Some(info) => Ok(info),
            None => self.outside_catalogue(&id),
        };
        id.map(info).transpose()
    }

    /// Returns the identifier of the series with exactly this name, in the catalogue or the store; `None` for any other
    /// name, without a search.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn find_id(&self, name: &str) -> Result<Option<SeriesId>> {
        let prefix = self.settings().prefix.as_str();
        let split = name.trim().split_at_checked(prefix.len());
        let is_own = |head: &str| !head.is_empty() && head.eq_ignore_ascii_case(prefix);
        let composite = split
            .filter(|(head, _)| is_own(head))
            .and_then(|(_, bare)| {
                catalogue_series(&format!("{DEFAULT_PREFIX}{}", bare.to_ascii_uppercase()))
            });
        if let Some(info) = composite.or_else(|| Names::embedded().find(name)) {
            return Ok(Some(info.id.clone()));
        }
        Ok(match SeriesId::new(name) {
            Ok(id) if self.series_status(&id)?.is_some() => Some(id),
            Ok(id) if id.as_str().contains(':') => {
                self.settings().recipes().listed_as(&id).cloned()
            }
            Ok(_) | Err(_) => None,
        })
    }

    /// Returns the identifier for display: composites have the configured prefix.
    pub fn display_id(&self, id: &SeriesId) -> String {
        match id.as_str().strip_prefix(DEFAULT_PREFIX) {
            Some(bare) => format!("{}{bare}", self.settings().prefix),
            None => id.to_string(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn resolved(name: &str) -> String {
        match resolve("ticker", name) {
            Ok(resolution) => resolution.info.id.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn mistyped_identifiers_are_errors_with_suggestions() {
        for (mistyped, meant) in [("DGS1O", "DGS10"), ("TJSJOR", "JTSJOR")] {
            let message = resolved(mistyped);
            let start = format!("No series \"{mistyped}\". Did you mean: {meant}");
            assert!(message.starts_with(&start), "{message}");
        }
        assert!(resolved("bogus").contains("nor a similar name"));
        // Too unlike the nearest name, PAYEMS.
        assert!(find("params").is_none());
        assert!(resolved("spread").contains("ambiguous"));
        assert!(resolved("current rates in the US").contains("ambiguous"));
        assert!(resolved("  ").contains("is empty"));
    }

    #[test]
    fn names_with_more_readings_than_time_are_given_up() {
        // Tried in every way, each of these took a processor for seconds.
        for name in [
            "cusyingDGS6MO,DGS20,AWHMAN,PPIACO,SERVICE_CRPI2,DRTSCILM,CUSR0000SAS,DFII30",
            "core and headline minus wti plus brent over gold less oil share m2 and cpi and ppi",
            "yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy yoy zzq",
            "yoy mom growth change real annualized yoy average yearly monthly percent qq zzq",
        ] {
            assert!(resolve("series", name).is_err(), "{name}");
        }
    }

    #[test]
    fn usual_meaning_is_used_and_stated() {
        let inflation = resolve("series", "what is inflation").unwrap();
        assert_eq!(inflation.info.id.as_str(), "CPI_YOY");
        let message = inflation.note.unwrap();
        assert!(
            message.starts_with("\"what is inflation\" read as CPI_YOY"),
            "{message}"
        );
        assert!(message.contains("it may also mean CPIAUCSL ("), "{message}");
        let only = resolve("series", "real fed funds rate today").unwrap();
        assert_eq!(only.info.id.as_str(), "REAL_FEDFUNDS");
        assert!(only.note.unwrap().contains("read as REAL_FEDFUNDS"));
        let range = resolve("series", "fed funds target range").unwrap();
        assert_eq!(
            (range.info.id.as_str(), range.related.len()),
            ("DFEDTARU", 1)
        );
        assert_eq!(resolve("series", "unemployment").unwrap().note, None);
    }

    #[test]
    fn phrases_resolve_despite_order_fillers_and_typos() {
        for (phrase, want) in [
            ("30-year treasury yield", "DGS30"),
            ("treasury 30 year yield", "DGS30"),
            ("30-year treasury yeild", "DGS30"),
            ("what is the unemployment rate", "UNRATE"),
            ("consumer sentiment university of michigan", "UMCSENT"),
            ("stress index st louis", "STLFSI4"),
            ("average daily gas price", "GASREGW"),
            ("monthly average wti", "MCOILWTICO"),
            ("unemploymnet", "UNRATE"),
        ] {
            assert_eq!(resolved(phrase), want, "{phrase}");
        }
        let message = resolved("treasury maturity");
        assert!(message.contains("Choose one"), "{message}");
    }

    #[test]
    fn unknown_names_get_no_wrong_suggestion() {
        for (unknown, expected) in [
            (
                "price of pork",
                "is not carried: of the parts of food none is held",
            ),
            ("tesla stock", "shares of single companies are not held"),
            (
                "4-year treasury yield",
                "DGS3 (3-Year Treasury Constant Maturity); DGS5",
            ),
            ("blockchain", "nor a similar name"),
            (
                "texas cpi",
                "no series here is of Texas alone. Nearest: CUURS37ASA0",
            ),
        ] {
            let message = resolved(unknown);
            assert!(message.contains(expected), "{message}");
        }
        let ended = resolved("3-month libor");
        assert!(ended.contains("ended 2023-06-30; SOFR follows"), "{ended}");
    }

    /// Returns the formula of each column, or the error.
    pub(in crate::names) fn columns(name: &str) -> String {
        match read("series", name) {
            Ok(meaning) => {
                let formulas = meaning.columns.iter().map(|part| part.formula.as_str());
                formulas.collect::<Vec<_>>().join("; ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn operators_transforms_and_exclusions_are_kept() {
        for (name, want) in [
            ("10y minus 30y", "-T30Y10Y"),
            ("wti minus brent", "-BRENT_WTI"),
            ("imports minus exports", "-BOPGSTB"),
            ("dollars per yen", "1/DEXJPUS"),
            ("m1 to m2 ratio", "M1SL/M2SL"),
            ("interest payments over tax receipts", "INTEREST_TO_TAXES"),
            ("earnings minus inflation", "WAGE_YOY-CPI_YOY"),
            ("claims and unemployment", "ICSA; UNRATE"),
            ("2y, 5y and 10y", "DGS2; DGS5; DGS10"),
            ("core and headline cpi", "CPILFESL; CPIAUCSL"),
            ("difference between u6 and u3", "U6RATE-UNRATE"),
            ("job openings yoy", "yoy(JTSJOL)"),
            ("apparel inflation", "yoy(CPIAPPSL)"),
            ("6 month annualized core pce", "ann(PCEPILFE,6)"),
            ("4-week moving average of continuing claims", "ma(CCSA,4)"),
            ("jobless claims not seasonally adjusted", "ICNSA"),
            ("consumer prices except food and energy", "CPILFESL"),
            ("cpi without shelter", "CUSR0000SA0L2"),
            ("state government jobs", "CES9092000001"),
            ("water inflation", "yoy(CUSR0000SEHG)"),
            ("LNS11300000", "CIVPART"),
            ("LNS14000002", "LNS14000002"),
            ("H15/RIFLGFCY10_N.B", "DGS10"),
            ("USGG2YR Index", "DGS2"),
            ("Arbeitslosenquote USA", "UNRATE"),
            ("durrable goods orders", "DGORDER"),
        ] {
            assert_eq!(columns(name), want, "{name}");
        }
        for refused in [
            "core cpi ex shelter",
            "farm payrolls",
            "silver prices",
            "rate volatility",
            "ism manufacturing",
            "DFII2",
            "LNS14000099",
        ] {
            let message = columns(refused);
            assert!(message.contains("is not carried"), "{message}");
        }
    }

    #[test]
    fn every_entry_of_the_register_is_refused_with_a_series() {
        let text = include_str!("../../data/absent.csv");
        let mut entries = 0;
        let mut read = Vec::new();
        for (line, row) in table::rows::<4>(text) {
            let [names, why, nearest, _] = row.unwrap();
            for id in nearest.split(';').filter(|id| !id.is_empty()) {
                assert!(catalogue_series(id).is_some(), "line {line}: {id}");
            }
            assert!(!why.is_empty(), "line {line}");
            let first = names.split('|').next().unwrap();
            let message = columns(first);
            let words = ["is not carried", "ended"];
            if !words.iter().any(|word| message.contains(word)) {
                read.push(format!("line {line}: {first}: {message}"));
            }
            entries += 1;
        }
        assert!(read.is_empty(), "{read:#?}");
        assert!(entries >= 300, "{entries}");
    }

    #[test]
    fn every_formula_of_the_tables_names_known_series() {
        let tables = [
            include_str!("../../data/phrases.csv"),
            include_str!("../../data/ids.csv"),
        ];
        for (line, row) in tables.iter().flat_map(|text| table::rows::<2>(text)) {
            let [name, meaning] = row.unwrap();
            let is_absent = || columns(meaning).contains("is not carried");
            let known = |tree: expression::Expr| {
                tree.names()
                    .iter()
                    .all(|(name, _)| catalogue_series(name).is_some())
            };
            let is_known = expression::parse(meaning).is_ok_and(known);
            assert!(is_known || is_absent(), "line {line}: {name}: {meaning}");
        }
    }
}

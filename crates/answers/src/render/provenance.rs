//! The provenance of an answer: reference day, age, sources, and why a figure is absent.

use crate::prelude::*;
use crate::render::error_bar;
use crate::route::decode::format_value;
use econoscope_core::error::Absence;
use econoscope_core::format;
use econoscope_core::indicators::regime::{RegimeMonth, RegimeReading};
use econoscope_core::indicators::{self, Indicator, Reading, prose};
use econoscope_core::model::{SeriesId, table};
use econoscope_desk::ReferenceDay;
use econoscope_desk::basis::{Basis, Values};
use econoscope_desk::names::resolve::{self, Resolution};
use econoscope_desk::texts::citations::Citation;
use econoscope_desk::texts::doubts::Doubt;
use econoscope_desk::texts::remarks;
use serde_json::json;
use std::fmt;

/// Most series that a sentence names; of more, it gives the number.
const MAX_NAMED: usize = 8;

/// Most late fields that the text names; of more, it gives the number.
const MAX_LATE: usize = 3;

/// Most sources that a text names in full; of more, agencies go by their usual short names.
const MAX_SOURCES: usize = 4;

/// The usual short names of agencies.
const SHORT_SOURCES: &str = include_str!("../../data/sources.csv");

/// What a text calls the fields that need a name in it; a series goes by its identifier.
const SUBJECTS: &str = include_str!("../../data/subjects.csv");

/// Provenance of an answer; fields are absent if an upstream does not send them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The reference day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// Days from then to today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i64>,
    /// `live` if synced within 48 hours, else `snapshot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<String>,
    /// With `as_of`: for each series, whether its values are as known then or as last revised, and the rule for the day
    /// from which a figure counts as known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<Basis>,
    /// Sources of the figures, with the notices they ask for. Past days only where they differ from the newest: see
    /// `from`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Citation>,
    /// Whether a question brought a series outside the catalogue; `notes` say from where, when, and how long it is kept.
    #[serde(
        default,
        rename = "onDemand",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub on_demand: bool,
    /// Late figures, by field: the day by which a newer one was due.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub late: BTreeMap<String, Date>,
    /// Why a field is null, or its basis, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// Why, as codes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub reasons: BTreeMap<String, Absence>,
}

/// A unit in an answer: null where the source states none.
pub(crate) mod stated {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(crate) fn serialize<S: Serializer>(unit: &str, to: S) -> Result<S::Ok, S::Error> {
        Some(unit).filter(|unit| !unit.is_empty()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or_default())
    }
}

/// The vintage of all values of an answer about a past day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vintage {
    /// As last revised.
    Revised,
    /// Some as known then, the others as last revised.
    Partly,
    /// As known then.
    Known,
}

impl Vintage {
    /// Every vintage with its name in addresses; the first has none.
    pub const ALL: [(&str, Self); 3] = [
        ("", Self::Revised),
        ("partly", Self::Partly),
        ("known", Self::Known),
    ];

    /// Describes it: "as known on 31 December 2008", or "published by 31 December 2008, as last revised".
    pub fn describe(self, day: &str) -> String {
        match self {
            Self::Known => format!("as known on {day}"),
            Self::Partly => format!("published by {day}, partly as last revised"),
            Self::Revised => format!("published by {day}, as last revised"),
        }
    }
}

impl Provenance {
    /// Returns the provenance of an answer that reads `series`, by identifier.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn new<'a>(
        desk: &Desk,
        as_of: AsOf,
        series: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let ids: Vec<&str> = series.into_iter().collect();
        let mut provenance = Self {
            knowledge: desk.basis(ids.iter().copied(), as_of)?,
            sources: desk.citations(ids.iter().copied(), None)?,
            ..Self::from_data_date(&desk.reference_day(ids.iter().copied(), as_of)?)
        };
        for id in ids {
            provenance.note_demand(desk, id)?;
        }
        Ok(provenance)
    }

    /// Notes of a series that a question brought from where it came, and that its source states no unit.
    fn note_demand(&mut self, desk: &Desk, name: &str) -> Result<()> {
        let origin = match SeriesId::new(name) {
            Ok(id) if Catalogue::embedded().get(name).is_none() => desk.describe_demand(&id)?,
            Ok(_) | Err(_) => None,
        };
        let Some(origin) = origin else {
            return Ok(());
        };
        self.on_demand = true;
        self.append_note("onDemand", &origin);
        if desk.resolve("series", name)?.units_short.is_empty() {
            self.note("unit", "the source's file states no unit");
        }
        Ok(())
    }

    /// Notes the basis of the values of the series `ids` on a past `day`, the earlier side of a comparison.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn note_basis<'a>(
        &mut self,
        desk: &Desk,
        field: &str,
        day: Date,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let knowledge = desk.basis(ids, AsOf::Day(day))?;
        self.note(field, in_words(&knowledge));
        Ok(())
    }

    /// Returns a provenance with the reference day, its age and its freshness alone.
    pub fn from_data_date(day: &ReferenceDay) -> Self {
        Self {
            as_of: Some(day.as_of),
            age_days: Some(day.age_days),
            freshness: Some(day.freshness().to_owned()),
            ..Self::default()
        }
    }

    /// Notes to which series a name resolved, with the newest figure of each related series.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn note_resolution(
        &mut self,
        desk: &Desk,
        resolution: &Resolution,
        as_of: AsOf,
    ) -> Result<()> {
        let mut note = resolution.note.clone().unwrap_or_default();
        for info in &resolution.related {
            let series = desk.series(info, as_of)?;
            let newest = series.and_then(|s| s.last_on_or_before(desk.reading_day(as_of)));
            if let Some(last) = newest {
                let figure = info.round(last.value);
                let what = format!("{} ({})", info.id, info.title);
                note += &format!("; {what}: {figure} {} on {}", info.units_short, last.date);
            }
        }
        self.note("name", note);
        Ok(())
    }

    /// Notes to which series a name resolves, for an answer of an upstream.
    pub fn note_name(&mut self, name: &str) {
        let resolution = resolve::resolve("series", name);
        let note = resolution.ok().and_then(|resolution| resolution.note);
        self.note("name", note.unwrap_or_default());
    }

    /// Notes that a series is computed from others, how it is quoted, or that it has ended.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn note_remark(&mut self, desk: &Desk, info: &SeriesInfo) -> Result<()> {
        let id = info.id.as_str();
        if let Some(identity) = desk.identity_of(&info.id)? {
            self.note(id, format!("computed here from {}", identity.formula));
            self.append_note(id, identity.known_difference);
        }
        self.append_note(id, &remarks::permanent_remark(id).unwrap_or_default());
        Ok(())
    }

    /// Notes that figures of a series from `start` to `end` are estimates, if some are.
    pub fn note_estimates(&mut self, id: &str, start: Date, end: Date) {
        let remark = remarks::estimates_remark(id, start, end);
        self.append_note(id, remark.unwrap_or_default());
    }

    /// Notes why the figure of a series was in doubt on a day, if it was.
    pub fn note_doubt(&mut self, id: &str, date: Date, day: Date) {
        let doubt = Doubt::find(id, date, day).map(|doubt| doubt.text.as_str());
        self.note("doubt", doubt.unwrap_or_default());
    }

    /// Notes what limits the newest figure of a series: that it is an estimate, that it is in doubt, or else how far its
    /// revision usually goes.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn note_limits(
        &mut self,
        desk: &Desk,
        info: &Arc<SeriesInfo>,
        date: Date,
        as_of: AsOf,
    ) -> Result<()> {
        let id = info.id.as_str();
        self.note_estimates(id, date, date);
        self.note_doubt(id, date, desk.reading_day(as_of));
        if !self.notes.contains_key("doubt") {
            self.note("revision", error_bar::describe(desk, info, date, as_of)?);
        }
        Ok(())
    }

    /// Sets the note of a field: why it is null, or its basis. An empty text changes nothing.
    pub fn note(&mut self, field: &str, text: impl Into<String>) {
        let note = text.into();
        if !note.is_empty() {
            self.notes.insert(field.to_owned(), note);
        }
    }

    /// Appends to the note of a field. An empty text changes nothing.
    pub(crate) fn append_note(&mut self, field: &str, text: &str) {
        match self.notes.get_mut(field) {
            Some(note) if !text.is_empty() => *note += &format!("; {text}"),
            Some(_) => {}
            None => self.note(field, text),
        }
    }

    /// Notes why a field has no value, in words and as a code.
    pub(crate) fn note_missing(&mut self, field: &str, error: &Error) {
        if let Error::NoData { reason, .. } = error {
            self.note(field, reason);
        } else {
            self.note(field, error.to_string());
        }
        self.reasons.insert(field.to_owned(), error.absence());
    }

    /// Returns the value, or `None` with the error as a note.
    pub(crate) fn value_or_note<'a, T>(
        &mut self,
        field: &str,
        result: &'a std::result::Result<T, String>,
    ) -> Option<&'a T> {
        let value = result.as_ref();
        value.inspect_err(|why| self.note(field, *why)).ok()
    }

    /// Records since when the newest figure up to `day` of a series is late, or that the series may have ended.
    pub(crate) fn note_timeliness(&mut self, field: &str, series: &Series, day: Date) {
        let newest = series.last_on_or_before(day);
        match newest.map(|last| series.timeliness(last.date, day)) {
            Some(ended @ Timeliness::Ended { .. }) => {
                self.note(field, ended.to_string());
                self.reasons.insert(field.to_owned(), Absence::MayHaveEnded);
            }
            newest => self.note_late(field, newest.and_then(Timeliness::due_by)),
        }
    }

    /// Records since when a figure is late.
    pub fn note_late(&mut self, field: &str, since: Option<Date>) {
        self.late.extend(since.map(|day| (field.to_owned(), day)));
    }

    /// Records since when a composite is late, and notes why it is not newer.
    pub(crate) fn note_reading(
        &mut self,
        field: &str,
        about: &Indicator,
        reading: &Reading,
        present: Date,
    ) {
        let info = Catalogue::of_indicator(about).filter(|_| reading.value.is_some());
        let late =
            info.and_then(|info| Timeliness::new(info, reading.date, present, None).due_by());
        self.note_late(field, late);
        self.append_note(field, reading.late.as_deref().unwrap_or_default());
    }

    /// Notes why the label is not the likeliest regime, since when the regime is late, and why it is not newer.
    pub(crate) fn note_regime(&mut self, now: &RegimeReading) {
        let why = now.state.as_ref().and_then(RegimeMonth::hysteresis);
        self.append_note("regime", why.as_deref().unwrap_or_default());
        if let Some((since, why)) = &now.late {
            self.note_late("regime", Some(*since));
            self.append_note("regime", why);
        }
    }

    /// Notes the alarm of a composite: whether it is on, and its rule.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn note_alarm(&mut self, desk: &Desk, info: &SeriesInfo, as_of: AsOf) -> Result<()> {
        let composite = indicators::composite(info.id.as_str());
        if let Some((composite, rule)) =
            composite.and_then(|c| Some((c, c.indicator.definition().alarm?)))
            && let Some(alarm) = desk.reading(composite, as_of)?.alarm
        {
            let note = format!("{}; {}", alarm.describe(), rule.describe("weeks"));
            self.note("alarm", note);
        }
        Ok(())
    }

    /// Returns the vintage of the values of a past day.
    pub fn vintage(&self) -> Vintage {
        let mut values = self.knowledge.iter().map(|basis| basis.values);
        let is_known = |values| values == Values::AsKnownThen;
        match (values.clone().all(is_known), values.any(is_known)) {
            (true, true) => Vintage::Known,
            (false, true) => Vintage::Partly,
            _ => Vintage::Revised,
        }
    }

    /// Describes the reference day: "As of 21 August 2026, 92 days old.", or "As known on 31 December 2008. Only the last
    /// revisions are held of NFCI.".
    pub fn describe_as_of(&self) -> String {
        let Some(day) = self.as_of.map(format::day) else {
            return String::new();
        };
        if !self.knowledge.is_empty() {
            let is_revised = |basis: &&Basis| basis.values != Values::AsKnownThen;
            let revised = self.knowledge.iter().filter(is_revised);
            let ids: Vec<String> = revised.flat_map(|basis| &basis.series).cloned().collect();
            let named = match ids.len() {
                ..=MAX_NAMED => prose::format_list(&ids),
                count => format!("{count} series"),
            };
            let revised = enclosed(" Only the last revisions are held of ", &named, ".");
            return format!("As known on {day}.{revised}");
        }
        match self.age_days {
            None | Some(0) => format!("As of {day}."),
            Some(1) => format!("As of {day}, 1 day old."),
            Some(age) => format!("As of {day}, {age} days old."),
        }
    }

    /// Describes which figures are late, which are not loaded, and what else changes the reading; empty when nothing does.
    pub fn describe_gaps(&self) -> String {
        let late = self.describe_late();
        let notes = self.describe_notes();
        sentences(&[late, notes, self.describe_unloaded()])
    }

    fn describe_late(&self) -> String {
        let name = |field: &String| subject(field).unwrap_or_default().to_owned();
        let names: Vec<String> = self.late.keys().map(name).collect();
        if let ([field], Some(since)) = (names.as_slice(), self.late.values().next()) {
            let since = format::day(*since);
            let of = enclosed(" of ", field, "");
            return format!("A newer figure{of} was due by {since} but is not loaded.");
        }
        let named = match names.len() {
            ..=MAX_LATE => prose::format_list(&names),
            count => format!("{count} of these"),
        };
        enclosed("Newer figures of ", &named, " were due but are not loaded.")
    }

    /// Names the fields whose series is not loaded or was not known then; their notes tell an operator what brings it.
    fn describe_unloaded(&self) -> String {
        let groups = [
            ("Not loaded: ", Absence::NotLoaded),
            ("Not known then: ", Absence::NotKnownThen),
        ];
        let told = groups.map(|(head, code)| {
            let fields = self.reasons.iter().filter(|(_, reason)| **reason == code);
            let named = fields.filter_map(|(field, _)| subject(field));
            enclosed(head, &join(named, ", "), ".")
        });
        sentences(&told)
    }

    fn is_unloaded(&self, field: &str) -> bool {
        let code = self.reasons.get(field);
        matches!(code, Some(Absence::NotLoaded | Absence::NotKnownThen)) && subject(field).is_some()
    }

    /// Tells the notes as sentences; fields with one note stand together.
    fn describe_notes(&self) -> String {
        // A note of an upstream's field is about that field alone.
        let is_forwarded = self.as_of.is_none();
        let mut by_text: Vec<(&str, Vec<String>)> = Vec::new();
        let is_told = |(field, _): &(&String, &String)| !self.is_unloaded(field);
        for (field, note) in self.notes.iter().filter(is_told) {
            let own = || subject(field).map(str::to_owned);
            let words = is_forwarded.then(|| in_plain_words(field));
            let named = words.or_else(own);
            match by_text.iter_mut().find(|(known, _)| known == note) {
                Some((_, subjects)) => subjects.extend(named),
                None => by_text.push((note, named.into_iter().collect())),
            }
        }
        let sentences = by_text.iter().map(|(text, subjects)| {
            let head = enclosed("", &subjects.join(", "), ": ");
            prose::capitalize(&format!("{head}{}.", text.trim_end_matches('.')))
        });
        join(sentences, " ")
    }

    /// Lists the notices of the sources in full, as one line; empty without sources. For pages, which have the room.
    pub fn format_notices(&self) -> String {
        let notice = |cited: &Citation| {
            let notice = match cited.notice.trim_end_matches('.') {
                "" => &cited.source,
                notice => notice,
            };
            with_series(cited, notice) + "."
        };
        let notices = self.sources.iter().map(notice);
        enclosed("Figures: ", &join(notices, " "), "\n")
    }

    /// Lists the names of the sources in a sentence; empty without sources. Which series each is of stands in the fields.
    pub fn format_sources(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for cited in &self.sources {
            if !names.contains(&cited.source.as_str()) {
                names.push(&cited.source);
            }
        }
        if names.len() > MAX_SOURCES {
            for name in &mut names {
                *name = look_up(SHORT_SOURCES, name).unwrap_or(name);
            }
        }
        let plural = if names.len() == 1 { "" } else { "s" };
        enclosed(&format!("Source{plural}: "), &names.join("; "), ". ")
    }

    /// Renders the last lines of an answer's text without the notes of some fields, which the text tells or has no use for.
    pub(crate) fn render_closing_without(
        &self,
        fields: &[&str],
        credit: &dyn fmt::Display,
    ) -> String {
        let mut told = self.clone();
        told.notes
            .retain(|field, _| !fields.contains(&field.as_str()));
        told.render_closing(credit)
    }

    /// Renders the last lines of an answer's text: reference day, notes, sources, credit line.
    pub(crate) fn render_closing(&self, credit: &dyn fmt::Display) -> String {
        let sentence = self.describe_as_of();
        let missing = self.describe_gaps();
        let cited = self.format_sources();
        let known = sentences(&[sentence, missing]);
        format!("{}\n{cited}{credit}", enclosed("\n", &known, ""))
    }
}

/// Joins sentences, of which some may be empty.
fn sentences(texts: &[String]) -> String {
    join(texts.iter().filter(|text| !text.is_empty()), " ")
}

/// Returns what a text calls a field: words of the table, or the identifier of a series; `None` where the note speaks for
/// itself.
fn subject(field: &str) -> Option<&str> {
    let words = look_up(SUBJECTS, field);
    let is_series = field.starts_with(|c: char| c.is_ascii_uppercase())
        && !field.contains(|c: char| c.is_lowercase() || c.is_whitespace());
    words.or(is_series.then_some(field))
}

/// Returns the name of an upstream's field in words: "base rate probability".
pub(crate) fn in_plain_words(field: &str) -> String {
    let mut words = String::new();
    for c in field.chars() {
        if c.is_ascii_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
            words.push(c.to_ascii_lowercase());
        } else {
            words.push(if matches!(c, '_' | '.') { ' ' } else { c });
        }
    }
    words
}

/// Returns the second cell of the row that begins with `name`. A test reads every row of the tables.
pub(crate) fn look_up<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let mut rows = table::embedded(table);
    rows.find_map(|[known, words]| (known == name).then_some(words))
}

/// Puts the series in front of a source's name or notice if the sources of the answer differ by series.
fn with_series(cited: &Citation, text: &str) -> String {
    match cited.from {
        Some(from) => format!("{} from {from}: {text}", cited.series.join(", ")),
        None => text.to_owned(),
    }
}

/// Formats a text as a cell of the tables in texts: quoted where it has a comma, as cells end at commas.
pub(crate) fn table_cell(text: &str) -> String {
    if text.contains(',') {
        format!("\"{}\"", text.replace('"', "'"))
    } else {
        text.to_owned()
    }
}

/// Formats a figure or a date as a cell; empty without one.
pub(crate) fn cell<T: fmt::Display>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Puts a value between `head` and `end`; empty without one.
pub(crate) fn enclosed_value<T: fmt::Display>(head: &str, value: Option<T>, end: &str) -> String {
    enclosed(head, &cell(value), end)
}

/// Describes the basis of values: "values as known then (release day): PAYEMS, UNRATE; values as last revised
/// (publication lag): NFCI".
pub(crate) fn in_words(knowledge: &[Basis]) -> String {
    let describe = |basis: &Basis| {
        // The same wording as in the fields.
        let [values, rule] =
            [json!(basis.values), json!(basis.rule)].map(|value| format_value(&value));
        let series = match basis.series.len() {
            ..=MAX_NAMED => basis.series.join(", "),
            count => format!("{count} series"),
        };
        format!("{values} ({rule}): {series}")
    };
    join(knowledge.iter().map(describe), "; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::decode;

    #[test]
    fn every_row_of_the_tables_is_read() {
        let own = [SHORT_SOURCES, SUBJECTS, decode::SINGLE];
        let unadjusted = crate::conditions::claim::UNADJUSTED;
        for table in own.into_iter().chain([unadjusted]) {
            for (line, row) in table::rows::<2>(table) {
                assert!(
                    row.is_ok_and(|[name, _]| !name.is_empty()),
                    "{line}: {table}"
                );
            }
        }
        assert_eq!(look_up(decode::SINGLE, "id"), Some("a call for each"));
        assert_eq!(look_up(decode::SINGLE, "argument"), None);
    }
}

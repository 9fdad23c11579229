//! What travels with every answer: the day it speaks for, how old that is, and why a figure is absent.

use super::decode::shown;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::regime::{Outlook, RegimeMonth};
use econoscope_core::indicators::{self, Indicator, Reading};
use econoscope_data::desk::DataDate;
use econoscope_data::desk::basis::Basis;
use econoscope_data::desk::cited::Cited;
use econoscope_data::desk::remarks;
use econoscope_data::desk::resolve::{self, Resolution};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;

/// Series of one basis named in the sentence; of more than these, how many.
const NAMED: usize = 8;

/// A notice of more characters says more than a name.
const LONG_NOTICE: usize = 80;

/// State of knowledge behind an answer; absent where an upstream does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Day the answer speaks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// Days from then to today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i64>,
    /// `live` when a sync within 48 hours stands behind it, else `snapshot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<String>,
    /// Of an answer with `as_of`: for each series read, whether its values are those known then or those last revised,
    /// and the rule that says from which day a figure counts as known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<Basis>,
    /// Who brought the figures, with what they ask to be said where these are shown. Of past days only where they
    /// differ from the newest: see `from`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Cited>,
    /// Figures that are older than they should be, by field: the day since when a newer one should be there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub late: BTreeMap<String, Date>,
    /// Why a field is null, or on what basis it stands, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

impl Provenance {
    /// The desk's state of knowledge; of a past day, with what that rests on for the series `read`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn of<'a>(
        desk: &Desk,
        as_of: AsOf,
        read: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let read: Vec<&str> = read.into_iter().collect();
        Ok(Self {
            knowledge: desk.basis(read.iter().copied(), as_of)?,
            sources: desk.cited(read.iter().copied(), None)?,
            ..Self::at(&desk.data_date(read, as_of)?)
        })
    }

    /// Adds on what the other side of a comparison rests, which is a past day.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn note_past<'a>(
        &mut self,
        desk: &Desk,
        field: &str,
        day: Date,
        read: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let knowledge = desk.basis(read, AsOf::Day(day))?;
        self.note(field, in_words(&knowledge));
        Ok(())
    }

    /// A known state of knowledge.
    pub fn at(day: &DataDate) -> Self {
        Self {
            as_of: Some(day.as_of),
            age_days: Some(day.age_days),
            freshness: Some(day.freshness().to_owned()),
            ..Self::default()
        }
    }

    /// Says what a name was taken for, with the newest figure of what belongs to it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn read_as(&mut self, desk: &Desk, meaning: &Resolution, as_of: AsOf) -> Result<()> {
        let mut said = meaning.said.clone().unwrap_or_default();
        for info in &meaning.beside {
            let series = desk.series(info, as_of)?;
            let newest = series.and_then(|s| s.last_on_or_before(desk.present(as_of)));
            if let Some(last) = newest {
                let (id, title, unit) = (&info.id, &info.title, &info.units_short);
                let (value, date) = (info.round(last.value), last.date);
                said += &format!("; {id} ({title}): {value} {unit} on {date}");
            }
        }
        self.note("name", said);
        Ok(())
    }

    /// As [`Self::read_as`], of an answer that came from elsewhere.
    pub fn told(&mut self, name: &str) {
        let said = resolve::meaning(name).and_then(|meaning| meaning.said);
        self.note("name", said.unwrap_or_default());
    }

    /// Says of a series that it is made here of others, which way it is quoted, or that it has ended.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn remark(&mut self, desk: &Desk, info: &SeriesInfo) -> Result<()> {
        let id = info.id.as_str();
        let said = match desk.made_by(&info.id)? {
            Some(identity) => {
                let made = format!("computed here from {}", identity.formula);
                let parts = [made.as_str(), identity.differs];
                joined(parts.into_iter().filter(|part| !part.is_empty()), "; ")
            }
            None => remarks::always(id).unwrap_or_default(),
        };
        self.note(id, said);
        Ok(())
    }

    /// Adds why a field is null or how it came about; an empty text is no note.
    pub fn note(&mut self, field: &str, why: impl Into<String>) {
        let why = why.into();
        if !why.is_empty() {
            self.notes.insert(field.to_owned(), why);
        }
    }

    /// What was found, or else none with the reason as a note.
    pub(super) fn found<'a, T>(
        &mut self,
        field: &str,
        found: &'a std::result::Result<T, String>,
    ) -> Option<&'a T> {
        let found = found.as_ref();
        found.inspect_err(|why| self.note(field, *why)).ok()
    }

    /// Adds since when a figure is late, where it is.
    pub fn note_late(&mut self, field: &str, since: Option<Date>) {
        self.late.extend(since.map(|day| (field.to_owned(), day)));
    }

    /// Adds since when a composite is late, and what keeps it from being newer.
    pub(super) fn note_reading(
        &mut self,
        field: &str,
        about: &Indicator,
        reading: &Reading,
        present: Date,
    ) {
        let info = Catalogue::of(about).filter(|_| reading.value.is_some());
        let late = info.and_then(|info| info.late_since(reading.date, present));
        self.note_late(field, late);
        self.add(field, reading.late.as_deref().unwrap_or_default());
    }

    /// Adds why the label is not the likeliest regime, since when the regime is late, and what keeps it from being newer.
    pub(super) fn note_regime(&mut self, now: &Outlook) {
        let why = now.state.as_ref().and_then(RegimeMonth::hysteresis);
        self.add("regime", why.as_deref().unwrap_or_default());
        if let Some((since, why)) = &now.late {
            self.note_late("regime", Some(*since));
            self.add("regime", why);
        }
    }

    /// Says of a composite with an alarm when that goes on and off, and whether it is on.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn note_alarm(&mut self, desk: &Desk, info: &SeriesInfo, as_of: AsOf) -> Result<()> {
        let composite = indicators::composite(info.id.as_str());
        if let Some((composite, rule)) = composite.and_then(|c| Some((c, c.alarm?)))
            && let Some(alarm) = desk.reading(composite, as_of)?.alarm
        {
            let rule = rule.in_words("weeks");
            self.note("alarm", format!("{}; {rule}", alarm.in_words()));
        }
        Ok(())
    }

    /// Adds to what is said of a field.
    pub(super) fn add(&mut self, field: &str, why: &str) {
        let said = self.notes.get(field).map(String::as_str);
        let both = said
            .into_iter()
            .chain([why])
            .filter(|part| !part.is_empty());
        self.note(field, joined(both, "; "));
    }

    /// The sentence for a model: "As of 2026-08-21 (snapshot, 92 days old)."
    pub fn sentence(&self) -> String {
        if let (Some(day), [_, ..]) = (self.as_of, self.knowledge.as_slice()) {
            return format!("As known on {day}: {}.", in_words(&self.knowledge));
        }
        match (self.as_of, self.age_days, self.freshness.as_deref()) {
            (Some(day), Some(0), Some(word)) => format!("As of {day} ({word})."),
            (Some(day), Some(age), Some(word)) => format!("As of {day} ({word}, {age} days old)."),
            _ => String::new(),
        }
    }

    /// Which figures are late and why fields are null, as a line for a model; empty when there is nothing to say.
    pub fn missing(&self) -> String {
        let mut late: BTreeMap<Date, Vec<&str>> = BTreeMap::new();
        for (field, since) in &self.late {
            late.entry(*since).or_default().push(field);
        }
        let late = late.iter();
        let late = late.map(|(since, fields)| format!("since {since}: {}", fields.join(", ")));
        let notes = self.notes.iter();
        let notes = notes.map(|(field, why)| format!("{field}: {why}"));
        let head = "Late, a newer figure should be there ";
        let late = framed(head, &joined(late, "; "), ".");
        let notes = framed("Notes: ", &joined(notes, "; "), ".");
        let parts = [late, notes].into_iter();
        joined(parts.filter(|part| !part.is_empty()), " ")
    }

    /// What those who brought the figures ask to be said, as a line that ends; empty when they ask for nothing: for
    /// pages, which have the room.
    pub fn notices(&self) -> String {
        let told = |cited: &Cited| {
            let notice = match cited.notice.trim_end_matches('.') {
                "" => &cited.source,
                notice => notice,
            };
            of_series(cited, notice) + "."
        };
        let notices = self.sources.iter().map(told);
        framed("Figures: ", &joined(notices, " "), "\n")
    }

    /// Who brought the figures, as a line that ends; empty where nobody is to be named. What they ask to be said stands
    /// in [`Cited::notice`].
    pub fn cited(&self) -> String {
        let mut cited = self.sources.iter();
        let sources = cited.clone().map(|cited| of_series(cited, &cited.source));
        let notices = match cited.any(|cited| cited.notice.len() > LONG_NOTICE) {
            true => "; their notices: /rights.\n",
            false => ".\n",
        };
        framed("Figures: ", &joined(sources, "; "), notices)
    }

    /// The last lines of an answer in prose: state of knowledge, notes, whose figures they are, credit line.
    pub(super) fn closing(&self, credit: &dyn fmt::Display) -> String {
        let (sentence, missing, cited) = (self.sentence(), self.missing(), self.cited());
        format!("\n{sentence} {missing}\n{cited}{credit}")
    }
}

/// What is told of a source, with its series where several share one.
fn of_series(cited: &Cited, told: &str) -> String {
    match cited.from {
        Some(from) => format!("{} from {from}: {told}", cited.series.join(", ")),
        None => told.to_owned(),
    }
}

/// A text between its head and its end; nothing of an empty one.
pub(super) fn framed(head: &str, text: &str, end: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{head}{text}{end}"),
    }
}

/// "values as known then (release day): PAYEMS, UNRATE; values as last revised (publication lag): NFCI".
pub(super) fn in_words(knowledge: &[Basis]) -> String {
    let words = |basis: &Basis| {
        // In the same words as in the fields.
        let [values, rule] = [json!(basis.values), json!(basis.rule)].map(|word| shown(&word));
        let series = match basis.series.len() {
            ..=NAMED => basis.series.join(", "),
            many => format!("{many} series"),
        };
        format!("{values} ({rule}): {series}")
    };
    joined(knowledge.iter().map(words), "; ")
}

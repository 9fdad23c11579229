//! Whose rows a series holds: who brought the oldest, and who from which date on.
//!
//! Kept as one text in the series' entry: `bundled from cpi 2.1.0 | 2026-09-18 treasury | 2026-11-14 fred`.

use crate::model::Date;
use crate::model::frequency::shift;
use jiff::ToSpan;

/// Between two of them.
const BETWEEN: &str = " | ";

/// Who brought the rows of a series: the first from its beginning, every other from its date on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origins(Vec<(Date, String)>);

impl Origins {
    /// As kept.
    pub(super) fn read(text: &str) -> Self {
        let part = |part: &str| {
            let (day, name) = part.split_once(' ').unwrap_or_default();
            match day.parse() {
                Ok(day) => (day, name.to_owned()),
                Err(_) => (Date::MIN, part.to_owned()),
            }
        };
        Self(text.split(BETWEEN).map(part).collect())
    }

    /// As it is to be kept.
    pub(super) fn text(&self) -> String {
        let part = |(day, name): &(Date, String)| match *day {
            Date::MIN => name.clone(),
            day => format!("{day} {name}"),
        };
        let parts: Vec<String> = self.0.iter().map(part).collect();
        parts.join(BETWEEN)
    }

    /// Who brought the newest rows, and before them whose rows end where.
    pub(super) fn newest(mut self) -> (String, Vec<(String, Date)>) {
        let ends: Vec<Date> = self.0.iter().skip(1).map(|(day, _)| *day).collect();
        let (_, newest) = self.0.pop().unwrap_or_default();
        let names = self.0.into_iter().map(|(_, name)| name);
        (newest, names.zip(ends).collect())
    }

    /// After `name` brought rows from `first` to `last` where rows from `held.0` to `held.1` were.
    pub(super) fn brought(
        mut self,
        name: &str,
        (first, last): (Date, Date),
        held: (Date, Date),
    ) -> Self {
        let name = name.replace(BETWEEN, " ");
        let rest = (last < held.1).then(|| shift(last, 1.day()));
        let later = rest.and_then(|rest| {
            let at = self.0.partition_point(|(day, _)| *day <= rest);
            let mut later = self.0.get(at.checked_sub(1)?..)?.to_vec();
            later.first_mut()?.0 = rest;
            Some(later)
        });
        self.0.retain(|(day, _)| *day < first && first > held.0);
        let first = if self.0.is_empty() { Date::MIN } else { first };
        self.0.push((first, name));
        self.0.extend(later.unwrap_or_default());
        self.0.dedup_by(|b, a| a.1 == b.1);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn every_row_keeps_who_brought_it() {
        let (first, last) = (date(1990, 1, 2), date(2026, 9, 17));
        let day = |d| date(2026, 11, d);
        let bundled = Origins::read("bundled from cpi 2.1.0");
        let filled = bundled.brought("treasury", (date(2026, 9, 1), day(13)), (first, last));
        let second = filled.brought("fred", (day(14), day(20)), (first, day(13)));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-14 fred";
        assert_eq!(second.text(), text);
        assert_eq!(Origins::read(text), second);
        let (newest, before) = second.clone().newest();
        assert_eq!(newest, "fred");
        assert_eq!(
            before,
            [
                ("bundled from cpi 2.1.0".to_owned(), date(2026, 9, 1)),
                ("treasury".to_owned(), day(14)),
            ]
        );
        // The first source says of some days what the second had said: they are its own then, and no others.
        let back = second.brought("treasury", (day(1), day(17)), (first, day(20)));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-18 fred";
        assert_eq!(back.text(), text);
        let whole = back.brought("import", (first, day(20)), (first, day(20)));
        assert_eq!(whole.text(), "import");
    }
}

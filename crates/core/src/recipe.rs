//! A source of figures as data: one TOML file says where it lies, who owns it, how it is asked, and how its answers
//! become series. `data/sources/` holds ours; an operator may add a folder of their own.
//!
//! Pure: texts and bytes in, figures out; nothing here asks a network. A recipe is checked when it is read, and every
//! answer against what the recipe promises (columns, unit, bounds): what does not fit is refused and never rescaled.

mod address;
mod all;
mod board;
mod cells;
mod check;
mod claims;
mod dates;
mod figures;
mod flat;
mod formula;
mod read;
mod shape;
mod statement;
mod survey;
mod terms;

pub use all::{FeedRef, Recipes};
pub use formula::formula;
pub use read::{Figures, More, Reader};
pub use shape::{
    Ask, Feed, Format, Formula, KeyPlace, Line, Recipe, Seen, SourceFacts, SourceRights,
};
pub use survey::is_spent;
pub use terms::{Absent, DateForm, Day, Expect, Is, OnePerDate, Period, Release, Sample, Split};

#[cfg(test)]
mod tests;

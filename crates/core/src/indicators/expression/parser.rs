//! What stands next in a formula, taken piece by piece.

use super::tree::{Fault, Op};

/// Longest name.
pub(super) const MAX_NAME: usize = 64;

/// What is left of the text, and the column at which it begins.
#[derive(Clone, Copy)]
pub(super) struct Parser<'a> {
    pub(super) rest: &'a str,
    pub(super) column: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes characters as long as they are wanted, up to so many.
    pub(super) fn take(&mut self, most: usize, wanted: impl Fn(char) -> bool) -> &'a str {
        let taken = self.rest.chars().take_while(|c| wanted(*c)).take(most);
        let (count, bytes) = taken.fold((0, 0), |(n, bytes), c| (n + 1, bytes + c.len_utf8()));
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += count;
        taken
    }

    pub(super) fn blanks(&mut self) {
        self.take(usize::MAX, char::is_whitespace);
    }

    /// Takes one of these characters, if it comes next.
    pub(super) fn one_of(&mut self, wanted: &[char]) -> bool {
        !self.take(1, |c| wanted.contains(&c)).is_empty()
    }

    /// What stands here is not what is expected.
    pub(super) fn fault(&self, expected: &str) -> Fault {
        let problem = match self.peek() {
            None => "ends too early".to_owned(),
            Some(c) => format!("has \"{}\" there", crate::error::quote(&c.to_string())),
        };
        Fault::new(self.column, problem, expected)
    }

    /// Takes a sign if it comes next, or a word, in any case and nothing that only begins with it.
    pub(super) fn takes(&mut self, wanted: &str) -> bool {
        let mut ahead = *self;
        ahead.blanks();
        let taken = match wanted.starts_with(is_of_a_word) {
            true => ahead.take(MAX_NAME, is_of_a_word),
            false => ahead.take(wanted.chars().count(), |_| true),
        };
        let found = taken.eq_ignore_ascii_case(wanted);
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes one of these operators, if it comes next.
    pub(super) fn operator(&mut self, wanted: &[(&str, Op)]) -> Option<Op> {
        let found = wanted.iter().find(|(sign, _)| self.takes(sign));
        found.map(|(_, op)| *op)
    }

    /// Takes a comma, if it comes next.
    pub(super) fn comma(&mut self) -> bool {
        let found = self.takes(",");
        self.blanks();
        found
    }
}

/// Whether a name or a number may hold it.
pub(super) fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

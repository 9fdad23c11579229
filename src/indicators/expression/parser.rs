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

    /// Takes a word of letters if it comes next, in any case, and nothing that only begins with it.
    pub(super) fn keyword(&mut self, wanted: &str) -> bool {
        self.blanks();
        let mut ahead = *self;
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let found = ahead.take(MAX_NAME, is_word).eq_ignore_ascii_case(wanted);
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes the sign of a comparison, if it comes next.
    pub(super) fn comparison(&mut self) -> Option<Op> {
        const SIGNS: [(&str, Op); 11] = [
            (">=", Op::AtLeast),
            ("<=", Op::AtMost),
            ("!=", Op::Unequal),
            ("<>", Op::Unequal),
            ("==", Op::Equal),
            ("≥", Op::AtLeast),
            ("≤", Op::AtMost),
            ("≠", Op::Unequal),
            (">", Op::Greater),
            ("<", Op::Less),
            ("=", Op::Equal),
        ];
        let (sign, op) = SIGNS.iter().find(|(sign, _)| self.rest.starts_with(sign))?;
        self.take(sign.chars().count(), |_| true);
        Some(*op)
    }

    /// Takes one of these signs, if it comes next.
    pub(super) fn sign(&mut self, signs: &[(char, Op)]) -> Option<Op> {
        let found = signs.iter().find(|(sign, _)| self.peek() == Some(*sign));
        found.map(|(_, op)| {
            self.take(1, |_| true);
            *op
        })
    }

    /// Takes a comma, if it comes next.
    pub(super) fn comma(&mut self) -> bool {
        self.blanks();
        let found = self.one_of(&[',']);
        self.blanks();
        found
    }
}

//! Parser of formulas.
//!
//! ```text
//! any        = every ("or" every)*
//! every      = comparison ("and" comparison)*
//! comparison = "not" comparison | [sum] [operator sum]
//! sum        = product (("+" | "-") product)*
//! product    = signed (("*" | "/") signed)*
//! signed     = "-" signed | atom ["^" signed]
//! atom       = "(" any ")" | number | name (of one or more words) | "quoted name" | function "(" any ["," whole | time | any] ")"
//! ```
//! A comparison without a left side is about the subject of the scope: `>= 0.5`.

use super::tree::{Expr, FUNCTIONS, FormulaError, Function, Op, PRICES};
use crate::indicators::transform::Units;
use crate::model::{CalendarPeriod, SeriesId};

/// Longest formula.
pub const MAX_CHARACTERS: usize = 200;
/// Deepest nesting.
const MAX_DEPTH: usize = 8;
/// Most powers in one formula: each is a level of its own.
const MAX_POWERS: usize = 8;
/// Most names in one formula.
const MAX_NAMES: usize = 12;
/// Longest window of `ma` and `lag`.
const MAX_PERIODS: usize = 5_000;
/// Longest name.
const MAX_NAME: usize = 64;
/// Longest quoted name.
const MAX_QUOTED: usize = 79;

const EXPECTED: &str = "series names, numbers, + - * / ^, > < >= <= = !=, and, or, not, parentheses and functions, for \
    example DGS10-DGS2, yoy(CPIAUCSL) or UNRATE > 5 (macro://formulas)";
const A_VALUE: &str = "a series name, a number, a function or a parenthesis";
const CLOSING: &str = "a closing parenthesis or an operator";
const WINDOW: &str = "a whole number of periods from 1 to 5000, for example ma(ICSA, 4)";
const YEARS: &str = "a number of years from 1 to 200 or a time, for example cagr(GDPC1, 10) or cagr(GDPC1, \"2019-10\")";
const A_TIME: &str = "a year, quarter, month or day, for example \"2020\", \"2020Q1\", \"Feb 2020\" or \"2020-02-15\"";
const TWO: &str = "a comma and a second series, for example gap(GDPC1, GDPPOT)";

const COMPARISONS: &[(&str, Op)] = &[
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

/// Parses a formula.
///
/// # Errors
/// A [`FormulaError`] that names the column.
pub fn parse(text: &str) -> Result<Expr, FormulaError> {
    let characters = text.chars().count();
    if characters > MAX_CHARACTERS {
        let problem = format!("is {characters} characters long");
        let allowed = format!("up to {MAX_CHARACTERS} characters");
        return Err(FormulaError::new(MAX_CHARACTERS + 1, problem, allowed));
    }
    check_depth(text)?;
    let mut parser = Parser {
        rest: text,
        column: 1,
    };
    let tree = parser.any()?;
    parser.skip_blanks();
    if !parser.rest.is_empty() {
        return Err(parser.fault(EXPECTED));
    }
    let names = tree.names();
    if let Some((_, column)) = names.get(MAX_NAMES) {
        let problem = format!("has {} names", names.len());
        let allowed = format!("up to {MAX_NAMES} names");
        return Err(FormulaError::new(*column, problem, allowed));
    }
    Ok(tree)
}

/// Checks the nesting before the parser recurses into it.
fn check_depth(text: &str) -> Result<(), FormulaError> {
    let mut depth = 0usize;
    let mut signs = 0usize;
    let mut powers = 0usize;
    for (c, column) in text.chars().zip(1..) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '^' => powers += 1,
            _ => {}
        }
        signs = match c {
            '-' => signs + 1,
            c if c.is_whitespace() => signs,
            _ => 0,
        };
        if depth.max(signs) > MAX_DEPTH || powers > MAX_POWERS {
            let allowed = format!("up to {MAX_DEPTH} levels");
            return Err(FormulaError::new(column, "is nested too deeply", allowed));
        }
    }
    Ok(())
}

/// The remaining text, and the column at which it begins.
#[derive(Clone, Copy)]
struct Parser<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes characters while they match, at most `max`.
    fn take(&mut self, max: usize, matches: impl Fn(char) -> bool) -> &'a str {
        let taken = self.rest.chars().take_while(|c| matches(*c)).take(max);
        let (count, bytes) = taken.fold((0, 0), |(n, bytes), c| (n + 1, bytes + c.len_utf8()));
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += count;
        taken
    }

    fn skip_blanks(&mut self) {
        self.take(usize::MAX, char::is_whitespace);
    }

    /// Builds the fault of an unexpected character or end.
    fn fault(&self, expected: &str) -> FormulaError {
        let problem = match self.peek() {
            None => "ends too early".to_owned(),
            Some(c) => format!(
                "has an unexpected \"{}\"",
                crate::error::quote(&c.to_string())
            ),
        };
        FormulaError::new(self.column, problem, expected)
    }

    /// Takes blanks and a sign or a whole word, in any case, if they come next.
    fn accept(&mut self, token: &str) -> bool {
        let mut ahead = *self;
        ahead.skip_blanks();
        let taken = if token.starts_with(is_word_character) {
            ahead.take(MAX_NAME, is_word_character)
        } else {
            ahead.take(token.chars().count(), |_| true)
        };
        let is_next = taken.eq_ignore_ascii_case(token);
        if is_next {
            *self = ahead;
        }
        is_next
    }

    /// Takes one of these operators, if it comes next; with the column at which it stands.
    fn operator(&mut self, operators: &[(&str, Op)]) -> Option<(Op, usize)> {
        self.skip_blanks();
        let column = self.column;
        let operator = operators.iter().find(|(sign, _)| self.accept(sign));
        operator.map(|(_, op)| (*op, column))
    }

    fn comma(&mut self) -> bool {
        let is_next = self.accept(",");
        self.skip_blanks();
        is_next
    }

    fn any(&mut self) -> Result<Expr, FormulaError> {
        let every = |p: &mut Self| p.chain(Self::comparison, &[("and", Op::And)]);
        self.chain(every, &[("or", Op::Or)])
    }

    /// A comparison, or figures without one.
    fn comparison(&mut self) -> Result<Expr, FormulaError> {
        self.skip_blanks();
        let column = self.column;
        if self.accept("not") {
            let inner = vec![self.comparison()?];
            return Ok(Expr::Call(Function::Not, inner, column));
        }
        let (left, operator) = match self.operator(COMPARISONS) {
            Some(operator) => (Expr::Subject { column }, Some(operator)),
            None => (self.sum()?, self.operator(COMPARISONS)),
        };
        let Some((op, column)) = operator else {
            return Ok(left);
        };
        let right = self.sum()?;
        self.skip_blanks();
        let end = *self;
        match self.operator(COMPARISONS) {
            Some(_) => Err(end.fault("one comparison at a time, joined by and: a < b and b < c")),
            None => Ok(Expr::Call(Function::Op(op), vec![left, right], column)),
        }
    }

    fn sum(&mut self) -> Result<Expr, FormulaError> {
        let signs = [("+", Op::Add), ("-", Op::Subtract), ("−", Op::Subtract)];
        self.chain(Self::product, &signs)
    }

    fn product(&mut self) -> Result<Expr, FormulaError> {
        let times = [("*", Op::Multiply), ("×", Op::Multiply)];
        let by = [("/", Op::Divide), ("÷", Op::Divide)];
        self.chain(Self::signed, &[times, by].concat())
    }

    /// Operands joined by operators of one precedence, from left to right.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Result<Expr, FormulaError>,
        operators: &[(&str, Op)],
    ) -> Result<Expr, FormulaError> {
        let mut left = operand(self)?;
        while let Some((op, column)) = self.operator(operators) {
            left = Expr::Call(Function::Op(op), vec![left, operand(self)?], column);
        }
        Ok(left)
    }

    /// A power binds more closely than the sign before it, and groups from the right: -2^3^2 is -(2^(3^2)).
    fn signed(&mut self) -> Result<Expr, FormulaError> {
        self.skip_blanks();
        let column = self.column;
        if self.accept("-") || self.accept("−") {
            let inner = vec![self.signed()?];
            return Ok(Expr::Call(Function::Negate, inner, column));
        }
        let base = self.atom()?;
        match self.operator(&[("^", Op::Power)]) {
            Some((op, column)) => {
                let sides = vec![base, self.signed()?];
                Ok(Expr::Call(Function::Op(op), sides, column))
            }
            None => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<Expr, FormulaError> {
        self.skip_blanks();
        match self.peek() {
            Some('(') => {
                self.take(1, |_| true);
                let inner = self.any()?;
                self.closing().map(|()| inner)
            }
            Some(quote @ ('"' | '\'')) => self.quoted(quote),
            _ => self.word(),
        }
    }

    fn closing(&mut self) -> Result<(), FormulaError> {
        self.skip_blanks();
        if self.accept(")") {
            Ok(())
        } else {
            Err(self.fault(CLOSING))
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Expr, FormulaError> {
        let column = self.column;
        self.take(1, |_| true);
        let name = self.take(MAX_QUOTED, |c| c != quote).to_owned();
        if name.is_empty() {
            return Err(self.fault(A_VALUE));
        }
        if self.take(1, |c| c == quote).is_empty() {
            Err(self.fault("a closing quotation mark"))
        } else {
            Ok(Expr::Name { name, column })
        }
    }

    /// A number, a name, or a function call.
    fn word(&mut self) -> Result<Expr, FormulaError> {
        let column = self.column;
        let start = *self;
        let mut word = self.take(MAX_NAME, is_word_character);
        if self.peek() == Some(':') && SeriesId::is_agency(word) {
            let has_parts = !word.eq_ignore_ascii_case("bea") && !word.eq_ignore_ascii_case("eia");
            *self = start;
            word = self.take(MAX_NAME, |c| {
                let is_part = has_parts && matches!(c, '/' | '-');
                is_word_character(c) || matches!(c, ':' | '@' | '$') || is_part
            });
        }
        if word.is_empty() {
            return Err(self.fault(A_VALUE));
        }
        if self.accept("(") {
            return self.call(word, column);
        }
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let name = self.name(word);
        match word.parse::<f64>() {
            Ok(_) if is_number && name != word => Ok(Expr::Name { name, column }),
            Ok(number) if is_number && number.is_finite() => Ok(Expr::Number(number)),
            Ok(_) if is_number => Err(self.fault("a number of ordinary size")),
            Ok(_) | Err(_) => Ok(Expr::Name { name, column }),
        }
    }

    /// Takes the further words of a name: "core cpi", "10 year treasury".
    fn name(&mut self, first: &str) -> String {
        let mut name = first.to_owned();
        loop {
            let mut ahead = *self;
            ahead.skip_blanks();
            let word = ahead.take(MAX_NAME, is_word_character);
            let is_operator = ["and", "or", "not"]
                .iter()
                .any(|one| word.eq_ignore_ascii_case(one));
            let is_whole = word.contains(char::is_alphabetic) && !is_operator && !ahead.accept("(");
            if !is_whole || name.len() + word.len() >= MAX_QUOTED {
                return name;
            }
            name += " ";
            name += word;
            *self = ahead;
        }
    }

    fn call(&mut self, word: &str, column: usize) -> Result<Expr, FormulaError> {
        let function_name = word.to_ascii_lowercase();
        let units = match function_name.as_str() {
            "yoy" => Some(Units::PercentYear),
            "mom" => Some(Units::Percent),
            code => code.parse().ok(),
        };
        let others = [
            "abs", "not", "ma", "lag", "ann", "cagr", "index", "real", "gap",
        ];
        if units.is_none() && !others.contains(&function_name.as_str()) {
            return Err(self.fault(FUNCTIONS));
        }
        let mut arguments = vec![self.any()?];
        let function = match (units, function_name.as_str()) {
            (Some(units), _) => Function::Units(units),
            (_, "abs") => Function::Absolute,
            (_, "not") => Function::Not,
            (_, "ma") => Function::MovingAverage(self.window()?),
            (_, "lag") => Function::Lag(self.window()?),
            (_, "ann") => Function::Annualised(self.window()?),
            (_, "cagr") => self.growth()?,
            (_, "index") => Function::Index(self.optional_time()?),
            (_, "real") => {
                let when = self.optional_time()?.ok_or_else(|| self.fault(A_TIME))?;
                let name = PRICES.to_owned();
                arguments.push(Expr::Name { name, column });
                Function::Real(when)
            }
            (_, _) => {
                if !self.comma() {
                    return Err(self.fault(TWO));
                }
                arguments.push(self.any()?);
                Function::Gap
            }
        };
        self.closing()?;
        Ok(Expr::Call(function, arguments, column))
    }

    fn window(&mut self) -> Result<usize, FormulaError> {
        if !self.comma() {
            return Err(self.fault(WINDOW));
        }
        let start = *self;
        match self.take(4, |c| c.is_ascii_digit()).parse() {
            Ok(n) if (1..=MAX_PERIODS).contains(&n) => Ok(n),
            Ok(_) | Err(_) => Err(start.fault(WINDOW)),
        }
    }

    /// The second argument of `cagr`: years, a time, or nothing.
    fn growth(&mut self) -> Result<Function, FormulaError> {
        let start = *self;
        let mut ahead = *self;
        if ahead.comma() {
            let years: Option<usize> = ahead.take(4, |c| c.is_ascii_digit()).parse().ok();
            let ends = matches!(ahead.peek(), Some(')' | ' ') | None);
            if let Some(years) = years.filter(|n| (1..=200).contains(n) && ends) {
                *self = ahead;
                return Ok(Function::Growth(years));
            }
        }
        let since = self.optional_time().map(Function::GrowthSince);
        since.map_err(|_| start.fault(YEARS))
    }

    /// A time after a comma, in quotes or bare; `None` without a comma.
    fn optional_time(&mut self) -> Result<Option<CalendarPeriod>, FormulaError> {
        if !self.comma() {
            return Ok(None);
        }
        let start = *self;
        let quote = self.peek().filter(|c| matches!(c, '"' | '\''));
        self.take(usize::from(quote.is_some()), |_| true);
        let text = match quote {
            Some(quote) => self.take(30, |c| c != quote),
            None => self.take(10, |c| c.is_ascii_digit() || matches!(c, '-' | 'q' | 'Q')),
        };
        let is_closed = quote.is_none_or(|quote| !self.take(1, |c| c == quote).is_empty());
        match CalendarPeriod::parse(text) {
            Ok(when) if is_closed => Ok(Some(when)),
            Ok(_) | Err(_) => Err(start.fault(A_TIME)),
        }
    }
}

/// Whether a name or a number may contain it.
fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

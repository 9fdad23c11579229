//! From text to tree.
//!
//! ```text
//! any     = every ("or" every)*
//! every   = one ("and" one)*
//! one     = "not" one | [sum] [compared sum]
//! sum     = product (("+" | "-") product)*
//! product = signed (("*" | "/") signed)*
//! signed  = "-" signed | atom ["^" signed]
//! atom    = "(" any ")" | number | name | "quoted name" | function "(" any ["," whole | time | any] ")"
//! ```
//! A comparison without a left side is about the series that is asked about: `>= 0.5`.

use super::parser::{MAX_NAME, Parser, is_of_a_word};
use super::tree::{Expr, FUNCTIONS, Fault, Function, Op, PRICES};
use crate::indicators::transform::Units;
use crate::model::When;

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

/// Reads a formula.
///
/// # Errors
/// A [`Fault`] that names the column.
pub fn parse(text: &str) -> Result<Expr, Fault> {
    let characters = text.chars().count();
    if characters > MAX_CHARACTERS {
        let problem = format!("is {characters} characters long");
        let allowed = format!("up to {MAX_CHARACTERS} characters");
        return Err(Fault::new(MAX_CHARACTERS + 1, problem, allowed));
    }
    shallow(text)?;
    let mut parser = Parser {
        rest: text,
        column: 1,
    };
    let tree = parser.any()?;
    parser.blanks();
    if !parser.rest.is_empty() {
        return Err(parser.fault(EXPECTED));
    }
    let names = tree.names();
    if let Some((_, column)) = names.get(MAX_NAMES) {
        let problem = format!("has {} names", names.len());
        let allowed = format!("up to {MAX_NAMES} names");
        return Err(Fault::new(*column, problem, allowed));
    }
    Ok(tree)
}

/// Nesting is checked before the parser descends into it.
fn shallow(text: &str) -> Result<(), Fault> {
    let (mut depth, mut signs, mut powers) = (0usize, 0usize, 0usize);
    for (c, column) in text.chars().zip(1..) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        signs = match c {
            '-' => signs + 1,
            c if c.is_whitespace() => signs,
            _ => 0,
        };
        powers += usize::from(c == '^');
        if depth.max(signs) > MAX_DEPTH || powers > MAX_POWERS {
            let allowed = format!("up to {MAX_DEPTH} levels");
            return Err(Fault::new(column, "is nested too deeply", allowed));
        }
    }
    Ok(())
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Expr, Fault> {
        self.chain(Self::every, &[("or", Op::Or)])
    }

    fn every(&mut self) -> Result<Expr, Fault> {
        self.chain(Self::one, &[("and", Op::And)])
    }

    /// A comparison, or figures that are compared with nothing.
    fn one(&mut self) -> Result<Expr, Fault> {
        self.blanks();
        let column = self.column;
        if self.takes("not") {
            return self
                .one()
                .map(|x| Expr::Call(Function::Not, vec![x], column));
        }
        if let Some(op) = self.operator(COMPARISONS) {
            return self.compared(Expr::Subject { column }, op, column);
        }
        let left = self.sum()?;
        self.blanks();
        let column = self.column;
        match self.operator(COMPARISONS) {
            Some(op) => self.compared(left, op, column),
            None => Ok(left),
        }
    }

    fn compared(&mut self, left: Expr, op: Op, column: usize) -> Result<Expr, Fault> {
        let right = self.sum()?;
        self.blanks();
        let after = *self;
        match self.operator(COMPARISONS) {
            Some(_) => Err(after.fault("one comparison at a time, joined by and: a < b and b < c")),
            None => Ok(Expr::Call(Function::Op(op), vec![left, right], column)),
        }
    }

    fn sum(&mut self) -> Result<Expr, Fault> {
        let signs = [("+", Op::Add), ("-", Op::Subtract), ("−", Op::Subtract)];
        self.chain(Self::product, &signs)
    }

    fn product(&mut self) -> Result<Expr, Fault> {
        let times = [("*", Op::Multiply), ("×", Op::Multiply)];
        let by = [("/", Op::Divide), ("÷", Op::Divide)];
        self.chain(Self::signed, &[times, by].concat())
    }

    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Result<Expr, Fault>,
        operators: &[(&str, Op)],
    ) -> Result<Expr, Fault> {
        let mut left = operand(self)?;
        loop {
            self.blanks();
            let column = self.column;
            let Some(op) = self.operator(operators) else {
                return Ok(left);
            };
            left = Expr::Call(Function::Op(op), vec![left, operand(self)?], column);
        }
    }

    /// A power binds more closely than the sign before it, and what is to its right first: -2^3^2 is -(2^(3^2)).
    fn signed(&mut self) -> Result<Expr, Fault> {
        self.blanks();
        let column = self.column;
        if self.takes("-") || self.takes("−") {
            let inner = vec![self.signed()?];
            return Ok(Expr::Call(Function::Negate, inner, column));
        }
        let mut base = self.atom()?;
        self.blanks();
        let column = self.column;
        if self.takes("^") {
            let sides = vec![base, self.signed()?];
            base = Expr::Call(Function::Op(Op::Power), sides, column);
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Expr, Fault> {
        self.blanks();
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

    fn closing(&mut self) -> Result<(), Fault> {
        self.blanks();
        match self.takes(")") {
            true => Ok(()),
            false => Err(self.fault(CLOSING)),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Expr, Fault> {
        let column = self.column;
        self.take(1, |_| true);
        let name = self.take(MAX_QUOTED, |c| c != quote).to_owned();
        if name.is_empty() {
            return Err(self.fault(A_VALUE));
        }
        match self.one_of(&[quote]) {
            true => Ok(Expr::Name { name, column }),
            false => Err(self.fault("a closing quotation mark")),
        }
    }

    /// A number, a name, or the name of a function with its argument.
    fn word(&mut self) -> Result<Expr, Fault> {
        let column = self.column;
        let word = self.take(MAX_NAME, is_of_a_word);
        if word.is_empty() {
            return Err(self.fault(A_VALUE));
        }
        if self.takes("(") {
            return self.call(word, column);
        }
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        match word.parse::<f64>() {
            Ok(number) if is_number && number.is_finite() => Ok(Expr::Number(number)),
            Ok(_) if is_number => Err(self.fault("a number of ordinary size")),
            Ok(_) | Err(_) => Ok(Expr::Name {
                name: word.to_owned(),
                column,
            }),
        }
    }

    fn call(&mut self, name: &str, column: usize) -> Result<Expr, Fault> {
        let name = name.to_ascii_lowercase();
        let code = match name.as_str() {
            "yoy" => Some(Units::PercentYear),
            "mom" => Some(Units::Percent),
            code => code.parse().ok(),
        };
        let known = [
            "abs", "not", "ma", "lag", "ann", "cagr", "index", "real", "gap",
        ];
        if code.is_none() && !known.contains(&name.as_str()) {
            return Err(self.fault(FUNCTIONS));
        }
        let mut arguments = vec![self.any()?];
        let function = match (code, name.as_str()) {
            (Some(units), _) => Function::Units(units),
            (_, "abs") => Function::Absolute,
            (_, "not") => Function::Not,
            (_, "ma") => Function::MovingAverage(self.window()?),
            (_, "lag") => Function::Lag(self.window()?),
            (_, "ann") => Function::Annualised(self.window()?),
            (_, "cagr") => self.growth()?,
            (_, "index") => Function::Index(self.time_or_none()?),
            (_, "real") => {
                let when = self.time_or_none()?.ok_or_else(|| self.fault(A_TIME))?;
                let name = PRICES.to_owned();
                arguments.push(Expr::Name { name, column });
                Function::Real(when)
            }
            (_, "gap") => {
                if !self.comma() {
                    return Err(self.fault(TWO));
                }
                arguments.push(self.any()?);
                Function::Gap
            }
            _ => return Err(self.fault(FUNCTIONS)),
        };
        self.closing()?;
        Ok(Expr::Call(function, arguments, column))
    }

    fn window(&mut self) -> Result<usize, Fault> {
        if !self.comma() {
            return Err(self.fault(WINDOW));
        }
        let start = *self;
        match self.take(4, |c| c.is_ascii_digit()).parse() {
            Ok(n) if (1..=MAX_PERIODS).contains(&n) => Ok(n),
            Ok(_) | Err(_) => Err(start.fault(WINDOW)),
        }
    }

    /// Years, a time, or nothing.
    fn growth(&mut self) -> Result<Function, Fault> {
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
        let since = self.time_or_none();
        let since = since.map(Function::GrowthSince);
        since.map_err(|_| start.fault(YEARS))
    }

    /// After a comma a time, in quotes or bare; nothing where no comma comes.
    fn time_or_none(&mut self) -> Result<Option<When>, Fault> {
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
        let closed = quote.is_none_or(|quote| self.one_of(&[quote]));
        match When::read(text) {
            Ok(when) if closed => Ok(Some(when)),
            Ok(_) | Err(_) => Err(start.fault(A_TIME)),
        }
    }
}

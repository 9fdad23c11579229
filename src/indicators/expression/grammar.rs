//! From text to tree.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = atom (("*" | "/") atom)*
//! atom    = "-" atom | "(" sum ")" | number | name | "quoted name" | function "(" sum ["," whole] ")"
//! ```

use super::{Expr, FUNCTIONS, Fault, Function, Op};
use crate::indicators::transform::Units;
use winnow::combinator::{alt, cut_err, delimited, fail, opt, preceded};
use winnow::error::{StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{one_of, take_while};

/// Longest formula.
pub const MOST_CHARACTERS: usize = 200;
/// Deepest nesting.
pub const MOST_DEPTH: usize = 8;
/// Most names in one formula.
pub const MOST_NAMES: usize = 12;
/// Longest window of `ma` and `lag`.
const MOST_PERIODS: usize = 5_000;

const EXPECTED: &str = "series names, numbers, + - * /, parentheses and functions, for example DGS10-DGS2 or yoy(CPIAUCSL)";
const A_VALUE: &str = "a series name, a number, a function or a parenthesis";
const WINDOW: &str = "a whole number of periods from 1 to 5000, for example ma(ICSA, 4)";

type Input<'i> = LocatingSlice<&'i str>;

/// Reads a formula.
///
/// # Errors
/// A [`Fault`] that names the column.
pub fn parse(text: &str) -> Result<Expr, Fault> {
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS {
        let problem = format!("is {characters} characters long");
        return Err(Fault::new(
            MOST_CHARACTERS + 1,
            problem,
            format!("up to {MOST_CHARACTERS} characters"),
        ));
    }
    shallow(text)?;
    let mut tree = delimited(blanks, sum, blanks)
        .parse(LocatingSlice::new(text))
        .map_err(|error| {
            let expected = error.inner().context().find_map(|context| {
                if let StrContext::Expected(StrContextValue::Description(words)) = context {
                    Some(*words)
                } else {
                    None
                }
            });
            fault(text, error.offset(), expected)
        })?;
    count_characters(&mut tree, text);
    let names = tree.names();
    if let Some((_, column)) = names.get(MOST_NAMES) {
        let problem = format!("has {} names", names.len());
        return Err(Fault::new(
            *column,
            problem,
            format!("up to {MOST_NAMES} names"),
        ));
    }
    Ok(tree)
}

/// Columns are byte offsets while parsing; people count characters from 1.
fn count_characters(tree: &mut Expr, text: &str) {
    match tree {
        Expr::Number(_) => {}
        Expr::Name { column, .. } => *column = character(text, *column),
        Expr::Negate(inner) => count_characters(inner, text),
        Expr::Call {
            argument, column, ..
        } => {
            *column = character(text, *column);
            count_characters(argument, text);
        }
        Expr::Binary {
            left,
            right,
            column,
            ..
        } => {
            *column = character(text, *column);
            count_characters(left, text);
            count_characters(right, text);
        }
    }
}

fn character(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(i, _)| *i < offset).count() + 1
}

fn fault(text: &str, offset: usize, expected: Option<&'static str>) -> Fault {
    let rest = text.get(offset..).unwrap_or("");
    let problem = match rest.chars().next() {
        None => "ends too early".to_owned(),
        Some(c) => format!("has \"{}\" there", crate::error::quote(&c.to_string())),
    };
    Fault::new(
        character(text, offset),
        problem,
        expected.unwrap_or(EXPECTED),
    )
}

/// Nesting is checked before the parser descends into it.
fn shallow(text: &str) -> Result<(), Fault> {
    let (mut depth, mut signs) = (0usize, 0usize);
    for (at, c) in text.chars().enumerate() {
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
        if depth.max(signs) > MOST_DEPTH {
            return Err(Fault::new(
                at + 1,
                "is nested too deeply",
                format!("up to {MOST_DEPTH} levels"),
            ));
        }
    }
    Ok(())
}

fn blanks(input: &mut Input<'_>) -> ModalResult<()> {
    take_while(0.., char::is_whitespace)
        .void()
        .parse_next(input)
}

fn sum(input: &mut Input<'_>) -> ModalResult<Expr> {
    chain(input, product, |c| match c {
        '+' => Some(Op::Add),
        '-' | '−' => Some(Op::Subtract),
        _ => None,
    })
}

fn product(input: &mut Input<'_>) -> ModalResult<Expr> {
    chain(input, atom, |c| match c {
        '*' | '×' => Some(Op::Multiply),
        '/' | '÷' => Some(Op::Divide),
        _ => None,
    })
}

fn chain(
    input: &mut Input<'_>,
    operand: fn(&mut Input<'_>) -> ModalResult<Expr>,
    operation: fn(char) -> Option<Op>,
) -> ModalResult<Expr> {
    let mut left = operand(input)?;
    loop {
        let before = input.checkpoint();
        blanks(input)?;
        let column = input.current_token_start();
        let sign = opt(one_of(|c| operation(c).is_some())).parse_next(input)?;
        let Some(op) = sign.and_then(operation) else {
            input.reset(&before);
            return Ok(left);
        };
        let right = cut_err(operand)
            .context(expected(A_VALUE))
            .parse_next(input)?;
        left = Expr::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
            column,
        };
    }
}

fn expected(words: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(words))
}

fn atom(input: &mut Input<'_>) -> ModalResult<Expr> {
    let negated = preceded(one_of(['-', '−']), cut_err(atom)).map(|e| Expr::Negate(Box::new(e)));
    let grouped = delimited('(', cut_err(sum), closing);
    preceded(blanks, alt((negated, grouped, quoted, word)))
        .context(expected(A_VALUE))
        .parse_next(input)
}

fn closing(input: &mut Input<'_>) -> ModalResult<()> {
    cut_err(preceded(blanks, ')'))
        .void()
        .context(expected("a closing parenthesis or an operator"))
        .parse_next(input)
}

fn quoted(input: &mut Input<'_>) -> ModalResult<Expr> {
    let column = input.current_token_start();
    let quote = one_of(['"', '\'']).parse_next(input)?;
    let name = cut_err(take_while(1..80, move |c| c != quote)).parse_next(input)?;
    cut_err(quote)
        .context(expected("a closing quotation mark"))
        .parse_next(input)?;
    Ok(Expr::Name {
        name: name.to_owned(),
        column,
    })
}

fn word(input: &mut Input<'_>) -> ModalResult<Expr> {
    let column = input.current_token_start();
    let text: &str = take_while(1..=64, |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
    })
    .parse_next(input)?;
    if opt(preceded(blanks, '(')).parse_next(input)?.is_some() {
        return call(input, text, column);
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if let Some(number) = is_number.then(|| text.parse::<f64>().ok()).flatten() {
        if number.is_finite() {
            return Ok(Expr::Number(number));
        }
        return cut_err(fail)
            .context(expected("a number of ordinary size"))
            .parse_next(input);
    }
    Ok(Expr::Name {
        name: text.to_owned(),
        column,
    })
}

fn call(input: &mut Input<'_>, name: &str, column: usize) -> ModalResult<Expr> {
    let lower = name.to_ascii_lowercase();
    let plain = match lower.as_str() {
        "yoy" => Some(Function::Units(Units::PercentYear)),
        "mom" => Some(Function::Units(Units::Percent)),
        "index" => Some(Function::Index),
        "abs" => Some(Function::Absolute),
        code => code.parse().ok().map(Function::Units),
    };
    let windowed = matches!(lower.as_str(), "ma" | "lag");
    if plain.is_none() && !windowed {
        return cut_err(fail).context(expected(FUNCTIONS)).parse_next(input);
    }
    let argument = Box::new(cut_err(sum).parse_next(input)?);
    let function = match plain {
        Some(function) => function,
        None => {
            let periods = window(input)?;
            if lower == "ma" {
                Function::MovingAverage(periods)
            } else {
                Function::Lag(periods)
            }
        }
    };
    closing(input)?;
    Ok(Expr::Call {
        function,
        argument,
        column,
    })
}

fn window(input: &mut Input<'_>) -> ModalResult<usize> {
    cut_err(preceded(
        (blanks, ',', blanks),
        take_while(1..=4, |c: char| c.is_ascii_digit()),
    ))
    .try_map(|digits: &str| match digits.parse::<usize>() {
        Ok(n) if (1..=MOST_PERIODS).contains(&n) => Ok(n),
        Ok(_) | Err(_) => Err(OutOfRange),
    })
    .context(expected(WINDOW))
    .parse_next(input)
}

#[derive(Debug)]
struct OutOfRange;

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(WINDOW)
    }
}

impl std::error::Error for OutOfRange {}

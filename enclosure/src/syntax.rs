//! Parse errors with positions, shared by the language of constants and the languages that contain it, and limits on
//! the length and nesting of a text.

use std::fmt;

use winnow::LocatingSlice;
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{Location, Stream};

use crate::Error;

/// The longest text that is parsed, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// The deepest nesting of parentheses and brackets.
const MAX_DEPTH: usize = 200;

/// Characters shown on either side of the fault.
const EXCERPT: usize = 30;

/// A parse error: what is wrong, and where. It displays as one line; [`caret`](ParseError::caret) returns two lines
/// that point at the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    excerpt: String,
    /// Characters of the excerpt before the fault.
    offset: usize,
    /// Characters of the text before the fault.
    position: usize,
}

impl ParseError {
    /// An error with `message` at byte `position` of `source`.
    pub fn new(message: impl Into<String>, source: &str, position: usize) -> Self {
        let mut position = position.min(source.len());
        while !source.is_char_boundary(position) {
            position -= 1;
        }
        let (before, after) = source.split_at(position);
        let start = before.char_indices().rev().nth(EXCERPT - 1).map_or(0, |(at, _)| at);
        let end = after.char_indices().nth(EXCERPT).map_or(source.len(), |(at, _)| position + at);
        let tidy = |text: &str| text.replace(|c: char| c.is_control(), " ");
        let cut = if start > 0 { "..." } else { "" };
        ParseError {
            message: message.into(),
            excerpt: format!("{cut}{}{}", tidy(&source[start..end]), if end < source.len() { "..." } else { "" }),
            offset: cut.len() + source[start..position].chars().count(),
            position: before.chars().count(),
        }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Column of the error, counted in characters from 1.
    pub fn column(&self) -> usize {
        self.position + 1
    }

    /// Two lines: the text around the error, and a caret below the place.
    pub fn caret(&self) -> String {
        format!("  {}\n  {:>width$}", self.excerpt, '^', width = self.offset + 1)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at column {} of '{}')", self.message, self.column(), self.excerpt)
    }
}

impl std::error::Error for ParseError {}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Error::Input(error.to_string())
    }
}

/// Input of the parsers.
pub type Input<'a> = LocatingSlice<&'a str>;

/// Result of the parsers. There is no backtracking over an error: the first one is reported.
pub type Parsed<T> = Result<T, ErrMode<Fault>>;

/// An error at a byte of the text.
#[derive(Debug)]
pub struct Fault {
    position: usize,
    message: String,
}

impl ParserError<Input<'_>> for Fault {
    type Inner = Self;
    fn from_input(input: &Input<'_>) -> Self {
        Fault { position: input.current_token_start(), message: unexpected(input) }
    }
    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

/// An error at this position, which ends parsing.
pub fn fault<T>(position: usize, message: impl Into<String>) -> Parsed<T> {
    Err(ErrMode::Cut(Fault { position, message: message.into() }))
}

/// An error at the next character: "unexpected 'x', expected ...".
pub fn expected<T>(input: &Input<'_>, what: &str) -> Parsed<T> {
    fault(input.current_token_start(), format!("{}, expected {what}", unexpected(input)))
}

fn unexpected(input: &Input<'_>) -> String {
    match input.peek_token() {
        None => "unexpected end".into(),
        Some('\u{2212}' | '\u{2013}') => "unexpected typographic minus; write '-'".into(),
        Some(c) => format!("unexpected {c:?}"),
    }
}

/// Parse a whole text with one parser; `then` names what may follow the parsed part.
pub fn complete<'a, T>(
    source: &'a str,
    then: &str,
    parser: impl FnOnce(&mut Input<'a>) -> Parsed<T>,
) -> Result<T, ParseError> {
    admit(source)?;
    let mut input = Input::new(source);
    let result = match parser(&mut input) {
        Ok(_) if input.peek_token().is_some() => expected(&input, then),
        result => result,
    };
    result.map_err(|error| match error.into_inner() {
        Ok(Fault { position, message }) => ParseError::new(message, source, position),
        Err(_) => ParseError::new("incomplete", source, source.len()),
    })
}

/// Is the text short enough, and nested no deeper than the parsers' stack allows? Balance is checked here too, for the
/// place of the unclosed parenthesis is what helps.
fn admit(source: &str) -> Result<(), ParseError> {
    if source.len() > MAX_LENGTH {
        let message = format!("the text has {} bytes; the limit is {MAX_LENGTH}", source.len());
        return Err(ParseError::new(message, source, 0));
    }
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, c) in source.char_indices() {
        match c {
            '(' | '[' => {
                if open.len() == MAX_DEPTH {
                    let message = format!("parentheses are nested more than {MAX_DEPTH} deep");
                    return Err(ParseError::new(message, source, at));
                }
                open.push((at, c));
            }
            ')' | ']' => match open.pop() {
                Some((_, '(')) if c == ')' => {}
                Some((_, '[')) if c == ']' => {}
                Some((_, o)) => {
                    let right = if o == '(' { ')' } else { ']' };
                    return Err(ParseError::new(format!("'{o}' is closed by '{c}', expected '{right}'"), source, at));
                }
                None => return Err(ParseError::new(format!("unmatched '{c}'"), source, at)),
            },
            _ => {}
        }
    }
    match open.last() {
        Some((at, o)) => Err(ParseError::new(format!("'{o}' is never closed"), source, *at)),
        None => Ok(()),
    }
}

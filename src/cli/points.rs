//! Points on the command line: one constant, a list, or a range.
//!
//! ```text
//! points = piece { "," piece }
//! piece  = constant | constant ".." constant [ ":" count ]
//! ```
//!
//! **Number of points in a range.** Both ends are points, and every point is exact, as it is printed.
//!
//! * `A..B` goes from A in steps of 1 for epsilons and orders (`0..5` has six points), and in powers of ten for
//!   probabilities (`1e-6..1e-10` has five points). B is always the last point.
//! * `A..B:N` has N points, evenly spaced. Probabilities above 0 are evenly spaced in the logarithm, with inner
//!   points rounded to decimals of three digits.
//!
//! A comma inside parentheses or brackets belongs to a constant.

use rug::Rational;

use super::failure::Failure;
use enclosure::{Portable, Real};

/// Largest number of points.
const MOST: u32 = 10_000;

/// The kind of quantity, which determines the steps of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Any number: steps of 1.
    Linear,
    /// A probability: steps by powers of ten.
    Logarithmic,
}

/// The points of an option, at least one.
pub fn points(option: &str, text: &str, scale: Scale) -> Result<Vec<Real>, Failure> {
    read(text, scale).map_err(|message| Failure::input(format!("--{option}: {message}")))
}

/// The points of a repeated option.
pub fn points_of_all(option: &str, texts: &[String], scale: Scale) -> Result<Vec<Real>, Failure> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(points(option, text, scale)?);
    }
    Ok(all)
}

/// The points in a text, at least one.
pub fn read(text: &str, scale: Scale) -> Result<Vec<Real>, String> {
    let mut all = Vec::new();
    for piece in pieces(text) {
        match piece.split_once("..") {
            None => all.push(piece.parse().map_err(|error| format!("{error}"))?),
            Some((_, to)) if to.starts_with('.') => {
                return Err("a range has exactly two dots, as in 1e-5..1e-3; write .5 as 0.5".into());
            }
            Some((from, to)) => all.extend(range(from, to, scale)?),
        }
        if all.len() > MOST as usize {
            return Err(format!("at most {MOST} points are allowed"));
        }
    }
    Ok(all)
}

/// Split a text at its commas, except inside parentheses and brackets.
pub fn pieces(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all
}

fn range(from: &str, to: &str, scale: Scale) -> Result<Vec<Real>, String> {
    let (to, count) = match to.split_once(':') {
        Some((to, count)) => (to, Some(count)),
        None => (to, None),
    };
    let end = |text: &str| -> Result<Rational, String> {
        let value: Real = text.parse().map_err(|error| format!("{error}"))?;
        value.as_rational().cloned().ok_or_else(|| format!("the ends of a range must be rational, not {value}"))
    };
    let (from, to) = (end(from)?, end(to)?);
    let count = count.map(|count| match count.trim().parse::<u32>() {
        Ok(count) if (2..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("a range must have 2 to {MOST} points, as in 0..5:11, not `{}`", count.trim())),
    });
    let logarithmic = scale == Scale::Logarithmic && from > 0 && to > 0;
    let points = match count.transpose()? {
        Some(count) if logarithmic => spread(&from, &to, count),
        Some(count) => {
            let length = Rational::from(&to - &from);
            (0..count).map(|i| &from + Rational::from((i, count - 1)) * &length).collect()
        }
        None if logarithmic => stepped(from, &to, |x, up| if up { x * 10u32 } else { x / 10u32 })?,
        None if scale == Scale::Logarithmic => {
            return Err("a range of probabilities with an end at 0 needs a number of points, as in 0..1:11".into());
        }
        None => stepped(from, &to, |x, up| if up { x + 1u32 } else { x - 1u32 })?,
    };
    Ok(points.into_iter().map(Real::from).collect())
}

/// Points from one end by steps, and the other end.
fn stepped(from: Rational, to: &Rational, step: impl Fn(Rational, bool) -> Rational) -> Result<Vec<Rational>, String> {
    let up = from < *to;
    let mut points = Vec::new();
    let mut x = from;
    while if up { x < *to } else { x > *to } {
        points.push(x.clone());
        if points.len() >= MOST as usize {
            return Err(format!("a range has at most {MOST} points; give a number of points, as in 0..1e6:11"));
        }
        x = step(x, up);
    }
    points.push(to.clone());
    Ok(points)
}

/// Points with evenly spaced logarithms, each rounded to a decimal except for the ends.
fn spread(from: &Rational, to: &Rational, count: u32) -> Vec<Rational> {
    let logarithm = |value: &Rational| rug::Float::with_val(64, value).log10().to_f64();
    let (a, b) = (logarithm(from), logarithm(to));
    let near = |i: u32| -> Option<Rational> {
        let place = a + f64::from(i) / f64::from(count - 1) * (b - a);
        // The digits and the power of ten apart, for a double goes no further than 1e-308.
        let (power, digits) = (place.floor(), 10f64.portable_powf(place - place.floor()));
        let real: Real = format!("{digits:.2}e{power}").parse().ok()?;
        real.as_rational().cloned()
    };
    let inner = (1..count - 1).filter_map(near);
    let mut points: Vec<Rational> = [from.clone()].into_iter().chain(inner).chain([to.clone()]).collect();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, scale: Scale) -> Result<Vec<String>, String> {
        let points = points("at", text, scale).map_err(|failure| failure.to_string())?;
        Ok(points.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lists_and_ranges_are_points() {
        for (text, scale, shown) in [
            ("1", Scale::Linear, vec!["1"]),
            ("0.5,1, 2", Scale::Linear, vec!["1/2", "1", "2"]),
            ("ln(3/2),sqrt(2)", Scale::Linear, vec!["ln(3/2)", "sqrt(2)"]),
            ("0..3", Scale::Linear, vec!["0", "1", "2", "3"]),
            ("-1/2..2", Scale::Linear, vec!["-1/2", "1/2", "3/2", "2"]),
            ("3..1", Scale::Linear, vec!["3", "2", "1"]),
            ("0..1:5", Scale::Linear, vec!["0", "1/4", "1/2", "3/4", "1"]),
            ("0..1:3,7", Scale::Linear, vec!["0", "1/2", "1", "7"]),
            ("1e-2..1e-4", Scale::Logarithmic, vec!["1/100", "1/1000", "1/10000"]),
            ("1e-3..0.5", Scale::Logarithmic, vec!["1/1000", "1/100", "1/10", "1/2"]),
            ("0..1:3", Scale::Logarithmic, vec!["0", "1/2", "1"]),
            ("1e-2..1:5", Scale::Logarithmic, vec!["1/100", "79/2500", "1/10", "79/250", "1"]),
            ("1e-400..1e-398:3", Scale::Logarithmic, vec!["1e-400", "1e-399", "1e-398"]),
            ("2..2", Scale::Linear, vec!["2"]),
        ] {
            let exact: Vec<String> =
                shown.iter().map(|text| text.parse::<Real>().expect("a constant").to_string()).collect();
            assert_eq!(told(text, scale), Ok(exact), "{text}");
        }
        assert_eq!(told("1e-6..1e-10", Scale::Logarithmic).map(|all| all.len()), Ok(5));
        let texts = ["1,2".to_string(), "3".to_string()];
        assert_eq!(points_of_all("at", &texts, Scale::Linear).map(|all| all.len()).ok(), Some(3));
    }

    #[test]
    fn refuses_invalid_points() {
        for (text, scale, part) in [
            ("1,,2", Scale::Linear, "--at: "),
            ("0..ln(2)", Scale::Linear, "the ends of a range must be rational, not ln(2)"),
            ("0..1:1", Scale::Linear, "2 to 10000 points"),
            ("0..1:x", Scale::Linear, "not `x`"),
            ("0..1", Scale::Logarithmic, "needs a number of points, as in 0..1:11"),
            ("0..1e9", Scale::Linear, "at most 10000 points"),
            ("1..2..3", Scale::Linear, "--at: "),
            ("1e-5...1e-3", Scale::Logarithmic, "a range has exactly two dots"),
            ("0...5", Scale::Linear, "a range has exactly two dots"),
        ] {
            let error = told(text, scale).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

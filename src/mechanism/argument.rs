//! The values of parameters, and how data files write them.

use std::fmt;

use super::{Composition, Real};
use enclosure::{Meter, ParseError};

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A constant.
    Constant(Real),
    /// A list of constants.
    List(Vec<Real>),
    /// The composition that a mechanism acts on.
    Mechanism(Composition),
    /// Several compositions that a mechanism acts on.
    Mechanisms(Vec<Composition>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Constant(value) => value.fmt(f),
            Argument::Mechanism(inner) => inner.fmt(f),
            Argument::List(values) => listed(values, f),
            Argument::Mechanisms(all) => listed(all, f),
        }
    }
}

fn listed(values: &[impl fmt::Display], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "[")?;
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}{value}")?;
    }
    write!(f, "]")
}

/// A value as a data file has it, not yet read: the constants of one file share one [`Meter`].
#[derive(Clone, Debug)]
pub(super) enum Raw {
    /// A constant in the language of constants.
    Text(String),
    /// `{"ln": "3/2"}` or `{"sqrt": "2"}`.
    Function(String, String),
    /// A list of the above.
    List(Vec<Raw>),
    /// What a mechanism acts on.
    Mechanism(Composition),
}

impl Raw {
    pub(super) fn read(&self, meter: &mut Meter) -> Result<Argument, String> {
        match self {
            Raw::List(items) => {
                items.iter().map(|item| item.constant(meter)).collect::<Result<_, _>>().map(Argument::List)
            }
            Raw::Mechanism(inner) => Ok(Argument::Mechanism(inner.clone())),
            Raw::Text(_) | Raw::Function(..) => self.constant(meter).map(Argument::Constant),
        }
    }

    fn constant(&self, meter: &mut Meter) -> Result<Real, String> {
        let parse = |text: &str, meter: &mut Meter| {
            Real::parse_metered(text, meter).map_err(|error: ParseError| error.to_string())
        };
        match self {
            Raw::Text(text) => parse(text, meter),
            Raw::Function(name, text) => {
                let value = parse(text, meter)?;
                let result = match name.as_str() {
                    "ln" => value.ln(),
                    "sqrt" => value.sqrt(),
                    "expr" => Ok(value),
                    _ => return Err(format!("unknown function '{name}'; use ln, sqrt or expr")),
                };
                result.map_err(|error| error.to_string())
            }
            Raw::List(_) => Err("a list inside a list is not allowed".into()),
            Raw::Mechanism(_) => Err("expected a constant, not a mechanism".into()),
        }
    }
}

//! Conversion between Python numbers and exact constants.
//!
//! A double is taken as its exact value, a string as written: `0.1` and `"0.1"` are different numbers.

use enclosure::Real;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use rug::integer::Order;
use rug::{Integer, Rational};

use crate::failure::{input, unreadable, wrong_type};

/// Largest number of bits of an integer, as for strings.
const MOST_BITS: u64 = 1 << 20;

/// The exact value of a Python number, in the language of constants.
#[pyfunction]
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(real(value)?.to_string())
}

/// The exact value of a Python number.
pub fn real(value: &Bound<'_, PyAny>) -> PyResult<Real> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Real::parse(text.to_str()?).map_err(|error| unreadable(py, &error));
    }
    if let Ok(double) = value.cast::<PyFloat>() {
        return of_double(py, double.value());
    }
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type("expected a number, not a bool"));
    }
    if let Ok(integer) = value.cast::<PyInt>() {
        return Ok(Real::from(of_integer(integer)?));
    }
    other(value)
}

fn of_double(py: Python<'_>, double: f64) -> PyResult<Real> {
    Rational::from_f64(double).map(Real::from).ok_or_else(|| input(py, unsupported(&double)))
}

/// The message for a number that is not finite, or whose exponent is too large.
fn unsupported(value: &impl std::fmt::Display) -> String {
    format!("{value} is not a finite number of supported size")
}

/// The exact value of a number of another library.
fn other(value: &Bound<'_, PyAny>) -> PyResult<Real> {
    let py = value.py();
    let kind = value.get_type();
    let name = kind.name()?.to_string();
    if name == "Decimal" && kind.module()?.to_str()?.contains("decimal") {
        // Converted as a string, because its exponent may be too large for a fraction.
        let text = value.str()?;
        return Real::parse(text.to_str()?).map_err(|_| input(py, unsupported(&text)));
    }
    if value.hasattr("_mpf_")? {
        return of_mpmath(value);
    }
    if value.hasattr("numerator")? && value.hasattr("denominator")? {
        let [numer, denom] = ["numerator", "denominator"].map(|part| value.getattr(part));
        return of_ratio(&numer?, &denom?, &name);
    }
    if value.hasattr("ndim")? && value.hasattr("item")? {
        let dimensions: usize = value.getattr("ndim")?.extract()?;
        if dimensions > 0 {
            return Err(wrong_type(format!("expected one number, not an array of {dimensions} dimensions")));
        }
        let item = value.call_method0("item")?;
        // A type without a Python equivalent, such as longdouble of numpy, returns itself as its item.
        if !item.get_type().is(&kind) {
            return real(&item);
        }
    }
    if value.hasattr("as_integer_ratio")? {
        let ratio = value.call_method0("as_integer_ratio");
        let ratio = ratio.map_err(|_| input(py, unsupported(value)))?;
        let (numer, denom): (Bound<'_, PyAny>, Bound<'_, PyAny>) = ratio.extract()?;
        return of_ratio(&numer, &denom, &name);
    }
    if value.hasattr("__index__")? {
        return Ok(Real::from(index(value)?));
    }
    Err(wrong_type(format!("expected a number, not {}", shown(&name))))
}

/// A value with a numerator and a denominator; a type may have these attributes (such as `int`) without being a number.
fn of_ratio(numer: &Bound<'_, PyAny>, denom: &Bound<'_, PyAny>, name: &str) -> PyResult<Real> {
    let py = numer.py();
    let [numer, denom] = [numer, denom].map(|part| {
        index(part).map_err(|error| match error.is_instance_of::<PyAttributeError>(py) {
            true => wrong_type(format!("expected a number, not {}", shown(name))),
            false => error,
        })
    });
    let (numer, denom) = (numer?, denom?);
    if denom.is_zero() {
        return Err(input(py, "the denominator of a fraction must not be 0"));
    }
    Ok(Real::from(Rational::from((numer, denom))))
}

fn shown(name: &str) -> String {
    match name {
        "NoneType" => "None".into(),
        "list" | "tuple" | "dict" | "set" => format!("a {name}"),
        _ => format!("an object of type {name}"),
    }
}

/// A number of mpmath: sign, mantissa, exponent of 2.
fn of_mpmath(value: &Bound<'_, PyAny>) -> PyResult<Real> {
    let py = value.py();
    let (sign, mantissa, exponent, _): (i32, Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
        value.getattr("_mpf_")?.extract()?;
    let (mantissa, exponent) = (index(&mantissa)?, index(&exponent)?.to_i64().unwrap_or(i64::MAX));
    let most = MOST_BITS.cast_signed();
    if mantissa.is_zero() && exponent != 0 || !(-most..=most).contains(&exponent) {
        return Err(input(py, unsupported(value)));
    }
    let mantissa = Rational::from(if sign == 0 { mantissa } else { -mantissa });
    let exponent = i32::try_from(exponent).map_err(|_| input(py, unsupported(value)))?;
    Ok(Real::from(mantissa << exponent))
}

/// The value of an integer.
fn index(value: &Bound<'_, PyAny>) -> PyResult<Integer> {
    match value.cast::<PyInt>() {
        Ok(integer) => of_integer(integer),
        Err(_) => of_integer(value.call_method0("__index__")?.cast::<PyInt>()?),
    }
}

fn of_integer(value: &Bound<'_, PyInt>) -> PyResult<Integer> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(Integer::from(small));
    }
    let py = value.py();
    let bits: u64 = value.call_method0("bit_length")?.extract()?;
    if bits > MOST_BITS {
        return Err(input(py, format!("an integer of {bits} bits exceeds the limit of {MOST_BITS} bits")));
    }
    let magnitude = value.call_method0("__abs__")?;
    let bytes: Vec<u8> = magnitude.call_method1("to_bytes", (bits.div_ceil(8), "little"))?.extract()?;
    let magnitude = Integer::from_digits(&bytes, Order::Lsf);
    Ok(if value.lt(0)? { -magnitude } else { magnitude })
}

/// A Python integer.
fn to_python<'py>(py: Python<'py>, value: &Integer) -> PyResult<Bound<'py, PyAny>> {
    if let Some(small) = value.to_i64() {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let bytes = value.to_digits::<u8>(Order::Lsf);
    let magnitude = py.get_type::<PyInt>().call_method1("from_bytes", (bytes.as_slice(), "little"))?;
    if *value < 0 { magnitude.neg() } else { Ok(magnitude) }
}

/// Numerator and denominator, for a `fractions.Fraction`.
pub fn ratio<'py>(py: Python<'py>, value: &Rational) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    Ok((to_python(py, value.numer())?, to_python(py, value.denom())?))
}

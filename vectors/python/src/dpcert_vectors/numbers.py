"""Exact numbers: read without rounding, and rounded only to the side that is asked for.

A vector file writes every number as a string: rationals ``"3/2"``, decimals ``"1.25e-4000"``, hex floats of any length
and exponent ``"0x1.8p-13288"``. All of them become a ``Fraction``, so that no comparison is ever made in floating point.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, NamedTuple, Tuple, Union

#: The largest magnitude of an exponent, binary or decimal; beyond it a number is refused instead of expanded.
MAX_EXPONENT = 1_000_000
#: The largest number of digits of a number.
MAX_DIGITS = 20_000

#: A finite number exactly, or one of the floats inf, -inf, nan.
Number = Union[Fraction, float]

_FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")
_DECIMAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_HEX = re.compile(r"(-?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)")
_SPECIAL = {
    "nan": math.nan,
    "-nan": math.nan,
    "inf": math.inf,
    "+inf": math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-inf": -math.inf,
    "-infinity": -math.inf,
}


class Range(NamedTuple):
    """A number between two doubles, ``at_least <= number <= at_most``; the upper one may be infinite."""

    at_least: float
    at_most: float


def quote(text: str) -> str:
    """The text in quotes, on one line, and short enough for an error message."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "..."


def parse(text: str) -> Fraction:
    """Reads a rational, a decimal or a hex float exactly; raises ``ValueError`` for anything else."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"{quote(text)} has more than {MAX_DIGITS} digits")
    match = _FRACTION.fullmatch(text)
    if match:
        p, q = match.groups()
        denominator = _integer(q)
        if denominator == 0:
            raise ValueError(f"{quote(text)} has the denominator 0")
        return Fraction(_integer(p), denominator)
    match = _HEX.fullmatch(text)
    if match:
        sign, whole, fraction, exponent = match.groups(default="")
        if whole + fraction:
            magnitude = int(whole + fraction, 16) * _power(2, _exponent(text, exponent) - 4 * len(fraction))
            return -magnitude if sign else magnitude
    match = _DECIMAL.fullmatch(text)
    if match:
        sign, whole, fraction, exponent = match.groups(default="")
        magnitude = _integer(whole + fraction) * _power(10, _exponent(text, exponent) - len(fraction))
        return -magnitude if sign else magnitude
    raise ValueError(f"{quote(text)} is not a number such as 3/2, 1.25e-4000 or 0x1.8p-3")


def _exponent(text: str, digits: str) -> int:
    if len(digits.lstrip("+-0")) > 7 or abs(int(digits or "0")) > MAX_EXPONENT:
        raise ValueError(f"{quote(text)} has an exponent beyond ±{MAX_EXPONENT}")
    return int(digits or "0")


def _power(base: int, exponent: int) -> Fraction:
    return Fraction(base**exponent) if exponent >= 0 else Fraction(1, base**-exponent)


def _integer(digits: str) -> int:
    """``int(digits)`` for any length: Python itself refuses more than 4300 digits by default."""
    chunk = 4000
    if len(digits) <= chunk:
        return int(digits)
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    value = 0
    for start in range(0, len(digits), chunk):
        part = digits[start : start + chunk]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def exactly(value: Any) -> Number:
    """The number that a program returned, without rounding it.

    Takes ints, floats, fractions, decimals, NumPy scalars and arrays of one element, mpmath numbers, and the strings
    that :func:`parse` takes besides ``inf``, ``-inf`` and ``nan``.
    """
    if isinstance(value, str):
        special = _SPECIAL.get(value.lower())
        return parse(value) if special is None else special
    if isinstance(value, bool):
        raise TypeError("a truth value is not a claim")
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, (float, Decimal)):
        return _from_ratio(value)
    if hasattr(value, "_mpf_"):  # mpmath
        sign, mantissa, exponent, _ = value._mpf_
        if not mantissa and exponent:
            return float(value)
        return (-1 if sign else 1) * int(mantissa) * _power(2, int(exponent))
    if callable(getattr(value, "as_integer_ratio", None)):  # numpy.float32, numpy.longdouble
        return _from_ratio(value)
    if getattr(value, "size", None) == 1 and callable(getattr(value, "item", None)):  # arrays of one element
        return exactly(value.item())
    raise TypeError(f"a claim is a number, not {quote(repr(value))}")


def _from_ratio(value: Any) -> Number:
    try:
        return Fraction(*map(int, value.as_integer_ratio()))
    except (OverflowError, ValueError):  # infinities, NaN
        return float(value)


def double_below(value: Fraction) -> float:
    """The largest double that is not above ``value``; ``-inf`` below all finite ones."""
    return 0.0 - double_above(-value)  # never -0.0


def double_above(value: Fraction) -> float:
    """The smallest double that is not below ``value``; ``inf`` above all finite ones."""
    try:
        nearest = value.numerator / value.denominator  # Python rounds this quotient correctly
    except OverflowError:
        nearest = _LARGEST if value > 0 else -_LARGEST
    # One step at most, for the nearest double is one of the two neighbours of the value.
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


_LARGEST = float.fromhex("0x1.fffffffffffffp+1023")


def tightest(value: Fraction) -> Range:
    """The tightest doubles around ``value``."""
    return Range(double_below(value), double_above(value))


def is_double(value: Fraction) -> bool:
    """Whether a binary64 has exactly this value."""
    return double_below(value) == double_above(value)


def short(value: Number, digits: int = 17) -> str:
    """A decimal for people, correctly rounded to so many digits, of any magnitude."""
    if isinstance(value, float):
        return str(value)
    if value == 0:
        return "0"
    mantissa, exponent = _scientific(abs(value), digits)
    sign = "-" if value < 0 else ""
    mantissa = mantissa.rstrip("0") or "0"
    if -5 <= exponent < digits:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{mantissa}"
        whole, rest = mantissa[: exponent + 1].ljust(exponent + 1, "0"), mantissa[exponent + 1 :]
        return f"{sign}{whole}" + (f".{rest}" if rest else "")
    return f"{sign}{mantissa[0]}" + (f".{mantissa[1:]}" if mantissa[1:] else "") + f"e{exponent}"


def _scientific(value: Fraction, digits: int) -> Tuple[str, int]:
    """The digits of a positive number and the exponent of the first."""
    # 30103/100000 is log10(2) to six digits: the guess is off by one or two, and each step mends one.
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    exponent = bits * 30103 // 100000
    while True:
        scaled = round(value * _power(10, digits - 1 - exponent))
        if scaled >= 10**digits:
            exponent += 1
        elif scaled < 10 ** (digits - 1):
            exponent -= 1
        else:
            return str(scaled), exponent

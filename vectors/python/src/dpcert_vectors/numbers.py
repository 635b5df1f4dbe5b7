"""Exact numbers: parsed without rounding, and rounded only to a requested side.

Vector files write every number as a string: a rational ``"3/2"``, a decimal ``"1.25e-4000"``, or a hex float of any length
and exponent ``"0x1.8p-13288"``. Each becomes a ``Fraction``, so no comparison uses floating point.
"""
from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, NamedTuple, Tuple, Union

#: Largest magnitude of a binary or decimal exponent.
MAX_EXPONENT = 1_000_000
#: Largest number of digits of a number.
MAX_DIGITS = 20_000

#: An exact finite number, or one of the floats inf, -inf and nan.
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
    """Two doubles that enclose a number, ``at_least <= number <= at_most``; the upper one may be infinite."""

    at_least: float
    at_most: float


def quote(text: str) -> str:
    """Return the text in quotes, on one line, truncated for an error message."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "..."


def parse(text: str) -> Fraction:
    """Return the exact value of a rational, a decimal or a hex float.

    Raises:
        ValueError: if the text is not a number, or is too long or too large.
    """
    if len(text) > MAX_DIGITS:
        raise ValueError(f"{quote(text)} has more than {MAX_DIGITS} digits")
    match = _FRACTION.fullmatch(text)
    if match:
        p, q = match.groups()
        denominator = _integer(q)
        if denominator == 0:
            raise ValueError(f"the denominator of {quote(text)} must not be 0")
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
        raise ValueError(f"the exponent of {quote(text)} must be between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    return int(digits or "0")


def _power(base: int, exponent: int) -> Fraction:
    return Fraction(base**exponent) if exponent >= 0 else Fraction(1, base**-exponent)


def _integer(digits: str) -> int:
    """Return ``int(digits)`` for any length; Python refuses more than 4300 digits by default."""
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
    """Return the exact value of a number that a program returned.

    It may be an int, a float, a fraction, a decimal, a NumPy scalar or array of one element, an mpmath number, ``"inf"``,
    ``"-inf"``, ``"nan"``, or a string for :func:`parse`.

    Raises:
        TypeError: if it is not a number.
        ValueError: if it is a string that cannot be parsed.
    """
    if isinstance(value, str):
        special = _SPECIAL.get(value.lower())
        return parse(value) if special is None else special
    if isinstance(value, bool):
        raise TypeError("a claim must be a number, not a bool")
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
    raise TypeError(f"a claim must be a number, not {quote(repr(value))}")


def _from_ratio(value: Any) -> Number:
    try:
        return Fraction(*map(int, value.as_integer_ratio()))
    except (OverflowError, ValueError):  # infinities, NaN
        return float(value)


def double_below(value: Fraction) -> float:
    """Return the largest double that is at most ``value``; ``-inf`` below all finite doubles."""
    return 0.0 - double_above(-value)  # never -0.0


def double_above(value: Fraction) -> float:
    """Return the smallest double that is at least ``value``; ``inf`` above all finite doubles."""
    try:
        nearest = value.numerator / value.denominator  # Python rounds this quotient correctly
    except OverflowError:
        nearest = _LARGEST if value > 0 else -_LARGEST
    # At most one step, because the nearest double is one of the two neighbours of the value.
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


_LARGEST = float.fromhex("0x1.fffffffffffffp+1023")


def tightest(value: Fraction) -> Range:
    """Return the tightest doubles that enclose ``value``."""
    return Range(double_below(value), double_above(value))


def is_double(value: Fraction) -> bool:
    """Return whether a double has exactly this value."""
    return double_below(value) == double_above(value)


def short(value: Number, digits: int = 17) -> str:
    """Return a decimal, correctly rounded to this number of digits."""
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
    """Return the digits of a positive number and the exponent of the first digit."""
    # 30103/100000 is log10(2) to six digits: the guess is off by at most two, and each step corrects one.
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

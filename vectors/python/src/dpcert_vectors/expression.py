"""Exact inputs, and proven enclosures of inputs that are not rational.

An input is ``"3/2"``, ``{"ln": "3/2"}``, ``{"sqrt": "2"}`` or ``{"expr": "2*ln(3/2) + 1/8*sqrt(2)"}``. An accountant that
takes doubles can receive only doubles exactly. For other inputs, :func:`enclose` returns two rationals that enclose the
number. Python's ``decimal`` rounds ``ln``, ``exp`` and ``sqrt`` correctly, so one unit in the last place on either side
encloses the true value; sums and products of rationals are exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, Callable, List, Optional, Tuple

from .numbers import MAX_EXPONENT, double_above, double_below, is_double, parse

Interval = Tuple[Fraction, Fraction]
_DIGITS = 60


@dataclass(frozen=True)
class Exact:
    """An exact real number: its text in the expression language, and its value if it is rational."""

    text: str
    rational: Optional[Fraction]

    @classmethod
    def from_json(cls, value: Any) -> "Exact":
        """Return the number of ``"3/2"`` or of an object with the single key ``ln``, ``sqrt`` or ``expr``.

        Raises:
            ValueError: if the value is neither.
        """
        if isinstance(value, str):
            return cls(value, parse(value))
        if isinstance(value, dict) and len(value) == 1:
            (key, text), *_ = value.items()
            if isinstance(text, str) and key in ("ln", "sqrt"):
                parse(text)
                return cls(f"{key}({text})", None)
            if isinstance(text, str) and key == "expr" and text.strip():
                return cls(text, None)
        raise ValueError('an exact number must be "p/q", {"ln": "p/q"}, {"sqrt": "p/q"} or {"expr": "..."}')

    @property
    def is_double(self) -> bool:
        """Whether a double has exactly this value."""
        return self.rational is not None and is_double(self.rational)

    def enclose(self) -> Interval:
        """Return two rationals that enclose the number; they are equal if it is rational."""
        return (self.rational, self.rational) if self.rational is not None else enclose(self.text)

    def below(self) -> float:
        """Return a double that is at most the number; the number itself if it is a double."""
        return double_below(self.enclose()[0])

    def above(self) -> float:
        """Return a double that is at least the number; the number itself if it is a double."""
        return double_above(self.enclose()[1])

    def __str__(self) -> str:
        return self.text


def enclose(text: str) -> Interval:
    """Return two rationals that enclose a constant expression in ``+ - * / ^``, ``sqrt``, ``ln``, ``exp`` and parentheses.

    Raises:
        ValueError: if the expression is invalid.
    """
    reader = _Reader(text)
    value = reader.sum()
    if reader.peek():
        raise ValueError(f"{text!r}: unexpected {reader.peek()!r}")
    return value


_TOKEN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[a-z]+|[-+*/^()])")


class _Reader:
    """A recursive-descent parser, with one method for each level of precedence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: List[str] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if not match:
                raise ValueError(f"{text!r} is not an expression: {text[position:].strip()[:20]!r}")
            self.tokens.append(match.group(1))
            position = match.end()
        self.tokens.reverse()

    def peek(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def take(self) -> str:
        if not self.tokens:
            raise ValueError(f"{self.text!r}: unexpected end")
        return self.tokens.pop()

    def sum(self) -> Interval:
        value = self.product()
        while self.peek() in ("+", "-"):
            negative = self.take() == "-"
            other = self.product()
            value = _add(value, _negate(other) if negative else other)
        return value

    def product(self) -> Interval:
        value = self.signed()
        while self.peek() in ("*", "/"):
            divide = self.take() == "/"
            other = self.signed()
            value = _multiply(value, _invert(other) if divide else other)
        return value

    def signed(self) -> Interval:
        if self.peek() == "-":
            self.take()
            return _negate(self.signed())
        return self.power()

    def power(self) -> Interval:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        low, high = self.signed()
        size = max(end.numerator.bit_length() + end.denominator.bit_length() for end in base)
        if low != high or low.denominator != 1 or abs(low) * size > MAX_EXPONENT:
            raise ValueError(f"{self.text!r}: exponents must be small integers")
        value: Interval = (Fraction(1), Fraction(1))
        for _ in range(abs(int(low))):
            value = _multiply(value, base)
        return _invert(value) if low < 0 else value

    def atom(self) -> Interval:
        token = self.take()
        if token in _FUNCTIONS or token == "(":
            if token != "(" and self.take() != "(":
                raise ValueError(f"{self.text!r}: {token} needs parentheses")
            value = self.sum()
            if self.take() != ")":
                raise ValueError(f"{self.text!r}: a closing parenthesis is missing")
            return value if token == "(" else _monotone(_FUNCTIONS[token], value)
        if not token[0].isdigit():
            raise ValueError(f"{self.text!r}: {token!r} is not a number")
        number = parse(token)
        return number, number


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _negate(a: Interval) -> Interval:
    return -a[1], -a[0]


def _multiply(a: Interval, b: Interval) -> Interval:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _invert(a: Interval) -> Interval:
    if a[0] <= 0 <= a[1]:
        raise ValueError("division by zero")
    return 1 / a[1], 1 / a[0]


def _context(rounding: str) -> Context:
    return Context(prec=_DIGITS, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _monotone(function: Callable[[Context, Decimal], Decimal], a: Interval) -> Interval:
    """Apply an increasing function to the ends, with outward rounding before and after."""
    ends = []
    for value, rounding in zip(a, (ROUND_FLOOR, ROUND_CEILING)):
        argument = _context(rounding).divide(Decimal(value.numerator), Decimal(value.denominator))
        context = _context(ROUND_HALF_EVEN)
        result = function(context, argument)
        if not result.is_finite() or abs(result.adjusted()) > MAX_EXPONENT:
            raise ValueError(f"the exponent of a result must be between -{MAX_EXPONENT} and {MAX_EXPONENT}")
        # Exact results (sqrt(4), exp(0)) are widened as well, which is never wrong.
        outward = context.next_minus(result) if rounding == ROUND_FLOOR else context.next_plus(result)
        ends.append(Fraction(outward))
    return ends[0], ends[1]


def _sqrt(context: Context, value: Decimal) -> Decimal:
    if value < 0:
        raise ValueError("square root of a negative number")
    return context.sqrt(value)


def _ln(context: Context, value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("logarithm of a number that is not positive")
    return context.ln(value)


_FUNCTIONS = {"sqrt": _sqrt, "ln": _ln, "exp": lambda context, value: context.exp(value)}

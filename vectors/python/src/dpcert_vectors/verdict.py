"""Judging a claim about a quantity whose true value ``t`` is known to lie in ``[lower, upper]``.

An upper bound ``u`` is

- **sound** when it is true for every ``t`` of the enclosure: ``u >= upper``;
- **unsound** when it is false for every ``t`` of the enclosure: ``u < lower``;
- **undecided** otherwise: the enclosure is too wide to tell.

Lower bounds are mirrored: sound when ``u <= lower``, unsound when ``u > upper``. A double is an exact rational, and all
comparisons are comparisons of rationals: no verdict has a tolerance, and an exact answer always decides.

Infinities follow the same rule in the extended reals: ``inf`` is a sound upper bound of anything, and when the truth is
infinite every finite upper bound is unsound and every lower bound sound. A NaN claims nothing and has **failed**.

An **estimate** claims no side. Its relative error ``|u - t| / t`` is judged at both ends of the enclosure, against the
error that its author allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Optional

from .catalogue import PROBABILITIES, SIGNED
from .numbers import Number, Range, exactly, tightest


class Side(str, Enum):
    """Which side of the truth a claimed bound is on."""

    UPPER = "upper"
    LOWER = "lower"


class Verdict(str, Enum):
    """What became of a claim."""

    SOUND = "sound"
    UNSOUND = "unsound"
    UNDECIDED = "undecided"
    FAILED = "failed"


@dataclass(frozen=True, repr=False)
class Truth:
    """What is known of the true value: it lies in ``[lower, upper]``, or it is infinite and both are ``None``."""

    lower: Optional[Fraction]
    upper: Optional[Fraction]

    @property
    def infinite(self) -> bool:
        return self.lower is None or self.upper is None

    def __repr__(self) -> str:
        # Never the digits themselves: there can be more than Python is willing to print.
        return "Truth(infinite)" if self.infinite else f"Truth(within {tightest(self.lower)[0]}, {tightest(self.upper)[1]})"


INFINITE = Truth(None, None)
_RANGE_ZERO = Range(0.0, 0.0)
_RANGE_INFINITE = Range(math.inf, math.inf)


def within(lower: Any, upper: Any) -> Truth:
    """The truth that lies between two finite numbers, which may be strings such as ``"1/3"``."""
    ends = Fraction(exactly(lower)), Fraction(exactly(upper))
    if ends[0] > ends[1]:
        raise ValueError("the lower end is above the upper one")
    return Truth(*ends)


def _less(a: Fraction, b: Fraction) -> bool:
    # One cross multiplication; Fraction's own comparison does the same, this only spares its type checks.
    return a.numerator * b.denominator < b.numerator * a.denominator


def judge(side: Side, claim: Any, truth: Truth) -> Verdict:
    """Judges a claimed bound by the rule above and nothing else; see :func:`assess` for claims that make no sense."""
    u = exactly(claim)
    upper = Side(side) is Side.UPPER
    if isinstance(u, float):
        if math.isnan(u):
            return Verdict.FAILED
        if u > 0 and truth.infinite:
            return Verdict.SOUND
        return Verdict.SOUND if upper == (u > 0) else Verdict.UNSOUND
    if truth.infinite:
        return Verdict.UNSOUND if upper else Verdict.SOUND
    if upper:
        sound, unsound = not _less(u, truth.upper), _less(u, truth.lower)
    else:
        sound, unsound = not _less(truth.lower, u), _less(truth.upper, u)
    return Verdict.SOUND if sound else Verdict.UNSOUND if unsound else Verdict.UNDECIDED


def judge_estimate(claim: Any, truth: Truth, error: Any) -> Verdict:
    """Judges an estimate against the relative error that it may have.

    Sound when ``|u - t| <= error * t`` for every ``t`` of the enclosure, unsound when for none. Between the ends the
    relative error is largest at an end, and least at an end unless ``u`` lies between them, where it is 0.
    """
    u, allowed = exactly(claim), Fraction(exactly(error))
    if allowed < 0:
        raise ValueError("a relative error is not negative")
    if isinstance(u, float):
        if math.isnan(u):
            return Verdict.FAILED
        return Verdict.SOUND if u > 0 and truth.infinite else Verdict.UNSOUND
    if truth.infinite:
        return Verdict.UNSOUND
    ends = [abs(u - t) <= allowed * t for t in (truth.lower, truth.upper)]
    if all(ends):
        return Verdict.SOUND
    return Verdict.UNDECIDED if any(ends) or truth.lower <= u <= truth.upper else Verdict.UNSOUND


def judge_order(at_least: Optional[bool], at_most: Optional[bool], order: str) -> Verdict:
    """Judges what is claimed of two mechanisms: is the first at least as private as the second, and at most?

    ``None`` where nothing is claimed; ``order`` is that of the vector's answer. A claim with a false part is unsound.
    """
    if order not in ("more-private", "less-private", "equal", "incomparable"):
        raise ValueError(f"{order!r} is no order")
    said = ((at_least, order in ("more-private", "equal")), (at_most, order in ("less-private", "equal")))
    if any(claim is not None and claim != holds for claim, holds in said):
        return Verdict.UNSOUND
    return Verdict.FAILED if at_least is None and at_most is None else Verdict.SOUND


def nonsense(quantity: str, claim: Any) -> Optional[str]:
    """Why this number cannot be the quantity, whatever the truth is: ``nan``, ``negative`` or ``above one``.

    Cumulants and quantiles of canonical noise may be below 0, all else never is, and probabilities are at most 1.
    """
    u = exactly(claim)
    if u != u:
        return "nan"
    if u < 0 and quantity not in SIGNED:
        return "negative"
    if u > 1 and quantity in PROBABILITIES:
        return "above one"
    return None


def assess(quantity: str, side: Side, claim: Any, truth: Truth) -> Verdict:
    """:func:`judge`, with :func:`nonsense` as **failed** whether or not it happens to bound the truth."""
    return Verdict.FAILED if nonsense(quantity, claim) else judge(side, claim, truth)


def ratio(claim: Any, truth: Truth) -> Optional[Range]:
    """``claim / truth``: at least 1 for a sound upper bound, and how loose it is; below 1 for an unsound one.

    ``None`` where a ratio says nothing: for a NaN, a negative claim, an infinite truth, or zero over zero.
    """
    u = exactly(claim)
    if truth.infinite or truth.lower < 0 or u != u or u < 0:
        return None
    if isinstance(u, float):
        return _RANGE_INFINITE
    if u == 0 and truth.lower == 0:
        return None
    return Range(_quotient(u, truth.upper).at_least, _quotient(u, truth.lower).at_most)


def relative_error(claim: Any, truth: Truth) -> Optional[Range]:
    """Encloses ``|claim - t| / t``; ``None`` for a NaN.

    0 when both are equal, even for a truth of zero or infinity; infinite when the truth is 0 and the claim is not, or when
    just one of the two is infinite.
    """
    u = exactly(claim)
    if u != u:
        return None
    if isinstance(u, float) or truth.infinite:
        return _RANGE_ZERO if truth.infinite and u == math.inf else _RANGE_INFINITE
    at_lower, at_upper = _error_at(u, truth.lower), _error_at(u, truth.upper)
    inside = truth.lower <= u <= truth.upper
    least = 0.0 if inside else min(at_lower.at_least, at_upper.at_least)
    return Range(least, max(at_lower.at_most, at_upper.at_most))


def _quotient(u: Fraction, t: Fraction) -> Range:
    return _RANGE_INFINITE if t == 0 else tightest(u / t)


def _error_at(u: Fraction, t: Fraction) -> Range:
    if u == t:
        return _RANGE_ZERO
    return _RANGE_INFINITE if t == 0 else tightest(abs(u - t) / abs(t))

"""Verdicts on claims about a quantity whose true value ``t`` is proven to lie in ``[lower, upper]``.

An upper bound ``u`` is

- **sound** if it is true for every ``t`` in the enclosure: ``u >= upper``;
- **unsound** if it is false for every ``t`` in the enclosure: ``u < lower``;
- **undecided** otherwise: the enclosure is too wide.

For lower bounds the rule is mirrored: sound if ``u <= lower``, unsound if ``u > upper``. Doubles are exact rationals, and all
comparisons are comparisons of rationals. No verdict has a tolerance, and an exact answer always decides.

Infinities follow the same rule in the extended reals: ``inf`` is a sound upper bound of everything. If the truth is
infinite, every finite upper bound is unsound and every lower bound is sound. A NaN has **failed**.

An **estimate** is not a bound. Its relative error ``|u - t| / t`` is compared with the allowed error at both ends of the
enclosure.
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
    """The side of a claimed bound: at least the truth (upper), or at most (lower)."""

    UPPER = "upper"
    LOWER = "lower"


class Verdict(str, Enum):
    """The verdict on a claim."""

    SOUND = "sound"
    UNSOUND = "unsound"
    UNDECIDED = "undecided"
    FAILED = "failed"


@dataclass(frozen=True, repr=False)
class Truth:
    """A proven enclosure ``[lower, upper]`` of the true value; both ends are ``None`` if it is infinite."""

    lower: Optional[Fraction]
    upper: Optional[Fraction]

    @property
    def infinite(self) -> bool:
        return self.lower is None or self.upper is None

    def __repr__(self) -> str:
        # Not the digits themselves: Python refuses to print very long integers.
        return "Truth(infinite)" if self.infinite else f"Truth(within {tightest(self.lower)[0]}, {tightest(self.upper)[1]})"


INFINITE = Truth(None, None)
_RANGE_ZERO = Range(0.0, 0.0)
_RANGE_INFINITE = Range(math.inf, math.inf)


def within(lower: Any, upper: Any) -> Truth:
    """Return the truth between two finite numbers, which may be strings such as ``"1/3"``.

    Raises:
        ValueError: if the lower end is above the upper end.
    """
    ends = Fraction(exactly(lower)), Fraction(exactly(upper))
    if ends[0] > ends[1]:
        raise ValueError("the lower end must not be above the upper end")
    return Truth(*ends)


def _less(a: Fraction, b: Fraction) -> bool:
    # One cross multiplication, as in the comparison of Fraction but without its type checks.
    return a.numerator * b.denominator < b.numerator * a.denominator


def judge(side: Side, claim: Any, truth: Truth) -> Verdict:
    """Return the verdict on a claimed bound by the rule above; :func:`assess` also rejects impossible claims."""
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
    """Return the verdict on an estimate with this allowed relative error.

    The estimate is sound if ``|u - t| <= error * t`` for every ``t`` in the enclosure, and unsound if for no ``t``. The relative
    error is largest at an end of the enclosure. It is smallest at an end, or 0 if ``u`` lies between the ends.

    Raises:
        ValueError: if the allowed error is negative.
    """
    u, allowed = exactly(claim), Fraction(exactly(error))
    if allowed < 0:
        raise ValueError("the relative error must not be negative")
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
    """Return the verdict on a claim that the first mechanism is at least, or at most, as private as the second.

    ``None`` claims nothing. ``order`` is the order in the answer of the vector. A claim with a false part is unsound.

    Raises:
        ValueError: if the order is unknown.
    """
    if order not in ("more-private", "less-private", "equal", "incomparable"):
        raise ValueError(f"unknown order {order!r}")
    said = ((at_least, order in ("more-private", "equal")), (at_most, order in ("less-private", "equal")))
    if any(claim is not None and claim != holds for claim, holds in said):
        return Verdict.UNSOUND
    return Verdict.FAILED if at_least is None and at_most is None else Verdict.SOUND


def nonsense(quantity: str, claim: Any) -> Optional[str]:
    """Return why this number is impossible for the quantity: ``nan``, ``negative`` or ``above one``; otherwise ``None``.

    Cumulants and quantiles of canonical noise may be negative, all other quantities are not. Probabilities are at most 1.
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
    """Return the verdict of :func:`judge`, or **failed** if :func:`nonsense` rejects the claim."""
    return Verdict.FAILED if nonsense(quantity, claim) else judge(side, claim, truth)


def ratio(claim: Any, truth: Truth) -> Optional[Range]:
    """Return an enclosure of ``claim / truth``: at least 1 for a sound upper bound, below 1 for an unsound one.

    ``None`` if the ratio has no meaning: for a NaN, a negative claim, an infinite truth, or zero divided by zero.
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
    """Return an enclosure of ``|claim - t| / t``; ``None`` for a NaN.

    It is 0 if both are equal, even for a truth of zero or infinity. It is infinite if the truth is 0 and the claim is not, or
    if exactly one of the two is infinite.
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

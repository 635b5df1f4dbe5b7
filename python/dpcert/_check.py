"""Claims of others, judged by certified arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ._answer import Answer
from ._ask import TIMEOUT, Session
from ._dpcert import number
from ._mechanism import MechanismLike
from .errors import InputError

#: Digits that are asked for, one after the other, while the truth is too near to the claim.
_LEVELS = (None, 30, 100, 400)

#: So many times the truth, and a bound is loose, as in ``dpcert audit``.
_LOOSE = {"epsilon": Fraction(11, 10)}

#: What a promise bounds from below.
_FROM_BELOW = frozenset({"beta"})


class Check:
    """What is proven of a claim.

    ``verdict`` is ``sound`` (a bound, and near), ``loose`` (a bound, more than 2 times the truth, of an epsilon 1.1
    times), ``unsound`` (no bound), ``failed`` (not a number that could be one) or ``undecided``, with a ``reason``.
    ``bool()`` of it says whether the claim is a bound.

    Of a guarantee such as ``zcdp(rho=1/2)`` only a bound of the truth is known (``truth.bound``). What is above an upper
    bound is above the truth; what is below it may be above the truth or not, and is never called unsound.
    """

    __slots__ = ("claim", "delta_at_claim", "of", "ratio", "reason", "side", "truth", "verdict")

    def __init__(self, verdict: str, claim: Any, of: str, side: str, truth: Answer | None, reason: str | None = None) -> None:
        self.verdict, self.claim, self.of, self.side, self.truth = verdict, claim, of, side, truth
        #: Why it is undecided.
        self.reason = reason
        #: Two Fractions with claim / truth between them, or claim / bound where a bound is all that is known; None where
        #: that is no number.
        self.ratio: tuple[Fraction, Fraction] | None = None
        #: Of an epsilon that is too small: the delta that holds there.
        self.delta_at_claim: Answer | None = None

    def __bool__(self) -> bool:
        return self.verdict in ("sound", "loose")

    def __str__(self) -> str:
        text = f"{self.verdict}: {self.of} {'at most' if self.side == 'upper' else 'at least'} {_shown(self.claim)}"
        bound = self.truth.bound if self.truth is not None else None
        if self.truth is not None:
            text += f"\n  {f'{bound} bound of the truth' if bound else 'truth'} {self.truth._interval(15)}"
        if self.ratio is not None:
            text += f"\n  claim / {'bound' if bound else 'truth'} = {_ratio(self.ratio[0])}"
        if self.reason is not None:
            text += f"\n  {self.reason}"
        if self.delta_at_claim is not None:
            text += f"\n  the true delta at this claim {self.delta_at_claim._interval(6)}"
        return text

    def __repr__(self) -> str:
        return f"<dpcert.Check {self.verdict}>"


def check(
    claim: Any,
    of: str,
    mechanism: MechanismLike,
    *,
    side: str | None = None,
    direction: str = "worst",
    method: str = "auto",
    timeout: float | None = TIMEOUT,
    **at: Any,
) -> Check:
    """Is a claimed bound one? ``check(claim=2.1, of="epsilon", mechanism=m, delta=1e-5)``.

    A claim is an upper bound, of beta a lower one; ``side`` (``upper`` or ``lower``) says otherwise. Comparisons are of
    exact rationals, without a tolerance; the claim is the double that it is, or the number that its text says.
    """
    side = side or ("lower" if of in _FROM_BELOW else "upper")
    if side not in ("upper", "lower"):
        raise InputError(f"side is `upper` or `lower`, not {side!r}")
    session = Session(mechanism, direction=direction, method=method, timeout=timeout)
    value = _claimed(claim)
    if isinstance(value, float) and math.isnan(value):
        return Check("failed", claim, of, side, session.ask(of, **at))
    for digits in _LEVELS:
        truth = session.ask(of, digits=digits, **at)
        if truth.kind == "undefined":
            return Check("undecided", claim, of, side, truth, f"there is no truth to compare it with: {truth.reason}")
        lower, upper = (Fraction(0), math.inf) if truth.kind == "undecided" else (truth.lower, truth.upper)
        holds = _holds(value, lower, upper, side, truth.bound)
        if holds is not None or truth.reason is not None or _says_nothing(value, lower, upper, side, truth.bound):
            break
    result = Check("undecided", claim, of, side, truth)
    if holds is None:
        result.reason = _why_not(truth, side)
    if all(isinstance(number, Fraction) for number in (value, lower, upper)) and lower > 0:
        result.ratio = (value / upper, value / lower) if value >= 0 else (value / lower, value / upper)
    if holds is not None:
        result.verdict = "unsound" if not holds else "loose" if _is_loose(result, value, of) else "sound"
    if result.verdict == "unsound" and of == "epsilon" and side == "upper" and isinstance(value, Fraction) and value >= 0:
        result.delta_at_claim = session.delta(epsilon=value)
    return result


def _claimed(claim: Any) -> Fraction | float:
    """The exact number, or the infinity or NaN that a float may be."""
    if isinstance(claim, float) or hasattr(claim, "dtype"):
        double = float(claim)
        if not math.isfinite(double):
            return double
    text = number(claim)
    try:
        return Fraction(text)
    except ValueError:
        # Python reads no longer ones either.
        raise InputError(f"a claim is a rational number of at most 4300 digits, not {_shown(text)}") from None


def _holds(value: Any, lower: Any, upper: Any, side: str, bound: str | None) -> bool | None:
    """Is it a bound on this side, of a truth between these ends? Of a truth that has but an upper or a lower bound between
    them? None where that is not proven.

    No quantity is below 0, whatever the mechanism.
    """
    if value < 0 or value == 0 and side == "lower":
        return side == "lower"
    if value == math.inf and side == "upper":
        return True
    if side == "upper":
        if value >= upper and bound != "lower":
            return True
        return False if value < lower and bound != "upper" else None
    if value <= lower and bound != "upper":
        return True
    return False if value > upper and bound != "lower" else None


def _says_nothing(value: Any, lower: Any, upper: Any, side: str, bound: str | None) -> bool:
    """Is it on the other side of a bound, where more digits of that say nothing?"""
    return bound is not None and (value < lower if bound == "upper" else value > upper)


def _why_not(truth: Answer, side: str) -> str:
    if truth.bound is None:
        near = "of the truth too little is known" if truth.kind == "undecided" else "the claim is too near to the truth"
        return f"{near}: {truth.reason}" if truth.reason else near
    if truth.bound == side:
        where = "below an upper" if side == "upper" else "above a lower"
        return f"the claim is {where} bound of the truth, and no more is known"
    return f"the truth has {'an' if truth.bound == 'upper' else 'a'} {truth.bound} bound alone"


def _is_loose(result: Check, value: Any, of: str) -> bool:
    factor = _LOOSE.get(of, Fraction(2))
    if result.ratio is None:
        # Above a truth of 0, or below one by a negative number, or infinite where the truth is not.
        return value != 0 and result.truth is not None and result.truth.kind != "infinite"
    return result.ratio[0] > factor if result.side == "upper" else result.ratio[1] * factor < 1


def _ratio(value: Fraction) -> str:
    """Six digits, whatever its size."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "more than 1e308"


def _shown(claim: Any) -> str:
    text = str(claim)
    return text if len(text) <= 40 else text[:40] + "..."

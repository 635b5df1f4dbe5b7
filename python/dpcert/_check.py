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
    times), ``unsound`` (no bound), ``failed`` (not a number that could be one) or ``undecided``. ``bool()`` of it says
    whether the claim is a bound.
    """

    __slots__ = ("claim", "delta_at_claim", "of", "ratio", "side", "truth", "verdict")

    def __init__(self, verdict: str, claim: Any, of: str, side: str, truth: Answer | None) -> None:
        self.verdict, self.claim, self.of, self.side, self.truth = verdict, claim, of, side, truth
        #: Two Fractions with claim / truth between them; None where that is no number.
        self.ratio: tuple[Fraction, Fraction] | None = None
        #: Of an epsilon that is too small: the delta that holds there.
        self.delta_at_claim: Answer | None = None

    def __bool__(self) -> bool:
        return self.verdict in ("sound", "loose")

    def __str__(self) -> str:
        text = f"{self.verdict}: {self.of} {'at most' if self.side == 'upper' else 'at least'} {_shown(self.claim)}"
        if self.truth is not None:
            text += f"\n  truth {self.truth._interval(15)}"
        if self.ratio is not None:
            text += f"\n  claim / truth = {float(self.ratio[0]):.6g}"
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
    if isinstance(value, float):
        truth = session.ask(of, **at)
        bound = value == (math.inf if side == "upper" else -math.inf)
        infinite = truth.kind == "infinite" and value > 0
        verdict = "failed" if math.isnan(value) else ("sound" if infinite else "loose") if bound or infinite else "unsound"
        return Check(verdict, claim, of, side, truth)
    for digits in _LEVELS:
        truth = session.ask(of, digits=digits, **at)
        if truth.kind in ("undefined", "undecided"):
            return Check("undecided", claim, of, side, truth)
        lower, upper = truth.lower, truth.upper
        holds = _holds(value, lower, upper, side)
        if holds is not None or truth.reason is not None:
            break
    verdict = "undecided" if holds is None else "sound" if holds else "unsound"
    result = Check(verdict, claim, of, side, truth)
    if isinstance(lower, Fraction) and isinstance(upper, Fraction) and lower > 0:
        result.ratio = (value / upper, value / lower) if value >= 0 else (value / lower, value / upper)
    result.verdict = "loose" if holds and _is_loose(result, value, of) else verdict
    if verdict == "unsound" and of == "epsilon" and side == "upper" and value >= 0:
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
        raise InputError(f"a claim is a rational number, not {text}") from None


def _holds(value: Fraction, lower: Any, upper: Any, side: str) -> bool | None:
    if side == "upper":
        return True if value >= upper else False if value < lower else None
    return True if value <= lower else False if value > upper else None


def _is_loose(result: Check, value: Fraction, of: str) -> bool:
    factor = _LOOSE.get(of, Fraction(2))
    if result.ratio is None:
        # Above a truth of 0, or below one by a negative number.
        return value != 0 and result.truth is not None and result.truth.kind != "infinite"
    return result.ratio[0] > factor if result.side == "upper" else result.ratio[1] * factor < 1


def _shown(claim: Any) -> str:
    text = str(claim)
    return text if len(text) <= 40 else text[:40] + "..."

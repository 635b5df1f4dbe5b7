"""Checks of claimed bounds against certified numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ._answer import Answer
from ._ask import TIMEOUT, Session
from ._dpcert import number
from ._mechanism import MechanismLike
from .errors import InputError

#: Digits to compute, one level after the other, while the enclosure contains the claim. None: the default digits.
_LEVELS = (None, 30, 100, 400)

#: Ratio of claim to truth above which a bound is loose, if it is not 2; as in ``dpcert audit``.
_LOOSE = {"epsilon": Fraction(11, 10)}

#: Quantities whose claims are lower bounds by default.
_FROM_BELOW = frozenset({"beta"})


class Check:
    """The result of :func:`check`.

    ``verdict`` is one of:

    - ``sound``: the claim is a valid bound, close to the truth.
    - ``loose``: the claim is a valid bound, but more than 2 times the truth, or 1.1 times for an epsilon.
    - ``unsound``: the claim is not a valid bound.
    - ``failed``: the claim is not a number.
    - ``undecided``: neither is proven; ``reason`` has the cause.

    ``bool(check)`` is true if the claim is a valid bound.

    For a guarantee such as ``zcdp(rho=1/2)``, the truth is known only by a bound (``truth.bound``). A claim above an upper
    bound is above the truth. A claim below it may be above or below the truth, so its verdict is never ``unsound``.
    """

    __slots__ = ("claim", "delta_at_claim", "of", "ratio", "reason", "side", "truth", "verdict")

    def __init__(self, verdict: str, claim: Any, of: str, side: str, truth: Answer | None, reason: str | None = None) -> None:
        self.verdict, self.claim, self.of, self.side, self.truth = verdict, claim, of, side, truth
        #: Why the verdict is ``undecided``; otherwise None.
        self.reason = reason
        #: Two Fractions that enclose claim / truth, or claim / bound if only a bound is known. None if the ratio is not a number.
        self.ratio: tuple[Fraction, Fraction] | None = None
        #: The true delta at the claim, if the claim is an epsilon that is too small; otherwise None.
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
    """Return a :class:`Check` of a claimed bound: is it valid?

    The comparison is exact, with no tolerance. A claim that is a float is taken as the exact value of the double.

        >>> import dpcert
        >>> dpcert.check(claim=2, of="epsilon", mechanism="gaussian(sigma=2)", delta=1e-5).verdict
        'sound'

    Args:
        claim: the claimed bound.
        of: the quantity, such as ``epsilon``.
        mechanism: a mechanism or an expression.
        side: ``upper`` or ``lower``; by default ``lower`` for ``beta`` and ``upper`` for all other quantities.
        direction: ``worst``, ``forward`` or ``backward``.
        method: ``auto``, or the only method to use.
        timeout: hard stop of each answer in seconds; None turns it off.
        at: the point, such as ``delta=1e-5``.

    Raises:
        InputError: if an argument is invalid.
        TypeError: if the claim or the point is not a number.
    """
    side = side or ("lower" if of in _FROM_BELOW else "upper")
    if side not in ("upper", "lower"):
        raise InputError(f"side must be `upper` or `lower`, not {side!r}")
    session = Session(mechanism, direction=direction, method=method, timeout=timeout)
    value = _claimed(claim)
    if isinstance(value, float) and math.isnan(value):
        return Check("failed", claim, of, side, session.ask(of, **at))
    for digits in _LEVELS:
        truth = session.ask(of, digits=digits, **at)
        if truth.kind == "undefined":
            return Check("undecided", claim, of, side, truth, f"the quantity is not defined: {truth.reason}")
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
    """Return the claim as a Fraction, or as a float if it is infinite or NaN."""
    if isinstance(claim, float) or hasattr(claim, "dtype"):
        double = float(claim)
        if not math.isfinite(double):
            return double
    text = number(claim)
    try:
        return Fraction(text)
    except ValueError:
        # Python refuses longer ones.
        raise InputError(f"the claim must be a rational number of at most 4300 digits, not {_shown(text)}") from None


def _holds(value: Any, lower: Any, upper: Any, side: str, bound: str | None) -> bool | None:
    """Return whether the value is a bound on this side of a truth between these ends; None if neither is proven.

    If `bound` is given, the ends enclose an upper or a lower bound of the truth. No quantity is below 0.
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
    """Return whether the value is on the side of a bound where more digits cannot decide."""
    return bound is not None and (value < lower if bound == "upper" else value > upper)


def _why_not(truth: Answer, side: str) -> str:
    if truth.bound is None:
        near = "the truth was not decided within the budget" if truth.kind == "undecided" else "the claim is too close to the truth"
        return f"{near}: {truth.reason}" if truth.reason else near
    if truth.bound == side:
        where = "below an upper" if side == "upper" else "above a lower"
        return f"the claim is {where} bound of the truth, so it may or may not hold"
    return f"only {'an' if truth.bound == 'upper' else 'a'} {truth.bound} bound of the truth is known"


def _is_loose(result: Check, value: Any, of: str) -> bool:
    factor = _LOOSE.get(of, Fraction(2))
    if result.ratio is None:
        # Above a truth of 0, or below one by a negative number, or infinite where the truth is not.
        return value != 0 and result.truth is not None and result.truth.kind != "infinite"
    return result.ratio[0] > factor if result.side == "upper" else result.ratio[1] * factor < 1


def _ratio(value: Fraction) -> str:
    """Return the value to six digits."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "more than 1e308"


def _shown(claim: Any) -> str:
    text = str(claim)
    return text if len(text) <= 40 else text[:40] + "..."

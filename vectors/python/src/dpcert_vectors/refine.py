"""Decide undecided claims with more digits than the stored answer, if the package ``dpcert`` is installed."""

from __future__ import annotations

from fractions import Fraction
from typing import Callable, Iterator

from .load import Case
from .verdict import Truth, Verdict

#: Digits to compute, one level after the other. The stored answers have about forty digits, which are enough for most claims.
DIGITS = (60, 200, 1000)


def decided(case: Case, judge: Callable[[Truth], Verdict]) -> Verdict:
    """Return the verdict on a claim with more digits of the truth; undecided if they cannot be computed."""
    for truth in _truths(case):
        verdict = judge(truth)
        if verdict is not Verdict.UNDECIDED:
            return verdict
    return Verdict.UNDECIDED


def _truths(case: Case) -> Iterator[Truth]:
    try:
        import dpcert
    except ImportError:
        return
    stored = case.answer.truth
    for digits in DIGITS:
        try:
            at = {name: value.text for name, value in case.at.items()}
            if case.quantity == "calibrate":
                answer = dpcert.calibrate(case.mechanism, direction=case.direction, digits=digits, **at)
            else:
                answer = dpcert.ask(case.quantity, case.mechanism, direction=case.direction, digits=digits, **at)
            lower, upper = answer.lower, answer.upper
        except (dpcert.Error, OverflowError):
            return
        if not isinstance(lower, Fraction) or not isinstance(upper, Fraction):
            return
        if upper < stored.lower or stored.upper < lower:
            raise AssertionError(f"{case.id}: the stored answer and dpcert {dpcert.__version__} contradict each other; please report this")
        yield Truth(lower, upper)
        if answer.reason is not None:
            return

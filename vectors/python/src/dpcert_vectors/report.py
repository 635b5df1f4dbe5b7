"""The report of a failing test: the query, the claim, the truth, and their difference."""

from __future__ import annotations

from fractions import Fraction
from typing import List, Mapping

from .numbers import Number, double_above, is_double, short
from .query import Query


def describe(query: Query, kind: str, claim: Number, verdict: str, reason: str, flags: Mapping[str, str]) -> str:
    """Return the report, as lines of a name and a text."""
    case = query.case
    lines = [f"{case.id}: {_claimed(kind)} is {verdict.upper()}: {reason}"]

    def line(name: str, text: str) -> None:
        lines.append(f"  {name:<10} {text}")

    line("query", str(case))
    if query.rounded:
        at = " at " + ", ".join(value.hex() for value in query.points.values()) if query.points else ""
        line("asked", f"{query.asked}{at}, rounded so that correct {query.inputs} bounds stay correct")
    sign = {"upper": "<=", "lower": ">="}.get(kind, "about")
    line("claim", f"{case.quantity} {sign} {short(claim)}{_hex(claim)}")
    line("truth", _truth(query))
    for name, text in _distances(query, claim):
        line(name, text)
    line("about", case.comment)
    for flag in case.flags:
        if flag in flags and flag not in ("ORDINARY", "DOUBLE_PARAMETERS"):
            line("", f"{flag}: {flags[flag]}")
    line("source", case.statement)
    for step in query.steps:
        for unread in step.unread():
            line("unread", f"the function did not read {unread}; does it compute the right query?")
    return "\n".join(lines)


def _claimed(kind: str) -> str:
    return {"upper": "the upper bound", "lower": "the lower bound"}.get(kind, "the estimate")


def _hex(claim: Number) -> str:
    if isinstance(claim, float) or not is_double(claim):
        return ""
    return f"  ({double_above(claim).hex()})"


def _truth(query: Query) -> str:
    answer = query.case.answer
    if answer.truth.infinite:
        return "infinite"
    if answer.truth.lower == answer.truth.upper:
        return f"{short(answer.truth.lower, 25)} (exact)"
    return f"in [{answer.lower_decimal}, {answer.upper_decimal}]"


def _distances(query: Query, claim: Number) -> List[tuple]:
    truth = query.case.answer.truth
    if isinstance(claim, float) or truth.infinite:
        return []
    # From the closer end of the enclosure, so that the distance is never overstated.
    end = truth.lower if claim < truth.lower else truth.upper
    distance = abs(claim - end)
    found = []
    if end > 0:
        side = "short of" if claim < end else "above"
        found.append(("ratio", f"claim / truth = {_ratio(claim / end)}, {side} the truth by {short(distance / end, 3)} of it"))
    if query.quantity == "epsilon":
        side = "too small" if claim < end else "too large"
        found.append(("distance", f"epsilon is {short(distance, 3)} {side}; to compute the true delta at this epsilon:"))
        if is_double(claim):
            found.append(("", f"dpcert delta '{query.asked}' --epsilon f64:{double_above(claim).hex()}"))
    return found


def _ratio(value: Fraction) -> str:
    """Return the ratio with enough digits to distinguish it from 1."""
    for digits in range(3, 40):
        text = short(value, digits)
        if value == 1 or text != "1":
            return text
    return "1"

"""An accountant's claims, judged where they are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from .._ask import TIMEOUT
from .engine import BATCH, Summary, run
from .questions import QuestionLike


def audit(
    client: Any,
    accountant: Callable[[dict[str, Any]], Any],
    questions: Iterable[QuestionLike],
    *,
    side: str | None = None,
    out: Any = None,
    timeout: float | None = TIMEOUT,
    batch: int = BATCH,
    progress: bool = False,
    on_line: Callable[[str], Any] | None = None,
) -> Summary:
    """Ask an accountant many questions on the workers, and judge each number it gives by :func:`dpcert.check`.

    ``accountant`` takes a question as a dict (``quantity``, ``mechanism``, ``at`` with the coordinates as texts) and
    returns the bound it claims, or None for what it does not offer; what it raises is a verdict ``failed`` with the
    text. It has to be a function that a worker can import, or that is sent whole. Each line has the question, ``claim``,
    ``verdict``, ``ratio`` (doubles around claim / truth), the truth, and of an epsilon that is too small the delta that
    holds there.
    """
    work = (audit_batch, (accountant, side, timeout))
    return run(client, questions, work, out=out, batch=batch, progress=progress, on_line=on_line)


def audit_batch(
    lines: list[str], first: int, accountant: Callable[[dict[str, Any]], Any], side: str | None, timeout: float | None
) -> list[tuple[str, int]]:
    """What a worker does."""
    return [_judged(json.loads(line), accountant, side, timeout) for line in lines]


#: What a line has of the truth; with ``bound`` it is an upper or a lower bound of it.
_OF_THE_TRUTH = ("bound", "kind", "lower", "upper", "f64_lower", "f64_upper", "reason")

#: Verdicts as exit codes.
_STATUS = {"sound": 0, "loose": 0, "unsupported": 0, "unsound": 1, "failed": 1, "undecided": 3}


def _judged(
    question: dict[str, Any], accountant: Callable[[dict[str, Any]], Any], side: str | None, timeout: float | None
) -> tuple[str, int]:
    from .._check import check

    told: dict[str, Any] = {name: question[name] for name in ("id", "quantity", "mechanism", "at") if name in question}
    try:
        claim = accountant(dict(question))
    except Exception as error:  # noqa: BLE001  whatever an accountant raises is its answer
        told |= {"verdict": "failed", "error": f"{type(error).__name__}: {error}"[:400]}
        return json.dumps(told, separators=(",", ":")), _STATUS["failed"]
    if claim is None:
        return json.dumps({**told, "verdict": "unsupported"}, separators=(",", ":")), 0
    told["claim"] = repr(float(claim)) if isinstance(claim, float) else str(claim)
    try:
        judged = check(
            claim,
            question["quantity"],
            question["mechanism"],
            side=side,
            direction=question.get("direction", "worst"),
            method=question.get("method", "auto"),
            timeout=timeout,
            **question.get("at", {}),
        )
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        told |= {"verdict": "undecided", "error": f"{type(error).__name__}: {error}"[:400]}
        return json.dumps(told, separators=(",", ":")), _STATUS["undecided"]
    told["verdict"] = judged.verdict
    if judged.ratio is not None:
        told["ratio"] = [_near(end) for end in judged.ratio]
    if judged.truth is not None:
        truth = json.loads(judged.truth.json())
        told |= {name: truth[name] for name in _OF_THE_TRUTH if name in truth}
    if judged.reason is not None:
        told["reason"] = judged.reason
    if judged.delta_at_claim is not None:
        told["delta_at_claim"] = list(judged.delta_at_claim.decimals(6))
    return json.dumps(told, separators=(",", ":")), _STATUS[judged.verdict]


def _near(value: Any) -> str:
    try:
        return repr(float(value))
    except OverflowError:
        return "inf"

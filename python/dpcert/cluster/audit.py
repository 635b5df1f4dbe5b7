"""Audits of an accountant on the workers of a Dask cluster."""

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
    """Run an accountant on many queries, judge each claim by :func:`dpcert.check`, and return a :class:`Summary`.

    Each output line has the query, ``claim``, ``verdict``, ``ratio`` (doubles that enclose claim / truth) and the truth. If the
    claim is an epsilon that is too small, the line also has the true delta at the claim.

    Args:
        client: a Dask client.
        accountant: a function that takes a query as a dict (``quantity``, ``mechanism``, ``at`` with strings) and returns the
            bound it claims, or None if it does not support the query. If it raises, the verdict is ``failed``. The workers must
            be able to import it, or it must be picklable by value.
        questions: queries as dicts or lines of JSON.
        side: ``upper`` or ``lower``; by default ``lower`` for ``beta`` and ``upper`` for all other quantities.
        out: a file of lines (``.jsonl``) or a folder of Parquet (``.parquet``); by default the lines are in the summary.
        timeout: hard stop of each answer in seconds; None turns it off.
        batch: number of queries in one task.
        progress: if true, show a progress bar; requires tqdm.
        on_line: a function that is called with each line.

    Raises:
        InputError: if a query is invalid, or the output belongs to another run.
    """
    work = (audit_batch, (accountant, side, timeout))
    return run(client, questions, work, out=out, batch=batch, progress=progress, on_line=on_line)


def audit_batch(
    lines: list[str], first: int, accountant: Callable[[dict[str, Any]], Any], side: str | None, timeout: float | None
) -> list[tuple[str, int]]:
    """Judge one batch; runs on a worker."""
    return [_judged(json.loads(line), accountant, side, timeout) for line in lines]


#: Fields of the truth in an output line; with ``bound`` the truth is an upper or a lower bound.
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
    except Exception as error:  # noqa: BLE001  any exception of an accountant is a failed claim
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

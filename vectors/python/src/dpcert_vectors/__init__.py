"""Golden test vectors for privacy accountants: queries with proven answers, and the rules that judge claims.

    from dpcert_vectors import Query, Side, Verdict, assess, load

    for case in load().cases:
        if case.quantity == "delta" and case.exact_in_doubles and case.mechanisms == {"gaussian"}:
            query = Query(case)
            claim = my_accountant([(step["sigma"], step.times) for step in query.steps], query.epsilon)
            assert assess("delta", Side.UPPER, claim, case.answer.truth) is not Verdict.UNSOUND

With pytest you write less code: see ``dpcert_vectors.plugin``.
"""

from .expression import Exact
from .load import Answer, Case, Factor, LoadError, VectorFile, VectorSet, Witness, data_dir, load, load_file, load_str
from .numbers import Range, double_above, double_below, exactly, tightest
from .query import NotAskable, Query, Step
from .verdict import (
    INFINITE,
    Side,
    Truth,
    Verdict,
    assess,
    judge,
    judge_estimate,
    judge_order,
    nonsense,
    ratio,
    relative_error,
    within,
)

__all__ = [
    "Answer",
    "Case",
    "Exact",
    "Factor",
    "INFINITE",
    "LoadError",
    "NotAskable",
    "Query",
    "Range",
    "Side",
    "Step",
    "Truth",
    "VectorFile",
    "VectorSet",
    "Verdict",
    "Witness",
    "assess",
    "data_dir",
    "double_above",
    "double_below",
    "exactly",
    "judge",
    "judge_estimate",
    "judge_order",
    "load",
    "load_file",
    "load_str",
    "nonsense",
    "ratio",
    "relative_error",
    "tightest",
    "within",
]

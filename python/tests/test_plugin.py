"""With the wheel installed the plugin of the vectors decides what their stored digits do not."""

import sys
from importlib.metadata import entry_points
from fractions import Fraction

import pytest

dpcert_vectors = pytest.importorskip("dpcert_vectors")

from dpcert_vectors import refine  # noqa: E402
from dpcert_vectors.verdict import Side, Truth, Verdict, judge, judge_estimate  # noqa: E402

import dpcert  # noqa: E402

CASES = {case.id: case for case in dpcert_vectors.load().cases}


def inside(case):
    """Return a number inside the stored enclosure."""
    truth = case.answer.truth
    assert truth.lower < truth.upper
    return (truth.lower + truth.upper) / 2


def first(file, doubles=False):
    """The first case of a file with an answer that is not exact."""
    fits = (case for case in CASES.values() if case.file == f"{file}.json" and case.answer.kind == "enclosure")
    return next(case for case in fits if case.exact_in_doubles or not doubles)


@pytest.mark.parametrize("file", ["gaussian-delta", "gaussian-epsilon", "mixture-beta", "laplace-renyi"])
def test_what_the_stored_digits_leave_open_is_decided(file):
    case = first(file)
    claim = inside(case)
    at = {key: value.text for key, value in case.at.items()}
    truth = dpcert.ask(case.quantity, case.mechanism, direction=case.direction, digits=60, **at)
    for side in Side:
        assert judge(side, claim, case.answer.truth) is Verdict.UNDECIDED
        verdict = refine.decided(case, lambda truth: judge(side, claim, truth))
        sound = claim >= truth.upper if side is Side.UPPER else claim <= truth.lower
        assert verdict is (Verdict.SOUND if sound else Verdict.UNSOUND)


def test_the_truth_itself_stays_undecided_and_estimates_are_decided():
    case = CASES["gaussian-delta-0001"]
    deeper = dpcert.ask("delta", case.mechanism, digits=1100, **{k: v.text for k, v in case.at.items()})
    assert refine.decided(case, lambda truth: judge(Side.UPPER, deeper.lower, truth)) is Verdict.UNDECIDED
    claim, hair = inside(case), Fraction(1, 10**50)
    stored = case.answer.truth
    assert judge_estimate(claim, stored, hair) is Verdict.UNDECIDED
    assert refine.decided(case, lambda truth: judge_estimate(claim, truth, hair)) is Verdict.UNSOUND


def test_answers_that_contradict_each_other_are_told():
    case = CASES["gaussian-delta-0001"]
    wrong = Truth(case.answer.truth.lower * 2, case.answer.truth.upper * 2)
    object.__setattr__(case.answer, "truth", wrong)
    try:
        with pytest.raises(AssertionError, match="contradict each other"):
            refine.decided(case, lambda truth: judge(Side.UPPER, Fraction(0), truth))
    finally:
        object.__setattr__(case.answer, "truth", Truth(wrong.lower / 2, wrong.upper / 2))


def test_without_the_wheel_it_stays_undecided(monkeypatch):
    monkeypatch.setitem(sys.modules, "dpcert", None)
    case = CASES["gaussian-delta-0001"]
    assert refine.decided(case, lambda truth: judge(Side.UPPER, inside(case), truth)) is Verdict.UNDECIDED


def test_the_plugin_refines(pytester):
    case = first("gaussian-delta", doubles=True)
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.dpcert(id="{case.id}")
        @pytest.mark.parametrize("side", ["upper", "lower"])
        def test_it(dpcert_query, side):
            truth = dpcert_query.case.answer.truth
            getattr(dpcert_query, side)((truth.lower + truth.upper) / 2)
        """
    )
    installed = any(entry.value == "dpcert_vectors.plugin" for entry in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "dpcert_vectors.plugin"]
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *plugin)
    # The midpoint is not the truth: more digits show whether it is an upper or a lower bound.
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*claims about dpcert vectors: 1 sound, 1 unsound*"])

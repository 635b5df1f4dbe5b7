"""The verdict rules: the table of the Rust crate, line by line, and their definition at random points."""

import math
import random
from fractions import Fraction

import pytest
from dpcert_vectors import (
    INFINITE,
    Side,
    Verdict,
    assess,
    exactly,
    judge,
    judge_estimate,
    judge_order,
    nonsense,
    ratio,
    relative_error,
    tightest,
    within,
)

SOUND, UNSOUND, UNDECIDED, FAILED = Verdict.SOUND, Verdict.UNSOUND, Verdict.UNDECIDED, Verdict.FAILED
WIDE, POINT, ZERO = within("1/4", "1/2"), within("1/3", "1/3"), within("0", "0")
TINY = within("1e-4000", "1.1e-4000")
INF = math.inf


# The same table is in vectors/tests/verdict.rs: the claim, the truth, the verdict as an upper bound, and as a lower bound.
@pytest.mark.parametrize(
    "claim, truth, upper, lower",
    [
        ("1", WIDE, SOUND, UNSOUND),
        ("0.5", WIDE, SOUND, UNDECIDED),
        ("0x1p-1", WIDE, SOUND, UNDECIDED),
        ("0.49999999999999999999999999", WIDE, UNDECIDED, UNDECIDED),
        ("1/3", WIDE, UNDECIDED, UNDECIDED),
        ("0.25", WIDE, UNDECIDED, SOUND),
        ("0.24999999999999999999999999", WIDE, UNSOUND, SOUND),
        ("0.50000000000000000000000001", WIDE, SOUND, UNSOUND),
        ("-1", WIDE, UNSOUND, SOUND),
        ("1/3", POINT, SOUND, SOUND),
        ("0x1.5555555555555p-2", POINT, UNSOUND, SOUND),
        ("0x1.5555555555556p-2", POINT, SOUND, UNSOUND),
        ("0", ZERO, SOUND, SOUND),
        ("0x1p-1074", ZERO, SOUND, UNSOUND),
        ("1e-4000", TINY, UNDECIDED, SOUND),
        ("9.9e-4001", TINY, UNSOUND, SOUND),
        ("inf", WIDE, SOUND, UNSOUND),
        ("-inf", WIDE, UNSOUND, SOUND),
        ("nan", WIDE, FAILED, FAILED),
        ("inf", INFINITE, SOUND, SOUND),
        ("1e308", INFINITE, UNSOUND, SOUND),
        ("-inf", INFINITE, UNSOUND, SOUND),
        ("NaN", INFINITE, FAILED, FAILED),
    ],
)
def test_bounds_are_judged_by_the_rule(claim, truth, upper, lower):
    assert judge(Side.UPPER, claim, truth) is upper
    assert judge("lower", claim, truth) is lower


# The claim, the truth, the ratio, the relative error.
@pytest.mark.parametrize(
    "claim, truth, expected_ratio, expected_error",
    [
        ("1", WIDE, (2.0, 4.0), (1.0, 3.0)),
        ("0.375", WIDE, (0.75, 1.5), (0.0, 0.5)),
        ("0.125", WIDE, (0.25, 0.5), (0.5, 0.75)),
        ("0", WIDE, (0.0, 0.0), (1.0, 1.0)),
        ("-1", WIDE, None, (3.0, 5.0)),
        ("1", within("0", "1/2"), (2.0, INF), (1.0, INF)),
        ("1/4", within("0", "1/2"), (0.5, INF), (0.0, INF)),
        ("0", within("0", "1/2"), None, (0.0, 1.0)),
        ("0", ZERO, None, (0.0, 0.0)),
        ("1", ZERO, (INF, INF), (INF, INF)),
        ("1", within("3", "3"), (0.3333333333333333, 0.33333333333333337), (0.6666666666666666, 0.6666666666666667)),
        ("1e-4000", within("2e-4000", "4e-4000"), (0.25, 0.5), (0.5, 0.75)),
        ("inf", WIDE, (INF, INF), (INF, INF)),
        ("-inf", WIDE, None, (INF, INF)),
        ("nan", WIDE, None, None),
        ("nan", INFINITE, None, None),
        ("inf", INFINITE, None, (0.0, 0.0)),
        ("1", INFINITE, None, (INF, INF)),
    ],
)
def test_ratios_and_errors_at_the_edges(claim, truth, expected_ratio, expected_error):
    assert ratio(claim, truth) == expected_ratio
    assert relative_error(claim, truth) == expected_error


def test_a_double_is_judged_exactly():
    # 0.1 is above 1/10 by 5.6e-18, which a comparison of floats cannot see.
    assert judge(Side.UPPER, 0.1, within("1/10", "1/10")) is SOUND
    assert judge(Side.LOWER, 0.1, within("1/10", "1/10")) is UNSOUND
    assert judge(Side.UPPER, math.nextafter(0.1, 0), within("1/10", "1/10")) is UNSOUND
    assert judge(Side.UPPER, 0.0, within("1e-4000", "1e-4000")) is UNSOUND


@pytest.mark.parametrize(
    "claim, truth, error, verdict",
    [
        ("1.01", within(1, 1), "1/100", SOUND),
        ("1.0100000000000000001", within(1, 1), "1/100", UNSOUND),
        ("0.99", within(1, 1), "1/100", SOUND),
        ("3/8", WIDE, "1/2", SOUND),
        ("3/8", WIDE, "1/3", UNDECIDED),
        ("3/8", WIDE, "0", UNDECIDED),
        ("1", WIDE, "1/2", UNSOUND),
        ("1", WIDE, "1", UNDECIDED),
        ("1", WIDE, "3", SOUND),
        ("0", ZERO, "0", SOUND),
        ("1e-300", ZERO, "1e9", UNSOUND),
        ("nan", WIDE, "1", FAILED),
        ("inf", WIDE, "1", UNSOUND),
        ("inf", INFINITE, "0", SOUND),
        ("-inf", INFINITE, "0", UNSOUND),
        ("1", INFINITE, "1", UNSOUND),
    ],
)
def test_estimates_are_judged_by_their_error(claim, truth, error, verdict):
    assert judge_estimate(claim, truth, error) is verdict


def test_nonsense_has_failed_even_where_it_bounds():
    for quantity, claim, reason in [
        ("delta", "nan", "nan"),
        ("delta", -1e-300, "negative"),
        ("epsilon", "-inf", "negative"),
        ("delta", math.nextafter(1, 2), "above one"),
        ("beta", "inf", "above one"),
        ("tv", 2, "above one"),
        ("true-positive-rate", 2, "above one"),
        ("kappa2", -1, "negative"),
    ]:
        assert nonsense(quantity, claim) == reason
        for side in Side:
            assert assess(quantity, side, claim, within("1/3", "1/2")) is FAILED
    for quantity, claim in [("delta", 1.0), ("delta", -0.0), ("epsilon", 700), ("epsilon", "inf"), ("renyi", "inf")]:
        assert nonsense(quantity, claim) is None
    for quantity, claim in [("cumulant", -1), ("canonical-quantile", "-1/2"), ("kappa2", 2)]:
        assert nonsense(quantity, claim) is None
    assert assess("epsilon", Side.UPPER, "inf", within(1, 1)) is SOUND


def numbers(seed, low, high, count=1500):
    draw = random.Random(seed)
    return [Fraction(draw.randint(low, high), draw.randint(1, 12)) for _ in range(count)]


def test_verdicts_ratios_and_errors_hold_at_every_point():
    """Sound is true at every point of the enclosure, unsound false at every point, undecided both; ranges enclose."""
    for u, a, b, part in zip(numbers(1, -12, 24), numbers(2, 0, 12), numbers(3, 0, 12), numbers(4, 0, 8)):
        lower, upper = min(a, b), max(a, b)
        truth, points = within(lower, upper), [lower, lower + (upper - lower) * min(part / 8, 1), upper]
        for side in Side:
            holds = [u >= t if side is Side.UPPER else u <= t for t in points]
            verdict = judge(side, u, truth)
            assert verdict is (SOUND if all(holds) else UNDECIDED if any(holds) else UNSOUND)
        error, share = relative_error(u, truth), ratio(u, truth)
        for t in points:
            if t > 0:
                exact = abs(u - t) / t
                assert exactly(error.at_least) <= exact
                assert error.at_most == INF or exact <= exactly(error.at_most)
                assert judge_estimate(u, truth, exact) is not UNSOUND
                if share:
                    assert exactly(share.at_least) <= u / t
                    assert share.at_most == INF or u / t <= exactly(share.at_most)
                else:
                    assert u < 0 or (u == 0 and lower == 0)


def test_ranges_are_tight_for_exact_truths():
    for u, t in zip(numbers(5, 0, 24), numbers(6, 1, 24)):
        assert ratio(u, within(t, t)) == tightest(u / t)
        assert relative_error(u, within(t, t)) == tightest(abs(u - t) / t)


def test_truths_have_two_ends_in_order():
    with pytest.raises(ValueError):
        within(2, 1)
    assert INFINITE.infinite and not WIDE.infinite
    assert repr(within("1e-9000", "9" * 9000)) == "Truth(within 0.0, inf)"


def test_claims_about_an_order():
    for order, holds in {
        "more-private": (True, False),
        "less-private": (False, True),
        "equal": (True, True),
        "incomparable": (False, False),
    }.items():
        assert judge_order(None, None, order) is Verdict.FAILED
        assert judge_order(*holds, order) is Verdict.SOUND
        assert judge_order(holds[0], not holds[1], order) is Verdict.UNSOUND
        assert judge_order(not holds[0], None, order) is Verdict.UNSOUND
        assert judge_order(None, holds[1], order) is Verdict.SOUND
    with pytest.raises(ValueError):
        judge_order(True, None, "better")

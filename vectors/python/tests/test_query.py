"""A vector as a question in doubles: which are asked, and to which side numbers are rounded."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from dpcert_vectors import Case, Exact, Factor, NotAskable, Query, load
from dpcert_vectors.verdict import INFINITE
from dpcert_vectors.load import REST, UNKNOWN, Answer

ALL = load()


def case(quantity, coordinate, mechanism, times=1, of=(), **parameters):
    name, point = coordinate
    values = {
        key: tuple(map(Exact.from_json, value)) if isinstance(value, list) else Exact.from_json(value)
        for key, value in parameters.items()
    }
    factor = Factor(mechanism, values, times, tuple(of))
    at = {name: Exact.from_json(point)}
    answer = Answer("infinite", INFINITE)
    return Case("x-delta-0001", "x.json", "x", quantity, "c", (), "m", (factor,), at, "worst", "s", ("a", "b"), answer)


def test_exact_inputs_are_the_vectors_own_numbers():
    asked = 0
    for each in ALL.cases:
        try:
            query = Query(each)
        except NotAskable:
            assert not each.exact_in_doubles
            continue
        asked += 1
        assert each.exact_in_doubles and not query.rounded
        for step, factor in zip(query.steps, each.parameters):
            assert step.times == (None if factor.sought else factor.times)
            for name, value in factor.parameters.items():
                doubles, exact = step[name], value
                if value == UNKNOWN:
                    assert each.quantity == "calibrate" and doubles is None
                    continue
                if not isinstance(value, tuple):
                    doubles, exact = [doubles], [exact]
                for double, number in zip(doubles, exact):
                    if number == UNKNOWN or number == REST:
                        assert each.quantity == "calibrate" and double == (None if number == UNKNOWN else "rest")
                    else:
                        assert Fraction(double) == number.rational
                assert len(doubles) == len(exact)
    assert asked > 900


def test_calibrations_look_for_a_parameter():
    asked = [each for each in ALL.cases if each.quantity == "calibrate"]
    assert len(asked) >= 80 and all("?" in each.mechanism for each in asked)
    query = next(Query(each) for each in asked if each.exact_in_doubles and each.mechanism == "gaussian(sigma=?)")
    assert query.step["sigma"] is None and query.step["sensitivity"] == 1.0 and list(query.step.unread()) == []
    assert (query.point, query.epsilon, query.delta) == (None, query.points["epsilon"], query.points["delta"])
    assert query.asked == "gaussian(sigma=?, sensitivity=1)"
    with pytest.raises(AttributeError, match="has no coordinate alpha"):
        query.alpha
    beside = next(Query(each, "exact") for each in asked if each.exact_in_doubles and "randomized" in each.mechanism)
    assert beside.step["epsilon"] is None and beside.step.times > 1


def test_a_weight_may_be_looked_for():
    asked = [each for each in ALL.cases if "?:" in each.mechanism]
    assert len(asked) >= 8 and all("rest:" in each.mechanism and each.quantity == "calibrate" for each in asked)
    query = next(Query(each) for each in asked if each.exact_in_doubles and each.mechanism.startswith("mixture(?:"))
    assert query.step["weights"] == [None, "rest"] and str(query.step).startswith("mixture(weights=[?, rest]")
    assert len(query.step.of) == 2 and all(name != "weights" for name, _ in query.case.parameters[0].numbers())


def test_the_number_of_runs_may_be_looked_for():
    files = [each for each in ALL.cases if any(factor.sought for factor in each.parameters)]
    assert len(files) >= 10 and all(each.quantity == "calibrate" and "^?" in each.mechanism for each in files)
    given = case("calibrate", ("epsilon", "1"), "gaussian", sigma="20")
    runs = Query(replace(given, parameters=(replace(given.parameters[0], sought=True),)))
    assert runs.step.times is None and runs.step["sigma"] == 20.0
    assert list(runs.step.unread()) == [] and str(runs.step).endswith("^?")


def test_what_a_query_has():
    query = Query(ALL.case("kov-delta-0105"))
    assert (query.quantity, query.direction, query.id) == ("delta", "worst", "kov-delta-0105")
    assert (query.step.mechanism, query.step["epsilon"], query.step["delta"], query.step.times) == (
        "approx-dp",
        1 / 8,
        1 / 1024,
        5,
    )
    assert query.epsilon == query.point
    assert query.asked == "approx-dp(delta=f64:0x1.0000000000000p-10, epsilon=f64:0x1.0000000000000p-3)^5"
    with pytest.raises(AttributeError, match="has no coordinate alpha"):
        query.alpha
    with pytest.raises(KeyError):
        query.step["sigma"]
    several = Query(ALL.case("heterogeneous-epsilon-0007"))
    with pytest.raises(ValueError, match="composes"):
        several.step


def test_a_sensitivity_that_is_left_out_is_one():
    query = Query(case("delta", ("epsilon", "1"), "gaussian", sigma="2"))
    assert query.step["sensitivity"] == 1.0 and list(query.step.unread()) == ["gaussian sigma=2.0"]
    assert "sensitivity" not in Query(case("delta", ("epsilon", "1"), "gdp", mu="2")).step


def test_what_is_never_looked_at_is_known():
    query = Query(case("delta", ("epsilon", "1"), "gaussian", times=3, sigma="2", sensitivity="4"))
    step = query.step
    assert list(step.unread()) == ["gaussian sensitivity=4.0", "gaussian sigma=2.0", "gaussian times=3"]
    assert step["sigma"] == 2.0
    assert list(step.unread()) == ["gaussian sensitivity=4.0", "gaussian times=3"]
    assert step.times == 3 and step.parameters == {"sigma": 2.0, "sensitivity": 4.0}
    assert list(step.unread()) == []


def test_steps_can_be_keys_of_a_cache():
    one, two = (Query(case("delta", ("epsilon", "1"), "finite", p=["1/2", "1/2"], q=["1", "0"])) for _ in range(2))
    assert one.steps == two.steps and hash(one.steps) == hash(two.steps)
    assert list(one.step.unread()) == []
    assert one.steps != Query(case("delta", ("epsilon", "1"), "finite", p=["1", "0"], q=["1", "0"])).steps


THIRD = Exact.from_json("1/3")
BELOW, ABOVE = THIRD.below(), THIRD.above()


# With inputs="upper": the quantity, where it is asked, and the sides to which the point and the parameters go.
@pytest.mark.parametrize(
    "quantity, coordinate, point, mechanism, doubles",
    [
        ("delta", "epsilon", BELOW, "gaussian", {"sigma": BELOW, "sensitivity": ABOVE}),
        ("epsilon", "delta", BELOW, "laplace", {"scale": BELOW, "sensitivity": ABOVE}),
        ("renyi", "order", ABOVE, "gdp", {"mu": ABOVE}),
        ("beta", "alpha", BELOW, "gaussian", {"sigma": ABOVE, "sensitivity": BELOW}),
        ("beta", "alpha", BELOW, "approx-dp", {"epsilon": BELOW, "delta": BELOW}),
        ("delta", "epsilon", BELOW, "approx-dp", {"epsilon": ABOVE, "delta": ABOVE}),
        ("delta", "epsilon", BELOW, "geometric", {"epsilon": ABOVE}),
        ("delta", "epsilon", BELOW, "randomized-response", {"epsilon": ABOVE}),
    ],
)
def test_rounding_moves_the_quantity_to_one_side(quantity, coordinate, point, mechanism, doubles):
    each = case(quantity, (coordinate, "1/3"), mechanism, **{name: "1/3" for name in doubles})
    with pytest.raises(NotAskable, match="exact inputs only"):
        Query(each)
    other = {BELOW: ABOVE, ABOVE: BELOW}
    upper, lower = Query(each, "upper"), Query(each, "lower")
    assert upper.rounded and lower.rounded
    for name, double in doubles.items():
        assert (upper.step[name], lower.step[name]) == (double, other[double])
    assert (upper.point, lower.point) == (point, other[point])


def test_rounding_inside_a_sample():
    inner = Factor("gaussian", {"sigma": THIRD}, 1)
    query = Query(case("delta", ("epsilon", "1/3"), "poisson", of=[inner], rate="1/3"), "upper")
    assert (query.step["rate"], query.step.of[0]["sigma"]) == (ABOVE, BELOW)


def test_what_cannot_be_rounded_safely_is_not_asked():
    for mechanism, parameters in [
        ("discrete-gaussian", {"sigma2": "1/3"}),
        ("staircase", {"epsilon": "1", "gamma": "1/3"}),
        ("finite", {"p": ["1/3", "2/3"], "q": ["1/2", "1/2"]}),
        ("unheard-of", {"x": "1/3"}),
    ]:
        for inputs in ("exact", "upper", "lower"):
            with pytest.raises(NotAskable):
                Query(case("delta", ("epsilon", "1"), mechanism, **parameters), inputs)
    tiny = case("delta", ("epsilon", "1e-400"), "gdp", mu="1")
    with pytest.raises(NotAskable, match="epsilon is beyond the doubles"):
        Query(tiny, "upper")
    assert Query(tiny, "lower").epsilon == 2.0**-1074
    with pytest.raises(NotAskable, match="mu is beyond the doubles"):
        Query(case("delta", ("epsilon", "1"), "gdp", mu="1e400"), "upper")
    with pytest.raises(ValueError):
        Query(tiny, "both")


def test_the_truth_of_a_rounded_question_is_on_the_promised_side():
    """Where one vector is between two others in the double below and above, by a mechanism whose delta has a closed form."""

    def tanh_half(epsilon):  # delta at 0 of randomised response, increasing
        return math.tanh(epsilon / 2)

    for text in ("1/3", "1/10", "7/10"):
        each = case("delta", ("epsilon", "0"), "randomized-response", epsilon=text)
        up, down = Query(each, "upper").step["epsilon"], Query(each, "lower").step["epsilon"]
        assert down < up and Fraction(down) < Exact.from_json(text).rational < Fraction(up)
        assert tanh_half(down) <= tanh_half(up)

"""The vectors that come with the package, and files that are damaged in one way each."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from dpcert_vectors import LoadError, Side, Verdict, data_dir, judge, load, load_str
from dpcert_vectors.catalogue import COORDINATE, MECHANISMS, POINTS, QUANTITIES, SIGNED, defaults
from dpcert_vectors.numbers import double_above, double_below, parse

ALL = load()
ONE = {
    "format": "dpcert-vectors/1",
    "quantity": "delta",
    "family": "rr",
    "title": "Delta of randomised response",
    "about": "An example.",
    "license": "CC0-1.0",
    "statements": {"MECH-RR": "With x = e^epsilon, delta(0) is (x - 1)/(x + 1)."},
    "flags": {"LN_EPSILON": "Epsilon is the logarithm of a rational."},
    "cases": [
        {
            "id": "rr-delta-0001",
            "comment": "x = 3/2",
            "flags": ["LN_EPSILON"],
            "mechanism": "randomized-response(epsilon=ln(3/2))",
            "parameters": [
                {"mechanism": "randomized-response", "parameters": {"epsilon": {"ln": "3/2"}}, "times": 1}
            ],
            "at": {"epsilon": "0"},
            "direction": "worst",
            "statement": "MECH-RR",
            "routes": ["closed-form", "convolution"],
            "answer": {
                "kind": "exact",
                "exact": "1/5",
                "lower": "0x1.999999999999999999p-3",
                "upper": "0x1.99999999999999999ap-3",
                "lower_decimal": "1.999999999e-1",
                "upper_decimal": "2.000000001e-1",
                "f64_lower": "0x1.9999999999999p-3",
                "f64_upper": "0x1.999999999999ap-3",
            },
        }
    ],
}


def read(document):
    return load_str("some/folder/rr-delta.json", json.dumps(document))


def test_the_catalogue_has_whatever_the_vectors_have():
    def factors(some):
        for factor in some:
            yield factor
            yield from factors(factor.of)

    assert {"epsilon", "max"} <= set(QUANTITIES) and COORDINATE["renyi"] == "order" and "tv" not in COORDINATE
    assert defaults("laplace") == {"sensitivity": 1.0} and defaults("finite") == defaults("unheard-of") == {}
    for case in ALL.cases:
        assert case.quantity in QUANTITIES
        if case.quantity in POINTS:
            assert tuple(case.at) in POINTS[case.quantity]
        else:
            assert set(case.at) == {COORDINATE[case.quantity]} if case.quantity in COORDINATE else not case.at
        for factor in factors(case.parameters + case.other_parameters):
            known = [parameter["name"] for parameter in MECHANISMS[factor.mechanism]["parameters"]]
            assert set(factor.parameters) <= set(known) <= set(factor.parameters) | set(defaults(factor.mechanism))


def test_all_vectors_are_here_and_make_sense():
    assert len(ALL.files) >= 28 and len(ALL.cases) >= 2000
    names = {path.name for path in data_dir().glob("*.json")}
    assert set(ALL.files) == names
    for case in ALL.cases:
        assert case.file == f"{case.family}-{case.quantity}.json" and case.id.startswith(f"{case.family}-{case.quantity}-")
        answer = case.answer
        if answer.truth is None:
            assert answer.kind == "order" and case.quantity == "order" and case.other
            continue
        if answer.truth.infinite:
            assert answer.kind == "infinite"
            continue
        assert answer.lower <= answer.upper and (0 <= answer.lower or case.quantity in SIGNED)
        if case.quantity in ("delta", "beta", "tv"):
            assert answer.upper <= 1 + Fraction(1, 10**30)
        # Each notation of the answer encloses the truth, and the doubles are the tightest.
        assert parse(answer.lower_decimal) <= answer.lower and answer.upper <= parse(answer.upper_decimal)
        assert answer.f64_lower <= double_below(answer.lower) and double_above(answer.upper) <= answer.f64_upper
        assert judge(Side.UPPER, answer.f64_upper, answer.truth) is Verdict.SOUND
        assert judge(Side.LOWER, answer.f64_lower, answer.truth) is Verdict.SOUND
        below = math.nextafter(answer.f64_lower, -math.inf)
        assert judge(Side.UPPER, below, answer.truth) is Verdict.UNSOUND


def test_every_number_of_a_query_has_two_doubles_around_it():
    for case in ALL.cases:
        for _, number in case.numbers():
            low, high = number.enclose()
            below, above = number.below(), number.above()
            assert number.is_double == (below == above)
            assert below <= low <= high <= above
            if not number.is_double:
                assert math.nextafter(below, math.inf) == above


def test_a_case_is_typed():
    file = read(ONE)
    (case,) = file.cases
    assert (file.name, case.file, case.quantity, case.direction) == ("rr-delta.json", "rr-delta.json", "delta", "worst")
    assert str(case) == "delta of randomized-response(epsilon=ln(3/2)) at epsilon = 0"
    assert case.answer.lower == case.answer.upper == Fraction(1, 5)
    assert case.mechanisms == {"randomized-response"} and not case.exact_in_doubles
    assert [name for name, _ in case.numbers()] == ["epsilon", "epsilon"]
    assert ALL.case("kov-delta-0001").family == "kov"
    with pytest.raises(KeyError):
        ALL.case("kov-delta-9999")


def test_what_a_guarantee_promises_is_a_bound():
    (case,) = read(damage(lambda f, c: c.update(bound="upper"))).cases
    assert case.bound == "upper" and read(ONE).cases[0].bound is None


def test_theorems_have_numbers_and_functions_have_parties():
    said = [case for case in ALL.cases if case.quantity == "theorem"]
    assert len(said) > 100 and all(case.theorem["given"] and case.theorem["says"] for case in said)
    played = [case for case in ALL.cases if case.quantity == "accuracy"]
    assert len(played) > 50 and all(len(case.game["epsilon"]) == case.game["parties"] for case in played)
    others = [case for case in ALL.cases if case not in said and case not in played]
    assert all(case.theorem is None and case.game is None for case in others)
    with pytest.raises(LoadError, match="delta must not have the field 'theorem'"):
        read(damage(lambda f, c: c.update(theorem={"name": "KOV-3.4", "given": {}, "says": "epsilon"})))


def test_what_a_limit_theorem_says_is_no_truth():
    said = [case for case in ALL.cases if case.quantity.startswith("limit-")]
    assert len(said) > 500 and {case.limit["theorem"] for case in said} == {
        "clt", "berry-esseen", "clt-rate", "edgeworth", "clones", "stronger-clones"
    }
    assert all(case.limit is None for case in ALL.cases if case not in said)
    with pytest.raises(LoadError, match="delta must not have the field 'limit'"):
        read(damage(lambda f, c: c.update(limit={"theorem": "edgeworth", "order": 1})))


def damage(change):
    document = json.loads(json.dumps(ONE))
    change(document, document["cases"][0])
    return document


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda f, c: f.update(format="dpcert-vectors/2"), "the format is 'dpcert-vectors/2', not one of dpcert-vectors/1"),
        (lambda f, c: f.update(quantity="gamma"), "the quantity is 'gamma'"),
        (lambda f, c: f.update(surprise=1), "the file has the unknown field 'surprise'"),
        (lambda f, c: f.pop("flags"), "the file lacks the field 'flags'"),
        (lambda f, c: f.update(cases={}), "cases must be a list"),
        (lambda f, c: c.pop("id"), "a case lacks the field 'id'"),
        (lambda f, c: c.update(id="rr-delta-1"), "rr-delta-1: an id must end in a number such as 0017"),
        (lambda f, c: c.update(extra=1), "a case has the unknown field 'extra'"),
        (lambda f, c: c.update(comment=" "), "rr-delta-0001: the comment must be a string"),
        (lambda f, c: c.update(flags=["NEW"]), "rr-delta-0001: the flag 'NEW' is not in the dictionary of the file"),
        (lambda f, c: c.update(direction="sideways"), "rr-delta-0001: the direction is 'sideways'"),
        (lambda f, c: c.update(bound="both"), "rr-delta-0001: the bound is 'both', not one of upper, lower"),
        (lambda f, c: c.update(at={}), "rr-delta-0001: at lacks the field 'epsilon'"),
        (lambda f, c: c.update(at={"epsilon": "0", "delta": "0"}), "rr-delta-0001: at has the unknown field 'delta'"),
        (lambda f, c: c.update(at={"epsilon": "1e"}), "rr-delta-0001: '1e' is not a number"),
        (lambda f, c: c.update(parameters=[]), "rr-delta-0001: a mechanism needs at least one factor"),
        (lambda f, c: c["parameters"][0].update(times=0), "rr-delta-0001: times of randomized-response must be a positive integer, not 0"),
        (lambda f, c: c["parameters"][0].update(times=True), "rr-delta-0001: times of randomized-response must be a positive integer, not True"),
        (lambda f, c: c["parameters"][0].update(times=2, sought=True), "rr-delta-0001: sought of randomized-response must be true or false"),
        (
            lambda f, c: c["parameters"][0]["parameters"].update(epsilon=["?", "rest"]),
            "rr-delta-0001: epsilon has '?' and 'rest': only weights may have '?' and 'rest', one of each",
        ),
        (lambda f, c: c["parameters"][0]["parameters"].update(weights=["?", "?"]), "rr-delta-0001: weights has '?' and '?': only weights may"),
        (lambda f, c: c["parameters"][0].update(sought=1), "rr-delta-0001: sought of randomized-response must be true or false"),
        (lambda f, c: c["parameters"][0].update(of=[]), "rr-delta-0001: a mechanism needs at least one factor"),
        (lambda f, c: c["parameters"][0].update(parameters={"epsilon": 1}), 'rr-delta-0001: an exact number must be "p/q"'),
        (lambda f, c: c["answer"].update(kind="sure"), "rr-delta-0001: the kind of an answer is 'sure'"),
        (lambda f, c: c["answer"].pop("exact"), "rr-delta-0001: an exact answer lacks the field 'exact'"),
        (lambda f, c: c["answer"].update(kind="enclosure"), "an enclosure answer has the unknown field 'exact'"),
        (lambda f, c: c["answer"].update(kind="infinite"), "an infinite answer has the unknown field"),
        (lambda f, c: c["answer"].update(exact="1/4"), "rr-delta-0001: the bounds of the answer are in the wrong order"),
        (lambda f, c: c["answer"].update(lower=0.5), "rr-delta-0001: lower must be a string"),
        (lambda f, c: c["answer"].update(f64_upper="x"), "rr-delta-0001: invalid hexadecimal"),
    ],
)
def test_damage_is_named(change, message):
    with pytest.raises(LoadError) as error:
        read(damage(change))
    text = str(error.value)
    assert text.startswith("some/folder/rr-delta.json: ") and message in text and "\n" not in text


def test_files_that_are_not_vectors(tmp_path):
    for text, message in [
        ("{", "x.json:1:2: "),
        ('{"format": 1, "format": 2}', "x.json: the field 'format' is given twice"),
        ("[]", "x.json: the file must be an object"),
        ("[" * 100000, "x.json: "),
    ]:
        with pytest.raises(LoadError, match="^" + message):
            load_str("x.json", text)
    with pytest.raises(LoadError, match="no .json files here"):
        load(tmp_path)
    (tmp_path / "a.json").write_bytes(b"\xff")
    with pytest.raises(LoadError, match="a.json"):
        load(tmp_path)


def test_an_id_is_used_once(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(ONE))
    with pytest.raises(LoadError, match="b.json: rr-delta-0001 is also in a.json"):
        load(tmp_path)


def test_the_data_is_kept_once():
    """In a checkout the vectors are those of the Rust crate, not a copy."""
    package = Path(__file__).resolve().parents[1]
    assert not list((package / "src").rglob("*.json"))


def an_order():
    """A file with an order and a witness against it."""
    document = json.loads(json.dumps(ONE))
    document["quantity"] = "order"
    case = document["cases"][0]
    number = dict(case["answer"])
    larger = {**number, "kind": "enclosure", "lower": "0x1p-1", "upper": "0x1.1p-1"}
    del larger["exact"]
    case.update(id="rr-order-0001", direction="forward", at={})
    case["other"] = {"mechanism": case["mechanism"], "parameters": case["parameters"]}
    case["answer"] = {"kind": "order", "order": "less-private"}
    witness = {"against": "at-least", "at": {"alpha": "1/2"}, "direction": "forward", "first": number, "second": larger}
    case["witnesses"] = [witness]
    return document, case


def test_orders_are_read():
    document, _ = an_order()
    (case,) = load_str("rr-order.json", json.dumps(document)).cases
    assert case.answer.order == "less-private" and case.answer.truth is None and case.answer.lower is None
    assert case.other == case.mechanism and case.other_parameters == case.parameters
    (witness,) = case.witnesses
    assert witness.against == "at-least" and witness.first.upper < witness.second.lower
    assert "and randomized-response" in str(case)


@pytest.mark.parametrize(
    "damage, told",
    [
        (lambda case: case.pop("other"), "order needs the field 'other'"),
        (lambda case: case.update(answer={"kind": "infinite"}), "cannot have an answer of kind infinite"),
        (lambda case: case["answer"].update(order="better"), "'better', not one of"),
        (lambda case: case["answer"].update(order="equal"), "witnesses against nothing"),
        (lambda case: case["answer"].update(order="incomparable"), "witnesses against at-least and at-most"),
        (lambda case: case.update(witnesses=[]), "witnesses against at-least"),
        (lambda case: case["witnesses"][0].update(first=case["witnesses"][0]["second"]), "does not prove it"),
        (lambda case: case["witnesses"][0].update(first={"kind": "infinite"}), "finite numbers"),
        (lambda case: case["witnesses"][0].update(at={"epsilon": "1"}), "does not prove it"),
        (lambda case: case["witnesses"][0].update(direction="worst"), "another direction"),
        (lambda case: case["witnesses"][0].update(why="so"), "unknown field 'why'"),
    ],
)
def test_damaged_orders(damage, told):
    document, case = an_order()
    damage(case)
    with pytest.raises(LoadError, match=told):
        load_str("rr-order.json", json.dumps(document))


def test_the_orders_that_came_with_the_package():
    cases = [case for case in ALL.cases if case.quantity == "order"]
    assert len(cases) >= 100 and {case.answer.order for case in cases} >= {"more-private", "less-private", "equal", "incomparable"}
    assert any(witness.at.keys() == {"epsilon"} for case in cases for witness in case.witnesses)

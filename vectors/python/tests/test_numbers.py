"""Numbers are read exactly and rounded only outward."""

import decimal
import math
from fractions import Fraction

import pytest
from dpcert_vectors import double_above, double_below, exactly, tightest
from dpcert_vectors.expression import Exact, enclose
from dpcert_vectors.numbers import is_double, parse, short

LARGEST = float.fromhex("0x1.fffffffffffffp+1023")
SMALLEST = 2.0**-1074


@pytest.mark.parametrize(
    "text, value",
    [
        ("0.1", Fraction(1, 10)),
        ("-3/2", Fraction(-3, 2)),
        ("7", Fraction(7)),
        ("1E+3", Fraction(1000)),
        ("1.25e-400", Fraction(125, 10**402)),
        ("0x1.999999999999ap-4", Fraction(0.1)),
        ("-0X1.80P-3", Fraction(-3, 16)),
        ("0x.8p+0", Fraction(1, 2)),
        ("0x1p-13288", Fraction(1, 2**13288)),
        ("9" * 10000, Fraction(10**10000 - 1)),
        ("-1/1" + "0" * 5000, Fraction(-1, 10**5000)),
    ],
)
def test_texts_are_read_exactly(text, value):
    assert parse(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "about 3", "1/0", ".5", "1.", "0x1", "0xp+1", "1_000", "١", "1e-1000000000", "0x1p+2000000", "9" * 20001, "inf", " 1"],
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError):
        parse(text)


class Half:
    """As a foreign type of floats, such as numpy.float32, looks."""

    def as_integer_ratio(self):
        return 1, 2


class Mpf:
    """As mpmath's numbers look: a sign, a mantissa, an exponent and the bits of the mantissa."""

    def __init__(self, *parts):
        self._mpf_ = parts

    def __float__(self):
        return math.inf


@pytest.mark.parametrize(
    "claim, value",
    [
        (0.1, Fraction(0.1)),
        (-0.0, 0),
        (3, 3),
        (Fraction(1, 3), Fraction(1, 3)),
        (decimal.Decimal("0.1"), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("Infinity", math.inf),
        ("-INF", -math.inf),
        (math.inf, math.inf),
        (decimal.Decimal("-Infinity"), -math.inf),
        (Half(), Fraction(1, 2)),
        (Mpf(1, 3, -2000, 2), Fraction(-3, 2**2000)),
        (Mpf(0, 0, -456, -2), math.inf),
        (Mpf(0, 0, 0, 0), 0),
    ],
)
def test_claims_are_taken_exactly(claim, value):
    assert exactly(claim) == value


def test_what_is_no_number_is_no_claim():
    for claim in (None, True, [1.0], object(), 1j):
        with pytest.raises(TypeError):
            exactly(claim)
    assert math.isnan(exactly(math.nan)) and math.isnan(exactly("NaN"))


@pytest.mark.parametrize(
    "value, below, above",
    [
        (Fraction(0), 0.0, 0.0),
        (Fraction(1, 10), math.nextafter(0.1, 0), 0.1),
        (Fraction(0.1), 0.1, 0.1),
        (Fraction(1, 10**400), 0.0, SMALLEST),
        (Fraction(-1, 10**400), -SMALLEST, 0.0),
        (Fraction(LARGEST), LARGEST, LARGEST),
        (Fraction(LARGEST) + 1, LARGEST, math.inf),
        (-Fraction(LARGEST) - 1, -math.inf, -LARGEST),
        (Fraction(10**400), LARGEST, math.inf),
        (Fraction(3, 2**1075), SMALLEST, 2 * SMALLEST),
    ],
)
def test_tightest_doubles(value, below, above):
    assert (double_below(value), double_above(value)) == (below, above) == tightest(value)
    assert math.copysign(1, double_below(abs(value))) == 1
    assert is_double(value) == (below == above)


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (Fraction(0), 3, "0"),
        (Fraction(1, 3), 5, "0.33333"),
        (Fraction(-2, 3), 5, "-0.66667"),
        (Fraction(10**5), 3, "1e5"),
        (Fraction(1500), 5, "1500"),
        (Fraction(15, 10), 5, "1.5"),
        (Fraction(1, 10**4000) * 12345, 3, "1.23e-3996"),
        (Fraction(999999, 1000000), 3, "1"),
        (Fraction(10**4000), 3, "1e4000"),
        (math.inf, 3, "inf"),
    ],
)
def test_decimals_for_people(value, digits, text):
    assert short(value, digits) == text


@pytest.mark.parametrize(
    "text, digits",
    [
        ("ln(3/2)", "0.405465108108164381978013115464349136571990423462494197614"),
        ("2*ln(3/2)", "0.810930216216328763956026230928698273143980846924988395228"),
        ("1/8*sqrt(2)", "0.176776695296636881100211090526212259821208984422118509147"),
        ("-ln(3/2) + 1", "0.594534891891835618021986884535650863428009576537505802386"),
        ("exp(-1)^2", "0.135335283236612691893999494972484403407631545909575881468"),
        ("(1 + 2)^-2/4", "0.027777777777777777777777777777777777777777777777777777778"),
        ("sqrt(4)", "2"),
    ],
)
def test_expressions_are_enclosed(text, digits):
    low, high = enclose(text)
    # The digits are correct to one unit of the last, which is 57 places after the point.
    truth, unit = parse(digits), Fraction(1, 10**57)
    assert low <= truth + unit and truth - unit <= high
    assert high - low <= 10 * unit


def test_enclosures_hold_to_the_last_digit():
    """Against twice the digits: rounding to nearest instead of outward would miss every other one."""
    more = decimal.Context(prec=120)
    for n in range(2, 60):
        for text, value in [
            (f"ln({n})", more.ln(decimal.Decimal(n))),
            (f"sqrt({n})", more.sqrt(decimal.Decimal(n))),
            (f"exp(-{n})", more.exp(decimal.Decimal(-n))),
        ]:
            low, high = enclose(text)
            assert low < Fraction(value) < high


@pytest.mark.parametrize("text", ["", "ln(0)", "sqrt(-1)", "1/(1-1)", "2^ln(2)", "1 +", "(1", "ln 2", "x", "1 2", "2**3", "exp(1e9)^9^9"])
def test_other_expressions_are_refused(text):
    with pytest.raises(ValueError):
        enclose(text)


def test_inputs_of_json_are_exact():
    assert Exact.from_json("3/2").is_double and Exact.from_json("3/2").below() == 1.5
    tenth = Exact.from_json("1/10")
    assert not tenth.is_double and tenth.below() < tenth.above() == 0.1
    root = Exact.from_json({"sqrt": "2"})
    assert str(root) == "sqrt(2)" and root.below() < root.above() == math.nextafter(root.below(), 2)
    # A square root that happens to be a double is not recognised as one, and still enclosed.
    assert not Exact.from_json({"sqrt": "4"}).is_double
    for wrong in (1, None, [], {}, {"ln": "1", "sqrt": "2"}, {"cos": "1"}, {"ln": 2}, {"expr": " "}, "pi"):
        with pytest.raises(ValueError):
            Exact.from_json(wrong)

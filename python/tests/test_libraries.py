"""numpy, mpmath, matplotlib, tqdm."""

import io
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpcert
from dpcert._dpcert import number


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (np.float64(0.1), Fraction(0.1)),
        (np.float32(0.1), Fraction(13421773, 2**27)),
        (np.float16(0.1), Fraction(819, 2**13)),
        (np.longdouble(0.1), Fraction(0.1)),
        (np.int8(-3), -3),
        (np.int64(2**62), 2**62),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.array(0.25), Fraction(1, 4)),
        (np.array(7), 7),
    ],
)
def test_numbers_of_numpy_are_what_they_are(value, exact):
    assert Fraction(number(value)) == exact


def test_a_longdouble_keeps_its_bits():
    value = np.longdouble(1) + np.longdouble(2) ** -60
    assert Fraction(number(value)) == 1 + Fraction(1, 2**60)


def test_numbers_of_mpmath_are_what_they_are():
    with mpmath.workprec(200):
        third = mpmath.mpf(1) / 3
    assert Fraction(number(third)) != Fraction(1, 3) and abs(Fraction(number(third)) - Fraction(1, 3)) < Fraction(1, 2**199)
    assert number(mpmath.mpf("-2.5")) == "-5/2"
    for value in (mpmath.inf, mpmath.nan):
        with pytest.raises((dpcert.InputError, TypeError), match="number"):
            number(value)
    with pytest.raises(dpcert.InputError, match="not a finite number of supported size"):
        number(mpmath.mpf(2) ** 10**9)


@pytest.mark.parametrize(
    ("value", "raises"),
    [
        (np.bool_(True), TypeError), (np.complex128(1), TypeError), (np.float64("nan"), dpcert.InputError),
        (np.float32("inf"), dpcert.InputError), (np.datetime64("2020-01-01"), TypeError), (np.str_("x"), dpcert.ParseError),
    ],
)  # fmt: skip
def test_what_is_no_number(value, raises):
    with pytest.raises(raises):
        dpcert.delta("gdp(mu=1)", epsilon=value)


def test_arrays_in_arrays_out():
    deltas = np.array([[1e-5, 1e-6], [1e-7, 1e-8], [0.1, 0.2]])
    with dpcert.session("gaussian(sigma=1)^10") as s:
        answers = s.epsilon(delta=deltas)
    assert answers.shape == answers.f64_upper.shape == answers.lower.shape == deltas.shape
    assert answers.lower.dtype == object and answers.f64_upper.dtype == float
    exact = [[dpcert.epsilon("gaussian(sigma=1)^10", delta=delta) for delta in row] for row in deltas]
    assert all(answers.upper[i, j] == exact[i][j].upper for i in range(3) for j in range(2))
    assert (np.asarray(answers) == [[float(a) for a in row] for row in exact]).all()
    assert (answers.f64_lower <= answers.f64_upper).all()
    assert len(s_empty := dpcert.delta("gdp(mu=1)", epsilon=np.array([]))) == 0 and s_empty.f64_upper.shape == (0,)


def test_arrays_of_objects():
    mixed = np.array([Fraction(1, 3), "1/4", 0.5, np.float32(0.25)], dtype=object)
    answers = dpcert.beta("gdp(mu=1)", alpha=mixed)
    assert answers[1].json() == answers[3].json() == dpcert.beta("gdp(mu=1)", alpha="0.25").json()
    with pytest.raises(TypeError, match=r"not None \(at index 1 of alpha\)"):
        dpcert.beta("gdp(mu=1)", alpha=np.array([0.5, None], dtype=object))
    with pytest.raises(TypeError, match="not an array of 1 dimensions"):
        number(np.array([0.5]))
    with pytest.raises(ValueError, match="pass at most 1000000"):
        dpcert.beta("gdp(mu=1)", alpha=np.zeros((1001, 1000)))


def test_no_number_is_nan():
    with dpcert.session("gdp(mu=1)", timeout=0) as s:
        answers = s.delta(epsilon=[1], digits=100000)
    assert answers[0].kind != "undecided" or np.isnan(answers.f64_upper).all()


def test_lists_of_numpy_are_parameters():
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    assert str(dpcert.finite(p=p, q=q)) == "finite(p=[1/4, 3/4], q=[1/2, 1/2])"
    with pytest.raises(dpcert.ParseError, match="must sum to 1"):
        dpcert.finite(p=[0.1, 0.9], q=q)


def test_curves_are_pictures():
    curve = dpcert.mechanism("gaussian(sigma=1)^2").curve("profile", points=11, to=2)
    ax = curve.plot(label="x")
    assert len(ax.lines) == 1 and ax.get_xlabel() == "epsilon" and ax.get_ylabel() == "delta"
    x, y = ax.lines[0].get_data()
    assert list(x) == [i / 5 for i in range(11)]
    assert ((curve.f64_lower <= y) & (y <= curve.f64_upper)).all()
    assert curve._repr_png_().startswith(b"\x89PNG") and curve._repr_html_() is None
    tradeoff = dpcert.mechanism("gdp(mu=1)").curve("tradeoff", points=3)
    assert len(tradeoff.plot(ax=ax).lines) == 3


def test_without_matplotlib_there_is_a_table(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    curve = dpcert.mechanism("gdp(mu=1)").curve("tradeoff", points=3)
    assert curve._repr_png_() is None and "alpha,beta_lower" in curve._repr_html_()
    with pytest.raises(ImportError, match=r"dpcert\[plot\]"):
        curve.plot()


def test_progress_shows_a_bar(capsys):
    dpcert.delta("gdp(mu=1)", epsilon=[0.1, 0.2, 0.3], progress=True)
    assert "3/3" in capsys.readouterr().err
    dpcert.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-5, progress=True)
    assert "calibrate" in capsys.readouterr().err
    dpcert.delta("gdp(mu=1)", epsilon=1, progress=True)
    assert "delta" in capsys.readouterr().err


def test_a_bar_that_raises_ends_the_answer():
    from dpcert._dpcert import Composition, Session

    def tick():
        raise LookupError("enough")

    session = Session(Composition("poisson(rate=1/100, gaussian(sigma=1))^1000"), "auto")
    with pytest.raises(LookupError, match="enough"):
        session.ask("delta", [("epsilon", 1)], 20000, "worst", (None, None, None), tick=tick)


def test_errors_are_one_line():
    told = io.StringIO()
    for bad in ("gaussian(sigma=0)", "x" * 3000, "gdp(mu=1)^" + "9" * 400):
        with pytest.raises(dpcert.InputError) as error:
            dpcert.mechanism(bad)
        print(error.value, file=told)
    lines = told.getvalue().splitlines()
    # The message has all names of mechanisms, and the beginning of the input.
    assert len(lines) == 3 and all(len(line) < 1000 and "x" * 60 not in line for line in lines)

"""Queries that are less ordinary, drawn from a seed: operators, large sensitivities, long histories, extreme samples.

Each kind is as probable as the others. Unless stated otherwise, factors have the ranges of `questions.py` and run up to
100 times.

    group           1 factor for 2 to 10 records
    hull            1 or 2 factors, one of them a sample or a finite pair
    inverse         the same
    symmetrize      the same
    mixture         of two factors with weights of two digits, run up to 100 times
    subsample       rate 0.001 to 0.5, of gaussian, laplace, randomized-response or discrete-gaussian; up to 1000 times
    shuffle         n 100 to 1e6, epsilon0 0.3 to 4, up to 10 times
    sensitivity     gaussian, laplace, discrete-gaussian, geometric or staircase of sensitivity 10 to 1e6, with noise of
                    0.3 to 30 sensitivities, alone or beside 1 other factor
    history         20 to 300 different samples of Gaussian noise, rate 0.001 to 0.05, sigma 0.5 to 3
    little noise    sample of Gaussian noise, rate 1e-4 to 0.1, sigma 0.001 to 0.2, up to 1000 times
    tiny rate       sample, rate 1e-10 to 1e-5, of gaussian, laplace, randomized-response or discrete-gaussian; up to 1e7
                    times

Epsilon is 0.01 to 5 and delta 1e-10 to 0.001, both log-uniform. For tiny rates delta is multiplied by the probability
that a record is in some sample, or by 1. The quantities are as probable as in `questions.py`.
"""

import decimal
from decimal import Decimal

from questions import (
    ARITHMETIC, Draw, Question, discrete_gaussian, factor, finite, gaussian, laplace, poisson, randomized_response, shown,
)


def _factor(draw, most=100):
    made = factor(draw)
    made.times = min(made.times, draw.times(most))
    return made


def _several(draw, *factors):
    texts = [str(made) for made in factors]
    return " * ".join(texts if draw.one_in(2) else reversed(texts))


def _lopsided(draw):
    """A composition whose two directions differ."""
    made = finite(draw) if draw.one_in(3) else poisson(draw)
    made.times = draw.times(100)
    return _several(draw, made, _factor(draw)) if draw.one_in(2) else str(made)


def _noise(draw):
    return draw.choice(
        [
            lambda: gaussian(draw, high="10"),
            lambda: laplace(draw, high="10"),
            lambda: randomized_response(draw, low="0.05"),
            lambda: discrete_gaussian(draw, high="100"),
        ]
    )().text


def _run(text, times):
    return text if times == 1 else f"{text}^{times}"


def group(draw):
    return f"group(k={draw.integer(2, 10)}, {_factor(draw)})"


def hull(draw):
    return f"hull({_lopsided(draw)})"


def inverse(draw):
    return f"inverse({_lopsided(draw)})"


def symmetrize(draw):
    return f"symmetrize({_lopsided(draw)})"


def mixture(draw):
    weight = shown(draw.uniform("0.01", "0.99"), 2)
    return _run(f"mixture({weight}: {_factor(draw)}, rest: {_factor(draw)})", draw.times(100))


def subsample(draw):
    return _run(f"subsample(rate={draw.parameter('0.001', '0.5')}, {_noise(draw)})", draw.times(1000))


def shuffle(draw):
    n = int(Decimal(shown(draw.log_uniform("100", "1e6"), 2)))
    return _run(f"shuffle(n={n}, epsilon0={draw.parameter('0.3', '4')})", draw.times(10))


def sensitivity(draw):
    most = int(Decimal(shown(draw.log_uniform("10", "1e6"), 2)))
    ratio = draw.log_uniform("0.3", "30")
    scale = shown(most * ratio, 3)
    text = draw.choice(
        [
            f"gaussian(sigma={scale}, sensitivity={most})",
            f"laplace(scale={scale}, sensitivity={most})",
            f"discrete-gaussian(sigma2={shown((most * ratio) ** 2, 3)}, sensitivity={most})",
            f"geometric(epsilon={shown(1 / (most * ratio), 3)}, sensitivity={most})",
            f"staircase(epsilon={shown(1 / (most * ratio), 3)}, gamma=0.5, sensitivity={most})",
        ]
    )
    text = _run(text, draw.times(100))
    return f"{text} * {_factor(draw)}" if draw.one_in(2) else text


def history(draw):
    steps = int(Decimal(shown(draw.log_uniform("20", "300"), 2)))
    sigma, rate = draw.log_uniform("0.5", "3"), draw.log_uniform("0.001", "0.05")
    # The noise decays, as in schedules of training.
    decay = draw.uniform("0.9", "1") ** (Decimal(1) / steps)
    texts = []
    for step in range(steps):
        varied = rate * draw.uniform("0.9", "1.1")
        texts.append(f"poisson(rate={shown(varied, 3)}, gaussian(sigma={shown(sigma * decay**step, 6)}))")
    return " * ".join(texts)


def little_noise(draw):
    sigma, rate = draw.parameter("0.001", "0.2"), draw.parameter("0.0001", "0.1")
    return _run(f"poisson(rate={rate}, gaussian(sigma={sigma}))", draw.times(1000))


def tiny_rate(draw):
    rate, times = draw.parameter("1e-10", "1e-5"), draw.times(10**7)
    return _run(f"poisson(rate={rate}, {_noise(draw)})", times), min(Decimal(1), Decimal(rate) * times)


KINDS = [
    group, hull, inverse, symmetrize, mixture, subsample, shuffle, sensitivity, history, little_noise, tiny_rate,
]


def kind(question):
    """The kind of a query, from its name; empty for an ordinary one."""
    return question.name.rpartition("-")[0]


def is_one(question):
    """Is it a query of this module?"""
    return any(kind(question) == _name(make) for make in KINDS)


def _name(make):
    return make.__name__.replace("_", " ")


def drawn(seed, number):
    """The query of this number, named after its kind."""
    draw = Draw(f"wider {seed}", number)
    with decimal.localcontext(ARITHMETIC):
        make = draw.choice(KINDS)
        made = make(draw)
        mechanism, touched = made if isinstance(made, tuple) else (made, Decimal(1))
        name = f"{_name(make)}-{number:04}"
        quantity = draw.choice(["delta", "delta", "epsilon", "epsilon", "beta"])
        if quantity == "beta":
            return Question(name, quantity, mechanism, "alpha", draw.parameter("0.001", "0.5"))
        if quantity == "delta":
            return Question(name, quantity, mechanism, "epsilon", draw.parameter("0.01", "5"))
        return Question(name, quantity, mechanism, "delta", shown(draw.log_uniform("1e-10", "1e-3") * touched, 2))

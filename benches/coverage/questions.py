"""Ordinary queries, drawn from a seed. Decimal arithmetic makes them the same on every machine.

A composition has one, two or three factors, with equal probability. A factor is of one of twelve families, with equal
probability:

    gaussian                    sigma 0.3 to 100
    laplace                     scale 0.3 to 300
    randomized-response         epsilon 0.01 to 3
    approx-dp                   epsilon 0.01 to 3; delta 1e-10 to 1e-5, divided by the number of runs
    geometric                   epsilon 0.005 to 3, sensitivity 1 to 5
    staircase                   epsilon 0.01 to 3, gamma 0.1 to 0.9, sensitivity 1, or 2 for one in four
    discrete-gaussian           sigma2 0.3 to 10000, sensitivity 1, or 2 or 3 for one in four
    finite                      2 to 4 outcomes, masses with denominators to 20
    poisson, of four of these   rate 1e-4 to 0.5; gaussian (sigma 0.3 to 10), laplace (scale 0.3 to 10),
                                randomized-response (epsilon 0.05 to 3), discrete-gaussian (sigma2 0.3 to 100)

All parameters are log-uniform with two significant digits (three for one in four), except gamma, sensitivities and
masses, which are uniform. One factor in four is run once. The others are run 1 to 5000 times, or 1 to 20000 times for a
sample: log-uniform, with one or two significant digits.

Two queries in five are of delta, two of epsilon, and one of beta at an alpha of 0.001 to 0.5. The point comes from a crude
estimate of the composition by integer moments, as in RDP accountants. Epsilon is the estimate for a delta of 1e-10 to 0.1,
or lies within the largest privacy loss. Delta is 1e-10 to 1e-3, above the mass at infinity and below a third of the total
variation, where epsilon would be 0. A composition is drawn again if its estimated epsilon at 1e-5 is above 60, or if its
total variation is below 1e-6.

The n-th query of a seed does not depend on the number of queries drawn.
"""

import decimal
import itertools
import pathlib
import random
import re
from decimal import Decimal
from fractions import Fraction

EXAMPLES = pathlib.Path(__file__).with_name("examples.txt")
# Where the moments are taken; those of samples are long sums, so theirs end earlier.
ORDERS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
FURTHER = [2**k for k in range(10, 24)]
MOST_EPSILON = 60
LEAST_VARIATION = Decimal("1e-6")
ARITHMETIC = decimal.Context(prec=28, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, rounding=decimal.ROUND_HALF_EVEN)


class Question:
    """One query as text. Its steps are parsed from the text."""

    def __init__(self, name, quantity, mechanism, coordinate, point):
        self.name, self.quantity, self.mechanism = name, quantity, mechanism
        self.coordinate, self.point = coordinate, point

    @property
    def arguments(self):
        return [self.quantity, self.mechanism, f"--{self.coordinate}", self.point]

    def __str__(self):
        return f"{self.quantity} '{self.mechanism}' --{self.coordinate} {self.point}"

    @property
    def steps(self):
        return read(self.mechanism)

    @property
    def families(self):
        """The families of the factors, each once, in the order of the alphabet."""
        return sorted({family(step) for step in self.steps})


def family(step):
    return f"poisson of {step['of'][0]['mechanism']}" if step["of"] else step["mechanism"]


# Reading expressions ---------------------------------------------------------------

TOKEN = re.compile(r"\s*([a-z][a-z0-9-]*|[0-9][0-9.]*(?:e[+-]?[0-9]+)?(?:/[0-9]+)?|[][()*^,=])")


def read(mechanism):
    """The factors of an expression of the kind drawn here, as the protocol of the adapters has them."""
    tokens, at = [], 0
    while at < len(mechanism.rstrip()):
        found = TOKEN.match(mechanism, at)
        if not found:
            raise ValueError(f"not understood: {mechanism[at:]}")
        tokens.append(found[1])
        at = found.end()
    left = iter([*tokens, ""])
    steps, last = [], "*"
    while last == "*":
        step, last = _step(next(left), left)
        steps.append(step)
    if last:
        raise ValueError(f"{last} where * or an end has to be: {mechanism}")
    return steps


def _step(name, left):
    """A mechanism, and the token after it."""
    step = {"mechanism": name, "times": 1, "parameters": {}, "of": []}
    last = next(left)
    if last != "(":
        raise ValueError(f"{last} after {name}")
    while last != ")":
        key, mark = next(left), next(left)
        if mark == "=":
            value = next(left)
            if value == "[":
                inside = list(itertools.takewhile(lambda token: token != "]", left))
                value = [token for token in inside if token != ","]
            step["parameters"][key] = value
            last = next(left)
        else:
            inner, last = _step(key, itertools.chain([mark], left))
            step["of"].append(inner)
    last = next(left)
    if last == "^":
        step["times"] = int(next(left))
        last = next(left)
    return step, last


def examples():
    """The questions of examples.txt."""
    found = []
    for line in EXAMPLES.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            quantity, rest = line.split(maxsplit=1)
            mechanism, coordinate, point = rest.rsplit(maxsplit=2)
            found.append(Question(f"example-{len(found) + 1}", quantity, mechanism, coordinate, point))
    return found


# Numbers ---------------------------------------------------------------------------


def shown(value, digits):
    """A decimal with the given number of significant digits."""
    rounded = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN).plus(Decimal(value))
    rounded = rounded.normalize(ARITHMETIC)
    if rounded == 0:
        return "0"
    if -4 <= rounded.adjusted() < 6:
        return f"{rounded:f}"
    sign, figures, _ = rounded.as_tuple()
    mantissa = str(figures[0]) + ("." + "".join(map(str, figures[1:])) if len(figures) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{rounded.adjusted()}"


class Draw:
    """Random numbers of one question. Only `random()` of Python's generator is promised to stay as it is."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}").random

    def uniform(self, low, high):
        return Decimal(low) + (Decimal(high) - Decimal(low)) * Decimal(self.random())

    def log_uniform(self, low, high):
        return self.uniform(Decimal(low).ln(), Decimal(high).ln()).exp()

    def integer(self, low, high):
        return low + int(self.random() * (high - low + 1))

    def choice(self, options):
        return options[self.integer(0, len(options) - 1)]

    def one_in(self, n):
        return self.random() * n < 1

    def parameter(self, low, high):
        return shown(self.log_uniform(low, high), 3 if self.one_in(4) else 2)

    def times(self, most):
        if self.one_in(4):
            return 1
        return int(Decimal(shown(self.log_uniform(1, most), 1 if self.one_in(2) else 2)))


# Families --------------------------------------------------------------------------


class Factor:
    """A mechanism drawn: its text, the moments E_Q (P/Q)^k, a largest loss if there is one, what fails outright."""

    def __init__(self, text, moment, largest=None, failure=0):
        self.text, self._moment, self.largest, self.failure = text, moment, largest, Decimal(failure)
        self.times, self.sampled, self._kept = 1, False, {0: Decimal(1), 1: Decimal(1)}

    def moment(self, k):
        if k not in self._kept:
            self._kept[k] = self._moment(k)
        return self._kept[k]

    def __str__(self):
        return self.text if self.times == 1 else f"{self.text}^{self.times}"


def _gaussian_moments(square):
    """For a shift with the given ratio of its square to the variance."""
    return lambda k: (k * (k - 1) * square / 2).exp()


def _laplace_moments(shift):
    """For a shift of the given number of scales."""
    return lambda k: (k * ((k - 1) * shift).exp() + (k - 1) * (-k * shift).exp()) / (2 * k - 1)


def _response_moments(epsilon):
    return lambda k: ((k * epsilon).exp() + ((1 - k) * epsilon).exp()) / (1 + epsilon.exp())


def gaussian(draw, low="0.3", high="100"):
    sigma = draw.parameter(low, high)
    return Factor(f"gaussian(sigma={sigma})", _gaussian_moments(1 / Decimal(sigma) ** 2))


def laplace(draw, low="0.3", high="300"):
    scale = draw.parameter(low, high)
    shift = 1 / Decimal(scale)
    return Factor(f"laplace(scale={scale})", _laplace_moments(shift), shift)


def randomized_response(draw, low="0.01", high="3"):
    epsilon = draw.parameter(low, high)
    loss = Decimal(epsilon)
    return Factor(f"randomized-response(epsilon={epsilon})", _response_moments(loss), loss)


def approx_dp(draw, times):
    epsilon = draw.parameter("0.01", "3")
    delta = shown(draw.log_uniform("1e-10", "1e-5") / times, 2)
    loss = Decimal(epsilon)
    return Factor(f"approx-dp(epsilon={epsilon}, delta={delta})", _response_moments(loss), loss, delta)


def geometric(draw):
    epsilon, sensitivity = draw.parameter("0.005", "3"), draw.integer(1, 5)
    shift = Decimal(epsilon) * sensitivity
    return Factor(f"geometric(epsilon={epsilon}{_sensitivity(sensitivity)})", _laplace_moments(shift), shift)


def staircase(draw):
    epsilon = draw.parameter("0.01", "3")
    gamma = shown(draw.uniform("0.1", "0.9"), 2)
    sensitivity = 2 if draw.one_in(4) else 1
    loss = Decimal(epsilon) * sensitivity
    text = f"staircase(epsilon={epsilon}, gamma={gamma}{_sensitivity(sensitivity)})"
    return Factor(text, _response_moments(loss), loss)


def discrete_gaussian(draw, low="0.3", high="10000"):
    sigma2 = draw.parameter(low, high)
    sensitivity = draw.integer(2, 3) if draw.one_in(4) else 1
    moments = _gaussian_moments(sensitivity**2 / Decimal(sigma2))
    return Factor(f"discrete-gaussian(sigma2={sigma2}{_sensitivity(sensitivity)})", moments)


def _sensitivity(sensitivity):
    return "" if sensitivity == 1 else f", sensitivity={sensitivity}"


def finite(draw):
    outcomes = draw.integer(2, 4)
    laws = []
    while len(laws) < 2 or laws[0] == laws[1]:
        laws = [_law(draw, outcomes) for _ in range(2)]
    p, q = ([Decimal(mass.numerator) / mass.denominator for mass in map(Fraction, law)] for law in laws)
    text = "finite(p=[{}], q=[{}])".format(*(", ".join(law) for law in laws))
    largest = max(abs((a / b).ln()) for a, b in zip(p, q))
    return Factor(text, lambda k: sum(b * (a / b) ** k for a, b in zip(p, q)), largest)


def _law(draw, outcomes):
    """Masses above 0 that sum to 1, over one denominator."""
    denominator = draw.integer(max(outcomes, 3), 20)
    cuts = set()
    while len(cuts) < outcomes - 1:
        cuts.add(draw.integer(1, denominator - 1))
    ends = [0, *sorted(cuts), denominator]
    return [f"{b - a}/{denominator}" for a, b in zip(ends, ends[1:])]


def sampled_moment(inner, rate, k):
    """E_Q ((1 - rate) + rate P/Q)^k, by the binomial theorem."""
    total, weight = Decimal(0), (1 - rate) ** k
    for j in range(k + 1):
        total += weight * inner.moment(j)
        weight *= Decimal(k - j) * rate / ((j + 1) * (1 - rate))
    return total


def poisson(draw):
    rate = draw.parameter("0.0001", "0.5")
    inner = draw.choice(
        [
            lambda: gaussian(draw, high="10"),
            lambda: laplace(draw, high="10"),
            lambda: randomized_response(draw, low="0.05"),
            lambda: discrete_gaussian(draw, high="100"),
        ]
    )()
    r = Decimal(rate)

    largest = None if inner.largest is None else (1 + r * (inner.largest.exp() - 1)).ln()
    made = Factor(f"poisson(rate={rate}, {inner.text})", lambda k: sampled_moment(inner, r, k), largest)
    made.sampled, made.rate = True, r
    return made


PLAIN = [gaussian, laplace, randomized_response, approx_dp, geometric, staircase, discrete_gaussian, finite]


def factor(draw):
    kind = draw.integer(0, len(PLAIN) + 3)
    times = draw.times(5000 if kind < len(PLAIN) else 20000)
    if kind >= len(PLAIN):
        made = poisson(draw)
    elif PLAIN[kind] is approx_dp:
        made = approx_dp(draw, times)
    else:
        made = PLAIN[kind](draw)
    made.times = times
    return made


# Questions -------------------------------------------------------------------------


class Composition:
    """Factors, and crude estimates of what they come to."""

    def __init__(self, factors):
        self.factors = factors
        losses = [f.largest for f in factors]
        self.largest = None if None in losses else sum(f.times * f.largest for f in factors)
        self.failure = sum(f.times * f.failure for f in factors)
        orders = ORDERS if any(f.sampled for f in factors) else ORDERS + FURTHER
        self.renyi = []
        for order in orders:
            total = sum(f.times * f.moment(order).ln() for f in factors) / (order - 1)
            self.renyi.append((order, total))
            if total > 100 * MOST_EPSILON:
                break

    def variation(self):
        """The total variation of two Gaussians with this chi-squared divergence, and at most what samples leave."""
        touched = [f.times * f.rate if f.sampled else Decimal("Infinity") for f in self.factors]
        return min((self.renyi[0][1]).sqrt() * Decimal("0.4"), sum(touched), Decimal(1))

    def epsilon(self, delta):
        """Canonne, Kamath, Steinke, Proposition 12, at the orders there are."""
        least = min(
            total + (1 - Decimal(1) / order).ln() - (delta.ln() + Decimal(order).ln()) / (order - 1)
            for order, total in self.renyi
        )
        return max(least, Decimal(0))

    def usual(self):
        return self.epsilon(Decimal("1e-5")) <= MOST_EPSILON and self.variation() >= LEAST_VARIATION

    def __str__(self):
        return " * ".join(map(str, self.factors))


def drawn(seed, number):
    """The question of this number."""
    draw = Draw(seed, number)
    with decimal.localcontext(ARITHMETIC):
        while True:
            made = Composition([factor(draw) for _ in range(draw.integer(1, 3))])
            asked = _asked(draw, made) if made.usual() else None
            if asked:
                quantity, coordinate, point = asked
                return Question(f"{number:04}", quantity, str(made), coordinate, point)


def _asked(draw, made):
    """Quantity, coordinate and point; nothing where every point is trivial."""
    quantity = draw.choice(["delta", "delta", "epsilon", "epsilon", "beta"])
    if quantity == "beta":
        return quantity, "alpha", draw.parameter("0.001", "0.5")
    if quantity == "delta":
        epsilon = made.epsilon(draw.log_uniform("1e-10", "0.1"))
        if made.largest is not None and epsilon > made.largest * Decimal("0.95"):
            epsilon = made.largest * draw.uniform("0.2", "0.95")
        point = shown(epsilon, 3 if draw.one_in(4) else 2)
        return None if point == "0" else (quantity, "epsilon", point)
    low = max(Decimal("1e-10"), made.failure * Decimal("1.2"))
    high = min(Decimal("1e-3"), made.variation() / 3)
    return (quantity, "delta", draw.parameter(low, high)) if low * 2 < high else None

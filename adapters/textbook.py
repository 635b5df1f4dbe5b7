"""Textbook formulas, for any library that can evaluate them.

A `Dialect` describes a library: its code for a number, the normal distribution, binomial
coefficients and root finding, and the format of a printed value. Formulas that are
equalities claim estimates. Inequalities (advanced composition, conversions from zCDP and RDP,
the classic noise) claim upper bounds.
"""

from dataclasses import dataclass, field
from typing import Callable

from protocol import Program, Unsupported, shown, written


@dataclass
class Dialect:
    imports: list
    cdf: str  # the standard normal distribution function
    ppf: str  # its inverse
    binomial: str
    root: Callable  # (function, low, high) -> expression
    number: Callable = shown
    written: Callable = written
    suffix: list = field(default_factory=list)


DONG = "an equality: Dong, Roth, Su, Gaussian Differential Privacy"
BALLE = "an equality: Balle, Wang 2018, Theorem 8"
KOV = "an equality: Kairouz, Oh, Viswanath, Theorem 3.3"
MIRONOV = "an equality: Mironov 2017, Propositions 5 to 7"


def textbook(dialect):
    """Return the function of an adapter from a query to a program, in this dialect."""

    def api(query):
        query.needs_worst()
        names = {step.name for step in query.steps}
        for suits, make in FORMULAS:
            if query.quantity in suits[0] and names <= set(suits[1]):
                lines, kind, says = make(query, dialect)
                return Program(*dialect.imports, "", *lines, kinds=kind, says=says, written=dialect.written)
        raise Unsupported("does not support this: there is no textbook formula")

    return api


# Gaussians -------------------------------------------------------------------------


def total_mu(query, d):
    """Return mu of a composition of Gaussians, as an expression."""
    squares = []
    for step in query.steps:
        if step.name == "gdp":
            mu = d.number(step.get("mu"))
        elif step.sensitivity == 1:
            mu = f"1 / {d.number(step.get('sigma'))}"
        else:
            mu = f"{d.number(step.sensitivity)} / {d.number(step.get('sigma'))}"
        if len(query.steps) == 1:
            return f"sqrt({step.times}) * {mu}" if step.times != 1 else mu
        squares.append(f"{step.times} * ({mu})**2" if step.times != 1 else f"({mu})**2")
    return f"sqrt({' + '.join(squares)})"


def profile(d, mu="mu"):
    return f"{d.cdf}({mu} / 2 - eps / {mu}) - exp(eps) * {d.cdf}(-{mu} / 2 - eps / {mu})"


def gaussian_delta(query, d):
    lines = [f"mu = {total_mu(query, d)}", f"eps = {d.number(query.epsilon)}", f"print({profile(d)})"]
    return lines, "estimate", DONG + ", Corollary 2.13"


def gaussian_epsilon(query, d):
    lines = [
        f"mu = {total_mu(query, d)}",
        "def delta(eps):",
        f"    return {profile(d)}",
        f"print({d.root(f'lambda eps: delta(eps) - {d.number(query.delta)}', '0', '500')})",
    ]
    return lines, "estimate", DONG + ", Corollary 2.13, solved for epsilon"


def gaussian_beta(query, d):
    lines = [f"mu = {total_mu(query, d)}", f"print({d.cdf}({d.ppf}(1 - {d.number(query.alpha)}) - mu))"]
    return lines, "estimate", DONG + ", Section 2.2"


def gaussian_renyi(query, d):
    lines = [f"mu = {total_mu(query, d)}", f"print({d.number(query.order)} * mu**2 / 2)"]
    return lines, "estimate", MIRONOV


def gaussian_noise(query, d):
    step = query.single("gaussian")
    if step.unknown != "sigma":
        raise Unsupported("calibrates only sigma")
    lines = [
        f"eps = {d.number(query.epsilon)}",
        "def delta(sigma):",
        f"    mu = sqrt({step.times}) * {d.number(step.sensitivity)} / sigma",
        f"    return {profile(d)}",
        f"print({d.root(f'lambda sigma: delta(sigma) - {d.number(query.delta)}', '0.01', '1000')})",
    ]
    return lines, "estimate", BALLE + ", solved for sigma"


def classic_noise(query, d):
    """A separate api: the noise of Dwork and Roth."""
    query.needs("noise")
    step = query.once("gaussian")
    if step.unknown != "sigma" or not 0 < query.epsilon < 1:
        raise Unsupported("requires an epsilon below 1, as the theorem does")
    lines = [
        f"print(sqrt(2 * log(1.25 / {d.number(query.delta)})) * {d.number(step.sensitivity)} / {d.number(query.epsilon)})"
    ]
    says = "a sigma that suffices: Dwork, Roth, The Algorithmic Foundations of Differential Privacy, Theorem A.1"
    return Program(*d.imports, "", *lines, kinds="upper", says=says, written=d.written)


# Laplace, randomised response, black boxes -----------------------------------------


def laplace_delta(query, d):
    step = query.once("laplace")
    lines = [
        f"eps0 = {d.number(step.sensitivity)} / {d.number(step.get('scale'))}",
        f"print(max(0, 1 - exp(({d.number(query.epsilon)} - eps0) / 2)))",
    ]
    return lines, "estimate", "an equality: the hockey-stick divergence of Laplace noise"


def laplace_epsilon(query, d):
    """Pure differential privacy, composed by adding epsilons."""
    terms = [
        f"{step.times} * {d.number(step.sensitivity)} / {d.number(step.get('scale'))}" for step in query.steps
    ]
    return [f"print({' + '.join(terms)})"], "upper", "an upper bound: the Laplace mechanism is pure-DP, composed by addition"


def laplace_renyi(query, d):
    lines = [f"a = {d.number(query.order)}", "total = 0"]
    for step in query.steps:
        lines += [
            f"e = {d.number(step.sensitivity)} / {d.number(step.get('scale'))}",
            f"total += {step.times} * log(a / (2 * a - 1) * exp((a - 1) * e)",
            "                  + (a - 1) / (2 * a - 1) * exp(-a * e)) / (a - 1)",
        ]
    return [*lines, "print(total)"], "estimate", MIRONOV


def response_renyi(query, d):
    lines = [f"a = {d.number(query.order)}", "total = 0"]
    for step in query.steps:
        lines += [
            f"p = 1 / (1 + exp(-{d.number(step.get('epsilon'))}))",
            f"total += {step.times} * log(p**a * (1 - p)**(1 - a) + (1 - p)**a * p**(1 - a)) / (a - 1)",
        ]
    return [*lines, "print(total)"], "estimate", MIRONOV


def kov_delta(query, d):
    step = query.single("approx-dp", "randomized-response")
    lines = [
        f"k, e, d = {step.times}, {d.number(step.get('epsilon'))}, {d.number(step.get('delta', 0.0))}",
        f"eps = {d.number(query.epsilon)}",
        f"inner = sum({d.binomial}(k, l) * max(0, exp((k - l) * e) - exp(eps + l * e))",
        "            for l in range(k + 1)) / (1 + exp(e))**k",
        "print(1 - (1 - d)**k * (1 - inner))",
    ]
    return lines, "estimate", KOV


def kov_epsilon(query, d):
    step = query.single("approx-dp", "randomized-response")
    lines = [
        f"k, e, d = {step.times}, {d.number(step.get('epsilon'))}, {d.number(step.get('delta', 0.0))}",
        f"slack = 1 - (1 - {d.number(query.delta)}) / (1 - d)**k",
        "mean = k * e * (exp(e) - 1) / (exp(e) + 1)",
        "print(min(k * e,",
        "          mean + e * sqrt(2 * k * log(exp(1) + sqrt(k * e**2) / slack)),",
        "          mean + e * sqrt(2 * k * log(1 / slack))))",
    ]
    return lines, "upper", "an upper bound: Kairouz, Oh, Viswanath, Theorem 3.4"


def black_box_beta(query, d):
    step = query.once("approx-dp", "randomized-response")
    lines = [
        f"e, d = {d.number(step.get('epsilon'))}, {d.number(step.get('delta', 0.0))}",
        f"a = {d.number(query.alpha)}",
        "print(max(0, 1 - d - exp(e) * a, exp(-e) * (1 - d - a)))",
    ]
    return lines, "estimate", DONG + ", equation (5)"


# Discrete noise --------------------------------------------------------------------


def discrete_gaussian_delta(query, d):
    step = query.once("discrete-gaussian")
    s2 = d.number(step.get("sigma2")) if "sigma2" in step.parameters else f"{d.number(step.get('sigma'))}**2"
    n = step.whole_sensitivity()
    lines = [
        f"s2, n, eps = {s2}, {n}, {d.number(query.epsilon)}",
        "m = int(40 * sqrt(s2)) + n + 1",
        "mass = {x: exp(-x**2 / (2 * s2)) for x in range(-m, m + 1)}",
        "total = sum(mass.values())",
        "print(sum(max(0, mass[x] - exp(eps) * mass.get(x + n, 0)) for x in mass) / total)",
    ]
    return lines, "estimate", "an equality: the definition, summed over 40 standard deviations"


def geometric_delta(query, d):
    step = query.once("geometric")
    n = step.whole_sensitivity()
    lines = [
        f"e, n, eps = {d.number(step.get('epsilon'))}, {n}, {d.number(query.epsilon)}",
        "c = (exp(e) - 1) / (exp(e) + 1)",
        "m = int(40 / e) + n + 1",
        "print(sum(max(0, c * exp(-abs(x) * e) - exp(eps) * c * exp(-abs(x - n) * e)) for x in range(-m, m + 1)))",
    ]
    return lines, "estimate", "an equality: the definition, summed over the outcomes"


# Conversions and the central limit theorem -----------------------------------------


def zcdp_epsilon(query, d):
    rhos = [f"{step.times} * {d.number(step.get('rho'))}" for step in query.steps]
    lines = [f"rho = {' + '.join(rhos)}", f"print(rho + 2 * sqrt(rho * log(1 / {d.number(query.delta)})))"]
    return lines, "upper", "an upper bound: Bun, Steinke 2016, Proposition 1.3"


def rdp_epsilon(query, d):
    step = query.once("rdp")
    lines = [f"a = {d.number(step.get('order'))}",
             f"print({d.number(step.get('epsilon'))} + log(1 / {d.number(query.delta)}) / (a - 1))"]
    return lines, "upper", "an upper bound: Mironov 2017, Proposition 3"


def rdp_delta(query, d):
    step = query.once("rdp")
    lines = [f"a = {d.number(step.get('order'))}",
             f"print(exp((a - 1) * ({d.number(step.get('epsilon'))} - {d.number(query.epsilon)})))"]
    return lines, "upper", "an upper bound: Mironov 2017, Proposition 3"


def limit_mu(query, d):
    step = query.single("poisson")
    inner = query.inner(step, "gaussian")
    ratio = f"{d.number(inner.sensitivity)} / {d.number(inner.get('sigma'))}"
    return f"{d.number(step.get('rate'))} * sqrt({step.times} * (exp(({ratio})**2) - 1))"


LIMIT = "an approximation for many steps: Bu, Dong, Long, Su, Deep Learning with Gaussian Differential Privacy"


def limit_delta(query, d):
    lines = [f"mu = {limit_mu(query, d)}", f"eps = {d.number(query.epsilon)}", f"print({profile(d)})"]
    return lines, "estimate", LIMIT


def limit_epsilon(query, d):
    lines = [
        f"mu = {limit_mu(query, d)}",
        "def delta(eps):",
        f"    return {profile(d)}",
        f"print({d.root(f'lambda eps: delta(eps) - {d.number(query.delta)}', '0', '500')})",
    ]
    return lines, "estimate", LIMIT


FORMULAS = [
    ((("delta",), ("gaussian", "gdp")), gaussian_delta),
    ((("epsilon",), ("gaussian", "gdp")), gaussian_epsilon),
    ((("beta",), ("gaussian", "gdp")), gaussian_beta),
    ((("renyi",), ("gaussian", "gdp")), gaussian_renyi),
    ((("noise",), ("gaussian",)), gaussian_noise),
    ((("delta",), ("laplace",)), laplace_delta),
    ((("epsilon",), ("laplace",)), laplace_epsilon),
    ((("renyi",), ("laplace",)), laplace_renyi),
    ((("renyi",), ("randomized-response",)), response_renyi),
    ((("delta",), ("approx-dp", "randomized-response")), kov_delta),
    ((("epsilon",), ("approx-dp", "randomized-response")), kov_epsilon),
    ((("beta",), ("approx-dp", "randomized-response")), black_box_beta),
    ((("delta",), ("discrete-gaussian",)), discrete_gaussian_delta),
    ((("delta",), ("geometric",)), geometric_delta),
    ((("epsilon",), ("zcdp",)), zcdp_epsilon),
    ((("epsilon",), ("rdp",)), rdp_epsilon),
    ((("delta",), ("rdp",)), rdp_delta),
    ((("delta",), ("poisson",)), limit_delta),
    ((("epsilon",), ("poisson",)), limit_epsilon),
]

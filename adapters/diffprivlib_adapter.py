"""IBM's diffprivlib: noise calibrated by its mechanisms, and the budget accountant.

Mapping. The mechanisms take (epsilon, delta, sensitivity) and choose their noise. The adapter reads
it from `variance` (Gaussian, GaussianAnalytic) or, if that is not implemented, from the
attribute `_scale` (GaussianDiscrete), whose square is the parameter sigma2. Laplace noise with a
delta is calibrated too. The accountant composes (epsilon, delta) black boxes. The delta that
the steps do not use is its slack: (1 - delta) = (1 - slack) * product(1 - delta_i).
"""

from fractions import Fraction
import math

from protocol import Program, Unsupported, serve, shown

SATISFIES = "noise that suffices: 'epsilon, delta: Privacy parameter of the mechanism' (docstring of {})"


def calibration(name):
    def api(query):
        query.needs("noise")
        discrete = name == "GaussianDiscrete"
        step = query.once("discrete-gaussian" if discrete else "laplace" if name == "Laplace" else "gaussian")
        if step.unknown not in ("sigma", "sigma2", "scale"):
            raise Unsupported("calibrates only the noise")
        if name == "Gaussian" and query.epsilon > 1:
            raise Unsupported("requires an epsilon of at most 1 (docstring: 'Must be in (0, 1]. For epsilon > 1, use GaussianAnalytic')")
        if query.epsilon + query.delta == 0 or (name != "Laplace" and query.epsilon * query.delta == 0):
            raise Unsupported("requires positive epsilon and delta" if name != "Laplace" else "requires a positive budget")
        sensitivity = str(step.whole_sensitivity()) if discrete else shown(step.sensitivity)
        at = f"epsilon={shown(query.epsilon)}, delta={shown(query.delta)}, sensitivity={sensitivity}"
        # the scale itself if the query is for it: the square root of the variance would round again
        scale = "m._scale"
        if step.unknown == "sigma2":
            scale = "m._scale ** 2"
        if name == "Laplace":
            scale = "sqrt(m.variance(0) / 2)"
        return Program(
            f"from diffprivlib.mechanisms import {name}",
            *(["from math import sqrt"] if name == "Laplace" else []),
            "",
            f"m = {name}({at})",
            f"print({scale})",
            kinds="upper",
            says=SATISFIES.format(f"mechanisms.{name}"),
        )

    return api


def slack(delta, steps):
    """Return the largest double that makes at most delta together with the deltas of the steps."""
    left = (1 - Fraction(delta)) / math.prod((1 - Fraction(s.get("delta", 0.0))) ** s.times for s in steps)
    exact = 1 - left
    if exact < 0:
        raise Unsupported("requires deltas of the steps that do not exceed delta together")
    value = float(exact)
    return math.nextafter(value, 0.0) if Fraction(value) > exact else value


def accountant(query):
    query.needs("epsilon", "delta")
    steps = query.each("approx-dp", "randomized-response")
    if any(s.get("epsilon") == 0 and s.get("delta", 0.0) == 0 for s in steps):
        raise Unsupported("does not support a mechanism without privacy loss ('Epsilon and Delta cannot both be zero')")
    spends = [f"[({shown(s.get('epsilon'))}, {shown(s.get('delta', 0.0))})] * {s.times}" for s in steps]
    lines = ["from diffprivlib import BudgetAccountant", "", f"accountant = BudgetAccountant(spent_budget={' + '.join(spends)})"]
    says = "'Returns the total current privacy spend', by the rules of Kairouz, Oh, Viswanath (docstring of BudgetAccountant.total)"
    if query.quantity == "delta":
        total = sum(Fraction(s.get("epsilon")) * s.times for s in steps)
        if Fraction(query.epsilon) < total:
            raise Unsupported("supports delta only at the sum of the epsilons")
        return Program(*lines, "print(accountant.total()[1])", kinds="upper", says="an upper bound: " + says)
    at = slack(query.delta, steps)
    return Program(
        *lines,
        f"print(accountant.total(slack={shown(at)})[0])",
        kinds="upper",
        says="an upper bound: " + says,
    )


if __name__ == "__main__":
    names = {
        "gaussian": "Gaussian",
        "gaussian-analytic": "GaussianAnalytic",
        "gaussian-discrete": "GaussianDiscrete",
        "laplace": "Laplace",
    }
    apis = {api: calibration(name) for api, name in names.items()}
    documentation = "https://diffprivlib.readthedocs.io/"
    serve("diffprivlib", {**apis, "accountant": accountant}, documentation, ["diffprivlib.mechanisms"])

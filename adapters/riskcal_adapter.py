"""riskcal: trade-off functions from PLD, GDP, (epsilon, delta), RDP and zCDP, and calibration.

Mapping. FPR is alpha, FNR is beta; a guarantee is a lower bound of the FNR of the worst attack.
For api `pld`, dp-accounting computes the distributions with its defaults, as in the README.
Api `zcdp` takes Gaussian noise, continuous or discrete, with rho = sum (sensitivity/sigma)^2 / 2,
rounded up. The advantage is the delta at epsilon 0.
"""

from fractions import Fraction
import math

from dp_accounting_adapter import distribution
from protocol import Program, Unsupported, quotient, serve, shown

WORST = "'FNR for the worst-case attacker', TPR is bounded by 1 - beta (README); docstring of analysis.{}"


def beta_or_advantage(query):
    query.needs("beta", "delta")
    if query.quantity == "delta" and query.epsilon != 0:
        raise Unsupported("supports delta only at epsilon 0 (the advantage)")


def attack(query, guarantee, at, lines=("",), equality=None):
    """get_beta_from_... or get_advantage_from_...: a bound on attacks, or the exact value for the best attack."""
    if query.quantity == "beta":
        name, kind, ask = f"get_beta_from_{guarantee}", "lower", f"{at}, {shown(query.alpha)}"
        says = WORST.format(name)
    else:
        name, kind, ask = f"get_advantage_from_{guarantee}", "upper", at
        says = f"'Maximum attack advantage' (docstring of analysis.{name})"
    if equality is not None:
        kind, says = "estimate", f"{equality} (docstring of analysis.{name})"
    return Program(f"from riskcal.analysis import {name}", *lines, f"print({name}({ask}))", kinds=kind, says=says)


def pld(query):
    beta_or_advantage(query)
    return attack(query, "pld", "d", distribution(query))


def gdp(query):
    beta_or_advantage(query)
    step = query.once("gdp", "gaussian")
    mu = step.get("mu") if step.name == "gdp" else quotient(step.sensitivity, step.get("sigma"), "mu = sensitivity / sigma")
    return attack(query, "gdp", shown(mu), equality="'the analytical formula'")


def adp(query):
    beta_or_advantage(query)
    step = query.once("approx-dp")
    at = f"{shown(step.get('epsilon'))}, {shown(step.get('delta', 0.0))}"
    return attack(query, "adp", at, equality="an equality for the worst mechanism: Dong, Roth, Su, equation (5)")


def rdp(query):
    """The worst mechanism with this Renyi bound."""
    query.needs("beta")
    step = query.once("rdp")
    at = f"epsilon={shown(step.get('epsilon'))}, alpha={shown(query.alpha)}, order={shown(step.get('order'))}"
    return Program(
        "from riskcal.analysis import get_beta_from_rdp",
        "",
        f"print(get_beta_from_rdp({at}))",
        kinds="lower",
        says=WORST.format("get_beta_from_rdp") + " has 'the optimal conversion', and a tolerance of 1e-7",
    )


def rho_above(query):
    """Return the zCDP parameter of a composition, rounded up to a double."""
    rho = Fraction(0)
    for step in query.each("gaussian", "gdp", "discrete-gaussian", "zcdp"):
        if step.name == "zcdp":
            one = Fraction(step.get("rho"))
        elif step.name == "gdp":
            one = Fraction(step.get("mu")) ** 2 / 2
        else:
            sigma2 = Fraction(step.get("sigma")) ** 2 if "sigma" in step.parameters else Fraction(step.get("sigma2"))
            one = Fraction(step.sensitivity) ** 2 / (2 * sigma2)
        rho += one * step.times
    value = float(rho)
    return math.nextafter(value, math.inf) if Fraction(value) < rho else value


def zcdp(query):
    beta_or_advantage(query)
    return attack(query, "zcdp", shown(rho_above(query)))


def history(query):
    """Return the history of the DP-SGD accountants, in the format of Opacus."""
    entries = []
    for step in query.each("poisson", "gaussian"):
        inner = query.inner(step, "gaussian") if step.name == "poisson" else step
        rate = step.get("rate") if step.name == "poisson" else 1.0
        noise = quotient(inner.get("sigma"), inner.sensitivity, "one noise multiplier, sigma / sensitivity")
        entries.append(f"({shown(noise)}, {shown(rate)}, {step.times})")
    return f"[{', '.join(entries)}]"


def accountant(package):
    """CTDAccountant of riskcal or gdpnum."""

    def api(query):
        query.needs("epsilon", "beta", "delta")
        if query.quantity == "delta" and query.epsilon != 0:
            raise Unsupported("supports delta only at epsilon 0 (the advantage)")
        ask, kind, says = {
            "epsilon": lambda: (f"get_epsilon(delta={shown(query.delta)})", "upper", "'Epsilon value for (epsilon, delta)-DP'"),
            "beta": lambda: (f"get_beta(alpha={shown(query.alpha)})", "lower", "'False negative rate corresponding to alpha'"),
            "delta": lambda: ("get_advantage()", "upper", "'Maximum attack advantage'"),
        }[query.quantity]()
        return Program(
            f"from {package} import CTDAccountant",
            "",
            "accountant = CTDAccountant()",
            f"accountant.history = {history(query)}  # noise multiplier, sample rate, steps",
            f"print(accountant.{ask})",
            kinds=kind,
            says=f"{says}, for the worst-case attacker (CTDAccountant.{ask.split('(')[0]})",
        )

    return api


def calibration(query):
    rate, steps = query.noise_multiplier()
    return Program(
        "from riskcal.calibration.core import CalibrationConfig, CalibrationTarget, calibrate_parameter",
        "from riskcal.calibration.dpsgd import create_dpsgd_epsilon_evaluator",
        "",
        f"evaluator = create_dpsgd_epsilon_evaluator(sample_rate={shown(rate)}, num_steps={steps},",
        f"                                           target_delta={shown(query.delta)})",
        f"target = CalibrationTarget(kind='epsilon_delta', epsilon={shown(query.epsilon)}, delta={shown(query.delta)})",
        "print(calibrate_parameter(evaluator, target, CalibrationConfig(increasing=False)).parameter_value)",
        kinds="upper",
        says="a noise multiplier that suffices: 'such that the privacy guarantee (as measured by the evaluator) meets or "
        "exceeds the specified target' (docstring of calibration.core.calibrate_parameter)",
    )


if __name__ == "__main__":
    apis = {
        "pld": pld,
        "gdp": gdp,
        "adp": adp,
        "rdp": rdp,
        "zcdp": zcdp,
        "dpsgd": accountant("riskcal.accountants"),
        "calibration": calibration,
    }
    modules = ["riskcal.analysis", "riskcal.accountants", "riskcal.calibration.core", "riskcal.calibration.dpsgd"]
    modules.append("dp_accounting.pld.privacy_loss_distribution")
    serve("riskcal", apis, "https://riskcal.readthedocs.io/", modules)

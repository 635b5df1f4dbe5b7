"""Google's dp-accounting: privacy loss distributions, Renyi accounting, closed forms.

Mapping. All calls use the defaults of the package unless settings change them: grid 1e-4, pessimistic,
tails of 1e-15 truncated in compositions. Gaussian and Laplace take their sensitivity. Geometric noise is
the discrete Laplace of the package, with the same parameter. The `sigma` of the discrete Gaussian is the
root of `sigma2`. Randomized response has two buckets: it lies with probability p/2, so
p = 2/(1 + e^epsilon). p is rounded down, to a mechanism that is not more private. Black boxes are
`from_privacy_parameters`. Poisson sampling is `sampling_prob`, add/remove, both directions.
"""

from decimal import Decimal, localcontext
import math

from protocol import Program, Settings, Unsupported, flag, orders, positive, quotient, root_below, serve, shown

#: Settings of distributions; an accountant of events has fewer.
GRID = {"value_discretization_interval": positive}
DISTRIBUTION = {**GRID, "tail_mass_truncation": positive, "use_connect_dots": flag}
SETTINGS = Settings(pld=DISTRIBUTION, pld_vectorised=DISTRIBUTION, pld_accountant=GRID, rdp={"orders": orders})
PLD = "from dp_accounting.pld import privacy_loss_distribution as pld"
PESSIMISTIC = (
    "an upper bound: pessimistic_estimate=True, the default, rounds 'in such a way that the resulting "
    "epsilon-hockey stick divergence computation gives an upper estimate to the real value' "
    "(docstrings of privacy_loss_distribution.from_*_mechanism)"
)
EPSILON_FOR_DELTA = (
    "an upper bound: 'when the rounding is pessimistic, the returned value corresponds to an epsilon for "
    "which the mechanism is (epsilon, delta)-differentially private' (docstring of get_epsilon_for_delta)"
)


def noise_parameter(epsilon):
    """Return the largest double p with p <= 2 / (1 + e^epsilon)."""
    with localcontext() as context:
        context.prec = 60
        exact = 2 / (1 + Decimal(epsilon).exp())
        p = float(exact)
        return math.nextafter(p, 0.0) if Decimal(p) > exact else p


# Privacy loss distributions --------------------------------------------------------


def constructor(step):
    """Return the expression of the distribution of one run, and its imports."""
    sampling = ""
    if step.name == "poisson":
        sampling = f", sampling_prob={shown(step.get('rate'))}"
        if len(step.of) != 1 or step.of[0].times != 1:
            raise Unsupported("supports sampling only for a single mechanism run")
        step = step.of[0]
        if step.name not in ("gaussian", "laplace", "geometric", "discrete-gaussian"):
            raise Unsupported(f"does not support sampling for {step.name}")
    sensitivity = "" if step.sensitivity == 1 else f", sensitivity={shown(step.sensitivity)}"
    grid = SETTINGS.arguments("value_discretization_interval")
    if step.name in ("gaussian", "gdp", "laplace", "geometric", "discrete-gaussian"):
        sampling += grid + SETTINGS.arguments("use_connect_dots")
    if step.name == "gaussian":
        return f"pld.from_gaussian_mechanism({shown(step.get('sigma'))}{sensitivity}{sampling})", []
    if step.name == "gdp":
        # N(0,1) against N(mu,1) is noise 1 on a query of sensitivity mu
        return f"pld.from_gaussian_mechanism(1.0, sensitivity={shown(step.get('mu'))}{sampling})", []
    if step.name == "laplace":
        return f"pld.from_laplace_mechanism({shown(step.get('scale'))}{sensitivity}{sampling})", []
    if step.name == "geometric":
        sensitivity = "" if step.sensitivity == 1 else f", sensitivity={step.whole_sensitivity()}"
        return f"pld.from_discrete_laplace_mechanism({shown(step.get('epsilon'))}{sensitivity}{sampling})", []
    if step.name == "discrete-gaussian":
        sensitivity = "" if step.sensitivity == 1 else f", sensitivity={step.whole_sensitivity()}"
        return f"pld.from_discrete_gaussian_mechanism({shown(discrete_sigma(step))}{sensitivity}{sampling})", []
    if step.name == "randomized-response" and step.get("delta", 0.0) == 0:
        p = noise_parameter(step.get("epsilon"))
        return f"pld.from_randomized_response({shown(p)}, num_buckets=2{grid})", []
    if step.name in ("approx-dp", "randomized-response"):
        parameters = f"{shown(step.get('epsilon'))}, {shown(step.get('delta', 0.0))}"
        return (
            f"pld.from_privacy_parameters(common.DifferentialPrivacyParameters({parameters}){grid})",
            ["from dp_accounting.pld import common"],
        )
    if step.name == "finite":
        return finite(step, grid)
    raise Unsupported(f"does not support {step.name}")


def finite(step, grid):
    p, q = step.get("p"), step.get("q")
    if min(p + q) <= 0:
        raise Unsupported("requires positive probabilities, of which it takes logarithms")
    # "upper" is the numerator of the likelihood ratio; the other direction is computed too
    entries = [
        "{" + ", ".join(f"{i}: math.log({shown(v)})" for i, v in enumerate(masses)) + "}" for masses in (q, p)
    ]
    return f"pld.from_two_probability_mass_functions({entries[0]}, {entries[1]}, symmetric=False{grid})", ["import math"]


def discrete_sigma(step):
    return step.parameters.get("sigma") or root_below(step.get("sigma2"))


def distribution(query):
    """Return lines that create the composed distribution `d`."""
    imports, lines = [PLD], []
    tails = SETTINGS.arguments("tail_mass_truncation") if len(query.steps) > 1 or query.steps[0].times > 1 else ""
    for i, step in enumerate(query.steps):
        made, more = constructor(step)
        imports += [line for line in more if line not in imports]
        if step.times != 1:
            made = f"{made}.self_compose({step.times}{tails})"
        lines.append(f"d = {made}" if i == 0 else f"d = d.compose({made}{tails})")
    return [*imports, "", *lines]


def pld(query):
    if query.quantity == "noise":
        return smallest_noise(query)
    query.needs("delta", "epsilon")
    lines = distribution(query)
    if query.quantity == "delta":
        ask = f"print(d.get_delta_for_epsilon({shown(query.epsilon)}))"
        return Program(*lines, ask, kinds="upper", says=PESSIMISTIC)
    ask = f"print(d.get_epsilon_for_delta({shown(query.delta)}))"
    return Program(*lines, ask, kinds="upper", says=EPSILON_FOR_DELTA)


def vectorised(query):
    query.needs("delta")
    imports, *lines = distribution(query)
    ask = f"print(d.get_delta_for_epsilon(np.array([{shown(query.epsilon)}]))[0])"
    return Program("import numpy as np", imports, *lines, ask, kinds="upper", says=PESSIMISTIC)


def smallest_noise(query):
    """Calibration by dp_accounting.pld.accountant."""
    query.needs_worst()
    step = query.single("gaussian", "laplace", "geometric", "poisson")
    at = f"common.DifferentialPrivacyParameters({shown(query.epsilon)}, {shown(query.delta)})"
    runs = "" if step.times == 1 else f", num_queries={step.times}"
    sampling = ""
    if step.name == "poisson":
        sampling = f", sampling_prob={shown(step.get('rate'))}"
        step = query.inner(step, "gaussian")
    if step.unknown not in ("sigma", "scale", "epsilon"):
        raise Unsupported("calibrates only the noise")
    sensitivity = "" if step.sensitivity == 1 else f", sensitivity={shown(step.sensitivity)}"
    name = {"gaussian": "gaussian", "laplace": "laplace", "geometric": "discrete_laplace"}[step.name]
    if step.name == "geometric" and step.sensitivity != 1:
        sensitivity = f", sensitivity={step.whole_sensitivity()}"
    if sampling:
        name = "subsampled_gaussian"
    # for geometric noise, the claim is that the parameter is not too large
    kind, extreme = ("lower", "Largest") if step.name == "geometric" else ("upper", "Smallest")
    return Program(
        "from dp_accounting.pld import accountant, common",
        "",
        f"parameters = {at}",
        f"print(accountant.get_smallest_{name}_noise(parameters{runs}{sensitivity}{sampling}))",
        kinds=kind,
        says=f"a parameter that suffices: '{extreme} parameter for which the mechanism, when applied the given "
        f"number of times, satisfies the desired privacy guarantee' (docstring of accountant.get_smallest_{name}_noise)",
    )


# Accountants of events -------------------------------------------------------------

EVENTS = "import dp_accounting"


def event(step):
    """Return the expression of the DpEvent of all runs of one step."""
    made = single_event(step)
    if step.times == 1:
        return made
    return f"dp_accounting.SelfComposedDpEvent({made}, {step.times})"


def single_event(step):
    if step.name == "poisson":
        inner = single_event(query_inner(step))
        return f"dp_accounting.PoissonSampledDpEvent({shown(step.get('rate'))}, {inner})"
    if step.name == "gaussian":
        noise = quotient(step.get("sigma"), step.sensitivity, "one noise multiplier, sigma / sensitivity")
        return f"dp_accounting.GaussianDpEvent({shown(noise)})"
    if step.name == "gdp":
        noise = quotient(1.0, step.get("mu"), "a noise multiplier, 1 / mu")
        return f"dp_accounting.GaussianDpEvent({shown(noise)})"
    if step.name == "laplace":
        noise = quotient(step.get("scale"), step.sensitivity, "one noise multiplier, scale / sensitivity")
        return f"dp_accounting.LaplaceDpEvent({shown(noise)})"
    if step.name == "geometric":
        return f"dp_accounting.dp_event.DiscreteLaplaceDpEvent({shown(step.get('epsilon'))}, {step.whole_sensitivity()})"
    if step.name == "randomized-response" and step.get("delta", 0.0) == 0:
        p = noise_parameter(step.get("epsilon"))
        return f"dp_accounting.RandomizedResponseDpEvent({shown(p)}, 2)"
    if step.name == "zcdp":
        return f"dp_accounting.dp_event.ZCDpEvent(rho={shown(step.get('rho'))})"
    raise Unsupported(f"does not support events for {step.name}")


def query_inner(step):
    if len(step.of) != 1 or step.of[0].times != 1:
        raise Unsupported("supports sampling only for a single mechanism run")
    return step.of[0]


def accountant_lines(query, accountant, module):
    """Return lines that create the accountant `a` and compose all steps."""
    relation = ""
    if any(step.name == "randomized-response" for step in query.steps):
        # the neighbours of randomized response: a record is replaced
        relation = "dp_accounting.NeighboringRelation.REPLACE_ONE"
        if any(step.name in ("poisson", "laplace", "geometric") for step in query.steps):
            raise Unsupported("does not support these together, because it uses different neighbours for them")
        if any(step.name == "gaussian" for step in query.steps):
            raise Unsupported("does not support this, because it doubles the sensitivity of a Gaussian when records are replaced")
        relation = f"neighboring_relation={relation}"
    chosen = [relation] if relation else []
    if accountant == "PLDAccountant":
        chosen.append(SETTINGS.arguments("value_discretization_interval").removeprefix(", "))
    elif query.quantity != "renyi":
        chosen.append(SETTINGS.arguments("orders").removeprefix(", "))
    made = f"{module}.{accountant}({', '.join(filter(None, chosen))})"
    lines = [EVENTS, f"from dp_accounting import {module}", "", f"a = {made}"]
    for step in query.steps:
        lines.append(f"a.compose({event(step)})")
    return lines


def ask_accountant(query, lines, says):
    if query.quantity == "delta":
        return Program(*lines, f"print(a.get_delta({shown(query.epsilon)}))", kinds="upper", says=says)
    return Program(*lines, f"print(a.get_epsilon({shown(query.delta)}))", kinds="upper", says=says)


def pld_accountant(query):
    says = (
        "an upper bound: PLDAccountant composes pessimistic distributions (from_*_mechanism with default "
        "pessimistic_estimate=True, 'gives an upper estimate to the real value')"
    )
    if query.quantity == "noise":
        make = f"lambda: pld.PLDAccountant({SETTINGS.arguments('value_discretization_interval').removeprefix(', ')})"
        return calibrate(query, make, "pld")
    query.needs("delta", "epsilon")
    if any(step.name == "zcdp" for step in query.steps):
        raise Unsupported("does not support zCDP in PLDAccountant")
    return ask_accountant(query, accountant_lines(query, "PLDAccountant", "pld"), says)


def calibrate(query, make, module):
    """Calibration of the noise multiplier by calibrate_dp_mechanism."""
    query.needs_worst()
    step = query.single("gaussian", "laplace", "poisson")
    inner = query.inner(step, "gaussian", "laplace") if step.name == "poisson" else step
    if inner.unknown not in ("sigma", "scale") or inner.sensitivity != 1:
        raise Unsupported("calibrates only noise multipliers")
    name = {"gaussian": "GaussianDpEvent", "laplace": "LaplaceDpEvent"}[inner.name]
    made = f"dp_accounting.{name}(noise)"
    if step.name == "poisson":
        made = f"dp_accounting.PoissonSampledDpEvent({shown(step.get('rate'))}, {made})"
    if step.times != 1:
        made = f"dp_accounting.SelfComposedDpEvent({made}, {step.times})"
    return Program(
        EVENTS,
        f"from dp_accounting import {module}",
        "",
        "print(dp_accounting.calibrate_dp_mechanism(",
        f"    {make}, lambda noise: {made},",
        f"    target_epsilon={shown(query.epsilon)}, target_delta={shown(query.delta)}))",
        kinds="upper",
        says="a noise multiplier that suffices: 'a value of the parameter within tol of the optimum subject to "
        "the privacy constraint' (docstring of mechanism_calibration.calibrate_dp_mechanism)",
    )


def rdp(query):
    says = (
        "an upper bound: 'the current epsilon, accounting for all composed DpEvents' (docstring of "
        "RdpAccountant.get_epsilon), converted by Proposition 12 of Canonne, Kamath, Steinke (rdp.compute_epsilon)"
    )
    if query.quantity == "noise":
        return calibrate(query, f"lambda: rdp.RdpAccountant({SETTINGS.arguments('orders').removeprefix(', ')})", "rdp")
    if any(step.name == "geometric" for step in query.steps):
        raise Unsupported("does not support the Renyi divergence of discrete Laplace noise")
    if query.quantity == "renyi":
        query.needs_worst()
        lines = accountant_lines(query, "RdpAccountant", "rdp")
        at = lines.index("")
        lines[at + 1] = lines[at + 1].replace("RdpAccountant(", f"RdpAccountant(orders=[{shown(query.order)}], ", 1)
        lines[at + 1] = lines[at + 1].replace(", )", ")")
        return Program(
            *lines,
            "print(a.rdp[0])",
            kinds="upper",
            says="an RDP guarantee: 'the current RDP values at each order' (docstring of RdpAccountant.rdp)",
        )
    query.needs("delta", "epsilon")
    query.needs_epsilon_from_zero()
    if any(step.name == "rdp" for step in query.steps):
        return conversion(query)
    return ask_accountant(query, accountant_lines(query, "RdpAccountant", "rdp"), says)


def conversion(query):
    step = query.once("rdp")
    orders, bounds = f"[{shown(step.get('order'))}]", f"[{shown(step.get('epsilon'))}]"
    other = "delta" if query.quantity == "epsilon" else "epsilon"
    return Program(
        "from dp_accounting import rdp",
        "",
        f"{query.quantity}, order = rdp.compute_{query.quantity}({orders}, {bounds}, {shown(query.at[other])})",
        f"print({query.quantity})",
        kinds="upper",
        says=f"an upper bound: 'Computes {query.quantity} given a list of RDP values and target {other}' "
        f"(docstring of rdp.compute_{query.quantity})",
    )


# Closed forms ----------------------------------------------------------------------


def closed_form(query):
    """gaussian_mechanism, and the hockey-stick divergences of privacy_loss_mechanism."""
    query.needs("delta", "epsilon", "noise")
    step = query.single("gaussian", "gdp", "laplace", "geometric", "discrete-gaussian", "poisson")
    if query.quantity == "delta":
        return single_delta(query, step)
    if step.name not in ("gaussian", "gdp"):
        raise Unsupported("supports closed forms of epsilon and of the noise only for Gaussians")
    if step.times != 1:
        raise Unsupported("supports closed forms only for single runs")
    if query.quantity == "noise":
        if step.unknown != "sigma" or step.sensitivity != 1:
            raise Unsupported("calibrates sigma only at sensitivity 1")
        ask = f"get_sigma_gaussian({shown(query.epsilon)}, {shown(query.delta)})"
    else:
        if step.name == "gaussian":
            sigma = quotient(step.get("sigma"), step.sensitivity, "sigma at sensitivity 1")
        else:
            sigma = quotient(1.0, step.get("mu"), "sigma = 1 / mu")
        ask = f"get_epsilon_gaussian({shown(sigma)}, {shown(query.delta)})"
    return Program(
        "from dp_accounting import gaussian_mechanism",
        "",
        f"print(gaussian_mechanism.{ask})",
        kinds="estimate",
        says="'exact conversion between epsilon, delta, and sigma', to a search tolerance of 1e-12 "
        "(docstring of gaussian_mechanism)",
    )


def single_delta(query, step):
    if step.times != 1:
        raise Unsupported("supports closed forms only for single runs")
    sampling, adjacencies = "", [""]
    if step.name == "poisson":
        rate = shown(step.get("rate"))
        step = query.inner(step, "gaussian", "laplace", "geometric", "discrete-gaussian")
        adjacencies = [
            f", sampling_prob={rate}, adjacency_type=plm.AdjacencyType.{way}" for way in ("REMOVE", "ADD")
        ]
    sensitivity = "" if step.sensitivity == 1 else f", sensitivity={shown(step.sensitivity)}"
    if step.name == "gaussian":
        made = f"GaussianPrivacyLoss({shown(step.get('sigma'))}{sensitivity}"
    elif step.name == "gdp":
        made = f"GaussianPrivacyLoss(1.0, sensitivity={shown(step.get('mu'))}"
    elif step.name == "laplace":
        made = f"LaplacePrivacyLoss({shown(step.get('scale'))}{sensitivity}"
    else:
        sensitivity = "" if step.sensitivity == 1 else f", sensitivity={step.whole_sensitivity()}"
        if step.name == "geometric":
            made = f"DiscreteLaplacePrivacyLoss({shown(step.get('epsilon'))}{sensitivity}"
        else:
            made = f"DiscreteGaussianPrivacyLoss({shown(discrete_sigma(step))}{sensitivity}"
    asked = [f"plm.{made}{way}).get_delta_for_epsilon({shown(query.epsilon)})" for way in adjacencies]
    return Program(
        "from dp_accounting.pld import privacy_loss_mechanism as plm",
        "",
        f"print({asked[0]})" if len(asked) == 1 else f"print(max({asked[0]},\n          {asked[1]}))",
        kinds="estimate",
        says="'the epsilon-hockey stick divergence of the mechanism', no bound is claimed "
        "(docstring of privacy_loss_mechanism.MonotonePrivacyLoss.get_delta_for_epsilon)",
    )


def advanced_composition(query):
    query.needs("epsilon")
    step = query.single("approx-dp", "randomized-response")
    at = f"{shown(step.get('epsilon'))}, {shown(step.get('delta', 0.0))}"
    return Program(
        "from dp_accounting.pld import accountant, common",
        "",
        f"parameters = common.DifferentialPrivacyParameters({at})",
        f"print(accountant.advanced_composition(parameters, {step.times}, {shown(query.delta)}))",
        kinds="upper",
        says="'total_epsilon such that, when applying the algorithm the given number of times, the result is "
        "still (total_epsilon, total_delta)-DP' (docstring of pld.accountant.advanced_composition)",
    )


if __name__ == "__main__":
    serve(
        "dp-accounting",
        {
            "pld": pld,
            "pld-vectorised": vectorised,
            "pld-accountant": pld_accountant,
            "rdp": rdp,
            "closed-form": closed_form,
            "advanced-composition": advanced_composition,
        },
        "https://github.com/google/differential-privacy/tree/main/python/dp_accounting",
        ["dp_accounting.pld.privacy_loss_distribution", "dp_accounting.pld.accountant", "dp_accounting.rdp"],
        settings=SETTINGS,
    )

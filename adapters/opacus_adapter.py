"""Meta's Opacus: the PRV, RDP and GDP accountants of DP-SGD.

Mapping. One run is a step of noise multiplier sigma / sensitivity at the sample rate; an
unsampled Gaussian has rate 1. A composition is the history of the accountant, set as in
`get_noise_multiplier` of the package (a thousand calls of `step` are equivalent).

`import opacus` imports torch, which the accountants do not use. opacus.accountants needs
only numpy and scipy, apart from one name in a type annotation. Without torch, this adapter
therefore imports opacus.accountants without running the __init__ of the package.
The printed calls are for a user with torch installed.
"""

import importlib.util
import sys
import types

from protocol import Program, Settings, Unsupported, orders, positive, quotient, serve, shown

ACCOUNTANTS = {"prv": "PRVAccountant", "rdp": "RDPAccountant", "gdp": "GaussianAccountant"}
#: Settings of `get_epsilon`; `get_noise_multiplier` passes them on.
CHOICES = {"prv": ("eps_error", "delta_error"), "rdp": ("alphas",), "gdp": ()}
SETTINGS = Settings(prv={"eps_error": positive, "delta_error": positive}, rdp={"alphas": orders})
SAYS = {
    "prv": "an upper bound: 'return upper bound as we want guarantee, not just estimate' "
    "(comment in PRVAccountant.get_epsilon)",
    "rdp": "an upper bound: RDPAccountant.get_epsilon, 'Return privacy budget (epsilon) expended so far', is the "
    "conversion of an RDP guarantee (docstring of analysis.rdp.get_privacy_spent)",
    "gdp": "an estimate: 'GDP accounting is experimental and can underestimate privacy expenditure' "
    "(warning of GaussianAccountant)",
}


def enter_without_torch():
    """Make opacus.accountants importable if torch is not installed."""
    if importlib.util.find_spec("torch") is not None:
        return
    package = types.ModuleType("opacus")
    package.__path__ = list(importlib.util.find_spec("opacus").submodule_search_locations)
    optimizers = types.ModuleType("opacus.optimizers")
    optimizers.DPOptimizer = object  # accountants/accountant.py names it in an annotation
    sys.modules.update({"opacus": package, "opacus.optimizers": optimizers})


def entry(step):
    """Return (noise multiplier, sample rate, steps), as in the history of an accountant."""
    rate = 1.0
    inner = step
    if step.name == "poisson":
        rate = step.get("rate")
        inner = step.of[0] if len(step.of) == 1 else None
        if inner is None or inner.times != 1:
            raise Unsupported("supports sampling only for a single Gaussian run")
    if inner.name == "gaussian":
        noise = quotient(inner.get("sigma"), inner.sensitivity, "one noise multiplier, sigma / sensitivity")
    elif inner.name == "gdp":
        noise = quotient(1.0, inner.get("mu"), "a noise multiplier, 1 / mu")
    else:
        raise Unsupported(f"supports Gaussians, not {inner.name}")
    return f"({shown(noise)}, {shown(rate)}, {step.times})"


def ask(kind):
    def api(query):
        query.needs_positive_delta()
        if query.quantity == "noise":
            return noise_multiplier(query, kind)
        if kind == "rdp" and query.quantity in ("renyi", "epsilon") and only_bounds(query):
            return conversion(query)
        if kind == "rdp" and query.quantity == "renyi":
            return renyi(query)
        if kind == "gdp" and query.quantity in ("delta", "epsilon") and query.steps[0].name == "gdp":
            return gaussian(query)
        query.needs("epsilon")
        history = ", ".join(entry(step) for step in query.steps)
        if kind == "gdp" and len(query.steps) > 1:
            raise Unsupported("supports only constant noise and rate in the GDP accountant")
        name = ACCOUNTANTS[kind]
        return Program(
            f"from opacus.accountants import {name}",
            "",
            f"accountant = {name}()",
            f"accountant.history = [{history}]  # noise multiplier, sample rate, steps",
            f"print(accountant.get_epsilon({shown(query.delta)}{SETTINGS.arguments(*CHOICES[kind])}))",
            kinds="estimate" if kind == "gdp" else "upper",
            says=SAYS[kind],
        )

    return api


def only_bounds(query):
    return len(query.steps) == 1 and query.steps[0].name == "rdp" and query.steps[0].times == 1


def conversion(query):
    query.needs("epsilon")
    step = query.steps[0]
    at = f"orders=[{shown(step.get('order'))}], rdp=[{shown(step.get('epsilon'))}], delta={shown(query.delta)}"
    return Program(
        "from opacus.accountants.analysis.rdp import get_privacy_spent",
        "",
        f"epsilon, order = get_privacy_spent({at})",
        "print(epsilon)",
        kinds="upper",
        says="an upper bound: 'Computes epsilon given a list of RDP values', by Theorem 21 of Balle et al. "
        "(docstring of analysis.rdp.get_privacy_spent)",
    )


def renyi(query):
    query.needs_worst()
    terms = []
    for step in query.steps:
        noise, rate, times = entry(step)[1:-1].split(", ")
        terms.append(f"compute_rdp(q={rate}, noise_multiplier={noise}, steps={times}, orders={shown(query.order)})")
    return Program(
        "from opacus.accountants.analysis.rdp import compute_rdp",
        "",
        f"print({' + '.join(terms)})",
        kinds="upper",
        says="'The RDP guarantees at all orders' (docstring of analysis.rdp.compute_rdp)",
    )


def gaussian(query):
    query.needs("delta", "epsilon")
    step = query.once("gdp")
    mu = shown(step.get("mu"))
    if query.quantity == "delta":
        call = f"gdp.delta_eps_mu(eps={shown(query.epsilon)}, mu={mu})"
        says = "'dual between mu-GDP and (epsilon, delta)-DP' (docstring of analysis.gdp.delta_eps_mu)"
    else:
        call = f"gdp.eps_from_mu(mu={mu}, delta={shown(query.delta)})"
        says = "'epsilon from mu given delta via inverse dual' (docstring of analysis.gdp.eps_from_mu)"
    return Program(
        "from opacus.accountants.analysis import gdp", "", f"print({call})", kinds="estimate", says=says
    )


def noise_multiplier(query, kind):
    rate, steps = query.noise_multiplier()
    return Program(
        "from opacus.accountants.utils import get_noise_multiplier",
        "",
        f"print(get_noise_multiplier(target_epsilon={shown(query.epsilon)}, target_delta={shown(query.delta)},",
        f"                           sample_rate={shown(rate)}, steps={steps}, accountant='{kind}'"
        f"{SETTINGS.arguments(*CHOICES[kind])}))",
        kinds="estimate" if kind == "gdp" else "upper",
        says="'The noise level sigma to ensure privacy budget of (target_epsilon, target_delta)' "
        "(docstring of get_noise_multiplier)",
    )


if __name__ == "__main__":
    enter_without_torch()
    serve(
        "opacus",
        {kind: ask(kind) for kind in ACCOUNTANTS},
        "https://opacus.ai/api/accounting/accountant.html",
        ["opacus.accountants", "opacus.accountants.utils"],
        settings=SETTINGS,
    )

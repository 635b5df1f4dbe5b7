"""Microsoft's prv-accountant: two-sided bounds by Fourier composition of privacy random variables.

Mapping. The accountant has no default errors. Unless settings change them, the adapter uses those
that its documentation recommends: eps_error 0.1 ("typically around 0.1"), delta_error
1e-3 * delta for an epsilon ("typically around 10^-3 * delta"), and 1e-10 for a delta, as in the
README. Laplace takes mu = sensitivity / scale. Randomized response is PureDPMechanism, black boxes
are ApproximateDPMechanism. For the subsampled Gaussian, the package has the direction from the
mixture to the plain Gaussian, and calls the result the epsilon of the mechanism.
"""

from protocol import Program, Settings, Unsupported, positive, quotient, serve, shown

ERRORS = {"eps_error": positive, "delta_error": positive}
SETTINGS = Settings(prv=ERRORS, dpsgd=ERRORS)
DOCUMENTATION = "https://github.com/microsoft/prv_accountant"


def variable(step):
    """Return the class of the privacy random variable of one run, and its constructor call."""
    if step.name == "poisson":
        inner = step.of[0] if len(step.of) == 1 else None
        if inner is None or inner.name != "gaussian" or inner.times != 1:
            raise Unsupported("supports sampling only for a single Gaussian run")
        noise = quotient(inner.get("sigma"), inner.sensitivity, "one noise multiplier, sigma / sensitivity")
        name = "PoissonSubsampledGaussianMechanism"
        return name, f"{name}(sampling_probability={shown(step.get('rate'))}, noise_multiplier={shown(noise)})"
    if step.name == "gaussian":
        sensitivity = "" if step.sensitivity == 1 else f", l2_sensitivity={shown(step.sensitivity)}"
        return "GaussianMechanism", f"GaussianMechanism(noise_multiplier={shown(step.get('sigma'))}{sensitivity})"
    if step.name == "gdp":
        return "GaussianMechanism", f"GaussianMechanism(noise_multiplier=1.0, l2_sensitivity={shown(step.get('mu'))})"
    if step.name == "laplace":
        mu = quotient(step.sensitivity, step.get("scale"), "mu = sensitivity / scale")
        return "LaplaceMechanism", f"LaplaceMechanism(mu={shown(mu)})"
    if step.name in ("approx-dp", "randomized-response"):
        delta = step.get("delta", 0.0)
        if delta == 0:
            return "PureDPMechanism", f"PureDPMechanism({shown(step.get('epsilon'))})"
        return "ApproximateDPMechanism", f"ApproximateDPMechanism({shown(step.get('epsilon'))}, {shown(delta)})"
    raise Unsupported(f"does not support {step.name}")


def prv(query):
    query.needs("delta", "epsilon")
    query.needs_positive_delta()
    made = [variable(step) for step in query.steps]
    names = ", ".join(sorted({name for name, _ in made}))
    times = [step.times for step in query.steps]
    if query.quantity == "epsilon":
        # the shortest decimal of delta / 1000 is what a user would type
        error, ask = shown(query.delta / 1000), f"compute_epsilon(delta={shown(query.delta)}"
    else:
        error, ask = "1e-10", f"compute_delta(epsilon={shown(query.epsilon)}"
    return Program(
        f"from prv_accountant import PRVAccountant, {names}",
        "",
        "accountant = PRVAccountant(",
        f"    prvs=[{', '.join(call for _, call in made)}],",
        f"    max_self_compositions={times}, eps_error={SETTINGS.get('eps_error', '0.1')}, "
        f"delta_error={SETTINGS.get('delta_error', error)})",
        f"lower, estimate, upper = accountant.{ask}, num_self_compositions={times})",
        "print(lower, estimate, upper)",
        kinds=("lower", "estimate", "upper"),
        says=f"two-sided: 'Return lower bound for {query.quantity}, estimate for {query.quantity} and upper bound for "
        f"{query.quantity}' (docstring of PRVAccountant.compute_{query.quantity})",
    )


def dpsgd(query):
    query.needs("epsilon", "noise")
    query.needs_positive_delta()
    step = query.single("poisson")
    inner = query.inner(step, "gaussian")
    rate = shown(step.get("rate"))
    if query.quantity == "noise":
        if inner.unknown != "sigma" or inner.sensitivity != 1:
            raise Unsupported("calibrates only the noise multiplier")
        return Program(
            "from prv_accountant.dpsgd import find_noise_multiplier",
            "",
            f"print(find_noise_multiplier(sampling_probability={rate}, num_steps={step.times},",
            f"                            target_epsilon={shown(query.epsilon)}, target_delta={shown(query.delta)}"
            f"{SETTINGS.arguments('eps_error')}))",
            kinds="estimate",
            says="'Find a noise multiplier that satisfies a given target epsilon', with 'eps_error: Error allowed for "
            f"final epsilon' of {SETTINGS.get('eps_error', '0.1')} (docstring of dpsgd.find_noise_multiplier)",
        )
    noise = quotient(inner.get("sigma"), inner.sensitivity, "one noise multiplier, sigma / sensitivity")
    return Program(
        "from prv_accountant.dpsgd import DPSGDAccountant",
        "",
        f"accountant = DPSGDAccountant(noise_multiplier={shown(noise)}, sampling_probability={rate},",
        f"                             max_steps={step.times}, "
        f"delta_error={SETTINGS.get('delta_error', shown(query.delta / 1000))}{SETTINGS.arguments('eps_error')})",
        f"lower, estimate, upper = accountant.compute_epsilon(delta={shown(query.delta)}, num_steps={step.times})",
        "print(lower, estimate, upper)",
        kinds=("lower", "estimate", "upper"),
        says="two-sided: 'Return lower bound for epsilon, estimate for epsilon and upper bound for epsilon' "
        "(docstring of DPSGDAccountant.compute_epsilon)",
    )


if __name__ == "__main__":
    modules = ["prv_accountant", "prv_accountant.dpsgd"]
    serve("prv-accountant", {"prv": prv, "dpsgd": dpsgd}, DOCUMENTATION, modules, settings=SETTINGS)

"""autodp: mechanisms, composition, and conversions among RDP, (epsilon, delta) and f-DP.

Mapping. The sigma or b of a mechanism is the noise divided by the sensitivity. Randomized response
takes the probability p = e^epsilon / (1 + e^epsilon) of the truth, rounded up, towards less noise. The
sigma of the discrete Gaussian is the root of sigma2. Subsampled Gaussians are
SubsampleGaussianMechanism (Poisson, add/remove). The api `afa` (Fourier accountant) evaluates them
for adding and for removing, as its documentation requires, and uses the larger value.
"""

from protocol import Program, Unsupported, quotient, root_below, serve, shown, truth_probability

PROVABLE = (
    "an upper bound: the package is to 'obtain provable DP guarantees' (its description); Mechanism.{} "
    "is computed from the RDP of the mechanism (docstrings of autodp_core.Mechanism)"
)
EXACT = "'tight direct computation of everything' (docstring of mechanism_zoo.ExactGaussianMechanism)"
FOURIER = "an estimate: numerical inversion of characteristic functions (docstring of transformer_zoo.ComposeAFA)"
ZOO = "from autodp import mechanism_zoo, transformer_zoo"


def sigma_of(step):
    if step.name == "gdp":
        return quotient(1.0, step.get("mu"), "sigma = 1 / mu")
    return quotient(step.get("sigma"), step.sensitivity, "one sigma, noise divided by sensitivity")


def mechanism(step, options=""):
    """Return the expression of one run."""
    if step.name in ("gaussian", "gdp"):
        return f"mechanism_zoo.GaussianMechanism(sigma={shown(sigma_of(step))}{options})"
    if step.name == "laplace":
        b = quotient(step.get("scale"), step.sensitivity, "one b, noise divided by sensitivity")
        return f"mechanism_zoo.LaplaceMechanism(b={shown(b)}{options})"
    if step.name == "randomized-response":
        return f"mechanism_zoo.RandresponseMechanism(p={shown(truth_probability(step.get('epsilon')))}{options})"
    if options:
        raise Unsupported(f"does not support the characteristic function of {step.name}")
    if step.name == "discrete-gaussian":
        sigma = step.parameters.get("sigma") or root_below(step.get("sigma2"))
        sigma = quotient(sigma, step.sensitivity, "one sigma, noise divided by sensitivity")
        return f"mechanism_zoo.DiscreteGaussianMechanism(sigma={shown(sigma)})"
    if step.name == "approx-dp" and step.get("delta", 0.0) == 0:
        return f"mechanism_zoo.PureDP_Mechanism(eps={shown(step.get('epsilon'))})"
    if step.name == "zcdp":
        return f"mechanism_zoo.zCDP_Mechanism(rho={shown(step.get('rho'))})"
    raise Unsupported(f"does not support {step.name}")


def subsampled(step):
    sigma = sigma_of(step.of[0]) if len(step.of) == 1 and step.of[0].times == 1 else None
    if sigma is None or step.of[0].name not in ("gaussian", "gdp"):
        raise Unsupported("supports sampling only for a single Gaussian run")
    rate = shown(step.get("rate"))
    return f"{{'prob': {rate}, 'sigma': {shown(sigma)}, 'coeff': {step.times}}}"


def composed(query):
    """Return lines that create the mechanism `m` of all steps."""
    if any(step.name == "poisson" for step in query.steps):
        step = query.single("poisson")
        return [ZOO, "", f"m = mechanism_zoo.SubsampleGaussianMechanism({subsampled(step)})"]
    made = [mechanism(step) for step in query.steps]
    if len(made) == 1 and query.steps[0].times == 1:
        return [ZOO, "", f"m = {made[0]}"]
    times = [step.times for step in query.steps]
    return [ZOO, "", f"m = transformer_zoo.Composition()([{', '.join(made)}], {times})"]


def rdp(query):
    query.needs("delta", "epsilon", "beta", "renyi")
    query.needs_epsilon_from_zero()
    if query.quantity in ("epsilon", "delta") and any(step.name == "rdp" for step in query.steps):
        return conversion(query)
    lines = composed(query)
    ask, kind = {
        "epsilon": (lambda: f"get_approxDP({shown(query.delta)})", "upper"),
        "delta": (lambda: f"get_approx_delta({shown(query.epsilon)})", "upper"),
        "renyi": (lambda: f"get_RDP({shown(query.order)})", "upper"),
        "beta": (lambda: f"get_fDP({shown(query.alpha)})", "lower"),
    }[query.quantity]
    says = PROVABLE.format(ask().split("(")[0])
    if kind == "lower":
        says = says.replace("an upper bound", "a lower bound of the type II error")
    return Program(*lines, f"print(m.{ask()})", kinds=kind, says=says)


def conversion(query):
    """A Renyi divergence that is known at one order and infinite at all others."""
    step = query.once("rdp")
    order, bound = shown(step.get("order")), shown(step.get("epsilon"))
    raise Unsupported(f"optimizes over all orders, and does not support a conversion from a single bound ({order}, {bound})")


def exact(query):
    query.needs("epsilon", "beta", "noise")
    steps = query.each("gaussian", "gdp")
    if query.quantity == "noise":
        return analytic_noise(query)
    made = [f"mechanism_zoo.ExactGaussianMechanism(sigma={shown(sigma_of(step))})" for step in steps]
    times = [step.times for step in steps]
    if times == [1]:
        line = f"m = {made[0]}"
    else:
        line = f"m = transformer_zoo.ComposeGaussian()([{', '.join(made)}], {times})"
    ask = f"get_approxDP({shown(query.delta)})" if query.quantity == "epsilon" else f"get_fDP({shown(query.alpha)})"
    return Program(ZOO, "", line, f"print(m.{ask})", kinds="estimate", says=EXACT)


def analytic_noise(query):
    step = query.once("gaussian")
    if step.unknown != "sigma" or step.sensitivity != 1:
        raise Unsupported("calibrates only sigma, at sensitivity 1")
    return Program(
        "from autodp import calibrator_zoo, mechanism_zoo",
        "",
        "calibrate = calibrator_zoo.ana_gaussian_calibrator()",
        f"m = calibrate(mechanism_zoo.ExactGaussianMechanism, {shown(query.epsilon)}, {shown(query.delta)})",
        "print(m.params['sigma'])",
        kinds="upper",
        says="a sigma that suffices: 'the standard deviation of Gaussian noise needed to achieve (epsilon,delta)-DP "
        "under global sensitivity 1' (docstring of calibrator_zoo.ana_gaussian_calibrator)",
    )


def calibrate(query):
    """The generic calibrator, with a wide search interval, which its documentation requires."""
    query.needs("noise")
    step = query.single("gaussian", "laplace", "poisson")
    inner = query.inner(step, "gaussian") if step.name == "poisson" else step
    if inner.unknown not in ("sigma", "scale") or inner.sensitivity != 1:
        raise Unsupported("calibrates only the noise, at sensitivity 1")
    at = f"{shown(query.epsilon)}, {shown(query.delta)}, bounds=[0, 100]"
    says = (
        "noise that suffices: 'choose parameters of a mechanism to achieve a pre-defined privacy guarantee' "
        "(docstring of calibrator_zoo)"
    )
    if step.name == "poisson" or (step.name == "gaussian" and step.times > 1):
        if step.name == "poisson":
            name, params = "SubsampleGaussianMechanism", f"{{'prob': {shown(step.get('rate'))}, 'sigma': None, 'coeff': {step.times}}}"
        else:
            name, params = "ComposedGaussianMechanism", f"{{'sigma': None, 'coeff': {step.times}}}"
        return Program(
            "from autodp import calibrator_zoo, mechanism_zoo",
            "",
            "calibrate = calibrator_zoo.generalized_eps_delta_calibrator()",
            f"m = calibrate(mechanism_zoo.{name}, {at},",
            f"              params={params}, para_name='sigma')",
            "print(m.params['sigma'])",
            kinds="upper",
            says=says,
        )
    if step.times != 1:
        raise Unsupported("calibrates only a single run")
    name, key = ("ExactGaussianMechanism", "sigma") if step.name == "gaussian" else ("LaplaceMechanism", "b")
    return Program(
        "from autodp import calibrator_zoo, mechanism_zoo",
        "",
        "calibrate = calibrator_zoo.eps_delta_calibrator()",
        f"m = calibrate(mechanism_zoo.{name}, {at})",
        f"print(m.params['{key}'])",
        kinds="upper",
        says=says,
    )


def afa(query):
    query.needs("epsilon", "delta")
    query.needs_positive_delta()
    ask = f"get_approxDP({shown(query.delta)})" if query.quantity == "epsilon" else f"get_approx_delta({shown(query.epsilon)})"
    if any(step.name == "poisson" for step in query.steps):
        params = subsampled(query.single("poisson"))
        ways = [
            f"mechanism_zoo.SubsampleGaussianMechanism({params}, phi_off=False, RDP_off=True, neighboring='{way}')"
            for way in ("add_only", "remove_only")
        ]
        return Program(
            ZOO, "", f"add = {ways[0]}", f"remove = {ways[1]}", f"print(max(add.{ask}, remove.{ask}))",
            kinds="estimate", says=FOURIER,
        )
    made = [mechanism(step, options=", phi_off=False") for step in query.steps]
    times = [step.times for step in query.steps]
    return Program(
        ZOO,
        "",
        f"m = transformer_zoo.ComposeAFA()([{', '.join(made)}], {times})",
        f"print(m.{ask})",
        kinds="estimate",
        says=FOURIER,
    )


if __name__ == "__main__":
    serve(
        "autodp",
        {"rdp": rdp, "exact": exact, "calibrate": calibrate, "afa": afa},
        "https://github.com/yuxiangw/autodp",
        ["autodp.mechanism_zoo", "autodp.transformer_zoo", "autodp.calibrator_zoo"],
    )

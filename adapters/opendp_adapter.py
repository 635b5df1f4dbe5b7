"""OpenDP: measurements, composition, and the conversions between privacy measures.

Mapping. The claim is that of the privacy map of the measurement. Gaussian noise, continuous or
discrete (make_gaussian on floats or ints; `scale` is sigma), is zCDP, converted to
(epsilon, delta) by make_zCDP_to_approxDP. Laplace and geometric noise and randomized response
are pure, and so are their compositions. Together with Gaussians, make_pureDP_to_zCDP converts them.
OpenDP rounds its noise to a grid finer than doubles, and its map accounts for that; the truth is
that of exact noise. Black boxes, and mechanisms with only a zCDP bound, are user measurements.
A geometric scale 1/epsilon and a probability of truth are rounded towards less noise.
"""

from fractions import Fraction
import math

from protocol import Program, Unsupported, root_below, serve, shown, truth_probability

IMPORT = "import opendp.prelude as dp"
MAP = "an upper bound: the privacy map of a measurement bounds its privacy loss (OpenDP user guide, Measurement)"
PROFILE = (
    "an upper bound: 'constructs a new output measurement where the output measure is casted from "
    "ZeroConcentratedDivergence to SmoothedMaxDivergence' (docstring of make_zCDP_to_approxDP)"
)
FLOATS = "dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)"
INTEGERS = "dp.atom_domain(T=int), dp.absolute_distance(T=int)"


def scale_below(epsilon):
    """Return the largest double scale with 1 / scale >= epsilon."""
    scale = 1.0 / epsilon
    while Fraction(scale) * Fraction(epsilon) > 1:
        scale = math.nextafter(scale, 0.0)
    return scale


def measurement(step, unknown=None):
    """Return the expression, whether it is zCDP, and the distance of neighbours."""
    distance = shown(step.sensitivity)
    if step.name == "gaussian":
        scale = unknown or shown(step.get("sigma"))
        return f"dp.m.make_gaussian({FLOATS}, scale={scale})", True, distance
    if step.name == "gdp":
        return f"dp.m.make_gaussian({FLOATS}, scale=1.0)", True, shown(step.get("mu"))
    if step.name == "discrete-gaussian":
        scale = unknown or shown(step.parameters.get("sigma") or root_below(step.get("sigma2")))
        return f"dp.m.make_gaussian({INTEGERS}, scale={scale})", True, str(step.whole_sensitivity())
    if step.name == "laplace":
        scale = unknown or shown(step.get("scale"))
        return f"dp.m.make_laplace({FLOATS}, scale={scale})", False, distance
    if step.name == "geometric":
        scale = shown(scale_below(step.get("epsilon")))
        return f"dp.m.make_geometric({INTEGERS}, scale={scale})", False, str(step.whole_sensitivity())
    if step.name == "randomized-response" and step.get("delta", 0.0) == 0:
        return f"dp.m.make_randomized_response_bool(prob={shown(truth_probability(step.get('epsilon')))})", False, "1"
    if step.name == "zcdp":
        return known("dp.zero_concentrated_divergence()", shown(step.get("rho"))), True, "1"
    raise Unsupported(f"does not support {step.name}")


def space(expression):
    """Return the input domain of a measurement: floats, integers, or otherwise bits."""
    return next((known for known in (FLOATS, INTEGERS) if known in expression), "bits")


def known(measure, loss):
    """Return a measurement of which only the privacy loss is known."""
    return (
        f"dp.m.make_user_measurement({INTEGERS}, {measure},\n"
        f"    function=lambda x: x, privacy_map=lambda d_in: {loss})"
    )


def boxes(query):
    """Compositions of black boxes."""
    steps = query.each("approx-dp")
    lines = [IMPORT, 'dp.enable_features("contrib", "honest-but-curious")', ""]
    names = []
    for i, step in enumerate(steps):
        loss = f"({shown(step.get('epsilon'))}, {shown(step.get('delta', 0.0))})"
        lines.append(f"m{i} = " + known("dp.fixed_smoothed_max_divergence()", loss))
        names.append(f"[m{i}] * {step.times}")
    lines.append(f"profile = dp.c.make_fixed_approxDP_to_approxDP(dp.c.make_composition({' + '.join(names)})).map(1)")
    return finish(query, lines, MAP)


def finish(query, lines, says):
    if query.quantity == "delta":
        lines.append(f"print(profile.delta({shown(query.epsilon)}))")
    else:
        lines.append(f"print(profile.epsilon({shown(query.delta)}))")
    return Program(*lines, kinds="upper", says=says)


def opendp(query):
    if query.quantity == "noise":
        return noise(query)
    query.needs("delta", "epsilon")
    query.needs_epsilon_from_zero()
    if all(step.name == "approx-dp" for step in query.steps):
        return boxes(query)
    made = [measurement(step) for step in query.steps]
    if len({distance for _, _, distance in made}) > 1:
        raise Unsupported("composes only measurements with the same distance")
    if len({space(expression) for expression, _, _ in made}) > 1:
        raise Unsupported("composes only measurements on the same domain: floats, integers, or bits")
    lines = [IMPORT, 'dp.enable_features("contrib", "honest-but-curious")', ""]
    concentrated = any(is_zcdp for _, is_zcdp, _ in made)
    names = []
    for i, ((expression, is_zcdp, _), step) in enumerate(zip(made, query.steps)):
        if concentrated and not is_zcdp:
            expression = f"dp.c.make_pureDP_to_zCDP({expression})"
        name = f"m{i}" if len(made) > 1 else "m"
        lines.append(f"{name} = {expression}")
        names.append(f"[{name}] * {step.times}" if step.times > 1 else f"[{name}]")
    whole = "m" if names == ["[m]"] else f"dp.c.make_composition({' + '.join(names)})"
    distance = made[0][2]
    if concentrated:
        lines.append(f"profile = dp.c.make_zCDP_to_approxDP({whole}).map({distance})")
        return finish(query, lines, PROFILE)
    if query.quantity == "delta":
        raise Unsupported("supports only pure epsilons of this, not deltas")
    return Program(*lines, f"print({whole}.map({distance}))", kinds="upper", says=MAP)


def noise(query):
    """Calibration by binary_search_param."""
    query.needs_worst()
    step = query.single("gaussian", "discrete-gaussian", "laplace")
    if step.unknown not in ("sigma", "sigma2", "scale"):
        raise Unsupported("calibrates only scales")
    expression, is_zcdp, distance = measurement(step, unknown="scale")
    if step.times > 1:
        expression = f"dp.c.make_composition([{expression}] * {step.times})"
    if is_zcdp:
        expression = f"dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP({expression}), delta={shown(query.delta)})"
        target = f"({shown(query.epsilon)}, {shown(query.delta)})"
    else:
        target = shown(query.epsilon)
    found = f"dp.binary_search_param(make, d_in={distance}, d_out={target}, T=float)"
    return Program(
        IMPORT,
        'dp.enable_features("contrib")',
        "",
        f"make = lambda scale: {expression}",
        f"print({found} ** 2)" if step.unknown == "sigma2" else f"print({found})",
        kinds="upper",
        says="a scale that suffices: 'optimizes ... subject to the chained relation being (d_in, d_out)-close' "
        "(docstring of binary_search_param)",
    )


if __name__ == "__main__":
    serve("opendp", {"opendp": opendp}, "https://docs.opendp.org/", ["opendp.prelude"])

"""delta(epsilon) of a composed Poisson-subsampled Gaussian in Arb balls: the quadrature of dpcert in a direct
implementation, with all aliases in the error (dpcert adds up the known part of them and needs half the nodes).

There are two variants. `bare` gets the contour, the steps and the numbers of nodes, and sums without bounding what it
leaves out; its time is a lower bound of the cost. `proven` chooses them by a-priori bounds and adds all four errors: aliases
and truncation of the outer sum, step and ends of the inner one. Rounding errors are in the balls.
"""

import math

import numpy as np
from flint import acb, arb, ctx


class Pair:
    """One step, sigma = 1: nodes and weights of the inner sum, shared by all points of the contour."""

    def __init__(self, rate, low, high, step):
        count = int((high - low) / step) + 1
        nodes = [arb(low) + j * arb(step) for j in range(count)]
        rest = 1 - rate
        scale = arb(step) / (2 * arb.pi()).sqrt()
        self.logs = [(rest + rate * ((2 * x - 1) / 2).exp()).log() for x in nodes]
        self.weights = [(-x * x / 2).exp() * scale for x in nodes]

    def moment(self, z):
        """K(z) = E w^z by the inner sum."""
        return sum((w * (z * l).exp() for w, l in zip(self.weights, self.logs)), acb(0))


def outer(pair, forward, contour, step, nodes, times, epsilon, inner_error):
    total = arb(0)
    for k in range(nodes):
        s = acb(arb(contour), k * step)
        z = 1 + s if forward else -s
        m = pair.moment(z)
        error = inner_error(k * step)
        if error:
            m += acb(arb(0, error), arb(0, error))
        f = (-s * epsilon).exp() * m**times / (s * (s + 1))
        total += f.real if k else f.real / 2
    return total * step / arb.pi()


# Real part, period and nodes that keep all aliases below 30 digits, for the coarsest inner sum that gives as many.
TOLD = {True: (3.956648588180542, 26.276763916015625, 163), False: (18.151004791259766, 5.1875457763671875, 54)}


def bare(times=1000, epsilon=1, bits=171):
    """Both directions, everything told, nothing proven but the rounding."""
    ctx.prec = bits
    rate = arb(1) / 100
    pair = Pair(rate, -13.0, 20.0, 0.125)
    return max(
        (outer(pair, forward, c, 2 * arb.pi() / arb(period), n, times, epsilon, lambda _: 0)
         for forward, (c, period, n) in TOLD.items()),
        key=float,
    )


def real_moment(pair, r):
    return float(pair.moment(acb(r)).real)


def power_bound(r, rate):
    """Coefficients of w^r <= a + b e^(r (2x - 1) / 2) on the line."""
    if r < 0:
        return (1 - rate) ** r, 0.0
    return 2**r * (1 - rate) ** r, 2**r * rate**r


def log_edge(real, imaginary, width, moment):
    """Log of the bound of the integral of |integrand| at distance `width` from the line, for sigma = 1."""
    value = width * width / 2 + abs(imaginary) * width + math.log(moment)
    return value if real >= 0 else value + abs(real) / 2 * math.log(2)


def inner_plan(real, most_imaginary, moment, digits):
    """Step so coarse that the inner error stays 10^-digits at the last node; the width by trial."""
    best = 0.0
    for i in range(1, 31):
        width = i * 0.05
        edge = log_edge(real, most_imaginary, width, moment)
        # 2 M / (e^(2 pi a / g) - 1) <= 10^-digits
        best = max(best, 2 * math.pi * width / (edge + math.log(2) + digits * math.log(10) + 0.1))
    return best


def inner_error(real, imaginary, moment, step):
    least = math.inf
    for i in range(1, 31):
        width = i * 0.05
        exponent = 2 * math.pi * width / step
        least = min(least, log_edge(real, imaginary, width, moment) + math.log(2) - exponent + 1e-9)
    return math.exp(least)


# The cells of the upper Riemann sum, and the modulus and the angle of w there, for each distance from the line.
EDGES = np.arange(-14 * 32, 22 * 32 + 1) / 32


def distances(rate):
    for i in range(1, 16):
        a = i / 10
        e = rate * np.exp((2 * EDGES - 1) / 2)
        re, im = 1 - rate + e * math.cos(a), e * math.sin(a)
        yield a, np.log(np.hypot(re, im)), np.arctan2(im, re)


def decay(real, imaginary, lines):
    """A bound of |M(c + iu)| that decreases in u: an upper Riemann sum of the modulus on a line at distance a.

    Modulus and angle grow with x; the Gaussian is largest at the end next to 0. In doubles: a proof would round upwards.
    """
    left, right = EDGES[:-1], EDGES[1:]
    gauss = -np.minimum(left**2, right**2) / 2
    best = math.inf
    for a, logs, angles in lines:
        power = np.maximum(real * logs[:-1], real * logs[1:])
        total = np.exp(gauss + a * a / 2 + power - imaginary * angles[:-1]).sum()
        best = min(best, total / 32 / math.sqrt(2 * math.pi) + math.exp(-30.0))
    return best


def direction(forward, rate, times, epsilon, digits):
    p = 1 / 100
    rough = Pair(rate, -13.0, 22.0, 0.125)
    log_moment = lambda c: math.log(real_moment(rough, 1 + c if forward else -c))
    exponent = lambda c: times * log_moment(c) - c * epsilon - math.log(c * (c + 1))
    # The minimum of a convex function, by golden sections.
    low, high, golden = 0.05, 40.0, (math.sqrt(5) - 1) / 2
    for _ in range(24):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if exponent(left) < exponent(right):
            high = right
        else:
            low = left
    contour = round((low + high) / 2, 3)
    size = exponent(contour)
    goal = size - digits * math.log(10)
    # Aliases: from the left at most e^(-c period), from the right through a second moment.
    period = 1.0
    while True:
        left = -contour * period
        right = min(
            times * log_moment(contour + d) - (contour + d) * epsilon - d * period for d in (0.5, 1, 2, 4, 6, 8, 10)
        )
        if max(left, right) < goal:
            break
        period *= 1.05
    step = 2 * math.pi / period
    real = 1 + contour if forward else -contour
    # Truncation: the first node behind which nothing counts.
    lines = list(distances(p))
    reach = step * 8
    tail = lambda u: -contour * epsilon + times * math.log(decay(real, u, lines)) - math.log(math.pi * (u - step))
    while tail(reach) > goal:
        reach *= 1.1
    nodes = int(reach / step) + 1
    moment = real_moment(rough, real) * 1.01
    inner_digits = digits + math.log10(times) + 3
    g = inner_plan(real, reach, moment, inner_digits)
    ends = 13.0 if forward else 16.0
    pair = Pair(rate, -ends, 22.0, g)
    # Ends of the inner sum: w^r against a Gaussian.
    a, b = power_bound(real, p)
    cut = 2 * a * math.exp(-ends * ends / 2) + b * math.exp(real * (real - 1) / 2 - (22.0 - max(real, 0)) ** 2 / 2)
    value = outer(
        pair, forward, contour, arb(step), nodes, times, epsilon,
        lambda u: inner_error(real, float(u), moment, g) + cut,
    )
    return value + arb(0, 4 * math.exp(goal))


def proven(times=1000, epsilon=1, digits=30):
    """Both directions, every error bounded."""
    ctx.prec = 180
    rate = arb(1) / 100
    return max((direction(forward, rate, times, epsilon, digits + 3) for forward in (True, False)), key=float)


if __name__ == "__main__":
    import time

    for work in (bare, proven):
        before = time.process_time()
        value = work()
        print(work.__name__, value.str(34), time.process_time() - before)

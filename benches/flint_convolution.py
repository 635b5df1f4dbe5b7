"""Distribution of the privacy loss of a census release with FLINT's integer polynomials: the convolution of dpcert's lattice.

Masses are integers in units of 2^-320. Equal noise is composed by repeated squaring on its own coarse lattice; then the two
laws with the shortest product are multiplied, on the lattice of both, until one is left. Between products the masses are
rounded back to 320 bits and ends that are zero are dropped. Only the multiplications are timed: no logarithm, no rounding, no
tail, no search for epsilon.
"""

import csv
import math
import time
from collections import Counter
from fractions import Fraction

import flint
import numpy as np
from flint import arb, ctx, fmpz_poly

BITS = 320


class Law:
    """Masses by place: (first + index) * stride."""

    def __init__(self, stride, first, masses):
        self.stride, self.first, self.masses = stride, first, masses

    def on(self, stride):
        """The same on a finer lattice."""
        ratio = self.stride // stride
        if ratio == 1:
            return self
        spread = [0] * ((len(self.masses) - 1) * ratio + 1)
        spread[::ratio] = self.masses
        return Law(stride, self.first * ratio, spread)


class Clock:
    seconds = 0.0
    last = 0.0

    def multiply(self, a, b):
        stride = math.gcd(a.stride, b.stride)
        same = a is b
        a, b = a.on(stride), b.on(stride)
        left = fmpz_poly(a.masses)
        right = left if same else fmpz_poly(b.masses)
        before = time.process_time()
        product = left * right
        self.last = time.process_time() - before
        self.seconds += self.last
        half = 1 << (BITS - 1)
        masses = [(int(m) + half) >> BITS for m in product.coeffs()]
        start = next(i for i, m in enumerate(masses) if m)
        end = next(i for i, m in enumerate(reversed(masses)) if m)
        return Law(stride, a.first + b.first + start, masses[start : len(masses) - end])


def one(numerator, unit):
    """The discrete Gaussian with sigma2 = unit / numerator; its loss is a multiple of numerator / unit."""
    ctx.prec = BITS + 64
    radius = int(math.sqrt(2 * math.log(2) * BITS * unit / numerator)) + 1
    half = [(-arb(j * j * numerator) / (2 * unit)).exp() for j in range(radius + 1)]
    total = half[0] + 2 * sum(half[1:], arb(0))
    scale = arb(2) ** BITS / total
    masses = [int((m * scale).mid().floor().unique_fmpz()) for m in half]
    return Law(numerator, -radius, masses[:0:-1] + masses)


def compose(path):
    """(law, seconds of all multiplications, seconds without the last)."""
    with open(path) as file:
        rows = Counter(Fraction(row["rho"]) for row in csv.DictReader(line for line in file if not line.startswith("#")))
    unit = math.lcm(*(rho.denominator for rho in rows))
    clock = Clock()
    laws = []
    for rho, count in rows.items():
        base, times, power = one(int(rho * unit), unit), 2 * count, None
        while times:
            if times & 1:
                power = base if power is None else clock.multiply(power, base)
            times >>= 1
            if times:
                base = clock.multiply(base, base)
        laws.append(power)

    def places(a, b):
        return (len(a.masses) * a.stride + len(b.masses) * b.stride) / math.gcd(a.stride, b.stride)

    while len(laws) > 1:
        i, j = min(
            ((i, j) for j in range(len(laws)) for i in range(j)), key=lambda pair: places(laws[pair[0]], laws[pair[1]])
        )
        b, a = laws.pop(j), laws.pop(i)
        laws.append(clock.multiply(a, b))
    return laws[0], clock.seconds, clock.seconds - clock.last


def profile(law, unit, epsilon):
    """delta(epsilon) of that law in double precision: enough to see that both programs composed the same thing."""
    # The loss is the noise over sigma2, beyond half of the variance of itself.
    places = (law.first + np.arange(len(law.masses))) * law.stride / unit
    masses = np.array([math.ldexp(float(mass), -BITS) for mass in law.masses])
    losses = places + masses @ places**2 / 2
    above = losses > epsilon
    return float(masses[above] @ -np.expm1(epsilon - losses[above]))


if __name__ == "__main__":
    law, seconds, without = compose("examples/census/dhc-persons-us.csv")
    print(flint.__FLINT_VERSION__, len(law.masses), profile(law, 10000, 24.4564939543939268111), seconds, without)

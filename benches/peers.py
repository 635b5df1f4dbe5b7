"""Time the workloads of benches/workloads.rs in python-flint and mpmath, in turn with dpcert, and write the table of ratios.

The machine may be noisy, so only ratios are reported. Each time is the smallest of several runs.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import flint
import mpmath
from flint import arb, arb_poly, ctx

ROUNDS = 3


def least_seconds(work, seconds=0.3):
    least, started, runs = float("inf"), time.perf_counter(), 0
    while runs < 1 or (time.perf_counter() - started < seconds and runs < 10_000):
        one = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - one)
        runs += 1
    return least


def arb_kov_delta(k, bits):
    """delta at epsilon 15 of k mechanisms of epsilon 0.1, by the recurrence of the terms."""
    ctx.prec = bits
    x = (arb(1) / 10).exp()
    big = arb(15).exp()
    last = (k - 150) // 2
    ratio_up, term, mirror, total = 1 / x, x**k, arb(1), arb(0)
    for l in range(last + 1):
        total += term - big * mirror
        term = term * (k - l) / (l + 1) * ratio_up
        mirror = mirror * (k - l) / (l + 1) * x
    return total / (1 + x) ** k


def mpmath_kov_tail(k, epsilon, digits, x):
    """The same with mpmath, from the far end, at any epsilon."""
    big = mpmath.exp(epsilon)
    step = mpmath.mpf(1) / 10
    last = int(mpmath.floor((k - epsilon / step) / 2))
    term, mirror, total = x**k, mpmath.mpf(1), mpmath.mpf(0)
    for l in range(last + 1):
        total += term - big * mirror
        term = term * (k - l) / (l + 1) / x
        mirror = mirror * (k - l) / (l + 1) * x
    return total / (1 + x) ** k


def mpmath_kov_delta(k, epsilon, digits):
    with mpmath.workdps(digits + 15):
        return mpmath_kov_tail(k, mpmath.mpf(epsilon), digits, mpmath.exp(mpmath.mpf(1) / 10))


def mpmath_kov_epsilon(k, delta, digits):
    """Plain bisection, as one would."""
    with mpmath.workdps(digits + 10):
        x = mpmath.exp(mpmath.mpf(1) / 10)
        low, high = mpmath.mpf(0), mpmath.mpf(k) / 10
        target = mpmath.mpf(delta)
        while high - low > mpmath.mpf(10) ** (1 - digits):
            middle = (low + high) / 2
            if mpmath_kov_tail(k, middle, digits, x) > target:
                low = middle
            else:
                high = middle
        return high


def arb_gaussian(mu, epsilon, bits):
    """delta = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), through erfc, raising bits until they are there."""
    goal = bits
    while True:
        ctx.prec = bits
        m, e = mu(), epsilon()
        root = arb(2).sqrt()
        value = ((e / m - m / 2) / root).erfc() / 2 - e.exp() * ((e / m + m / 2) / root).erfc() / 2
        if value.rel_accuracy_bits() >= goal:
            return value
        bits += 20


def mpmath_gaussian(digits):
    with mpmath.workdps(digits + 5):
        return mpmath.ncdf(mpmath.mpf(-1) / 2) - mpmath.e * mpmath.ncdf(mpmath.mpf(-3) / 2)


def arb_discrete_gaussian():
    """delta at epsilon 2 of 72 discrete Gaussians of sigma 10, by the power of a polynomial at 900 bits."""
    ctx.prec = 900
    radius = 360
    masses = [(-arb(j * j) / 200).exp() for j in range(-radius, radius + 1)]
    power = arb_poly(masses) ** 72
    coefficients = power.coeffs()
    total = sum(coefficients, arb(0))
    centre = 72 * radius
    above = sum(coefficients[centre + 200 - 36 + 1 :], arb(0)) / total
    below = sum(coefficients[centre + 200 + 36 + 1 :], arb(0)) / total
    return above - arb(2).exp() * below


PEERS = {
    ("kov-delta-1000", "python-flint"): lambda: arb_kov_delta(1000, 260),
    ("kov-delta-1000", "mpmath"): lambda: mpmath_kov_delta(1000, 15, 50),
    ("kov-delta-million", "mpmath"): lambda: mpmath_kov_delta(1_000_000, 15, 120),
    ("kov-delta-million-middle", "mpmath"): lambda: mpmath_kov_delta(1_000_000, 5500, 120),
    ("kov-epsilon-1000", "mpmath"): lambda: mpmath_kov_epsilon(1000, "1e-6", 65),
    ("gaussian-delta", "python-flint"): lambda: arb_gaussian(lambda: arb(1), lambda: arb(1), 170),
    ("gaussian-delta", "mpmath"): lambda: mpmath_gaussian(50),
    ("gaussian-delta-irrational", "python-flint"): lambda: arb_gaussian(
        lambda: arb(2).sqrt(), lambda: arb(3).log(), 170
    ),
    ("discrete-gaussian-72", "python-flint"): arb_discrete_gaussian,
}

GOALS = {
    ("kov-delta-1000", "python-flint"): ("KOV delta, epsilon0 = 0.1, k = 1000, epsilon = 15, 50 digits", 5),
    ("kov-delta-1000", "mpmath"): ("the same", None),
    ("kov-delta-million", "mpmath"): ("the same, k = 10^6, 120 digits", 20),
    ("kov-delta-million-middle", "mpmath"): ("the same, k = 10^6, epsilon = 5500, 120 digits", 20),
    ("kov-epsilon-1000", "mpmath"): ("KOV epsilon for delta = 1e-6, k = 1000, 65 digits; peer: bisection", 100),
    ("gaussian-delta", "python-flint"): ("Gaussian delta, mu = 1, epsilon = 1, 50 digits; peer: Arb's erfc", 1),
    ("gaussian-delta", "mpmath"): ("the same", None),
    ("gaussian-delta-irrational", "python-flint"): ("Gaussian delta, mu = sqrt 2, epsilon = ln 3, 50 digits", 1),
    ("discrete-gaussian-72", "python-flint"): (
        "discrete Gaussian, sigma = 10, 72-fold, 30 digits; peer: polynomial power at 900 bits",
        20,
    ),
}


def commit():
    """The measured commit, and whether files differ from it."""
    git = lambda *arguments: subprocess.check_output(["git", *arguments], text=True).strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":!benches/README.md")
    return git("rev-parse", "--short=10", "HEAD") + (" with uncommitted changes" if changed else "")


def table(ours, peers):
    lines = [
        "# Speed, side by side",
        "",
        "Written by `make bench-peers`. The programs do the same work in turn, in one run on one machine, and the shortest time",
        "of each counts. A ratio is the time of the other program over the time of dpcert: at 20, dpcert is 20 times as fast. The",
        "times of dpcert include the choice of a method and the proof of every digit. Answers of python-flint are also proven;",
        "those of mpmath are not.",
        "",
        f"Measured on commit {commit()}. Peers: python-flint {flint.__version__}, mpmath {mpmath.__version__}.",
        "",
        "| work | peer | ratio | goal |",
        "|---|---|---|---|",
    ]
    for (name, peer), (work, goal) in GOALS.items():
        ratio = peers[name, peer] / ours[name]
        lines.append(f"| {work} | {peer} | {ratio:.3g} | {goal if goal is not None else ''} |")
    lines += [
        "",
        "## Cost against digits",
        "",
        "The Gaussian profile at mu = 1, epsilon = 1, and at mu = sqrt 2, epsilon = ln 3. The first two columns are the time over",
        "the time for 15 digits. Those of python-flint are ratios as above.",
        "",
        "| digits | mu = 1 | mu = sqrt 2 | python-flint, mu = 1 | python-flint, mu = sqrt 2 |",
        "|---|---|---|---|---|",
    ]
    rational = "gaussian-delta-digits-"
    irrational = "gaussian-delta-irrational-digits-"
    for digits in [15, 50, 100, 300, 1000, 3000, 10_000]:
        cells = [ours[f"{name}{digits}"] / ours[f"{name}15"] for name in (rational, irrational)]
        cells += [peers[f"{name}{digits}"] / ours[f"{name}{digits}"] for name in (rational, irrational)]
        lines.append(f"| {digits} | " + " | ".join(f"{cell:.3g}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main(measure, target):
    ours, peers = {}, {}
    for turn in range(ROUNDS):
        print(f"round {turn + 1} of {ROUNDS}", file=sys.stderr)
        for name, seconds in json.loads(subprocess.check_output([measure])).items():
            ours[name] = min(seconds, ours.get(name, float("inf")))
        for key, work in PEERS.items():
            # Measure slow workloads once: noise is negligible for their ratios.
            if turn > 0 and peers[key] > 5:
                continue
            peers[key] = min(least_seconds(work), peers.get(key, float("inf")))
        for digits in [15, 50, 100, 300, 1000, 3000, 10_000]:
            bits = int(digits * 3.33) + 4
            for name, mu, epsilon in [
                ("gaussian-delta", lambda: arb(1), lambda: arb(1)),
                ("gaussian-delta-irrational", lambda: arb(2).sqrt(), lambda: arb(3).log()),
            ]:
                key = f"{name}-digits-{digits}"
                peers[key] = min(least_seconds(lambda: arb_gaussian(mu, epsilon, bits)), peers.get(key, float("inf")))
    # The second half is another program's.
    _, mark, rest = pathlib.Path(target).read_text().partition("\n## Compositions\n")
    beside = pathlib.Path(f"{target}.tmp")
    beside.write_text(table(ours, peers) + mark + rest)
    os.replace(beside, target)
    print(pathlib.Path(target).read_text())


if __name__ == "__main__":
    main(*sys.argv[1:])

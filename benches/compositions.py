"""Compare compositions in dpcert with other accountants; writes the second half of the table of ratios.

Times are processor seconds of all threads, so other load has little effect. dpcert runs as a command, so its start, parsing
and printing count as well; the other programs are measured without their imports. The programs run in turn.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import types
from importlib import metadata, util

import flint

import arb_quadrature
import flint_convolution
from peers import commit

ROUNDS = 3
MARK = "\n## Compositions\n"
# Start of the next section, which scripts/coverage.py writes.
NEXT = "\n<!-- coverage"
POISSON = "poisson(rate=0.01, gaussian(sigma=1))"
NUMERATORS = range(20, 92)
DIFFERENT = " * ".join(f"discrete-gaussian(sigma2=10000/{a})" for a in NUMERATORS)
DHC = "examples/census/dhc-persons-us.csv"


def kov(k):
    return " * ".join(f"approx-dp(epsilon={i}/100, delta=0)^{k // 20}" for i in range(1, 21))


def delta(mechanism, epsilon, digits, *more):
    return ["delta", mechanism, "--epsilon", str(epsilon), "--digits", str(digits), *more]


KOV_SIZES = [200, 400, 800, 1600, 3200]
KEPT = tempfile.TemporaryDirectory()
OUT = KEPT.name

OURS = {
    "poisson-1000": delta(f"{POISSON}^1000", 1, 30),
    "poisson-10000": delta(f"{POISSON}^10000", 1, 30),
    "poisson-1000000": delta(f"{POISSON}^1000000", 1, 30),
    "poisson-100-digits": delta(f"{POISSON}^1000", 1, 100),
    "poisson-epsilon": ["epsilon", f"{POISSON}^1000", "--delta", "1e-5", "--digits", "15"],
    "poisson-delta-15": delta(f"{POISSON}^1000", 1, 15),
    "pair": ["census", "pairs", "--only", "13,13", "--digits", "20", "--out", f"{OUT}/pairs.csv"],
    "tradeoff": ["census", "tradeoff", "13,13", "--points", "901", "--digits", "20", "--out", f"{OUT}/tradeoff.csv"],
    # 57 digits are what takes the lattice to 320 bits.
    "dhc": ["epsilon", f"@{DHC}", "--delta", "1e-10", "--digits", "57", "--method", "lattice", "--timeout", "600"],
    "dhc-auto": ["epsilon", f"@{DHC}", "--delta", "1e-10", "--digits", "57"],
    "different": delta(DIFFERENT, 1, 30),
    "kov": delta(kov(1000), 5, 30),
    **{f"kov-{k}": delta(kov(k), 5, 30) for k in KOV_SIZES},
}


def ours(program, arguments):
    """Processor seconds, and what was printed."""
    for name in ("pairs.csv", "tradeoff.csv"):
        pathlib.Path(OUT, name).unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, printed


def interval(printed):
    low, high = printed.split("in [")[1].split("]")[0].split(", ")
    return float(low), float(high)


def opacus_prv():
    """The PRV accountant alone: importing the whole package asks for torch, which accounting does not use."""
    root = pathlib.Path(util.find_spec("opacus").submodule_search_locations[0])
    for name in ("opacus", "opacus.accountants", "opacus.optimizers"):
        module = types.ModuleType(name)
        module.__path__ = [str(root / name.partition(".")[2])]
        sys.modules[name] = module
    sys.modules["opacus.optimizers"].DPOptimizer = object
    from opacus.accountants.prv import PRVAccountant

    def work():
        accountant = PRVAccountant()
        accountant.history = [(1.0, 0.01, 1000)]
        return accountant._get_dprv(eps_error=0.01, delta_error=1e-10).compute_delta_estimate(1.0)

    return work


def pld_poisson(steps=1000):
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_gaussian_mechanism(1.0, sampling_prob=0.01, value_discretization_interval=1e-4)
    return one.self_compose(steps).get_delta_for_epsilon(1.0)


def pld_different():
    from dp_accounting.pld import privacy_loss_distribution as pld

    whole = None
    for a in NUMERATORS:
        one = pld.from_discrete_gaussian_mechanism((10000 / a) ** 0.5)
        whole = one if whole is None else whole.compose(one)
    return whole.get_delta_for_epsilon(1.0)


def convolution(seconds):
    law, whole, without_last = flint_convolution.compose(DHC)
    seconds["convolution"], seconds["convolution-open"] = whole, without_last
    return law


def digits_right(value, truth):
    error = abs(value / truth - 1)
    return f"{max(error, 1e-16):.0e}"


def table(us, them, errors):
    def row(work, peer, ratio, goal):
        return f"| {work} | {peer} | {ratio} | {goal} |"

    def against(work, peer, key, other, goal):
        return row(work, peer, f"{them[other] / us[key]:.3g}", goal)

    def published(work, key, hours):
        return row(work, "published", f"{hours * 3600 / us[key]:.3g}", 1000)

    base = us["poisson-1000"]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("dp-accounting", "opacus", "python-flint"))
    lines = [
        "",
        "Also written by `make bench-peers`. Times are processor times of all threads of a dpcert command. They include the",
        "start, the choice of a method and of the worse direction, and the proof of every digit. The floating-point accountants",
        "are measured without their imports, and the relative errors of their answers are shown. Published times are from another",
        "machine.",
        "",
        f"Measured on commit {commit()}. Peers: {versions} (FLINT {flint.__FLINT_VERSION__}).",
        "",
        "| work | peer | ratio | goal |",
        "|---|---|---|---|",
        against(
            "Poisson-subsampled Gaussian, p = 0.01, sigma = 1, T = 1000: delta at 1, 30 digits",
            f"opacus, PRV, error {errors['prv']}", "poisson-1000", "prv", "above 1",
        ),
        against("the same", f"dp-accounting, PLD, error {errors['pld']}", "poisson-1000", "pld", 10),
        against(
            "the same; peer: the quadrature, including the search for contour and nodes, all errors bounded",
            "python-flint, balls", "poisson-1000", "arb", 50,
        ),
        against(
            "the same; peer: only the two double sums, with given contour and nodes, only rounding errors bounded",
            "python-flint, balls", "poisson-1000", "arb-bare", "",
        ),
        published("census pair (13, 13): 42 deltas, 20 digits; 0.37 hours", "pair", 0.37),
        published("the same pair: trade-off function at 901 thresholds, 20 digits; 0.29 hours", "tradeoff", 0.29),
        against(
            "DHC persons: epsilon for delta = 1e-10, lattice at 320 bits; peer: only the products of polynomials",
            "python-flint, fmpz_poly", "dhc", "convolution", 2,
        ),
        against("the same; peer: without the last product", "python-flint, fmpz_poly", "dhc", "convolution-open", ""),
        against("the same, dpcert with its default method", "python-flint, fmpz_poly", "dhc-auto", "convolution", ""),
        against(
            "72 different discrete Gaussians, sigma2 = 10000/20, ... 10000/91: delta at 1, 30 digits",
            f"dp-accounting, PLD, error {errors['different']}", "different", "different", 1,
        ),
        "",
        "Costs of dpcert alone, each over the cost of another query:",
        "",
        "| work | over | ratio | goal |",
        "|---|---|---|---|",
        row("p = 0.01, sigma = 1, T = 10^4, 30 digits", "T = 1000", f"{us['poisson-10000'] / base:.3g}", "about 1"),
        row("the same, T = 10^6", "T = 1000", f"{us['poisson-1000000'] / base:.3g}", "about 1"),
        row("100 digits, T = 1000", "30 digits", f"{us['poisson-100-digits'] / base:.3g}", "at most 6"),
        row(
            "epsilon for delta = 1e-5, T = 1000, 15 digits", "delta, 15 digits",
            f"{us['poisson-epsilon'] / us['poisson-delta-15']:.3g}", "at most 4",
        ),
        "",
        "Heterogeneous (epsilon, 0) mechanisms: epsilons 1/100, 2/100, ..., 20/100, each k/20 times, delta at 5, 30 digits. The",
        f"composition of k = 1000 takes {us['kov']:.2g} seconds. Cost against k, over the cost at k = {KOV_SIZES[0]}:",
        "",
        "| k | " + " | ".join(str(k) for k in KOV_SIZES) + " |",
        "|---|" + "---|" * len(KOV_SIZES),
        "| cost | " + " | ".join(f"{us[f'kov-{k}'] / us[f'kov-{KOV_SIZES[0]}']:.3g}" for k in KOV_SIZES) + " |",
        "",
        "`make bench-instructions` counts the instructions of 13 workloads under valgrind and compares them with",
        "`instructions.json`. It fails if a count grew by more than 5 per cent, and it is part of `make test-slow`.",
        "`make record-instructions` records new counts.",
        "",
        "Processor seconds of that run, for scale: "
        + ", ".join(f"{name} {seconds:.2g}" for name, seconds in us.items() if not name.startswith("kov-"))
        + "; peers: "
        + ", ".join(f"{name} {seconds:.2g}" for name, seconds in them.items())
        + ".",
    ]
    return "\n".join(lines) + "\n"


def main(program, target):
    peers = {
        "prv": opacus_prv(),
        "pld": pld_poisson,
        "arb-bare": arb_quadrature.bare,
        "arb": arb_quadrature.proven,
        "different": pld_different,
    }
    # Do not measure imports.
    import dp_accounting.pld.privacy_loss_distribution  # noqa: F401

    us, them, answers, printed = {}, {}, {}, {}
    for turn in range(ROUNDS):
        print(f"round {turn + 1} of {ROUNDS}", file=sys.stderr)
        for name, arguments in OURS.items():
            seconds, printed[name] = ours(program, arguments)
            us[name] = min(seconds, us.get(name, float("inf")))
        for name, work in peers.items():
            before = time.process_time()
            answers[name] = float(work())
            them[name] = min(time.process_time() - before, them.get(name, float("inf")))
        if turn < 2:
            parts = {}
            law = convolution(parts)
            for name, seconds in parts.items():
                them[name] = min(seconds, them.get(name, float("inf")))

    # Check that all programs computed the same value.
    truth, _ = interval(printed["poisson-1000"])
    for name in ("arb", "arb-bare"):
        assert abs(answers[name] / truth - 1) < 1e-12, name
    epsilon, _ = interval(printed["dhc"])
    assert abs(flint_convolution.profile(law, 10_000, epsilon) / 1e-10 - 1) < 1e-9
    errors = {name: digits_right(answers[name], truth) for name in ("prv", "pld")}
    errors["different"] = digits_right(answers["different"], interval(printed["different"])[0])

    kept, _, old = pathlib.Path(target).read_text().partition(MARK)
    _, mark, rest = old.partition(NEXT)
    beside = pathlib.Path(f"{target}.tmp")
    beside.write_text(kept + MARK + table(us, them, errors) + mark + rest)
    os.replace(beside, target)
    print(pathlib.Path(target).read_text())


if __name__ == "__main__":
    main(*sys.argv[1:])

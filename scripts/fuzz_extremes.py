#!/usr/bin/env python3
"""Run dpcert on queries with extreme parameters, and check that it keeps its limits of memory and time.

The value of an answer is not checked here; other tests do that. The queries are drawn from a seed, so failures can be
repeated.

usage: fuzz_extremes.py PROGRAM [--seconds N] [--seed N] [--timeout S] [--memory MB]
"""

import argparse
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

# Memory mapped before any computation, in MB: the program, its libraries and thread stacks.
BASE_MB = 150
# Factor for allocations of libraries, which the memory budget does not count.
SLACK = 1.5


def power(draw, low, high):
    """A number between two powers of ten, usually with few digits."""
    exponent = draw.uniform(low, high)
    mantissa = draw.choice(["1", "2", "3", "1.5", f"{draw.uniform(1, 9.99):.3f}", "7"])
    return f"{mantissa}e{math.floor(exponent)}"


def count(draw, high):
    """An integer of any size, often a boundary value."""
    if draw.random() < 0.2:
        return str(draw.choice([0, 1, 2, 2**16, 2**20, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63]))
    return str(int(10 ** draw.uniform(0, high)))


def epsilon(draw):
    if draw.random() < 0.3:
        return draw.choice(["ln(2)", "ln(3/2)", "ln(1e30)", "ln(1+1e-30)", "sqrt(2)", "0"])
    return power(draw, -40, 6)


def inner(draw):
    return draw.choice(
        [
            lambda: f"gaussian(sigma={power(draw, -20, 20)})",
            lambda: f"laplace(scale={power(draw, -20, 20)})",
            lambda: f"randomized-response(epsilon={epsilon(draw)})",
            lambda: f"discrete-gaussian(sigma2={power(draw, -40, 40)})",
            lambda: f"geometric(epsilon={epsilon(draw)}, sensitivity={count(draw, 7)})",
        ]
    )()


def factor(draw):
    text = draw.choice(
        [
            lambda: f"gaussian(sigma={power(draw, -20, 20)})",
            lambda: f"gdp(mu={power(draw, -20, 6)})",
            lambda: f"laplace(scale={power(draw, -20, 20)})",
            lambda: f"approx-dp(epsilon={epsilon(draw)}, delta={draw.choice(['0', '1', '1/2', power(draw, -300, -1)])})",
            lambda: f"randomized-response(epsilon={epsilon(draw)})",
            lambda: f"k-randomized-response(epsilon={epsilon(draw)}, categories={count(draw, 18)})",
            lambda: f"geometric(epsilon={epsilon(draw)}, sensitivity={count(draw, 18)})",
            lambda: f"staircase(epsilon={epsilon(draw)}, gamma={draw.choice(['1/2', '1e-30', '1/3'])}, "
            f"sensitivity={count(draw, 18)})",
            lambda: f"discrete-gaussian(sigma2={power(draw, -40, 40)}, sensitivity={count(draw, 18)})",
            lambda: f"finite(p=[{(p := power(draw, -30, -1))}, 1-{p}], q=[1/2, 1/2])",
            lambda: f"poisson(rate={draw.choice(['1/2', '1', power(draw, -20, -1)])}, {inner(draw)})",
        ]
    )()
    return text if draw.random() < 0.4 else f"{text}^{count(draw, 18)}"


def question(draw):
    mechanism = " * ".join(factor(draw) for _ in range(draw.choice([1, 1, 1, 2, 3])))
    signed = power(draw, -40, 20)
    rare = draw.choice(["0", "1", "1/2", power(draw, -400, -1), "1-1e-30"])
    ask = draw.choice(
        [
            ["delta", mechanism, "--epsilon", draw.choice(["0", "1", signed, "-" + signed])],
            ["epsilon", mechanism, "--delta", rare],
            ["beta", mechanism, "--alpha", rare],
            ["renyi", mechanism, "--order", draw.choice(["2", "1+1e-30", power(draw, 1, 20)])],
            ["divergence", draw.choice(["kl", "tv", "max", "chi2"]), mechanism],
            ["loss", mechanism, "--above", draw.choice(["0", "1", signed, "-" + signed])],
            ["loss", mechanism, "--quantile", draw.choice(["1/2", power(draw, -400, -1), "1-1e-30"]), "--under", "q"],
        ]
    )
    digits = draw.choice(["3", "15", "15", "40", "1000", "100000", "1000000"])
    return [*ask, "--digits", digits]


def run(program, arguments, timeout, memory):
    """Exit code, seconds, megabytes and output."""
    limit = (int((memory * SLACK + BASE_MB) * 4) + 2000) << 20

    def limited():
        # Far beyond the budget, so that a faulty program cannot exhaust the machine.
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as talk:
        started = time.monotonic()
        child = subprocess.Popen(
            [program, *arguments, "--json", "--timeout", str(timeout), "--max-memory", str(memory)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=talk, preexec_fn=limited,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        talk.seek(0)
        out.seek(0)
        said = talk.read(2000).decode(errors="replace") + out.read(2000).decode(errors="replace")
    return child.returncode, seconds, usage.ru_maxrss / 1024, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=2)
    parser.add_argument("--memory", type=int, default=300)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    allowed = options.timeout + max(1, options.timeout / 10)
    # Time outside the budget: the start of the program, and printing.
    allowed += 1
    ends, asked, faults = time.monotonic() + options.seconds, 0, 0
    outcomes = {}
    while time.monotonic() < ends:
        arguments = question(draw)
        code, seconds, megabytes, said = run(options.program, arguments, options.timeout, options.memory)
        asked += 1
        outcomes[code] = outcomes.get(code, 0) + 1
        wrong = []
        if code not in (0, 2, 3):
            wrong.append(f"exit code {code}")
        if "panicked" in said or "internal error" in said:
            wrong.append("a panic")
        if seconds > allowed:
            # Retry once, in case the machine was busy.
            code, seconds, _, _ = run(options.program, arguments, options.timeout, options.memory)
            if seconds > allowed:
                wrong.append(f"{seconds:.1f} s for a budget of {options.timeout} s")
        if megabytes > options.memory * SLACK + BASE_MB:
            wrong.append(f"{megabytes:.0f} MB for a budget of {options.memory} MB")
        if wrong:
            faults += 1
            print(f"{', '.join(wrong)}: dpcert {arguments}\n  {said[:300]}", flush=True)
    codes = ", ".join(f"{times} with exit code {code}" for code, times in sorted(outcomes.items()))
    print(f"{asked} queries ({codes}): {faults} failures", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compare the speed of the static program with the normal one: `static_cost.py STATIC NORMAL`.

Both run the same queries in turn. Prints the ratio of their processor times, the smallest of several runs of each. The
answers must be identical.
"""

import os
import resource
import subprocess
import sys

RUNS = 3
KOV = " * ".join(f"approx-dp(epsilon={i}/100, delta=0)^50" for i in range(1, 21))
DELTAS = ",".join(f"1e-{i}" for i in range(2, 12))
TRAINING = "poisson(rate=0.01, gaussian(sigma=1))^1000"
#: Queries that take long enough that the start of the program does not dominate.
QUESTIONS = {
    "sampled Gaussians, 200 digits": ["delta", TRAINING, "--epsilon", "1", "--digits", "200"],
    "ten epsilons of them": ["epsilon", TRAINING, "--delta", DELTAS, "--digits", "30"],
    "sampled Laplace noise": ["epsilon", "poisson(rate=1/100, laplace(scale=1))^300", "--delta", "1e-6", "--digits", "10"],
    "unlike steps": ["delta", KOV, "--epsilon", "5", "--digits", "300"],
    "a trade-off function": ["beta", TRAINING, "--alpha", "1/20", "--digits", "100"],
    "sampled discrete Gaussians": ["delta", "poisson(rate=1/10, discrete-gaussian(sigma2=4))^500", "--epsilon", "1"],
    "vectors of mixtures": ["vectors", "verify", "--only", "mixture-epsilon"],
    "calibrated noise": ["calibrate", "poisson(rate=256/60000, gaussian(sigma=?))^3516", "--epsilon", "1", "--delta", "1e-5"],
}


def used():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def asked(program, arguments):
    """The output, and the processor time in seconds."""
    before = used()
    run = subprocess.run([program, *arguments], capture_output=True, check=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})
    return run.stdout, used() - before


def main(static, normal):
    wrong = False
    for name, arguments in QUESTIONS.items():
        least = {}
        for _ in range(RUNS):
            said = {}
            for program in (static, normal):
                said[program], took = asked(program, arguments)
                least[program] = min(least.get(program, took), took)
        wrong |= said[static] != said[normal]
        print(f"{name:30} {least[static]:8.2f} s {least[normal]:8.2f} s {least[static] / least[normal]:8.2f}"
              f"{'' if said[static] == said[normal] else '  DIFFERENT ANSWER'}")
    sys.exit(wrong)


main(*sys.argv[1:])

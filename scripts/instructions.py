#!/usr/bin/env python3
"""Count the instructions of fixed workloads under callgrind and compare them with the recorded counts.

`instructions.py DPCERT` prints the ratio of each count to the recorded one and fails above 1.05; `--record` writes the
counts instead. A count does not depend on the load of the machine. It depends on the compiler, whose version is recorded:
with another version a count fails above 1.25. One thread runs, so that idle threads are not counted.

A short query runs 200 times in one `dpcert answer`, for two mechanisms in turn, so that no answer is cached.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

RECORD = pathlib.Path(__file__).parent.parent / "benches" / "instructions.json"
MOST, MOST_OF_ANOTHER_COMPILER = 1.05, 1.25
TIMES = 100
# A time limit that is never reached, even under valgrind.
TIME = ["--timeout", "86400"]

KOV = " * ".join(f"approx-dp(epsilon={i}/100, delta=0)^50" for i in range(1, 21))
COMMANDS = {
    "poisson-gaussian-1000": ["delta", "poisson(rate=0.01, gaussian(sigma=1))^1000", "--epsilon", "1", "--digits", "30"],
    "poisson-gaussian-1000-epsilon": ["epsilon", "poisson(rate=0.01, gaussian(sigma=1))^1000", "--delta", "1e-5", "--digits", "15"],
    "census-pair-13-13": ["census", "pairs", "--only", "13,13", "--digits", "20", "--threads", "1", "--out", "{scratch}/out"],
    "kov-heterogeneous-1000": ["delta", KOV, "--epsilon", "5", "--digits", "30"],
}
# Quantity, two mechanisms, point, digits.
QUESTIONS = {
    "gaussian": ("delta", ("gdp(mu=1)", "gdp(mu=1.001)"), {"epsilon": "1"}, 15),
    "gaussian-irrational": ("delta", ("gdp(mu=sqrt(2))", "gdp(mu=sqrt(3))"), {"epsilon": "ln(3)"}, 15),
    "gaussian-300-digits": ("delta", ("gdp(mu=1)", "gdp(mu=1.001)"), {"epsilon": "1"}, 300),
    "gaussian-epsilon": ("epsilon", ("gdp(mu=1)", "gdp(mu=1.001)"), {"delta": "1e-5"}, 15),
    "gaussian-renyi": ("renyi", ("gaussian(sigma=1)", "gaussian(sigma=1.001)"), {"order": "2"}, 15),
    "laplace": ("delta", ("laplace(scale=1)", "laplace(scale=1.001)"), {"epsilon": "1/2"}, 15),
    "response-100-exact": (
        "delta",
        ("randomized-response(epsilon=ln(3))^100", "randomized-response(epsilon=ln(3))^101"),
        {"epsilon": "ln(27)"},
        15,
    ),
    "kov-1000": ("delta", ("approx-dp(epsilon=0.1, delta=0)^1000", "approx-dp(epsilon=0.1, delta=0)^1001"), {"epsilon": "15"}, 50),
    "geometric-50": ("delta", ("geometric(epsilon=1/10)^50", "geometric(epsilon=1/10)^51"), {"epsilon": "1"}, 15),
}


def lines(name):
    quantity, mechanisms, at, digits = QUESTIONS[name]
    pair = [json.dumps({"quantity": quantity, "mechanism": m, "at": at, "digits": digits}) + "\n" for m in mechanisms]
    return "".join(pair * TIMES)


def count(dpcert, name):
    with tempfile.TemporaryDirectory() as scratch:
        command = ["answer"] if name in QUESTIONS else [part.replace("{scratch}", scratch) for part in COMMANDS[name]]
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/callgrind", dpcert, *command, *TIME],
            cwd=RECORD.parent.parent,
            env={**os.environ, "RAYON_NUM_THREADS": "1"},
            input=lines(name) if name in QUESTIONS else "",
            capture_output=True,
            text=True,
        )
    refs = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or refs is None:
        sys.exit(f"{name}: callgrind failed\n{run.stderr}\n{run.stdout[-2000:]}")
    return int(refs[1])


def install_valgrind():
    if shutil.which("valgrind"):
        return
    if not shutil.which("apt-get"):
        sys.exit("valgrind is missing: install it")
    print("installing valgrind", file=sys.stderr)
    as_root = [] if os.getuid() == 0 else ["sudo"]
    for command in (["update", "-qq"], ["install", "-y", "-qq", "valgrind"]):
        subprocess.run([*as_root, "apt-get", *command], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=True)


def main(dpcert, *options):
    install_valgrind()
    compiler = subprocess.check_output(["rustc", "--version"], text=True).strip()
    path = pathlib.Path(dpcert).resolve()
    names = [*COMMANDS, *QUESTIONS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(names, pool.map(lambda name: count(path, name), names)))
    if "--record" in options:
        beside = RECORD.with_suffix(".tmp")
        beside.write_text(json.dumps({"compiler": compiler, "counts": counts}, indent=2) + "\n")
        os.replace(beside, RECORD)
    recorded = json.loads(RECORD.read_text())
    most = MOST if recorded["compiler"] == compiler else MOST_OF_ANOTHER_COMPILER
    slower = []
    for name, instructions in counts.items():
        ratio = instructions / recorded["counts"][name]
        if ratio > most:
            slower.append(name)
        print(f"{name:30} {instructions:15,} instructions, {ratio:.3f} times the recorded count")
    if slower:
        sys.exit(f"more than {most} times the recorded instructions: {', '.join(slower)}; if intended, run `make record-instructions`")


if __name__ == "__main__":
    main(*sys.argv[1:])

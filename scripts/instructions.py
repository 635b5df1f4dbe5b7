#!/usr/bin/env python3
"""Count the instructions of three workloads under callgrind and compare them with those recorded.

`instructions.py DPCERT` prints the ratio of each to the recorded count and fails above 1.25; with `--record` it writes the
counts instead. Counts do not depend on what else the machine does, for there is time for everything; a little they depend on the processor, for GMP has its own
loops for each kind, and on the compiler. One thread, so that idle ones do not count.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).parent.parent / "benches" / "instructions.json"
KOV = " * ".join(f"approx-dp(epsilon={i}/100, delta=0)^50" for i in range(1, 21))
WORKLOADS = {
    "poisson-gaussian-1000": ["delta", "poisson(rate=0.01, gaussian(sigma=1))^1000", "--epsilon", "1", "--digits", "30"],
    "census-pair-13-13": ["census", "pairs", "--only", "13,13", "--digits", "20", "--threads", "1", "--out", "{scratch}/out"],
    "kov-heterogeneous-1000": ["delta", KOV, "--epsilon", "5", "--digits", "30"],
}
# No engine is ever cut off, however slow valgrind is on a busy machine.
TIME = ["--timeout", "86400"]
MOST = 1.25


def count(dpcert, name):
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            [
                *("valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/callgrind", dpcert),
                *(argument.replace("{scratch}", scratch) for argument in [*WORKLOADS[name], *TIME]),
            ],
            cwd=RECORD.parent.parent,
            env={**os.environ, "RAYON_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
    refs = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or refs is None:
        sys.exit(f"{name}: callgrind failed\n{run.stderr}")
    return int(refs[1])


def main(dpcert, *options):
    if shutil.which("valgrind") is None:
        sys.exit("please install valgrind")
    counts = {name: count(pathlib.Path(dpcert).resolve(), name) for name in WORKLOADS}
    if "--record" in options:
        beside = RECORD.with_suffix(".tmp")
        beside.write_text(json.dumps(counts, indent=2) + "\n")
        os.replace(beside, RECORD)
    recorded = json.loads(RECORD.read_text())
    slower = False
    for name, instructions in counts.items():
        ratio = instructions / recorded[name]
        slower |= ratio > MOST
        print(f"{name:30} {instructions:15,} instructions, {ratio:.3f} of the recorded{'  SLOWER' if ratio > MOST else ''}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])

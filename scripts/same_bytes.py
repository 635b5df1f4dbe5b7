#!/usr/bin/env python3
"""Ask 300 questions on an idle and on a busy machine, with two threads and with one, and compare the answers.

`same_bytes.py DPCERT` prints the number of questions and fails if a byte differs. The work limit is low, so that many questions
reach it. The digits that are proven by then must not depend on the clock.
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benches" / "coverage"))
import questions  # noqa: E402

SEED, COUNT = 11, 300
LIMITS = ["--work", "1e8", "--timeout", "3600"]
BUSY = 4


def line(question):
    return json.dumps({"quantity": question.quantity, "mechanism": question.mechanism, "at": {question.coordinate: question.point}})


def answers(dpcert, text, threads):
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    run = subprocess.run([dpcert, "answer", *LIMITS], input=text, capture_output=True, text=True, env=environment)
    # Exit code 3: some answers are proven to fewer digits than the default.
    if run.returncode not in (0, 3):
        sys.exit(f"dpcert answer ended with exit code {run.returncode}: {run.stderr[-2000:]}")
    return run.stdout.splitlines()


def main(dpcert):
    asked = [questions.drawn(SEED, number) for number in range(COUNT)]
    text = "".join(line(question) + "\n" for question in asked)
    path = pathlib.Path(dpcert).resolve()
    idle = answers(path, text, 2)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        loaded = answers(path, text, 1)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    if len(idle) != COUNT or len(loaded) != COUNT:
        sys.exit(f"{COUNT} questions, but {len(idle)} and {len(loaded)} answers")
    different = [(question, a, b) for question, a, b in zip(asked, idle, loaded) if a != b]
    for question, a, b in different:
        print(f"{question}\n  idle, two threads: {a}\n  busy, one thread:  {b}")
    if different:
        sys.exit(f"{len(different)} of {COUNT} answers depend on the load or on the number of threads")
    short = sum('"reason"' in answer for answer in idle)
    if short < COUNT // 50:
        sys.exit(f"only {short} questions reached a limit: lower the work limit")
    print(f"{COUNT} answers are the same, {short} of which ended at a limit")


if __name__ == "__main__":
    main(*sys.argv[1:])

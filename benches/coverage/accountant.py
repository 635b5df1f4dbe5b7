"""Run the same queries in dp-accounting (privacy loss distributions), through the adapter of audits and with its defaults.

`accountant.py` is a worker process. It reads queries as lines of JSON, in the protocol of `adapters/protocol.py`, and writes
answers with the processor time of all its threads. It loads Python and the package once, and computes one distribution
before the first query, so that it measures a running process. The time to load Python and the package is reported
separately.
"""

import json
import pathlib
import resource
import select
import subprocess
import sys
import time
from fractions import Fraction

from worker import Worker

ADAPTERS = pathlib.Path(__file__).resolve().parents[2] / "adapters"
MEMORY = 6 << 30
# Seconds to import everything, on a busy machine.
START = 300
WARM = {"mechanism": "gaussian", "times": 2, "parameters": {"sigma": "2"}, "of": []}


class Accountant(Worker):
    """The client of the worker."""

    def __init__(self, python, seconds):
        self.python, self.seconds = python, seconds
        self.worker = None
        # Processor time until the first question.
        self.start_seconds = None

    def start(self):
        self.worker = self.started(
            [self.python, __file__], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1"
        )
        ready = self._line(START)
        if ready is None:
            raise RuntimeError("the worker of dp-accounting does not start")
        self.start_seconds = ready["ready"]

    def ask(self, question):
        """The answer: `value` and `seconds`, or `unsupported`, or `error`."""
        if question.quantity not in ("delta", "epsilon"):
            return {"unsupported": f"does not offer {question.quantity}"}
        if self.worker is None:
            self.start()
        query = {
            "id": question.name,
            "quantity": question.quantity,
            "at": {question.coordinate: question.point},
            "parameters": question.steps,
        }
        try:
            self.tell(query)
            said = self._line(self.seconds)
        except BrokenPipeError:
            said = None
        except TimeoutError:
            self.end()
            return {"error": f"took more than {self.seconds} s", "seconds": self.seconds, "start": self.start_seconds}
        if said is None:
            code = self.worker.wait()
            self.end()
            return {"error": f"ended with code {code}"}
        return {**said, "start": self.start_seconds}

    def _line(self, seconds):
        """The next line, or None if the worker has ended."""
        if not select.select([self.worker.stdout], [], [], seconds)[0]:
            raise TimeoutError
        line = self.worker.stdout.readline()
        return json.loads(line) if line else None


def version(python):
    """The version of dp-accounting in the environment of this Python."""
    asking = "import importlib.metadata; print(importlib.metadata.version('dp-accounting'))"
    try:
        return subprocess.run([python, "-c", asking], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"{python} has no dp-accounting; scripts/accountant_venv.sh installs it")


def doubles(step):
    """The step with its parameters as the nearest doubles, as the protocol requires."""

    def nearest(text):
        return [nearest(t) for t in text] if isinstance(text, list) else float(Fraction(text)).hex()

    parameters = {key: nearest(text) for key, text in step["parameters"].items()}
    return {**step, "parameters": parameters, "of": [doubles(inner) for inner in step["of"]]}


def answer(query):
    import protocol
    from dp_accounting_adapter import pld

    try:
        query["parameters"] = [doubles(step) for step in query["parameters"]]
        program = pld(protocol.Query(query))
    except protocol.Unsupported as missing:
        return {"unsupported": str(missing)}
    # Forget the last query, so that it does not speed up this one. Imports are not measured.
    protocol.Made.last = None
    before = time.process_time()
    try:
        (value,) = program.run()
        said = {"value": protocol.written(value)}
    except Exception as fault:
        said = {"error": " ".join(f"{type(fault).__name__}: {fault}".split())[:300]}
    return {**said, "seconds": round(time.process_time() - before, 4)}


def serve():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.path.insert(0, str(ADAPTERS))
    import protocol
    from dp_accounting.pld import common, privacy_loss_distribution  # noqa: F401

    out = protocol.private_stdout()
    imported = time.process_time()
    answer({"id": "", "quantity": "delta", "at": {"epsilon": "1"}, "parameters": [WARM]})
    # The first distribution is not part of the start.
    print(json.dumps({"ready": round(imported, 4)}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    try:
        serve()
    except KeyboardInterrupt:
        sys.exit(130)

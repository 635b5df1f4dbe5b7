"""Run dpcert on one query within a limit of work, and count the proven digits of its answer.

An enclosure has d proven digits if its midpoint has a relative error of at most 10^-d for every value inside:
upper - lower <= 2 10^-d |upper|, computed in fractions from the printed decimals. If both ends are equal, the digits are
infinite. An answer with fewer digits than requested counts with its enclosure.
"""

import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
from fractions import Fraction

# Largest ratio of wall-clock time to processor time on a busy machine.
PATIENCE = 12
MEMORY = 8 << 30
EXACT = math.inf


def digits(lower, upper):
    """Proven digits of an enclosure of two fractions; 0 where the middle may be off by the whole."""
    if lower == upper:
        return EXACT
    size = 2 * max(abs(lower), abs(upper))
    d = 0
    while (upper - lower) * 10 ** (d + 1) <= size:
        d += 1
    return d


def enclosure(answer):
    """Both ends as fractions, or None if there are none or they are only the range of the quantity."""
    if "lower" not in answer or "upper" not in answer:
        return None
    try:
        lower, upper = Fraction(answer["lower"]), Fraction(answer["upper"])
    except (ValueError, TypeError):
        return None
    if answer["quantity"] != "epsilon" and lower <= 0 and upper >= 1:
        return None
    return lower, upper


def digits_of(answer):
    """Proven digits of an answer in JSON; None without a useful enclosure."""
    if answer.get("kind") == "infinite":
        return EXACT
    ends = enclosure(answer)
    return digits(*ends) if ends else None


def written(proven):
    """For the journal, whose JSON has no infinite numbers."""
    return "exact" if proven == EXACT else proven


class Asked:
    """The result of one run of the program."""

    def __init__(self, code, seconds, wall, printed, talk):
        self.code, self.seconds, self.wall = code, seconds, wall
        try:
            self.answer = json.loads(printed)
        except ValueError:
            self.answer = {}
        self.kind = self.answer.get("kind", "none")
        self.method = self.answer.get("method", "")
        self.enclosure = enclosure(self.answer)
        if self.killed:
            self.reason = "stopped at the limit of processor time"
        else:
            self.reason = self.answer.get("reason") or " ".join(talk.split())[:300]

    @property
    def killed(self):
        return self.code in (-signal.SIGXCPU, -signal.SIGKILL)

    @property
    def digits(self):
        return digits_of(self.answer)

    def record(self):
        """For the journal."""
        kept = {"code": self.code, "seconds": round(self.seconds, 4), "wall": round(self.wall, 4), "kind": self.kind}
        kept["digits"] = written(self.digits)
        for end in ("lower", "upper"):
            kept[end] = self.answer.get(end)
        return {**kept, "method": self.method, "reason": self.reason}


class Program:
    """The program, and its child processes, which end with this one."""

    def __init__(self, path, work, limit, without=()):
        self.path, self.work, self.limit = path, work, limit
        self.running, self.lock, self.stopped = set(), threading.Lock(), False
        self.digits_by_default = self._digits_by_default()
        # One thread: processor time is then the time of an idle machine.
        self.environment = {**os.environ, "RAYON_NUM_THREADS": "1", "DPCERT_WITHOUT": ",".join(without)}

    def _digits_by_default(self):
        """The default of `--digits` according to the help, if it is one number."""
        told = subprocess.run([self.path, "delta", "--help"], capture_output=True, text=True).stdout
        found = re.search(r"--digits <N>(?:(?!\n\s+--).)*?\[default: (\d+)\]", told, re.DOTALL)
        return int(found[1]) if found else None

    def ask(self, question, wanted=None):
        """Run the query. Its work is counted, so the answer does not depend on how busy the machine is."""
        arguments = [self.path, *question.arguments, "--json", "--work", self.work, "--timeout", str(PATIENCE * self.limit)]
        if wanted is not None:
            arguments += ["--digits", str(wanted)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as talk:
            started = time.monotonic()
            with self.lock:
                if self.stopped:
                    raise KeyboardInterrupt
                # A separate session, so that Ctrl-C does not reach the child directly.
                child = subprocess.Popen(
                    arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=talk, env=self.environment,
                    start_new_session=True,
                )
                self.running.add(child.pid)
            # Set limits after the start: code in the child before exec is unsafe with threads.
            for kind, most in [
                (resource.RLIMIT_CPU, (self.limit, self.limit + 1)),
                (resource.RLIMIT_AS, (MEMORY, MEMORY)),
                (resource.RLIMIT_CORE, (0, 0)),
            ]:
                try:
                    resource.prlimit(child.pid, kind, most)
                except ProcessLookupError:
                    pass
            overdue = threading.Timer(PATIENCE * self.limit + 60, os.kill, (child.pid, signal.SIGKILL))
            overdue.start()
            try:
                _, status, usage = os.wait4(child.pid, 0)
            finally:
                overdue.cancel()
                with self.lock:
                    self.running.discard(child.pid)
            wall = time.monotonic() - started
            child.returncode = os.waitstatus_to_exitcode(status)
            if self.stopped:
                raise KeyboardInterrupt
            out.seek(0)
            talk.seek(0)
            printed, said = out.read().decode(errors="replace"), talk.read(2000).decode(errors="replace")
        return Asked(child.returncode, usage.ru_utime + usage.ru_stime, wall, printed, said)

    def stop(self):
        """Kill the running children, and start no others."""
        with self.lock:
            self.stopped = True
            for pid in self.running:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

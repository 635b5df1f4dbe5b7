"""Run dpcert as one process, `dpcert answer`, to measure answers without its start.

The processor time of an answer is the difference of the process clock after and before it, which includes all threads, even
those that have ended. Each query is another composition, so that caches of the last one do not help.
"""

import json
import select
import time

from program import PATIENCE, digits_of, written
from worker import Worker

WARM = {"quantity": "delta", "mechanism": "gaussian(sigma=2)^2", "at": {"epsilon": "1"}}


def clock(pid):
    """The Linux id of the processor-time clock of another process."""
    return ~pid << 3 | 2


class Warm(Worker):
    """The client of the process."""

    def __init__(self, path, work, limit):
        self.path, self.work, self.patience = path, work, PATIENCE * limit
        self.worker = None

    def ask(self, question):
        """Processor seconds and proven digits of the answer; None if it is late."""
        if self.worker is None:
            self.start()
        said = self._asked({"quantity": question.quantity, "mechanism": question.mechanism, "at": {question.coordinate: question.point}})
        if said is None:
            self.end()
            return None
        seconds, answer = said
        return {"seconds": round(seconds, 6), "digits": written(digits_of(answer))}

    def start(self):
        self.worker = self.started([self.path, "answer", "--work", self.work, "--timeout", str(self.patience)], RAYON_NUM_THREADS="1")
        # Exclude the start, and the set-up for the first answer.
        self._asked(WARM)

    def _asked(self, line):
        worker = self.worker
        try:
            before = time.clock_gettime(clock(worker.pid))
            self.tell(line)
            ready = select.select([worker.stdout], [], [], self.patience)[0]
            printed = worker.stdout.readline() if ready else ""
            seconds = time.clock_gettime(clock(worker.pid)) - before
        except OSError:
            # The process has ended.
            return None
        return (seconds, json.loads(printed)) if printed else None

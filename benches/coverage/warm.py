"""dpcert as one process that reads questions and writes answers, `dpcert answer`: without its start, beside an accountant that is
warm as well.

The processor time of an answer is what the clock of the process shows more after it than before; so all threads count, those that
have ended too. Each question is another composition, so that nothing of the last one is of use.
"""

import json
import select
import time

from program import MARGIN, digits_of, written
from worker import Worker

# Seconds on a busy machine, for one of processor time.
PATIENCE = 12
WARM = {"quantity": "delta", "mechanism": "gaussian(sigma=2)^2", "at": {"epsilon": "1"}}


def clock(pid):
    """What names the clock of another process's processor time to the kernel of Linux."""
    return ~pid << 3 | 2


class Warm(Worker):
    """The process, seen from outside."""

    def __init__(self, path, limit):
        self.path, self.seconds = path, limit - MARGIN
        self.worker = None

    def ask(self, question):
        """The processor seconds of the answer, and how many digits it proves; nothing where there is no answer in time."""
        if self.worker is None:
            self.start()
        said = self._asked({"quantity": question.quantity, "mechanism": question.mechanism, "at": {question.coordinate: question.point}})
        if said is None:
            self.end()
            return None
        seconds, answer = said
        return {"seconds": round(seconds, 6), "digits": written(digits_of(answer))}

    def start(self):
        self.worker = self.started([self.path, "answer", "--timeout", f"{self.seconds:.1f}"], RAYON_NUM_THREADS="1")
        # Its start, and what is set up for the first answer, are no part of the others.
        self._asked(WARM)

    def _asked(self, line):
        worker = self.worker
        try:
            before = time.clock_gettime(clock(worker.pid))
            self.tell(line)
            ready = select.select([worker.stdout], [], [], PATIENCE * self.seconds)[0]
            printed = worker.stdout.readline() if ready else ""
            seconds = time.clock_gettime(clock(worker.pid)) - before
        except OSError:
            # It has ended: nobody reads, or its clock is gone.
            return None
        return (seconds, json.loads(printed)) if printed else None

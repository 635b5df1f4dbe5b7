"""A process that reads lines of JSON and writes lines of JSON, seen from outside."""

import contextlib
import json
import os
import subprocess


class Worker:
    """One that says nothing for too long is ended, and the next question starts another."""

    worker = None

    def started(self, command, **environment):
        """A process of its own session, with these variables beside those of this one."""
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )

    def tell(self, line):
        """One line. A process that has ended reads none: OSError."""
        self.worker.stdin.write(json.dumps(line) + "\n")
        self.worker.stdin.flush()

    def interrupt(self):
        """From another thread: whoever waits for an answer gets none."""
        worker = self.worker
        if worker is not None:
            worker.kill()

    def end(self):
        if self.worker is not None:
            self.worker.kill()
            self.worker.wait()
            with contextlib.suppress(BrokenPipeError):
                # What it did not read.
                self.worker.stdin.close()
            self.worker.stdout.close()
            self.worker = None

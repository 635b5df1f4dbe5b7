"""Client of a process that reads and writes lines of JSON."""

import contextlib
import json
import os
import subprocess


class Worker:
    """A worker that does not answer in time is killed, and the next query starts another."""

    worker = None

    def started(self, command, **environment):
        """Start the process in a new session, with additional environment variables."""
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )

    def tell(self, line):
        """Send one line. Raises OSError if the process has ended."""
        self.worker.stdin.write(json.dumps(line) + "\n")
        self.worker.stdin.flush()

    def interrupt(self):
        """Kill the worker from another thread; a waiting call then gets no answer."""
        worker = self.worker
        if worker is not None:
            worker.kill()

    def end(self):
        if self.worker is not None:
            self.worker.kill()
            self.worker.wait()
            with contextlib.suppress(BrokenPipeError):
                # Discard unread input.
                self.worker.stdin.close()
            self.worker.stdout.close()
            self.worker = None

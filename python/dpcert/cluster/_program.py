"""The program, for a worker: it ends when whoever started it is gone, by the end of its standard input."""

from __future__ import annotations

import os
import signal
import sys
import threading

from .._dpcert import run


def _watch() -> None:
    # Not by `sys.stdin`, whose lock this thread would hold when Python ends.
    while os.read(0, 1024):
        pass
    # An audit that is told so kills what it has started, and so does whoever inherits it if that takes no effect.
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_watch, daemon=True).start()
    code = run([sys.executable, "-m", "dpcert"], sys.argv[1:])
    # The thread waits for ever.
    os._exit(code)

"""The program as a worker starts it: it ends when its standard input closes, that is, when its parent process ends."""

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
    # On this signal an audit kills the processes that it started; its watcher does so if the audit does not.
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_watch, daemon=True).start()
    code = run([sys.executable, "-m", "dpcert"], sys.argv[1:])
    # The thread never ends, so a normal exit would block.
    os._exit(code)

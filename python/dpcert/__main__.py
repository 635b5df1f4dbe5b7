"""The command-line program: ``python -m dpcert``, or ``dpcert`` after installation."""

from __future__ import annotations

import signal
import sys

from ._dpcert import run

#: The command that restarts the program: an audit starts a watcher, which cleans up if the audit is killed.
_STARTED_BY = [sys.executable, "-m", "dpcert"]


def main() -> None:
    """Run the program with the arguments of the process, and exit with its exit code."""
    # The program handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(_STARTED_BY, sys.argv[1:]))


if __name__ == "__main__":
    main()

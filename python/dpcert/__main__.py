"""The program: ``python -m dpcert``, and the command ``dpcert`` that an installation has."""

from __future__ import annotations

import signal
import sys

from ._dpcert import run

#: What starts it again: an audit leaves somebody behind who cleans up if it is killed.
_STARTED_BY = [sys.executable, "-m", "dpcert"]


def main() -> None:
    """What the words after the program's name say; ends with the exit code."""
    # Ctrl-C is the program's: Python has nothing to say to it here.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(_STARTED_BY, sys.argv[1:]))


if __name__ == "__main__":
    main()

"""Certified differential-privacy accounting.

Compute privacy parameters of a mechanism, exactly or as proven enclosures:
    >>> import dpcert
    >>> a = dpcert.delta("poisson(rate=0.01, gaussian(sigma=1))^1000", epsilon=1, digits=30)
    >>> print(a)
    delta at epsilon = 1 of poisson(rate=1/100, gaussian(sigma=1))^1000
      in [0.002612420578626923815571174268811, 0.002612420578626923815571174268812]

Each number is exact, or a proven enclosure ``lower <= truth <= upper``. If neither can be proven, the answer has the reason.

Inputs are exact numbers. A string such as ``"0.1"``, a ``Fraction`` and a ``Decimal`` are taken as written. A float is taken
as the exact value of the double: ``0.1`` is 0.1000000000000000055511151231257827021181583404541015625, and the answer is
exact for that number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._answer import Answer, Answers, Calibrated, Trial
from ._ask import Session, ask, beta, calibrate, delta, divergence, epsilon, lines, loss, renyi, session
from ._check import Check, check
from ._dpcert import __version__
from ._mechanism import Mechanism, mechanism
from .errors import (
    Error,
    InputError,
    InternalError,
    ParseError,
    UndecidedError,
    UndefinedError,
    UnsupportedEventError,
)
from .mechanisms import *  # noqa: F403  one function for each mechanism, generated from the catalogue
from .mechanisms import __all__ as _MECHANISMS

if TYPE_CHECKING:
    from . import cluster
    from ._curve import Curve
    from .events import Description, from_dp_event, from_opacus

#: Names that are imported on first use.
_LATER = {
    "Curve": "._curve",
    "Description": ".events",
    "from_dp_event": ".events",
    "from_opacus": ".events",
    "cluster": ".cluster",
}

__all__ = [
    "Answer",
    "Answers",
    "Calibrated",
    "Check",
    "Error",
    "InputError",
    "InternalError",
    "Mechanism",
    "ParseError",
    "Session",
    "Trial",
    "UndecidedError",
    "UndefinedError",
    "UnsupportedEventError",
    "__version__",
    "ask",
    "beta",
    "calibrate",
    "check",
    "delta",
    "divergence",
    "epsilon",
    "lines",
    "loss",
    "mechanism",
    "renyi",
    "session",
    *_LATER,
    *_MECHANISMS,
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(f"module 'dpcert' has no attribute {name!r}")
    module = import_module(_LATER[name], __name__)
    value = module if name == "cluster" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _mind_forks() -> None:
    """Reset the extension module in forked children, which have none of their parent's threads."""
    import os

    from ._dpcert import forked

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)


_mind_forks()

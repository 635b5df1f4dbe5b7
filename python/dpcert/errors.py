"""What can go wrong, in the words of the command line."""

from __future__ import annotations

__all__ = ["Error", "InputError", "InternalError", "ParseError", "UndecidedError", "UndefinedError", "UnsupportedEventError"]


class Error(Exception):
    """Any of the below."""


class InputError(Error, ValueError):
    """What was asked makes no sense: a parameter outside of its domain, a number that is none."""


class ParseError(InputError):
    """A text that cannot be read."""

    #: Where the fault is, counted in characters from 1.
    column: int = 0
    #: Two lines: the text around the fault, and a caret below the place.
    caret: str = ""


class UndefinedError(Error, ArithmeticError):
    """There is no such number, for a hypothesis fails."""


class UndecidedError(Error, ArithmeticError):
    """No number was proven within the budget."""


class InternalError(Error, RuntimeError):
    """A mistake of dpcert itself, which noticed it; the text names the query to report."""


class UnsupportedEventError(Error, NotImplementedError):
    """A tree of events has one that is not read; the text has its path in the tree."""

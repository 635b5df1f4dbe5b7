"""Exceptions of the package. Their messages are those of the command line."""

from __future__ import annotations

__all__ = ["Error", "InputError", "InternalError", "ParseError", "UndecidedError", "UndefinedError", "UnsupportedEventError"]


class Error(Exception):
    """Base class of all exceptions of this package."""


class InputError(Error, ValueError):
    """The query is invalid, for example because a parameter is outside its domain."""


class ParseError(InputError):
    """A string cannot be parsed."""

    #: Position of the error, in characters from 1.
    column: int = 0
    #: Two lines: the text around the error, and a caret below its position.
    caret: str = ""


class UndefinedError(Error, ArithmeticError):
    """The number is not defined, because a hypothesis fails."""


class UndecidedError(Error, ArithmeticError):
    """No number was proven within the budget."""


class InternalError(Error, RuntimeError):
    """dpcert detected a bug in itself. The message names the query to report."""


class UnsupportedEventError(Error, NotImplementedError):
    """An event tree contains an unsupported event. The message has its path in the tree."""

"""What is taken as a number."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Sequence, Union
from numbers import Rational

#: A text in the language of constants (``"1/10"``, ``"ln(3/2)"``), an int, a Fraction or a Decimal is the number that it
#: says; a float, and a number of numpy or mpmath, the one that it is.
Number = Union[str, int, float, Rational, Decimal, Any]

#: A list of such numbers, or an array of one dimension.
Numbers = Union[Sequence[Number], Any]

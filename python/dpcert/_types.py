"""Types that are accepted as numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Sequence, Union
from numbers import Rational

#: A number. A string in the language of constants (``"1/10"``, ``"ln(3/2)"``), an int, a Fraction and a Decimal are taken as
#: written. A float and a number of numpy or mpmath are taken as their exact binary value.
Number = Union[str, int, float, Rational, Decimal, Any]

#: A list of numbers, or an array of one dimension.
Numbers = Union[Sequence[Number], Any]

"""Curves: a whole privacy profile or trade-off function."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import Any

from ._answer import Answers
from ._ask import TIMEOUT, Session
from ._dpcert import number
from ._mechanism import MechanismLike
from ._progress import together
from .errors import InputError

_KINDS = {"profile": ("epsilon", "delta"), "tradeoff": ("alpha", "beta")}
_MOST_POINTS = 100_001


class Curve:
    """Proven points of a curve, computed on first use.

    The plot joins the midpoints of the enclosures.

        >>> import dpcert
        >>> print(dpcert.Curve("randomized-response(epsilon=ln(3))", "tradeoff", points=3).table(3), end="")
        alpha,beta_lower,beta_upper
        0,1,1
        1/2,0.1666,0.1667
        1,0,0

    Args:
        of: a mechanism or an expression.
        kind: ``profile``, delta at epsilons from 0 to ``to``, or ``tradeoff``, type II error at type I errors from 0 to 1.
        to: largest epsilon of a profile.
        points: number of equidistant points, from 2 to 100001.
        progress: if true, show a progress bar; requires tqdm.
        timeout: hard stop of each point in seconds; None turns it off.
        options: other options of :class:`dpcert.Session`.

    Raises:
        InputError: if an argument is invalid.
    """

    def __init__(
        self,
        of: MechanismLike,
        kind: str = "profile",
        *,
        to: Any = 5,
        points: int = 101,
        progress: bool = False,
        timeout: float | None = TIMEOUT,
        **options: Any,
    ) -> None:
        if kind not in _KINDS:
            raise InputError(f"kind must be `profile` or `tradeoff`, not {kind!r}")
        if not isinstance(points, int) or not 2 <= points <= _MOST_POINTS:
            raise InputError(f"points must be an integer from 2 to {_MOST_POINTS}, not {' '.join(repr(points).split()):.60}")
        self.kind, self.names = kind, _KINDS[kind]
        self._session = Session(of, timeout=timeout, **options)
        self._progress = progress
        try:
            end = Fraction(number(to)) if kind == "profile" else Fraction(1)
        except ValueError:
            raise InputError("the last epsilon of a curve must be a rational number") from None
        if end <= 0:
            raise InputError(f"the last epsilon of a curve must be positive, not {end}")
        #: Arguments of the curve, exact.
        self.x: list[Fraction] = [end * index / (points - 1) for index in range(points)]
        self._answers: Answers | None = None

    @property
    def mechanism(self) -> Any:
        """The mechanism of the curve."""
        return self._session.mechanism

    @property
    def answers(self) -> Answers:
        """The answer at each point."""
        if self._answers is None:
            coordinate, quantity = self.names
            items = [
                self._session.ask(quantity, **{coordinate: x})
                for x in together(self.x, f"{quantity} along {coordinate}", self._progress)
            ]
            self._answers = Answers(items, (len(items),))
        return self._answers

    @property
    def f64_lower(self) -> Any:
        """Proven lower bounds as doubles."""
        return self.answers.f64_lower

    @property
    def f64_upper(self) -> Any:
        """Proven upper bounds as doubles."""
        return self.answers.f64_upper

    def table(self, digits: int = 15) -> str:
        """Return comma-separated values as ``dpcert curve`` prints them, with decimals rounded outward."""
        x, y = self.names
        rows = [f"{x},{y}_lower,{y}_upper"]
        for at, answer in zip(self.x, self.answers):
            rows.append(f"{at},{','.join(answer.decimals(digits + 1))}")
        return "\n".join(rows) + "\n"

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the curve with matplotlib, and return the axes.

        Args:
            ax: the axes to draw on; new ones by default.
            style: options of ``Axes.plot``.

        Raises:
            ImportError: if matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("plot requires matplotlib: pip install 'dpcert[plot]'") from None
        x, y = self.names
        if ax is None:
            ax = Figure(figsize=(6.4, 4.4), layout="constrained").subplots()
        middles = [(low + high) / 2 for low, high in zip(self.f64_lower, self.f64_upper)]
        if self.kind == "tradeoff":
            ax.plot([0, 1], [1, 0], color="0.8", linewidth=1)
        ax.plot([float(at) for at in self.x], middles, **style)
        # A curve computed from a guarantee is a bound, so the label says which.
        bound = next((answer.bound for answer in self.answers if answer.bound), None)
        ax.set(xlabel=x, ylabel=f"{y} ({bound} bound)" if bound else y, title=_short(str(self.mechanism)))
        ax.set_xlim(0, float(self.x[-1]))
        ax.set_ylim(0, None)
        return ax

    def _repr_png_(self) -> bytes | None:
        """Return the plot for a notebook; None without matplotlib."""
        from io import BytesIO

        try:
            figure = self.plot().figure
        except ImportError:
            return None
        picture = BytesIO()
        figure.savefig(picture, format="png", dpi=110)
        return picture.getvalue()

    def _repr_html_(self) -> str | None:
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return f"<pre>{escape(self.table(6))}</pre>"
        return None

    def __repr__(self) -> str:
        return f"<dpcert.Curve {self.kind} of {self.mechanism}, {len(self.x)} points>"


def _short(text: str) -> str:
    return text if len(text) <= 70 else text[:67] + "..."

"""Queries: one at a time, or many about one mechanism in a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _dpcert
from ._answer import Answer, Answers, Calibrated
from ._mechanism import Mechanism, MechanismLike, mechanism
from ._progress import ticking, together

#: Default time limit of one answer, in seconds; the same as on the command line.
TIMEOUT = 600.0

#: Largest number of points in one array.
MOST_TOGETHER = 1_000_000

#: Coordinate of the point of each quantity.
_COORDINATES = {
    "delta": "epsilon",
    "epsilon": "delta",
    "beta": "alpha",
    "renyi": "order",
    "true-positive-rate": "fpr",
    "bayes-risk": "prior",
    "conjugate": "slope",
    "cumulant": "order",
    "canonical-cdf": "x",
    "canonical-quantile": "p",
    "loss-above-p": "loss",
    "loss-above-q": "loss",
    "loss-up-to-p": "loss",
    "loss-up-to-q": "loss",
    "loss-quantile-p": "u",
    "loss-quantile-q": "u",
}


#: Quantities of a loss distribution, with the index of their argument in `loss` and their coordinate.
_LOSS = {"loss-above": (0, "loss"), "loss-up-to": (1, "loss"), "loss-quantile": (2, "u")}


#: Names of the Renyi divergences at the limits of the order.
_LIMITS = {"1": "kl", "1.0": "kl", "inf": "max"}


def _limit(at: list[tuple[str, Any]]) -> tuple[str, list[tuple[str, Any]]]:
    """Return the quantity and the point of a Renyi divergence; at a limit of the order, that of `kl` or `max`."""
    limit = _LIMITS.get(str(dict(at).get("order")))
    if limit is None:
        return "renyi", at
    return limit, [(name, value) for name, value in at if name != "order"]


def _direction(quantity: str) -> str:
    """Return the default direction. A loss distribution belongs to one direction, so it has no worst one."""
    return "forward" if quantity.startswith("loss-") else "worst"


class Session:
    """Queries about one mechanism, which share intermediate results.

    If a point is an array, the result is a :class:`dpcert.Answers` of the same shape. Threads may share a session.

        >>> import dpcert
        >>> with dpcert.session("gaussian(sigma=1)^10") as s:
        ...     [f"{float(answer):.6f}" for answer in s.epsilon(delta=["1e-5", "1e-6"])]
        ['17.856587', '19.423656']

    Args:
        of: a mechanism or an expression.
        digits: significant digits to prove; by default the digits that are cheap, 6 to 15.
        direction: ``worst``, ``forward`` or ``backward``; by default ``worst``, or ``forward`` for a loss distribution.
        method: ``auto``, or the only method to use.
        work: limit on the work of each answer in units of about two nanoseconds; by default 3e10, or 4e9 without ``digits``.
        timeout: hard stop of each answer in seconds; None turns it off.
        max_bits: limit of the working precision in bits.
        max_memory: memory limit of each answer in megabytes.

    Raises:
        InputError: if an argument is invalid.
    """

    __slots__ = ("mechanism", "_native", "_options", "_limits", "__weakref__")

    def __init__(
        self,
        of: MechanismLike,
        *,
        digits: int | None = None,
        direction: str | None = None,
        method: str = "auto",
        work: float | None = None,
        timeout: float | None = TIMEOUT,
        max_bits: int | None = None,
        max_memory: int | None = None,
    ) -> None:
        self.mechanism: Mechanism = mechanism(of)
        self._native: Any = _dpcert.Session(self.mechanism._composition, method)
        self._options = (digits, direction)
        self._limits = (timeout, max_bits, max_memory, work)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Discard the intermediate results. Later queries raise a ValueError."""
        self._native = None

    def delta(self, *, epsilon: Any, **options: Any) -> Any:
        """Return the privacy profile at epsilon. Options: see :meth:`ask`."""
        return self.ask("delta", epsilon=epsilon, **options)

    def epsilon(self, *, delta: Any, **options: Any) -> Any:
        """Return the smallest epsilon at least 0 at which the privacy profile is at most delta. Options: see :meth:`ask`."""
        return self.ask("epsilon", delta=delta, **options)

    def beta(self, *, alpha: Any, **options: Any) -> Any:
        """Return the trade-off function: the smallest type II error at type I error alpha. Options: see :meth:`ask`."""
        return self.ask("beta", alpha=alpha, **options)

    def renyi(self, *, order: Any, **options: Any) -> Any:
        """Return the Renyi divergence of this order, from 1 (``kl``) to ``inf`` (``max``). Options: see :meth:`ask`."""
        return self.ask("renyi", order=order, **options)

    def loss(
        self, *, above: Any = None, up_to: Any = None, quantile: Any = None, under: str = "p", **options: Any
    ) -> Any:
        """Return the distribution of the privacy loss; see :func:`dpcert.loss`."""
        given = [(name, at) for name, at in _LOSS.items() if (above, up_to, quantile)[at[0]] is not None]
        if len(given) != 1 or under not in ("p", "q"):
            from .errors import InputError

            raise InputError("loss takes exactly one of above, up_to and quantile, and under='p' or under='q'")
        name, (place, coordinate) = given[0]
        return self.ask(f"{name}-{under}", **{coordinate: (above, up_to, quantile)[place]}, **options)

    def divergence(self, kind: str, **options: Any) -> Answer:
        """Return the divergence ``kl``, ``tv``, ``chi2`` or ``max``. Options: see :meth:`ask`."""
        return self.ask(kind, **options)

    def ask(
        self,
        quantity: str,
        *,
        digits: int | None = None,
        direction: str | None = None,
        id: str | None = None,  # noqa: A002  as in the JSON of questions
        progress: bool = False,
        **at: Any,
    ) -> Any:
        """Return any quantity by its name, at a point given by the name of its coordinate.

        Args:
            quantity: a name such as ``delta``, as in the JSON format.
            digits: significant digits to prove; by default those of the session.
            direction: ``worst``, ``forward`` or ``backward``; by default that of the session.
            id: an identifier, which is copied into the JSON of the answer.
            progress: if true, show a progress bar; requires tqdm.
            at: the point, such as ``epsilon=1``; a number or an array of numbers.

        Raises:
            InputError: if an argument is invalid.
            TypeError: if the point is not a number.
        """
        if self._native is None:
            raise ValueError("this session is closed")
        digits = self._options[0] if digits is None else digits
        how = (digits, direction or self._options[1] or _direction(quantity), id)
        for name, value in at.items():
            if type(value) not in _SCALARS and _is_array(value):
                return self._together(quantity, at, name, value, how, progress)
        if progress:
            with ticking(quantity, self._limits[0]) as tick:
                return self._one(quantity, list(at.items()), how, tick)
        return self._one(quantity, list(at.items()), how, None)

    def _one(self, quantity: str, at: list[tuple[str, Any]], how: tuple[Any, ...], tick: Any) -> Answer:
        if quantity == "renyi":
            quantity, at = _limit(at)
        digits, direction, name = how
        native, limits = self._native, self._limits
        answer = native.ask(quantity, at, digits, direction, limits, name, False, tick)
        return Answer(
            answer,
            lambda: native.ask(quantity, at, digits, direction, limits, name, True, None),
            self.mechanism.assumed,
        )

    def _together(
        self, quantity: str, at: dict[str, Any], name: str, values: Any, how: tuple[Any, ...], progress: bool
    ) -> Answers:
        items, shape = _flat(name, values)
        answers = []
        for index, item in enumerate(together(items, quantity, progress)):
            point = [(other, item if other == name else value) for other, value in at.items()]
            try:
                answers.append(self._one(quantity, point, how, None))
            except (TypeError, ValueError) as error:
                error.args = (f"{error} (at index {index} of {name})",)
                raise
        return Answers(answers, shape)


_SCALARS = frozenset({float, int, str})


def _is_array(value: Any) -> bool:
    if isinstance(value, (list, tuple, range)):
        return True
    if isinstance(value, (str, bytes, dict)) or hasattr(value, "_mpf_"):
        return False
    return bool(getattr(value, "ndim", 0)) or (hasattr(value, "__iter__") and not hasattr(value, "ndim"))


def _flat(name: str, values: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Return the numbers in row-major order, and the shape of the array."""
    size = getattr(values, "size", None)
    if callable(size) or size is None:
        size = len(values) if hasattr(values, "__len__") else None
    if size is not None and size > MOST_TOGETHER:
        raise ValueError(f"{name} has {size} values: pass at most {MOST_TOGETHER}, or use dpcert.cluster")
    if hasattr(values, "ravel") and hasattr(values, "shape"):
        return values.ravel().tolist(), tuple(values.shape)
    items = []
    for item in values:
        if len(items) == MOST_TOGETHER:
            raise ValueError(f"{name} has more than {MOST_TOGETHER} values: pass at most {MOST_TOGETHER}, or use dpcert.cluster")
        items.append(item)
    return items, (len(items),)


def session(of: MechanismLike, **options: Any) -> Session:
    """Return a :class:`Session` of a mechanism or an expression. Options: those of :class:`Session`.

        >>> import dpcert
        >>> with dpcert.session("laplace(scale=2)", digits=6) as s:
        ...     s.delta(epsilon=0), s.delta(epsilon="1/4")
        (<dpcert.Answer in [0.2211992, 0.2211993]>, <dpcert.Answer in [0.117503, 0.1175031]>)
    """
    return Session(of, **options)


_OF_A_SESSION = ("digits", "direction", "method", "work", "timeout", "max_bits", "max_memory")


def ask(quantity: str, of: MechanismLike, **options: Any) -> Any:
    """Return any quantity of a mechanism by its name, at a point given by the name of its coordinate.

    The names are those of the JSON format. They include quantities of an attacker, functionals of the trade-off function, the
    best Gaussian guarantee and canonical noise.

        >>> import dpcert
        >>> round(dpcert.ask("true-positive-rate", "gaussian(sigma=1)^10", fpr="1/1000", digits=6).f64_lower, 5)
        0.52872

    Args:
        quantity: a name such as ``delta`` or ``kl``.
        of: a mechanism or an expression.
        options: the point, such as ``epsilon=1`` (a number or an array of numbers); ``progress=True`` for a progress bar; and
            the options ``digits``, ``direction``, ``method``, ``work`` (units), ``timeout`` (seconds), ``max_bits`` and
            ``max_memory`` (megabytes) of :class:`Session`.

    Raises:
        InputError: if an argument is invalid.
        TypeError: if the point is not a number.
    """
    own = {name: options.pop(name) for name in _OF_A_SESSION if name in options}
    return Session(of, **own).ask(quantity, **options)


def delta(of: MechanismLike, *, epsilon: Any, **options: Any) -> Any:
    """Return the privacy profile at epsilon: the hockey-stick divergence at e^epsilon. Options: see :func:`ask`.

        >>> import dpcert
        >>> dpcert.delta("approx-dp(epsilon=ln(3/2), delta=1/10)^4", epsilon=0).exact
        Fraction(84079, 156250)
    """
    return ask("delta", of, epsilon=epsilon, **options)


def epsilon(of: MechanismLike, *, delta: Any, **options: Any) -> Any:
    """Return the smallest epsilon at least 0 at which the privacy profile is at most delta. Options: see :func:`ask`.

        >>> import dpcert
        >>> dpcert.epsilon("gaussian(sigma=2)", delta="1e-5", digits=6)
        <dpcert.Answer in [1.993091, 1.993092]>
    """
    return ask("epsilon", of, delta=delta, **options)


def beta(of: MechanismLike, *, alpha: Any, **options: Any) -> Any:
    """Return the trade-off function: the smallest type II error at type I error alpha. Options: see :func:`ask`.

        >>> import dpcert
        >>> dpcert.beta("randomized-response(epsilon=ln(3))", alpha="1/2").exact
        Fraction(1, 6)
    """
    return ask("beta", of, alpha=alpha, **options)


def renyi(of: MechanismLike, *, order: Any, **options: Any) -> Any:
    """Return the Renyi divergence of an order from 1 (``kl``) to ``inf`` (``max``). Options: see :func:`ask`.

        >>> import dpcert
        >>> dpcert.renyi("gaussian(sigma=2)", order=4).exact
        Fraction(1, 2)
    """
    return ask("renyi", of, order=order, **options)


def loss(
    of: MechanismLike, *, above: Any = None, up_to: Any = None, quantile: Any = None, under: str = "p", **options: Any
) -> Any:
    """Return a value of the distribution of the privacy loss L = ln(dP/dQ).

        >>> import dpcert
        >>> print(dpcert.loss("randomized-response(epsilon=ln(3))^2", above=0))
        P[privacy loss > 0] of randomized-response(epsilon=ln(3))^2, forward direction
          = 9/16
          = 0.5625

    Args:
        of: a mechanism or an expression.
        above: return the probability of L > above.
        up_to: return the probability of L <= up_to.
        quantile: return the smallest t at which the probability of L <= t is at least this.
        under: ``p`` or ``q``, the distribution of the output.
        options: see :func:`ask`. The direction is ``forward`` by default.
    """
    own = {name: options.pop(name) for name in _OF_A_SESSION if name in options}
    return Session(of, **own).loss(above=above, up_to=up_to, quantile=quantile, under=under, **options)


def divergence(of: MechanismLike, kind: str, **options: Any) -> Answer:
    """Return the divergence ``kl``, ``tv``, ``chi2`` or ``max``. Options: see :func:`ask`.

        >>> import dpcert
        >>> dpcert.divergence("gdp(mu=1)", "kl").exact
        Fraction(1, 2)
    """
    return ask(kind, of, **options)


def calibrate(
    template: str,
    *,
    epsilon: Any = None,
    delta: Any = None,
    alpha: Any = None,
    beta: Any = None,
    mu: Any = None,
    rho: Any = None,
    renyi: tuple[Any, Any] | None = None,
    digits: int | None = None,
    direction: str = "worst",
    method: str = "auto",
    work: float | None = None,
    timeout: float | None = TIMEOUT,
    max_bits: int | None = None,
    max_memory: int | None = None,
    progress: bool = False,
) -> Calibrated:
    """Return the value of the parameter marked ``?`` that just meets a target.

        >>> import dpcert
        >>> c = dpcert.calibrate("gaussian(sigma=?)^10", epsilon=1, delta="1e-5")
        >>> c.safe.value, c.parameter
        (11.797293077095894, 'sigma')

    Args:
        template: an expression with one ``?``.
        epsilon: with ``delta``: the target is a delta of at most ``delta`` at this epsilon.
        delta: see ``epsilon``.
        alpha: with ``beta``: the target is a type II error of at least ``beta`` at this type I error.
        beta: see ``alpha``.
        mu: the target is ``mu``-GDP.
        rho: the target is ``rho``-zCDP.
        renyi: ``(order, value)``; the target is a Renyi divergence of this order of at most this value.
        digits: significant digits to prove; by default the digits that are cheap.
        direction: ``worst``, ``forward`` or ``backward``.
        method: ``auto``, or the only method to use.
        work: limit on the work in units of about two nanoseconds; by default 3e10, or 4e9 without ``digits``.
        timeout: hard stop in seconds; None turns it off.
        max_bits: limit of the working precision in bits.
        max_memory: memory limit in megabytes.
        progress: if true, show a progress bar; requires tqdm.

    Raises:
        InputError: if an argument is invalid, or if there is not exactly one target.
        ParseError: if the template cannot be parsed.
    """
    targets = {
        "profile": (epsilon, delta),
        "tradeoff": (alpha, beta),
        "gdp": (mu, mu),
        "zcdp": (rho, rho),
        "renyi": renyi or (None, None),
    }
    given = {kind: target for kind, target in targets.items() if any(value is not None for value in target)}
    if len(given) != 1 or any(value is None for target in given.values() for value in target):
        from .errors import InputError

        raise InputError("name one target: epsilon and delta, alpha and beta, mu, rho, or renyi=(order, value)")
    [(kind, (at, level))] = given.items()
    limits = (timeout, max_bits, max_memory, work)
    with ticking("calibrate", None, progress) as told:
        native = _dpcert.calibrate(str(template), kind, at, level, digits, direction, method, limits, told)
    return Calibrated(native)


def lines(
    questions: Iterable[str],
    *,
    work: float | None = None,
    timeout: float | None = TIMEOUT,
    max_bits: int | None = None,
    max_memory: int | None = None,
    first: int = 1,
) -> list[str]:
    """Return the lines that ``dpcert answer`` prints for these queries, byte for byte.

        >>> import dpcert
        >>> dpcert.lines(['{"quantity": "kl", "mechanism": "gdp(mu=1"}'])[0][:18]
        '{"line":1,"error":'

    Args:
        questions: queries as lines of JSON.
        work: limit on the work of each answer in units of about two nanoseconds; by default 3e10, or 4e9 without ``digits``.
        timeout: hard stop of each answer in seconds; None turns it off.
        max_bits: limit of the working precision in bits.
        max_memory: memory limit of each answer in megabytes.
        first: line number of the first query, for error messages.
    """
    limits = (timeout, max_bits, max_memory, work)
    return [line for line, _ in _dpcert.lines(list(questions), limits, first)]

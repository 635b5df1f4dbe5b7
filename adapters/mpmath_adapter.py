"""The textbook formulas with mpmath at 50 digits, as people do who distrust doubles.

Numbers go in as mpf(double), exactly. 50 digits are kept of the result, which may be more
than are right; that is what is audited.
"""

from protocol import serve, shown
from textbook import Dialect, classic_noise, textbook


def mpf(value):
    return f"mpf({shown(value)})"


def written(value):
    """All the digits that print shows."""
    from mpmath import mpf, nstr

    return nstr(mpf(value), 50)


MPMATH = Dialect(
    imports=["from mpmath import binomial, erfinv, exp, findroot, log, mp, mpf, ncdf, sqrt"],
    cdf="ncdf",
    ppf="ppf",
    binomial="binomial",
    root=lambda function, low, high: f"findroot({function}, ({low}, {high}), solver='bisect')",
    number=mpf,
    written=written,
)
MPMATH.imports += ["mp.dps = 50", "def ppf(p):", "    return sqrt(2) * erfinv(2 * p - 1)"]

if __name__ == "__main__":
    serve(
        "mpmath",
        {"textbook": textbook(MPMATH), "classic-noise": lambda query: classic_noise(query, MPMATH)},
        "https://mpmath.org/doc/current/",
        ["mpmath"],
    )

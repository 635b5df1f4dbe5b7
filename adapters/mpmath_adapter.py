"""The textbook formulas with mpmath at 50 digits, as an alternative to doubles.

Inputs are mpf(double), which is exact. The result has 50 digits, not all of which need be
correct; the audit checks them.
"""

from protocol import serve, shown
from textbook import Dialect, classic_noise, textbook


def mpf(value):
    return f"mpf({shown(value)})"


def written(value):
    """Return all digits that print shows."""
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

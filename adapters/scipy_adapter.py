"""The textbook formulas in double precision with scipy, as found in code of papers and in notebooks.

scipy itself claims nothing. The claims are those of the formulas (see textbook.py), and the audit
checks their evaluation as printed.
"""

from protocol import serve
from textbook import Dialect, classic_noise, textbook

SCIPY = Dialect(
    imports=[
        "from math import exp, log, sqrt",
        "from scipy.optimize import brentq",
        "from scipy.special import comb",
        "from scipy.stats import norm",
    ],
    cdf="norm.cdf",
    ppf="norm.ppf",
    binomial="comb",
    root=lambda function, low, high: f"brentq({function}, {low}, {high})",
)

if __name__ == "__main__":
    serve(
        "scipy",
        {"textbook": textbook(SCIPY), "classic-noise": lambda query: classic_noise(query, SCIPY)},
        "https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.norm.html",
        ["scipy.optimize", "scipy.special", "scipy.stats"],
    )

"""gdpnum: a Gaussian-DP parameter for any privacy loss distribution, and trade-off functions.

Mapping. dp-accounting computes the distributions with its defaults. In api `mu` the claim
belongs to the mu that the package returns: the trade-off function of the mechanism is nowhere
below that of mu-GDP, as evaluated by gaussian_fdp of the package.
"""

from dp_accounting_adapter import distribution
from protocol import Program, serve, shown
from riskcal_adapter import accountant


def tradeoff(query):
    query.needs("beta")
    return Program(
        "from gdpnum import PLDConverter",
        *distribution(query),
        f"print(PLDConverter(d).get_beta({shown(query.alpha)}))",
        kinds="lower",
        says="'Evaluate the symmetrized tradeoff function' of a dominating pair, which is at most that of the mechanism "
        "(docstrings of PLDConverter.get_beta and of the module converter)",
    )


def mu(query):
    query.needs("beta")
    return Program(
        "from gdpnum import PLDConverter",
        "from gdpnum.converter import gaussian_fdp",
        *distribution(query),
        "mu = PLDConverter(d).get_mu()",
        f"print(gaussian_fdp(mu)({shown(query.alpha)}))",
        kinds="lower",
        says="'a pessimistic value for mu (i.e. so that f_mu <= T(P,Q))' (docstring of PLDConverter)",
    )


if __name__ == "__main__":
    apis = {"tradeoff": tradeoff, "mu": mu, "dpsgd": accountant("gdpnum.dpsgd")}
    modules = ["gdpnum.converter", "gdpnum.dpsgd", "dp_accounting.pld.privacy_loss_distribution"]
    serve("gdpnum", apis, "https://github.com/Felipe-Gomez/gdp-numeric", modules)

"""A complete adapter: delta of the Gaussian mechanism by the textbook formula, with only the standard library."""
import json
import sys
from math import erf, exp, sqrt


class Unsupported(Exception):
    """The adapter does not support the query. This does not count as a failure."""


def cdf(x):
    return (1 + erf(x / sqrt(2))) / 2


def delta(query):
    if query["quantity"] != "delta":
        raise Unsupported(f"does not support {query['quantity']}")
    if len(query["parameters"]) != 1 or query["parameters"][0]["mechanism"] != "gaussian":
        raise Unsupported("supports only one Gaussian mechanism, run several times")
    step = query["parameters"][0]  # runs `times` times
    numbers = {name: float.fromhex(text) for name, text in step["parameters"].items()}
    sigma, epsilon = numbers["sigma"], float.fromhex(query["at"]["epsilon"])
    mu = sqrt(step["times"]) * numbers.get("sensitivity", 1.0) / sigma
    claim = cdf(mu / 2 - epsilon / mu) - exp(epsilon) * cdf(-mu / 2 - epsilon / mu)
    return {"estimate": claim.hex(), "says": "an equality: Balle and Wang 2018, Theorem 8"}


for line in sys.stdin:
    query = json.loads(line)
    try:
        answer = delta(query)
    except Unsupported as missing:
        answer = {"unsupported": True, "says": str(missing)}
    except Exception as fault:  # the query is supported, so this is a failure; go on with the next query
        answer = {"error": f"{type(fault).__name__}: {fault}"}
    print(json.dumps({"id": query["id"], **answer}), flush=True)

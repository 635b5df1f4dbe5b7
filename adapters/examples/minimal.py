"""A whole adapter: delta of the Gaussian mechanism by the textbook, nothing imported but the standard library."""
import json
import sys
from math import erf, exp, sqrt


class Unsupported(Exception):
    """What is asked is not offered here: nothing has failed, and nothing is counted as a failure."""


def cdf(x):
    return (1 + erf(x / sqrt(2))) / 2


def delta(query):
    if query["quantity"] != "delta":
        raise Unsupported(f"offers no {query['quantity']}")
    if len(query["parameters"]) != 1 or query["parameters"][0]["mechanism"] != "gaussian":
        raise Unsupported("offers Gaussian mechanisms, all alike")
    step = query["parameters"][0]  # run `times` times
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
    except Exception as fault:  # it is offered, and went wrong: that is a failure, and the next question is asked
        answer = {"error": f"{type(fault).__name__}: {fault}"}
    print(json.dumps({"id": query["id"], **answer}), flush=True)

"""A whole adapter: delta of the Gaussian mechanism by the textbook, nothing imported but the standard library."""
import json
import sys
from math import erf, exp, sqrt


def cdf(x):
    return (1 + erf(x / sqrt(2))) / 2


def delta(query):
    (step,) = query["parameters"]  # one kind of mechanism, run `times` times
    if query["quantity"] != "delta" or step["mechanism"] != "gaussian":
        return {"unsupported": True}
    numbers = {name: float.fromhex(text) for name, text in step["parameters"].items()}
    sigma, epsilon = numbers["sigma"], float.fromhex(query["at"]["epsilon"])
    mu = sqrt(step["times"]) * numbers.get("sensitivity", 1.0) / sigma
    claim = cdf(mu / 2 - epsilon / mu) - exp(epsilon) * cdf(-mu / 2 - epsilon / mu)
    return {"estimate": claim.hex(), "says": "an equality: Balle and Wang 2018, Theorem 8"}


for line in sys.stdin:
    query = json.loads(line)
    try:
        answer = delta(query)
    except Exception as fault:  # whatever goes wrong is an answer too
        answer = {"error": f"{type(fault).__name__}: {fault}"}
    print(json.dumps({"id": query["id"], **answer}), flush=True)

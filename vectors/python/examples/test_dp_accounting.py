"""The vectors against dp-accounting's privacy loss distributions, which document their results as upper bounds."""

import functools

import pytest
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld

PLD = {
    "gaussian": lambda step: pld.from_gaussian_mechanism(step["sigma"], sensitivity=step["sensitivity"]),
    "laplace": lambda step: pld.from_laplace_mechanism(step["scale"], sensitivity=step["sensitivity"]),
    "approx-dp": lambda step: pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(step["epsilon"], step["delta"])
    ),
}


@pytest.mark.dpcert(quantity=["delta", "epsilon"], mechanism=list(PLD))
def test_pld(dpcert_query):
    parts = [PLD[step.mechanism](step).self_compose(step.times) for step in dpcert_query.steps]
    total = functools.reduce(lambda a, b: a.compose(b), parts)
    if dpcert_query.quantity == "delta":
        dpcert_query.upper(total.get_delta_for_epsilon(dpcert_query.epsilon))
    else:
        dpcert_query.upper(total.get_epsilon_for_delta(dpcert_query.delta))

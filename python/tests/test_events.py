"""Trees of events and histories."""

import math
from fractions import Fraction

import dp_accounting as dp
from dp_accounting.dp_event import DiscreteLaplaceDpEvent, MixtureOfGaussiansDpEvent, RepeatAndSelectDpEvent, ZCDpEvent
import pytest

import dpcert


def test_a_training_run():
    event = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.1)), 1000)
    m = dpcert.from_dp_event(dp.ComposedDpEvent([event, dp.GaussianDpEvent(20.0), dp.NoOpDpEvent()]))
    step = dpcert.poisson(rate=0.01, inner=dpcert.gaussian(sigma=1.1))
    assert m == step**1000 * dpcert.gaussian(sigma=20)
    # The mechanism and each answer list the assumptions.
    assert any("added or removed" in line for line in m.assumed) and any("Poisson" in line for line in m.assumed)
    answer = dpcert.epsilon(m**1, delta=1e-5, digits=6)
    assert answer.assumed == m.assumed and "assumed: neighbours differ" in str(answer)
    assert answer.json() == dpcert.epsilon(str(m), delta=1e-5, digits=6).json()


@pytest.mark.parametrize(
    ("event", "expression"),
    [
        (dp.LaplaceDpEvent(2.0), "laplace(scale=2)"),
        (DiscreteLaplaceDpEvent(0.5, 3), "geometric(epsilon=1/2, sensitivity=3)"),
        (dp.RandomizedResponseDpEvent(0.5, 4), "k-randomized-response(epsilon=ln(5), categories=4)"),
        (dp.RandomizedResponseDpEvent(1.0, 4), "k-randomized-response(epsilon=0, categories=4)"),
        (dp.RandomizedResponseDpEvent(0.0, 4), "approx-dp(epsilon=0, delta=1)"),
        (dp.RandomizedResponseDpEvent(0.0, 1), "gdp(mu=0)^0"),
        (dp.NonPrivateDpEvent(), "approx-dp(epsilon=0, delta=1)"),
        (dp.GaussianDpEvent(0.0), "approx-dp(epsilon=0, delta=1)"),
        (dp.NoOpDpEvent(), "gdp(mu=0)^0"),
        (dp.ComposedDpEvent([]), "gdp(mu=0)^0"),
        (dp.PoissonSampledDpEvent(0.25, dp.LaplaceDpEvent(1.0)), "poisson(rate=1/4, laplace(scale=1))"),
        (dp.PoissonSampledDpEvent(0.5, dp.PoissonSampledDpEvent(0.5, dp.GaussianDpEvent(1.0))), "poisson(rate=1/4, gaussian(sigma=1))"),
        (dp.PoissonSampledDpEvent(0.5, dp.NoOpDpEvent()), "gdp(mu=0)^0"),
        (dp.PoissonSampledDpEvent(0.5, dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 2)), "poisson(rate=1/2, gdp(mu=sqrt(2)))"),
        (
            dp.PoissonSampledDpEvent(0.5, dp.ComposedDpEvent([dp.GaussianDpEvent(1.0), dp.GaussianDpEvent(0.5), dp.NoOpDpEvent()])),
            "poisson(rate=1/2, gdp(mu=sqrt(5)))",
        ),
        (dp.PoissonSampledDpEvent(0.5, dp.SelfComposedDpEvent(dp.LaplaceDpEvent(1.0), 2)), "poisson(rate=1/2, laplace(scale=1)^2)"),
        (ZCDpEvent(0.5), "zcdp(rho=1/2)"),
        (ZCDpEvent(0.5, xi=0.25), "zcdp(rho=3/4)"),
        (dp.SelfComposedDpEvent(dp.ComposedDpEvent([ZCDpEvent(0.5), dp.GaussianDpEvent(2.0)]), 3), "zcdp(rho=1/2)^3 * gaussian(sigma=2)^3"),
        (MixtureOfGaussiansDpEvent(2.0, [0.0, 3.0], [0.75, 0.25]), "poisson(rate=1/4, gaussian(sigma=2, sensitivity=3))"),
        (MixtureOfGaussiansDpEvent(2.0, [3.0, 0.0, 3.0, 5.0], [0.125, 0.75, 0.125, 0.0]), "poisson(rate=1/4, gaussian(sigma=2, sensitivity=3))"),
        (MixtureOfGaussiansDpEvent(2.0, [3.0], [1.0]), "gaussian(sigma=2, sensitivity=3)"),
        (MixtureOfGaussiansDpEvent(0.0, [0.0, 3.0], [0.75, 0.25]), "poisson(rate=1/4, approx-dp(epsilon=0, delta=1))"),
        (MixtureOfGaussiansDpEvent(0.0, [0.0], [1.0]), "gdp(mu=0)^0"),
    ],
)
def test_events_become_expressions(event, expression):
    assert dpcert.from_dp_event(event) == dpcert.mechanism(expression)


@pytest.mark.parametrize(("p", "k"), [(0.5, 4), (0.25, 2), (0.125, 7)])
def test_randomised_response_is_the_one_that_dp_accounting_means(p, k):
    """By its own definition, from the probabilities of the answers."""
    own, other = 1 - Fraction(p) + Fraction(p) / k, Fraction(p) / k
    m = dpcert.from_dp_event(dp.RandomizedResponseDpEvent(p, k))
    assert dpcert.delta(m, epsilon=0).exact == own - other
    assert dpcert.ask("max", m).lower <= Fraction(math.log(own / other) + 1e-12)
    assert "replaced" in m.assumed[0]


@pytest.mark.parametrize("event", [
    dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.125, dp.GaussianDpEvent(2.0)), 100),
    dp.ComposedDpEvent([dp.LaplaceDpEvent(4.0), dp.SelfComposedDpEvent(dp.GaussianDpEvent(8.0), 3)]),
    dp.SelfComposedDpEvent(DiscreteLaplaceDpEvent(0.25, 2), 5),
    dp.SelfComposedDpEvent(MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], [0.875, 0.125]), 4),
])  # fmt: skip
def test_the_meaning_is_that_of_dp_accounting(event):
    """Its own answer is an estimate, rounded to a grid upward: near, and not below by more than rounding."""
    accountant = dp.pld.PLDAccountant(dp.NeighboringRelation.ADD_OR_REMOVE_ONE, 1e-3)
    accountant.compose(event)
    truth = dpcert.epsilon(dpcert.from_dp_event(event), delta=1e-5)
    assert truth.f64_lower * (1 - 1e-6) <= accountant.get_epsilon(1e-5) <= truth.f64_upper * 1.05


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (dp.UnsupportedDpEvent(), "event: UnsupportedDpEvent is not supported"),
        (
            dp.ComposedDpEvent([dp.NoOpDpEvent(), dp.SelfComposedDpEvent(RepeatAndSelectDpEvent(dp.GaussianDpEvent(1.0), 2.0, 1.0), 2)]),
            "event.events[1].event: RepeatAndSelectDpEvent is not supported: dpcert has no dominating pair",
        ),
        (dp.SampledWithReplacementDpEvent(10, 2, dp.GaussianDpEvent(1.0)), "event: SampledWithReplacementDpEvent is not supported"),
        (dp.SampledWithoutReplacementDpEvent(10, 2, dp.GaussianDpEvent(1.0)), "event: SampledWithoutReplacementDpEvent is not supported"),
        (dp.SingleEpochTreeAggregationDpEvent(1.0, [8, 8]), "event: SingleEpochTreeAggregationDpEvent is not supported"),
        (dp.TruncatedSubsampledGaussianDpEvent(100, 0.1, 20, 1.0), "event: TruncatedSubsampledGaussianDpEvent is not supported"),
        (MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]), "event: MixtureOfGaussiansDpEvent is supported only with one sensitivity"),
        (
            dp.ComposedDpEvent([dp.RandomizedResponseDpEvent(0.5, 2), dp.GaussianDpEvent(1.0)]),
            "event.events[0] uses a replaced record, and event.events[1] an added or removed record",
        ),
        (3, "event: int is not supported"),
        (None, "event: NoneType is not supported"),
    ],
)
def test_what_is_not_read_is_named_with_its_path(event, told):
    with pytest.raises(dpcert.UnsupportedEventError) as error:
        dpcert.from_dp_event(event)
    assert told in str(error.value)


def test_all_events_of_dp_accounting_are_read_or_known():
    """One that a later version has makes this fail, so that somebody thinks of it."""
    from dpcert.events import _WITHOUT, _Reader

    have = {name for name, of in vars(dp.dp_event).items() if isinstance(of, type) and issubclass(of, dp.DpEvent)} - {"DpEvent"}
    read = {name[1:] for name in vars(_Reader) if name.endswith("DpEvent")}
    assert have == read | set(_WITHOUT) and not read & set(_WITHOUT)


def test_of_zcdp_nothing_but_the_guarantee_is_known():
    m = dpcert.from_dp_event(dp.SelfComposedDpEvent(ZCDpEvent(0.5, 0.25), 2))
    assert m.assumed[0] == "neighbours are those of the zCDP guarantee"
    assert "replaced by 3/4-zCDP" in m.assumed[1] and "answers are bounds" in m.assumed[1] and len(m.assumed) == 2
    answer = dpcert.epsilon(m, delta="1e-5", digits=6)
    assert answer.bound == "upper" and answer.json() == dpcert.epsilon("zcdp(rho=3/4)^2", delta="1e-5", digits=6).json()
    # The accountant there converts the same divergences at some orders, by a conversion that is not better.
    accountant = dp.rdp.RdpAccountant()
    accountant.compose(ZCDpEvent(1.5))
    assert answer.f64_upper <= accountant.get_epsilon(1e-5)
    # On a sample it is about a record that is added or removed, as the sample is.
    sampled = dpcert.from_dp_event(dp.PoissonSampledDpEvent(0.25, ZCDpEvent(0.5)))
    assert sampled == dpcert.Mechanism("poisson(rate=1/4, zcdp(rho=1/2))") and "added or removed" in sampled.assumed[0]
    # Beside others it is about the neighbours that they are about.
    mixed = dpcert.from_dp_event(dp.ComposedDpEvent([ZCDpEvent(0.5), dp.RandomizedResponseDpEvent(0.5, 2)]))
    assert "replaced" in mixed.assumed[0] and "event.events[0] satisfies its zCDP guarantee" in mixed.assumed[1]


def test_a_tree_whose_branches_are_one_object_is_read_once():
    event = dp.GaussianDpEvent(1.0)
    for _ in range(60):
        event = dp.ComposedDpEvent([event, event])
    assert dpcert.from_dp_event(event) == dpcert.gaussian(sigma=1) ** 2**60
    itself = dp.ComposedDpEvent([])
    itself.events.extend([itself, itself])
    with pytest.raises(dpcert.UnsupportedEventError, match="nested more than 200 deep"):
        dpcert.from_dp_event(itself)


def test_bad_parameters_are_told_with_their_path():
    with pytest.raises(dpcert.InputError, match=r"event\.event: GaussianDpEvent: .*sigma must be greater than 0"):
        dpcert.from_dp_event(dp.SelfComposedDpEvent(dp.GaussianDpEvent(-1.0), 3))
    with pytest.raises(dpcert.InputError, match=r"event: LaplaceDpEvent: NaN is not a finite number"):
        dpcert.from_dp_event(dp.LaplaceDpEvent(math.nan))
    with pytest.raises(dpcert.InputError, match=r"event: SelfComposedDpEvent: the number of repeats"):
        dpcert.from_dp_event(dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 2.5))
    with pytest.raises(dpcert.InputError, match=r"noise_parameter must be from 0 to 1"):
        dpcert.from_dp_event(dp.RandomizedResponseDpEvent(1.5, 4))
    # The message has the path once, for any depth.
    deep = dp.LaplaceDpEvent(math.nan)
    for _ in range(5):
        deep = dp.ComposedDpEvent([deep])
    with pytest.raises(dpcert.InputError) as error:
        dpcert.from_dp_event(deep)
    assert str(error.value) == f"event{'.events[0]' * 5}: LaplaceDpEvent: NaN is not a finite number of supported size"
    # One of another version of the package.
    with pytest.raises(dpcert.InputError, match="event: GaussianDpEvent: .*no attribute 'noise_multiplier'"):
        dpcert.from_dp_event(type("GaussianDpEvent", (), {})())
    for event, told in [
        (ZCDpEvent(-0.5), r"event: ZCDpEvent: rho and xi must be at least 0, not -0\.5 and 0\.0"),
        (ZCDpEvent(0.5, -0.5), "event: ZCDpEvent: rho and xi must be at least 0"),
        (ZCDpEvent(math.inf), "event: ZCDpEvent: inf is not a finite number of supported size"),
        (ZCDpEvent("much"), "event: ZCDpEvent: "),
        (MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.5]), "2 sensitivities need as many probabilities, not 1"),
        (MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.5, 0.25]), "the probabilities must sum to 1, not 0.75"),
        (MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [1.5, -0.5]), "probabilities must be at least 0, not -0.5"),
        (MixtureOfGaussiansDpEvent(1.0, [0.0, -1.0], [0.5, 0.5]), "sensitivities must be at least 0, not -1.0"),
        (MixtureOfGaussiansDpEvent(1.0, 3, [0.5]), "event: MixtureOfGaussiansDpEvent: .*not iterable"),
        (dp.PoissonSampledDpEvent(1.5, dp.GaussianDpEvent(1.0)), "event: PoissonSampledDpEvent: .*rate must be between 0 and 1"),
        (dp.PoissonSampledDpEvent(1.5, dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 2)), "event: PoissonSampledDpEvent: .*rate must be"),
        (dp.ComposedDpEvent(None), "event: ComposedDpEvent: .*not iterable"),
        (dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), -1), "event: SelfComposedDpEvent: the number of repeats must be from 0"),
    ]:
        with pytest.raises(dpcert.InputError, match=told):
            dpcert.from_dp_event(event)
    deep = dp.NoOpDpEvent()
    for _ in range(300):
        deep = dp.SelfComposedDpEvent(deep, 1)
    with pytest.raises(dpcert.UnsupportedEventError, match="nested more than 200 deep"):
        dpcert.from_dp_event(deep)


def test_long_lists_of_events():
    m = dpcert.from_dp_event(dp.ComposedDpEvent([dp.GaussianDpEvent(float(i % 50 + 1)) for i in range(5000)]))
    assert len(m._composition.pairs()) == 50 and m == dpcert.mechanism(" * ".join(f"gaussian(sigma={i + 1})^100" for i in range(50)))


def test_histories_of_opacus():
    history = [(1.1, 0.01, 600), (1.1, 0.01, 400), (0.9, 0.02, 10)]
    m = dpcert.from_opacus(history)
    inner = [dpcert.poisson(rate=rate, inner=dpcert.gaussian(sigma=sigma)) for sigma, rate in ((1.1, 0.01), (0.9, 0.02))]
    assert m == inner[0] ** 1000 * inner[1] ** 10
    assert any("Poisson" in line for line in m.assumed)
    assert dpcert.delta(dpcert.from_opacus([(1, 1, 3)]), epsilon=1).json() == dpcert.delta("poisson(rate=1, gaussian(sigma=1))^3", epsilon=1).json()
    assert str(dpcert.from_opacus([])) == "gdp(mu=0)^0"
    assert dpcert.from_opacus([(math.inf, 0.1, 5)]) == dpcert.from_opacus([])
    assert dpcert.delta(dpcert.from_opacus([(0, 0.5, 1)]), epsilon=1).exact == Fraction(1, 2)


@pytest.mark.parametrize(
    ("history", "raises", "told"),
    [
        ([(1.1, 0.01)], dpcert.InputError, r"history\[0\]: expected \(noise_multiplier, sample_rate, steps\)"),
        ([(1.0, 0.1, 5), (1.1, 1.5, 10)], dpcert.InputError, r"history\[1\]: .*rate must be between 0 and 1"),
        ([(1.1, 0.1, 2.5)], TypeError, r"history\[0\]: the number of repeats must be an integer"),
        ([(None, 0.1, 2)], dpcert.InputError, r"history\[0\]: .*`sigma` is missing"),
        ([(math.nan, 0.1, 2)], dpcert.InputError, r"history\[0\]: NaN is not a finite number"),
        ([(math.inf, 2.0, 10)], dpcert.InputError, r"history\[0\]: .*rate must be between 0 and 1"),
        ([(math.inf, 0.5, "x")], TypeError, r"history\[0\]: the number of repeats must be an integer"),
        ([(-math.inf, 0.5, 3)], dpcert.InputError, r"history\[0\]: -inf is not a finite number"),
        (3, TypeError, "history must be a list of"),
        ("abc", TypeError, "history must be a list of"),
    ],
)
def test_bad_histories(history, raises, told):
    with pytest.raises(raises, match=told):
        dpcert.from_opacus(history)

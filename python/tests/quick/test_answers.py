"""Answers, objects and errors, with nothing but the standard library."""

import contextlib
import math
import pickle
import re
import unittest
from decimal import Decimal
from fractions import Fraction

import dpcert


def parts(text):
    """Split a text at the commas outside of brackets."""
    found, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [part.strip() for part in found]


class Numbers(unittest.TestCase):
    def test_ends_are_exact_and_hold_the_truth(self):
        a = dpcert.delta("poisson(rate=0.01, gaussian(sigma=1))^1000", epsilon=1, digits=30)
        self.assertEqual((type(a.lower), type(a.upper), a.digits, a.kind), (Fraction, Fraction, 30, "enclosure"))
        self.assertLess(a.lower, a.upper)
        self.assertLess((a.upper - a.lower) * 10**29, a.lower)
        # Its first digits by another engine's route: the README has them.
        self.assertLess(abs(a.lower - Fraction("0.002612420578626923815571174268811")), Fraction(1, 10**29))
        self.assertTrue(Fraction(a.f64_lower) <= a.lower <= a.upper <= Fraction(a.f64_upper))
        self.assertIn(float(a), (a.f64_lower, a.f64_upper))

    def test_exact_answers_are_fractions(self):
        a = dpcert.delta("approx-dp(epsilon=ln(3/2), delta=1/10)^4", epsilon=0)
        self.assertEqual((a.exact, a.lower, a.upper, a.digits), (Fraction(84079, 156250),) * 3 + (None,))
        self.assertEqual(float(a), 84079 / 156250)
        self.assertEqual(dpcert.divergence("gdp(mu=1)", "kl").exact, Fraction(1, 2))

    def test_the_nearest_double_is_told_only_if_it_is_proven(self):
        a = dpcert.delta("gaussian(sigma=1)", epsilon=1, max_bits=40)
        with self.assertRaisesRegex(ValueError, "not proven"):
            float(a)
        self.assertLess(a.f64_lower, a.f64_upper)
        # A third has no middle of two doubles near; the double after it decides the other way.
        third = dpcert.divergence("randomized-response(epsilon=ln(2))", "tv")
        self.assertEqual((float(third), third.exact), (1 / 3, Fraction(1, 3)))
        # Exactly between two doubles, and a hair above.
        middle = Fraction(2**53 + 1, 2**54)
        for value in (middle, middle + Fraction(1, 10**40), middle - Fraction(1, 10**40)):
            a = dpcert.delta(dpcert.approx_dp(epsilon=0, delta=value), epsilon=0)
            self.assertEqual((a.exact, float(a)), (value, value.numerator / value.denominator))

    def test_an_infinite_answer_has_infinite_bounds(self):
        a = dpcert.epsilon("gaussian(sigma=1)", delta=0)
        self.assertEqual((a.kind, a.lower, a.upper, float(a), a.exact), ("infinite", math.inf, math.inf, math.inf, None))

    def test_a_float_is_the_double_that_it_is(self):
        double, text = (str(dpcert.gaussian(sigma=sigma)) for sigma in (0.1, "0.1"))
        self.assertEqual(double, "gaussian(sigma=3602879701896397/36028797018963968)")
        self.assertEqual(text, "gaussian(sigma=1/10)")
        for same in (Fraction(1, 10), Decimal("0.1"), "1e-1", "1/10"):
            self.assertEqual(dpcert.gaussian(sigma=same), dpcert.gaussian(sigma="0.1"), same)
        self.assertEqual(dpcert.gdp(mu="ln(3/2)+sqrt(2)"), dpcert.mechanism("gdp(mu=sqrt(2)+ln(3/2))"))

    def test_large_numbers(self):
        for value in (2**63, -(2**63) - 1, 10**400, -(3**2000), 2**100000, 0, -1):
            self.assertEqual(Fraction(dpcert._dpcert.number(value)) if abs(value) < 10**4000 else value, value)
            self.assertEqual(dpcert._dpcert.number(value), dpcert._dpcert.number(Fraction(value)))
        for value in (5e-324, 1.7976931348623157e308, -0.0, 2.0**-1022):
            self.assertEqual(Fraction(dpcert._dpcert.number(value)), Fraction(value))
        # Longer than Python writes integers without asking.
        a = dpcert.delta("gaussian(sigma=1)", epsilon=1, digits=5000)
        self.assertEqual(len(a.decimals(5000)[0].lstrip("0.")), 5000)
        self.assertLess((a.upper - a.lower) * 10**4999, a.lower)


class Errors(unittest.TestCase):
    def told(self, raises, text, call, *arguments, **options):
        with self.assertRaisesRegex(raises, re.escape(text)) as caught:
            call(*arguments, **options)
        return caught.exception

    def test_what_is_no_number(self):
        for value, raises, text in [
            (True, TypeError, "not a bool"),
            (None, TypeError, "not None"),
            ({}, TypeError, "not a dict"),
            (1j, TypeError, "not an object of type complex"),
            (b"1", TypeError, "not an object of type bytes"),
            (math.nan, dpcert.InputError, "NaN is not a finite number"),
            (math.inf, dpcert.InputError, "inf is not a finite number"),
            (Decimal("NaN"), dpcert.InputError, "NaN is not a finite number"),
            (Decimal("-Infinity"), dpcert.InputError, "-Infinity is not a finite number"),
            (Decimal("1e999999999"), dpcert.InputError, "is not a finite number of supported size"),
            (2**2000000, dpcert.InputError, "an integer of 2000001 bits"),
            ("", dpcert.ParseError, "unexpected end"),
            ("0x1p-1", dpcert.ParseError, "unexpected 'x'"),
            ("1e999999999999", dpcert.ParseError, "exponent"),
        ]:
            with self.subTest(value=str(value)[:40] if not isinstance(value, int) or value < 2**64 else "2^2000000"):
                self.told(raises, text, dpcert.delta, "gdp(mu=1)", epsilon=value)

    def test_what_says_that_it_is_a_number_and_is_none(self):
        class Like:
            def __init__(self, **parts):
                self.__dict__.update(parts)

        for value, raises, text in [
            (int, TypeError, "not an object of type type"),
            (Like(numerator=1, denominator="x"), TypeError, "not an object of type Like"),
            (Like(numerator=1, denominator=0), dpcert.InputError, "the denominator of a fraction must not be 0"),
            (Like(as_integer_ratio=lambda: (1, 0)), dpcert.InputError, "the denominator of a fraction must not be 0"),
            (Like(as_integer_ratio=lambda: (1, None)), TypeError, "not an object of type Like"),
            (Like(as_integer_ratio=lambda: 5), TypeError, ""),
            (Like(_mpf_=(1, 2)), (TypeError, ValueError), ""),
            (Like(_mpf_=(0, 5, 10**30, 3)), dpcert.InputError, "not a finite number of supported size"),
            (Like(ndim="x", item=3), TypeError, ""),
        ]:
            with self.subTest(text):
                self.told(raises, text, dpcert.delta, "gdp(mu=1)", epsilon=value)
        self.assertEqual(dpcert._dpcert.number(Like(numerator=3, denominator=-6)), "-1/2")

    def test_long_texts_are_not_repeated(self):
        long = "x1" * 5000
        for call in (
            lambda: dpcert.delta("gdp(mu=1)", epsilon=1, method=long),
            lambda: dpcert.delta("gdp(mu=1)", epsilon=1, direction=long),
            lambda: dpcert.mechanism("gdp(mu=1)").curve(points=long),
            lambda: dpcert.check("1" * 5000, "epsilon", "gdp(mu=1)", delta="1e-5"),
            lambda: dpcert.from_opacus([[long, 1, "\n", 3]]),
        ):
            with self.assertRaises(dpcert.InputError) as caught:
                call()
            self.assertLess(len(str(caught.exception)), 400)
            self.assertNotIn("\n", str(caught.exception))

    def test_texts_are_those_of_the_command_line(self):
        error = self.told(dpcert.ParseError, "unknown mechanism `gausian`; did you mean `gaussian`?", dpcert.mechanism, "gausian()")
        self.assertEqual((error.column, error.caret), (1, "  gausian()\n  ^"))
        self.assertIsInstance(error, ValueError)
        self.told(dpcert.InputError, "delta must be between 0 and 1, not 2", dpcert.epsilon, "gdp(mu=1)", delta=2)
        self.told(dpcert.InputError, "digits must be between 1 and 1000000, not 0", dpcert.delta, "gdp(mu=1)", epsilon=1, digits=0)
        self.told(dpcert.InputError, "requires `at` to be {\"epsilon\": ...}", dpcert.ask, "delta", "gdp(mu=1)", delta=1)
        self.told(dpcert.InputError, "unknown field `gamma`", dpcert.ask, "delta", "gdp(mu=1)", gamma=1)
        self.told(dpcert.InputError, "unknown variant `sigma`", dpcert.ask, "sigma", "gdp(mu=1)")
        self.told(dpcert.InputError, "direction: unknown variant", dpcert.delta, "gdp(mu=1)", epsilon=1, direction="up")
        self.told(dpcert.InputError, "method: unknown variant", dpcert.delta, "gdp(mu=1)", epsilon=1, method="magic")
        self.told(dpcert.InputError, "timeout must be a number", dpcert.delta, "gdp(mu=1)", epsilon=1, timeout=-1)
        self.told(dpcert.InputError, "timeout must be a number", dpcert.delta, "gdp(mu=1)", epsilon=1, timeout=math.nan)
        self.told(dpcert.InputError, "work must be a number", dpcert.delta, "gdp(mu=1)", epsilon=1, work=0)
        self.told(dpcert.InputError, "work must be a number", dpcert.delta, "gdp(mu=1)", epsilon=1, work=math.nan)
        self.told(dpcert.ParseError, "`sigma` is missing", dpcert.gaussian, sigma=None)
        self.told(dpcert.ParseError, "sigma must be greater than 0, not 0", dpcert.gaussian, sigma=0)
        self.told(dpcert.ParseError, "only `calibrate` accepts a parameter marked `?`", dpcert.delta, "gdp(mu=?)", epsilon=1)

    def test_a_value_is_a_number_and_no_more(self):
        self.told(dpcert.ParseError, "unexpected ','", dpcert.gaussian, sigma="1, sensitivity=0")
        self.told(dpcert.ParseError, "unmatched ')'", dpcert.gaussian, sigma="1)^0*gdp(mu=1")

    def test_wrong_objects_raise_errors(self):
        self.told(TypeError, "a mechanism must be an expression or a Mechanism, not int", dpcert.mechanism, 3)
        self.told(TypeError, "sigma: expected a number, not a dict", dpcert.gaussian, sigma={})
        self.told(TypeError, "entry 2 of p: expected a number, not None", dpcert.finite, p=[1, None], q=[1, 0])
        self.told(TypeError, "unsupported operand", lambda: dpcert.gdp(mu=1) * 3)
        self.told(TypeError, "the number of repeats must be an integer", lambda: dpcert.gdp(mu=1) ** 2.5)
        self.told(dpcert.InputError, "from 0 to 2^63, not -1", lambda: dpcert.gdp(mu=1) ** -1)
        self.told(dpcert.InputError, "more than 2^63 times", lambda: (dpcert.gdp(mu=1) ** 2**62) ** 4)
        self.told(TypeError, "missing 1 required keyword-only argument", dpcert.gdp)

    def test_answers_without_a_number(self):
        a = dpcert.calibrate("staircase(epsilon=1, gamma=?)", epsilon=1, delta="1e-3")
        self.assertEqual((a.kind, a.digits, a.exact), ("undefined", None, None))
        for look in (lambda: a.lower, lambda: a.upper, lambda: a.f64_upper, lambda: float(a), lambda: a.decimals()):
            self.told(dpcert.UndefinedError, "undefined: gamma has no threshold, because the privacy loss increases with gamma up to 1/2", look)
        short = dpcert.delta("discrete-gaussian(sigma2=3)^4 * laplace(scale=2)^7", epsilon=2, digits=4000, work=1)
        self.assertIn("work budget of 1e0 units", str(short))
        short = dpcert.delta("discrete-gaussian(sigma2=3)^4 * laplace(scale=2)^7", epsilon=2, digits=4000, timeout=0)
        if short.kind == "undecided":
            self.told(dpcert.UndecidedError, "raise it with --timeout", lambda: short.lower)
        else:
            self.assertIn("time budget", short.reason)

    def test_a_calibration_without_one_target_is_refused(self):
        self.told(dpcert.InputError, "name one target", dpcert.calibrate, "gdp(mu=?)", epsilon=1)
        self.told(dpcert.InputError, "name one target", dpcert.calibrate, "gdp(mu=?)", epsilon=1, delta=0, beta=1)
        self.told(dpcert.ParseError, "no parameter is marked `?`", dpcert.calibrate, "gdp(mu=1)", epsilon=1, delta="1e-5")


class Objects(unittest.TestCase):
    def test_a_repr_is_the_expression(self):
        step = dpcert.poisson(rate=Fraction(1, 100), inner=dpcert.gaussian(sigma=1))
        m = step**1000 * dpcert.laplace(scale=20)
        self.assertEqual(repr(m), "poisson(rate=1/100, gaussian(sigma=1))^1000 * laplace(scale=20)")
        self.assertEqual((dpcert.mechanism(repr(m)), hash(dpcert.mechanism(repr(m)))), (m, hash(m)))
        self.assertEqual(pickle.loads(pickle.dumps(m)), m)
        self.assertNotEqual(m, step)
        self.assertNotEqual(m, repr(m))
        self.assertEqual(m**0, dpcert.gdp(mu=1) ** 0)
        self.assertEqual(dpcert.delta(str(step) + "^3", epsilon=1).json(), dpcert.delta(step**3, epsilon=1).json())

    def test_every_mechanism_of_the_catalogue_is_a_function(self):
        from dpcert.mechanisms import __all__ as names

        for name in names:
            make = getattr(dpcert, name)
            example = re.search(r"Example: ``(.+?)``", make.__doc__).group(1)
            head, inside, times = re.fullmatch(r"([a-z-]+)\((.*)\)(?:\^(\d+))?", example).groups()
            self.assertEqual(head.replace("-", "_"), name)
            arguments = {}
            for part in parts(inside):
                if given := re.fullmatch(r"([\w-]+)=(.*)", part):
                    value = given.group(2)
                    arguments[given.group(1).replace("-", "_")] = parts(value[1:-1]) if value.startswith("[") else value
                elif weighed := re.fullmatch(r"([^:(]+): (.*)", part):
                    arguments.setdefault("weights", []).append(weighed.group(1))
                    arguments.setdefault("mechanisms", []).append(weighed.group(2))
                else:
                    arguments["inner"] = part
            with self.subTest(name):
                self.assertEqual(make(**arguments) ** int(times or 1), dpcert.mechanism(example))
        self.assertEqual(set(names) & set(dir(dpcert._ask)) - {"delta", "epsilon"}, set())

    def test_targets_of_zcdp(self):
        found = dpcert.calibrate("discrete-gaussian(sigma2=?)^9", rho=1)
        self.assertEqual((found.parameter, found.safe.value), ("sigma2", 4.5))
        self.assertEqual(dpcert.ask("zcdp", "gaussian(sigma=1)^3").exact, Fraction(3, 2))
        self.assertEqual(dpcert.ask("subgaussian", "gaussian(sigma=1)^4").exact, 2)
        with self.assertRaisesRegex(dpcert.InputError, "name one target"):
            dpcert.calibrate("gdp(mu=?)", mu=1, rho=1)

    @unittest.skipUnless(hasattr(dpcert, "mixture"), "no mixtures")
    def test_weights_and_mechanisms_go_together(self):
        m = dpcert.mixture(weights=["1/3", Fraction(2, 3)], mechanisms=[dpcert.gdp(mu=1), "laplace(scale=2)^2"])
        self.assertEqual(str(m), "mixture(1/3: gdp(mu=1), 2/3: laplace(scale=2)^2)")
        self.assertEqual(len(m._composition.pairs()[0][2]), 3)
        self.assertEqual(dpcert.mixture(weights=["1/3", "rest"], mechanisms=[dpcert.gdp(mu=1), "laplace(scale=2)^2"]), m)
        with self.assertRaisesRegex(dpcert.InputError, "a second `rest`"):
            dpcert.mixture(weights=["rest", "rest"], mechanisms=[m, m])
        found = dpcert.calibrate("mixture(?: gdp(mu=2), rest: gdp(mu=1))^2", epsilon=1, delta="2/5")
        self.assertEqual((found.parameter, 0 < found.safe.value < found.fails.value < 1), ("weight", True))
        with self.assertRaisesRegex(dpcert.InputError, "there are 1 weights for 2 mechanisms"):
            dpcert.mixture(weights=[1], mechanisms=[m, m])

    def test_notebooks_show_them(self):
        m = dpcert.poisson(rate="1/2", inner=dpcert.gaussian(sigma=1)) ** 3
        self.assertIn("P = (1-rate) Q0 + rate P0", m._repr_html_())
        self.assertIn("N(", m._repr_html_())
        a = dpcert.delta(m, epsilon=1)
        self.assertIn(a.decimals(a.digits + 1)[0], a._repr_html_())
        self.assertNotIn("<script", dpcert.mechanism("gdp(mu=1)")._repr_html_())

    def test_explain_tells_the_engine(self):
        a = dpcert.delta("gaussian(sigma=1)^10", epsilon=1)
        self.assertNotIn("rounds of refinement", str(a))
        self.assertTrue(a.explain().startswith(str(a)))
        self.assertIn("rounds of refinement", a.explain())

    def test_questions_are_lines(self):
        a = dpcert.epsilon("gaussian(sigma=1)^10", delta="1e-5", id="x")
        self.assertEqual(dpcert.lines([a.question]), [a.json()])


class Sessions(unittest.TestCase):
    def test_lists_in_answers_out(self):
        with dpcert.session("gaussian(sigma=1)^10") as s:
            deltas = ["1e-5", 1e-6, Fraction(1, 10**7)]
            answers = s.epsilon(delta=deltas)
            one_by_one = [dpcert.epsilon("gaussian(sigma=1)^10", delta=delta).json() for delta in deltas]
            self.assertEqual([answer.json() for answer in answers], one_by_one)
            self.assertEqual((len(answers), answers.shape, len(answers[1:])), (3, (3,), 2))
            self.assertEqual(len(s.delta(epsilon=[])), 0)
            self.assertEqual(len(s.beta(alpha=(x for x in ("0.1", "0.2")))), 2)
        with self.assertRaisesRegex(ValueError, "closed"):
            s.delta(epsilon=1)

    def test_the_place_of_what_is_wrong_is_told(self):
        with self.assertRaisesRegex(TypeError, r"expected a number, not None \(at index 2 of delta\)"):
            dpcert.epsilon("gdp(mu=1)", delta=["1e-5", 1, None])
        with self.assertRaisesRegex(dpcert.InputError, r"delta must be between 0 and 1, not 2 \(at index 0 of delta\)"):
            dpcert.epsilon("gdp(mu=1)", delta=[2])
        with self.assertRaisesRegex(TypeError, r"not a list \(at index 0 of delta\)"):
            dpcert.epsilon("gdp(mu=1)", delta=[[1]])

    def test_orders_have_limits(self):
        kl, largest = (dpcert.divergence("laplace(scale=1)", kind) for kind in ("kl", "max"))
        for order in (1, 1.0, "1"):
            self.assertEqual(dpcert.renyi("laplace(scale=1)", order=order).json(), kl.json())
        for order in (math.inf, "inf"):
            self.assertEqual(dpcert.renyi("laplace(scale=1)", order=order).json(), largest.json())
        found = dpcert.renyi("gdp(mu=1)", order=[1, 2, "inf"])
        self.assertEqual([answer.kind for answer in found], ["exact", "exact", "infinite"])
        with self.assertRaisesRegex(dpcert.InputError, "other than 1 and inf must be greater than 1"):
            dpcert.renyi("gdp(mu=1)", order="1/2")

    def test_huge_lists_are_refused_at_once(self):
        with self.assertRaisesRegex(ValueError, "pass at most 1000000"):
            dpcert.epsilon("gdp(mu=1)", delta=[0.5] * 1_000_001)
        with self.assertRaisesRegex(dpcert.InputError, "p has 1000000 entries, more than the 100000 allowed"):
            dpcert.finite(p=["1/1000000"] * 1_000_000, q=[1])


class Checks(unittest.TestCase):
    M = "gaussian(sigma=2)"

    def test_verdicts_decide_by_the_exact_claim(self):
        truth = dpcert.epsilon(self.M, delta=1e-5)
        for claim, verdict in [
            (truth.f64_upper, "sound"),
            (truth.f64_lower, "unsound"),
            (truth.lower, None),
            (2.1, "sound"),
            (2.3, "loose"),
            (1.1, "unsound"),
            (0, "unsound"),
            (-1, "unsound"),
            (math.inf, "loose"),
            (math.nan, "failed"),
            ("3/2", "unsound"),
        ]:
            check = dpcert.check(claim=claim, of="epsilon", mechanism=self.M, delta=1e-5)
            if verdict:
                self.assertEqual(check.verdict, verdict, claim)
                self.assertEqual(bool(check), verdict in ("sound", "loose"))
        check = dpcert.check(claim=1.1, of="epsilon", mechanism=self.M, delta=1e-5)
        self.assertTrue(check.ratio[0] <= Fraction(1.1) / Fraction(truth.f64_upper) * (1 + Fraction(1, 10**10)))
        # By how much: the delta that holds at the claim.
        self.assertEqual(check.delta_at_claim.json(), dpcert.delta(self.M, epsilon=1.1).json())

    def test_type_ii_errors_are_promised_from_below(self):
        truth = dpcert.beta(self.M, alpha="0.3")
        for claim, verdict in [(truth.f64_lower, "sound"), (truth.f64_upper, "unsound"), (0.1, "loose")]:
            self.assertEqual(dpcert.check(claim=claim, of="beta", mechanism=self.M, alpha="0.3").verdict, verdict)

    def test_exact_truths_have_no_tolerance(self):
        third = "randomized-response(epsilon=ln(2))"
        hair = Fraction(1, 10**50)
        for claim, verdict in [(Fraction(1, 3), "sound"), (Fraction(1, 3) - hair, "unsound"), (1 / 3, "unsound")]:
            self.assertEqual(dpcert.check(claim=claim, of="tv", mechanism=third).verdict, verdict)
        # Closer than the first digits can decide.
        a = dpcert.delta(self.M, epsilon=1, digits=60)
        for claim, verdict in [(a.upper, "sound"), (a.lower - hair, "unsound")]:
            self.assertEqual(dpcert.check(claim=claim, of="delta", mechanism=self.M, epsilon=1).verdict, verdict)


class Guarantees(unittest.TestCase):
    """The answer for a guarantee is a bound, so a claim below it may be right."""

    M = "zcdp(rho=1/2)"

    def test_answers_say_that_they_are_bounds(self):
        upper, lower, itself = (
            dpcert.epsilon(self.M, delta="1e-5"), dpcert.beta(self.M, alpha="0.1"), dpcert.epsilon("gdp(mu=1)", delta="1e-5"),
        )  # fmt: skip
        self.assertEqual((upper.bound, lower.bound, itself.bound), ("upper", "lower", None))
        self.assertTrue(repr(upper).startswith("<dpcert.Answer upper bound in [4.728385648638487, "), repr(upper))
        self.assertTrue(repr(lower).startswith("<dpcert.Answer lower bound in [0.516"), repr(lower))
        self.assertTrue(repr(itself).startswith("<dpcert.Answer in ["), repr(itself))
        self.assertIn("an upper bound", str(upper))
        self.assertIn("an upper bound", upper._repr_html_())
        self.assertIn("lower bound in", dpcert.beta(self.M, alpha=["0.1", "0.2"])._repr_html_())
        self.assertEqual(dpcert.epsilon(dpcert.pure_dp(epsilon=1) * dpcert.gdp(mu=1), delta="1e-5").bound, "upper")

    def test_below_an_upper_bound_nothing_is_proven(self):
        for of, at in [("epsilon", {"delta": "1e-5"}), ("delta", {"epsilon": 1}), ("renyi", {"order": 2}), ("kl", {})]:
            bound = dpcert.ask(of, self.M, **at)
            # A Gaussian mechanism satisfies the guarantee, and its truth is at most the bound.
            truth = dpcert.ask(of, "gdp(mu=1)", **at)
            self.assertLessEqual(truth.lower, bound.upper)
            hair = bound.upper / 10**40
            for claim, side, verdict in [
                (bound.upper, "upper", "sound"),
                (bound.upper * 5, "upper", "loose"),
                (math.inf, "upper", "loose"),
                (bound.lower - hair, "upper", "undecided"),
                (0, "upper", "undecided"),
                (-1, "upper", "unsound"),
                (-math.inf, "upper", "unsound"),
                (math.nan, "upper", "failed"),
                (bound.upper + hair, "lower", "unsound"),
                (bound.lower - hair, "lower", "undecided"),
                (math.inf, "lower", "unsound"),
                (0, "lower", "loose"),
            ]:
                with self.subTest(of=of, claim=str(claim)[:20], side=side):
                    check = dpcert.check(claim=claim, of=of, mechanism=self.M, side=side, **at)
                    self.assertEqual((check.verdict, bool(check)), (verdict, verdict in ("sound", "loose")))
                    self.assertEqual(check.reason is not None, verdict == "undecided")
                    self.assertIsNone(check.delta_at_claim)
        check = dpcert.check(claim=4, of="epsilon", mechanism=self.M, delta="1e-5")
        self.assertIn("below an upper bound of the truth", str(check))
        self.assertIn("claim / bound = 0.84", str(check))

    def test_above_a_lower_bound_nothing_is_proven(self):
        bound = dpcert.beta(self.M, alpha="0.1")
        for claim, side, verdict in [
            (bound.lower, "lower", "sound"),
            (0.1, "lower", "loose"),
            (bound.f64_upper * 1.01, "lower", "undecided"),
            (1, "lower", "undecided"),
            (bound.f64_lower * 0.99, "upper", "unsound"),
            (bound.f64_upper * 1.01, "upper", "undecided"),
            (math.inf, "upper", "loose"),
        ]:
            check = dpcert.check(claim=claim, of="beta", mechanism=self.M, side=side, alpha="0.1")
            self.assertEqual(check.verdict, verdict, (claim, side))

    def test_a_bound_that_is_infinite_proves_nothing(self):
        check = dpcert.check(claim=100, of="epsilon", mechanism=self.M, delta=0)
        self.assertEqual((check.truth.kind, check.verdict), ("infinite", "undecided"))
        self.assertEqual(dpcert.check(claim=100, of="epsilon", mechanism="gdp(mu=1)", delta=0).verdict, "unsound")
        self.assertEqual(dpcert.check(claim=math.inf, of="epsilon", mechanism="gdp(mu=1)", delta=0).verdict, "sound")


class Calibrations(unittest.TestCase):
    def test_two_values_prove_it(self):
        c = dpcert.calibrate("gaussian(sigma=?)^10", epsilon=1, delta=1e-6)
        safe, fails = c.safe, c.fails
        self.assertEqual((c.parameter, math.nextafter(fails.value, math.inf)), ("sigma", safe.value))
        self.assertTrue(Fraction(fails.value) <= c.lower <= c.upper <= Fraction(safe.value))
        self.assertTrue(safe.upper <= Fraction(1e-6) < fails.lower)
        again = dpcert.delta(dpcert.gaussian(sigma=safe.value) ** 10, epsilon=1)
        self.assertLessEqual(again.upper, Fraction(1e-6))
        self.assertEqual(dpcert.lines([c.question]), [c.json()])

    def test_repeats_are_integers(self):
        c = dpcert.calibrate("gaussian(sigma=10)^?", epsilon=1, delta="1e-6")
        self.assertEqual((c.parameter, c.kind, c.safe.value + 1, type(c.safe.value)), ("repeats", "exact", c.fails.value, int))


class Meanings(unittest.TestCase):
    def test_a_bound_is_not_exact(self):
        last = dpcert.noisy_cgd(epochs=2, batches=1, ratio=1, contraction=0)
        delta, beta = dpcert.delta(last, epsilon=1), dpcert.beta(last, alpha="1/10")
        self.assertEqual((delta.meaning, delta.bound), ("upper_bound", "upper"))
        self.assertEqual((beta.meaning, beta.bound), ("lower_bound", "lower"))
        self.assertIn("Bok, Su, Altschuler 2024", delta.because)
        exact = dpcert.delta("gdp(mu=1)", epsilon=1)
        self.assertEqual((exact.meaning, exact.bound, exact.because), ("exact", None, None))

    def test_a_word_keeps_its_meaning_in_other_mechanisms(self):
        word = dpcert.mechanism("noisy-sgd(steps=4, rate=1/10, ratio=1, contraction=1/2, sampled=2)")
        for whole in (
            word, word**2, word * dpcert.gdp(mu=1), dpcert.hull(inner=word), dpcert.group(k=2, inner=word * word),
            dpcert.mixture(weights=["1/2", "1/2"], mechanisms=[word, dpcert.gdp(mu=1)]),
            pickle.loads(pickle.dumps(word * word)),
        ):
            self.assertEqual(dpcert.delta(whole, epsilon=1).meaning, "upper_bound", repr(whole))


class Curves(unittest.TestCase):
    def test_points_are_proven(self):
        curve = dpcert.mechanism("gdp(mu=1)").curve("tradeoff", points=5)
        self.assertEqual(curve.x, [Fraction(i, 4) for i in range(5)])
        self.assertEqual(curve.answers[2].json(), dpcert.beta("gdp(mu=1)", alpha="1/2").json())
        self.assertEqual(curve.table(4).split("\n")[1], "0,1,1")
        for options in ({"points": 1}, {"points": 2.5}, {"to": 0}, {"to": "ln(2)"}):
            with self.assertRaises(dpcert.InputError):
                dpcert.mechanism("gdp(mu=1)").curve(**options)
        with contextlib.suppress(ImportError):
            self.assertRaises(dpcert.InputError, dpcert.mechanism("gdp(mu=1)").curve, "renyi")


if __name__ == "__main__":
    unittest.main()

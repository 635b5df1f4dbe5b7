"""Tests of what the Python adapters share, with the standard library alone: python -m unittest discover adapters/tests"""

import importlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import tomllib
import unittest

ADAPTERS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ADAPTERS))

import protocol
from protocol import Program, Query, Unsupported

GAUSSIAN = {
    "id": "gaussian-1",
    "quantity": "delta",
    "mechanism": "gaussian(sigma=0.1)^3",
    "parameters": [{"mechanism": "gaussian", "parameters": {"sigma": "0x1.999999999999ap-4"}, "times": 3}],
    "at": {"epsilon": "0x1p+0"},
    "direction": "worst",
}


def asked(**changes):
    return Query({**GAUSSIAN, **changes})


def answered(program, **changes):
    """What the loop says when the adapter makes this program."""
    return protocol.answer(json.dumps({**GAUSSIAN, **changes}), lambda query: program)


class Repetition(unittest.TestCase):
    def run_once(self, question):
        lines = ["import time", "", "time.sleep(0.05)", "made = []", "made.append(1)", f"print({question} + 0.0 * len(made), len(made))"]
        program = Program(*lines, kinds=("upper", "estimate"), says="a test")
        claim = program.claim()
        return claim["upper"], claim["estimate"], claim["seconds"]

    def test_lines_before_the_print_run_once_for_many_questions(self):
        claims = [self.run_once(question) for question in ("0.5", "0.25", "0.125")]
        self.assertEqual([claim[:2] for claim in claims], [(x.hex(), (1.0).hex()) for x in (0.5, 0.25, 0.125)])
        for claim in claims:
            self.assertGreaterEqual(claim[2], 0.05)

    def test_lines_that_fail_fail_again(self):
        for _ in range(2):
            program = Program("made = 1 / 0", "print(made)", kinds="upper", says="a test")
            self.assertIn("ZeroDivisionError", answered(program)["error"])

    def test_other_lines_make_something_else(self):
        first = Program("made = 1.5", "print(made)", kinds="upper", says="a test").claim()
        second = Program("made = 2.5", "print(made)", kinds="upper", says="a test").claim()
        self.assertEqual((first["upper"], second["upper"]), ((1.5).hex(), (2.5).hex()))


class Numbers(unittest.TestCase):
    def test_hex_floats_are_read_and_written_exactly(self):
        for x in [0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.0, -0.0, -2.5, 1e22]:
            self.assertEqual(protocol.number(x.hex()).hex(), x.hex())
            self.assertEqual(protocol.written(x), x.hex())
            self.assertEqual(float(protocol.shown(x)).hex(), x.hex())

    def test_decimals_infinities_and_nan_are_read(self):
        self.assertEqual(protocol.number("1e-3"), 1e-3)
        self.assertEqual(protocol.number("0X1P+1"), 2.0)
        self.assertEqual(protocol.number("-inf"), -math.inf)
        self.assertTrue(math.isnan(protocol.number("nan")))

    def test_infinities_and_nan_are_written(self):
        self.assertEqual(protocol.written(math.inf), "inf")
        self.assertEqual(protocol.written(-math.inf), "-inf")
        self.assertEqual(protocol.written(math.nan), "nan")
        self.assertEqual(protocol.written("0.1234567890123456789012345"), "0.1234567890123456789012345")

    def test_shown_values_evaluate_to_themselves(self):
        for value in [0.1, 5e-324, math.inf, -math.inf, 7, [0.1, 0.25]]:
            self.assertEqual(eval(protocol.shown(value)), value)
        self.assertTrue(math.isnan(eval(protocol.shown(math.nan))))

    def test_quotients_are_exact_or_refused(self):
        self.assertEqual(protocol.quotient(3.0, 2.0, "x"), 1.5)
        for a, b in [(1.0, 3.0), (1.0, 0.0)]:
            with self.assertRaises(Unsupported):
                protocol.quotient(a, b, "x")

    def test_roots_are_rounded_down(self):
        from fractions import Fraction

        for x in [2.0, 3.0, 0.1, 1e-300, 1e300, 4.0, 0.25, 69.40427993059572]:
            root = protocol.root_below(x)
            self.assertLessEqual(Fraction(root) ** 2, Fraction(x))
            self.assertGreater(Fraction(math.nextafter(root, math.inf)) ** 2, Fraction(x))
        self.assertEqual(protocol.root_below(0.1 * 0.1), 0.1)

    def test_probabilities_of_truth_are_rounded_towards_less_noise(self):
        from decimal import Decimal, localcontext

        for epsilon in [0.0, 5e-324, 1e-9, 0.1, 1.0, 20.0]:
            p = protocol.truth_probability(epsilon)
            with localcontext() as context:
                context.prec = 100
                x = Decimal(epsilon).exp()
                self.assertGreaterEqual(Decimal(p), x / (1 + x))
                self.assertLess(Decimal(math.nextafter(p, 0.0)), x / (1 + x))


class Queries(unittest.TestCase):
    def test_the_parts_of_a_query(self):
        query = asked()
        self.assertEqual((query.quantity, query.direction, query.epsilon), ("delta", "worst", 1.0))
        step = query.single("gaussian")
        self.assertEqual((step.get("sigma"), step.times, step.sensitivity), (0.1, 3, 1.0))
        with self.assertRaises(Unsupported):
            query.single("laplace")
        with self.assertRaises(Unsupported):
            query.once("gaussian")
        with self.assertRaises(Unsupported):
            step.get("mu")

    def test_what_is_to_be_calibrated(self):
        step = asked(parameters=[{"mechanism": "gaussian", "parameters": {"sigma": None}, "times": 1}]).steps[0]
        self.assertEqual((step.unknown, step.parameters), ("sigma", {}))

    def test_noise_multipliers(self):
        inside = {"mechanism": "gaussian", "parameters": {"sigma": None}}
        sampled = {"mechanism": "poisson", "parameters": {"rate": "0x1p-3"}, "of": [inside], "times": 9}
        self.assertEqual(asked(quantity="noise", parameters=[sampled]).noise_multiplier(), (0.125, 9))
        self.assertEqual(asked(quantity="noise", parameters=[inside]).noise_multiplier(), (1.0, 1))
        wide = {"mechanism": "gaussian", "parameters": {"sigma": None, "sensitivity": "0x1p+1"}}
        for other in [asked(), asked(quantity="noise", parameters=[wide])]:
            with self.assertRaises(Unsupported):
                other.noise_multiplier()

    def test_sampled_mechanisms_and_lists(self):
        inside = {"mechanism": "finite", "parameters": {"p": ["0x1p-1", "0x1p-1"]}}
        step = asked(parameters=[{"mechanism": "poisson", "parameters": {"rate": "0x1p-3"}, "of": [inside]}]).steps[0]
        self.assertEqual((step.get("rate"), step.times), (0.125, 1))
        self.assertEqual((step.of[0].name, step.of[0].get("p")), ("finite", [0.5, 0.5]))

    def test_a_direction_that_is_not_supported_is_refused(self):
        with self.assertRaises(Unsupported):
            asked(direction="forward").needs("delta")
        with self.assertRaises(Unsupported):
            asked().needs("epsilon")


class Programs(unittest.TestCase):
    def test_the_printed_numbers_are_claimed(self):
        claim = answered(Program("from math import sqrt", "", "x = sqrt(0.25)", "print(x)", kinds="upper", says="a test"))
        self.assertGreaterEqual(claim.pop("seconds"), 0)
        self.assertEqual(
            claim,
            {"id": "gaussian-1", "upper": "0x1.0000000000000p-1", "says": "a test",
             "call": "from math import sqrt\n\nx = sqrt(0.25)\nprint(x)"},
        )

    def test_the_call_says_the_same_when_run_alone(self):
        program = Program("def f(x):", "    return x / 3", "print(f(0.1), f(0.2))", kinds=("lower", "upper"), says="")
        claim = answered(program)
        printed = subprocess.run([sys.executable, "-c", claim["call"]], capture_output=True, text=True, check=True).stdout
        self.assertEqual([float(x).hex() for x in printed.split()], [claim["lower"], claim["upper"]])

    def test_several_kinds_and_one_number_too_few(self):
        claim = answered(Program("print(1.0, 2.0, 3.0)", kinds=("lower", "estimate", "upper"), says=""))
        self.assertEqual([protocol.number(claim[k]) for k in ("lower", "estimate", "upper")], [1, 2, 3])
        self.assertIn("error", answered(Program("print(1.0)", kinds=("lower", "upper"), says="")))

    def test_nan_and_infinity_are_claims(self):
        self.assertEqual(answered(Program("print(float('nan'))", kinds="upper", says=""))["upper"], "nan")
        self.assertEqual(answered(Program("print(-1e999)", kinds="upper", says=""))["upper"], "-inf")

    def test_faults_are_answers(self):
        for lines, name in [
            (["print(1 / 0)"], "ZeroDivisionError"),
            (["import no_such_package", "print(1)"], "ModuleNotFoundError"),
            (["import sys", "sys.exit(3)", "print(1)"], "SystemExit"),
            (["print(None)"], "ValueError"),
            (["print(1j)"], "TypeError"),
            (["print(2.0"], "SyntaxError"),
            (["x = 1"], "AssertionError"),
            (["raise MemoryError", "print(1)"], "MemoryError"),
            (["def f(): return f()", "print(f())"], "RecursionError"),
        ]:
            told = answered(Program(*lines, kinds="upper", says=""))
            self.assertTrue(told["error"].startswith(name), told)
            self.assertEqual(told["call"], "\n".join(lines))
            self.assertNotIn("upper", told)

    def test_faults_before_there_is_a_program(self):
        def lacks(query):
            raise Unsupported("has no such thing")

        told = protocol.answer(json.dumps(GAUSSIAN), lacks)
        self.assertEqual(told, {"id": "gaussian-1", "unsupported": True, "says": "has no such thing"})
        told = protocol.answer("not json", lacks)
        self.assertIsNone(told["id"])
        self.assertTrue(told["error"].startswith("JSONDecodeError"))


class Choices(unittest.TestCase):
    """Settings, by the adapters of this folder: their calls are texts, for which no package is needed."""

    def adapter(self, name, api, **chosen):
        module = importlib.import_module(f"{name}_adapter")
        module.SETTINGS.read(api, {f"DPCERT_SETTING_{name.upper()}": text for name, text in chosen.items()})
        self.addCleanup(module.SETTINGS.read, api, {})
        return module

    def call(self, module, api, **changes):
        return module.SETTINGS.kept_by(api)(asked(**changes)).text

    def test_what_is_chosen_stands_in_the_call(self):
        at = {"at": {"delta": "0x1p-20"}, "quantity": "epsilon"}
        module = self.adapter("dp_accounting", "pld", value_discretization_interval="1e-2", tail_mass_truncation="1e-9", use_connect_dots="False")
        made = "pld.from_gaussian_mechanism(0.1, value_discretization_interval=0.01, use_connect_dots=False)"
        self.assertIn(f"d = {made}.self_compose(3, tail_mass_truncation=1e-09)", self.call(module, module.pld))
        module = self.adapter("dp_accounting", "pld-accountant", value_discretization_interval="1e-2")
        self.assertIn("a = pld.PLDAccountant(value_discretization_interval=0.01)", self.call(module, module.pld_accountant))
        module = self.adapter("dp_accounting", "rdp", orders="2,3.5")
        self.assertIn("a = rdp.RdpAccountant(orders=[2.0, 3.5])", self.call(module, module.rdp))
        module = self.adapter("prv", "prv", eps_error="0.01", delta_error="1e-12")
        self.assertIn("eps_error=0.01, delta_error=1e-12)", self.call(module, module.prv))
        module = self.adapter("opacus", "prv", eps_error="0.5", delta_error="1e-12")
        self.assertIn("get_epsilon(9.5367431640625e-07, eps_error=0.5, delta_error=1e-12)", self.call(module, module.ask("prv"), **at))
        module = self.adapter("opacus", "rdp", alphas="2,3")
        self.assertIn("get_epsilon(9.5367431640625e-07, alphas=[2.0, 3.0])", self.call(module, module.ask("rdp"), **at))
        self.assertEqual(str(module.SETTINGS), ", alphas=[2.0, 3.0]")

    def test_nothing_chosen_leaves_the_call_as_it_was(self):
        module = self.adapter("dp_accounting", "pld")
        self.assertIn("d = pld.from_gaussian_mechanism(0.1).self_compose(3)\n", self.call(module, module.pld))
        self.assertIn("a = pld.PLDAccountant()\n", self.call(module, module.pld_accountant))
        module = self.adapter("prv", "prv")
        self.assertIn("eps_error=0.1, delta_error=1e-10)", self.call(module, module.prv))

    def test_a_question_that_a_setting_says_nothing_about_is_unsupported(self):
        module = self.adapter("dp_accounting", "pld", tail_mass_truncation="1e-9")
        once = [{**GAUSSIAN["parameters"][0], "times": 1}]
        with self.assertRaisesRegex(Unsupported, "does not accept tail_mass_truncation here"):
            self.call(module, module.pld, parameters=once)
        self.assertIn("tail_mass_truncation", self.call(module, module.pld))

    def test_wrong_settings_are_told(self):
        for api, name, text, told in [
            ("prv", "eps_error", "0", "DPCERT_SETTING_EPS_ERROR: expected a positive number, not '0'"),
            ("prv", "eps_error", "1,2", "expected a positive number, not '1,2'"),
            ("prv", "eps_error", "nan", "not 'nan'"),
            ("rdp", "alphas", "2,1", "expected orders above 1, separated by commas, not '2,1'"),
            ("rdp", "alphas", "__import__('os')", "orders above 1"),
            ("rdp", "eps_error", "1", "rdp has no such setting; its settings are DPCERT_SETTING_ALPHAS"),
            ("gdp", "alphas", "2", "gdp has no such setting; its settings are none"),
        ]:
            with self.assertRaisesRegex(ValueError, re.escape(told)):
                self.adapter("opacus", api, **{name: text})
        done = subprocess.run(
            [sys.executable, str(ADAPTERS / "prv_adapter.py"), "prv"], input="", capture_output=True, text=True,
            env={**os.environ, "DPCERT_SETTING_EPS_ERROR": "-1"},
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("DPCERT_SETTING_EPS_ERROR: expected a positive number, not '-1'", done.stderr)

    def test_the_table_of_the_readme_has_all_settings(self):
        listed = re.findall(r"^\| `([a-z-]+):([a-z-]+)` \| (`DPCERT_SETTING_.*) \|", (ADAPTERS / "README.md").read_text(), re.MULTILINE)
        told = {(peer, api): re.findall(r"`DPCERT_SETTING_(\w+)`", names) for peer, api, names in listed}
        offered = {}
        for peer in tomllib.loads((ADAPTERS / "peers.toml").read_text())["peer"]:
            if "Settings(" in (ADAPTERS / peer["script"]).read_text():
                settings = importlib.import_module(peer["script"].removesuffix(".py")).SETTINGS.offered
                self.assertLessEqual(set(settings), {api["name"] for api in peer["api"]})
                offered |= {(peer["name"], api): [name.upper() for name in names] for api, names in settings.items()}
        self.assertEqual(told, offered)


SPEAKER = textwrap.dedent(
    """
    import os, sys
    sys.path.insert(0, {adapters!r})
    from protocol import Program, serve
    def noisy(query):
        print("printed by a package")
        os.system("echo printed by a child")
        os.write(1, b"printed from C\\n")
        if query.epsilon > 1:
            raise RuntimeError("too\\nlarge")
        return Program("print('inside')", "print(0.5)", kinds="estimate", says="")
    serve("no-such-package", {{"noisy": noisy}}, "https://example.org", ["no_such_module", "late_module"])
    """
)


class Loop(unittest.TestCase):
    def speak(self, text, api="noisy"):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "speaker.py")
            pathlib.Path(script).write_text(SPEAKER.format(adapters=str(ADAPTERS)))
            # Loaded before the introduction, so what it prints comes first of all.
            pathlib.Path(folder, "late_module.py").write_text("print('a module that is loaded')")
            return subprocess.run([sys.executable, script, api], input=text, capture_output=True, text=True)

    def test_prints_of_packages_do_not_reach_standard_output(self):
        large = {**GAUSSIAN, "id": "large", "at": {"epsilon": "0x1p+3"}}
        done = self.speak("\n".join([json.dumps(large), "", "{", json.dumps(GAUSSIAN)]) + "\n")
        first, *claims = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(first["adapter"]["version"], "unknown")
        self.assertEqual((first["adapter"]["name"], first["adapter"]["api"]), ("no-such-package", "noisy"))
        self.assertEqual(claims[0], {"id": "large", "error": "RuntimeError: too large"})
        self.assertIn("error", claims[1])
        self.assertEqual((claims[2]["id"], claims[2]["estimate"]), ("gaussian-1", "0x1.0000000000000p-1"))
        self.assertIn("no_such_module cannot be imported: ModuleNotFoundError", done.stderr)
        for source in ("a module that is loaded", "a package", "a child", "from C", "inside"):
            self.assertIn(source, done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_an_unknown_api_is_told(self):
        done = self.speak("", api="other")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("usage: speaker.py noisy", done.stderr)

    def test_the_minimal_example(self):
        unknown = {**GAUSSIAN, "id": "other", "quantity": "renyi"}
        broken = {**GAUSSIAN, "id": "broken", "at": {}}
        text = "".join(json.dumps(q) + "\n" for q in (GAUSSIAN, unknown, broken))
        done = subprocess.run(
            [sys.executable, str(ADAPTERS / "examples" / "minimal.py")], input=text, capture_output=True, text=True
        )
        claims = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(protocol.number(claims[0]["estimate"]), 0.99)
        self.assertTrue(claims[1]["unsupported"])
        self.assertTrue(claims[2]["error"].startswith("KeyError"))


class Peers(unittest.TestCase):
    def test_the_files_named_exist_and_pin_the_version(self):
        peers = tomllib.loads((ADAPTERS / "peers.toml").read_text())["peer"]
        self.assertEqual(len({p["name"] for p in peers}), len(peers))
        for peer in peers:
            self.assertTrue((ADAPTERS / peer["script"]).is_file())
            pins = (ADAPTERS / peer["requirements"]).read_text().splitlines()
            pins = [line for line in pins if line and not line.startswith("#")]
            self.assertTrue(all("==" in pin for pin in pins))
            self.assertIn(f"{peer['name']}=={peer['version']}", pins)
            text = (ADAPTERS / peer["script"]).read_text()
            for api in peer["api"]:
                self.assertIn(f'"{api["name"]}"', text.replace("for kind in ACCOUNTANTS", '"prv" "rdp" "gdp"'))


if __name__ == "__main__":
    unittest.main()

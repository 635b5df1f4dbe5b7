"""Tests of the coverage run, with the standard library alone: python -m unittest discover benches/coverage"""

import decimal
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from decimal import Decimal
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import program  # noqa: E402
import questions  # noqa: E402
import report  # noqa: E402
import warm  # noqa: E402
import wider  # noqa: E402

COMMAND = HERE.parents[1] / "scripts" / "coverage.py"

# A simulated program with a fixed behaviour. The path of Python may have a blank, which no `#!` can name: a shell starts it.
FAKE = """#!/bin/sh
''':'
exec "{python}" "$0" "$@"
'''
import json, sys, time
if "--help" in sys.argv:
    print("      --digits <N>\\n          How many\\n\\n          [default: {default}]\\n\\n      --json\\n          [default: 7]")
    sys.exit()
digits = int(sys.argv[sys.argv.index("--digits") + 1]) if "--digits" in sys.argv else {default}
with open(r"{log}", "a") as log:
    print(digits, file=log)
{body}
"""


def fake(folder, body, default=15):
    """The path of such a program, and of the file where it writes the digits it is asked for."""
    path, log = pathlib.Path(folder, "dpcert"), pathlib.Path(folder, "asked")
    path.write_text(FAKE.format(python=sys.executable, body=body, log=log, default=default))
    path.chmod(0o755)
    return path, log


def printing(**answer):
    return f"print({json.dumps({'quantity': 'epsilon', **answer})!r})"


class Enclosures(unittest.TestCase):
    def test_digits_are_those_of_the_middle(self):
        for lower, upper, proven in [
            ("0.2075268521031496", "0.2075268521031497", 15),
            ("1.000000000000001", "1.000000000000002", 15),
            ("0.99", "1.01", 2),
            ("0.989", "1.01", 1),
            ("9.7756", "9.7765", 4),
            ("0", "0.5", 0),
            ("1e-300", "1.0000002e-300", 7),
            ("-3.0000", "-2.9998", 4),
        ]:
            self.assertEqual(program.digits(Fraction(lower), Fraction(upper)), proven, (lower, upper))
        self.assertEqual(program.digits(Fraction(1, 3), Fraction(1, 3)), program.EXACT)

    def test_an_enclosure_says_more_than_the_range(self):
        def found(quantity, lower, upper):
            return program.enclosure({"quantity": quantity, "lower": lower, "upper": upper})

        self.assertEqual(found("epsilon", "0", "1"), (0, 1))
        self.assertIsNone(found("delta", "0", "1"))
        self.assertEqual(found("beta", "0", "0.5"), (0, Fraction(1, 2)))
        self.assertIsNone(found("epsilon", "3", None))
        self.assertIsNone(found("epsilon", "3", "inf"))
        self.assertIsNone(program.enclosure({"quantity": "epsilon", "kind": "undecided"}))


class Questions(unittest.TestCase):
    def test_a_seed_has_its_questions(self):
        self.assertEqual(str(questions.drawn(1, 3)), "delta 'randomized-response(epsilon=0.0249)^4000' --epsilon 10")
        self.assertEqual(str(questions.drawn(1, 5)), "epsilon 'poisson(rate=0.15, gaussian(sigma=1.4))^3000' --delta 2.31e-8")
        self.assertEqual(str(questions.drawn(1, 5)), str(questions.drawn(1, 5)))
        self.assertNotEqual(str(questions.drawn(2, 5)), str(questions.drawn(1, 5)))

    def test_they_do_not_depend_on_the_precision_that_is_set(self):
        with decimal.localcontext(decimal.Context(prec=5)):
            self.assertEqual(str(questions.drawn(1, 5)), "epsilon 'poisson(rate=0.15, gaussian(sigma=1.4))^3000' --delta 2.31e-8")

    def test_all_families_and_sizes_come_up_and_keep_to_their_ranges(self):
        families, sizes, quantities = set(), set(), set()
        for number in range(1, 201):
            question = questions.drawn(11, number)
            steps = question.steps
            families.update(question.families)
            sizes.add(len(steps))
            quantities.add(question.quantity)
            for step in steps:
                self.assertTrue(1 <= step["times"] <= (20000 if step["of"] else 5000), question)
                for inner in [step, *step["of"]]:
                    self.within(inner, question)
            failing = sum(s["times"] * Decimal(s["parameters"].get("delta", "0")) for s in steps)
            if question.quantity == "epsilon":
                self.assertLess(failing, Decimal(question.point), question)
                self.assertTrue(Decimal("1e-10") <= Decimal(question.point) <= Decimal("1e-3"), question)
            elif question.quantity == "beta":
                self.assertTrue(Decimal("0.001") <= Decimal(question.point) <= Decimal("0.5"), question)
            else:
                self.assertTrue(0 < Decimal(question.point) <= 100, question)
        self.assertEqual(sizes, {1, 2, 3})
        self.assertEqual(quantities, {"delta", "epsilon", "beta"})
        plain = ["gaussian", "laplace", "randomized-response", "approx-dp", "geometric", "staircase", "discrete-gaussian", "finite"]
        sampled = ["gaussian", "laplace", "randomized-response", "discrete-gaussian"]
        self.assertEqual(families, {*plain, *(f"poisson of {name}" for name in sampled)})

    def within(self, step, question):
        given = step["parameters"]
        if step["mechanism"] == "finite":
            for law in (given["p"], given["q"]):
                self.assertEqual(sum(map(Fraction, law)), 1, question)
                self.assertTrue(all(0 < Fraction(mass) < 1 and Fraction(mass).denominator <= 20 for mass in law), question)
            return
        least, most = {
            "gaussian": ("0.3", "100"),
            "laplace": ("0.3", "300"),
            "discrete-gaussian": ("0.3", "10000"),
            "poisson": ("0.0001", "0.5"),
        }.get(step["mechanism"], ("0.005", "3"))
        for key in ("sigma", "scale", "sigma2", "rate", "epsilon"):
            if key in given:
                self.assertTrue(Decimal(least) <= Decimal(given[key]) <= Decimal(most), (key, question))

    def test_expressions_are_read(self):
        self.assertEqual(
            questions.read("poisson(rate=3.1e-4, gaussian(sigma=2, sensitivity=3))^20 * finite(p=[1/2,1/2], q=[1/3, 2/3])"),
            [
                {
                    "mechanism": "poisson", "times": 20, "parameters": {"rate": "3.1e-4"},
                    "of": [
                        {"mechanism": "gaussian", "times": 1, "parameters": {"sigma": "2", "sensitivity": "3"}, "of": []}
                    ],
                },
                {"mechanism": "finite", "times": 1, "parameters": {"p": ["1/2", "1/2"], "q": ["1/3", "2/3"]}, "of": []},
            ],
        )
        for wrong in ["gaussian(sigma=1", "gaussian(sigma=1))", "gaussian", "gaussian(sigma=1) gdp(mu=1)", "gaussian(sigma=é)"]:
            with self.assertRaises((ValueError, StopIteration, RuntimeError), msg=wrong):
                questions.read(wrong)

    def test_examples_are_read(self):
        found = questions.examples()
        self.assertEqual(len(found), len({question.mechanism for question in found}))
        for question in found:
            self.assertIn(question.quantity, ("delta", "epsilon", "beta"))
            self.assertTrue(question.families)

    def test_numbers_are_written_as_people_do(self):
        for value, digits, text in [
            ("1234.5", 2, "1200"), ("0.000123", 2, "0.00012"), ("0.0000123", 3, "1.23e-5"), ("1e-10", 2, "1e-10"),
            ("0.5", 3, "0.5"), ("0.25", 1, "0.2"), ("19999999", 2, "2e7"),
        ]:
            self.assertEqual(questions.shown(value, digits), text)

    def test_moments_of_samples_are_those_of_the_sampled_pair(self):
        # A pair with short decimals: both sums are exact at this precision.
        p, q, r = (Decimal("0.75"), Decimal("0.25")), (Decimal("0.5"), Decimal("0.5")), Decimal("0.5")
        with decimal.localcontext(decimal.Context(prec=100)):
            inner = questions.Factor("", lambda k: sum(b * (a / b) ** k for a, b in zip(p, q)))
            for k in (2, 3, 7):
                directly = sum(b * (((1 - r) * b + r * a) / b) ** k for a, b in zip(p, q))
                self.assertEqual(questions.sampled_moment(inner, r, k), directly)


class WiderQuestions(unittest.TestCase):
    def test_all_kinds_come_up(self):
        kinds = {wider.kind(wider.drawn(1, number)) for number in range(1, 120)}
        self.assertEqual(kinds, {
            "group", "hull", "inverse", "symmetrize", "mixture", "subsample", "shuffle", "sensitivity", "history", "little noise",
            "tiny rate",
        })

    def test_a_seed_has_its_questions(self):
        self.assertEqual(str(wider.drawn(1, 2)), "epsilon 'shuffle(n=76000, epsilon0=0.9)^3' --delta 8.4e-5")
        self.assertTrue(wider.is_one(wider.drawn(1, 2)))
        self.assertFalse(wider.is_one(questions.drawn(1, 2)))
        self.assertFalse(wider.is_one(questions.examples()[0]))

    def test_deltas_of_tiny_rates_are_below_what_samples_touch(self):
        for number in range(1, 200):
            question = wider.drawn(3, number)
            if wider.kind(question) == "tiny rate" and question.quantity == "epsilon":
                step = questions.read(question.mechanism)[0]
                self.assertLess(Decimal(question.point), Decimal(step["parameters"]["rate"]) * step["times"], question)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, path, *options, questions=0):
        place = self.folder.name
        return subprocess.run(
            [
                *(sys.executable, COMMAND, path, "--questions", str(questions), "--limit", "1000"),
                *("--table", f"{place}/table.md", "--out", f"{place}/short.tsv", "--journal", f"{place}/journal.jsonl"),
                *options,
            ],
            capture_output=True,
            text=True,
        )

    def rows(self):
        lines = pathlib.Path(self.folder.name, "short.tsv").read_text().splitlines()
        return [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]

    def test_answers_with_all_digits_are_asked_for_once(self):
        path, log = fake(self.folder.name, printing(kind="enclosure", lower="1.000000000000000", upper="1.000000000000001"))
        ran = self.run_on(path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(log.read_text().split(), ["15"] * len(questions.examples()))
        self.assertEqual(self.rows(), [])

    def test_less_ordinary_queries_have_rows_of_their_own(self):
        path, log = fake(self.folder.name, printing(kind="exact", lower="2", upper="2"))
        ran = self.run_on(path, "--wider", "3", questions=2)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(len(log.read_text().split()), len(questions.examples()) + 2 + 3)
        table = pathlib.Path(self.folder.name, "table.md").read_text()
        self.assertIn("| all | 2 | 100% |", table)
        self.assertIn("| less ordinary queries | 3 | 100% |", table)
        self.assertIn("| less ordinary: shuffle | 1 | 100% |", table)

    def test_short_answers_count_with_what_they_prove(self):
        body = printing(kind="enclosure", lower="0.9765", upper="0.9766", method="a grid", reason="too fine") + "; sys.exit(3)"
        path, log = fake(self.folder.name, body)
        ran = self.run_on(path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(log.read_text().split()[:4], ["15", "8", "6", "15"])
        rows = self.rows()
        self.assertEqual(len(rows), len(questions.examples()))
        self.assertEqual({(row["digits"], row["method"], row["reason"]) for row in rows}, {("4", "a grid", "too fine")})
        table = pathlib.Path(self.folder.name, "table.md").read_text()
        self.assertIn("| 12 | 100% | 0% | 0% | 0% |", table)

    def test_a_program_of_fewer_digits_by_default_is_asked_for_more(self):
        path, log = fake(self.folder.name, printing(kind="enclosure", lower="0.97656", upper="0.97657"), default=6)
        self.run_on(path)
        self.assertEqual(log.read_text().split()[:3], ["6", "15", "8"])

    def test_no_answer_is_no_digits(self):
        path, _ = fake(self.folder.name, printing(kind="undecided", reason="no way") + "; sys.exit(3)")
        self.run_on(path)
        self.assertEqual({(row["digits"], row["kind"], row["reason"]) for row in self.rows()}, {("none", "undecided", "no way")})

    def test_processor_time_is_limited(self):
        path, _ = fake(self.folder.name, "while True: pass")
        asked = program.Program(str(path), "4e9", 1).ask(questions.drawn(1, 1))
        self.assertEqual(asked.code, -signal.SIGXCPU)
        self.assertIn("processor time", asked.reason)
        self.assertTrue(0.5 < asked.seconds < 2.5, asked.seconds)
        self.assertIsNone(asked.digits)

    def test_a_process_that_is_warm_is_measured_without_its_start(self):
        body = "def work(seconds):\n    while time.process_time() < seconds: pass\n"
        body += f"work(0.5)\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
        body += "    work(time.process_time() + (0 if asked == " + repr(warm.WARM) + " else 0.2))\n"
        body += f"    {printing(kind='enclosure', lower='1.000001', upper='1.000002')[:-1]}, flush=True)\n"
        path, _ = fake(self.folder.name, body)
        lines = warm.Warm(str(path), "4e9", 10)
        self.addCleanup(lines.end)
        question = questions.drawn(1, 1)
        for _ in range(2):
            said = lines.ask(question)
            self.assertEqual(said["digits"], 6)
            self.assertTrue(0.19 < said["seconds"] < 0.5, said)
        # One that has ended says nothing, and another is started.
        lines.worker.kill()
        self.assertIsNone(lines.ask(question))
        self.assertEqual(lines.ask(question)["digits"], 6)

    def test_every_run_has_the_same_work(self):
        given = pathlib.Path(self.folder.name, "work")
        body = f"print(sys.argv[sys.argv.index('--work') + 1], file=open(r'{given}', 'a'))\n"
        path, _ = fake(self.folder.name, body + printing(kind="exact", lower="2", upper="2"))
        self.run_on(path, "--work", "5e8")
        self.assertEqual(set(given.read_text().split()), {"5e8"})

    def test_contradictions_are_told(self):
        body = "low = '1' if digits == 15 else '2'\n"
        body += "print(json.dumps({'quantity': 'epsilon', 'kind': 'enclosure', 'lower': low, 'upper': low + '.1'}))"
        path, _ = fake(self.folder.name, body)
        ran = self.run_on(path)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("do not intersect", ran.stderr)

    def test_a_journal_is_gone_on_with(self):
        path, log = fake(self.folder.name, printing(kind="exact", lower="2", upper="2"))
        self.run_on(path)
        journal = pathlib.Path(self.folder.name, "journal.jsonl")
        kept = journal.read_text()
        # Killed while it wrote its last line.
        journal.write_text(kept[:-20])
        log.unlink()
        ran = self.run_on(path, "--resume", questions=2)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(len(log.read_text().split()), 1 + 2)
        self.assertEqual(len(journal.read_text().splitlines()), 1 + 12 + 2)
        # Another program's answers are none of this one's.
        path.write_text(path.read_text() + "# another")
        ran = self.run_on(path, "--resume")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("another program", ran.stderr)

    def test_interrupted_runs_leave_the_table_and_no_child(self):
        path, _ = fake(self.folder.name, f"open(r'{self.folder.name}/pid', 'w').write(str(__import__('os').getpid()))\ntime.sleep(100)")
        place = pathlib.Path(self.folder.name)
        (place / "table.md").write_text("old\n")
        ran = subprocess.Popen(
            [sys.executable, COMMAND, path, "--table", place / "table.md", "--journal", place / "journal.jsonl", "--limit", "60"],
            stderr=subprocess.PIPE, text=True,
        )
        pid = place / "pid"
        while not (pid.exists() and pid.read_text()):
            self.assertIsNone(ran.poll(), "it ended without having asked")
            time.sleep(0.05)
        ran.send_signal(signal.SIGTERM)
        _, said = ran.communicate()
        self.assertEqual(ran.returncode, 130, said)
        self.assertEqual((place / "table.md").read_text(), "old\n")
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


class Reports(unittest.TestCase):
    def test_the_table_keeps_what_is_around_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "README.md")
            path.write_text("# Speed\n\nbefore\n")
            for text in ("one", "two"):
                report.replace(path, f"{report.BEGIN}\n{text}\n{report.END}\n")
            self.assertEqual(path.read_text(), f"# Speed\n\nbefore\n\n{report.BEGIN}\ntwo\n{report.END}\n")
            path.write_text(path.read_text() + "\nafter\n")
            report.replace(path, f"{report.BEGIN}\nthree\n{report.END}\n")
            self.assertEqual(path.read_text(), f"# Speed\n\nbefore\n\n{report.BEGIN}\nthree\n{report.END}\n\nafter\n")

    def test_percentiles_are_values(self):
        self.assertEqual(report.percentile([5, 1, 4, 2, 3], 99), 5)
        self.assertEqual(report.percentile(range(1, 101), 99), 99)
        self.assertEqual(report.percentile([7], 50), 7)

    def test_a_share_of_all_is_no_rounding(self):
        self.assertEqual(report.share(9999, 10000), "99.9%")
        self.assertEqual(report.share(3, 3), "100%")

    def result(self, value, seconds=1.0, lower="0.9999999", upper="1.0000001", own=0.5):
        run = {"code": 0, "seconds": own, "kind": "enclosure", "lower": lower, "upper": upper, "method": "", "reason": ""}
        run["digits"] = program.digits(Fraction(lower), Fraction(upper))
        question = questions.drawn(1, 1)
        return report.Result(question, {"asked": {"default": run}, "pld": {"value": value, "seconds": seconds, "start": 0.25}})

    def test_errors_are_those_by_the_certified_answer(self):
        self.assertEqual(self.result((1.5).hex()).error, (0.5, False))
        self.assertEqual(self.result((0.75).hex()).error, (-0.25, True))
        # A value inside the enclosure is not too low, and neither is one within rounding of doubles.
        self.assertEqual(self.result((1.0).hex()).error, (0.0, False))
        self.assertFalse(self.result((0.99999989999).hex()).error[1])
        self.assertTrue(self.result((0.9999998).hex()).error[1])
        self.assertIsNone(self.result("inf").error)
        self.assertIsNone(self.result((1.5).hex(), lower="0.9", upper="1").error)

    def test_faster_needs_an_answer(self):
        self.assertTrue(self.result("0x1p0").faster)
        self.assertFalse(self.result("0x1p0", seconds=0.5).faster)
        self.assertFalse(self.result("0x1p0", lower="0.9", upper="1").faster)

    def test_who_starts_takes_longer(self):
        self.assertTrue(self.result("0x1p0", seconds=0.26).faster_started)
        self.assertFalse(self.result("0x1p0", seconds=0.25).faster_started)
        self.assertFalse(self.result("0x1p0", seconds=2.0, lower="0.9", upper="1").faster_started)

    def test_who_is_warm_needs_an_answer_too(self):
        result = self.result("0x1p0", seconds=0.5)
        self.assertFalse(result.faster_warm)
        for seconds, digits, faster in [(0.4, 6, True), (0.4, "exact", True), (0.5, 15, False), (0.4, 5, False), (0.4, None, False)]:
            result.warm = {"seconds": seconds, "digits": digits}
            self.assertEqual(result.faster_warm, faster)


if __name__ == "__main__":
    unittest.main()

"""Test the table of verdicts that the action comments, against independent counts of the same judgements."""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/action"))

import audit  # noqa: E402
from verdicts import COLUMNS, table  # noqa: E402

LINES = (ROOT / "tests/fixtures/report/judgements.jsonl").read_text(encoding="utf-8").splitlines()
INPUTS = dict.fromkeys(["PACKAGE", "REFERENCE", "ADAPTER", "EVERY", "ONLY", "FAIL_ON", "BASELINE"], "")


class Verdicts(unittest.TestCase):
    def test_table_counts_every_verdict(self):
        page, unsound = table(LINES)
        rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.search(r"(\| \d+ ){8}\|$", line)]
        self.assertEqual(len(rows), len({re.search('"api":"[^"]*"', line)[0] + line[:60] for line in LINES if '"judgement"' in line[:30]}))
        totals = [sum(int(row[1 + at]) for row in rows) for at in range(len(COLUMNS))]
        for name, total in zip(COLUMNS, totals, strict=True):
            word = f'"size":"{name}"' if name in ("rounding", "negligible") else f'"verdict":"{name}"'
            told = sum(word in line and ('"verdict":"unsound"' in line or "verdict" in word) for line in LINES)
            if name == "unsound":
                told -= totals[1] + totals[2]
                self.assertEqual(unsound, told)
            self.assertEqual(total, told, name)
        self.assertEqual(sum(totals), sum('"type":"judgement"' in line for line in LINES))

    def test_markup_in_foreign_text_is_escaped(self):
        line = json.loads(next(line for line in LINES if '"size":"gross"' in line))
        line.update(id="<img src=x>|`a`\n@someone [x](javascript:1)", version="|\n# x")
        page, _ = table([json.dumps(line)])
        self.assertNotIn("<img", page)
        self.assertNotIn("@someone", page)
        rows = [row for row in page.splitlines() if row.startswith("|")]
        self.assertEqual(len(rows), 6)
        self.assertEqual({row.count("|") for row in rows[3:]}, {6})

    def test_reports_an_empty_audit(self):
        page, unsound = table([])
        self.assertEqual(unsound, 0)
        self.assertIn("Nothing was judged", page)

    def test_the_verdict_comes_first(self):
        first = lambda lines: table(lines)[0].splitlines()[2]  # noqa: E731
        _, unsound = table(LINES)
        self.assertRegex(first(LINES), rf"^\*\*Not sound: {unsound} of \d+ claims ")
        sound = [line for line in LINES if '"verdict":"sound"' in line]
        self.assertEqual(first(sound), f"**No unsound claim among {len(sound)}.**")
        failed = [line for line in LINES if '"verdict":"failed"' in line]
        self.assertEqual(first(failed), "**Nothing was judged: the accountant returned no claim.**")

    def test_inputs_choose_the_audits(self):
        adapters = ROOT / "adapters"
        courses = lambda **given: audit.courses(INPUTS | given, pathlib.Path("unused"), adapters)  # noqa: E731
        self.assertEqual(courses(PACKAGE="opacus"), [("audit", ["opacus"])])
        self.assertEqual(courses(ADAPTER="python3 a.py; b"), [("adapter", ["--adapter", "python3 a.py; b"])])
        for wrong in [{}, {"PACKAGE": "--list"}, {"PACKAGE": "nobody", "REFERENCE": "."}, {"PACKAGE": "opacus:x", "REFERENCE": "."}]:
            with self.assertRaises(SystemExit):
                courses(**wrong)


if __name__ == "__main__":
    unittest.main()

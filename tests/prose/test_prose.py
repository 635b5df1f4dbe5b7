"""The check of prose finds sentences in the old style in every kind of file, and its list of exceptions only shrinks."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import prose  # noqa: E402

#: Sentences as they stood in the project, one for each rule at least.
BAD = [
    "Whoever asks for more digits waits.",
    "Nobody reads more notes.",
    "What does not fail outright in many runs.",
    "It is what is so for all of them.",
    "An outcome of a query to so many digits.",
    "It shows how an answer was come by.",
    "It tells which rows are wrong.",
    "The rows are told below.",
    "Be content with three digits.",
    "Budgets of mechanisms that are chosen as one goes.",
    "Such a sum has no digits.",
    "The default stands for want of a value.",
    "It has a type of its own.",
    "More can be had with a flag.",
    "The contour takes on every mixture.",
    "The page speaks of two engines.",
    "Plots, tables and the like.",
    "Long sums are dear.",
    "Which of two is the more private?",
    "A mistake of ours ends the run.",
    "The bounds found on the way are intersected.",
    "A shorter list would do.",
    "The loop has no patience left.",
    "The value that keeps a promise.",
    "A number in the place of the name.",
    "The check is for you to do.",
    "word " * (prose.LONGEST + 1) + "end.",
]

GOOD = [
    "Upper bound on the mass beyond the last listed outcome.",
    "A query that times out at `--digits N` still returns the digits of the default.",
    "Compute epsilon for a target delta.",
    "What is epsilon?",
    "There are so many terms that the sum needs a file.",
]


class Rules(unittest.TestCase):
    def test_finds_each_bad_sentence(self):
        for sentence in BAD:
            self.assertIsNotNone(prose.fault(sentence), sentence)

    def test_accepts_plain_sentences(self):
        for sentence in GOOD:
            self.assertIsNone(prose.fault(sentence), sentence)

    def test_every_rule_finds_a_bad_sentence(self):
        for pattern, _ in prose.RULES:
            flags = 0 if pattern.startswith("^") else prose.re.IGNORECASE
            self.assertTrue(any(prose.re.search(pattern, sentence, flags) for sentence in BAD), pattern)

    def test_names_of_tests_say_case_and_outcome(self):
        self.assertIsNone(prose.fault("test refuses_rate_above_one"))
        for name in ["edges", "references", "perhaps_no_root", "test_basic"]:
            self.assertIsNotNone(prose.fault(f"test {name}"), name)


class Kinds(unittest.TestCase):
    """Where a bad sentence is found: once, with its line."""

    def lines(self, name, text):
        return [finding.split(":")[1] for finding in prose.findings(name, text)]

    def test_finds_sentences_of_markdown_outside_of_code(self):
        text = "# Title\n\nNobody knows.\nA line.\n\n```console\n$ nobody\n```\n\n| a | nobody |\n|---|---|\n\n* a list: nobody\n"
        self.assertEqual(self.lines("a.md", text), ["3", "10", "13"])

    def test_finds_sentences_of_rust(self):
        text = '/// Nobody\n/// reads.\nfn f() {\n    // It tells all.\n    let s = "nobody has\\\n        read this text";\n}\n'
        self.assertEqual(self.lines("a.rs", text), ["1", "4", "5"])
        self.assertEqual(self.lines("a.rs", "#[test]\nfn edges() {}\n#[test]\nfn edges_are_exact() {}\n"), ["2"])

    def test_finds_sentences_of_python(self):
        text = '"""Good.\n\nNobody reads this.\n"""\n# Nobody\n# does.\nx = "nobody has read this"\ny = nobody\ndef test_edges(): pass\n'
        self.assertEqual(sorted(self.lines("a.py", text)), ["3", "5", "7", "9"])

    def test_finds_comments_of_scripts(self):
        for name in ["a.sh", "Makefile", "a.toml", "a.yml"]:
            self.assertEqual(self.lines(name, "#!/bin/sh\n# It tells\n# all.\nnobody\n"), ["2"], name)


class Exceptions(unittest.TestCase):
    def test_more_findings_fail(self):
        self.assertTrue(list(prose.compared({"a.md": ["x", "y"]}, {"a.md": 1})))
        self.assertTrue(list(prose.compared({"a.md": ["x"]}, {})))

    def test_fewer_findings_fail_until_the_number_is_lowered(self):
        found, allowed = {"a.md": ["x"]}, {"a.md": 2, "gone.md": 1}
        self.assertTrue(list(prose.compared(found, allowed)))
        self.assertEqual(list(prose.compared(found, prose.lowered(found, allowed))), [])

    def test_update_raises_no_number_and_adds_no_file(self):
        found = {"a.md": ["x", "y"], "b.md": ["x"]}
        self.assertEqual(prose.lowered(found, {"a.md": 1}), {"a.md": 1})

    def test_pages_for_users_are_no_exceptions(self):
        allowed = prose.exceptions((ROOT / prose.EXCEPTIONS).read_text())
        users = [name for name in allowed if name.endswith((".md", ".ipynb")) and not name.startswith("proofs/")]
        self.assertEqual(users, [])

    def test_a_checkout_passes(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/prose.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()

"""Every Python example of the documentation runs, and prints what the page shows."""

import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import unittest
import unittest.mock

import dpcert

ROOT = pathlib.Path(os.environ.get("DPCERT_CHECKOUT", pathlib.Path(__file__).resolve().parents[3]))
PAGES = sorted(
    page
    for pattern in (
        "*.md", "adapters/*.md", "benches/*.md", "docs/pages/**/*.md", "examples/**/*.md", "papers/**/*.md", "proofs/**/*.md",
        "python/*.md", "vectors/*.md", "vectors/python/*.md",
    )
    for page in ROOT.glob(pattern)
)  # fmt: skip

#: Blocks that are only compiled here: the page, a text in the block, and what runs it instead.
ELSEWHERE = [
    ("vectors/FINDINGS.md", "", "needs the audited packages: scripts/check_findings.py"),
    ("python/CLUSTER.md", "from dask", "needs a cluster: python/tests/test_recipes.py, on local processes"),
    ("vectors/python/README.md", "from dp_accounting", "needs dp-accounting: scripts/python_package.sh"),
]

#: Examples that need more than the standard library: the page, and the module. They run where it is installed.
NEEDS = {"python/CLUSTER.md": "distributed"}

#: Names that blocks without prompts use without defining them.
GIVEN = {"dpcert": dpcert, "my_delta": lambda steps, epsilon: 1.0}


def blocks(page):
    """The Python blocks of a page, and all that is around them."""
    parts = re.split(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return parts[1::2], "".join(parts[::2])


def elsewhere(name, block):
    return [entry for entry in ELSEWHERE if entry[0] == name and entry[1] in block]


@contextlib.contextmanager
def checkout():
    """The checkout as the current folder, with the package of the vectors importable."""
    where, path = os.getcwd(), list(sys.path)
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "vectors/python/src"))
    try:
        yield
    finally:
        os.chdir(where)
        sys.path[:] = path


class Pages(unittest.TestCase):
    def run_examples(self, test):
        report = []
        result = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.append)
        self.assertEqual(result.failed, 0, "".join(report))

    def test_examples_with_prompts_print_what_the_page_shows(self):
        ran = 0
        for page in PAGES:
            name = str(page.relative_to(ROOT))
            text = "\n".join(block for block in blocks(page)[0] if ">>>" in block)
            if not text:
                continue
            with self.subTest(name):
                if name in NEEDS and not importlib.util.find_spec(NEEDS[name]):
                    self.skipTest(f"needs {NEEDS[name]}")
                ran += 1
                with checkout():
                    self.run_examples(doctest.DocTestParser().get_doctest(text, {}, name, name, 0))
        self.assertGreater(ran, 4)

    def test_blocks_without_prompts_run(self):
        used = []
        for page in PAGES:
            name = str(page.relative_to(ROOT))
            for block in blocks(page)[0]:
                if ">>>" in block:
                    continue
                with self.subTest(name, block=block[:60]):
                    code = compile(block, name, "exec")
                    used += elsewhere(name, block)
                    if elsewhere(name, block):
                        continue
                    with checkout(), contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch("sys.stdin", io.StringIO()):
                        exec(code, dict(GIVEN))
        self.assertEqual([entry for entry in ELSEWHERE if entry not in used], [], "a page has no such block any more")

    def test_no_prompt_is_outside_of_a_python_block(self):
        for page in PAGES:
            self.assertNotRegex(blocks(page)[1], r"(?m)^\s*>>> ", page)

    def test_the_adapter_of_the_page_answers_a_query(self):
        code = (ROOT / "adapters/examples/minimal.py").read_text(encoding="utf-8")
        self.assertIn(code, blocks(ROOT / "adapters/README.md")[0])
        query = {"id": "a", "quantity": "delta", "at": {"epsilon": "0x1p+0"}}
        query["parameters"] = [{"mechanism": "gaussian", "parameters": {"sigma": "0x1p+1"}, "times": 10}]
        done = subprocess.run([sys.executable, "-c", code], input=json.dumps(query), capture_output=True, text=True, check=True)
        claim = float.fromhex(json.loads(done.stdout)["estimate"])
        truth = dpcert.delta("gaussian(sigma=2)^10", epsilon=1)
        self.assertAlmostEqual(claim, truth.f64_upper, places=12)

    def test_the_queries_of_the_json_page_are_answered(self):
        text = (ROOT / "docs/pages/reference/json.md").read_text(encoding="utf-8")
        found = re.findall(r"^```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        queries = [query for block in found for query in ([block.replace("\n", " ")] if "\n " in block else block.splitlines())]
        self.assertGreater(len(queries), 10)
        for query, answer in zip(queries, dpcert.lines(queries)):
            with self.subTest(query):
                self.assertNotIsInstance(json.loads(answer).get("error"), str, answer)

    def test_a_vector_that_fails_prints_the_report_of_the_page(self):
        with checkout():
            from dpcert_vectors import Query, exactly, load
            from dpcert_vectors.report import describe

            vectors = load(ROOT / "vectors/data")
        shown = re.search(r"^```\n((\S+): the upper bound is UNSOUND.*?)^```$", blocks(ROOT / "vectors/python/README.md")[1], re.DOTALL | re.MULTILINE)
        claim = re.search(r"\((0x[^)]*)\)", shown[1])
        query = Query(vectors.case(shown[2]))
        text = describe(query, "upper", exactly(float.fromhex(claim[1])), "unsound", "below the truth", vectors.flags)
        self.assertTrue(doctest.OutputChecker().check_output(shown[1], text + "\n", doctest.ELLIPSIS), text)


class Docstrings(unittest.TestCase):
    def test_examples_print_what_they_show(self):
        ran = 0
        for found in pkgutil.walk_packages(dpcert.__path__, "dpcert."):
            if found.name.split(".")[-1] in ("__main__", "_program", "_dpcert"):
                continue
            with self.subTest(found.name):
                result = doctest.testmod(importlib.import_module(found.name), verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
                self.assertEqual(result.failed, 0)
                ran += result.attempted
        result = doctest.testmod(dpcert, verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.assertEqual(result.failed, 0)
        self.assertGreater(ran, 10)


if __name__ == "__main__":
    unittest.main()

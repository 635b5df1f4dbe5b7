"""What the pages of the site show of Python is what comes out."""

import doctest
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ.get("DPCERT_CHECKOUT", pathlib.Path(__file__).resolve().parents[3]))
PAGES = sorted((ROOT / "docs/pages").rglob("*.md"))


def load_tests(loader, tests, pattern):
    """One test for each page with Python on it. Its paths are those of the checkout."""
    where = os.getcwd()
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        text = "\n".join(block for block in blocks if ">>>" in block)
        if not text:
            continue
        name = str(page.relative_to(ROOT))
        test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        tests.addTest(
            doctest.DocTestCase(
                test,
                optionflags=doctest.NORMALIZE_WHITESPACE,
                setUp=lambda _: os.chdir(ROOT),
                tearDown=lambda _: os.chdir(where),
            )
        )
    return tests


class Pages(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreater(len(PAGES), 15)


if __name__ == "__main__":
    unittest.main()

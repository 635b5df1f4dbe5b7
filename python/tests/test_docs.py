"""Examples of the pages that need libraries, such as Dask, print what the page shows; `quick/test_pages.py` tests all others."""

import doctest
import os
import pathlib

import pytest

PAGES = pathlib.Path(os.environ.get("DPCERT_PYTHON", pathlib.Path(__file__).parents[1]))
FLAGS = doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", ["README.md", "CLUSTER.md"])
def test_examples_print_what_the_page_shows(page):
    text = (PAGES / page).read_text(encoding="utf-8").replace("```\n", "\n")
    found = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert found.examples, page
    report = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(found, out=report.append)
    assert result.failed == 0, "".join(report)

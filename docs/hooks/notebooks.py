"""Notebooks as pages: what their cells say, and what came out when they were run."""

import pathlib

import nbformat
from nbconvert import MarkdownExporter

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


def names():
    """Where the pages are."""
    return [f"notebooks/{path.stem}.md" for path in sorted(FOLDER.glob("*.ipynb"))]


def pages():
    """The pages, and the pictures that belong to them."""
    found = {}
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        text, resources = MarkdownExporter().from_notebook_node(
            notebook, resources={"unique_key": path.stem, "output_files_dir": f"{path.stem}-pictures"}
        )
        found[f"notebooks/{path.stem}.md"] = text
        for name, data in resources.get("outputs", {}).items():
            found[f"notebooks/{name}"] = data
    return found

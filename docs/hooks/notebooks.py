"""Notebooks as pages, with their stored outputs."""

import pathlib

import nbformat
from nbconvert import MarkdownExporter

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


def names():
    """Paths of the pages."""
    return [f"notebooks/{path.stem}.md" for path in sorted(FOLDER.glob("*.ipynb"))]


def pages():
    """The pages and their pictures."""
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

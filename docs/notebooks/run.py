"""Run the notebooks, from the root of the checkout: what comes out has to be what they hold, letter for letter (pictures of pixels
apart, for which fonts are the machine's). With `--write` they get what comes out.

Started by scripts/notebooks.sh.
"""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]


def outputs(notebook):
    """What cells say, without what changes from run to run."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append((cell["id"], output.get("text"), data.get("text/plain"), data.get("image/svg+xml"), data.get("text/html")))
    return found


def joined(cell):
    """What was printed is one piece, in however many it arrived."""
    whole = []
    for output in cell.get("outputs", []):
        if whole and output.output_type == "stream" == whole[-1].output_type and output.name == whole[-1].name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    if cell.cell_type == "code":
        cell.outputs = whole


def main():
    stale = []
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    assert len(notebooks) >= 4, notebooks
    for path in notebooks:
        held = nbformat.read(path, as_version=4)
        run = nbformat.read(path, as_version=4)
        NotebookClient(run, timeout=300, record_timing=False, resources={"metadata": {"path": str(ROOT)}}).execute()
        for cell in run.cells:
            cell.metadata.clear()
            joined(cell)
        run.metadata = held.metadata
        if "--write" in sys.argv:
            nbformat.write(run, path)
        elif outputs(run) != outputs(held):
            stale.append(path.name)
            for old, new in zip(outputs(held), outputs(run), strict=False):
                if old != new:
                    print(f"{path.name}, cell {old[0]}:\n- {old[1:]}\n+ {new[1:]}")
    sys.exit(f"not as they are held: {', '.join(stale)}" if stale else 0)


main()

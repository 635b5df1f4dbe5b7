#!/usr/bin/env python3
"""Typeset all LaTeX tables of papers/ in one document, each on its own page.

    python3 scripts/check_latex.py

Needs pdflatex and the package booktabs (Debian: texlive-latex-base, texlive-latex-recommended).
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

tables = sorted((ROOT / "papers").glob("*/*.tex"))
if not tables:
    sys.exit("no tables in papers/")
pages = "".join(f"\\clearpage\n\\noindent\n{table.read_text()}\n" for table in tables)
document = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{pages}\\end{{document}}\n"
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "tables.tex"
    source.write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        sys.exit("pdflatex is missing: install texlive-latex-base and texlive-latex-recommended")
    wrong = [line for line in run.stdout.splitlines() if line.startswith("!") or "Missing character" in line]
    if run.returncode != 0 or wrong:
        print(run.stdout[-3000:], file=sys.stderr)
        sys.exit(1)
print(f"{len(tables)} tables typeset")

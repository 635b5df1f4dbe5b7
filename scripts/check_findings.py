#!/usr/bin/env python3
"""Run every call of vectors/FINDINGS.md, and compare the output with the page.

    python3 scripts/check_findings.py                 all packages
    python3 scripts/check_findings.py autodp opacus   these

Each Python block ends with a comment: the output of the call, or the last line of the error it raises. A block runs in the
virtual environment that `dpcert audit` created for the package in the heading, so the audit must have been run once.
`cargo test --test it readme` runs the console blocks with the true values.
"""

import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300
# See adapters/opacus_adapter.py for the reason.
WITHOUT_TORCH = "import opacus_adapter\nopacus_adapter.enter_without_torch()\n"


def environments():
    """The Python interpreter of each package."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dpcert" / "venv"
    for peer in tomllib.loads((ROOT / "adapters" / "peers.toml").read_text())["peer"]:
        pins = pathlib.Path(peer["requirements"]).stem
        found = sorted(cache.glob(f"{pins}-*/bin/python"), key=os.path.getmtime)
        yield peer["name"], (peer["version"], found[-1] if found else None)


def blocks(text):
    """Yields (package, version, line number, code, expected output)."""
    heading = None
    for found in re.finditer(r"^## (\S+) (\S+)$|^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if found[1]:
            heading = found[1], found[2]
        elif heading:
            code, _, said = found[3].rstrip().rpartition("  # ")
            yield *heading, text.count("\n", 0, found.start()) + 1, code, said


def printed(python, package, code):
    """The last line of the output."""
    before = WITHOUT_TORCH if package == "opacus" else ""
    done = subprocess.run(
        [python, "-W", "ignore", "-c", before + code], capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "adapters")},
    )
    lines = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    return lines[-1] if lines else ""


def main(wanted):
    known = dict(environments())
    wrong = checked = 0
    for package, version, line, code, said in blocks((ROOT / "vectors" / "FINDINGS.md").read_text()):
        if wanted and package not in wanted:
            continue
        released, python = known[package]
        if released != version:
            sys.exit(f"FINDINGS.md is about {package} {version}, but audits install {released}")
        if python is None:
            sys.exit(f"{package} is not installed: run `dpcert audit {package} --every 1000` once")
        try:
            got = printed(python, package, code)
        except subprocess.TimeoutExpired:
            got = f"no output within {SECONDS} seconds"
        checked += 1
        if got != said:
            wrong += 1
            print(f"vectors/FINDINGS.md:{line}: {package} printed {got}, expected {said}")
    print(f"{checked} calls, {wrong} with other output")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

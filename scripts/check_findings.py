#!/usr/bin/env python3
"""Does vectors/FINDINGS.md tell the truth? Run every call in it, and compare what is printed with what it says.

    python3 scripts/check_findings.py                 all packages
    python3 scripts/check_findings.py autodp opacus   these

Each Python block ends in a line with a comment: what the call prints, or the last line of the error it raises. A block is
run in the virtual environment that `dpcert audit` made for its package, which the heading above it names. The audit has
to have been run once, so that the environment is there. The truths are the console blocks; `cargo test --test it readme` runs
those.
"""

import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300
# What adapters/opacus_adapter.py says of torch holds here too.
WITHOUT_TORCH = "import opacus_adapter\nopacus_adapter.enter_without_torch()\n"


def environments():
    """The Python of each package."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dpcert" / "venv"
    for peer in tomllib.loads((ROOT / "adapters" / "peers.toml").read_text())["peer"]:
        pins = pathlib.Path(peer["requirements"]).stem
        found = sorted(cache.glob(f"{pins}-*/bin/python"), key=os.path.getmtime)
        yield peer["name"], (peer["version"], found[-1] if found else None)


def blocks(text):
    """Each (package, version, line number, code, what it prints)."""
    heading = None
    for found in re.finditer(r"^## (\S+) (\S+)$|^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if found[1]:
            heading = found[1], found[2]
        elif heading:
            code, _, said = found[3].rstrip().rpartition("  # ")
            yield *heading, text.count("\n", 0, found.start()) + 1, code, said


def printed(python, package, code):
    """The last line of what comes out."""
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
            sys.exit(f"FINDINGS.md is of {package} {version}, the audit's is {released}")
        if python is None:
            sys.exit(f"{package} is not installed: run `dpcert audit {package} --every 1000` once")
        try:
            got = printed(python, package, code)
        except subprocess.TimeoutExpired:
            got = f"nothing within {SECONDS} seconds"
        checked += 1
        if got != said:
            wrong += 1
            print(f"vectors/FINDINGS.md:{line}: {package} prints {got}, not {said}")
    print(f"{checked} calls, {wrong} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

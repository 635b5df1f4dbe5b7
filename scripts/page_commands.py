#!/usr/bin/env python3
"""Run the `sh` blocks of the documentation pages: `page_commands.py DPCERT`.

`tests/it/readme.rs` compares console blocks, which show output. This script runs the `sh` blocks, which do not: the commands
of each page run in order, in a temporary folder that looks like a checkout. They must succeed, except those listed in
`FINDS`. Commands in `ELSEWHERE` are tested by another script, and those in `SHORTER` are abbreviated.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: Commands that are tested elsewhere, by their prefix.
ELSEWHERE = {
    "make ": "the test suites",
    "pip install ": "scripts/python_package.sh",
    "dpcert serve": "tests/serve/browser.py",
    # These install packages from the network.
    "dpcert audit all ": "scripts/audit_test.sh",
    "dpcert audit opacus ": "scripts/audit_test.sh",
    "dpcert audit dp-accounting:": "scripts/audit_test.sh",
}
#: Commands that exit with 1 if they find something.
FINDS = ("dpcert audit --adapter ", "dpcert census compare ")
#: A shorter hunt, and an accountant that needs no network.
SHORTER = {
    "--hunt 5m": "--hunt 2s",
    "dpcert audit dp-accounting:pld --ask": "dpcert audit --adapter 'python3 adapters/examples/minimal.py' --ask",
}


def pages():
    """Hand-written pages, and pages copied from the repository."""
    listed = re.search(r"^COPIES = \{\n(.*?)^\}", (ROOT / "docs/hooks/site.py").read_text(), re.DOTALL | re.MULTILINE)
    copies = [ROOT / name for name in re.findall(r'^\s*"([^"]+)":', listed[1], re.MULTILINE)]
    return sorted((ROOT / "docs/pages").rglob("*.md")) + copies


def commands(page):
    """The commands of a page, one a line."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def fresh(folder):
    """Link the folders of the checkout that commands read."""
    for name in ["adapters", "examples", "vectors", "docs", "papers"]:
        (folder / name).symlink_to(ROOT / name)


def main(dpcert):
    used, shortened, typed = set(), set(), 0
    with tempfile.TemporaryDirectory() as tools:
        (pathlib.Path(tools) / "dpcert").symlink_to(pathlib.Path(dpcert).resolve())
        for page in pages():
            with tempfile.TemporaryDirectory() as folder:
                fresh(pathlib.Path(folder))
                for line in commands(page):
                    where = f"{page.relative_to(ROOT)}: {line}"
                    for long, short in SHORTER.items():
                        if long in line:
                            shortened.add(long)
                            line = line.replace(long, short)
                    other = next((start for start in ELSEWHERE if line.startswith(start)), None)
                    if other:
                        used.add(other)
                        continue
                    print(where, flush=True)
                    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{folder}/cache"}
                    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", line], cwd=folder, env=environment,
                                          capture_output=True, text=True, timeout=900)
                    typed += 1
                    allowed = (0, 1) if line.startswith(FINDS) else (0,)
                    if done.returncode not in allowed or "panicked" in done.stderr:
                        sys.exit(f"{where}: failed with exit code {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                    if not done.stdout.strip() and ">" not in line and "--out" not in line:
                        sys.exit(f"{where}: printed nothing")
    idle = (set(ELSEWHERE) - used) | (set(SHORTER) - shortened)
    if idle:
        sys.exit(f"entries of ELSEWHERE or SHORTER that no page uses: {sorted(idle)}")
    print(f"{typed} commands run")


main(*sys.argv[1:])

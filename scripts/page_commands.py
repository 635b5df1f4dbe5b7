#!/usr/bin/env python3
"""Run the commands that pages of the site tell people to type: `page_commands.py DPCERT`.

Consoles with their output are transcripts, and are compared by `tests/it/readme.rs`. Here are the blocks of `sh`, whose output is
not shown: each page's are typed one after the other, in a folder that looks like a checkout and is thrown away. None may
fail, but for those that find what is wrong. What is not typed here is listed with what runs it, or is shortened.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: What runs these, by how they begin.
ELSEWHERE = {
    "make ": "the lanes of the tests",
    "pip install ": "scripts/python_package.sh",
    "dpcert serve": "tests/serve/browser.py",
    # Packages are installed from the network.
    "dpcert audit all ": "scripts/audit_test.sh",
    "dpcert audit opacus ": "scripts/audit_test.sh",
    "dpcert audit dp-accounting:": "scripts/audit_test.sh",
}
#: These end with 1 where they find what they look for.
FINDS = ("dpcert audit --adapter ", "dpcert census compare ")
#: A hunt of minutes is one of seconds here, and what the next command reads comes from an accountant that needs no network.
SHORTER = {
    "--hunt 5m": "--hunt 2s",
    "dpcert audit dp-accounting:pld --ask": "dpcert audit --adapter 'python3 adapters/examples/minimal.py' --ask",
}


def pages():
    """Those written by hand, and those that are shown as they are."""
    listed = re.search(r"^COPIES = \{\n(.*?)^\}", (ROOT / "docs/hooks/site.py").read_text(), re.DOTALL | re.MULTILINE)
    copies = [ROOT / name for name in re.findall(r'^\s*"([^"]+)":', listed[1], re.MULTILINE)]
    return sorted((ROOT / "docs/pages").rglob("*.md")) + copies + [ROOT / "README.md"]


def commands(page):
    """What is to be typed, line by line."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def fresh(folder):
    """What commands name of a checkout; nothing of it is written."""
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
                        sys.exit(f"{where} has ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                    if not done.stdout.strip() and ">" not in line and "--out" not in line:
                        sys.exit(f"{where} has said nothing")
    idle = (set(ELSEWHERE) - used) | (set(SHORTER) - shortened)
    if idle:
        sys.exit(f"no page has these: {sorted(idle)}")
    print(f"{typed} commands of pages were typed")


main(*sys.argv[1:])

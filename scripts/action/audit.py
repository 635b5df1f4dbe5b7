"""Run the audit of the action: started by `action.yml`, with the inputs in the environment.

A released package is audited by its name. A reference is installed over the pinned dependencies of the package, in a
separate environment, and each API is audited through the package's adapter.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from verdicts import table  # noqa: E402


def environment(work, adapters, peer, reference):
    """A Python environment with the pinned dependencies of a peer, and the reference installed over them."""
    where = work / "venv"
    venv.create(where, with_pip=True)
    python = where / "bin/python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*install, "-r", adapters / peer["requirements"]], check=True)
    # Do not pass an option to pip.
    if reference.startswith("-"):
        sys.exit(f"reference must be a pip requirement or a folder, not {reference!r}")
    subprocess.run([*install, "--force-reinstall", reference], check=True)
    return python


def courses(inputs, work, adapters):
    """The audits to run: for each, a name for its files, and its arguments."""
    if inputs["ADAPTER"]:
        return [("adapter", ["--adapter", inputs["ADAPTER"]])]
    name, _, api = inputs["PACKAGE"].partition(":")
    if not name or name.startswith("-"):
        sys.exit("no accountant to audit: set the input `package` or `adapter`")
    if not inputs["REFERENCE"]:
        return [("audit", [inputs["PACKAGE"]])]
    peers = tomllib.loads((adapters / "peers.toml").read_text(encoding="utf-8"))["peer"]
    peer = next((peer for peer in peers if peer["name"] == name), None)
    if peer is None:
        sys.exit(f"unknown package {name!r}; known packages: {', '.join(peer['name'] for peer in peers)}")
    apis = [one["name"] for one in peer["api"] if api in ("", one["name"])]
    if not apis:
        sys.exit(f"{name} has no API {api!r}; its APIs: {', '.join(one['name'] for one in peer['api'])}")
    python = environment(work, adapters, peer, inputs["REFERENCE"])
    return [(one, ["--adapter", shlex.join([str(python), str(adapters / peer["script"]), one])]) for one in apis]


def main():
    inputs = {name: os.environ.get(name, "").strip() for name in ["PACKAGE", "REFERENCE", "ADAPTER", "EVERY", "ONLY", "FAIL_ON", "BASELINE"]}
    # A job may use the action more than once.
    work = Path(tempfile.mkdtemp(prefix="dpcert-audit-", dir=os.environ["TEMP"]))
    adapters = Path(os.environ["CHECKOUT"]) / "adapters"
    chosen = ["--every", inputs["EVERY"] or "1"]
    if inputs["ONLY"]:
        chosen += [f"--only={inputs['ONLY']}"]
    if inputs["FAIL_ON"]:
        chosen += [f"--fail-on={inputs['FAIL_ON']}"]
    if inputs["BASELINE"]:
        chosen += [f"--baseline={inputs['BASELINE']}"]
    judged, report, worst = work / "judged.jsonl", work / "report", 0
    report.mkdir()
    lines = []
    for name, course in courses(inputs, work, adapters):
        out, page = work / f"judged-{name}.jsonl", report / f"{name}.html"
        done = subprocess.run([os.environ["DPCERT"], "audit", *course, *chosen, "--out", out, "--html", page], check=False)
        # An audit that did not run gets no table, because none of its claims was checked.
        if done.returncode not in (0, 1):
            sys.exit(f"the audit of {name} failed with exit code {done.returncode}")
        worst = max(worst, done.returncode)
        if out.exists():
            lines += out.read_text(encoding="utf-8").splitlines()
    judged.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    text, unsound = table(lines)
    verdicts = work / "verdicts.md"
    verdicts.write_text(text, encoding="utf-8")
    for variable, said in [
        ("GITHUB_STEP_SUMMARY", text),
        ("GITHUB_OUTPUT", f"judged={judged}\nreport={report}\ntable={verdicts}\nunsound={unsound}\n"),
    ]:
        if os.environ.get(variable):
            with open(os.environ[variable], "a", encoding="utf-8") as file:
                file.write(said)
    sys.exit(worst)


if __name__ == "__main__":
    main()

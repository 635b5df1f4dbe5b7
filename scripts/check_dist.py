#!/usr/bin/env python3
"""Check the release files as a user would: `check_dist.py FOLDER`, run at the end of scripts/dist.sh.

- The folder contains exactly the expected files, each with its checksum.
- The static program answers in an otherwise empty folder; as root, in an empty file system (chroot).
- Its archive has shell completions that the shells accept, and a man page for each command.
- The wheels install into empty environments without a network, and the package returns the program's answer.
- Source archives and crates contain the files of the checkout. The crates are of the current commit.
- The archive of the vectors has all data files, the schema and the licence.

With `--build`, a wheel is also built from the source archive.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUESTION = ["delta", "randomized-response(epsilon=ln(3/2))^2", "--epsilon", "ln(3/2)", "--json"]
CURVE = ["curve", "gaussian(sigma=1)", "--kind", "tradeoff", "--out", "curve.pdf"]


def said(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command} failed with exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def want(truth, what):
    if not truth:
        sys.exit(f"check failed: {what}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names(version):
    """The expected files, by their kind."""
    wheel = f"dpcert-{version}-cp311-abi3-manylinux_2_28_x86_64.whl"
    return {
        "program": f"dpcert-{version}-linux-x86_64",
        "archive": f"dpcert-{version}-linux-x86_64.tar.gz",
        "wheel": wheel,
        "source": f"dpcert-{version}.tar.gz",
        "vectors wheel": f"dpcert_vectors-{version}-py3-none-any.whl",
        "vectors source": f"dpcert_vectors-{version}.tar.gz",
        "vectors data": f"dpcert-vectors-data-{version}.tar.gz",
        "crate": f"dpcert-{version}.crate",
        "arithmetic crate": f"dpcert-enclosure-{version}.crate",
        "vectors crate": f"dpcert-vectors-{version}.crate",
        "bill": f"dpcert-{version}.cdx.json",
        "sums": "SHA256SUMS",
    }


def unpacked(archive, folder):
    """The one folder inside an archive."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    tops = list(folder.iterdir())
    want(len(tops) == 1, f"{archive.name} has one top folder: {tops}")
    return tops[0]


def program(binary):
    """Run a query and draw a curve in an empty folder. Returns the answer."""
    with tempfile.TemporaryDirectory() as world:
        shutil.copy(binary, f"{world}/dpcert")
        os.chmod(world, 0o777)
        alone = ["env", "--ignore-environment", f"{world}/dpcert"]
        if os.geteuid() == 0:
            # As an unprivileged user, in a file system that contains only the program.
            alone = ["chroot", "--userspec=65534:65534", world, "/dpcert"]
        truth = json.loads(said(*alone, *QUESTION, cwd=world))
        want(truth["exact"] == "3/25", f"the program answers 3/25: {truth}")
        said(*alone, *CURVE, cwd=world)
        want((pathlib.Path(world) / CURVE[-1]).read_bytes().startswith(b"%PDF"), "the program writes a PDF")
        return truth


def commands(binary, path=()):
    """All commands and subcommands that the help lists."""
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*)", said(binary, *path, "--help"), re.MULTILINE)
    found = []
    for name in re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []:
        if name != "help":
            found += [(*path, name), *commands(binary, (*path, name))]
    return found


def archive(path, binary):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        want(digest(top / "dpcert") == digest(binary) and os.access(top / "dpcert", os.X_OK), "the archive contains the program, executable")
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-OFL", "NOTICE-LGPL.md"]:
            want((top / name).stat().st_size > 100, f"the archive contains {name}")
        pages = {page.name for page in (top / "man").iterdir()}
        every = commands(binary)
        missing = {"-".join(["dpcert", *one]) + ".1" for one in every} - pages
        want(len(every) > 20 and not missing, f"each command has a man page; missing: {sorted(missing)}")
        for page in (top / "man").iterdir():
            want(re.search(r"^\.TH ", page.read_text(), re.MULTILINE), f"{page.name} is a man page")
        for shell, check in [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])]:
            script = top / f"dpcert.{shell}"
            want("calibrate" in script.read_text(), f"{script.name} completes commands")
            if shutil.which(check[0]):
                said(*check, script)


def installed(wheel, folder):
    """A Python environment with only this wheel, installed without a network."""
    said(sys.executable, "-m", "venv", folder)
    python = folder / "bin/python"
    said(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", wheel)
    return python


def package(wheel, truth):
    with tempfile.TemporaryDirectory() as folder:
        python = installed(wheel, pathlib.Path(folder) / "venv")
        ask = ("import dpcert; a = dpcert.delta('randomized-response(epsilon=ln(3/2))^2', epsilon='ln(3/2)');"
               "print(dpcert.__version__, a.exact)")
        version, exact = said(python, "-I", "-c", ask, cwd=folder).split()
        want(exact == truth["exact"], f"{wheel.name} returns {exact}, and the program {truth['exact']}")
        want(wheel.name.startswith(f"dpcert-{version}-"), f"{wheel.name} has the version of its name")


def vectors(wheel):
    with tempfile.TemporaryDirectory() as folder:
        python = installed(wheel, pathlib.Path(folder) / "venv")
        count = said(python, "-I", "-c", "import dpcert_vectors as v; print(len(list(v.data_dir().glob('*.json'))))", cwd=folder)
        want(int(count) == len(list((ROOT / "vectors/data").glob("*.json"))), f"{wheel.name} contains all vectors")


def source(path, build, truth):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        for name in ["PKG-INFO", "pyproject.toml"]:
            want((top / name).is_file(), f"{path.name} contains {name}")
        for there in top.rglob("*.rs"):
            inside = there.relative_to(top)
            here = [place / inside for place in [ROOT, ROOT / "python", ROOT.parent] if (place / inside).is_file()]
            want(any(one.read_bytes() == there.read_bytes() for one in here), f"{path.name}: {inside} equals the file in the checkout")
    if build:
        with tempfile.TemporaryDirectory() as folder:
            wheels = pathlib.Path(folder)
            said(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", wheels, path)
            package(next(wheels.glob("*.whl")), truth)


def crate(path, head):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        manifest = tomllib.loads((top / "Cargo.toml").read_text())
        want(f"{manifest['package']['name']}-{manifest['package']['version']}.crate" == path.name, f"{path.name} has the version of its name")
        version = json.loads((top / ".cargo_vcs_info.json").read_text())
        want(version["git"]["sha1"] == head and not version["git"].get("dirty"), f"{path.name} is built from commit {head}")
        for dependency, wanted in manifest["dependencies"].items():
            want("path" not in wanted, f"{path.name} depends on {dependency} from the registry")
        if path.name.startswith("dpcert-vectors"):
            want(len(list((top / "data").glob("*.json"))) == len(list((ROOT / "vectors/data").glob("*.json"))), f"{path.name} contains all vectors")


def data(path):
    """The archive of the vectors: all files as in the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        names = ["schema.json", "catalogue.json", "README.md", "FINDINGS.md", "LICENSE-CC0"]
        names += [f"data/{one.name}" for one in (ROOT / "vectors/data").glob("*.json")]
        packed = {str(one.relative_to(top)) for one in top.rglob("*") if one.is_file()}
        want(packed == set(names), f"{path.name} contains the vectors and no other files: {sorted(packed ^ set(names))}")
        for name in names:
            want(digest(top / name) == digest(ROOT / "vectors" / name), f"{path.name}: {name} equals the file in the checkout")


def bill(path, version):
    read = json.loads(path.read_text())
    want(read["bomFormat"] == "CycloneDX" and read["metadata"]["component"]["version"] == version, f"{path.name} has the version of its name")
    inside = {part["name"] for part in read["components"]}
    want({"GMP", "MPFR", "rug", "clap", "dpcert-enclosure", "dpcert-vectors"} <= inside, f"{path.name} lists the main components")
    want(all(part.get("licenses") for part in read["components"]), f"{path.name} has a licence for each component")


def main(folder, *options):
    out = pathlib.Path(folder).resolve()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]
    there = {path.name for path in out.iterdir()}
    wanted = names(version)
    want(there == set(wanted.values()), f"the expected files and no others; missing or unexpected: {sorted(there ^ set(wanted.values()))}")
    place = {what: out / name for what, name in wanted.items()}
    sums = dict(reversed(line.split("  ")) for line in place["sums"].read_text().splitlines())
    want(set(sums) == there - {"SHA256SUMS"}, "every file has a checksum")
    for name, sum in sums.items():
        want(digest(out / name) == sum, f"{name} has the checksum of SHA256SUMS")
    truth = program(place["program"])
    archive(place["archive"], place["program"])
    package(place["wheel"], truth)
    vectors(place["vectors wheel"])
    for what in ["source", "vectors source"]:
        source(place[what], "--build" in options, truth)
    head = said("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    for what in ["crate", "arithmetic crate", "vectors crate"]:
        crate(place[what], head)
    data(place["vectors data"])
    bill(place["bill"], version)
    print(f"{len(there)} release files are correct")


main(*sys.argv[1:])

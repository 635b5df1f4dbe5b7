#!/usr/bin/env python3
"""Look at what is given away as those do who get it: `check_dist.py FOLDER`, at the end of scripts/dist.sh.

All files are there and no others, each with its checksum. The program answers in a folder with nothing else in it (as another
root of the file system, where that is allowed). Its archive has it with completions that shells understand, and a page of the
manual for each command. The wheels are installed into empty environments, where the package says the same as the program.
Source archives and crates unpack to what they were packed from. With `--build` a wheel is built from the source archive, too.
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
MOST = 15_000_000
QUESTION = ["delta", "randomized-response(epsilon=ln(3/2))^2", "--epsilon", "ln(3/2)", "--json"]
CURVE = ["curve", "gaussian(sigma=1)", "--kind", "tradeoff", "--out", "curve.pdf"]


def said(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command} has ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def want(truth, what):
    if not truth:
        sys.exit(f"not so: {what}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names(version):
    """What has to be there, by what it is."""
    wheel = f"dpcert-{version}-cp311-abi3-manylinux_2_28_x86_64.whl"
    return {
        "program": f"dpcert-{version}-linux-x86_64",
        "archive": f"dpcert-{version}-linux-x86_64.tar.gz",
        "wheel": wheel,
        "source": f"dpcert-{version}.tar.gz",
        "vectors wheel": f"dpcert_vectors-{version}-py3-none-any.whl",
        "vectors source": f"dpcert_vectors-{version}.tar.gz",
        "crate": f"dpcert-{version}.crate",
        "arithmetic crate": f"dpcert-enclosure-{version}.crate",
        "vectors crate": f"dpcert-vectors-{version}.crate",
        "bill": f"dpcert-{version}.cdx.json",
        "sums": "SHA256SUMS",
    }


def unpacked(archive, folder):
    """The one folder inside of an archive."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    tops = list(folder.iterdir())
    want(len(tops) == 1, f"{archive.name} has one folder: {tops}")
    return tops[0]


def program(binary):
    """It answers and draws, alone in the world; what it answers."""
    want(binary.stat().st_size < MOST, f"{binary.name} has less than {MOST} bytes")
    with tempfile.TemporaryDirectory() as world:
        shutil.copy(binary, f"{world}/dpcert")
        os.chmod(world, 0o777)
        alone = ["env", "--ignore-environment", f"{world}/dpcert"]
        if os.geteuid() == 0:
            # Nobody, in a file system with nothing else in it.
            alone = ["chroot", "--userspec=65534:65534", world, "/dpcert"]
        truth = json.loads(said(*alone, *QUESTION, cwd=world))
        want(truth["exact"] == "3/25", f"the program answers: {truth}")
        said(*alone, *CURVE, cwd=world)
        want((pathlib.Path(world) / CURVE[-1]).read_bytes().startswith(b"%PDF"), "the program draws")
        return truth


def commands(binary, path=()):
    """All commands that its help lists, with those below them."""
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*)", said(binary, *path, "--help"), re.MULTILINE)
    found = []
    for name in re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []:
        if name != "help":
            found += [(*path, name), *commands(binary, (*path, name))]
    return found


def archive(path, binary):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        want(digest(top / "dpcert") == digest(binary) and os.access(top / "dpcert", os.X_OK), "the archive has the program")
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-OFL", "NOTICE-LGPL.md"]:
            want((top / name).stat().st_size > 100, f"the archive has {name}")
        pages = {page.name for page in (top / "man").iterdir()}
        every = commands(binary)
        missing = {"-".join(["dpcert", *one]) + ".1" for one in every} - pages
        want(len(every) > 20 and not missing, f"each command has a page of the manual: {sorted(missing)}")
        for page in (top / "man").iterdir():
            want(re.search(r"^\.TH ", page.read_text(), re.MULTILINE), f"{page.name} is a page of the manual")
        for shell, check in [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])]:
            script = top / f"dpcert.{shell}"
            want("calibrate" in script.read_text(), f"{script.name} completes commands")
            if shutil.which(check[0]):
                said(*check, script)


def installed(wheel, folder):
    """Python with this wheel and nothing else, no network."""
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
        want(exact == truth["exact"], f"{wheel.name} says {exact}, the program {truth['exact']}")
        want(wheel.name.startswith(f"dpcert-{version}-"), f"{wheel.name} is of its version")


def vectors(wheel):
    with tempfile.TemporaryDirectory() as folder:
        python = installed(wheel, pathlib.Path(folder) / "venv")
        count = said(python, "-I", "-c", "import dpcert_vectors as v; print(len(list(v.data_dir().glob('*.json'))))", cwd=folder)
        want(int(count) == len(list((ROOT / "vectors/data").glob("*.json"))), f"{wheel.name} has all vectors")


def source(path, build, truth):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        for name in ["PKG-INFO", "pyproject.toml"]:
            want((top / name).is_file(), f"{path.name} has {name}")
        for there in top.rglob("*.rs"):
            # Wherever the archive has it.
            inside = there.relative_to(top)
            here = [place / inside for place in [ROOT, ROOT / "python", ROOT.parent] if (place / inside).is_file()]
            want(any(one.read_bytes() == there.read_bytes() for one in here), f"{path.name}: {inside} is that of the checkout")
    if build:
        with tempfile.TemporaryDirectory() as folder:
            wheels = pathlib.Path(folder)
            said(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", wheels, path)
            package(next(wheels.glob("*.whl")), truth)


def crate(path, head):
    with tempfile.TemporaryDirectory() as folder:
        top = unpacked(path, pathlib.Path(folder))
        manifest = tomllib.loads((top / "Cargo.toml").read_text())
        want(f"{manifest['package']['name']}-{manifest['package']['version']}.crate" == path.name, f"{path.name} is of its version")
        version = json.loads((top / ".cargo_vcs_info.json").read_text())
        want(version["git"]["sha1"] == head and not version["git"].get("dirty"), f"{path.name} is of the commit {head}")
        for dependency, wanted in manifest["dependencies"].items():
            want("path" not in wanted, f"{path.name} takes {dependency} from the registry")
        if path.name.startswith("dpcert-vectors"):
            want(len(list((top / "data").glob("*.json"))) == len(list((ROOT / "vectors/data").glob("*.json"))), f"{path.name} has all vectors")


def bill(path, version):
    read = json.loads(path.read_text())
    want(read["bomFormat"] == "CycloneDX" and read["metadata"]["component"]["version"] == version, f"{path.name} is of its version")
    inside = {part["name"] for part in read["components"]}
    want({"GMP", "MPFR", "rug", "clap", "dpcert-enclosure", "dpcert-vectors"} <= inside, f"{path.name} names what is inside")
    want(all(part.get("licenses") for part in read["components"]), f"{path.name} has a licence for each part")


def main(folder, *options):
    out = pathlib.Path(folder).resolve()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]
    there = {path.name for path in out.iterdir()}
    wanted = names(version)
    want(there == set(wanted.values()), f"these are there, and no others: {sorted(there ^ set(wanted.values()))}")
    place = {what: out / name for what, name in wanted.items()}
    sums = dict(reversed(line.split("  ")) for line in place["sums"].read_text().splitlines())
    want(set(sums) == there - {"SHA256SUMS"}, "every file has a checksum")
    for name, sum in sums.items():
        want(digest(out / name) == sum, f"{name} has its checksum")
    truth = program(place["program"])
    archive(place["archive"], place["program"])
    package(place["wheel"], truth)
    vectors(place["vectors wheel"])
    for what in ["source", "vectors source"]:
        source(place[what], "--build" in options, truth)
    head = said("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    for what in ["crate", "arithmetic crate", "vectors crate"]:
        crate(place[what], head)
    bill(place["bill"], version)
    print(f"{len(there)} files are as they have to be")


main(*sys.argv[1:])

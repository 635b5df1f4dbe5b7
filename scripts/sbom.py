"""Write the bill of materials of the program in CycloneDX, from Cargo's metadata and lock file.

    sbom.py OUT.json

The date is SOURCE_DATE_EPOCH if set, otherwise that of the commit, so that the output is reproducible.
"""

import datetime
import json
import os
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
#: C libraries that this crate contains and builds.
NATIVE = {"gmp-mpfr-sys": [("GMP", "gmp-"), ("MPFR", "mpfr-")]}


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def component(package, sums):
    name, version = package["name"], package["version"]
    sha256 = sums.get((name, version))
    made = Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=PackageURL("cargo", name=name, version=version),
        bom_ref=f"{name}@{version}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256)] if sha256 else None,
    )
    if package.get("license"):
        made.licenses.add(LicenseFactory().make_from_string(package["license"].replace("/", " OR ")))
    return made


def native(package):
    """The C libraries inside a crate, found by their folders."""
    found = []
    for name, prefix in NATIVE.get(package["name"], []):
        folders = sorted(path.name for path in Path(package["manifest_path"]).parent.glob(f"{prefix}*") if path.is_dir())
        if len(folders) != 1:
            sys.exit(f"{package['name']}: expected one folder of {name}, found {folders}")
        version = folders[0].removeprefix(prefix).removesuffix("-c")
        made = Component(type=ComponentType.LIBRARY, name=name, version=version, bom_ref=f"{name}@{version}",
                         purl=PackageURL("generic", name=name.lower(), version=version))
        made.licenses.add(LicenseFactory().make_from_string("LGPL-3.0-or-later"))
        found.append(made)
    return found


def main():
    host = next(line.split()[1] for line in said("rustc", "-vV").splitlines() if line.startswith("host: "))
    metadata = json.loads(said("cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", host))
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {
        node["id"]: [
            dependency["pkg"]
            for dependency in node["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
        for node in metadata["resolve"]["nodes"]
    }
    root = next(id for id in metadata["workspace_members"] if packages[id]["name"] == "dpcert")
    made, waiting = {}, [root]
    while waiting:
        id = waiting.pop()
        if id not in made:
            made[id] = component(packages[id], sums)
            waiting += needs[id]
    bom = Bom()
    top = made[root]
    top.type = ComponentType.APPLICATION
    bom.metadata.component = top
    when = os.environ.get("SOURCE_DATE_EPOCH") or said("git", "log", "-1", "--format=%ct").strip()
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(int(when), datetime.timezone.utc)
    for id, one in made.items():
        below = [made[need] for need in needs[id]]
        for library in native(packages[id]):
            bom.components.add(library)
            below.append(library)
        if id != root:
            bom.components.add(one)
        bom.register_dependency(one, below)
    parts = "\n".join(sorted(str(one.bom_ref) for one in bom.components))
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"dpcert {top.version} {when}\n{parts}")
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault:
        sys.exit(f"the bill of materials violates the CycloneDX schema: {fault}")
    out = Path(sys.argv[1])
    beside = out.with_suffix(".tmp")
    beside.write_text(text + "\n")
    beside.replace(out)
    print(f"{out}: {len(bom.components)} components")


main()

#!/usr/bin/env bash
# Build the Python package of the vectors, install the wheel as a user would, and run its tests. Then test dp-accounting
# against the vectors: exactly the listed claims must fail.
set -euo pipefail
cd "$(dirname "$0")/../vectors/python"

../../scripts/accountant_venv.sh
venv=../../.venv-python

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Build the wheel from the source archive, so that both are checked for completeness.
"$venv/bin/python" -m build --no-isolation --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$work"/dist/*.whl

# Outside the checkout, so that the installed package is tested.
cp -r tests examples "$work"
cd "$work"
venv=$OLDPWD/$venv
"$venv/bin/python" - "$OLDPWD/../data" <<'PYTHON'
import filecmp, pathlib, sys
import dpcert_vectors

installed, checkout = dpcert_vectors.data_dir(), pathlib.Path(sys.argv[1])
assert "site-packages" in str(installed), installed
names = sorted(path.name for path in checkout.glob("*.json"))
assert names == sorted(path.name for path in installed.glob("*.json"))
assert filecmp.cmpfiles(installed, checkout, names, shallow=False) == (names, [], []), "the vectors in the wheel differ from the checkout"
table = "catalogue.json"
assert filecmp.cmp(installed.parent / table, checkout.parent / table, shallow=False), "the catalogue in the wheel differs from the checkout"
PYTHON
"$venv/bin/python" -m pytest --quiet -p no:cacheprovider tests

# The install command of the documentation, in an empty environment.
typed=$(sed -n "s/^\(pip install '[^']*'\).*/\1/p" "$OLDPWD/README.md" "$OLDPWD/../../docs/pages/how-to/vectors.md" | sort --unique)
[ "$typed" = "pip install './vectors/python[pytest]'" ] || { echo "unexpected install commands in the documentation: $typed" >&2; exit 1; }
python3 -m venv "$work/empty"
(cd "$OLDPWD/../.." && PATH="$work/empty/bin:$PATH" PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 bash -e -c "$typed")
"$work/empty/bin/python" -c 'import dpcert_vectors; assert "empty" in dpcert_vectors.__file__ and list(dpcert_vectors.data_dir().glob("*.json"))'
"$work/empty/bin/python" -m pytest --quiet -p no:cacheprovider tests

# The first example of the README, with the failure that it shows.
"$venv/bin/python" - "$OLDPWD/README.md" <<'PYTHON'
import pathlib, re, subprocess, sys

page = pathlib.Path(sys.argv[1]).read_text()
code = next(block for block in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE) if "dp_accounting" in block)
shown = re.search(r"^```\n((\S+): the upper bound is UNSOUND.*?)^```$", page, re.DOTALL | re.MULTILINE)
pathlib.Path("test_readme.py").write_text(code)
command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", f"--dpcert-id={shown[2][:-1]}*", "test_readme.py"]
printed = subprocess.run(command, capture_output=True, text=True).stdout
missing = [line for line in shown[1].splitlines() if line.strip() != "..." and line not in printed]
if missing or "\n1 failed" not in printed:
    sys.exit(f"the README shows {missing}, but its example prints:\n{printed}")
PYTHON

# Exactly the listed ids must fail; --dpcert-report records the verdicts.
cd examples
( ulimit -v 8000000; timeout 600 "$venv/bin/python" -m pytest --quiet -p no:cacheprovider --dpcert-report="$work/verdicts.jsonl" test_dp_accounting.py )
"$venv/bin/python" - dp_accounting_expected.txt "$work/verdicts.jsonl" <<'PYTHON'
import json, pathlib, sys

listed, found = {}, {}
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    name, _, what = line.partition("#")
    if name.strip() and "[" not in name:
        listed[name.strip()] = what.split(":")[0].strip()
for line in map(json.loads, open(sys.argv[2])):
    if line["verdict"] in ("unsound", "failed") and line["id"] in listed:
        found[line["id"]] = line["verdict"]
if listed != found:
    sys.exit(f"the verdicts differ from {sys.argv[1]}: {sorted(set(listed.items()) ^ set(found.items()))}")
print(f"{len(found)} verdicts as listed in {sys.argv[1]}")
PYTHON

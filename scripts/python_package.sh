#!/usr/bin/env bash
# Build the Python package of the vectors, install the wheel as a user would, and test it: its own tests, and the vectors
# against dp-accounting, of which exactly the listed claims must fail. Two minutes at most, once the venv is there.
set -euo pipefail
cd "$(dirname "$0")/../vectors/python"

../../scripts/accountant_venv.sh
venv=../../.venv-python

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The wheel by way of the source archive, so that both are known to hold everything.
"$venv/bin/python" -m build --no-isolation --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$work"/dist/*.whl

# Away from the checkout, so that what is tested is what was installed.
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
assert filecmp.cmpfiles(installed, checkout, names, shallow=False) == (names, [], []), "the wheel has other vectors"
table = "catalogue.json"
assert filecmp.cmp(installed.parent / table, checkout.parent / table, shallow=False), "the wheel has another catalogue"
PYTHON
"$venv/bin/python" -m pytest --quiet -p no:cacheprovider tests

# What the pages tell people to type in a checkout, in an environment that has nothing.
typed=$(sed -n "s/^\(pip install '[^']*'\).*/\1/p" "$OLDPWD/README.md" "$OLDPWD/../../docs/pages/how-to/vectors.md" | sort --unique)
[ "$typed" = "pip install './vectors/python[pytest]'" ] || { echo "the pages say: $typed" >&2; exit 1; }
python3 -m venv "$work/empty"
(cd "$OLDPWD/../.." && PATH="$work/empty/bin:$PATH" PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 bash -e -c "$typed")
"$work/empty/bin/python" -c 'import dpcert_vectors; assert "empty" in dpcert_vectors.__file__ and list(dpcert_vectors.data_dir().glob("*.json"))'
"$work/empty/bin/python" -m pytest --quiet -p no:cacheprovider tests

# Every id that is listed has to fail, and nothing else may; --dpcert-report tells how.
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
    sys.exit(f"the verdicts are not those of {sys.argv[1]}: {sorted(set(listed.items()) ^ set(found.items()))}")
print(f"{len(found)} verdicts as listed in {sys.argv[1]}")
PYTHON

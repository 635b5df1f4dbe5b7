#!/usr/bin/env bash
# Test the wheel as a user installs it: first in an empty environment, then with the optional libraries. The program that
# it is compared with must be built.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
scripts/wheel_venv.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$target"/wheels/dpcert-*.whl
# Outside the checkout, so that the installed package is tested.
cp -r python/tests "$work"
mkdir "$work/pages"
cp python/*.md "$work/pages"
export DPCERT_CHECKOUT="$PWD"
export DPCERT="$target/release/dpcert" DPCERT_VECTORS="$PWD/vectors/data" DPCERT_PYTHON="$work/pages"
vectors="$PWD/vectors/python/src"
libraries=$("$PWD/.venv-wheel/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')
cd "$work/tests"
"$work/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import time

started = time.perf_counter()
import dpcert

took = time.perf_counter() - started
assert "site-packages" in dpcert.__file__, dpcert.__file__
assert dpcert.__version__ == importlib.metadata.version("dpcert")
print(f"import: {took * 1000:.0f} ms")
PYTHON
"$work/venv/bin/python" -m unittest discover --quiet --start-directory quick
PYTHONPATH="$vectors:$libraries" "$work/venv/bin/python" -m pytest --quiet -p no:cacheprovider --ignore quick .

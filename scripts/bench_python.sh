#!/usr/bin/env bash
# Measure the overhead of Python and of a cluster, and write it to python/CLUSTER.md. Uses the extension module that is
# already built; `WHEEL=1` uses the wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/wheel_venv.sh
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
stage="$target/python"
if [ -n "${WHEEL:-}" ]; then
    rm -rf "$stage"
    .venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$stage" "$target"/wheels/dpcert-*.whl
else
    scripts/python_stage.sh
fi
# One core for each worker, as python/CLUSTER.md states.
RAYON_NUM_THREADS=1 PYTHONPATH="$stage" .venv-wheel/bin/python benches/python.py python/CLUSTER.md

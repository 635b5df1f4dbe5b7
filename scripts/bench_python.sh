#!/usr/bin/env bash
# What Python and a cluster add to the library's own time: the figures of python/CLUSTER.md. The package is the extension
# module that is already built, beside its Python; `WHEEL=1` takes the wheel.
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
# A core for each worker, as the page says.
RAYON_NUM_THREADS=1 PYTHONPATH="$stage" .venv-wheel/bin/python benches/python.py python/CLUSTER.md

#!/usr/bin/env bash
# Test the Python package without a wheel, with the extension module that is already built.
#
#     python_staged.sh         tests without further dependencies, and every 25th query of the vectors
#     python_staged.sh all     all tests and all queries
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/python_stage.sh
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
built="$target/${PROFILE:-release}"
stage="$target/python"
export DPCERT="$built/dpcert" PYTHONPATH="$stage"
if [ "${1:-}" = all ]; then
    scripts/wheel_venv.sh
    export DPCERT_EVERY="${DPCERT_EVERY:-1}" PYTHONPATH="$stage:$PWD/vectors/python/src"
    .venv-wheel/bin/python -m pytest --quiet -p no:cacheprovider python/tests
else
    python3 -m unittest discover --quiet --start-directory python/tests/quick
fi

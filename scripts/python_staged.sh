#!/usr/bin/env bash
# The Python package without a wheel: the extension module that is already built, beside its Python.
#
#     python_staged.sh         the tests that need nothing else, and every 25th question of the vectors
#     python_staged.sh all     all tests, and all questions
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

#!/usr/bin/env bash
# The Python package without a wheel: the extension module that is already built, beside its Python, and those of its tests
# that need nothing else. DPCERT_EVERY says how many of the vectors' questions are asked (every 25th).
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
built="$target/${PROFILE:-release}"
stage="$target/python"
rm -rf "$stage" && mkdir -p "$stage"
cp -r python/dpcert "$stage"
for module in "$built"/lib_dpcert.so "$built"/lib_dpcert.dylib; do
    [ ! -e "$module" ] || cp "$module" "$stage/dpcert/_dpcert.abi3.so"
done

DPCERT="$PWD/$built/dpcert"
[[ "$built" == /* ]] && DPCERT="$built/dpcert"
export DPCERT PYTHONPATH="$stage"
python3 -m unittest discover --quiet --start-directory python/tests/quick

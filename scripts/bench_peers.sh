#!/usr/bin/env bash
# The same work in dpcert, python-flint and mpmath, alternating in one run; the ratios go to benches/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv-bench/bin/python ]; then
    rm -rf .venv-bench.tmp
    python3 -m venv .venv-bench.tmp
    .venv-bench.tmp/bin/python -m pip install --quiet --disable-pip-version-check -r benches/requirements.txt
    mv .venv-bench.tmp .venv-bench
fi
cargo build --release --example measure
exec .venv-bench/bin/python benches/peers.py target/release/examples/measure benches/README.md

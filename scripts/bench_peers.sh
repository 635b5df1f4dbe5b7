#!/usr/bin/env bash
# Time the same work in dpcert and other programs, alternating in one run, and write the ratios to benches/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! .venv-bench/bin/python -c 'import flint, mpmath, dp_accounting, importlib.util as u; assert u.find_spec("opacus")' 2>/dev/null; then
    rm -rf .venv-bench .venv-bench.tmp
    python3 -m venv .venv-bench.tmp
    .venv-bench.tmp/bin/python -m pip install --quiet --disable-pip-version-check -r benches/requirements.txt
    # The accountants of opacus need only numpy and scipy. Its dependencies would install torch.
    .venv-bench.tmp/bin/python -m pip install --quiet --disable-pip-version-check --no-deps opacus==1.6.0
    mv .venv-bench.tmp .venv-bench
fi
cargo build --release --workspace --all-features --bins --examples
.venv-bench/bin/python benches/peers.py "${CARGO_TARGET_DIR:-target}/release/examples/measure" benches/README.md
exec .venv-bench/bin/python benches/compositions.py "${CARGO_TARGET_DIR:-target}/release/dpcert" benches/README.md

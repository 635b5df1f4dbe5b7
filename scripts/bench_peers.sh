#!/usr/bin/env bash
# The same work in dpcert and in its peers, taking turns in one run; the ratios go to benches/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! .venv-bench/bin/python -c 'import flint, mpmath, dp_accounting, importlib.util as u; assert u.find_spec("opacus")' 2>/dev/null; then
    rm -rf .venv-bench .venv-bench.tmp
    python3 -m venv .venv-bench.tmp
    .venv-bench.tmp/bin/python -m pip install --quiet --disable-pip-version-check -r benches/requirements.txt
    # Its accountants need numpy and scipy only; the whole package would bring torch.
    .venv-bench.tmp/bin/python -m pip install --quiet --disable-pip-version-check --no-deps opacus==1.6.0
    mv .venv-bench.tmp .venv-bench
fi
cargo build --release --workspace --all-features --bins --examples
.venv-bench/bin/python benches/peers.py "${CARGO_TARGET_DIR:-target}/release/examples/measure" benches/README.md
exec .venv-bench/bin/python benches/compositions.py "${CARGO_TARGET_DIR:-target}/release/dpcert" benches/README.md

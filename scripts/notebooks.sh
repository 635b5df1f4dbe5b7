#!/usr/bin/env bash
# Run the notebooks of the site by the extension module that is already built, beside its Python: what comes out has to be what
# they hold. `notebooks.sh --write` writes it into them.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/site_venv.sh
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
scripts/python_stage.sh
PYTHONPATH="$target/python" IPYTHONDIR="$target/ipython" .venv-site/bin/python docs/notebooks/run.py "$@"
# And one that is interrupted in the middle.
[ "${1:-}" = --write ] || PYTHONPATH="$target/python" IPYTHONDIR="$target/ipython" .venv-site/bin/python docs/notebooks/interrupt.py

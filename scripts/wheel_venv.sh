#!/usr/bin/env bash
# Create the virtual environment that builds and tests the wheel. It is built under another name and renamed, so that an
# interrupted set-up is repeated. Changed pins rebuild it.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-wheel
pins=python/requirements.txt
if ! cmp -s "$pins" "$venv/pins.txt"; then
    echo "setting up maturin and the test dependencies of the Python package" >&2
    rm -rf "$venv" "$venv.tmp"
    python3 -m venv "$venv.tmp"
    "$venv.tmp/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins"
    cp "$pins" "$venv.tmp/pins.txt"
    mv "$venv.tmp" "$venv"
fi

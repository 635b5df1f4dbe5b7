#!/usr/bin/env bash
# dp-accounting, and what builds and tests the Python package of the vectors, in a virtual environment of the checkout: made
# anew when the pins change, beside and renamed, so that an interrupted set-up is made again.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-python
pins=vectors/python/examples/requirements.txt
if ! cmp -s "$pins" "$venv/pins.txt"; then
    echo "setting up dp-accounting and pytest" >&2
    rm -rf "$venv" "$venv.tmp"
    python3 -m venv "$venv.tmp"
    "$venv.tmp/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins"
    cp "$pins" "$venv.tmp/pins.txt"
    mv "$venv.tmp" "$venv"
fi

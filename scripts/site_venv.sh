#!/usr/bin/env bash
# What builds the site and runs its notebooks, in a virtual environment of the checkout: made anew when the pins change,
# beside and renamed, so that an interrupted set-up is made again.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-site
pins=docs/requirements.txt
if ! cmp -s "$pins" "$venv/pins.txt"; then
    echo "setting up MkDocs" >&2
    rm -rf "$venv" "$venv.tmp"
    python3 -m venv "$venv.tmp"
    "$venv.tmp/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$pins"
    cp "$pins" "$venv.tmp/pins.txt"
    mv "$venv.tmp" "$venv"
fi

#!/usr/bin/env bash
# Test the page of `dpcert serve` in a headless Chromium (scripts/browser.sh), by the program that is already built; `PROFILE=debug`
# takes that of a debug build. Screenshots are left in target/serve-test, for people to look at.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

target="${CARGO_TARGET_DIR:-target}"
mkdir -p "$target/serve-test"
CHROMIUM="$browser" CHROMEDRIVER="$(command -v chromedriver)" DPCERT="$target/${PROFILE:-release}/dpcert" OUT="$target/serve-test" \
    exec "$venv/bin/python" tests/serve/browser.py

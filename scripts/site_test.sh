#!/usr/bin/env bash
# Test the site as it was built (`make docs`) in a headless Chromium (scripts/browser.sh): every page, wide and narrow, light and
# dark; links, search, formulas. Screenshots are left in target/site-test, for people to look at.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

target="${CARGO_TARGET_DIR:-target}"
mkdir -p "$target/site-test"
CHROMIUM="$browser" CHROMEDRIVER="$(command -v chromedriver)" SITE="$target/site" OUT="$target/site-test" \
    exec "$venv/bin/python" tests/site/browser.py

#!/usr/bin/env bash
# Test the site as it was built (`make docs`) in a headless Chromium (scripts/browser.sh): every page, wide and narrow, light and
# dark; links, search, formulas.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

look site SITE="$target/site"

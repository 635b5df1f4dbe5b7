#!/usr/bin/env bash
# Test the built site (`make docs`) in a headless Chromium (scripts/browser.sh): every page, wide and narrow, light and dark; links,
# search, formulas, copy buttons. Screenshots go to target/site-test.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

look site SITE="$target/site"

#!/usr/bin/env bash
# Test the page that `dpcert audit --html` writes, in a headless Chromium. Installs what it needs
# (scripts/browser.sh).
# Screenshots are left in target/report-test, for people to look at.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/browser.sh

cargo build --release --workspace --all-features --bins --examples --quiet
target="${CARGO_TARGET_DIR:-target}"
mkdir -p "$target/report-test"
CHROMIUM="$browser" CHROMEDRIVER="$(command -v chromedriver)" DPCERT="$target/release/dpcert" \
    REPORT="$target/release/examples/report" OUT="$target/report-test" \
    exec "$venv/bin/python" tests/report/browser.py

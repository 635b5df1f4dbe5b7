#!/usr/bin/env bash
# Test the report of `dpcert audit --html` in a headless Chromium (scripts/browser.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

cargo build --release --workspace --all-features --bins --examples --quiet
look report DPCERT="$target/release/dpcert" REPORT="$target/release/examples/report"

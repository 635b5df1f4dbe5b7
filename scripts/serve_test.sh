#!/usr/bin/env bash
# Test the page of `dpcert serve` in a headless Chromium (scripts/browser.sh), with the program that is already built.
# `PROFILE=debug` uses a debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/browser.sh

look serve DPCERT="$target/${PROFILE:-release}/dpcert"

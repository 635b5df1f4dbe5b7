#!/usr/bin/env bash
# Assemble the Python package in target/python without a wheel, from the extension module that is already built.
# `PROFILE=debug` uses a debug build.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
built="$target/${PROFILE:-release}"
stage="$target/python"
rm -rf "$stage" && mkdir -p "$stage"
cp -r python/dpcert "$stage"
rm -f "$stage"/dpcert/*.so
for module in "$built"/lib_dpcert.so "$built"/lib_dpcert.dylib; do
    [ ! -e "$module" ] || cp "$module" "$stage/dpcert/_dpcert.abi3.so"
done

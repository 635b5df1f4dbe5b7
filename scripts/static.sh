#!/usr/bin/env bash
# Build the program as one file that needs nothing of the machine but Linux on x86-64: into target/dist/bin.
#
# glibc is linked statically: nothing here looks up names of hosts or users, for which it would want its plugins. GMP and MPFR are
# built anew below the target folder, so that no flags of this machine's user get in; GMP picks its assembly when it runs (a fat build).
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
build="$target"
# MPFR's configure fails where its path has a blank.
if [[ "$target" == *[[:space:]]* ]]; then
    build=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$build"' EXIT
    export CARGO_TARGET_DIR="$build"
fi
triple=x86_64-unknown-linux-gnu
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
# Whoever has them built already may say where.
export GMP_MPFR_SYS_CACHE="${GMP_MPFR_SYS_CACHE-$target/dist-cache}"
# With a target of their own, programs that run while building are not linked so. Functions with the same code are one, and what is
# to be moved when the program is loaded is listed densely; rustc's own linker can do both, and glibc the latter since 2.36.
# Where all is optimized as one, loops are made wide only if the last step is told to be fast; functions stay as small as their
# package says.
RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-z,pack-relative-relocs" \
    cargo rustc --profile small --locked --target "$triple" --package dpcert --bin dpcert -- -C opt-level=3

binary="$build/$triple/small/dpcert"
if readelf --program-headers --dynamic "$binary" | grep -E 'INTERP|NEEDED'; then
    echo "$binary needs something of the machine" >&2
    exit 1
fi
size=$(stat --format %s "$binary")
if [ "$size" -ge 15000000 ]; then
    echo "$binary has $size bytes, which is more than 15 MB" >&2
    exit 1
fi
# It answers without anything around it.
said=$(env --ignore-environment "$binary" delta 'randomized-response(epsilon=ln(3/2))^2' --epsilon 'ln(3/2)' --json)
case "$said" in
*'"exact":"3/25"'*) ;;
*) echo "$binary says $said" >&2 && exit 1 ;;
esac
mkdir -p "$target/dist/bin"
cp "$binary" "$target/dist/bin/dpcert.tmp" && mv "$target/dist/bin/dpcert.tmp" "$target/dist/bin/dpcert"
echo "$target/dist/bin/dpcert: $size bytes"

#!/usr/bin/env bash
# Build the static program for Linux on x86-64 into target/dist/bin. It needs no libraries.
#
# glibc is linked statically, which is safe because the program never looks up host or user names. GMP and MPFR are built
# below the target folder, so that the user's compiler flags do not affect them. GMP selects its assembly at run time
# (a fat build).
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
build="$target"
# MPFR's configure script fails in a path with a blank.
if [[ "$target" == *[[:space:]]* ]]; then
    build=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$build"' EXIT
    export CARGO_TARGET_DIR="$build"
fi
triple=x86_64-unknown-linux-gnu
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
# Set GMP_MPFR_SYS_CACHE to reuse an existing build.
export GMP_MPFR_SYS_CACHE="${GMP_MPFR_SYS_CACHE-$target/dist-cache}"
# With an explicit target, these flags do not apply to build scripts. The linker merges functions with identical code and
# packs the relocations, which glibc supports since 2.36. With full LTO, loops are vectorized only if the last step has
# opt-level 3; functions keep the opt-level of their package.
RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-z,pack-relative-relocs" \
    cargo rustc --profile small --locked --target "$triple" --package dpcert --bin dpcert -- -C opt-level=3

binary="$build/$triple/small/dpcert"
if readelf --program-headers --dynamic "$binary" | grep -E 'INTERP|NEEDED'; then
    echo "$binary is not static: it needs the libraries listed above" >&2
    exit 1
fi
size=$(stat --format %s "$binary")
if [ "$size" -ge 19000000 ]; then
    echo "$binary has $size bytes; the limit is 19 MB" >&2
    exit 1
fi
# The program answers with an empty environment.
said=$(env --ignore-environment "$binary" delta 'randomized-response(epsilon=ln(3/2))^2' --epsilon 'ln(3/2)' --json)
case "$said" in
*'"exact":"3/25"'*) ;;
*) echo "$binary printed $said, not the exact value 3/25" >&2 && exit 1 ;;
esac
mkdir -p "$target/dist/bin"
cp "$binary" "$target/dist/bin/dpcert.tmp" && mv "$target/dist/bin/dpcert.tmp" "$target/dist/bin/dpcert"
echo "$target/dist/bin/dpcert: $size bytes"

#!/usr/bin/env bash
# Build the wheel into target/wheels, for Linux on any x86-64 processor with glibc 2.28 or later.
#
# zig links against the glibc of manylinux_2_28. GMP and MPFR are built below the target folder, so that the user's compiler
# flags do not affect them. GMP selects its assembly when it is loaded (a fat build); all other code is compiled for
# baseline x86-64. check_wheel.py verifies this on the built wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/wheel_venv.sh
venv="$PWD/.venv-wheel"
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
# MPFR's configure script fails in a path with a blank.
if [[ "$target" == *[[:space:]]* ]]; then
    elsewhere=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$elsewhere"' EXIT
    export CARGO_TARGET_DIR="$elsewhere"
fi

# The licences are stored once, at the root; the wheel needs copies.
stage=$(mktemp -d)
trap 'rm -rf "$stage" ${elsewhere:+"$elsewhere"}; rm -f python/LICENSE-APACHE python/LICENSE-MIT python/LICENSE-OFL' EXIT
cp LICENSE-APACHE LICENSE-MIT python/
# Licence of the font embedded in the program.
cp src/picture/letters/OFL.txt python/LICENSE-OFL

unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
# check_wheel.py needs function names, and zig's linker removes them with `strip = "debuginfo"`, so nothing is stripped.
# Set GMP_MPFR_SYS_CACHE to reuse an existing build of GMP and MPFR.
export GMP_MPFR_SYS_CACHE="${GMP_MPFR_SYS_CACHE-$target/wheel-cache}" PATH="$venv/bin:$PATH"
mkdir -p "$target/wheels"
"$venv/bin/python" -m maturin build --manifest-path python/Cargo.toml --profile wheel --locked --zig \
    --compatibility manylinux_2_28 --out "$stage" "$@" -- -C strip=none
"$venv/bin/python" scripts/check_wheel.py "$stage"/*.whl
"$venv/bin/python" -m auditwheel show "$stage"/*.whl
rm -f "$target"/wheels/dpcert-*.whl
mv "$stage"/*.whl "$target/wheels"
ls -l "$target"/wheels/*.whl

#!/usr/bin/env bash
# Build the wheel into target/wheels: for any x86-64 with glibc 2.28 or later, whatever this machine is.
#
# zig is the linker, with the glibc of manylinux_2_28. GMP and MPFR are built anew below the target folder, so that no flags of
# this machine's user get in; GMP picks its assembly when it is loaded (a fat build), and all else is compiled for the least
# x86-64 there is. `check_wheel.py` proves that on what was built.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/wheel_venv.sh
venv="$PWD/.venv-wheel"
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
# MPFR's configure fails where its path has a blank.
if [[ "$target" == *[[:space:]]* ]]; then
    elsewhere=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$elsewhere"' EXIT
    export CARGO_TARGET_DIR="$elsewhere"
fi

# The notices are kept once, at the root.
stage=$(mktemp -d)
trap 'rm -rf "$stage" ${elsewhere:+"$elsewhere"}; rm -f python/LICENSE-APACHE python/LICENSE-MIT python/LICENSE-OFL' EXIT
cp LICENSE-APACHE LICENSE-MIT python/
# Of the letters that the program draws with.
cp src/picture/letters/OFL.txt python/LICENSE-OFL

unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
# Names of functions stay, so that it can be shown for which processors they are; zig's linker takes them away where it is
# told to take lines and types alone. Whoever has GMP and MPFR built already may say where.
export GMP_MPFR_SYS_CACHE="${GMP_MPFR_SYS_CACHE-$target/wheel-cache}" PATH="$venv/bin:$PATH"
mkdir -p "$target/wheels"
"$venv/bin/python" -m maturin build --manifest-path python/Cargo.toml --profile wheel --locked --zig \
    --compatibility manylinux_2_28 --out "$stage" "$@" -- -C strip=none
"$venv/bin/python" scripts/check_wheel.py "$stage"/*.whl
"$venv/bin/python" -m auditwheel show "$stage"/*.whl
rm -f "$target"/wheels/dpcert-*.whl
mv "$stage"/*.whl "$target/wheels"
ls -l "$target"/wheels/*.whl

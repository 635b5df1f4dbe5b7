#!/usr/bin/env bash
# Install what builds and tests need besides the Rust toolchain, or list what is missing. GMP and MPFR are built from source
# and need a C compiler, make and m4. Tests of the schema use an independent validator and need Python with venv.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v make >/dev/null || missing+=(make)
command -v m4 >/dev/null || missing+=(m4)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)

if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "missing packages, by their Debian names: ${missing[*]}" >&2
        exit 2
    fi
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
fi

if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install the Rust toolchain from https://rustup.rs" >&2
    exit 2
fi

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "python3 is too old: tests and audits need Python 3.11 or later" >&2
    exit 2
fi

# Pinned Python packages for the tests. The environment is built under another name and renamed, so that an interrupted
# set-up is repeated.
if ! cmp -s scripts/requirements.txt .venv/pins.txt; then
    echo "setting up Python's jsonschema and yaml" >&2
    rm -rf .venv .venv.tmp
    python3 -m venv .venv.tmp
    .venv.tmp/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
    cp scripts/requirements.txt .venv.tmp/pins.txt
    rm -rf .venv.tmp/bin/pip* && mv .venv.tmp .venv
fi

# MPFR's configure script fails in a path with a blank. Build GMP and MPFR once in another path; later builds take them
# from the cache of their crate, in the user's cache folder.
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
if [[ "$target" == *[[:space:]]* ]] && ! compgen -G "$target/release/build/gmp-mpfr-sys-*/out/lib/libmpfr.a" >/dev/null; then
    if [ "${GMP_MPFR_SYS_CACHE-unset}" = "" ] || [ "${GMP_MPFR_SYS_CACHE-unset}" = "_" ]; then
        echo "GMP and MPFR cannot be built in a path with a blank: unset GMP_MPFR_SYS_CACHE, so that they can be cached" >&2
        exit 2
    fi
    echo "building GMP and MPFR in a path without a blank" >&2
    elsewhere=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$elsewhere"' EXIT
    CARGO_TARGET_DIR="$elsewhere" cargo build --release --quiet --locked --package gmp-mpfr-sys
fi

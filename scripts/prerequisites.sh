#!/usr/bin/env bash
# Install, or name, what a build and its tests need besides rustup's toolchain: a C compiler, make and m4 (GMP and MPFR
# are built from source) and Python with venv (the schema of the vectors is checked by a validator that is not ours).
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v make >/dev/null || missing+=(make)
command -v m4 >/dev/null || missing+=(m4)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)

if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "please install: ${missing[*]} (Debian's package names)" >&2
        exit 2
    fi
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
fi

if ! command -v cargo >/dev/null; then
    echo "please install Rust's toolchain with rustup first" >&2
    exit 2
fi

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "python3 is older than 3.11; the tests and the audited packages need a newer one" >&2
    exit 2
fi

# What tests need of Python, pinned: made anew when the pins change, beside and renamed, so that an interrupted set-up is made again.
if ! cmp -s scripts/requirements.txt .venv/pins.txt; then
    echo "setting up Python's jsonschema and yaml" >&2
    rm -rf .venv .venv.tmp
    python3 -m venv .venv.tmp
    .venv.tmp/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
    cp scripts/requirements.txt .venv.tmp/pins.txt
    rm -rf .venv.tmp/bin/pip* && mv .venv.tmp .venv
fi

# MPFR's configure fails where its path has a blank. Built once below a path without, GMP and MPFR come from the cache of
# their crate (in the user's cache folder) ever after.
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
if [[ "$target" == *[[:space:]]* ]] && ! compgen -G "$target/release/build/gmp-mpfr-sys-*/out/lib/libmpfr.a" >/dev/null; then
    if [ "${GMP_MPFR_SYS_CACHE-unset}" = "" ] || [ "${GMP_MPFR_SYS_CACHE-unset}" = "_" ]; then
        echo "GMP and MPFR cannot be built below a path with a blank: unset GMP_MPFR_SYS_CACHE, so that they can be cached" >&2
        exit 2
    fi
    echo "building GMP and MPFR below a path without a blank" >&2
    elsewhere=$(TMPDIR=/tmp mktemp -d)
    trap 'rm -rf "$elsewhere"' EXIT
    CARGO_TARGET_DIR="$elsewhere" cargo build --release --quiet --locked --package gmp-mpfr-sys
fi

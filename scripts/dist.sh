#!/usr/bin/env bash
# All that is given away, into target/dist: the wheel, source archives, crates, the program as one static file, its bill of materials,
# and the checksums of all of them. Then it is looked at (check_dist.py). Nothing is uploaded.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
out="$target/dist"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# What is packed is what is committed.
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    echo "there are changes that are not committed" >&2
    exit 2
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$out" && mkdir -p "$out"

scripts/static.sh
name="dpcert-$version-linux-x86_64"
mv "$out/bin/dpcert" "$out/$name" && rmdir "$out/bin"

# Completions and pages of the manual are told by the program.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/$name/man"
for shell in bash zsh fish; do "$out/$name" completions "$shell" >"$stage/$name/dpcert.$shell"; done
"$out/$name" man --out "$stage/$name/man"
cp "$out/$name" "$stage/$name/dpcert"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT python/NOTICE-LGPL.md "$stage/$name"
cp src/picture/letters/OFL.txt "$stage/$name/LICENSE-OFL"
tar --create --gzip --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --file "$out/$name.tar.gz" "$name"

scripts/wheel.sh
cp "$target"/wheels/dpcert-*.whl "$out"
.venv-wheel/bin/python -m maturin sdist --manifest-path python/Cargo.toml --out "$out"
scripts/accountant_venv.sh
.venv-python/bin/python -m build --no-isolation --outdir "$out" vectors/python >"$stage/build.log" 2>&1 || { cat "$stage/build.log" >&2; exit 1; }

rm -f "$target"/package/*.crate
cargo package --workspace --exclude dpcert-python --locked --no-verify
cp "$target"/package/*.crate "$out"

venv=.venv-dist
if ! cmp -s scripts/requirements-dist.txt "$venv/pins.txt"; then
    rm -rf "$venv" "$venv.tmp"
    python3 -m venv "$venv.tmp"
    "$venv.tmp/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r scripts/requirements-dist.txt
    cp scripts/requirements-dist.txt "$venv.tmp/pins.txt"
    mv "$venv.tmp" "$venv"
fi
"$venv/bin/python" scripts/sbom.py "$out/dpcert-$version.cdx.json"

(cd "$out" && sha256sum -- * >"$stage/SHA256SUMS" && mv "$stage/SHA256SUMS" . && sha256sum --check --quiet SHA256SUMS)
python3 scripts/check_dist.py "$out" "$@"
ls -l "$out"

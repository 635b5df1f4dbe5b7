#!/usr/bin/env bash
# Build all release files into target/dist: the static program and its archive, the wheels and source archives of both
# Python packages, the three crates, the vectors as plain data, a bill of materials and the checksums. check_dist.py then
# checks them. Nothing is uploaded. docs/releasing.md lists the steps of a release.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
out="$target/dist"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# The files are built from the commit, so refuse uncommitted changes.
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    echo "uncommitted changes: commit them first, as release files are built from a commit" >&2
    exit 2
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$out" && mkdir -p "$out"

scripts/static.sh
name="dpcert-$version-linux-x86_64"
mv "$out/bin/dpcert" "$out/$name" && rmdir "$out/bin"

# The program writes its shell completions and man pages.
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

# The vectors as plain data, for programs in any language.
vectors="dpcert-vectors-data-$version"
mkdir "$stage/$vectors"
cp -R vectors/data vectors/schema.json vectors/catalogue.json vectors/README.md vectors/FINDINGS.md vectors/LICENSE-CC0 "$stage/$vectors"
tar --create --gzip --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --file "$out/$vectors.tar.gz" "$vectors"

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

#!/usr/bin/env bash
# Build the site into target/site. Its pages open as files and need no network. A dead link is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/site_venv.sh
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" == /* ]] || target="$PWD/$target"
# Suppresses a notice about the future of MkDocs.
export NO_MKDOCS_2_WARNING=1
.venv-site/bin/python -m mkdocs build --quiet --strict --clean --config-file docs/mkdocs.yml --site-dir "$target/site"
echo "file://$target/site/index.html"

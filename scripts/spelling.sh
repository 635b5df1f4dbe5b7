#!/usr/bin/env bash
# Check the spelling of all texts and names. scripts/spelling-words.txt lists what codespell does not know: names of people
# and of variables, and words that tests misspell on purpose.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -z -- '*.rs' '*.md' '*.py' '*.sh' '*.toml' '*.yml' '*.ipynb' '*.js' '*.trycmd' Makefile ':!vectors/data' |
    xargs -0 .venv/bin/python -m codespell_lib --ignore-words scripts/spelling-words.txt --ignore-regex '[A-Za-z0-9+/=_-]{40,}'

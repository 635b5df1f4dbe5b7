# Sourced by browser tests, from the root of the checkout. Finds Chromium and its driver or installs them from packages of
# Debian or Ubuntu, and installs Selenium in a virtual environment. Defines `$target`, and the function `look`, which runs
# a test.

# Ubuntu's package `chromium-browser` wraps a snap. Chrome, or Chromium from another source, works as well.
browser=""
for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null; then browser="$(command -v "$candidate")" && break; fi
done
missing=()
[ -n "$browser" ] || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "missing packages, by their Debian names: ${missing[*]}" >&2
        exit 2
    fi
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    if ! DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null; then
        # Names in Ubuntu.
        DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq chromium-browser chromium-chromedriver >/dev/null
    fi
    browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome)"
fi

venv=.venv-report
if ! cmp -s tests/report/requirements.txt "$venv/requirements.txt"; then
    echo "setting up Selenium" >&2
    rm -rf "$venv.tmp" "$venv"
    python3 -m venv "$venv.tmp"
    "$venv.tmp/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r tests/report/requirements.txt
    cp tests/report/requirements.txt "$venv.tmp/requirements.txt"
    mv "$venv.tmp" "$venv"
fi

target="${CARGO_TARGET_DIR:-target}"

# look NAME VARIABLE=VALUE...: run tests/NAME/browser.py with these variables. It leaves screenshots in target/NAME-test.
look() {
    local out="$target/$1-test" test="tests/$1/browser.py"
    shift
    mkdir -p "$out"
    exec env CHROMIUM="$browser" CHROMEDRIVER="$(command -v chromedriver)" OUT="$out" PYTHONPATH="$PWD/tests" "$@" \
        "$venv/bin/python" "$test"
}

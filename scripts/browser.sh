# Sourced by what tests pages in a headless Chromium, from the root of the checkout: finds or installs Chromium with its
# driver, from Debian's or Ubuntu's packages, and Selenium in a virtual environment of its own. Leaves `$target`, and `look`, which runs
# such a test.

# Ubuntu's package `chromium-browser` is a wrapper for a snap; Chrome or a Chromium of any other source does as well.
browser=""
for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null; then browser="$(command -v "$candidate")" && break; fi
done
missing=()
[ -n "$browser" ] || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "please install: ${missing[*]} (Debian's package names)" >&2
        exit 2
    fi
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    if ! DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null; then
        # Ubuntu's names.
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

# look NAME VARIABLE=VALUE...: tests/NAME/browser.py, with these variables. Pictures are left in target/NAME-test, for people to look at.
look() {
    local out="$target/$1-test" test="tests/$1/browser.py"
    shift
    mkdir -p "$out"
    exec env CHROMIUM="$browser" CHROMEDRIVER="$(command -v chromedriver)" OUT="$out" PYTHONPATH="$PWD/tests" "$@" \
        "$venv/bin/python" "$test"
}

#!/usr/bin/env bash
# Audit a few queries of a real package, as a user would: dp-accounting, installed from pinned versions. The known faults of
# its PLD accountant must be found, and no other gross fault. Then run the calls of vectors/FINDINGS.md.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
work="$target/audit-test"
mkdir -p "$work"
# A separate cache, so that the user's cache has no effect.
XDG_CACHE_HOME="$(cd "$work" && pwd)/cache"
export XDG_CACHE_HOME

echo "tests of the adapters" >&2
python3 -m unittest discover --quiet adapters/tests

echo "a short audit of dp-accounting" >&2
cargo build --release --workspace --all-features --bins --examples --quiet
rm -f "$work/judged.jsonl" "$work/readme.jsonl"
code=0
"$target/release/dpcert" audit dp-accounting:pld-accountant dp-accounting:closed-form \
    --only sweep-response --only randomized-response --only kov-delta-00 --only gaussian-delta-000 --only laplace-delta-00 --every 2 --time-limit 60 \
    --out "$work/judged.jsonl" --html "$work/report.html" --worst 1 || code=$?
[ "$code" -eq 1 ] || { echo "exit code $code instead of 1: no unsound claim was found" >&2; exit 1; }

python3 - "$work/judged.jsonl" "$work/report.html" <<'PYTHON'
import base64, gzip, json, pathlib, re, sys

records = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
judged = [record for record in records if record["type"] == "judgement"]
count = lambda **wanted: sum(all(judgement.get(key) == value for key, value in wanted.items()) for judgement in judged)
# Ignore deltas below 1e-16: claiming 0 there is wrong but harmless.
matters = lambda judgement: judgement["quantity"] != "delta" or float(judgement["truth"]["lower"]) > 1e-16
gross = {(judgement["api"], judgement["id"]) for judgement in judged if judgement.get("size") == "gross" and matters(judgement)}
composed = {(api, id) for api, id in gross if api == "pld-accountant" and id.startswith("sweep-response")}
assert count(api="closed-form", verdict="sound") > 20, "at most 20 claims of closed-form are sound"
assert count(api="pld-accountant", verdict="sound") > 10, "at most 10 claims of pld-accountant are sound"
assert len(composed) > 2, "the known fault (composed randomized response is counted once) was not found"
assert gross == composed, f"unexpected gross faults: {sorted(gross - composed)}"
assert records[-1]["type"] == "summary" and records[-1]["unsound"] >= len(gross)
page = pathlib.Path(sys.argv[2]).read_text()
inside = gzip.decompress(base64.b64decode(max(re.findall(r"[A-Za-z0-9+/=]+", page), key=len))).decode()
assert page.lower().startswith("<!doctype html>") and "sweep-response-epsilon" in inside, "the report lacks the judged queries"
print(f"{len(judged)} judgements, {len(gross)} of them known gross faults")
PYTHON

echo "the audit that docs/pages/explanation/audits.md shows" >&2
"$target/release/dpcert" audit dp-accounting:pld-accountant --only sweep-response-epsilon-0002 --time-limit 60 --out "$work/readme.jsonl" \
    >"$work/readme.txt" || [ $? -eq 1 ]
python3 - "$work/readme.txt" <<'PYTHON'
import pathlib, re, sys

printed = [line.rstrip() for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
shown = re.search(r"^```text\n(dp-accounting.*?)^```$", pathlib.Path("docs/pages/explanation/audits.md").read_text(), re.MULTILINE | re.DOTALL)
missing = [line for line in shown[1].splitlines() if line.rstrip() not in printed]
assert not missing, f"the page shows lines that are not printed: {missing}"
PYTHON

echo "the calls of vectors/FINDINGS.md about dp-accounting" >&2
python3 scripts/check_findings.py dp-accounting

echo "the action, on a released package and on a reference" >&2
scripts/prerequisites.sh
.venv/bin/python tests/action/packages.py

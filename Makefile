# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs first.

CARGO := cargo
VENV := .venv

.PHONY: demo test quick prerequisites build vectors bench bench-peers bench-instructions record-instructions fuzz lint report-test audit-test python-test

demo: build
	@scripts/demo.sh

test: prerequisites lint
	$(CARGO) test --release --workspace --all-features
	$(VENV)/bin/python scripts/check_schema.py vectors/schema.json vectors/data
	@scripts/report_test.sh
	@scripts/python_package.sh
	@scripts/audit_test.sh

# The page of an audit in a headless browser.
report-test: prerequisites
	@scripts/report_test.sh

# The Python package of the vectors, and with it dp-accounting.
python-test: prerequisites
	@scripts/python_package.sh

# A short audit of a real package.
audit-test: prerequisites
	@scripts/audit_test.sh

# The tests without the slow lane of cross-checks: for the minutes between two edits.
quick: prerequisites
	$(CARGO) test --release --workspace --all-features --lib

lint: prerequisites
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-features --all-targets -- --deny warnings

build: prerequisites
	$(CARGO) build --release

# Write the golden vectors and their schema again; a test proves that the committed ones are these.
vectors: build
	target/release/dpcert vectors generate --out vectors

bench: prerequisites
	$(CARGO) bench

bench-peers: build
	@scripts/bench_peers.sh

# Instructions of three workloads against those recorded, by valgrind; fails where one has grown by a quarter.
bench-instructions: build
	@scripts/instructions.py target/release/dpcert

# After a change that is meant to cost more, or less.
record-instructions: build
	@scripts/instructions.py target/release/dpcert --record

prerequisites:
	@scripts/prerequisites.sh

$(VENV)/bin/python:
	@scripts/prerequisites.sh

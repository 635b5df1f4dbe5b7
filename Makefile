# `make help` lists the targets. `make demo` and `make test` first install what they need. Before a change is merged,
# `.ci/run` runs `make lint`, `make test` and `make test-slow`.

CARGO := cargo
VENV := .venv
# One feature set for all builds, tests and lints, so that each crate is built once. The examples are included because
# cargo then enables the features that tests need in shared dependencies.
SET := --release --workspace --all-features
PROGRAMS := --lib --bins --examples
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: demo help test test-slow quick prerequisites build vectors bench bench-peers bench-python bench-instructions record-instructions coverage coverage-engines fuzz fuzz-parsers fuzz-extremes lint report-test audit-test latex-test python-test wheel docs docs-test reference serve-test notebooks static dist

demo: prerequisites ## Build the program, then answer queries, reproduce published results and verify the vectors
	$(CARGO) build --release --package dpcert --all-features --bin dpcert
	@scripts/demo.sh

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

test: prerequisites ## Run all tests except the slow ones
	$(CARGO) test $(SET) --no-fail-fast
	$(VENV)/bin/python scripts/check_schema.py vectors/schema.json vectors/data
	$(VENV)/bin/python -m unittest discover --quiet benches/coverage
	$(VENV)/bin/python -m unittest discover --quiet tests/prose
	$(CARGO) build $(SET) $(PROGRAMS)
	$(VENV)/bin/python -m unittest discover --quiet tests/action
	@scripts/python_staged.sh

# Cross-checks of random queries, audits of faulty programs, all vectors again; the same answers under load. Browser
# tests of the audit report, the page of `dpcert serve` and the site; the notebooks, the Python package of the vectors,
# an audit of a real package.
test-slow: prerequisites ## Run the slow tests
	$(CARGO) test $(SET) --test slow
	@scripts/report_test.sh
	$(CARGO) build $(SET) $(PROGRAMS)
	@scripts/instructions.py "$(TARGET)/release/dpcert"
	@scripts/same_bytes.py "$(TARGET)/release/dpcert"
	@scripts/serve_test.sh
	@scripts/page_commands.py "$(TARGET)/release/dpcert"
	@scripts/notebooks.sh
	@scripts/reference.py --check "$(TARGET)/release/dpcert"
	@scripts/site.sh
	@scripts/site_test.sh
	@scripts/python_package.sh
	@scripts/audit_test.sh

report-test: prerequisites ## Test the HTML report of an audit in a headless browser
	@scripts/report_test.sh

docs: prerequisites ## Build the documentation site in target/site
	@scripts/site.sh

reference: build ## Generate the reference pages of commands, mechanisms and names
	@scripts/reference.py "$(TARGET)/release/dpcert"

docs-test: docs ## Test every page of the site in a headless browser
	@scripts/site_test.sh

serve-test: build ## Test the page of dpcert serve in a headless browser
	@scripts/serve_test.sh

notebooks: build ## Run the notebooks of the site and compare their output
	@scripts/notebooks.sh

static: prerequisites ## Build the static program in target/dist/bin
	@scripts/static.sh

dist: prerequisites ## Build and check all release files in target/dist
	@scripts/dist.sh

wheel: prerequisites ## Build the Python wheel for Linux on x86-64 in target/wheels
	@scripts/wheel.sh

python-test: build wheel ## Test the wheel and the Python package of the vectors in empty environments
	@DPCERT_EVERY=1 scripts/python_test.sh
	@scripts/python_package.sh

# Needs pdflatex with booktabs (Debian: texlive-latex-recommended).
latex-test: prerequisites ## Typeset all tables of papers/
	@$(VENV)/bin/python scripts/check_latex.py

audit-test: prerequisites ## Audit a real package, briefly
	@scripts/audit_test.sh

quick: prerequisites ## Run unit tests and transcripts
	$(CARGO) test $(SET) --exclude dpcert-vectors --lib --test it

# Random input for FUZZ_SECONDS each. The seed is printed; FUZZ_SEED repeats a run. `make test` runs each briefly.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= $(shell date +%s)
FUZZ = FUZZ_SECONDS="$(FUZZ_SECONDS)" FUZZ_SEED="$(FUZZ_SEED)"

fuzz: fuzz-parsers fuzz-extremes ## Run both fuzzers for FUZZ_SECONDS each

fuzz-parsers: prerequisites ## Fuzz all parsers with mutated text
	$(FUZZ) $(CARGO) test $(SET) --test it -- fuzz:: --nocapture

fuzz-extremes: build ## Check that extreme parameters stay within the limits of time and memory
	scripts/fuzz_extremes.py "$(TARGET)/release/dpcert" --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

lint: prerequisites ## Check prose, spelling, formatting and clippy, without warnings
	$(VENV)/bin/python scripts/prose.py
	@scripts/spelling.sh
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(SET) --all-targets --test slow -- --deny warnings
# The library alone: it must not depend on the program, nor contain code that only the program calls.
	$(CARGO) clippy --release -p dpcert --lib --no-default-features -- --deny warnings

build: prerequisites ## Build the program, libraries and examples
	$(CARGO) build $(SET) $(PROGRAMS)

# A test compares the committed files with these.
vectors: build ## Generate the golden vectors and their schema
	"$(TARGET)/release/dpcert" vectors generate --out vectors

bench: prerequisites ## Run the benchmarks
	$(CARGO) bench --workspace --all-features --bench quantities

bench-peers: build ## Compare speed with other programs; updates benches/README.md
	@scripts/bench_peers.sh

bench-python: build ## Measure the overhead of Python and of a cluster; updates python/CLUSTER.md
	@scripts/bench_python.sh

bench-instructions: build ## Count instructions under valgrind; fail if one grew by more than 5 per cent
	@scripts/instructions.py "$(TARGET)/release/dpcert"

record-instructions: build ## Record new instruction counts after an intended change
	@scripts/instructions.py "$(TARGET)/release/dpcert" --record

# COVERAGE_RESUME=1 continues an interrupted run.
COVERAGE_QUESTIONS ?= 300
COVERAGE_WIDER ?= 200
COVERAGE_SEED ?= 1
COVERAGE_JOBS ?= 1

coverage: build ## Measure which share of ordinary queries is answered; updates benches/README.md
	@scripts/accountant_venv.sh
	scripts/coverage.py "$(TARGET)/release/dpcert" --questions $(COVERAGE_QUESTIONS) --wider $(COVERAGE_WIDER) --seed $(COVERAGE_SEED) \
		--jobs $(COVERAGE_JOBS) --accountant .venv-python/bin/python --journal "$(TARGET)/coverage.jsonl" \
		--out "$(TARGET)/coverage-failures.tsv" $(if $(COVERAGE_RESUME),--resume)

coverage-engines: ## Measure what each engine contributes, after `make coverage`; updates benches/README.md
	scripts/engines.py "$(TARGET)/release/dpcert" --journal "$(TARGET)/coverage.jsonl" --jobs $(COVERAGE_JOBS)

prerequisites:
	@scripts/prerequisites.sh

$(VENV)/bin/python:
	@scripts/prerequisites.sh

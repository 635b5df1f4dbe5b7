# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs first. What takes longer
# stands apart, in `make test-slow`, and what concerns only who changes something, in `make lint`; before a change lands
# all of them run.

CARGO := cargo
VENV := .venv
# One set of features for all that is built, tested and linted, so that each crate is built once. The examples are there
# because with them cargo switches on what only the tests want of shared dependencies.
SET := --release --workspace --all-features
PROGRAMS := --lib --bins --examples
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: demo test test-slow quick prerequisites build vectors bench bench-peers bench-python bench-instructions record-instructions coverage fuzz fuzz-parsers fuzz-extremes lint report-test audit-test latex-test python-test wheel docs docs-test reference serve-test notebooks static dist

# The program alone: what tests want besides takes as long again to build.
demo: prerequisites
	$(CARGO) build --release --package dpcert --all-features --bin dpcert
	@scripts/demo.sh

test: prerequisites
	$(CARGO) test $(SET) --no-fail-fast
	$(VENV)/bin/python scripts/check_schema.py vectors/schema.json vectors/data
	$(VENV)/bin/python -m unittest discover --quiet benches/coverage
	$(CARGO) build $(SET) $(PROGRAMS)
	$(VENV)/bin/python -m unittest discover --quiet tests/action
	@scripts/python_staged.sh

# Cross-checks of random questions, audits of faulty programs, all vectors made again; the page of an audit in a browser,
# that of `dpcert serve`, the site with its notebooks, the Python package of the vectors, a real audit.
test-slow: prerequisites
	$(CARGO) test $(SET) --test slow
	@scripts/report_test.sh
	$(CARGO) build $(SET) $(PROGRAMS)
	@scripts/instructions.py "$(TARGET)/release/dpcert"
	@scripts/serve_test.sh
	@scripts/page_commands.py "$(TARGET)/release/dpcert"
	@scripts/notebooks.sh
	@scripts/reference.py --check "$(TARGET)/release/dpcert"
	@scripts/site.sh
	@scripts/site_test.sh
	@scripts/python_package.sh
	@scripts/audit_test.sh

# The page of an audit in a headless browser.
report-test: prerequisites
	@scripts/report_test.sh

# The site, in target/site: pages for a browser, which need no network. `make docs-test` looks at all of them.
docs: prerequisites
	@scripts/site.sh

# The pages of the reference that the program tells: its commands and its mechanisms.
reference: build
	@scripts/reference.py "$(TARGET)/release/dpcert"

docs-test: docs
	@scripts/site_test.sh

# The page of `dpcert serve` in a headless browser.
serve-test: build
	@scripts/serve_test.sh

# The notebooks of the site: what comes out has to be what they hold.
notebooks: build
	@scripts/notebooks.sh

# The program as one file that needs nothing of the machine, and all that is given away, in target/dist.
static: prerequisites
	@scripts/static.sh

dist: prerequisites
	@scripts/dist.sh

# The wheel of the Python package, for any x86-64, in target/wheels.
wheel: prerequisites
	@scripts/wheel.sh

# The wheel in an empty environment; and the Python package of the vectors, with it dp-accounting.
python-test: build wheel
	@DPCERT_EVERY=1 scripts/python_test.sh
	@scripts/python_package.sh

# Does LaTeX take the tables of papers/? Needs pdflatex with booktabs (Debian: texlive-latex-recommended).
latex-test: prerequisites
	@$(VENV)/bin/python scripts/check_latex.py

# A short audit of a real package.
audit-test: prerequisites
	@scripts/audit_test.sh

# Unit tests and transcripts: for the minutes between two edits.
quick: prerequisites
	$(CARGO) test $(SET) --exclude dpcert-vectors --lib --test it

# Random attacks, so many seconds each; the seed is printed, and repeats them. The tests do a little of each.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= $(shell date +%s)
FUZZ = FUZZ_SECONDS="$(FUZZ_SECONDS)" FUZZ_SEED="$(FUZZ_SEED)"

fuzz: fuzz-parsers fuzz-extremes

# Everything that reads text, by mutated texts.
fuzz-parsers: prerequisites
	$(FUZZ) $(CARGO) test $(SET) --test it -- fuzz:: --nocapture

# Questions with parameters beyond reason, within limits of memory and time that the program is to keep by itself.
fuzz-extremes: build
	scripts/fuzz_extremes.py "$(TARGET)/release/dpcert" --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

lint: prerequisites
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(SET) --all-targets --test slow -- --deny warnings
# The library without the program, which must not need it, nor keep what only the program calls.
	$(CARGO) clippy --release -p dpcert --lib --no-default-features -- --deny warnings

build: prerequisites
	$(CARGO) build $(SET) $(PROGRAMS)

# Write the golden vectors and their schema again; a test proves that the committed ones are these.
vectors: build
	"$(TARGET)/release/dpcert" vectors generate --out vectors

bench: prerequisites
	$(CARGO) bench --workspace --all-features --bench quantities

bench-peers: build
	@scripts/bench_peers.sh

# What Python and a cluster add to the library's own time; into python/CLUSTER.md.
bench-python: build
	@scripts/bench_python.sh

# Counts the instructions of 13 workloads under valgrind; fails where one grew by more than 5 per cent.
bench-instructions: build
	@scripts/instructions.py "$(TARGET)/release/dpcert"

# Records the counts anew, after a change that is meant to cost more or less.
record-instructions: build
	@scripts/instructions.py "$(TARGET)/release/dpcert" --record

# Which share of ordinary questions has an answer, and how many digits; into benches/README.md. COVERAGE_RESUME=1 goes on
# with a run that was interrupted.
COVERAGE_QUESTIONS ?= 300
COVERAGE_SEED ?= 1
COVERAGE_JOBS ?= 1

coverage: build
	@scripts/accountant_venv.sh
	scripts/coverage.py "$(TARGET)/release/dpcert" --questions $(COVERAGE_QUESTIONS) --seed $(COVERAGE_SEED) \
		--jobs $(COVERAGE_JOBS) --accountant .venv-python/bin/python --journal "$(TARGET)/coverage.jsonl" \
		--out "$(TARGET)/coverage-failures.tsv" $(if $(COVERAGE_RESUME),--resume)

prerequisites:
	@scripts/prerequisites.sh

$(VENV)/bin/python:
	@scripts/prerequisites.sh

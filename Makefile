# Everything a fresh machine needs is Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: axe env audit claims kernel compare report same test quality libraries accounting fuzz versions lint types bench bench-peers clean

env: .venv/ready

.venv/ready: requirements-lock.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; say make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-lock.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Exit code 1 means that a claim is violated: for the catalogue that is a finding, not a failure.
audit: env
	$(BIN)/dpaudit audit --out reports || test $$? -eq 1
	$(BIN)/dpaudit claims --out reports
	$(BIN)/dpaudit report

# Runs the checks whose code has changed, writes ledger and errata pages, verifies all certificates.
claims: env
	$(BIN)/dpaudit claims --out reports
	$(BIN)/dpaudit claims --recheck

# Every certificate and every theorem before Rocq's kernel, which is installed if it is not there: the
# record is reports/kernel.json. Some minutes; the installation takes 770 MB.
kernel: env
	@command -v coqc >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -qq -y --no-install-recommends coq libcoq-interval; } || \
	  { echo 'coqc is not there, and only root can install it here:'; \
	    echo '  apt-get install --no-install-recommends coq libcoq-interval'; exit 1; }
	$(BIN)/dpaudit claims --rocq --moved --fresh
	$(BIN)/python -m dpaudit.ledger.published.compiling --all

# The whole catalogue on the same instances, at T = 10^6 and 10^12: reports/leaderboard.json and its page,
# in about ten minutes of two cores.
compare: env
	$(BIN)/dpaudit compare --leaderboard --runs 16 --out reports
	$(BIN)/dpaudit report

# What is not committed because it can be made again: certificates, ledger and errata pages, curves
# and figures, and the HTML pages. Some minutes.
report: env
	$(BIN)/dpaudit prove --out reports/proofs
	$(BIN)/dpaudit claims --out reports
	$(BIN)/dpaudit scaling --out reports || test $$? -eq 1
	$(BIN)/dpaudit reproduce --out reports
	$(BIN)/dpaudit report

# All committed results made again and compared to the last bit with those of before the redesign.
same: env
	$(BIN)/python -m tests.same

# What failed beside other tests, or did not run because a worker was lost, runs once more, alone: a
# clock on a busy machine is no fault of the code. What fails again fails; both runs are in the log.
PYTEST = $(BIN)/python -m pytest
test: env
	$(PYTEST) -n auto --maxschedchunk 4 || { \
	  echo '-- NOT PASSED AT FIRST: what failed or did not run, once more, alone --'; \
	  $(PYTEST) --remaining --maxfail 5; }

# The whole quality suite; a reduced one with the same assertions is part of `make test`.
quality: env
	$(BIN)/python -m tests.quality

# Mechanisms of other libraries, in an environment of their own.
libraries: env
	test -d .venv-libraries || $(PYTHON) -m venv .venv-libraries
	.venv-libraries/bin/python -m pip install --quiet --requirement requirements-lock.txt
	.venv-libraries/bin/python -m pip install --quiet --editable '.[libraries]'
	.venv-libraries/bin/python -m pytest tests/libraries

# Laws that we export, composed by dp_accounting, in an environment of its own.
accounting: env
	test -d .venv-accounting || $(PYTHON) -m venv .venv-accounting
	.venv-accounting/bin/python -m pip install --quiet 'dp-accounting==0.6'
	$(BIN)/python -m pytest tests/accounting

# axe-core, in Chromium, on every page: light, dark, wide and on a phone. Needs npm and chromium.
axe: env
	test -d .axe/node_modules/axe-core || npm install --silent --no-audit --no-fund --prefix .axe axe-core@4
	$(BIN)/python -m pytest tests/axe

# More command lines and more interrupts than `make test` tries; some minutes.
fuzz: env
	$(BIN)/python -m tests.fuzz --cases 5000 --seed $$(date +%j)
	$(BIN)/python -m tests.fuzz.interrupt --times 186 --seed $$(date +%j)

# The wheel on every interpreter at hand, and on the oldest dependencies that pyproject.toml allows, in
# environments of their own. Some minutes and a gigabyte each.
versions: env
	$(BIN)/python -m tests.packaging.versions

lint: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: env
	$(BIN)/mypy

# Every row beside plain Python and peers; saves reports/benchmarks.json and the tables of guide and README.
# Exit code 1 if a figure is missed.
bench: bench-peers
	$(BIN)/python -m tests.benchmarks --save --compare reports/benchmarks.json

# Peers from the package index, in an environment of their own.
bench-peers: env
	$(BIN)/python -m tests.benchmarks.peers

clean:
	rm -rf .venv .venv-libraries .venv-accounting .venv-peers .axe build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

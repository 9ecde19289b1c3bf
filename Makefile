# Two commands matter: `make run` starts the app, `make test` runs every test. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
# Where it is set, each of the suite's processes compiles planviz anew, and pytest the assertions of all tests.
unexport PYTHONDONTWRITEBYTECODE
# What checks the browser's scripts; planviz and every other check do without Node and npm's registry.
SCRIPT_TOOLS := node_modules/.package-lock.json
NODE_20 := command -v npm >/dev/null && node -e 'parseInt(process.versions.node) < 20 && process.exit(1)'

.PHONY: help setup run test quick check check-style check-types check-scripts check-js pytest browser notebook pictures docs samples fidelity fidelity-real bench-parse bench-optimizer bench-ingest bench-browser bench-load lock audit clean

help:
	@echo "make run            start the app on http://localhost:$(PORT)"
	@echo "make test           set everything up and run every test"
	@echo "make quick          after every change: what needs no Java, no browser and no minute"
	@echo "make check          types and style only"
	@echo "make check-js       types and style of the browser's scripts (needs Node 20; part of make check where there is Node)"
	@echo "make notebook       planviz in a real JupyterLab (installs one)"
	@echo "make fidelity       our plans beside those that real Spark printed; VERSIONS=\"3.3 3.5\": beside those versions"
	@echo "make fidelity-real  the golden statements put to a real Spark: VERSION=3.5.9 (installs it beside the project)"
	@echo "make bench-parse    operators per second and memory of the parser"
	@echo "make bench-optimizer  planning time beside Spark and sqlglot, and how it grows"
	@echo "make bench-ingest   event logs: MB and executions per second, memory, growth with tasks"
	@echo "make bench-browser  from paste to painted, beside Spark's page and PEV2"
	@echo "make bench-load     sessions beside each other, one of them hostile: times and memory"
	@echo "make lock           requirements.lock anew, with hashes, for the image"
	@echo "make audit          known holes in what the lock names (needs the network)"
	@echo "make docs           the documentation as a site, in site/"
	@echo "make pictures       take the README's screenshots again"

$(BIN)/planviz: pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "planviz needs Python 3.11 or later; set PYTHON=python3.11 or the like"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install -qq --disable-pip-version-check -e ".[dev]"
	@touch $@

setup: $(BIN)/planviz

run: setup
	$(BIN)/planviz serve --port $(PORT)

browser:
	@sh tests/browser/install_chromium.sh

check: check-style check-types check-scripts

check-style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-types: setup
	$(BIN)/mypy

check-scripts:
	@if ! { $(NODE_20); }; then echo "check-js left out: there is no Node 20 with npm"; \
	elif $(MAKE) --silent $(SCRIPT_TOOLS); then $(MAKE) check-js; \
	else echo "check-js left out: npm could not install its tools"; fi

# npm writes this file last: the folder alone may be one in which an installation was interrupted.
$(SCRIPT_TOOLS): package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=20000
	@touch $@

check-js: $(SCRIPT_TOOLS)
	node_modules/.bin/tsc -p .
	node_modules/.bin/biome check --error-on-warnings

# The types are looked at beside the tests: mypy keeps one core alone busy.
test: setup browser check-style check-scripts
	@$(MAKE) --no-print-directory -j 2 check-types pytest

pytest: setup
	$(BIN)/python -m pytest -n auto --dist loadgroup -rR

quick: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not spark and not browser and not slow"

docs: setup
	$(BIN)/python -m pip install -qq --disable-pip-version-check -e ".[docs]"
	$(BIN)/python -m mkdocs build --strict --quiet
	@echo "site/index.html"

notebook: setup browser
	$(BIN)/python -m pip install -qq --disable-pip-version-check -e ".[dev,notebook]"
	$(BIN)/python -m pytest tests/browser/test_jupyter.py -rs

pictures: setup browser
	$(BIN)/python -m docs.images.take

samples: setup
	$(BIN)/python sample_queries/capture.py

fidelity: setup
	$(BIN)/python -m tests.fidelity $(if $(VERSIONS),--versions $(VERSIONS)) -v

fidelity-real: setup
	@test -n "$(VERSION)" || { echo "say which Spark: make fidelity-real VERSION=3.5.9"; exit 1; }
	test -x .spark-$(VERSION)/bin/python || $(PYTHON) -m venv .spark-$(VERSION)
	.spark-$(VERSION)/bin/python -m pip install --quiet --disable-pip-version-check pyspark==$(VERSION) setuptools
	$(BIN)/python -m tests.fidelity.real --python .spark-$(VERSION)/bin/python -v

bench-parse: setup
	$(BIN)/python -m benchmarks.parse

bench-optimizer: setup
	$(BIN)/python -m benchmarks.optimizer --out benchmarks/out/optimizer.json

bench-ingest: setup
	$(BIN)/python -m benchmarks.ingest

bench-browser: setup browser
	$(BIN)/python -m benchmarks.browser --tools planviz pev2 spark

bench-load: setup browser
	$(BIN)/python -m benchmarks.load

lock: setup
	$(BIN)/python -m pip install --quiet "uv>=0.9"
	$(BIN)/uv pip compile --generate-hashes --python-version 3.12 --python-platform linux --no-header --no-annotate -o requirements.lock requirements.txt

audit: setup
	$(BIN)/python -m pip install --quiet "pip-audit>=2.9"
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements.lock

clean:
	rm -rf $(VENV) node_modules build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

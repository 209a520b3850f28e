# `make` lists the targets; each one sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup run test check lint kernels wheel bench reproduce docs lock clean

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY)  ## make .venv and install kanon with its tools there

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "kanon needs Python 3.11 to 3.13; say which: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo 'setting up $(VENV) (once, about half a minute)'
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: $(READY)  ## anonymize the sample table and show where the release is
	@$(BIN)/kanon run configs/quickstart.yaml

test: $(READY)  ## run all tests
	@$(BIN)/kanon warmup --quiet  # once, with all cores: each of pytest's workers would compile everything
	@$(BIN)/pytest -n auto --dist loadgroup

check: lint test kernels wheel  ## all that CI checks: lint, types, imports, tests, kernels three ways, the wheel

lint: $(READY)  ## style, types, import contracts, sample data
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python sample_data/generate.py --check

kernels: $(READY)  ## the tests of the kernels with bounds checked, and as plain Python
	@NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -q -n auto --dist loadfile tests/kernels
	@NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -n auto tests/kernels

wheel: $(READY)  ## build the wheel, install it into an empty venv and run it there
	@sh tests/wheel.sh $(BIN)/python

bench: $(READY)  ## measure loss and speed, all or WORKS="rows peers"; writes benchmarks/results and docs/performance.md
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	@$(BIN)/python -m benchmarks.run $(WORKS)
	@$(BIN)/python -m docs.generate

reproduce: $(READY)  ## make the papers' tables and figures again, all or WORKS="byun2007 he2012"; writes reproduction/results and docs/reproduction.md
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	@$(BIN)/python -m reproduction.run $(WORKS)
	@$(BIN)/python -m docs.generate

docs: $(READY)  ## make the generated pages and pictures of docs/ anew
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	@$(BIN)/python -m docs.generate

lock: $(READY)  ## pin what is installed now in constraints.txt
	@$(BIN)/pip freeze --exclude-editable > constraints.txt

clean:  ## remove what the targets above have made
	@rm -rf $(VENV) dist build out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

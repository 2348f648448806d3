# Two commands do all the set-up: `make compile` and `make test`. `make help` lists the rest.
.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
SHARED ?= ../shared
STAMP := $(VENV)/.installed
SOURCES := $(shell find generator -name '*.py' -o -name '*.yaml') $(shell find policies -name '*.yaml')

.PHONY: help compile test coverage check policies bench acceptance clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON): install Python 3.11, or run make PYTHON=python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Byte code is made here, so that a start costs the same where PYTHONDONTWRITEBYTECODE is set, and with it what generator/kept.py has.
$(VENV)/.compiled: $(STAMP) $(SOURCES)
	@$(BIN)/python -m compileall -q generator
	@$(BIN)/python -m generator.ahead
	@touch $@

compile: $(VENV)/.compiled ## set up, then compile environments/ into output/
	$(BIN)/apportion compile

test: $(VENV)/.compiled ## set up, then run every test
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Apart from `test`, since it doubles the time. Without ../shared a seventh of the tests skip and the limit is not met.
coverage: $(VENV)/.compiled ## run every test and fail below 95 % of generator/ by lines
	$(BIN)/python -m pytest -n 2 --dist worksteal --quiet --cov --cov-report=term --cov-fail-under=$(if $(wildcard $(SHARED)),95,0)

check: $(VENV)/.compiled ## lint, types, import contracts, freshness of generated files
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/apportion check

policies: $(VENV)/.compiled ## write policies/README.md from the policies
	$(BIN)/apportion policy list --markdown >policies/README.md

acceptance: $(VENV)/.compiled ## run the shared acceptance cases
	$(BIN)/python $(SHARED)/acceptance/run --apportion $(CURDIR)/$(BIN)/apportion --kubectl $(CURDIR)/$(BIN)/kubectl $(CASES)

bench: $(VENV)/.compiled ## measure, beside kustomize and a floor
	$(BIN)/python $(SHARED)/bench/bench.py --apportion $(CURDIR)/$(BIN)/apportion --kubectl $(CURDIR)/$(BIN)/kubectl $(BENCH)

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage

# `make serve` and `make test` do everything on a fresh machine; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
SERVERS := tests/servers
PIP_FLAGS := --quiet --disable-pip-version-check --no-input
CHECKED := src tests benchmarks hatch_build.py

.PHONY: help serve setup setup-dev system-packages test test-long lint fmt bench lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

serve: setup ## Run Sparks on 127.0.0.1:8000 with its data in ./data
	@exec $(BIN)/sparks serve

setup: .venv/.runtime ## Install what running needs into .venv

setup-dev: system-packages .venv/.dev $(SERVERS)/.venv/.installed $(SERVERS)/node_modules/.installed ## Install what tests and benchmarks need too

system-packages:
	@tools/system-packages

test: setup-dev ## Run all tests, in parallel
	$(BIN)/pytest -n auto -m "not long"

test-long: setup-dev ## Run all tests and the repetitions that CI cannot afford
	$(BIN)/pytest -n auto

lint: .venv/.dev ## Check style, formatting, types and the direction of imports
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: .venv/.dev ## Format the code and mend what can be mended by itself
	$(BIN)/ruff check --fix-only $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

bench: setup-dev ## Run all benchmarks and print their tables
	$(BIN)/python -m benchmarks

lock: .venv/.dev ## Write the lock files anew from pyproject.toml
	tools/lock

clean: ## Remove what was installed and built; ./data stays
	rm -rf .venv $(SERVERS)/.venv $(SERVERS)/node_modules dist src/sparks/faces/weights/*.onnx .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/.made:
	@tools/make-venv "$(PYTHON)" .venv
	@touch $@

.venv/.runtime: requirements.lock pyproject.toml hatch_build.py | .venv/.made
	@echo "Installing Sparks into .venv .."
	@$(BIN)/pip install $(PIP_FLAGS) --require-hashes -r requirements.lock
	@$(BIN)/pip install $(PIP_FLAGS) --no-deps --editable .
	@touch $@

.venv/.dev: requirements-dev.lock .venv/.runtime
	@echo "Installing what the tests need into .venv .."
	@$(BIN)/pip install $(PIP_FLAGS) --require-hashes -r requirements-dev.lock
	@touch $@

$(SERVERS)/.venv/.installed: $(SERVERS)/requirements.lock
	@echo "Installing the test servers .."
	@tools/make-venv "$(PYTHON)" $(SERVERS)/.venv
	@$(SERVERS)/.venv/bin/pip install $(PIP_FLAGS) --require-hashes -r $<
	@touch $@

$(SERVERS)/node_modules/.installed: $(SERVERS)/package-lock.json
	@npm ci --prefix $(SERVERS) --ignore-scripts --silent
	@touch $@

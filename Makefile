# `make serve` and `make test` do everything on a fresh machine; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
SERVERS := tests/servers
PIP_FLAGS := --quiet --disable-pip-version-check --no-input
NPM_CI := npm ci --ignore-scripts --loglevel=error
CHECKED := src tests benchmarks tools hatch_build.py
FRONTEND := frontend

.PHONY: help serve setup setup-dev system-packages web test test-web test-long lint lint-web fmt bench screenshots lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

serve: setup ## Run Sparks on 127.0.0.1:8000 with its data in ./data
	@exec $(BIN)/sparks serve

setup: .venv/.runtime web ## Install what running needs into .venv

web: .venv/.runtime
	@$(BIN)/python tools/build_web.py --check || $(BIN)/pip install $(PIP_FLAGS) --no-deps --editable .

setup-dev: system-packages .venv/.dev $(FRONTEND)/node_modules/.dev web $(SERVERS)/.venv/.installed $(SERVERS)/node_modules/.installed ## Install what tests and benchmarks need too

system-packages:
	@tools/system-packages

test: setup-dev test-web ## Run all tests, in parallel
	$(BIN)/pytest -n auto -m "not long"

test-web: $(FRONTEND)/node_modules/.dev
	@npm run --prefix $(FRONTEND) --silent test

test-long: setup-dev test-web ## Run all tests and the repetitions that CI cannot afford
	$(BIN)/pytest -n auto

lint: .venv/.dev lint-web ## Check style, formatting, types and the direction of imports
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/lint-imports

lint-web: .venv/.dev $(FRONTEND)/node_modules/.dev
	@$(BIN)/python tools/openapi.py > $(FRONTEND)/openapi.json
	@npm run --prefix $(FRONTEND) --silent api >/dev/null
	@npm run --prefix $(FRONTEND) --silent check

fmt: .venv/.dev $(FRONTEND)/node_modules/.dev ## Format the code and fix what the tools can fix
	$(BIN)/ruff check --fix-only $(CHECKED)
	$(BIN)/ruff format $(CHECKED)
	@npm run --prefix $(FRONTEND) --silent format >/dev/null

bench: setup-dev benchmarks/node_modules/.installed ## Run all benchmarks and print their tables
	$(BIN)/python -m benchmarks

screenshots: setup-dev ## Take pictures of every page, in both sizes and themes, into ./screenshots
	$(BIN)/python -m tests.browser.screenshots screenshots

lock: .venv/.dev ## Write new lock files from pyproject.toml
	tools/lock

clean: ## Remove what was installed and built; ./data stays
	rm -rf .venv $(SERVERS)/.venv $(SERVERS)/node_modules $(FRONTEND)/node_modules benchmarks/node_modules src/sparks/api/web/app dist src/sparks/faces/weights/*.onnx .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

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
	@$(NPM_CI) --prefix $(SERVERS) >/dev/null
	@touch $@

# The packages for development hold those for building, which the build then leaves alone.
$(FRONTEND)/node_modules/.dev: $(FRONTEND)/package-lock.json
	@$(NPM_CI) --prefix $(FRONTEND) >/dev/null
	@sha256sum $< | cut -d' ' -f1 > $(FRONTEND)/node_modules/.installed
	@touch $@

benchmarks/node_modules/.installed: benchmarks/package-lock.json
	@$(NPM_CI) --prefix benchmarks >/dev/null
	@touch $@

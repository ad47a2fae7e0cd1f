# Two commands matter: `make demo` and `make test`. Everything else is a part of them, or longer.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
CACHE := $(or $(CHARTER_CACHE),$(HOME)/.cache/charter)
VENV := .venv
RUN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test test-fast soak bench lint policy engines coverage mutation clean

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

$(READY): requirements/lock.txt pyproject.toml tools/environment.sh
	@PYTHON=$(PYTHON) CHARTER_CACHE=$(CACHE) tools/environment.sh $(VENV)

demo: $(READY) ## The main job from end to end: no engine, no server
	@PATH="$(CURDIR)/$(RUN):$$PATH" tools/demo.sh

test: engines lint policy ## Set up every real component, then run all tests
	@echo "== tests without an engine"
	@$(RUN)/python -m pytest tests -m "not real and not soak" -n 2 -q
	@echo "== tests on the real engines"
	@$(RUN)/python -m pytest tests -m "real and not soak" -n 3 --dist loadfile --no-loadscope-reorder --durations=15

test-fast: $(READY) ## Tests that need no engine, under a minute
	@$(RUN)/python -m pytest tests -m "not real and not soak and not slow" -n 2 -q

soak: engines ## Everything with full counts: hours
	@CHARTER_SOAK=1 $(RUN)/python -m pytest tests -n 3 --dist loadfile --no-loadscope-reorder --durations=30 -q

bench: $(READY) ## validate and render on a large site, beside libyaml on the same files; the plan of no change
	@$(RUN)/python -m tests.bench.bench
	@$(RUN)/python -m tests.bench.unchanged

lint: $(READY) ## Format, style, types, layering
	@echo "== lint"
	@$(RUN)/ruff format --check .
	@$(RUN)/ruff check .
	@$(RUN)/mypy
	@$(RUN)/lint-imports --no-cache | tail -n 3

policy: engines ## Test the Rego rules and compare the committed module with a fresh build
	@echo "== policy"
	@$(RUN)/python -m tests.engines.policy test

engines: $(READY) ## Install and build the real engines, once
	@echo "== engines"
	@CHARTER_CACHE=$(CACHE) $(RUN)/python -m tests.engines.setup

coverage: engines ## Line coverage of the whole suite
	@$(RUN)/python -m pytest tests -m "not soak" -n 3 --dist loadfile --no-loadscope-reorder -q --cov --cov-report=term

mutation: engines ## Mutants of gate, plan and audit
	@tools/mutation.sh

clean: ## Remove what the tree holds beside git
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .charter mutants dist

# Everything from nothing but Python 3.11+ and make; scripts/setup does the setting up, once.

BIN := .venv/bin
STAMP := .venv/.installed
PYTEST := $(BIN)/pytest -q -n 2 --dist loadgroup

.DEFAULT_GOAL := help
.PHONY: help install check test durations demo page clean static services kernels

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1 \t\2/' | expand -t 16

install: $(STAMP) ## set up .venv and see to Java; a second run does nothing

$(STAMP): pyproject.toml
	@scripts/setup

static: $(STAMP)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo

check: static ## the fast part, a minute or two: format, lint, types, import rules, quick tests
	$(PYTEST) --hypothesis-profile=quick -m "not spark and not slow" tests

durations: services ## measure every test again, to tell the slow ones from the quick ones
	RANKCAST_DURATIONS=1 $(PYTEST) tests

services: $(STAMP) # what only tests need: Chromium, PostgreSQL, Kafka
	@scripts/services

kernels: $(STAMP) # compiled once, so that no test waits for that
	@$(BIN)/python -c "from rankcast.engine.warming import warm_up; warm_up()"

test: static services kernels ## all that CI runs: the fast part, all tests, doctests, the examples of README and docs
	$(PYTEST) --doctest-modules src tests

demo: $(STAMP) ## twelve film lovers, 58,788 films, each gets the few worth getting
	@$(BIN)/rankcast demo

page: $(STAMP) ## the web page with the films streaming in; Ctrl-C ends it
	@mkdir -p out
	@$(BIN)/rankcast serve --dev --world movies --store out/movies.db

clean: ## remove the virtual environment and all that tools left behind
	rm -rf .venv .services .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist out spark-warehouse
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

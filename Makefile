# Everything from nothing but Python 3.11+ and make; scripts/setup does the setting up, once.

BIN := .venv/bin
STAMP := .venv/.installed
# Four at a time keep two cores busy: tests of Spark and of the page wait for other processes a third of the time.
SIDE_BY_SIDE := -q -n 4 --dist loadgroup
PYTEST := $(BIN)/pytest $(SIDE_BY_SIDE)
# Schemathesis, which test_requests.py needs, takes seconds to load in every process.
QUICK := -p no:schemathesis --ignore tests/service/test_requests.py --hypothesis-profile=quick -m "not spark and not slow"

# Without compiled files, every process compiles all that it imports, and pytest rewrites every test anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install check test durations demo page site clean static quick services kernels

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1 \t\2/' | expand -t 16

install: $(STAMP) ## set up .venv and see to Java; a second run does nothing

$(STAMP): pyproject.toml datasets/pyproject.toml
	@scripts/setup

static: $(STAMP)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo

quick: $(STAMP)
	$(PYTEST) $(QUICK) tests

check: ## the fast part, about a minute: format, lint, types, import rules, quick tests, all at the same time
	@$(MAKE) --no-print-directory -j 2 static quick

durations: services ## measure every test again, to tell the slow ones from the quick ones
	RANKCAST_DURATIONS=1 $(PYTEST) tests

services: $(STAMP) # what only tests need: Chromium, PostgreSQL, Kafka
	@scripts/services

kernels: $(STAMP) # compiled kernels and the archive of Spark's classes, made once, so that no test waits for them
	@$(BIN)/python -c "from rankcast.engine.warming import warm_up; warm_up()"
	@$(BIN)/python -m rankcast.pipeline.spark.home

test: static services kernels ## all that CI runs: the fast part, all tests, doctests, the examples of README and docs
	@scripts/test $(SIDE_BY_SIDE) --doctest-modules src tests

demo: $(STAMP) ## twelve film lovers, 58,788 films, each gets the few worth getting
	@$(BIN)/rankcast demo

page: $(STAMP) ## the web page with the films streaming in; Ctrl-C ends it
	@mkdir -p out
	@$(BIN)/rankcast serve --dev --world movies --store out/movies.db

site: $(STAMP) ## the documentation site, into out/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "open out/site/index.html; with search: $(BIN)/python -m http.server --directory out/site"

clean: ## remove the virtual environment and all that tools left behind
	rm -rf .venv .services .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist out spark-warehouse
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

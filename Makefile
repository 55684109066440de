# Two commands matter: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
BIN := .venv/bin
# Bytecode is made of what is imported, which is far from all.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(shell find src -name '*.py' -o -name '*.[ch]pp' -o -name '*.pyi' -o -path '*/template/*' -type f)
CXX_SOURCES := $(shell find src/dcsvm/core -name '*.[ch]pp')

.PHONY: demo test docs lint format clean bench bench-predict bench-fit bench-cost bench-routing paper

demo: .venv/installed ## train on scikit-learn's digits and compare five methods
	$(BIN)/python examples/digits_demo.py

test: lint docs ## all checks
	$(BIN)/python -m pytest -n 2

docs: .venv/installed-docs ## the documentation, in site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo The documentation is in site/index.html

bench: bench-predict bench-fit bench-cost bench-routing ## all measurements against peers

bench-predict: .venv/installed-bench
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.against_peers

bench-fit: .venv/installed-bench
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.against_peers
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.growth

bench-cost: .venv/installed-bench ## speed by the parameter C
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.by_regularisation

bench-routing: .venv/installed-bench ## rules of routing, and their picture
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.routing.rules
	$(BIN)/python -m benchmarks.routing.picture

# The experiments of the paper; what is finished is kept, and FAST=1 gives a quick look.
paper: .venv/installed-paper ## paper/RESULTS.md and its figures
	$(BIN)/python -m paper $(if $(FAST),--fast)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/installed-dev ## bring all sources into the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_SOURCES)

clean:
	rm -rf .venv build site docs/images/made

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dcsvm needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python $(SOURCES)
	$(INSTALL) .
	touch $@

.venv/installed-dev: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[test,lint,docs]'
	touch $@ .venv/installed .venv/installed-docs

.venv/installed-docs: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[docs]'
	touch $@ .venv/installed

.venv/installed-bench: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[bench]'
	touch $@ .venv/installed

.venv/installed-paper: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[paper]'
	touch $@ .venv/installed

# Two commands matter: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
BIN := .venv/bin
ARM_COMPILER := aarch64-linux-gnu-g++
# Bytecode is made of what is imported, which is far from all.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(shell find src -name '*.py' -o -name '*.[ch]pp' -o -name '*.cmake' -o -name '*.pyi' -o -path '*/template/*' -type f)
CXX_SOURCES := $(shell find src/dcsvm/core tests/core -name '*.[ch]pp')

.PHONY: demo gallery test test-sklearn test-core test-export test-onnx test-lowest test-newest test-free-threaded docs \
	lint format clean bench bench-predict bench-peers bench-fit bench-cost bench-routing bench-classes bench-proba \
	bench-threads bench-export bench-onnx bench-search wasm paper sanitize sanitize-quick fuzz torture

demo: .venv/installed ## SVC, its vote and DCSVC on a set with many classes, step by step
	$(BIN)/python examples/digits_demo.py

GALLERY := digits text satellite cost_and_accuracy an_error search
gallery: .venv/installed-docs ## the examples and their pictures, in docs/images/gallery
	@for name in $(GALLERY); do \
	  MPLBACKEND=agg $(BIN)/python examples/$$name.py docs/images/gallery/$$name.png >/dev/null || exit 1; \
	  echo "docs/images/gallery/$$name.png"; done

test: lint docs ## all checks
	$(BIN)/python -m pytest -n 2

# The inner loops without Python, for this computer and, by an emulator, for 64-bit ARM.
test-core:
	cmake -S tests/core -B build/core -DCMAKE_BUILD_TYPE=Release
	cmake --build build/core
	build/core/kernels
	@if command -v $(ARM_COMPILER) qemu-aarch64 >/dev/null; then \
	  cmake -S tests/core -B build/core-aarch64 -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
	    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=$(ARM_COMPILER) -DCMAKE_EXE_LINKER_FLAGS=-static && \
	  cmake --build build/core-aarch64 && qemu-aarch64 build/core-aarch64/kernels; \
	else echo "no $(ARM_COMPILER) or no qemu-aarch64: not tested for 64-bit ARM"; fi

test-onnx: .venv/installed-onnx ## converted models, run by onnxruntime
	$(BIN)/python -m pytest -n 2 tests/onnx

test-sklearn: .venv/installed-dev ## scikit-learn's own tests, with our classes in the place of SVC and OneVsOneClassifier
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.drop_in -n 2

.PHONY: bench-gpu
bench-gpu: .venv/installed-bench ## fits and predictions on a GPU beside the CPU
	$(INSTALL) '.[$(CUDA)]'
	$(BIN)/python -W ignore -m benchmarks.gpu.fits
	$(BIN)/python -W ignore -m benchmarks.gpu.predictions

# With CUDA=cuda12 for that version.
CUDA ?= cuda13
.PHONY: test-gpu
test-gpu: .venv/bin/python ## on a computer with an NVIDIA GPU
	$(INSTALL) '.[test,$(CUDA)]'
	$(BIN)/python -m pytest tests/gpu

# The oldest dependencies that pyproject.toml allows, and the newest that there are, pre-releases
# of scikit-learn included.
PARTS_FOR_VERSIONS := _util cli data datasets estimators inspection machines model_files onnx report routing table training
TEST_VERSIONS = -m pytest -n 2 $(PARTS_FOR_VERSIONS:%=tests/%)

test-lowest: .venv/bin/python
	$(INSTALL) uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	printf 'scikit-build-core==0.11.0\nnanobind==2.4.0\n' > .venv-lowest/build.txt
	$(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct \
	  --build-constraints .venv-lowest/build.txt '.[test,test-onnx]'
	.venv-lowest/bin/python $(TEST_VERSIONS)

# With PYTHON=python3.14t or another interpreter without the global lock.
PARTS_FOR_THREADS := _util data estimators machines routing table training
test-free-threaded:
	$(PYTHON) -m venv .venv-free-threaded
	.venv-free-threaded/bin/pip install --quiet . pytest hypothesis threadpoolctl
	.venv-free-threaded/bin/python -m pytest $(PARTS_FOR_THREADS:%=tests/%)

test-newest: .venv/bin/python
	$(INSTALL) uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-newest
	$(BIN)/uv pip install --quiet --python .venv-newest --upgrade --refresh '.[test,test-onnx]' 'scikit-learn>=0.dev0'
	.venv-newest/bin/python $(TEST_VERSIONS)

.PHONY: test-dask bench-dask
DASK_ROUNDS ?= 20
test-dask: .venv/installed-dask ## workers killed DASK_ROUNDS times in each way; Spark and Ray, where they are installed
	$(BIN)/python -m pytest tests/dask tests/dask/recipes.py
	$(BIN)/python -m tests.dask.faults --rounds $(DASK_ROUNDS)

docs: .venv/installed-docs ## the documentation, in site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo The documentation is in site/index.html

bench: bench-predict bench-peers bench-fit bench-cost bench-routing bench-classes bench-proba bench-threads bench-export bench-search ## all measurements against peers

bench-predict: .venv/installed-bench
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.against_peers

# What is fitted and measured is kept: it goes on where it was stopped.
bench-peers: .venv/installed-bench ## accuracy and speed beside the usual choices, and their picture
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.usual_choices

bench-fit: .venv/installed-bench
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.against_peers
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.growth
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.small

bench-cost: .venv/installed-bench ## speed by the parameter C
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.by_regularisation

bench-routing: .venv/installed-bench ## rules of routing, and their picture
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.routing.rules
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.routing.few_rows
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.routing.plausibility
	$(BIN)/python -m benchmarks.routing.picture
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.routing.any_classifier

bench-classes: .venv/installed-bench ## thousands of classes
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.many_classes

bench-proba: .venv/installed-bench ## probabilities and sets of classes beside their peers
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.probability.against_peers

bench-threads: .venv/installed-bench ## fits and predictions by 1, 2, 4 … threads, up to all
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.threads

bench-export: .venv/installed-bench ## exported C and WebAssembly beside other ways out of Python
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.exported

bench-search: .venv/installed-bench ## the search for C and γ beside others; hours, goes on where it ended
	$(INSTALL) liquidSVM || echo "liquidSVM cannot be built here: it is left out"
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.search.against_peers
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.search.steps

test-export: .venv/installed-dev ## every kernel by every rule and scaling, in C, on ARM and in WebAssembly
	$(BIN)/python -m tests.export.all_kinds

wasm: .venv/installed-dev ## the engine of exported WebAssembly; needs clang and lld
	$(BIN)/python -m dcsvm.export.engine src/dcsvm/export/template

bench-onnx: .venv/installed-bench ## converted models, run by onnxruntime
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.predicting.onnx_models

bench-dask: .venv/installed-bench ## a Dask cluster beside one process, and a set larger than its memory
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.on_clusters overhead
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.on_clusters workers
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.fitting.on_clusters memory

# The experiments of the paper; what is finished is kept, and FAST=1 gives a quick look.
paper: .venv/installed-paper ## paper/RESULTS.md and its figures
	$(BIN)/python -m paper $(if $(FAST),--fast)

# Tests with a core in which the compiler has put checks; without their checks of real data sets.
SANITIZED := tests/sanitizers tests/_util tests/data tests/machines tests/training tests/table \
	tests/routing tests/estimators tests/model_files tests/fuzz
QUICK := tests/sanitizers tests/routing/dag tests/routing/elimination tests/training/test_train.py \
	tests/fuzz
ADDRESS := tests/sanitizers/run.sh address env PYTHONMALLOC=malloc $(BIN)/python -m pytest -q
THREAD := tests/sanitizers/run.sh thread $(BIN)/python -m pytest -q

sanitize: .venv/installed-reliability ## tests of the core with sanitizers of addresses, undefined behaviour, threads
	$(ADDRESS) -n 2 $(SANITIZED)
	$(THREAD) tests/sanitizers tests/_util/test_threads.py

sanitize-quick: .venv/installed-reliability ## a part of that, a few minutes long
	$(ADDRESS) -n 2 $(QUICK)
	$(THREAD) tests/sanitizers

MINUTES ?= 60
fuzz: .venv/installed-reliability ## hostile files, states, rows and calls, for so many MINUTES in all
	tests/sanitizers/run.sh address $(BIN)/python -m tests.fuzz --minutes $(MINUTES)

ROUNDS ?= 1000
torture: .venv/installed-dev ## interrupts, kills, full disks, little memory, forks, leaks: ROUNDS of them
	$(BIN)/python -m tests.torture --rounds $(ROUNDS)

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
	rm -rf .venv .venv-lowest .venv-newest .venv-free-threaded build site docs/images/made

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dcsvm needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python $(SOURCES)
	$(INSTALL) .
	touch $@

.venv/installed-dev: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[test,lint,docs]'
	touch $@ .venv/installed .venv/installed-docs

.venv/installed-reliability: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[test,reliability]'
	touch $@ .venv/installed

.venv/installed-onnx: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[test,test-onnx]'
	touch $@ .venv/installed

.venv/installed-dask: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[test,test-dask]'
	touch $@ .venv/installed

.venv/installed-docs: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[docs]'
	touch $@ .venv/installed

.venv/installed-bench: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[bench]'
	touch $@ .venv/installed

.venv/installed-paper: .venv/bin/python $(SOURCES)
	$(INSTALL) '.[paper]'
	touch $@ .venv/installed

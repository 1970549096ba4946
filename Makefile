# Recollect. `make help` lists what there is.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := .uv/bin/uv
TRAIN := .venv-train
# Memory that is given back after every step has to be mapped again: half of the time.
KEEP_PAGES := MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=268435456 \
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1
NEO4J_DIR ?= .neo4j
GATES := recall facts injection episodes mood loops
# Each worker has stores of its own; a file's tests stay together, and so do what they share.
WORKERS ?= 3
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
# What tests' servers write at each commit waits for a disk; in memory, where 8 GB are free, it
# does not: a process may be killed there as well as on a disk.
SCRATCH := $(or $(TMPDIR),$(shell df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 8000 {print "/dev/shm"}'),/tmp)
test check gate: export TMPDIR := $(SCRATCH)
# Tests and benchmarks start many processes, and each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run setup scratch test check quick-tests slow gate $(GATES:%=gate-%) lint types imports lock reader embedder attention neo4j neo4j-stop clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	@echo "setting up: the installer"
	@$(PYTHON) -m venv .uv && .uv/bin/pip install --quiet --disable-pip-version-check uv

$(VENV)/ui.stamp: requirements/ui.txt pyproject.toml | $(UV)
	@echo "setting up: the playground's packages"
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements/ui.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

$(VENV)/all.stamp: requirements/all.txt pyproject.toml | $(UV)
	@echo "setting up: all packages"
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements/all.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@ $(VENV)/ui.stamp

run: $(VENV)/ui.stamp ## set up and start the playground on the embedded stores
	@$(BIN)/recollect ui

setup: $(VENV)/all.stamp ## set up everything for development

scratch: # say where the tests' servers keep what they write
	@echo $(SCRATCH)

test: $(VENV)/all.stamp ## set up and run the tests that need nothing but the package index
	@$(PYTEST) -m "not slow"
	@echo "left out, beside what is listed as skipped: tests marked slow, which make slow runs, and"
	@echo "the end-to-end tests on separate servers, which .ci/run starts"

# Where it makes a difference whose servers the stores are.
ON_SERVERS := $(addprefix tests/e2e/,test_doctor.py test_serve.py)

check: $(VENV)/all.stamp lint types imports quick-tests ## lint, types, import rules, what `make test` runs and the gate, as CI does
	@if [ -n "$$CI$$RECOLLECT_TEST_DATABASE_URL" ]; then \
	  echo "once more, on separate Postgres, Chroma and Neo4j servers:"; \
	  RECOLLECT_TEST_STORES=servers $(BIN)/python -m pytest --durations=10 $(ON_SERVERS); \
	else \
	  echo "left out: end-to-end tests on separate servers; .ci/run starts them"; \
	fi
	@$(MAKE) --no-print-directory gate

quick-tests: $(VENV)/all.stamp
	@$(PYTEST) -m "not slow" --durations=30

slow: $(VENV)/all.stamp ## the tests that take minutes: kills, growth and long chats, in full
	@$(PYTEST) -m slow --durations=10

lint: $(VENV)/all.stamp
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/all.stamp
	@$(BIN)/mypy

imports: $(VENV)/all.stamp
	@$(BIN)/lint-imports

# Each starts stores of its own; as many at a time as there are workers.
gate: $(VENV)/all.stamp ## the benchmarks' own cases with thresholds: fails when recall drops or a loop appears
	@$(MAKE) --no-print-directory -j $(WORKERS) -O $(GATES:%=gate-%)

gate-recall: REQUIRED := 'frac@10>=0.8' 'mrr>=0.5' 'abstain_auroc>=0.65'
gate-facts: REQUIRED := 'recall>=0.82' 'precision>=0.94' 'never_violations<=0.02'
gate-injection: REQUIRED := 'filter_recall>=0.7' 'filter_false_positive<=0' \
  'became_instruction<=0' 'became_fact<=0' 'unfenced<=0'
gate-episodes: REQUIRED := 'pk<=0.26' 'f1>=0.55'
gate-mood: REQUIRED := 'macro_f1>=0.8'
gate-loops: REQUIRED := 'loops<=0' 'duplicate_replies<=0' 'missed_replies<=0' 'wrong_rows<=0' 'lost_messages<=0'
gate-loops: MORE := --orders 200
$(GATES:%=gate-%): gate-%: $(VENV)/all.stamp
	@$(BIN)/recollect eval $* $(MORE) --require $(REQUIRED)

lock: $(UV) ## resolve again and write requirements/*.txt
	@$(UV) lock --quiet --upgrade
	@$(UV) export --quiet --all-extras --format requirements-txt --no-emit-project --no-header -o requirements/all.txt
	@$(UV) export --quiet --extra ui --no-dev --group model --format requirements-txt --no-emit-project --no-header -o requirements/ui.txt
	@$(UV) export --quiet --no-dev --group model --format requirements-txt --no-emit-project --no-header -o requirements/server.txt

	@$(UV) export --quiet --only-group train --format requirements-txt --no-emit-project --no-header -o requirements/train.txt

$(TRAIN)/train.stamp: requirements/train.txt | $(UV)
	@echo "setting up: the packages to train with"
	@test -x $(TRAIN)/bin/python || $(UV) venv --quiet --python $(PYTHON) $(TRAIN)
	@$(UV) pip install --quiet --python $(TRAIN)/bin/python --no-deps --require-hashes -r requirements/train.txt
	@touch $@

reader: $(TRAIN)/train.stamp ## train the reader of facts anew, from datasets/facts/reader (hours)
	@$(KEEP_PAGES) PYTHONPATH=. $(TRAIN)/bin/python -m scripts.reader --report docs/measurements/reader.json

embedder: $(TRAIN)/train.stamp ## train the embedder of memory search anew, from datasets/recall (an hour)
	@$(KEEP_PAGES) PYTHONPATH=. $(TRAIN)/bin/python -m scripts.embedder

attention: $(TRAIN)/train.stamp $(VENV)/all.stamp ## train anew what reads a line beside a question, from datasets/recall (an hour)
	@mkdir -p build
	@$(BIN)/python -m scripts.attention.pools build/pools.npz
	@PYTHONPATH=. $(TRAIN)/bin/python -m scripts.attention build/pools.npz

neo4j: ## fetch Neo4j from Maven Central and start it for tests
	@$(PYTHON) scripts/neo4j.py start --dir $(NEO4J_DIR)

neo4j-stop: ## stop that Neo4j
	@$(PYTHON) scripts/neo4j.py stop --dir $(NEO4J_DIR)

clean: ## remove what the targets above made
	@rm -rf $(VENV) .uv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist *.egg-info

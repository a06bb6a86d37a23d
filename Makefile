# make run | test | check | bench | bench-parse | bench-retrieval | bench-understanding — see README.md

VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= $(shell scripts/find_python.sh)
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q

# On Linux, a CPU-only torch is 2 GB smaller:
#   make setup TORCH_INDEX=https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=

.PHONY: setup setup-dev run test check bench bench-parse bench-retrieval bench-understanding format clean

setup: $(VENV)/.requirements
setup-dev: $(VENV)/.requirements-dev

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed (set PYTHON=/path/to/python)"; exit 1; }
	@# A half-made environment would pass for a whole one at the next call.
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.requirements: requirements.txt | $(BIN)/python
	@echo "Installing packages (a few minutes, about 2 GB) …"
	$(if $(TORCH_INDEX),$(PIP) install --index-url $(TORCH_INDEX) $$(grep -o '^torch==[^ ]*' requirements.txt))
	$(PIP) install -r requirements.txt
	@# Two packages of ours ask for two builds of OpenCV; the one that needs no screen wins.
	$(PIP) install --force-reinstall --no-deps $$($(PIP) freeze | grep '^opencv-python-headless==')
	@touch $@

$(VENV)/.requirements-dev: requirements-dev.txt $(VENV)/.requirements
	$(PIP) install -r requirements-dev.txt
	@touch $@

run: setup
	$(BIN)/python -m streamlit run app.py

test: setup-dev
	@scripts/install_browser.sh
	@# Two at once, a file to each: more would need 2 GB of memory for each.
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore=tests/e2e
	@# A browser and the server that it drives take two processors already.
	$(BIN)/python -m pytest tests/e2e

check: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup-dev
	@for script in benchmarks/bench_*.py; do \
		echo "== $$script"; $(BIN)/python -m benchmarks.$$(basename $$script .py) || exit 1; done

bench-retrieval: setup-dev
	@for name in retrieval rerank fusion documents quoted routing search_speed; do \
		echo "== bench_$$name"; $(BIN)/python -m benchmarks.bench_$$name || exit 1; done

bench-understanding: setup-dev
	@for name in understanding slots plan workplace conversations; do \
		echo "== bench_$$name"; $(BIN)/python -m benchmarks.bench_$$name || exit 1; done

bench-parse: setup-dev .venv-peers/.requirements
	$(BIN)/python -m benchmarks.bench_parse --peers .venv-peers/bin/python

.venv-peers/.requirements: benchmarks/requirements-peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip --disable-pip-version-check -q install -r $<
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The two sacred commands are `make serve` and `make test`; both set everything up on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DB ?= foedus.db
HOST ?= 127.0.0.1
PORT ?= 8000
WORKERS ?= 1

.PHONY: serve test check bench cases pictures format lock clean

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

serve: $(STAMP)  ## the site, on SQLite; prints its address (DB, HOST, PORT, WORKERS change the usual)
	$(BIN)/foedus serve --db $(DB) --host $(HOST) --port $(PORT) --workers $(WORKERS)

test: $(STAMP)
	$(BIN)/pytest

check: $(STAMP)
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/ruff check src tests bench tools
	$(BIN)/mypy
	$(BIN)/lint-imports

cases: $(STAMP)
	$(BIN)/foedus cases

pictures: $(STAMP)  ## needs Chromium; writes docs/pictures/*.jpeg, both languages, screen and phone
	$(BIN)/python tools/take_pictures.py

bench: $(STAMP)
	$(BIN)/python bench/run.py
	$(BIN)/python bench/serve.py

format: $(STAMP)
	$(BIN)/ruff format src tests bench tools
	$(BIN)/ruff check --fix src tests bench tools

lock:  ## needs uv; writes requirements.lock for Python 3.11 and later
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache

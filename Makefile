# The two sacred commands are `make serve` and `make test`; both set everything up on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: serve test check bench cases format lock clean

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

serve: $(STAMP)  ## until the site comes: the worked example of the README, in both languages
	$(BIN)/foedus ask sword_of_rome "who may fight whom" --sketch examples/c02-rome-night.toml || test $$? -eq 1
	$(BIN)/foedus ask sword_of_rome "who may fight whom" --sketch examples/c02-rome-night.toml --lang ru || test $$? -eq 1

test: $(STAMP)
	$(BIN)/pytest

check: $(STAMP)
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/ruff check src tests bench tools
	$(BIN)/mypy
	$(BIN)/lint-imports

cases: $(STAMP)
	$(BIN)/foedus cases

bench: $(STAMP)
	$(BIN)/python bench/run.py

format: $(STAMP)
	$(BIN)/ruff format src tests bench tools
	$(BIN)/ruff check --fix src tests bench tools

lock:  ## needs uv; writes requirements.lock for Python 3.11 and later
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache

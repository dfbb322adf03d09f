# Two commands do everything: `make demo` and `make test`. Each creates what is missing and starts at once when nothing is.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOCK   := requirements/dev.lock
PYTEST := $(BIN)/pytest

# Commands and tests start hundreds of interpreters: what one of them compiled is kept for the next.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test nightly check docs pictures screenshots bench weights lock clean
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(VENV)/.installed: pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Aeon needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "==> creating $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; exit 1; }
	@echo "==> installing (about a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(VENV)/.installed ## install, fetch the embedded model once, and run two requests on it
	@sh examples/demo.sh $(BIN)/aeon

test: $(VENV)/.installed weights ## install and run every test but the nightly ones (REST=1: without those of `make check`)
	@echo "==> tests; what repeats a law on a second server or at full size is left to make nightly"
	@$(PYTEST) -n auto --dist worksteal -m "not nightly$(if $(REST), and (slow or model or server or hypothesis))"

nightly: $(VENV)/.installed weights ## before a release: every test, with far more kills, stops, open runs and examples (hours)
	@AEON_CHAOS_STOPS=50 AEON_CHAOS_KILLS=200 AEON_CHAOS_ROUNDS=200 AEON_CHAOS_TALKS=200 AEON_OPEN_RUNS=1000 AEON_WIDE_STEPS=5000 \
	  AEON_SIGNALS=200 AEON_IMPORTS=10000 AEON_CHAOS_AWAY=60 \
	  $(PYTEST) -n auto --dist worksteal --hypothesis-profile release

check: $(VENV)/.installed ## lint, types, contracts and the fast tests
	@echo "==> ruff";         $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "==> pyright";      $(BIN)/pyright
	@echo "==> mypy";         $(BIN)/mypy
	@echo "==> import-linter"; $(BIN)/lint-imports
	@echo "==> docs";         $(MAKE) --no-print-directory docs
	@echo "==> fast tests";   $(PYTEST) -n auto --hypothesis-profile quick -m "not slow and not model and not server"

docs: $(VENV)/.installed ## build the site of the documentation into build/site; a link that leads nowhere is an error
	@$(BIN)/properdocs build --quiet --clean
	@echo "build/site/index.html"

pictures: $(VENV)/.installed ## make the pictures of the terminal in docs/pictures
	@$(BIN)/python docs/make_pictures.py

screenshots: $(VENV)/.installed ## make the pictures of the page in docs/pictures (needs Chromium)
	@$(BIN)/python docs/make_screenshots.py

bench: $(VENV)/.installed weights ## every benchmark; prints ratios, writes the RESULTS.md files
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.lock
	@$(BIN)/python benchmarks/conversations/run.py
	@$(BIN)/python benchmarks/embeddings/run.py
	@$(BIN)/python benchmarks/memory/run.py
	@$(BIN)/python benchmarks/recovery/run.py
	@$(BIN)/python benchmarks/kernel/run.py
	@$(BIN)/python benchmarks/requests/run.py
	@$(BIN)/python benchmarks/skills/run.py
	@$(BIN)/python benchmarks/platform/run.py
	@$(BIN)/python benchmarks/processes/run.py
	@$(BIN)/python benchmarks/processes/many.py
	@$(BIN)/python benchmarks/server/run.py

weights: $(VENV)/.installed
	@for model in tiny small; do $(BIN)/aeon model fetch $$model || \
	  echo "    tests that need the $$model model will be skipped"; done

lock: ## pin the dependencies anew, with hashes (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra embedded --extra skills --extra platform --extra postgres --extra graph --extra temporal --extra files --extra packages --extra web --extra otel --extra server --extra knowledge --extra graphiti --extra docs --group dev \
	  --custom-compile-command "make lock" pyproject.toml -o $(LOCK)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra embedded --extra skills --extra platform --extra postgres --extra graph --extra temporal --extra files --extra packages --extra web --extra otel --extra server --extra knowledge --extra graphiti --extra docs --group dev --group bench \
	  --custom-compile-command "make lock" pyproject.toml -o requirements/bench.lock

clean: ## remove the environment and the caches (not the weights)
	@rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache

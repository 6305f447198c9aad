# One command runs the main job:     make crawl            (the made-up news web in demo/, no internet needed)
#                                    make crawl SITE=bbc.com
# One command passes the tests:      make test

PYTHON ?= python3
VENV ?= .venv
SITE ?=
# Tests run side by side, one process a core.
JOBS ?= auto
ARGS ?=
BIN := $(VENV)/bin

.PHONY: crawl test coverage lock test-servers check format floors soak bench bench-crawl bench-search bench-batch clean

# The environment is made anew only when what it is made of has changed.
$(VENV)/.core: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[dev]
	touch $@

$(VENV)/.peers: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[peers]
	touch $@

crawl: $(VENV)/.core
ifeq ($(SITE),)
	SCRAPY_SETTINGS_MODULE=demo.settings $(BIN)/scrapy crawl news -a sites=demo/sites.txt $(ARGS)
else
	$(BIN)/scrapy crawl news -a site=$(SITE) $(ARGS)
endif

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not servers and not soak" -n $(JOBS) --dist worksteal

# Lines and branches that the tests run, in this process and in those they start.
coverage: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not servers and not soak" -n $(JOBS) --dist worksteal --cov --cov-report=term:skip-covered

test-servers: $(VENV)/.dev
	$(BIN)/python -m pytest -m servers

soak: $(VENV)/.dev
	$(BIN)/python -m pytest -m soak --timeout=7200

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Pins the quality floors anew; read the difference of tests/gold/floors.json before committing it.
floors: $(VENV)/.dev
	$(BIN)/python tests/evaluation/test_quality_floor.py

bench: $(VENV)/.peers
	$(BIN)/python benchmarks/speed.py

bench-crawl: $(VENV)/.peers
	$(BIN)/python benchmarks/crawl.py

bench-search: $(VENV)/.core
	$(BIN)/python benchmarks/search.py

bench-batch: $(VENV)/.core
	$(BIN)/python benchmarks/batch.py

# The versions that the checks and tests have passed with, for an environment that is the same everywhere.
lock: $(VENV)/.dev
	$(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check > requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

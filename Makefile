# One command runs the main job:     make crawl            (the made-up news web in demo/, no internet needed)
#                                    make crawl SITE=bbc.com
# One command shows it all:          make serve            (in the browser, with the made-up web's articles)
# One command passes the tests:      make test

PYTHON ?= python3
VENV ?= .venv
SITE ?=
STORE ?= output/demo.db
PORT ?= 8000
IMAGE ?= webmain
# Tests run side by side, one process a core.
JOBS ?= auto
ARGS ?=
BIN := $(VENV)/bin

.PHONY: crawl serve image packages test coverage lock test-browser check format floors soak bench bench-crawl bench-search bench-batch clean

PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# Modules are compiled when they are first imported, and what was compiled is kept, whatever the environment says: tests start
# many processes.
unexport PYTHONDONTWRITEBYTECODE
# One thread for each process of the tests: there is a process for each core.
test coverage soak: export OMP_NUM_THREADS = 1

# The environment is made anew only when what it is made of has changed.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip

$(VENV)/.core: requirements.txt pyproject.toml | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.dev: requirements.txt pyproject.toml | $(BIN)/python
	$(PIP) -e .[dev]
	touch $(VENV)/.core $@

$(VENV)/.peers: $(VENV)/.dev
	$(PIP) -e .[peers]
	touch $@

$(VENV)/.web: $(VENV)/.core
	$(PIP) -e .[web,cloud]
	touch $@

crawl: $(VENV)/.core
ifeq ($(SITE),)
	SCRAPY_SETTINGS_MODULE=demo.settings $(BIN)/scrapy crawl news -a sites=demo/sites.txt $(ARGS)
else
	$(BIN)/scrapy crawl news -a site=$(SITE) $(ARGS)
endif

serve: $(VENV)/.web
	test -e $(STORE).filled || { $(BIN)/python -m demo.fill $(STORE) && $(BIN)/webmain index --store sqlite:$(STORE) && touch $(STORE).filled; }
	$(BIN)/webmain serve --port $(PORT) --store sqlite:$(STORE) --pages $(STORE).warc.gz $(ARGS)

# A container image, by the first of the builders that is here and works (docs/container.md).
image:
	@for builder in podman docker buildah; do \
	  if command -v $$builder >/dev/null && $$builder info >/dev/null 2>&1; then \
	    exec $$builder build --file Containerfile --tag $(IMAGE) $(ARGS) . ; \
	  fi; \
	done; echo "no image can be built here: podman, docker or buildah is needed, and docker's daemon has to run" >&2; exit 1

# Libraries and fonts of the system, installed where they are missing and this user may do so.
packages:
	test ! -x .ci/packages || .ci/packages

test: packages $(VENV)/.dev
	$(BIN)/python -m pytest -m "not soak and not browser" -n $(JOBS) --dist worksteal

# Lines and branches that the tests run, in this process and in those they start.
coverage: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not soak and not browser" -n $(JOBS) --dist worksteal --cov --cov-report=term:skip-covered

# Needs Debian's packages chromium and fonts-*, and a user other than root: Chromium's sandbox stays on. .ci/run sees to both.
test-browser: $(VENV)/.dev
	$(BIN)/python -m pytest -m browser tests/browser tests/rendering $(ARGS)

soak: $(VENV)/.dev
	$(BIN)/python -m pytest -m soak --timeout=7200
	$(BIN)/python -m pytest -m "hypothesis and not browser" --hypothesis-profile=thorough --timeout=7200 -n $(JOBS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint --config .hadolint.yaml Containerfile

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

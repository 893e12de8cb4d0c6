# The commands of this project. `make run` and `make test` need Python 3.11+, make and git, nothing else.

PYTHON ?= python3
RUN := .venv-run/bin/python
DEV := .venv/bin/python
PYTEST := $(DEV) -m pytest -n 2

FRONTEND := designer/frontend

.PHONY: run test test-frontend frontend lint format bench bench-lists chaos pictures clean

run: .venv-run/installed  ## Start web and workers on http://127.0.0.1:8000 with the demo, and keep everything for next time
	@$(RUN) manage.py migrate --verbosity 0
	@$(RUN) manage.py demo --first-start
	@exec $(RUN) manage.py up

test: .venv/installed test-frontend  ## The whole suite, on SQLite and on PostgreSQL
	$(PYTEST) --database sqlite
	$(PYTEST) --database postgres -m "not browser" tests/engine tests/conformance/test_scenarios.py tests/flows --ignore tests/flows/expressions --ignore tests/flows/doctor tests/designer tests/demo tests/million tests/chaos

test-frontend:  ## The designer's model; without Node it is left to CI, since the built designer is committed
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(FRONTEND)/node_modules/installed && npm --prefix $(FRONTEND) test; \
	else echo "npm is not installed: the tests of the designer's model are left out"; fi

frontend: $(FRONTEND)/node_modules/installed  ## Build the designer into static/designer/; commit what comes out
	npm --prefix $(FRONTEND) run build

$(FRONTEND)/node_modules/installed: $(FRONTEND)/package-lock.json
	npm --prefix $(FRONTEND) ci --no-audit --no-fund
	@touch $@

lint: .venv/installed  ## Style, types, import rules, complete migrations
	$(DEV) -m ruff format --check .
	$(DEV) -m ruff check .
	$(DEV) -m mypy .
	.venv/bin/lint-imports
	$(DEV) manage.py makemigrations --check --dry-run

format: .venv/installed
	$(DEV) -m ruff format .
	$(DEV) -m ruff check --fix .

bench: .venv-bench/installed  ## Measure; figures are ratios to what this machine does in the same run
	.venv-bench/bin/python -m bench

bench-lists: .venv/installed  ## Fill a PostgreSQL with a million runs and say how long lists and run pages take
	$(DEV) -m tests.million --instances 1000000 --visits 5000000 --database postgres --explain

chaos: .venv/installed  ## Kill workers for longer than the suite does
	$(DEV) -m pytest -m chaos --chaos-kills 200 --chaos-instances 1000 tests/chaos

.venv-run/installed: requirements.lock
	$(PYTHON) -m venv .venv-run
	.venv-run/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/installed: requirements-dev.lock
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

.venv-bench/installed: requirements-bench.lock
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@

pictures: .venv/installed  ## Take the pictures of the README from the running product
	$(DEV) scripts/take_pictures.py

clean:
	rm -rf .venv .venv-run .venv-bench build $(FRONTEND)/node_modules

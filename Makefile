# Everything happens inside this folder: .venv holds Python packages and uv. Downloads are cached in ~/.cache/uv.

PYTHON ?= python3
ROUNDS ?= 20
UV := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements.uv.lock)
BIN := .venv/bin
READY := .venv/.ready
# cpu: the build of torch without CUDA; locked: what requirements.lock holds. Who names none keeps what .venv has.
ifeq ($(origin TORCH),undefined)
TORCH := $(or $(shell sed -n 2p $(READY) 2>/dev/null),locked)
endif
ifeq ($(filter cpu locked,$(TORCH)),)
$(error TORCH is cpu or locked, and not '$(TORCH)')
endif
SYNC := uv pip sync --quiet --compile-bytecode --require-hashes

.DEFAULT_GOAL := help
.PHONY: help setup packages-locked packages-cpu demo test unit style check docs screenshots lock env services services-stop bench bench-tools soak slack-everywhere clean

help:  ## Shows this list.
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

# A folder that was moved or copied has scripts that point elsewhere: it is set up anew.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR) $(TORCH))
.PHONY: $(READY)
endif

setup: $(READY)  ## Makes .venv with the locked packages and the command .venv/bin/vouch; TORCH=cpu leaves CUDA out.

# Byte code is written here, once, and not at the first start of each command: where nobody may write it then, or
# PYTHONDONTWRITEBYTECODE is set, every start would compile 700 modules, twice its time.
$(READY): requirements.lock requirements.uv.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "vouch needs Python 3.11 or newer, and '$(PYTHON)' is $$("$(PYTHON)" --version 2>/dev/null || echo missing)." >&2; \
		echo "Install it, or name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: its modules venv and ensurepip are missing." >&2; \
		echo "On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@test ! -f $(READY) || test "$$(sed -n 1p $(READY))" = "$(CURDIR)" || rm -rf .venv
	@test -x $(BIN)/python || { echo "Making .venv"; "$(PYTHON)" -m venv .venv; }
	@$(BIN)/python -c 'import importlib.metadata as m; assert m.version("uv") == "$(UV)"' 2>/dev/null \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.uv.lock
	@$(MAKE) --no-print-directory packages-$(TORCH)
	@VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q cli services flows consumers composition indexers bots vouch migrations
	@printf '%s\n' "$(CURDIR)" $(TORCH) > $(READY)

packages-locked:
	@echo "Installing the locked packages (the first time, some gigabytes)"
	@VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/$(SYNC) requirements.lock

# As in the Dockerfile: torch without CUDA is of the locked version, but its hash is not locked.
packages-cpu:
	@echo "Installing the locked packages, torch without CUDA"
	@awk '/^[a-z]/ { keep = !/^(torch|triton|nvidia-|cuda-)/ } keep' requirements.lock > .venv/requirements.cpu
	@VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/$(SYNC) .venv/requirements.cpu
	@VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/uv pip install --quiet --no-deps --compile-bytecode --torch-backend cpu \
		"torch==$$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' requirements.lock)"

demo: setup  ## Runs the main job on the demo company, in one terminal.
	@$(BIN)/vouch demo

# A test that hangs fails after ten minutes, and the others go on; none takes five on a slow machine.
HANGS := --timeout 600

# A file of tests stays in one process: its tests share what they set up. Each process has servers of its own. Two keep
# two cores busy for little more than half of the time: many tests wait for servers and for processes that they start.
test: setup  ## Runs every test, in three processes; `make test WORKERS=0` runs them in one.
	$(BIN)/python -m pytest -n $(or $(WORKERS),3) --dist loadfile --no-loadscope-reorder $(HANGS)

# pytest keeps what it makes of a test file, if Python may write byte code, and the next run begins sooner.
unit: setup  ## Runs the quick tests of every package: no model, no data folder, no process; about a minute on 2 cores.
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(or $(WORKERS),2) --dist worksteal --ignore tests/docs -m "not model and not data and not slow and not integration"

style: setup  ## Style, types, import directions.
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check: style  ## The same, and the tests of the docs.
	$(BIN)/python -m pytest tests/docs

docs: setup  ## Writes docs/settings.md, docs/openapi.json, and docs/slack_drawing.txt anew from the code.
	$(BIN)/python docs/make_settings.py > docs/settings.md.new && mv docs/settings.md.new docs/settings.md
	$(BIN)/python docs/make_openapi.py > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json
	$(BIN)/python docs/make_slack.py > docs/slack_drawing.txt.new && mv docs/slack_drawing.txt.new docs/slack_drawing.txt

screenshots: setup  ## Writes docs/pictures anew from the demo company; needs the program chromium.
	$(BIN)/python docs/make_screenshots.py

lock: setup  ## Resolves pyproject.toml anew into requirements.lock.
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --all-extras --group dev pyproject.toml -o requirements.lock
	echo "uv==$(UV)" | $(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate - -o requirements.uv.lock
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --group bench -o benchmarks/requirements.lock

env:  ## Writes .env for docker compose: random passwords, readable by its owner alone; what stands there stays.
	@umask 077 && touch .env && chmod 600 .env && for name in POSTGRES_PASSWORD ELASTIC_PASSWORD PREFECT_PASSWORD PROXY_SECRET; do \
		grep -q "^$$name=" .env || echo "$$name=$$("$(PYTHON)" -c 'import secrets; print(secrets.token_hex(24))')" >> .env; done
	@grep -q "^DOCUMENTS=" .env || echo "DOCUMENTS=./examples" >> .env

# Standard output is for a shell to read: eval "$(make services)".
services:  ## Starts Kafka, PostgreSQL, Elasticsearch and a Prefect server; prints the settings to export.
	@$(MAKE) --no-print-directory setup >&2
	@PYTHONPATH=tests $(BIN)/python -m servers.run start

services-stop: setup  ## Stops them and deletes their data.
	@PYTHONPATH=tests $(BIN)/python -m servers.run stop

bench-tools: setup
	@VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/uv pip install --quiet --no-deps --require-hashes -r benchmarks/requirements.lock

# One index serves all three benchmarks that need a large one. Every benchmark runs, also after one that failed a bound.
bench: bench-tools  ## Runs the benchmarks and prints their tables; about 15 minutes on a quiet machine.
	@place=$$(mktemp -d) && trap 'rm -rf "$$place"' EXIT && failed=0; \
	$(BIN)/python benchmarks/serving/commands.py || failed=1; \
	$(BIN)/python benchmarks/search/index_search.py --home "$$place/large" || failed=1; \
	$(BIN)/python benchmarks/search/reader_memory.py --home "$$place/large" || failed=1; \
	$(BIN)/python benchmarks/ingesting/ingest.py || failed=1; \
	$(BIN)/python benchmarks/serving/http_service.py --home "$$place/large" || failed=1; \
	exit $$failed

soak: setup  ## Runs the long fault tests, saves their figures in docs/soak.md, then the fast tests ROUNDS times with other examples.
	$(BIN)/python -m pytest -m soak -s --soak-table docs/soak.md
	@for seed in $$(seq 1 $(ROUNDS)); do \
		$(BIN)/python -m pytest -m "not model and not data and not integration" --hypothesis-seed=$$seed || exit 1; done

slack-everywhere: setup  ## Runs every test of a company in Slack with Kafka and PostgreSQL, in both transports.
	VOUCH_SLACK_EVERYWHERE=1 VOUCH_REQUIRE_SERVICES=1 $(BIN)/python -m pytest -n $(or $(WORKERS),3) --dist loadfile --no-loadscope-reorder -k Kafka tests/bots/slack

clean:  ## Removes everything that make and the tools made here.
	rm -rf .venv .demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find cli flows consumers indexers bots vouch migrations tests examples docs -name __pycache__ -prune -exec rm -rf {} +

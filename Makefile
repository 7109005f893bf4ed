# Every target sets itself up: the first one run creates .venv with the versions of constraints.txt.
#
#   make test PYTHON=python3.13                     another interpreter (3.11 to 3.13)
#   make test TORCH_INDEX=https://download.pytorch.org/whl/cpu
#                                                   PyTorch's CPU build (200 MB); on Linux the default is the
#                                                   CUDA build (several GB). Only read while .venv is set up.
#   make test-integrations LIBRARIES=sb3            one of the libraries of docs/integrations.md
#   make test PYTEST_ARGS="tests/rules -k R_TURN"   some of the tests

PYTHON ?= python3
VENV ?= .venv
TORCH_INDEX ?=
WORKERS ?= 2
PYTEST_ARGS ?=

PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
INTEGRATIONS ?= .integrations
LIBRARIES ?= sb3 rllib torchrl tianshou openspiel
EXTRAS := train,arena,render,play,onnx,dev,docs

# What `test-modes` runs: with bounds checks what reaches every kernel, as plain Python what cites the rules.
BOUNDS_TESTS := tests/engine/test_modes.py tests/engine/test_invariants.py \
	tests/engine/test_hidden_information.py tests/engine/test_lockstep.py::test_engine_and_oracle_agree \
	tests/reference/test_rare_positions.py \
	"tests/agents/test_players.py::test_every_action_is_legal[3000-classic-4-closer]" \
	"tests/agents/test_players.py::test_every_action_is_legal[3000-modern-keeper]"
PLAIN_TESTS := tests/engine/test_modes.py tests/rules/test_cases.py tests/rules/test_r_take_opening.py \
	tests/rules/test_r_score.py tests/rules/test_r_turn.py

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test test-modes test-slow test-integrations lint format check demo docs bench clean distclean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

setup: $(STAMP)  ## create or update .venv from constraints.txt

$(STAMP): pyproject.toml constraints.txt
	@if [ ! -x $(PY) ]; then \
		$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
			|| { echo "canasta-env needs Python 3.11 to 3.13: make $(MAKECMDGOALS) PYTHON=/path/to/python3.13"; exit 1; }; \
		echo "== Creating a virtual environment in $(VENV) with $$($(PYTHON) --version)"; \
		$(PYTHON) -m venv $(VENV); \
	fi
ifneq ($(TORCH_INDEX),)
	@echo "== Installing PyTorch from $(TORCH_INDEX)"
	@$(PY) -m pip install --quiet --no-deps --index-url $(TORCH_INDEX) "$$(grep '^torch==' constraints.txt)"
endif
	@echo "== Installing canasta-env[$(EXTRAS)] with the versions of constraints.txt (some minutes the first time)"
	@$(PY) -m pip install --quiet --constraint constraints.txt --editable ".[$(EXTRAS)]"
	@touch $@
	@echo "== Ready: $$($(PY) --version) in $(VENV)"

test: $(STAMP)  ## run the tests, without the slow ones
	$(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

test-modes: $(STAMP)  ## run some tests with bounds checks, and some as plain Python
	NUMBA_BOUNDSCHECK=1 $(PY) -m pytest -n $(WORKERS) $(BOUNDS_TESTS)
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -n $(WORKERS) $(PLAIN_TESTS)

test-slow: $(STAMP)  ## run the slow tests only
	$(PY) -m pytest -n $(WORKERS) -m slow $(PYTEST_ARGS)

# An environment sees the packages of .venv, so that PyTorch is not installed again, and its own before them.
$(INTEGRATIONS)/%/.installed: tests/integrations/%.txt $(STAMP)
	@echo "== Installing $< in $(INTEGRATIONS)/$*"
	@$(PY) -m venv $(INTEGRATIONS)/$*
	@$(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$$($(INTEGRATIONS)/$*/bin/python \
		-c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth"
	@$(INTEGRATIONS)/$*/bin/python -m pip install --quiet --requirement $<
	@touch $@

test-integrations: $(LIBRARIES:%=$(INTEGRATIONS)/%/.installed)  ## run the examples of other libraries, each in an environment of its own
	CANASTA_INTEGRATIONS=$(abspath $(INTEGRATIONS)) $(PY) -m pytest -m integrations tests/integrations $(PYTEST_ARGS)

lint: $(STAMP)  ## style, formatting and types
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

format: $(STAMP)  ## repair what ruff can repair
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

check: lint test  ## lint, then test

demo: $(STAMP)  ## two minutes of self-play training, then a small tournament
	$(PY) train.py --minutes 2
	$(PY) evaluate.py --game classic --players 2 --boards 50

docs: $(STAMP)  ## draw the diagrams, photograph the pages (with Chromium), write the tables that come from code, build the site into docs/_build
	$(PY) -m docs.structure
	$(PY) -m docs.draw
	$(PY) -m docs.photograph
	$(PY) -m docs.tabulate
	$(PY) -m sphinx -W --keep-going --quiet docs docs/_build
	@echo "docs/_build/index.html"

bench: $(STAMP)  ## measure the engine's and the trainer's speed
	$(PY) -m benchmarks

clean:  ## remove caches and build outputs, keep .venv and runs
	rm -rf build dist docs/_build htmlcov *.egg-info .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +

distclean: clean  ## remove .venv and the libraries' environments as well
	rm -rf $(VENV) $(INTEGRATIONS)

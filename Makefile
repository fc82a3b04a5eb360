# Everything a checkout needs, from python3 (3.12 or newer), git and make alone. `make` lists the targets.
# Another interpreter: make test PYTHON=/path/to/python3.12

PYTHON ?= python3
UV := .tools/bin/uv
V1 := .venv/.made
V0 := .venv-v0/.made
MODEL := .venv-model/.made

# The interpreter that made .tools makes every environment. One that misses a pin is an error, not a download.
export UV_PYTHON_DOWNLOADS := never
# Compiled once here, and not by each of the commands that tests and the demo start.
export UV_COMPILE_BYTECODE := 1
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-model coverage faults fuzz lint lock figures mutants docs clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

demo: $(V1)  ## run OpenHands and mini-swe-agent under every strategy: no key, no network (SWEAGENT_PYTHON=... adds SWE-agent)
	@.venv/bin/context-strategies demo --out demo

test: lint $(V0)  ## lint, then every test: what CI runs (EXTRA="-k name" is passed to pytest)
	@UV=$(CURDIR)/$(UV) .venv/bin/pytest -n 2 --dist loadgroup $(EXTRA)
	@$(if $(EXTRA),,.venv-v0/bin/pytest -W ignore -n 2 --dist loadfile tests/hosts/openhands_v0 tests/hosts/test_same_everywhere.py tests/faults)

test-model: $(MODEL)  ## facts through a small local model; compiles its runtime the first time (ten minutes)
	@.venv-model/bin/pytest tests/local_model $(EXTRA)

FUZZ_SECONDS ?= 600
fuzz: $(V1)  ## damaged recordings and configurations, at random, for FUZZ_SECONDS (600)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) .venv/bin/pytest -n 2 --dist loadfile tests/fuzz/fuzz_*.py

coverage: $(V1) $(V0)  ## lines that some test runs, over all environments; fails below 95 % (SWEAGENT_PYTHON=... for SWE-agent's)
	@.venv/bin/coverage erase
	@COVERAGE_FILE=.coverage.v1 UV=$(CURDIR)/$(UV) .venv/bin/pytest -q -n 2 --dist loadgroup --cov --cov-report=
	@COVERAGE_FILE=.coverage.v0 .venv-v0/bin/pytest -q -W ignore -n 2 --dist loadfile --cov --cov-report= \
		tests/openhands_plugin/v0 tests/hosts/openhands_v0 tests/hosts/test_same_everywhere.py tests/faults
	@.venv/bin/coverage combine --quiet
	@.venv/bin/coverage report --fail-under=95

lint: $(V1)  ## ruff and mypy --strict
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy

figures: $(V1) $(V0)  ## every figure of the docs anew, into docs/figures.md (SWEAGENT_PYTHON=... for SWE-agent's)
	@.venv/bin/python benchmarks/figures.py

mutants: $(V1)  ## what no test notices: one change at a time to what decides and bills (ten minutes)
	@.venv/bin/python benchmarks/mutants.py

faults: $(V1) $(V0)  ## what goes wrong around a run, in every scaffold, into docs/faults.md (SWEAGENT_PYTHON=... adds SWE-agent)
	@.venv/bin/python benchmarks/faults.py

docs: $(V1)  ## the documentation as a site, into dist/site
	@.venv/bin/mkdocs build --quiet

# A universal pin holds on every platform. core.txt is cut from v1.txt, so that both environments agree.
PIN = $(UV) pip compile --quiet --upgrade --universal --python-version 3.12 --no-annotate \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

lock: $(UV)  ## make constraints/*.txt anew, at the newest releases that fit
	@echo uv | $(PIN) - --output-file constraints/tools.txt
	@$(PIN) pyproject.toml --extra compare --extra dask --extra litellm --extra openhands \
		--group build --group docs --group hosts --group lint --group mutation --group test --output-file constraints/v1.txt
	@$(PIN) pyproject.toml --extra compare --group build --constraint constraints/v1.txt \
		--output-file constraints/core.txt
	@$(PIN) pyproject.toml --extra openhands-v0 --group build --group test --output-file constraints/v0.txt
	@$(PIN) pyproject.toml --group build --group test --group model --constraint constraints/v1.txt \
		--output-file constraints/model.txt
	@wc -l constraints/*.txt

clean:  ## remove environments, tools and caches
	@rm -rf .tools .venv .venv-* .coverage* demo dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV): constraints/tools.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12) and "Python 3.12 or newer is needed: make PYTHON=/path/to/it")'
	@echo "Making .tools (uv)"
	@$(PYTHON) -m venv --clear .tools
	@.tools/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# One environment per set of pins: exactly constraints/NAME.txt, then the project itself, editable.
define environment
@echo "Making $(@D) from $<"
@$(UV) venv --quiet --clear --python .tools/bin/python $(@D)
@$(UV) pip sync --quiet --python $(@D) $<
@$(UV) pip install --quiet --python $(@D) --no-deps --build-constraints $< --editable .
@touch $@
endef

$(V1): constraints/v1.txt pyproject.toml $(UV)
	$(environment)

.venv-%/.made: constraints/%.txt pyproject.toml $(UV)
	$(environment)

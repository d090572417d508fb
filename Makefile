# headgate: everything from a checkout. Needs python3 (3.11 or newer, with venv and pip) and cargo; the rest is installed inside the checkout.
.PHONY: demo install test test-built test-rest test-all frozen planted explore explore-test site mutants mutants-python referee-mutants bench bench-site bench-instructions bench-peers oracles docs verdicts unstated matrix game referee attacks contracts evidence figures shots licenses wheels sdist release-check release lint lint-rust lint-rest check-tools clean
.DELETE_ON_ERROR:

PYTHON ?= python3
UV_VERSION := 0.13.8
TOOLS := .cache/tools
# npm writes this file last: the page's libraries are as the lock file says.
NODE_MODULES := web/node_modules/.package-lock.json
CARGO_MUTANTS_VERSION := 27.1.0
CARGO_BUNDLE_LICENSES_VERSION := 5.0.0
UV := UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv $(TOOLS)/bin/uv
# The engine is a file in the checkout, of which uv knows nothing: where it is missing, it is built again.
SYNC = $(UV) sync --quiet --locked --inexact --python $(PYTHON) $(if $(shell ls python/headgate/_core.* 2>/dev/null | grep -v pyi),,--reinstall-package headgate)
BIN := .venv/bin

# It installs what it uses: tables in Arrow's formats belong to studies (`headgate sweep`), which `make test` and the other targets install.
demo: $(TOOLS)/bin/uv ## build, run a game beside a download under two queues, reproduce scenario 2 of the 1989 paper: about a minute
	@echo "[2/4] Installing libraries and building the engine: about a minute the first time."
	@$(SYNC) --extra plots --extra explore --no-install-package pyarrow
	@echo "[3/4] A game shares a link of 20 Mbit/s with a download, under two queues. How long its packets wait there, on average:"
	@$(BIN)/python examples/game.py
	@echo "[4/4] Reproducing scenario 2 of the paper on Fair Queueing (Demers, Keshav and Shenker 1989):"
	@$(BIN)/headgate reproduce demers1989 scenario-2 --brief --report out/demo
	@echo "The report shows each number beside ours, says which are missed, and why where we know it. Go on with:"
	@echo "  source .venv/bin/activate"
	@echo "  headgate quick 50Mbit/s 40ms cubic bbr --queue fq_codel   (two controls share a link)"
	@echo "  headgate explore           (a page in the browser: a link that you change while it runs)"

# The tests of Rust first, while the libraries of Python are installed: the extension uses the same crates, and builds itself only.
define BUILD
@$(SYNC) --all-extras --group dev --no-install-project & sync=$$!; \
cargo test --workspace --locked --quiet --no-run; built=$$?; \
wait $$sync && exit $$built
@$(SYNC) --all-extras --group dev
endef

test-built: $(TOOLS)/bin/uv # what `make test` runs, without running it
	$(BUILD)

test: $(TOOLS)/bin/uv ## build and run the tests that a change needs: some minutes
	$(BUILD)
	@$(BIN)/python tests/run.py

test-rest: $(TOOLS)/bin/uv ## the rest of the tests: slow ones, and long properties with all of their inputs
	$(BUILD)
	@$(BIN)/python tests/run.py --rest

# Tests of Rust run once, with all inputs, in the first half: see tests/run.py.
test-all: export HEADGATE_ALL_CASES = 1
test-all: test test-rest ## all tests

install: $(TOOLS)/bin/uv ## build headgate with all its extras into .venv
	@$(SYNC) --all-extras

explore: $(NODE_MODULES) ## build the explorer's page from web/ into python/headgate/explore/static (needs Node.js)
	cd web && npm run build

explore-test: $(TOOLS)/bin/uv $(NODE_MODULES) ## the explorer's page in a real browser (needs Node.js and Chromium)
	@$(SYNC) --all-extras
	@test -x "$${CHROMIUM:-/usr/bin/chromium-headless-shell}" || test -x "$${CHROMIUM:-/usr/bin/chromium}" || { echo "Chromium is not installed; the path of one may be given as CHROMIUM=..."; exit 1; }
	cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm test

site: docs $(NODE_MODULES) ## the documentation, and the explorer without a server, as a folder for any host of files: out/site (needs Node.js and Rust's target wasm32-unknown-unknown)
	@$(BIN)/python web/make_site.py --documentation docs/_build

# Entries, and options of tests/frozen/frozen.py: FROZEN=--write keeps what is printed now, FROZEN='study plot' compares two entries.
FROZEN ?=
frozen: $(TOOLS)/bin/uv ## compare what every command prints, and what is said of bad inputs, with what is kept in tests/frozen (minutes)
	@$(SYNC) --all-extras --group dev
	@$(BIN)/python tests/frozen/frozen.py $(FROZEN)

planted: $(TOOLS)/bin/uv ## turn on the faults of tests/planted/faults.toml one by one, and say which half of the tests notices each: an hour
	@$(SYNC) --all-extras --group dev
	@$(BIN)/python tests/planted/planted.py $(FAULTS)

# Options for cargo-mutants, such as MUTANTS='--shard 0/20' for a twentieth of the mutants or MUTANTS='-f crates/queue/src/disciplines/drr.rs'.
MUTANTS ?=
mutants: $(TOOLS)/bin/cargo-mutants ## plant faults one by one and count those that no test notices: takes days
	@PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" $(PYTHON) tests/mutants/rust.py $(MUTANTS)

mutants-python: $(TOOLS)/bin/uv ## the same for headgate.stats and headgate.analysis; FILES='headgate/stats/means.py' takes one file
	@$(SYNC) --all-extras --group dev --group mutants
	@$(BIN)/python tests/mutants/run.py $(FILES)

# Options, such as MUTANTS_OF='--only reno --family steps'.
MUTANTS_OF ?=
referee-mutants: $(TOOLS)/bin/uv ## judge mutants of our own flow controls by the cases of the referee (SET=first, second or third): takes up to an hour
	@$(SYNC) --all-extras --group dev
	@$(BIN)/python -m tests.referee_mutants --set $(or $(SET),first) $(MUTANTS_OF)

bench: $(TOOLS)/bin/uv ## measure speed and memory
	@# The engine as wheels have it, not that of a checkout.
	@$(SYNC) --no-editable
	@$(BIN)/headgate bench

bench-site: $(TOOLS)/bin/uv ## the speed of the page's module beside that of the engine as wheels have it (after make site)
	@$(SYNC) --no-editable
	@$(BIN)/python web/speed.py

bench-instructions: ## count the instructions of a packet in W1 to W4 (needs valgrind)
	@# What `make test` builds, so that nothing is built for this alone.
	@cargo test --workspace --locked --quiet --no-run
	@python3 benches/instructions.py

bench-peers: $(TOOLS)/bin/uv ## the same workloads in htsim, ns-2, ns-3 and ns.py, in .cache/peers (Debian or Ubuntu)
	@$(SYNC) --no-editable
	@benches/peers/install
	@$(BIN)/python benches/peers/run.py

oracles: ## install the other implementations from the registries and hold tests/oracle's gold files against them (minutes)
	@$(PYTHON) tests/oracle/live.py

lint: lint-rust lint-rest ## formatting, lints, types and which part may use which (make test: what is generated, and how long files are)

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

lint-rest: $(TOOLS)/bin/uv $(if $(shell command -v npm),$(NODE_MODULES))
	@$(SYNC) --all-extras --group dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/scheme_names.py
	@$(BIN)/mypy & types=$$!; $(BIN)/lint-imports --no-logo; imports=$$?; wait $$types && exit $$imports
	$(if $(shell command -v npm),cd web && npm run --silent lint,@echo "npm is not installed: the code of the explorer's page was not checked.")

docs: $(TOOLS)/bin/uv ## build the documentation into docs/_build
	@$(SYNC) --all-extras --group docs
	@$(BIN)/python docs/verdicts.py --check
	@$(BIN)/python docs/unstated.py --check
	@$(BIN)/python docs/matrix.py --check
	@$(BIN)/python docs/game.py --check
	@$(BIN)/python docs/metrics.py --check
	@$(BIN)/python docs/commands.py --check
	@$(BIN)/python docs/referee.py --check
	@$(BIN)/python docs/attacks.py --check
	@$(BIN)/python docs/contracts.py --check
	@$(BIN)/python benches/instructions.py --check
	$(BIN)/sphinx-build -W -q -b html docs docs/_build
	@# The page that `man headgate` shows: the reference of the commands, from what was read for the pages.
	$(BIN)/sphinx-build -W -q -b man -d docs/_build/.doctrees docs docs/_build/man docs/reference/commands.md

verdicts: $(TOOLS)/bin/uv ## make the summaries of the papers in the documentation again (minutes)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/verdicts.py

unstated: $(TOOLS)/bin/uv ## ask the papers' numbers again about what the texts leave open (some 20 minutes)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/unstated.py

matrix: $(TOOLS)/bin/uv ## run the matrix of flow controls of the documentation again (a few minutes)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/matrix.py

game: $(TOOLS)/bin/uv ## play the games of the documentation again (some 20 minutes)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/game.py

referee: $(TOOLS)/bin/uv ## judge all flow controls and queues of the documentation again (some ten minutes), and the baselines before
	@$(SYNC) --all-extras
	@$(BIN)/headgate referee --write-baselines
	@$(BIN)/python docs/referee.py

attacks: $(TOOLS)/bin/uv ## search again for breaks of all flow controls and queues of the documentation (an hour)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/attacks.py

contracts: $(TOOLS)/bin/uv ## measure the contracts of all flow controls of the documentation again (some ten minutes)
	@$(SYNC) --all-extras
	@$(BIN)/python docs/contracts.py

# What hours of runs found, from which pages are made: out of git. docs/evidence.md says what it is and where it is kept.
evidence: matrix game referee attacks contracts unstated ## make all evidence of the documentation again (some three hours), or a part by its name

figures: $(TOOLS)/bin/uv ## make the pictures of the documentation again
	@$(SYNC) --all-extras
	@$(BIN)/python docs/figures.py

shots: $(TOOLS)/bin/uv $(NODE_MODULES) ## take the pictures of the explorer in the documentation again (needs Node.js and Chromium)
	@$(SYNC) --all-extras
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/shots.py

$(NODE_MODULES): web/package-lock.json
	cd web && npm ci --no-audit --no-fund

# Where a crate may be used under several licences, the text of MIT.
licenses: $(TOOLS)/bin/cargo-bundle-licenses ## write the texts of the licences of the crates in the engine again, after a change of Cargo.lock
	@cd crates/python && RUST_LOG=error PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" cargo bundle-licenses --format yaml --prefer MIT --output "$(CURDIR)/LICENSES-CRATES.yml"

# Zig, which compiles and links for other systems, and what judges the wheels: a group of their own, and the engine is not built for it.
define RELEASE_TOOLS
@$(SYNC) --group release --no-install-project
endef

# Targets, such as WHEELS=x86_64-unknown-linux-musl; each takes minutes.
WHEELS ?=
wheels: $(TOOLS)/bin/uv ## build the wheels for Linux (glibc 2.17 and musl 1.2, x86-64 and aarch64) into dist
	$(RELEASE_TOOLS)
	@$(BIN)/python -m release.wheels $(WHEELS)

sdist: $(TOOLS)/bin/uv ## build the source archive into dist, and the conda recipe with its digest
	$(RELEASE_TOOLS)
	@$(BIN)/python -m release.wheels --sdist

release-check: $(TOOLS)/bin/uv ## go through the checklist of a release, with the wheels of `make wheels`
	@$(SYNC) --all-extras --group dev --group release
	@$(BIN)/python -m release.check

release: $(TOOLS)/bin/uv ## the same, and then the tag of the version, only if all of it holds; nothing is pushed
	@$(SYNC) --all-extras --group dev --group release
	@$(BIN)/python -m release.check --tag

# A private uv in the checkout; nothing outside it is touched.
$(TOOLS)/bin/uv: Makefile
	@command -v $(PYTHON) >/dev/null || { echo "headgate needs Python 3.11 or newer, and no '$(PYTHON)' is installed (another: make PYTHON=...)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "headgate needs Python 3.11 or newer, and '$(PYTHON)' is older (another: make PYTHON=...)." >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "headgate needs Rust 1.88 or newer, and no 'cargo' is installed: see https://rustup.rs" >&2; exit 1; }
	@cargo --version | $(PYTHON) -c 'import re, sys; sys.exit(tuple(map(int, re.findall(r"\d+", sys.stdin.read())[:2])) < (1, 88))' || \
		{ echo "headgate needs Rust 1.88 or newer, and 'cargo' is older: rustup update" >&2; exit 1; }
	@echo "[1/4] Installing the build tool uv into .cache/tools; nothing outside this folder is touched." >&2
	@$(PYTHON) -m venv $(TOOLS) || { echo "headgate needs Python's module venv, which is not installed (Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) 2> $(TOOLS)/pip.log || \
		{ echo "headgate could not install uv $(UV_VERSION) from PyPI: the first time it needs a network. The details are in $(TOOLS)/pip.log." >&2; exit 1; }
	@touch $@

$(TOOLS)/bin/cargo-mutants: Makefile $(TOOLS)/bin/uv
	@cargo install --quiet --locked --root $(TOOLS) cargo-mutants@$(CARGO_MUTANTS_VERSION)
	@touch $@

$(TOOLS)/bin/cargo-bundle-licenses: Makefile $(TOOLS)/bin/uv
	@cargo install --quiet --locked --root $(TOOLS) cargo-bundle-licenses@$(CARGO_BUNDLE_LICENSES_VERSION)
	@touch $@

clean: ## remove everything that was built or installed
	rm -rf .cache .venv target out docs/_build python/headgate/*.so

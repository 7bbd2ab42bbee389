# Everything a contributor types. Node comes from node_modules, so that what is built and tested is what ships; the machine needs
# an npm, make and a shell.
#
#   make run [CONFIG=dir] [PORT=n]          the pair, prepared in .run/ at the first start; Ctrl-C ends it
#   make test [TIER=name] [FILES="a b"]     all tests this machine allows (tiers: unit pair attack load clients cli host machine package engine fuzz)
#   make test TIER=load                    under load; LOAD_STREAMS=10000 LOAD_RATE=200 LOAD_SECONDS=1800 for more and longer than a minute
#   make test-clients                       real MCP clients and the conformance suite (installs them in test/clients)
#   make test-host | test-machine           on a booted Debian, in a virtual machine (root on Debian)
#   make test-engine                        on a container engine of its own (root on Debian, docker.io)
#   make deb                                the Debian package, in dist (needs dpkg-deb and strip)
#   make man                                manual pages and completions, in dist/man and dist/completion
#   make bench [ONLY="a b"] [ROUNDS=n]        compares with what one would use instead (as root; lines: bench/lines)
#   make fuzz [MINUTES=n]                   the fuzzers alone, for as long as asked, with other inputs each time
#   make check                              types, lint, formatting, budgets, generated documents, units

SHELL := /bin/sh
SYSTEM_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# Directories too: a file that is gone changes what is built.
SOURCES := package.json $(shell find shared/src broker/src broker/launcher broker/rotate frontend/src cli/src certs/src scripts \
	-name generated -prune -o \( -type d -o -name '*.ts' ! -name '*.test.ts' -o -name '*.mjs' \) -print)

.PHONY: build man run test test-host test-machine test-engine bench deb test-package check clean allowlist fuzz
.DEFAULT_GOAL := build

build: dist/.stamp

# Under a narrow umask the frontend's account could not execute the runtime.
node_modules/.stamp: package-lock.json
	@echo 'npm ci: the dependencies and the runtime'
	@umask 022 && PATH="$(SYSTEM_PATH)" npm ci --loglevel=error && touch $@

# The stamp is as old as the beginning of the build: what is edited meanwhile is built next time. The directory of generated files
# comes first, because making it changes one of the sources' directories.
dist/.stamp: node_modules/.stamp $(SOURCES)
	@umask 022 && mkdir -p dist shared/src/generated && touch $@.new
	@umask 022 && node scripts/generate.ts && node scripts/build.mjs && node scripts/man.ts && mv $@.new $@

run: dist/.stamp
	@exec node dist/run.js --cwd "$(PWD)" --config "$(CONFIG)" --port "$(PORT)"

# Real MCP clients have a package and a lock of their own: together they are larger than everything else. Where they cannot be
# installed their tests are left out, and the run says so.
test/clients/node_modules/.stamp: test/clients/package-lock.json
	cd test/clients && umask 022 && PATH="$(SYSTEM_PATH)" npm ci --loglevel=error && touch node_modules/.stamp

# A pseudo-terminal for tests. It is compiled here, because install scripts of packages are not run (g++, python3; npm brings node-gyp,
# the runtime its headers). Where it cannot be compiled the tests on it are left out, and the run says so.
PTY := node_modules/node-pty/build/Release/pty.node
$(PTY): node_modules/.stamp
	@echo 'node-pty: compiling'
	@PATH="$(SYSTEM_PATH)" npm run --silent build:pty >node_modules/.pty.log 2>&1 || { tail -n 3 node_modules/.pty.log; false; }

CLIENTS := $(if $(TIER)$(FILES),,install-clients)

.PHONY: install-clients install-pty test-clients
install-pty:
	-@$(MAKE) -s --no-print-directory $(PTY)

install-clients:
	-@$(MAKE) --no-print-directory test/clients/node_modules/.stamp

test: dist/.stamp install-pty $(CLIENTS)
	node test/run.ts

test-clients: dist/.stamp test/clients/node_modules/.stamp
	TIER=clients node test/run.ts

test-host: dist/.stamp
	TIER=host node test/run.ts

test-machine: dist/.stamp
	TIER=machine node test/run.ts

deb: dist/.stamp
	node scripts/deb.ts

test-package: dist/.stamp
	TIER=package node test/run.ts

test-engine: dist/.stamp
	TIER=engine node test/run.ts

fuzz: dist/.stamp
	TIER=fuzz STEWARD_FUZZ_MINUTES=$(MINUTES) node test/run.ts

bench/node_modules/.stamp: bench/package-lock.json
	cd bench && umask 022 && PATH="$(SYSTEM_PATH)" npm ci --loglevel=error && touch node_modules/.stamp

# Servers from npm that some lines compare with; where they cannot be installed those lines go without them.
.PHONY: bench-peers
bench-peers:
	-@$(MAKE) --no-print-directory bench/node_modules/.stamp

bench: dist/.stamp bench-peers
	ONLY="$(ONLY)" node bench/run.ts

check: node_modules/.stamp
	umask 022 && node scripts/generate.ts
	tsc --noEmit
	eslint .
	prettier --check --log-level=warn .
	node scripts/check-budgets.ts
	node scripts/allowlist.ts --check
	node scripts/check-units.ts

man: node_modules/.stamp
	@umask 022 && node scripts/man.ts

# The table as a document for reviewers; part of the repository, so that a change of the table shows in its diff.
allowlist: node_modules/.stamp
	node scripts/allowlist.ts

clean:
	rm -rf dist shared/src/generated

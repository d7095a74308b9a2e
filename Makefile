# Holdfast. What most people want:
#
#   make run     build the server and start it with a database of its own and demo data
#   make test    run every test, on a real PostgreSQL; under the race detector where goroutines meet
#   make quick   the same without the race detector, browser, and what takes long: for every save
#   make lint    vet, lint, and check the lock registry
#   make verify  check that what is generated is current
#   make help    list all targets
#
# Nothing has to be installed but Go, a C compiler and make: the server and the tests find or fetch PostgreSQL,
# and the tools build from the modules under tools/.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# The product comes first. The other directories of tools/ hold no code of ours.
MODULES := . clients/go tools/lockslint tools/bench tools/torture tools/packages tools/oidc-provider

# $(call each,COMMAND) runs a command in every module, and fails at the end if it failed in one of them.
each = failed=; for module in $(MODULES); do (set -x; cd $$module && $(1)) || failed=1; done; test -z "$$failed"

# Nothing here speaks MessagePack, whose generated code takes long to compile.
TAGS := -tags=nomsgpack

# The compiler and the linker take a quarter less time if they collect less garbage, and a tenth less without what only debuggers read.
FAST := -trimpath -gcflags=all=-dwarf=false "-toolexec=env GOGC=400"

# Tests, lint, their tools and the servers that tests start are built in one way, so that each package is compiled once: with a clock that
# can be set (internal/servertest/clock.go). .ci/gotest builds some packages once more, under the race detector.
CLOCK      := $(CURDIR)/bin/_clock/$(shell go env GOVERSION)/overlay.json
TEST_FLAGS := $(TAGS) $(FAST) -overlay=$(CLOCK)
TEST_ENV    = CGO_ENABLED=0 GOFLAGS='$(TEST_FLAGS)'

# The path of a tool's program.
built         = $$($(TEST_ENV) go tool -modfile='$(CURDIR)/tools/$(1)/go.mod' -n $(1))
GOLANGCI_LINT = GOGC=400 $(TEST_ENV) $$linter
LOCKSLINT     = $(TEST_ENV) go run -C tools/lockslint . -C '$(CURDIR)'
SQLC         := go tool -modfile=tools/sqlc/go.mod sqlc

# What a release is built for. Archives of one commit are the same wherever they are built, with GNU tar.
PLATFORMS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
DIST       := $(CURDIR)/dist
COMMITTED   = $(shell git log -1 --format=%ct)
REPRODUCED  = --sort=name --mtime=@$(COMMITTED) --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX --format=ustar

# How long each target is fuzzed. What is found becomes a file under testdata/fuzz, which go test runs from then on.
FUZZTIME := 10s

.PHONY: bench build citus drill fuzz generate generate/clients generate/openapi generate/packages generate/schema generate/sqlc generate/tables generate/timezone help hostile lint lint/fix lint/locks lint/openapi packages pictures plans programs quick release run soak test torture verify verify/clients verify/mod verify/openapi verify/packages verify/sqlc verify/sums

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z\/]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The version comes from git describe, so git isn't asked a second time: it refuses in a directory that
# belongs to another user, and go build then fails.
build: ## Build bin/holdfast
	go build $(TAGS) -trimpath -buildvcs=false -ldflags "-X main.version=$(VERSION)" -o bin/holdfast ./cmd/holdfast

release: $(CLOCK) programs packages ## Build dist/: archives, SBOMs, Debian packages and the container image, with SHA256SUMS
	@set -e; sbom=$(call built,cyclonedx-gomod); for platform in $(PLATFORMS); do \
		name=holdfast_$(VERSION)_$${platform%/*}_$${platform#*/}; mkdir $(DIST)/$$name; \
		cp $(DIST)/programs/$$platform/holdfast $(DIST)/$$name/; \
		cp -R LICENSE README.md SECURITY.md CHANGELOG.md docs deploy $(DIST)/$$name/; \
		$$sbom bin -json -std -noserial -version '$(VERSION)' -output $(DIST)/$$name.cdx.json $(DIST)/$$name/holdfast; \
		tar $(REPRODUCED) -C $(DIST) -cf - $$name | gzip -n > $(DIST)/$$name.tar.gz; rm -r $(DIST)/$$name; \
	done; rm -r $(DIST)/programs; cd $(DIST); sha256sum *.tar.gz *.cdx.json *.deb *.tar > SHA256SUMS; ls -l

# PLATFORMS=linux/amd64 builds for one only.
packages: programs ## Build dist/: Debian packages and the container image, for Linux
	@set -e; for platform in $(filter linux/%,$(PLATFORMS)); do \
		SOURCE_DATE_EPOCH=$(COMMITTED) deploy/debian/build '$(VERSION)' $${platform#*/} $(DIST)/programs/$$platform/holdfast $(DIST); \
	done
	@go run -C tools/packages . -version '$(VERSION)' -committed $(COMMITTED) -license '$(CURDIR)/LICENSE' -out '$(DIST)' \
		$(foreach platform,$(filter linux/%,$(PLATFORMS)),$(platform)='$(DIST)/programs/$(platform)/holdfast')
	@tar $(REPRODUCED) -C $(DIST)/image -cf '$(DIST)/holdfast_$(VERSION).oci.tar' . && rm -r $(DIST)/image

programs:
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@set -e; for platform in $(PLATFORMS); do \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build $(TAGS) -trimpath -buildvcs=false \
			-ldflags '-s -w -X main.version=$(VERSION)' -o $(DIST)/programs/$$platform/holdfast ./cmd/holdfast; \
	done

run: build ## Build the server and start it with an embedded database and demo data
	exec ./bin/holdfast serve --demo

# RERUN=1 runs failed tests once more and names those that then pass. HOLDFAST_TEST_TODAY=2027-02-26 makes that day today.
test: $(CLOCK) ## Run every test, under the race detector where goroutines meet
	@runner=$(call built,gotestsum); RUNNER=$$runner $(TEST_ENV) RERUN=$(RERUN) .ci/test

quick: $(CLOCK) ## Run what is quick of the tests: no race detector, no browser, no processes. What has not changed is not run again
	HOLDFAST_TEST_QUICK=1 $(TEST_ENV) go test -vet=off ./...

$(CLOCK): internal/servertest/clock.go
	@mkdir -p $(@D)
	@GOFLAGS='$(FAST)' go run ./internal/servertest/clock $(@D)

citus: ## Run the tests of bookings, payments and events on Citus, where it is installed: see docs/citus.md. RUN= chooses tests
	tools/citus/run $(if $(RUN),-v -run '$(RUN)' ./internal/booking ./cmd/holdfast)

# ROUNDS=, DURATION= (such as 3s) and ONLY= (a regular expression over scenario/level/strategy) choose what is measured.
bench: ## Compare bookings with other strategies, for docs/benchmarks.md, which explains BASE, CELLS, TRACES and WALLETS too
	go run -C tools/bench . $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(DURATION),-duration $(DURATION)) $(if $(ONLY),-only '$(ONLY)') $(if $(BASE),-base '$(BASE)') $(if $(CELLS),-cells) $(if $(TRACES),-traces) $(if $(WALLETS),-wallets)

# A run is bounded by its DURATION, two minutes to settle, and the time to build the server.
TORTURE_MODES := direct pgbouncer standby cells

torture: SEED ?= $(shell date +%s)
torture: DURATION ?= 60s
torture: MODE ?= $(firstword $(TORTURE_MODES))
torture: ## Torture the running system: SEED=, DURATION=, MODE= (one of TORTURE_MODES); see docs/torture.md
	TORTURE_SEED=$(SEED) TORTURE_DURATION=$(DURATION) TORTURE_MODE=$(MODE) \
		go test -C tools/torture -race -count=1 -timeout 2h -run '^TestTorture$$' -v .

# Everything runs, also after a failure. SOAK_REQUESTS= is the number of hostile requests, SOAK_DURATION= how long each mode is tortured. The
# seeds are new each time, but for HOLDFAST_TEST_SEED=, which repeats a soak's.
SOAK_REQUESTS := 200000
SOAK_DURATION := 5m
soak: export HOLDFAST_TEST_ROUNDS := $(or $(HOLDFAST_TEST_ROUNDS),20)
soak: export HOLDFAST_TEST_SEED := $(or $(HOLDFAST_TEST_SEED),$(shell date +%s))
soak: export TORTURE_DEFECT_SEEDS := $(or $(TORTURE_DEFECT_SEEDS),2)
soak: $(CLOCK) ## Run every test with long random draws and new seeds, many hostile requests, and the torture in each mode
	@echo "Again: make soak HOLDFAST_TEST_SEED=$$HOLDFAST_TEST_SEED"
	@broken=; \
	( $(call each,GOFLAGS='-race $(TEST_FLAGS)' go test -count=1 -timeout 4h ./...) ) || broken=1; \
	$(MAKE) hostile N=$(SOAK_REQUESTS) SEED=$$HOLDFAST_TEST_SEED || broken=1; \
	for mode in $(TORTURE_MODES); do \
		$(MAKE) torture MODE=$$mode DURATION=$(SOAK_DURATION) SEED=$$HOLDFAST_TEST_SEED || broken=1; \
	done; \
	test -z "$$broken"

pictures: ## Make the pictures of all pages in docs/images/pages, with Chromium
	@mkdir -p docs/images/pages && rm -f docs/images/pages/*
	HOLDFAST_TEST_PICTURES='$(CURDIR)/docs/images/pages' go test -count=1 -run '_Pictures$$' ./internal/pages ./internal/console/...

# SEQUENCE= repeats one sequence of a seed, which a failure names, if it is still the same day (UTC).
hostile: SEED ?= $(shell date +%s)
hostile: N ?= 100000
hostile: ## Send the API and the pages N= hostile requests drawn from SEED=, and count its answers
	HOLDFAST_HOSTILE_REQUESTS=$(N) HOLDFAST_HOSTILE_SEED=$(SEED) HOLDFAST_HOSTILE_SEQUENCE=$(SEQUENCE) \
		go test -count=1 -timeout 24h -v ./internal/hostile

fuzz: ## Fuzz each parser for FUZZTIME, one after the other
	@set -e; for module in $(MODULES); do (cd $$module; \
		grep -roE --exclude-dir=tools --include='*_test.go' '^func Fuzz\w+' . | sort | while IFS=: read -r file target; do \
			set -x; go test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$(dirname "$$file")" </dev/null; { set +x; } 2>/dev/null; \
		done); \
	done

# Takes half an hour and up to 20 GB of CROWD_DIR; make test does the same with fewer bookings.
CROWD     := 1000x10000
CROWD_DIR := /var/tmp

plans: ## Check what each request costs the database with 10,000 bookings of each of 1,000 tenants
	HOLDFAST_TEST_CROWD=$(CROWD) HOLDFAST_TEST_DIR=$(CROWD_DIR) go test -v -count 1 -timeout 4h -run '^TestPlans_' ./internal/httpapi

lint: lint/locks $(CLOCK) ## Lint, which vets too
	@linter=$(call built,golangci-lint); $(call each,$(GOLANGCI_LINT) run)

lint/locks: $(CLOCK) ## Check that the code and docs/locks-registry.md agree
	$(LOCKSLINT)

# CALENDAR are the files of the console's calendar.
CALENDAR = event-calendar.min.css event-calendar.min.js

# npm keeps what it fetched in its cache. Each directory's lock file pins it.
npm_ci = npm ci --prefix '$(1)' --ignore-scripts --prefer-offline --no-audit --no-fund --silent

lint/openapi: ## Lint docs/openapi.json with Spectral
	$(call npm_ci,tools/openapi)
	tools/openapi/node_modules/.bin/spectral lint --ruleset tools/openapi/spectral.yaml --fail-severity warn docs/openapi.json

lint/fix: $(CLOCK) ## Lint, and fix what can be fixed
	@linter=$(call built,golangci-lint); $(call each,$(GOLANGCI_LINT) run --fix)

generate: generate/tables generate/sqlc generate/schema generate/openapi generate/clients generate/calendar generate/packages ## Generate everything that follows from the sources

generate/tables: ## Generate the statements of a tenant's export and deletion from the list of its tables
	HOLDFAST_TEST_UPDATE=1 go test $(TAGS) -count=1 ./internal/cell/tables

generate/sqlc: ## Generate the Go code of sql/queries
	rm -f $(GENERATED:=/*.go) # of queries that are gone, too
	$(SQLC) generate
	@$(foreach d,$(GENERATED),$(call mark,$d,$(notdir $d));)
	$(sums) > $(SUMS)

# The statements of a subject that need a lock: sql/queries/SUBJECT/LOCK/ becomes internal/SUBJECT/internal/LOCKsql, whose Queries have a
# method that names the lock. internal/db asks for it. Those in "row" need none.
QUERIES   := $(sort $(dir $(wildcard sql/queries/*/*/*.sql)))
part       = $(word $(1),$(subst /, ,$(2)))
GENERATED := internal/db/internal/dbsqlc $(foreach q,$(QUERIES),internal/$(call part,3,$q)/internal/$(call part,4,$q)sql)
under      = $(if $(filter rowsql dbsqlc,$(1)),Nothing,$$(echo $(1:sql=) | sed 's/./\U&/'))
mark       = printf '// Code generated by make generate/sqlc. DO NOT EDIT.\n\npackage $(2)\n\n// Under%s says which lock the statements need.\nfunc (*Queries) Under%s() {}\n' "$(call under,$(2))" "$(call under,$(2))" >$(1)/lock.go

# What sqlc reads and what it writes.
SUMS := sql/sha256sums
sums  = sha256sum sqlc.yaml tools/sqlc/go.mod $$(find sql/queries -name '*.sql') migrations/*.sql $(GENERATED:=/*.go) | LC_ALL=C sort -k 2

# A test compares the list with the schema of a migrated database.
generate/schema: ## List what the migrations make, with which the server compares its database
	HOLDFAST_TEST_UPDATE=1 go test $(TAGS) -count=1 -run '^TestSchema_OfTheMigrations_IsTheListed$$' ./internal/db/preflight

# Each runs the commands of docs/backup.md or docs/failover.md on PostgreSQL servers that it starts.
drill: drill/backup drill/pitr drill/failover ## Drill backup, recovery and failover on PostgreSQL 14 and 18
drill/%:
	HOLDFAST_TEST_ROUNDS=2 GOFLAGS='$(FAST)' go test $(TAGS) -count=1 -v -run '(?i)^TestDrill_$*' ./cmd/holdfast

# Through a temporary file: a server that doesn't build must not leave an empty document behind.
generate/openapi: ## Generate docs/openapi.json from the Go types
	@mkdir -p bin
	go run $(TAGS) ./cmd/holdfast openapi > bin/openapi.json
	mv bin/openapi.json docs/openapi.json

# What is generated of docs/openapi.json: the types of the TypeScript client, and the types and methods of the Go client.
OAPI_CODEGEN = $(call built,oapi-codegen)

generate/clients: $(CLOCK) ## Generate the clients' code of docs/openapi.json
	$(call npm_ci,clients/typescript)
	node clients/typescript/generate.mjs
	cd clients/go && $(OAPI_CODEGEN) -config oapi-codegen.yaml -o api_gen.go ../../docs/openapi.json

# tzdata.zi is IANA's data as one text that names its release. Systems have it in their package tzdata: bring that up to
# date first.
TZDATA := /usr/share/zoneinfo/tzdata.zi

generate/calendar: ## Copy the calendar of the console from its package
	$(call npm_ci,tools/calendar)
	$(foreach f,$(CALENDAR),sed '/# sourceMappingURL=/d' tools/calendar/node_modules/@event-calendar/build/dist/$(f) >internal/console/bookings/assets/$(f) &&) true

# A test compares the page with the packages.
generate/packages: ## Write docs/packages.md, the map of packages
	HOLDFAST_TEST_UPDATE=1 go test $(TAGS) -count=1 -run '^TestPackagesPage_IsCurrent$$' ./internal/architecture

generate/timezone: ## Compile the time zones of TZDATA, for a new release of IANA's data
	rm -rf bin/zoneinfo && mkdir -p bin/zoneinfo
	PATH="$$PATH:/usr/sbin" zic -b slim -d bin/zoneinfo $(TZDATA)
	cp $(TZDATA) bin/zoneinfo/tzdata.zi
	cd bin/zoneinfo && go run "$$(go env GOROOT)/lib/time/mkzip.go" ../zoneinfo.zip
	mv bin/zoneinfo.zip internal/timezone/zoneinfo.zip

verify: verify/mod verify/sqlc verify/openapi verify/clients verify/calendar ## Check that everything generated is current

verify/mod: ## Check that each module's go.mod and go.sum are tidy
	@$(call each,go mod tidy -diff)

verify/sqlc: verify/sums ## Check that the Go code of sql/queries is current
	$(SQLC) diff

verify/sums: ## The same without building sqlc: nothing has changed since make generate/sqlc
	$(sums) | diff -u $(SUMS) -

verify/openapi: ## Check that docs/openapi.json is current
	go run $(TAGS) ./cmd/holdfast openapi | diff -u docs/openapi.json -

verify/clients: $(CLOCK) ## Check that the clients' generated code is current
	@mkdir -p bin/_clients
	$(call npm_ci,clients/typescript)
	node clients/typescript/generate.mjs bin/_clients/schema.ts
	diff -u clients/typescript/src/schema.ts bin/_clients/schema.ts
	cd clients/go && $(OAPI_CODEGEN) -config oapi-codegen.yaml -o '$(CURDIR)/bin/_clients/api_gen.go' ../../docs/openapi.json
	diff -u clients/go/api_gen.go bin/_clients/api_gen.go

verify/calendar: ## Check that the calendar of the console is that of its package
	$(call npm_ci,tools/calendar)
	$(foreach f,$(CALENDAR),sed '/# sourceMappingURL=/d' tools/calendar/node_modules/@event-calendar/build/dist/$(f) | diff -u internal/console/bookings/assets/$(f) - &&) true

# Root starts the image's files and installs the Debian package, both in file systems of their own.
verify/packages: $(CLOCK) ## Build the packages for this machine, and check them and the files of deploy
	@$(TEST_ENV) $(MAKE) --no-print-directory packages PLATFORMS=linux/$$(go env GOARCH) DIST='$(CURDIR)/bin/_dist'
	$(TEST_ENV) HOLDFAST_PACKAGES='$(CURDIR)/bin/_dist' go test -C tools/packages -vet=off -count=1 -timeout 10m .

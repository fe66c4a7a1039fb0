# The command for this machine's CPU; NATIVE=0 builds for any x86-64 or arm64.
SWIFT ?= swift
NATIVE ?= 1
FLAGS =
ifeq ($(NATIVE),1)
FLAGS = -Xswiftc -Xcc -Xswiftc -march=native
# Fused multiply-add in the kernels, where the processor has it.
ifneq ($(shell grep -qsw avx2 /proc/cpuinfo && grep -qsw fma /proc/cpuinfo && echo yes),)
FLAGS += -Xswiftc -DAAC_FMA
endif
endif

.PHONY: build test demo lint format setup conformance interop bench damage fuzz quality rates containers players latency long-recording large-file examples docs \
  install clean help

build: ## release build for the host CPU, at .build/release/aac (NATIVE=0: for any CPU)
	$(SWIFT) build -c release $(FLAGS) --product aac

test: setup build ## set up the machine, then run every test
	$(SWIFT) test --skip AudioDevicesTests --skip LiveTests
	@# Sound in real time: these have the machine to themselves.
	$(SWIFT) test --filter AudioDevicesTests
	@# And these run the command as it was built for release.
	$(SWIFT) test --filter LiveTests

demo: setup ## set up the machine, encode a piece of music, decode it and look at both
	SWIFT="$(SWIFT)" FLAGS="$(FLAGS)" Scripts/demo.sh

setup: ## install the packages that are missing
	@Scripts/setup.sh

lint: ## check the format of every source file, and that none is longer than 400 lines, tables aside
	$(SWIFT) format lint --strict -r Sources Tests Examples Package.swift
	@find Sources -name '*.swift' ! -path '*/Tables/*' -exec awk 'END { if (NR > 400) { print FILENAME ": " NR " lines"; exit 1 } }' {} ';' | \
	  { ! grep .; }

format: ## bring every source file into the format
	$(SWIFT) format -i -r Sources Tests Examples Package.swift

conformance interop bench damage fuzz quality rates containers players latency long-recording large-file examples docs: ## the longer runs, each a script in Scripts/
	SWIFT="$(SWIFT)" FLAGS="$(FLAGS)" Scripts/$@.sh

PREFIX ?= /usr/local
install: build ## copy the command to PREFIX/bin (usually /usr/local/bin)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build/release/aac "$(DESTDIR)$(PREFIX)/bin/aac"

clean: ## remove what was built
	rm -rf .build demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z ]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' Makefile

# launchgap. `make experiment EXP=smoke` and `make test` take a fresh Debian or Ubuntu machine all
# the way; `make help` names the rest.

comma   := ,
RELEASE := 0.5.0

# --- what the command line says: nothing else counts, and a slip is no silent default -------------
# Keys of an experiment that have a variable; ARGS takes any other.
KEYS    := RANKS BLOCKS BACKEND BYTES COLLECTIVE DTYPE OP PACE CALLS CYCLES COUNTERS SEED LIMIT BIND \
           NCCL TIMEOUT PRECISION BUDGET
OURS    := EXP ARGS $(if $(filter tour,$(MAKECMDGOALS)),MODE) $(KEYS) RUN ROUNDS NCCL_TESTS NCCL_LEGACY NCCL_LIBS VERSION QUICK SAN STATIC DEPS \
           PREFIX DESTDIR TARGET RUNS SUITE
TOOLS   := B V CC CFLAGS CUDA CUDA_HOME NVCC NCCL_HOME NCCL_H ARCHS MPICC LIBS WHEELS TESTS JOBS CXX WERROR
GIVEN   := $(foreach v,$(filter-out -% MAKE%,$(.VARIABLES)),$(if $(filter command,$(firstword $(origin $v))),$v))
# What is meant by what is often said, where it is not the same in capitals.
MEANT   := NAME:EXP EXPERIMENT:EXP EXPS:EXP DIR:RUN RESULT:RUN DATATYPE:DTYPE COLL:COLLECTIVE SIZE:BYTES \
           SIZES:BYTES NRANKS:RANKS NP:RANKS GPUS:RANKS OPS:OP LIB:NCCL BLOCK:BLOCKS ARG:ARGS \
           MODE:ARGS='--only_threads' MODES:ARGS='--only_threads' VARIANT:ARGS='--only_NAME' ONLY:ARGS='--only_NAME'
capital  = $(shell echo '$1' | tr 'a-z-' 'A-Z_')
meant    = $(firstword $(filter $(call capital,$1),$(OURS) $(TOOLS)) $(patsubst $(call capital,$1):%,%,$(filter \
             $(call capital,$1):%,$(MEANT))))
unknown  = $1 is no variable of launchgap's Makefile$(if $(call meant,$1),: did you mean $(subst _, \
             ,$(call meant,$1))?,.) Known are $(OURS); ARGS='key=value' takes any other key of an experiment
$(foreach v,$(filter-out $(OURS) $(TOOLS),$(GIVEN)),$(error $(call unknown,$v)))
# What they may be, where few words or files are: asked before anything is built or installed.
WORDS   := DEPS:install,manual QUICK:1 STATIC:1 V:1 WERROR:1 SUITE:bookworm,trixie SAN:address,undefined,thread,leak,coverage,fuzzer
FILES   := CUDA:/bin/nvcc CUDA_HOME:/bin/nvcc NCCL_HOME:/include/nccl.h NCCL_H: NCCL_TESTS: RUN:
given    = $(filter $(GIVEN),$(foreach a,$1,$(firstword $(subst :, ,$a))))
with     = $(patsubst $1:%,%,$(filter $1:%,$2))
split    = $(subst $(comma), ,$1)
$(foreach v,$(call given,$(WORDS)),$(if $(filter-out $(call split,$(call with,$v,$(WORDS))),$(call split,$($v))),$(error \
  $v=$($v) is not allowed; allowed is $(call with,$v,$(WORDS)))))
$(foreach v,$(call given,$(FILES)),$(if $($v),$(if $(wildcard $($v)$(call with,$v,$(FILES))),,$(error \
  $v=$($v): there is no $($v)$(call with,$v,$(FILES))))))
$(foreach v,$(filter RUNS ROUNDS JOBS,$(GIVEN)),$(if $(shell echo '$($v)' | grep -vx '[1-9][0-9]*'),$(error \
  $v=$($v) is not allowed; allowed is a number from 1 on)))
# A variable as the command line says it, else nothing.
said     = $(if $(filter $1,$(GIVEN)),$($1))

ifeq ($(filter -j%,$(MAKEFLAGS))$(MAKELEVEL:0=),)
MAKEFLAGS += -j$(shell nproc)
endif
B       := build$(if $(SAN),-$(firstword $(subst $(comma), ,$(SAN))))
CC      := gcc
EXP     :=
CFLAGS  := -O2 -g
COMMIT  := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# --- what this machine has; looked up when a recipe runs, after the packages are there ----------
LIBS    := hwloc inih jansson libxxhash libcmark-gfm zlib
CMARK   := cmark-gfm-extensions cmark-gfm
PKG      = $(shell pkg-config $(1) $(LIBS))
MPICC   := mpicc
CUDA    ?= $(firstword $(wildcard $(CUDA_HOME) /usr/local/cuda /usr/lib/cuda))
NVCC    := $(firstword $(wildcard $(CUDA)/bin/nvcc) $(shell command -v nvcc 2>/dev/null))
NCCL_H  := $(firstword $(wildcard $(addsuffix /nccl.h,$(NCCL_HOME)/include $(CUDA)/include /usr/include)))
ARCHS    = $(filter sm_70 sm_75 sm_80 sm_90 sm_100 sm_120,$(shell $(NVCC) --list-gpu-code))

# V=1 shows the commands.
Q   := $(if $(V),,@)
SAY := @echo " "

# --- flags ---------------------------------------------------------------------------------------
# WERROR=1 makes warnings fatal; another compiler than CI's may have warnings of its own.
# SAN=coverage counts lines, for `make coverage`.
SANFLAG  = $(if $(SAN),$(if $(filter coverage,$(SAN)),--coverage -fprofile-update=atomic,-fsanitize=$(SAN:fuzzer=fuzzer-no-link,address,undefined) -fno-omit-frame-pointer -fno-sanitize-recover=all))
WARN    := -Wall -Wextra $(if $(WERROR),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Inlined, xxHash 0.8.3 reads words of any array through a pointer to long, which C forbids; 0: by memcpy.
STD     := -std=c11 -D_GNU_SOURCE -DXXH_FORCE_MEMORY_ACCESS=0
ALL_C    = $(CFLAGS) $(STD) $(WARN) $(SANFLAG) -MMD -MP
# STATIC=1: libraries that another machine may lack go into the program; MPI and hwloc, which
# Open MPI itself brings, do not.
LINK     = $(if $(STATIC),-l:libinih.a -l:libjansson.a $(CMARK:%=-l:lib%.a) -lhwloc -lz,-lcmark-gfm-extensions $(call PKG,--libs)) -lpthread -lm -ldl

SRC     := $(wildcard harness/*.c harness/*/*.c harness/*/*/*.c modes/*.c)
OBJ     := $(SRC:%.c=$(B)/%.o)
CORE    := $(filter-out $(B)/harness/main.o,$(OBJ)) $(if $(filter coverage,$(SAN)),$(B)/tests/gcov_exit.o)
# Linked by name: an archive gives it to nobody, as only the sanitizer asks for it.
KNOWN   := $(if $(filter thread,$(SAN)),$(B)/tests/tsan_known.o)

ifneq ($(and $(NVCC),$(NCCL_H)),)
HAVE    := -DHAVE_CUDA_NCCL -isystem $(dir $(NCCL_H)) -isystem $(CUDA)/include
KERNELS := $(B)/harness/backend/device/device_kernels.o
CUDALIB := -L$(CUDA)/lib64 -lcudart_static -lrt -lstdc++
endif

# Gloo's headers: looked for when its part is made, so that what `make test` installs counts at once.
CXX     := g++
GLOO    := $(B)/liblaunchgap_gloo.so
GLOO_ON  = $(if $(filter thread fuzzer%,$(SAN)),,$(shell echo '\#include <gloo/context.h>' | $(CXX) -E -xc++ - >/dev/null 2>&1 && echo yes))

.PHONY: all deps experiment experiments tour beside test same fuzz scale simulate selftest nccl-legacy doctor plots install lint format clean help
all: $(B)/launchgap

# What is linked with Gloo is no part of the program, which then needs no Gloo to start: it is loaded
# when it is there (harness/backend/gloo). Without Gloo's headers there is none.
$(B)/core.a: | $(GLOO)
$(GLOO): harness/backend/gloo/gloo_calls.cc harness/backend/gloo/gloo_calls.h $(B)/flags | deps
	$(Q)rm -f $@; $(if $(GLOO_ON),echo "  CXX $<"; $(CXX) -std=c++14 $(CFLAGS) -Wall -Wextra $(SANFLAG) -fPIC -shared -o $@ $< -lgloo,:)

# All but main, for the program and its tests alike.
$(B)/core.a: $(CORE) $(KERNELS)
	$(Q)rm -f $@; ar rcs $@ $^

$(B)/launchgap: $(B)/harness/main.o $(KNOWN) $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(LINK) $(CUDALIB)

# CUDA's and NCCL's headers, for what needs them.
$(patsubst %.c,$(B)/%.o,$(wildcard harness/backend/nccl/*.c harness/backend/device/*.c) tests/test_device.c): ALL_C += $(HAVE)
# NVML's own header, where there is one, only checks our declarations.
$(B)/tests/test_nvml.o: ALL_C += $(if $(wildcard $(CUDA)/include/nvml.h),-isystem $(CUDA)/include)
$(B)/modes/processes.o $(B)/harness/backend/mpi.o: export OMPI_CC = $(CC)
$(B)/modes/processes.o $(B)/harness/backend/mpi.o: USE = $(MPICC)
$(B)/%.o: %.c $(B)/flags | deps
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(Q)$(or $(USE),$(CC)) $(ALL_C) $(call PKG,--cflags) -c -o $@ $<

$(B)/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(SAY) NVCC $<
	$(Q)$(NVCC) -O3 -std=c++17 $(foreach a,$(ARCHS:sm_%=%),-gencode arch=compute_$a,code=sm_$a) -MMD -c -o $@ $<

# The commit is compiled in: what prints it is made again when it moves; and all is made again with
# other flags, as when CUDA has come to the machine.
$(B)/commit: SAYS = $(COMMIT)
$(B)/flags: SAYS = $(FLAGS)
FLAGS := $(strip $(CC) $(CFLAGS) $(SANFLAG) $(HAVE) $(if $(WERROR),-Werror))
$(B)/commit $(B)/flags: | deps
	@mkdir -p $(@D); echo '$(SAYS)' | cmp -s - $@ || echo '$(SAYS)' >$@
SAY_COMMIT := $(B)/harness/main.o $(B)/harness/run/run_setup.o $(B)/harness/verbs/verb_doctor.o
$(SAY_COMMIT): $(B)/commit
$(SAY_COMMIT): ALL_C += -DLAUNCHGAP_COMMIT='"$(COMMIT)"'
# What `launchgap --version` says is built in.
$(B)/harness/main.o: ALL_C += -DLAUNCHGAP_VERSION='"$(RELEASE)"' -DLAUNCHGAP_BUILT='"$(strip $(BUILT))"'
BUILT  = $(shell MPICC='$(MPICC)' NVCC='$(if $(HAVE),$(NVCC))' NCCL_H='$(if $(HAVE),$(NCCL_H))' harness/built_with.sh $(LIBS))
.PHONY: $(if $(filter-out $(COMMIT),$(shell cat $(B)/commit 2>/dev/null)),$(B)/commit)
ifneq ($(FLAGS),$(shell cat $(B)/flags 2>/dev/null))
.PHONY: $(B)/flags
endif

-include $(OBJ:.o=.d) $(KERNELS:.o=.d)

include tests/tests.mk

# --- use -----------------------------------------------------------------------------------------
# RANKS=4 BLOCKS=6 BACKEND=host BYTES='4K..1M x4' … override the experiment file; ARGS passes the rest.
OVERRIDE = $(foreach k,$(KEYS),$(if $(call said,$k),$(shell echo $k | tr A-Z a-z)='$(call said,$k)')) $(call said,ARGS)
export NCCL_LEGACY NCCL_LIBS

# Asked before anything is built or installed.
ifneq ($(call said,VERSION),)
ifeq ($(filter nccl-legacy,$(MAKECMDGOALS)),)
$(error VERSION is of `make nccl-legacy` alone; an experiment takes NCCL=path)
endif
endif
ifneq ($(filter experiment beside,$(MAKECMDGOALS)),)
ifeq ($(wildcard $(EXP:%=experiments/%.exp)),)
$(info Which experiment? make $(filter experiment beside,$(MAKECMDGOALS)) EXP=name, of)
$(shell experiments/list.sh >&2)
$(error $(if $(EXP),EXP=$(EXP): there is no experiments/$(EXP).exp,EXP is not given))
endif
endif
experiment: $(B)/launchgap
	$(B)/launchgap run '$(EXP)' $(OVERRIDE)

# MODE=processes: in that mode.
tour: $(B)/launchgap
	@$(B)/launchgap tour $(if $(call said,MODE),mode='$(call said,MODE)') $(OVERRIDE)

# These look and say: they build nothing and install nothing.
experiments:
	@experiments/list.sh
doctor:
	@NVCC='$(NVCC)' NCCL_H='$(NCCL_H)' harness/packages.sh doctor $(B)/launchgap

# ROUNDS=3 BLOCKS=2: so many times, so many blocks and then a run of nccl-tests in each mode.
beside: $(B)/launchgap
	ROUNDS=$(call said,ROUNDS) BLOCKS=$(call said,BLOCKS) experiments/beside.sh $(B)/launchgap '$(EXP)' \
	  '$(NCCL_TESTS)' $(filter-out blocks=%,$(OVERRIDE))

# QUICK=1: 3 minutes in place of 15.
selftest: $(B)/launchgap
	$< selftest $(if $(call said,QUICK),quick) $(foreach k,BACKEND BLOCKS SEED,$(if $(call said,$k),$(shell echo $k | tr A-Z a-z)='$(call said,$k)')) $(call said,ARGS)

RUN := $(if $(EXP),results/$(EXP)/latest)
ifneq ($(filter plots,$(MAKECMDGOALS)),)
$(if $(RUN),,$(error Which run? make plots RUN=results/NAME/latest, or EXP=NAME for its last))
$(if $(wildcard $(RUN)),,$(error There is no run $(RUN)))
endif
plots: $(B)/launchgap
	$< report '$(RUN)'

# Without VERSION the last of the NCCL line with the direct path between threads, for NCCL_LEGACY; of
# several (VERSION='2.19.3 2.28.3') what NCCL_LIBS takes.
WHEELS   = build/nccl-legacy
nccl-legacy:
	@harness/nccl_legacy.sh '$(abspath $(WHEELS))' $(or $(call said,VERSION),2.21.5)

# Of what is built: as root, nothing is compiled, and nothing else installed.
PREFIX := /usr/local
install:
	@[ -x $(B)/launchgap ] || { echo "There is no $(B)/launchgap to install. Build it first: make"; exit 1; }
	install -D $(B)/launchgap $(DESTDIR)$(PREFIX)/bin/launchgap
	[ ! -e $(GLOO) ] || install -D -m 644 $(GLOO) $(DESTDIR)$(PREFIX)/lib/$(notdir $(GLOO))
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/launchgap/experiments $(wildcard experiments/*.*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/launchgap/experiments/models experiments/models/*
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/launchgap/plot plot/*

# --- packages ------------------------------------------------------------------------------------
# `make experiment` and `make test` install what is missing, on Debian and Ubuntu; all other
# targets only name it. DEPS=install and DEPS=manual say which. The packages: harness/packages.sh.
WANTED := build $(if $(filter experiment beside,$(MAKECMDGOALS)),use) $(if $(filter test,$(MAKECMDGOALS)),use test) \
          $(if $(filter deps,$(MAKECMDGOALS)),use test) $(if $(filter fuzz,$(MAKECMDGOALS)),fuzz) \
          $(if $(filter coverage,$(MAKECMDGOALS)),use test coverage)
deps:
	@MPICC='$(MPICC)' CC='$(CC)' harness/packages.sh \
	  $(if $(filter install,$(or $(DEPS),$(if $(filter experiment test deps,$(MAKECMDGOALS)),install))),install,need) $(WANTED)

# --- care ----------------------------------------------------------------------------------------
lint: | deps
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	  --inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE harness modes
format:
	@clang-format -i $(wildcard harness/*.[ch] harness/*/*.[ch] harness/*/*/*.[ch] harness/*/*/*.cu modes/*.[ch] tests/*.[ch] tests/fuzz/*.[ch])
clean:
	rm -rf build build-*
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))
## make experiment EXP=name    measure experiments/name.exp, report, draw. Keys:
##                             RANKS= BLOCKS= BYTES= …, others ARGS='key=value …';
##                             some variants: ARGS='--only threads,processes';
##                             what it would take: ARGS=--dry-run
## make experiments            the experiments and their questions
## make tour [MODE=threads]    each collective once, on a few numbers
## make plots RUN=dir          report and pictures again, from the records
## make beside NCCL_TESTS=dir EXP=name
##                             nccl-tests in turn with our blocks, both compared
## make nccl-legacy            an old NCCL into build/ (250 MB), for
##                             NCCL_LEGACY=path; VERSION=2.28.3: another one;
##                             VERSION='2.19.3 2.28.3': several, for
##                             NCCL_LIBS=path:path
## make doctor                 what this machine lacks and how to get it;
##                             builds and installs nothing
## make deps                   install what is missing (DEPS=manual: name it)
## make install PREFIX=dir     program, experiments and plots, once built
##
## make test [SAN=address]     all tests; SAN: a list of gcc's sanitizers
## make bare SUITE=trixie      the README's commands on a bare Debian (root,
##                             debootstrap; bookworm, trixie)
## make same                   are reports and tables of all reference records the
##                             same, and the figures of their page?
## make reference              their reports, tables and pictures, made anew
## make coverage               lines that the tests reach, room by room (gcovr)
## make faults                 every fault in every place of a run (10 min)
## make fuzz TARGET=name RUNS=n
##                             odd inputs for what reads files (clang)
## make selftest [QUICK=1]     whole experiments with known differences: what
##                             their reports say (15 min; QUICK=1: 3)
## make scale                  what 2 to 256 ranks cost (10 min, python3)
## make simulate               the simulated tables of harness/analysis (10 min)
## make lint, format, clean    cppcheck; clang-format; build/ removed

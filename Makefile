# launchgap. `make experiment EXP=smoke` and `make test` take a fresh Debian or Ubuntu machine all
# the way; `make help` names the rest.

include harness/given.mk

ifeq ($(filter -j%,$(MAKEFLAGS))$(MAKELEVEL:0=),)
MAKEFLAGS += -j$(shell nproc)
endif
# No rule of make's own is used, and looking for one takes most of the time of a make that has nothing to do.
MAKEFLAGS += -r
B       := build$(if $(SAN),-$(firstword $(subst $(comma), ,$(SAN))))
CC      := gcc
CFLAGS  := -O2 -g
IDENTITY := $(shell harness/version.sh)
RELEASE := $(word 1,$(IDENTITY))
COMMIT  := $(word 2,$(IDENTITY))

# --- what this machine has; looked up when a recipe runs, after the packages are there ----------
LIBS    := hwloc jansson libxxhash libsodium sqlite3 zlib liblzma
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
# WERROR=1 makes warnings fatal; another compiler than CI's may have other warnings.
SANFLAG  = $(if $(SAN),$(if $(filter coverage,$(SAN)),--coverage -fprofile-update=atomic,-fsanitize=$(SAN:fuzzer=fuzzer-no-link,address,undefined) -fno-omit-frame-pointer -fno-sanitize-recover=all))
WARN    := -Wall -Wextra $(if $(WERROR),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Inlined, xxHash 0.8.3 reads words of any array through a pointer to long, which C forbids; 0: by memcpy.
STD     := -std=c11 -D_GNU_SOURCE -DXXH_FORCE_MEMORY_ACCESS=0
# A program is the same whichever folder it is built in.
MAP      = '-ffile-prefix-map=$(CURDIR)=.'
ALL_C    = $(CPPFLAGS) $(CFLAGS) $(MAP) $(STD) $(WARN) $(SANFLAG) -MMD -MP
# STATIC=1: libraries that another machine may lack go into the program. hwloc's wants libudev, which
# systems have where its header's package is not.
LINK     = $(if $(STATIC),-l:libjansson.a -l:libsodium.a -l:libsqlite3.a -l:libhwloc.a $(patsubst -ludev,-l:libudev.so.1,$(filter-out -lhwloc,$(shell pkg-config --static --libs-only-l hwloc))) -lz -llzma,$(call PKG,--libs)) -lpthread -lm -ldl

# What needs CUDA's and NCCL's headers is left out without them.
NEED    := $(addprefix harness/backend/,$(addprefix device/,blas.c device.c trace.c) $(addprefix nccl/nccl_,api.c call.c coll.c device.c links.c open.c options.c renew.c train.c))
ifneq ($(and $(NVCC),$(NCCL_H)),)
HAVE    := -DHAVE_CUDA_NCCL -isystem $(dir $(NCCL_H)) -isystem $(CUDA)/include
KERNELS := $(addprefix $(B)/harness/backend/,device/device_kernels.o nccl/nccl_move_kernels.o)
CUDALIB := -L$(CUDA)/lib64 -lcudart_static -lrt -lstdc++
endif
SRC     := $(filter-out $(if $(HAVE),,$(NEED)) harness/mpi/mpi_calls.c,$(wildcard harness/*.c harness/*/*.c harness/*/*/*.c modes/*.c))
OBJ     := $(SRC:%.c=$(B)/%.o)
CORE    := $(filter-out $(B)/harness/main.o,$(OBJ))

# What is linked with Gloo or MPI is no part of the program, which then needs neither to start: it is
# a part beside it, loaded when it is needed (harness/part.h). Without their headers there is none;
# they are looked for when the part is made, so that what `make test` installs counts at once. Open
# MPI 5's mpicc finds its header for a file alone, not for what comes through a pipe.
CXX     := g++
CALLS   := $(wildcard harness/coll/call.h harness/coll/value*.h)
GLOO    := $(B)/liblaunchgap_gloo.so
GLOO_ON  = $(if $(filter thread fuzzer%,$(SAN)),,$(shell echo '\#include <gloo/context.h>' | $(CXX) -E -xc++ - >/dev/null 2>&1 && echo yes))
MPI     := $(B)/liblaunchgap_mpi.so
MPI_ON   = $(if $(filter fuzzer%,$(SAN)),,$(if $(MPICC),$(shell $(MPICC) -E harness/mpi/mpi_calls.c >/dev/null 2>&1 && echo yes)))
PARTS   := $(GLOO) $(MPI)

.PHONY: all deps experiment experiments tour beside nccl-legacy doctor plots install dist deb lint format clean help
all: $(B)/launchgap $(B)/tests/check_chapters

$(B)/core.a: | $(PARTS)
# Gloo's sums of whole numbers wrap, as all others' do; for C++ they may only with -fwrapv.
$(GLOO): harness/backend/gloo/gloo_calls.cc harness/backend/gloo/gloo_calls.h $(CALLS) $(B)/flags | deps
	$(Q)rm -f $@; $(if $(GLOO_ON),echo "  CXX $<"; $(CXX) -std=c++14 -fwrapv $(CPPFLAGS) $(or $(CXXFLAGS),$(CFLAGS)) $(MAP) -Wall -Wextra $(SANFLAG) -fPIC -shared $(LDFLAGS) -o $@ $< -lgloo,:)
$(MPI): harness/mpi/mpi_calls.c harness/mpi/mpi_calls.h $(CALLS) $(B)/flags | deps
	$(Q)rm -f $@; $(if $(MPI_ON),echo "  MPICC $<"; OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(CPPFLAGS) $(CFLAGS) $(MAP) $(STD) $(WARN) $(SANFLAG) -fPIC -shared $(LDFLAGS) -o $@ $<,:)

# Files that are part of the program (harness/texts.h).
TEXTS   := harness/config/keys.txt harness/data/schema.sql $(wildcard $(addprefix harness/,analysis/*.sql chapters/*.sql chapters/*.chapter compare/*.sql compare/*.chapter report/*.sql)) results/reference/bandwidth.csv results/report.schema.json
$(B)/texts.c: $(TEXTS) $(B)/texts Makefile
	@mkdir -p $(@D)
	@{ echo 'extern const struct text { const char *path, *text; } texts_all[];'; echo 'const struct text texts_all[] = {'; \
	  for text in $(TEXTS); do echo "{\"$$text\","; sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $$text; echo '},'; done; echo '{0, 0}};'; } >$@
$(B)/texts.o: $(B)/texts.c $(B)/flags | deps
	$(Q)$(CC) $(ALL_C) -c -o $@ $<
CORE    += $(B)/texts.o

# All but main, for the program and its tests.
$(B)/core.a: $(CORE) $(KERNELS)
	$(Q)rm -f $@; ar rcs $@ $^

define link
$(SAY) LINK $@
$(Q)$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LINK) $(CUDALIB)
endef
$(B)/launchgap: $(B)/harness/main.o $(B)/core.a
	$(link)
# A wrong name in a view or a chapter ends the build, with its file and line.
$(B)/tests/check_chapters: $(B)/tests/check_chapters.o $(B)/core.a
	$(link)
	$(Q)$@ || { rm -f $@; exit 1; }

# CUDA's and NCCL's headers, for what needs them.
GPU_SRC := $(wildcard harness/backend/nccl/*.c harness/backend/device/*.c)
$(GPU_SRC:%.c=$(B)/%.o): ALL_C += $(HAVE)
$(B)/%.o: %.c $(B)/flags | deps
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(Q)$(CC) $(ALL_C) $(call PKG,--cflags) -c -o $@ $<

# Kept, nvcc's own files have names that do not change; they are in the object.
$(B)/%.o: %.cu $(B)/flags
	@mkdir -p $(@D) $(B)/kept
	$(SAY) NVCC $<
	$(Q)$(NVCC) -O3 -std=c++17 --keep --keep-dir $(B)/kept -Xcompiler $(MAP) $(foreach a,$(ARCHS:sm_%=%),-gencode arch=compute_$a,code=sm_$a) -MMD -c -o $@ $<

# The commit is compiled in: what prints it is made again when it moves; all is made again with other
# flags, as when CUDA has come to the machine; the texts are when a file is added or removed.
$(B)/commit: SAYS = $(COMMIT)
$(B)/flags: SAYS = $(FLAGS)
$(B)/texts: SAYS = $(TEXTS)
FLAGS := $(strip $(CC) $(MPICC) $(CPPFLAGS) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS) $(SANFLAG) $(HAVE) $(if $(WERROR),-Werror))
$(B)/commit $(B)/flags $(B)/texts: | deps
	@mkdir -p $(@D); echo '$(SAYS)' | cmp -s - $@ || echo '$(SAYS)' >$@
SAY_COMMIT := $(addprefix $(B)/harness/,trial/trial.o run/run_setup.o verbs/verb_version.o verbs/verb_ask.o verbs/verb_doctor.o)
$(SAY_COMMIT): $(B)/commit
$(SAY_COMMIT): ALL_C += -DLAUNCHGAP_COMMIT='"$(COMMIT)"'
# What `launchgap --version` says is built in.
$(B)/harness/verbs/verb_version.o: ALL_C += -DLAUNCHGAP_VERSION='"$(RELEASE)"' -DLAUNCHGAP_BUILT='"$(strip $(BUILT))"'
BUILT  = $(shell NVCC='$(if $(HAVE),$(NVCC))' NCCL_H='$(if $(HAVE),$(NCCL_H))' harness/built_with.sh $(LIBS))
.PHONY: $(if $(filter-out $(COMMIT),$(shell cat $(B)/commit 2>/dev/null)),$(B)/commit)
ifneq ($(FLAGS),$(shell cat $(B)/flags 2>/dev/null))
.PHONY: $(B)/flags
endif
ifneq ($(TEXTS),$(shell cat $(B)/texts 2>/dev/null))
.PHONY: $(B)/texts
endif

-include $(OBJ:.o=.d) $(KERNELS:.o=.d)

include tests/tests.mk

# --- use -----------------------------------------------------------------------------------------
# RANKS=4 BLOCKS=6 BACKEND=host BYTES='4K..1M x4' … override the experiment file; ARGS passes the rest.
OVERRIDE = $(call as_keys,$(KEYS)) $(call said,ARGS)
export NCCL_LEGACY NCCL_LIBS

experiment: $(B)/launchgap
	$(B)/launchgap run $(call quote,$(EXP))$(if $(call said,QUICK), --quick) $(OVERRIDE)

# MODE=processes: in that mode.
tour: $(B)/launchgap
	@$(B)/launchgap tour $(if $(call said,MODE),mode=$(call quote,$(call said,MODE))) $(OVERRIDE)

# These look and say: they build nothing and install nothing.
experiments:
	@experiments/list.sh
doctor:
	@MPICC='$(MPICC)' NVCC='$(NVCC)' NCCL_H='$(NCCL_H)' harness/packages.sh doctor $(B)/launchgap

# ROUNDS=3 BLOCKS=2: so many times, so many blocks and then a run of nccl-tests in each mode.
beside: $(B)/launchgap
	ROUNDS=$(call said,ROUNDS) BLOCKS=$(call quote,$(call said,BLOCKS)) experiments/beside.sh $(B)/launchgap \
	  $(call quote,$(EXP)) $(call quote,$(NCCL_TESTS)) $(call as_keys,$(filter-out BLOCKS,$(KEYS))) $(filter-out blocks=%,$(call said,ARGS))

plots: $(B)/launchgap
	$< report $(call quote,$(RUN))

# Without VERSION the last of the NCCL line with the direct path between threads, for NCCL_LEGACY; of
# several (VERSION='2.19.3 2.28.3') what NCCL_LIBS takes.
WHEELS   = build/nccl-legacy
nccl-legacy:
	@harness/nccl_legacy.sh '$(abspath $(WHEELS))' $(foreach v,$(or $(call said,VERSION),2.21.5),$(call quote,$v))

# Of what is built: as root, nothing is compiled, and nothing else installed.
PREFIX := /usr/local
PAGES  := $(wildcard *.md experiments/*.md modes/*.md results/*.md results/*.json $(addsuffix /*.md,harness/analysis harness/packages))
TO      = $(call quote,$(DESTDIR)$(PREFIX))
install:
	@[ -x $(B)/launchgap ] || { echo "There is no $(B)/launchgap to install. Build it first: make"; exit 1; }
	install -D $(B)/launchgap $(TO)/bin/launchgap
	rm -f $(TO)/lib/liblaunchgap_*.so # of an earlier program
	for part in $(wildcard $(PARTS)); do install -D -m 644 -t $(TO)/lib/launchgap $$part; done
	install -D -m 644 -t $(TO)/share/launchgap/experiments experiments/*.exp
	install -D -t $(TO)/share/launchgap/experiments experiments/beside.sh experiments/ddp_torch.py experiments/torch_p2p.py
	install -D -m 644 -t $(TO)/share/launchgap/experiments/models experiments/models/*.csv
	install -D -m 644 -t $(TO)/share/launchgap/plot plot/*
	for page in $(PAGES); do install -D -m 644 $$page $(TO)/share/doc/launchgap/$$page; done

# Of the commit; harness/packages/README.md has these and other packages.
dist:
	@mkdir -p build
	git archive --prefix=launchgap-$(RELEASE)/ -o build/launchgap-$(RELEASE).tar.gz HEAD
deb:
	@harness/packages/deb.sh

# --- what launchgap needs ------------------------------------------------------------------------
# `make experiment` and `make test` install what is missing, on Debian and Ubuntu; all other
# targets only name it. DEPS=install and DEPS=manual say which. The packages: harness/packages.sh.
WANTED := build $(if $(filter experiment beside test deps coverage,$(MAKECMDGOALS)),use) \
          $(if $(filter test deps coverage,$(MAKECMDGOALS)),test) $(filter fuzz coverage,$(MAKECMDGOALS))
deps:
	@MPICC='$(MPICC)' CC='$(CC)' harness/packages.sh \
	  $(if $(filter install,$(or $(DEPS),$(if $(filter experiment test deps,$(MAKECMDGOALS)),install))),install,need) $(WANTED)

# --- care ----------------------------------------------------------------------------------------
lint: | deps
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	  --inline-suppr --suppress=missingIncludeSystem -D_GNU_SOURCE \
	  --include=$$(pkg-config --variable=includedir jansson)/jansson.h harness modes
format:
	@clang-format -i $(wildcard $(addsuffix .[ch],harness/* harness/*/* harness/*/*/* modes/* tests/* tests/*/* tests/*/*/*) harness/*/*/*.cu)
clean:
	rm -rf build build-*
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))
## make experiment EXP=name    measure experiments/name.exp, report, draw. Keys:
##                             RANKS= BLOCKS= BYTES= …; others: ARGS='key=value';
##                             some variants: ARGS='--only threads,processes';
##                             what it would take: ARGS=--dry-run;
##                             its primary claim alone, in under a minute: QUICK=1
## make experiments            the experiments and their questions
## make tour [MODE=threads]    each collective once, on a few numbers
## make plots RUN=dir          report and pictures again, from the records
## make beside NCCL_TESTS=dir EXP=name
##                             nccl-tests in turn with our blocks, both compared
## make nccl-legacy            an old NCCL into build/ (440 MB), for
##                             NCCL_LEGACY=path; VERSION=2.28.3: another one;
##                             VERSION='2.19.3 2.28.3': several, for
##                             NCCL_LIBS=path:path
## make doctor                 what this machine lacks and how to get it;
##                             builds and installs nothing
## make deps                   install what is missing (DEPS=manual: name it)
## make install PREFIX=dir     program, experiments, plots, documents; build it
##                             first
## make deb                    a Debian package of the commit, into build-deb/
## make dist                   a tarball of it, into build/
##
## make test [SAN=address]     all tests; SAN: a list of gcc's sanitizers
## make bare SUITE=trixie      the README's commands on a bare Debian (root,
##                             debootstrap; bookworm, trixie)
## make bare-deb, reproducible the Debian package there; a second one, the same?
## make same                   are reports and tables of all reference records the
##                             same, and the figures of their page?
## make reference              their reports, tables and pictures, made again
## make documents              the tables of keys in experiments/README.md
## make coverage               lines that the tests reach, room by room (gcovr)
## make faults                 every fault in every place of a run (10 min)
## make fuzz TARGET=name RUNS=n
##                             odd inputs for what reads files (clang)
## make scale                  what 2 to 256 ranks cost (10 min, python3)
## make simulate               the simulated tables of harness/analysis (10 min)
## make lint, format, clean    cppcheck; clang-format; build/ removed

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
SIMS    := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/sim_*.c))
TESTS   := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))
HELPERS := $(B)/tests/cli.o $(B)/tests/json.o $(B)/tests/told.o $(KNOWN)

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
SAY_COMMIT := $(B)/harness/main.o $(B)/harness/run/runner.o $(B)/harness/doctor.o
$(SAY_COMMIT): $(B)/commit
$(SAY_COMMIT): ALL_C += -DLAUNCHGAP_COMMIT='"$(COMMIT)"'
# What `launchgap --version` says is built in.
$(B)/harness/main.o: ALL_C += -DLAUNCHGAP_VERSION='"$(RELEASE)"' -DLAUNCHGAP_BUILT='"$(strip $(BUILT))"'
of     = $(strip $(shell pkg-config --modversion $1 2>/dev/null))
ncclis = $(shell sed -n 's/^\#define NCCL_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' $(NCCL_H) | tr '\n' . | sed 's/\.$$//')
cudais = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
mpiis  = $(shell $(MPICC) --showme:version 2>/dev/null | sed -n 's/.*Open MPI \([0-9.]*\).*/Open MPI \1/p')
BUILT  = $(shell echo '$(if $(HAVE),NCCL header $(ncclis)@ CUDA $(cudais)@ )$(or $(mpiis),MPI)$(foreach \
         l,$(LIBS),@ $l $(call of,$l))$(if $(HAVE),,; without CUDA and NCCL)' | sed 's/ *@/,/g')
.PHONY: $(if $(filter-out $(COMMIT),$(shell cat $(B)/commit 2>/dev/null)),$(B)/commit)
ifneq ($(FLAGS),$(shell cat $(B)/flags 2>/dev/null))
.PHONY: $(B)/flags
endif

-include $(OBJ:.o=.d) $(KERNELS:.o=.d) $(TESTS:=.d) $(HELPERS:.o=.d) $(SIMS:=.d) $(wildcard $(B)/tests/fuzz/*.d)

# --- tests: one program per file, then the scripts that drive the built program ------------------
$(TESTS): $(B)/tests/%: $(B)/tests/%.o $(HELPERS) $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(LINK) $(CUDALIB) -lcmocka

# What same_numbers asks of each report.
$(B)/tests/check_told: $(B)/tests/check_told.o $(B)/tests/told.o $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(LINK) $(CUDALIB)

# The simulated tables in headers of harness/analysis and its SIMULATED.md, made again.
$(SIMS): $(B)/tests/%: $(B)/tests/%.o $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(LINK) $(CUDALIB)
simulate: $(SIMS:=.txt)
	@cat $^
# Each on a core of its own. Seeds are fixed: what was printed once need not be made again.
$(SIMS:=.txt): %.txt: %
	$(SAY) SIM $<
	$(Q)$< >$@.part && mv $@.part $@

# Libraries that this machine may lack, for the tests of what loads them.
$(B)/tests/%.so: tests/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(STD) $(WARN) -shared -fPIC -o $@ $<
$(B)/tests/test_traffic: LINK += -Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose
$(B)/tests/test_nvml $(B)/tests/test_calibrate: | $(B)/tests/standin_nvml.so
$(B)/tests/test_nccl_options $(B)/tests/test_each $(B)/tests/test_plan $(B)/tests/test_plan_cells $(B)/tests/test_plan_variants $(B)/tests/test_library: | $(B)/tests/standin_nccl.so
$(B)/tests/test_nccl_options.o $(B)/tests/test_nccl_calls.o: ALL_C += $(HAVE)

# The program once more, on stand-ins for CUDA's runtime, NCCL, NVML and CUPTI: what it does on GPUs,
# without one. They lie beside it, where the dynamic linker looks first.
STANDIN := $(B)/standin
GPU_SRC := $(wildcard harness/backend/nccl/*.c harness/backend/device/*.c)
GPU_OBJ := $(GPU_SRC:%.c=$(STANDIN)/%.o) $(STANDIN)/tests/standin/kernels.o
NO_GPU  := $(filter-out $(GPU_SRC:%.c=$(B)/%.o),$(CORE))
HEADERS := $(or $(filter-out -DHAVE_CUDA_NCCL,$(HAVE)),-isystem tests/standin/include)
BESIDE  := -Wl,-rpath,'$$ORIGIN',--disable-new-dtags
SHARE    = $(CC) $(CFLAGS) $(STD) $(WARN) $(SANFLAG) -shared -fPIC $(BESIDE)
LIBRARY := $(STANDIN)/libcudart.so $(STANDIN)/libnccl.so.2 $(STANDIN)/2.21.5/libnccl.so.2 $(STANDIN)/2.32.3/libnccl.so.2 $(STANDIN)/libnvidia-ml.so.1 $(STANDIN)/libtool.so $(STANDIN)/libcublas.so.13
STANDIN_NCCL := $(wildcard tests/standin/nccl*.c) $(addprefix harness/,backend/host/host_reduce.c backend/host/host_float.c coll/coll.c coll/routing.c)

$(STANDIN)/%.o: ALL_C += -DHAVE_CUDA_NCCL $(HEADERS)
$(STANDIN)/%.o: %.c $(B)/flags | deps
	@mkdir -p $(@D)
	$(SAY) CC $< for stand-ins
	$(Q)$(CC) $(ALL_C) $(call PKG,--cflags) -c -o $@ $<
$(STANDIN)/libcudart.so: tests/standin/cudart.c $(wildcard tests/standin/*.h)
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -Wl,-soname,$(@F) -o $@ $< -lpthread
$(STANDIN)/libnccl.so.2: RELEASE := 22803
$(STANDIN)/2.21.5/libnccl.so.2: RELEASE := 22105
$(STANDIN)/2.32.3/libnccl.so.2: RELEASE := 23203
$(STANDIN)/libnccl.so.2 $(STANDIN)/2.21.5/libnccl.so.2 $(STANDIN)/2.32.3/libnccl.so.2: $(STANDIN_NCCL) $(wildcard tests/standin/*.h) $(STANDIN)/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(SHARE) -Itests/standin/include -DVERSION=$(RELEASE) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(STANDIN_NCCL) $(STANDIN)/libcudart.so -lm
$(STANDIN)/libcublas.so.13: tests/standin/cublas.c $(wildcard tests/standin/*.h) $(STANDIN)/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -o $@ $< $(STANDIN)/libcudart.so -lpthread
$(STANDIN)/libnvidia-ml.so.1: tests/standin_nvml.c
	@mkdir -p $(@D)
	$(Q)$(SHARE) -o $@ $<
# A tool for NVTX: only where its headers are does it hold anything.
$(STANDIN)/libtool.so: tests/standin/nvtx.c
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -o $@ $< -ldl
$(STANDIN)/launchgap: $(B)/harness/main.o $(KNOWN) $(NO_GPU) $(GPU_OBJ) | $(LIBRARY)
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(BESIDE) $(STANDIN)/libcudart.so $(LINK)
# Its own tests, and some of the others' once more on it.
THEIR_TESTS := $(patsubst tests/standin/%.c,$(STANDIN)/%,$(wildcard tests/standin/test_*.c))
ALSO_TESTS  := $(addprefix $(STANDIN)/,test_conformance test_device)
ON_STANDINS := $(THEIR_TESTS) $(ALSO_TESTS)
$(THEIR_TESTS): $(STANDIN)/%: $(STANDIN)/tests/standin/%.o
$(STANDIN)/test_shim: | $(B)/shim_nccl.so
$(ALSO_TESTS): $(STANDIN)/%: $(STANDIN)/tests/%.o
$(ON_STANDINS): $(HELPERS) $(NO_GPU) $(GPU_OBJ) | $(LIBRARY) $(STANDIN)/launchgap
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(BESIDE) $(STANDIN)/libcudart.so $(LINK) -lcmocka
-include $(GPU_OBJ:.o=.d) $(THEIR_TESTS:$(STANDIN)/%=$(STANDIN)/tests/standin/%.d) $(ALSO_TESTS:$(STANDIN)/%=$(STANDIN)/tests/%.d)

# Of hwloc's ways to find PCI devices the one by libpciaccess leaks.
test: $(TESTS) $(ON_STANDINS) $(B)/launchgap $(B)/tests/check_told
	@LAUNCHGAP=$(abspath $(B)/launchgap) TOLD=$(abspath $(B)/tests/check_told) FUZZERS='$(abspath $(FUZZERS))' $(if $(findstring address,$(SAN)),HWLOC_COMPONENTS=-pci) \
	  tests/run $(TESTS) $(abspath $(ON_STANDINS)) tests/same_numbers tests/figures tests/recompute.py tests/fuzzed tests/tidy tests/budget

# The program with places where faults strike: the same objects, with these calls led through
# tests/faulty.c.
FAULTY := trial_load backend_find speed_take loop_measure_rows record_line_put folder_append gnuplot_write html_write waitpid clock_gettime
$(B)/faulty: $(B)/harness/main.o $(KNOWN) $(B)/tests/faulty.o $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(FAULTY:%=-Wl,--wrap=%) $(LINK) $(CUDALIB)
$(B)/tests/test_faults: | $(B)/faulty
-include $(B)/tests/faulty.d

# The program with a fourth mode: its table of modes takes the place of the one in modes/table.c.
$(B)/forked: $(B)/harness/main.o $(KNOWN) $(B)/tests/fork_mode.o $(B)/core.a
	$(SAY) LINK $@
	$(Q)$(MPICC) $(SANFLAG) -o $@ $^ $(LINK) $(CUDALIB)
$(B)/tests/test_modes: | $(B)/forked
-include $(B)/tests/fork_mode.d

# NCCL with one function of its own, for faults on GPUs: an empty library of NCCL's name stands for
# the system's, which takes its place when the shim is loaded.
$(B)/shim_nccl.so: tests/shim_nccl.c
	@mkdir -p $(@D)/shim
	$(Q)$(CC) -shared -Wl,-soname,libnccl.so.2 -o $(@D)/shim/libnccl.so.2 -x c /dev/null
	$(Q)$(CC) $(CFLAGS) $(STD) $(WARN) -shared -fPIC -Wl,--no-as-needed -o $@ $< $(@D)/shim/libnccl.so.2 -ldl

# What of the code the tests reach: lines of each room. A test that fails is said, and counts all the same.
.PHONY: coverage
coverage: | deps
	@find build-coverage -name '*.gcda' -delete 2>/dev/null; true
	-@$(MAKE) SAN=coverage CFLAGS='-O0 -g' test
	@tests/coverage build-coverage

# Every fault in every place; `make test` injects one of each.
.PHONY: faults
faults: $(B)/tests/test_faults
	$< all

# The README's two commands in an empty folder with a fresh Debian, as root; WERROR=1 holds there too.
.PHONY: bare
bare:
	@tests/bare '$(or $(call said,SUITE),trixie)' $(if $(WERROR),WERROR=1)

# The tables of every committed record, made anew and compared.
same: $(B)/launchgap $(B)/tests/check_told
	@LAUNCHGAP=$(abspath $(B)/launchgap) TOLD=$(abspath $(B)/tests/check_told) tests/same_numbers
	@tests/figures

# What lies beside every committed record, made anew: reports, tables, pictures.
.PHONY: reference
reference: $(B)/launchgap
	@LAUNCHGAP=$(abspath $(B)/launchgap) tests/same_numbers write

# --- fuzzers: a program per target, by libFuzzer where clang has it (SAN=fuzzer), else by a driver that
# learns nothing on its way, and with the sanitizers that SAN names -------------------------------
ifneq ($(filter test fuzz,$(MAKECMDGOALS)),)
LIBFUZZ := $(if $(SAN),,$(shell harness/packages.sh need fuzz >/dev/null && echo build-fuzzer))
FUZZERS := $(patsubst tests/fuzz/%.c,$(or $(LIBFUZZ),$(B))/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
test: $(FUZZERS)
endif
ifneq ($(LIBFUZZ),)
# What they are made of is known to the make that makes them; what is missing gets installed before it.
# Comparisons of numbers are not traced for libFuzzer: of texts they are, and inputs take half the time.
$(FUZZERS): libfuzzers ;
.PHONY: libfuzzers
libfuzzers: | deps
	@$(MAKE) -s SAN=fuzzer B=$(LIBFUZZ) CC='$(CC:gcc=clang)' CFLAGS='-O2 -gline-tables-only -fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp' \
	  NVCC= NCCL_H= $(FUZZERS)
endif
ENGINE := tests/fuzz/$(if $(filter fuzzer,$(SAN)),libfuzzer,driver).c
$(B)/tests/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fuzz.o $(B)/tests/fuzz/mutate.o $(B)/core.a $(ENGINE)
	$(SAY) LINK $@
	$(Q)OMPI_CC='$(CC)' $(MPICC) $(CFLAGS) $(STD) $(WARN) $(SANFLAG) $(if $(filter fuzzer,$(SAN)),-fsanitize=fuzzer) \
	  -DFUZZ_TARGET=fuzz_$* -o $@ $(ENGINE) $(filter %.o %.a,$^) $(LINK) $(CUDALIB)
.SECONDARY:

# RUNS=n: so many inputs, 1 million where nothing is said.
fuzz: $(FUZZERS)
	@FUZZERS='$(abspath $(FUZZERS))' tests/fuzzed '$(call said,TARGET)' '$(or $(call said,RUNS),1000000)'

# What more ranks cost: start, memory, record and report, on null.
scale: $(B)/launchgap
	@tests/scale.py $<

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

# NVIDIA's own wheels. Without VERSION the last of the NCCL line with the direct path between
# threads, for NCCL_LEGACY; of several (VERSION='2.19.3 2.28.3') what NCCL_LIBS takes.
LEGACY   = $(or $(call said,VERSION),2.21.5)
WHEELS   = build/nccl-legacy
nccl-legacy:
	@command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || \
	  { echo "python3 with pip is needed (python3-pip), or a libnccl.so.2 from elsewhere: NCCL_LEGACY=path"; exit 1; }
	@libs=; for v in $(LEGACY); do \
	  echo "$$v" | grep -qE '^2\.[0-9]+\.[0-9]+(\.post[0-9]+)?$$' || \
	    { echo "VERSION=$$v is no release of NCCL; allowed are such as 2.21.5, from 2.16.2 on: pip index versions nvidia-nccl-cu12"; exit 1; }; \
	  at=$(abspath $(WHEELS))/$$v; lib=$$at/nvidia/nccl/lib/libnccl.so.2; mkdir -p "$$at"; \
	  [ -f "$$lib" ] || { \
	    grep "==$$v " harness/nccl_wheels.txt >"$$at/wanted.txt" || { echo "nvidia-nccl-cu12==$$v" >"$$at/wanted.txt"; \
	      echo "NCCL $$v: no hash of its wheel is pinned here, so it is not checked" >&2; }; \
	    python3 -m pip download -q --no-deps --only-binary=:all: -d "$$at" -r "$$at/wanted.txt" && \
	    rm -rf "$$at/part" "$$at/nvidia" && \
	    python3 -m zipfile -e "$$at"/nvidia_nccl_cu12-$$v-*.whl "$$at/part" && \
	    mv "$$at/part/nvidia" "$$at" && rm -rf "$$at/part" "$$at"/*.whl; } || \
	  { echo "NVIDIA's wheel of NCCL $$v could not be fetched, or has not the hash in harness/nccl_wheels.txt: is there a network? Elsewhere: pip download --no-deps --only-binary=:all: nvidia-nccl-cu12==$$v, unzip, NCCL_LEGACY=path"; exit 1; }; \
	  libs=$$libs$${libs:+:}$$lib; done; \
	  case $$libs in *:*) echo "NCCL_LIBS=$$libs";; *) echo "NCCL_LEGACY=$$libs";; esac

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

# How the tests are built and run: of the Makefile, which includes it.

STANDIN := $(B)/standin
SIMS    := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/sim_*.c))
TESTS   := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))
# What tests share; of the archive a program gets what it uses.
SHARED  := $(patsubst %,$(B)/tests/%.o,test cli here json sentences guards made noise chain twinned host_rig fault_target)
# Linked by name: an archive gives it to nobody, as only the sanitizer asks for it.
KNOWN   := $(if $(filter thread,$(SAN)),$(B)/tests/tsan_known.o)
HELPERS := $(KNOWN) $(B)/tests/helpers.a
# Where lines are counted, also of a process that leaves by _exit.
COUNTED := $(if $(filter coverage,$(SAN)),$(B)/tests/gcov_exit.o)
$(B)/core.a: $(COUNTED)
$(B)/launchgap: $(KNOWN)
-include $(B)/tests/check_chapters.d $(B)/tests/check_sentences.d $(TESTS:=.d) $(SHARED:.o=.d) $(SIMS:=.d) $(wildcard $(B)/tests/fuzz/*.d)

.PHONY: test again same reference documents fuzz scale simulate coverage faults bare bare-deb reproducible

# --- tests: one program per file, then the scripts that drive the built program ------------------
$(TESTS) $(SIMS): private LINK += -lcmocka
$(TESTS) $(SIMS): $(B)/tests/%: $(B)/tests/%.o $(HELPERS) $(B)/core.a
	$(link)

# They are compiled more often than they are run: -O1 takes two thirds of the time, and warns as -O2 does.
$(B)/tests/%.o: private CFLAGS := $(CFLAGS:-O2=-O1)
$(STANDIN)/tests/%.o: private CFLAGS := $(CFLAGS:-O2=-O1)

$(B)/tests/helpers.a: $(SHARED)
	@rm -f $@
	$(Q)ar rcs $@ $^

# What same_numbers asks of each report.
$(B)/tests/check_sentences: private LINK += -lcmocka
$(B)/tests/check_sentences: $(B)/tests/check_sentences.o $(HELPERS) $(B)/core.a
	$(link)

# Tables of harness/analysis/SIMULATED.md, printed, and where that has a mark, written there.
simulate: $(SIMS:=.txt)
	@cat $^
	@tests/simulated $^
# Each on its own core. Seeds are fixed: what was printed once need not be made again.
$(SIMS:=.txt): %.txt: %
	$(SAY) SIM $<
	$(Q)$< >$@.part && mv $@.part $@

# What takes the place of another library has its functions, with all that they are given.
THEIRS := -Wno-missing-prototypes -Wno-unused-parameter
# Libraries that this machine may lack, for the tests of what loads them.
$(B)/tests/%.so: tests/%.c | deps
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(STD) $(WARN) $(THEIRS) -shared -fPIC -o $@ $<
$(B)/tests/test_arena: LINK += -Wl,--wrap=calloc
$(B)/tests/test_traffic: LINK += -Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose
$(B)/tests/test_parts: | $(B)/tests/standin_mpi.so
$(B)/tests/test_nvml: | $(B)/tests/standin_nvml.so
$(B)/tests/test_nccl_options $(B)/tests/test_each $(B)/tests/test_plan $(B)/tests/test_plan_cells $(B)/tests/test_plan_variants $(B)/tests/test_library: | $(B)/tests/standin_nccl.so
# The kernel's blocks as threads: CUDA's types alone.
$(B)/tests/test_device_protocol.o: ALL_C += $(HEADERS)
$(B)/tests/test_nccl_options.o: ALL_C += $(HAVE)
# NVML's own header, where there is one, only checks our declarations.
$(B)/tests/test_nvml.o: ALL_C += $(if $(wildcard $(CUDA)/include/nvml.h),-isystem $(CUDA)/include)

# The program again, on stand-ins for CUDA's runtime, NCCL and NVML: what it does on GPUs,
# without one. They lie beside it, where the dynamic linker looks first.
GPU_OBJ := $(GPU_SRC:%.c=$(STANDIN)/%.o) $(STANDIN)/tests/standin/kernels.o $(STANDIN)/tests/standin/move.o
NO_GPU  := $(filter-out $(GPU_SRC:%.c=$(B)/%.o),$(CORE)) $(COUNTED)
HEADERS := $(or $(filter-out -DHAVE_CUDA_NCCL,$(HAVE)),-isystem tests/standin/include)
BESIDE  := -Wl,-rpath,'$$ORIGIN',--disable-new-dtags
SHARE    = $(CC) $(CFLAGS) $(STD) $(WARN) $(THEIRS) $(SANFLAG) -shared -fPIC $(BESIDE)
LIBRARY := $(STANDIN)/libcudart.so $(STANDIN)/libcuda.so.1 $(STANDIN)/libnccl.so.2 $(STANDIN)/2.21.5/libnccl.so.2 $(STANDIN)/2.32.3/libnccl.so.2 $(STANDIN)/libnvidia-ml.so.1 $(STANDIN)/libtool.so $(STANDIN)/libcublas.so.13
STANDIN_NCCL := $(wildcard tests/standin/nccl*.c) $(addprefix harness/,backend/host/host_reduce.c coll/coll.c coll/routing.c)

$(STANDIN)/%.o: ALL_C += -DHAVE_CUDA_NCCL $(HEADERS)
$(STANDIN)/%.o: %.c $(B)/flags | deps
	@mkdir -p $(@D)
	$(SAY) CC $< for stand-ins
	$(Q)$(CC) $(ALL_C) $(call PKG,--cflags) -c -o $@ $<
$(STANDIN)/libcudart.so: tests/standin/cudart.c tests/standin/cudart_memory.c $(wildcard tests/standin/*.h) | deps
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -Wl,-soname,$(@F) -o $@ $(filter %.c,$^) -lpthread
# The driver's library, of which the program asks one function.
$(STANDIN)/libcuda.so.1: $(STANDIN)/libcudart.so
	$(Q)ln -sf $(<F) $@
$(STANDIN)/libnccl.so.2: RELEASE := 22803
$(STANDIN)/2.21.5/libnccl.so.2: RELEASE := 22105
$(STANDIN)/2.32.3/libnccl.so.2: RELEASE := 23203
$(STANDIN)/libnccl.so.2 $(STANDIN)/2.21.5/libnccl.so.2 $(STANDIN)/2.32.3/libnccl.so.2: $(STANDIN_NCCL) $(wildcard tests/standin/*.h) $(STANDIN)/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(SHARE) -Itests/standin/include -DVERSION=$(RELEASE) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(STANDIN_NCCL) $(STANDIN)/libcudart.so -lm
$(STANDIN)/libcublas.so.13: tests/standin/cublas.c $(wildcard tests/standin/*.h) $(STANDIN)/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -o $@ $< $(STANDIN)/libcudart.so -lpthread
$(STANDIN)/libnvidia-ml.so.1: tests/standin_nvml.c | deps
	@mkdir -p $(@D)
	$(Q)$(SHARE) -o $@ $<
# A tool for NVTX: only where its headers are does it hold anything.
$(STANDIN)/libtool.so: tests/standin/nvtx.c | deps
	@mkdir -p $(@D)
	$(Q)$(SHARE) $(HEADERS) -o $@ $< -ldl
$(STANDIN)/launchgap: $(B)/harness/main.o $(KNOWN) $(NO_GPU) $(GPU_OBJ) | $(LIBRARY) $(PARTS)
	$(SAY) LINK $@
	$(Q)$(CC) $(SANFLAG) -o $@ $^ $(BESIDE) $(STANDIN)/libcudart.so $(LINK)
# Its own tests, and some of the others' again on it.
THEIR_TESTS := $(patsubst tests/standin/%.c,$(STANDIN)/%,$(wildcard tests/standin/test_*.c))
ALSO_TESTS  := $(addprefix $(STANDIN)/,test_conformance test_doctor)
ON_STANDINS := $(THEIR_TESTS) $(ALSO_TESTS)
$(THEIR_TESTS): $(STANDIN)/%: $(STANDIN)/tests/standin/%.o
$(STANDIN)/test_shim: | $(B)/shim_nccl.so
$(ALSO_TESTS): $(STANDIN)/%: $(STANDIN)/tests/%.o
$(ON_STANDINS): $(HELPERS) $(NO_GPU) $(GPU_OBJ) | $(LIBRARY) $(STANDIN)/launchgap
	$(SAY) LINK $@
	$(Q)$(CC) $(SANFLAG) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(BESIDE) $(STANDIN)/libcudart.so $(LINK) -lcmocka
-include $(GPU_OBJ:.o=.d) $(THEIR_TESTS:$(STANDIN)/%=$(STANDIN)/tests/standin/%.d) $(ALSO_TESTS:$(STANDIN)/%=$(STANDIN)/tests/%.d)

# Of hwloc's ways to find PCI devices the one by libpciaccess leaks.
RUN_TESTS = LAUNCHGAP=$(abspath $(B)/launchgap) SENTENCES=$(abspath $(B)/tests/check_sentences) FUZZERS='$(abspath $(FUZZERS))' \
  $(if $(findstring address,$(SAN)),HWLOC_COMPONENTS=-pci) tests/run
CHOSEN = $(filter $(or $(foreach program,$(call said,ONLY),%/$(program)),%),$(TESTS) $(ON_STANDINS))
SCRIPTS := $(addprefix tests/,same_numbers first_screen figures documents recompute.py exports.py scaled fuzzed tidy rooms nccl_forms budget)
# WITHOUT='fuzzed test_x …': all but these.
$(foreach program,$(call said,WITHOUT),$(if $(filter %/$(program),$(TESTS) $(ON_STANDINS) $(SCRIPTS)),,$(error \
  WITHOUT holds $(program), which is no program of `make test`; allowed are names such as test_connection and fuzzed)))
LESS = $(filter-out $(foreach program,$(call said,WITHOUT),%/$(program)),$1)
test: $(call LESS,$(TESTS) $(ON_STANDINS)) $(B)/launchgap $(B)/tests/check_chapters $(B)/tests/check_sentences
	@$(RUN_TESTS) $(call LESS,$(TESTS) $(abspath $(ON_STANDINS)) $(SCRIPTS))
# Each program TIMES times, two or more at once; ONLY='test_x …': these. A program takes one of its tests by that name.
again: $(CHOSEN) $(B)/launchgap
	@unset ONLY; TIMES=$(call quote,$(or $(call said,TIMES),30)) $(RUN_TESTS) $(abspath $(CHOSEN))

# The program with places where faults strike: the same objects, with these calls led through
# tests/faulty.c.
FAULTY := verb_worker trial_take hosts_link_open backend_find buffers_check loop_first_call loop_measure_rows record_line_put folder_append gnuplot_write page_begin waitpid clock_gettime
$(B)/faulty: LINK += $(FAULTY:%=-Wl,--wrap=%)
$(B)/faulty: $(B)/harness/main.o $(KNOWN) $(B)/tests/faulty.o $(B)/core.a
	$(link)
$(B)/tests/test_faults: | $(B)/faulty
-include $(B)/tests/faulty.d

# As STATIC=1 links it, from the same objects. That it is linked is for the test to say.
$(B)/launchgap-static: private STATIC := 1
$(B)/launchgap-static: $(B)/harness/main.o $(KNOWN) $(B)/core.a
	$(link) 2>$@.log || rm -f $@
$(B)/tests/test_install: | $(B)/launchgap-static

# NCCL with one function replaced, for faults on GPUs: an empty library of NCCL's name stands for
# the system's, which takes its place when the shim is loaded.
$(B)/shim_nccl.so: tests/shim_nccl.c | deps
	@mkdir -p $(@D)/shim
	$(Q)$(CC) -shared -Wl,-soname,libnccl.so.2 -o $(@D)/shim/libnccl.so.2 -x c /dev/null
	$(Q)$(CC) $(CFLAGS) $(STD) $(WARN) -shared -fPIC -Wl,--no-as-needed -o $@ $< $(@D)/shim/libnccl.so.2 -ldl

# What of the code the tests reach: lines of each room. A test that fails is said, and counts all the same.
coverage: | deps
	@find build-coverage -name '*.gcda' -delete 2>/dev/null; true
	-@$(MAKE) SAN=coverage CFLAGS='-O0 -g' test
	@tests/coverage build-coverage

# Every fault in every place; `make test` injects one of each.
faults: $(B)/tests/test_faults
	$< all

# The README's two commands in an empty folder with a fresh Debian, as root; WERROR=1 holds there too.
bare:
	@tests/bare $(call quote,$(or $(call said,SUITE),trixie)) $(if $(WERROR),WERROR=1)

# The Debian package there; and whether a second build of it is the same.
bare-deb: deb
	@tests/bare_deb
reproducible: deb
	@tests/reproducible $(foreach v,NVCC NCCL_H,$(if $(filter $v,$(GIVEN)),$v=$(call quote,$($v))))

# The tables of every committed record, made again and compared.
same: $(B)/launchgap $(B)/tests/check_sentences
	@LAUNCHGAP=$(abspath $(B)/launchgap) SENTENCES=$(abspath $(B)/tests/check_sentences) tests/same_numbers
	@tests/figures

# All that is made from the committed records, made again: the table of what they reached, which is built into the
# program, then reports, tables, pictures, and the pages that quote them.
reference: $(B)/launchgap
	@LAUNCHGAP=$(abspath $(B)/launchgap) tests/same_numbers bandwidth
	@$(MAKE) -s $(B)/launchgap
	@LAUNCHGAP=$(abspath $(B)/launchgap) tests/same_numbers write
	@tests/figures write

# The tables of keys in documents, from the rows that the program reads.
documents: $(B)/launchgap
	@LAUNCHGAP=$(abspath $(B)/launchgap) tests/documents write

# --- fuzzers: a program per target, by libFuzzer where clang has it (SAN=fuzzer), else by a driver that
# runs what lies in the corpus, and with the sanitizers that SAN names -------------------------------
ifneq ($(filter test fuzz,$(MAKECMDGOALS)),)
LIBFUZZ := $(if $(SAN),,$(shell harness/packages.sh need fuzz >/dev/null && echo build-fuzzer))
FUZZERS := $(patsubst tests/fuzz/%.c,$(or $(LIBFUZZ),$(B))/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
test: $(if $(filter fuzzed,$(call said,WITHOUT)),,$(FUZZERS))
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
$(B)/tests/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fuzz.o $(B)/tests/fuzz/mutate.o $(B)/tests/fuzz/written.o $(B)/core.a $(ENGINE)
	$(SAY) LINK $@
	$(Q)$(CC) $(CFLAGS) $(STD) $(WARN) $(SANFLAG) $(if $(filter fuzzer,$(SAN)),-fsanitize=fuzzer) \
	  -DFUZZ_TARGET=fuzz_$* -o $@ $(ENGINE) $(filter %.o %.a,$^) $(LINK) $(CUDALIB)
.SECONDARY:

# RUNS=n: so many inputs, 1 million where nothing is said.
fuzz: $(FUZZERS) $(B)/launchgap
	@LAUNCHGAP=$(abspath $(B)/launchgap) FUZZERS='$(abspath $(FUZZERS))' tests/fuzzed $(call quote,$(call said,TARGET)) $(or $(call said,RUNS),1000000)

# What more ranks cost: start, memory, record and report, on null.
scale: $(B)/launchgap
	@tests/scale.py $<
	@tests/scale.py $< hosts tests/scale_hosts.csv && tests/scaled write

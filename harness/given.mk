# What the command line of make says: nothing else counts, and a slip is no silent default. Part of
# the Makefile, which includes it.

comma   := ,
# Keys of an experiment that have a variable; ARGS takes any other.
KEYS    := RANKS BLOCKS BACKEND BYTES COLLECTIVE DTYPE OP PACE CALLS CYCLES COUNTERS SEED LIMIT BIND \
           NCCL TIMEOUT BUDGET
OURS    := EXP ARGS $(if $(filter tour,$(MAKECMDGOALS)),MODE) $(if $(filter again,$(MAKECMDGOALS)),ONLY) $(KEYS) RUN ROUNDS NCCL_TESTS NCCL_LEGACY NCCL_LIBS VERSION QUICK SAN STATIC DEPS \
           PREFIX DESTDIR TARGET RUNS TIMES SUITE WITHOUT
TOOLS   := B V CC CPPFLAGS CFLAGS CXXFLAGS LDFLAGS CUDA CUDA_HOME NVCC NCCL_HOME NCCL_H ARCHS MPICC LIBS WHEELS TESTS JOBS CXX WERROR
GIVEN   := $(foreach v,$(filter-out -% MAKE%,$(.VARIABLES)),$(if $(filter command,$(firstword $(origin $v))),$v))
# Their text as it stands: make runs nothing in it ($(shell …)), nor does a shell in what is quoted. ARGS is a
# shell's words, and has nothing that would end a command.
$(foreach v,$(filter $(OURS),$(GIVEN)),$(eval override $v := $$(value $v)))
quote    = '$(subst ','\'',$1)'
define line_end


endef
dollar  := $$
$(foreach v,$(filter $(OURS),$(GIVEN)),$(if $(findstring $(line_end),$($v)),$(error $v has more than one line)))
$(foreach c,; & | < > ` ( ) $(dollar),$(if $(filter ARGS,$(GIVEN)),$(if $(findstring $c,$(ARGS)),$(error \
  ARGS holds $c, which a shell would run or replace; allowed are words for launchgap, in 'quotes' where they have blanks))))
# What is meant by what is often said, where it is not the same in capitals.
MEANT   := NAME:EXP EXPERIMENT:EXP EXPS:EXP DIR:RUN RESULT:RUN DATATYPE:DTYPE COLL:COLLECTIVE SIZE:BYTES \
           SIZES:BYTES NRANKS:RANKS NP:RANKS GPUS:RANKS OPS:OP LIB:NCCL BLOCK:BLOCKS ARG:ARGS \
           MODE:ARGS='--only_threads' MODES:ARGS='--only_threads' VARIANT:ARGS='--only_NAME' ONLY:ARGS='--only_NAME'
capital  = $(shell echo $(call quote,$1) | tr 'a-z-' 'A-Z_')
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
$(foreach v,$(filter RUNS ROUNDS TIMES JOBS,$(GIVEN)),$(if $(shell echo $(call quote,$($v)) | grep -vx '[1-9][0-9]*'),$(error \
  $v=$($v) is not allowed; allowed is a number from 1 on)))
# A variable as the command line says it, else nothing; those of a list as keys of an experiment.
said     = $(if $(filter $1,$(GIVEN)),$($1))
as_keys  = $(foreach k,$1,$(if $(call said,$k),$(shell echo $k | tr A-Z a-z)=$(call quote,$(call said,$k))))

# --- a goal's own variables -----------------------------------------------------------------------
EXP     :=
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
RUN := $(if $(EXP),results/$(EXP)/latest)
ifneq ($(filter plots,$(MAKECMDGOALS)),)
$(if $(RUN),,$(error Which run? make plots RUN=results/NAME/latest, or EXP=NAME for its last))
$(if $(wildcard $(RUN)),,$(error There is no run $(RUN)))
endif

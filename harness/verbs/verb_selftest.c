/* selftest: the instrument against itself. */
#include <stddef.h>

#include "../machine.h"
#include "../selftest/selftest.h"
#include "verbs.h"

static int quick_read(const struct field *f, const char *yes, void *base, struct status *st)
{
	(void)f, (void)yes, (void)st;
	((struct selftest_request *)base)->seconds = SELFTEST_QUICK_S;
	return 0;
}

#define AT(member)                                                                                 \
	offsetof(struct selftest_request, member), sizeof((struct selftest_request *)0)->member

// clang-format off
static const struct field keys[] = {
    {"quick, --quick", FIELD_FLAG, .read = quick_read, .help = "3 minutes instead of 15"},
    {"budget", FIELD_SECONDS, AT(seconds), .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS, .initial = SELFTEST_TIME, .value = "TIME", .help = "this long"},
    {"backend", FIELD_CHOICE, AT(backend), .word = backend_name, .value = "NAME", .otherwise = "nccl with two GPUs, else host and null", .help = "this backend alone"},
    {"mode", FIELD_CHOICE, AT(mode), .word = mode_name, .value = "NAME", .help = "this mode alone"},
    {"runs", FIELD_NUMBER, AT(runs), .lo = 1, .hi = 10000, .value = "N", .help = "this many experiments of each backend and mode, in any time"},
    {"blocks", FIELD_NUMBER, AT(blocks), .lo = 6, .hi = SPEC_MAX_BLOCKS, .initial = "10", .value = "N", .help = "of an experiment, at least 6"},
    {"seed", FIELD_WIDE, AT(seed), .lo = 1, .hi = UINT32_MAX, .initial = "1", .value = "N", .help = "of the random numbers"},
    {"csv", FIELD_TEXT, AT(csv), .value = "FILE", .help = "every verdict, one per line"},
};
// clang-format on

const struct fields selftest_options = FIELDS_OF(keys, struct selftest_request);

int verb_selftest(int argc, char *argv[], const struct home *home, struct status *st)
{
	const struct plan_machine machine = {.cores = machine_cores(),
	                                     .capacity = backend_capacity};
	struct selftest_request request = {.self = home->self, .machine = &machine};
	field_defaults(&selftest_options, &request);
	return verb_take(argc, argv, &request, NULL, 0, st) ? -1 : selftest_run(&request, st);
}

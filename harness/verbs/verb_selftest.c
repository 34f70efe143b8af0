/* selftest: the instrument against itself. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../backend/table.h"
#include "../trial/field.h"
#include "../suggest.h"
#include "../machine.h"
#include "../config/plan.h"
#include "../selftest/selftest.h"
#include "verbs.h"

/* A parsed command line; backend and mode: "" if not given. */
struct asked {
	char backend[TRIAL_NAME_BYTES], mode[TRIAL_NAME_BYTES], csv[PATH_MAX];
	unsigned blocks, runs, budget_s;
	uint64_t seed;
};

static const char *word_backend(unsigned i)
{
	return backend_table[i] ? backend_table[i]->name : NULL;
}

static const char *word_mode(unsigned i)
{
	return mode_table[i] ? mode_table[i]->name : NULL;
}

#define AT(member) offsetof(struct asked, member), sizeof((struct asked *)0)->member

// clang-format off
static const struct field keys[] = {
    {"backend", FIELD_CHOICE, AT(backend), .word = word_backend},
    {"mode", FIELD_CHOICE, AT(mode), .word = word_mode},
    {"budget", FIELD_SECONDS, AT(budget_s), .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS},
    {"runs", FIELD_NUMBER, AT(runs), .lo = 1, .hi = 10000},
    {"blocks", FIELD_NUMBER, AT(blocks), .lo = 6, .hi = SPEC_MAX_BLOCKS},
    {"seed", FIELD_WIDE, AT(seed), .lo = 1, .hi = UINT32_MAX},
    {"csv", FIELD_TEXT, AT(csv), .lo = 0},
};
// clang-format on

#define NKEYS (sizeof keys / sizeof *keys)

/* "quick" (as of run, "--quick"), or "key=value" of the rows. */
static int take(struct asked *a, const char *arg, struct status *st)
{
	char key[TRIAL_NAME_BYTES] = "";
	size_t length = strcspn(arg, "=");
	if (length < sizeof key)
		memcpy(key, arg, length);
	const struct field *field = strchr(arg, '=') ? field_find(keys, NKEYS, key) : NULL;
	struct status why = {0};
	if (!strcmp(arg, "quick") || !strcmp(arg, "--quick")) {
		a->budget_s = SELFTEST_QUICK_S;
		return 0;
	}
	if (field)
		return field_read(field, strchr(arg, '=') + 1, a, &why)
		           ? status_set(st, "selftest: %s", why.text)
		           : 0;
	struct suggestion guess = suggest_for(key);
	suggest_offer(&guess, "quick");
	for (size_t i = 0; i < NKEYS; i++)
		suggest_offer(&guess, keys[i].key);
	return status_set(st, "selftest: '%s' is not understood%s (`launchgap selftest --help`)",
	                  arg, suggestion_text(&guess).text);
}

int verb_selftest(int argc, char *argv[], const struct home *home, struct status *st)
{
	const struct plan_machine machine = {.cores = machine_cores(),
	                                     .capacity = backend_capacity};
	struct asked a = {.blocks = 10, .budget_s = SELFTEST_S, .seed = 1};
	for (int i = 2; i < argc; i++)
		if (take(&a, argv[i], st))
			return -1;
	const struct selftest_request request = {.self = home->self,
	                                         .machine = &machine,
	                                         .backend = a.backend[0] ? a.backend : NULL,
	                                         .mode = a.mode[0] ? a.mode : NULL,
	                                         .blocks = a.blocks,
	                                         .runs = a.runs,
	                                         .seconds = a.budget_s,
	                                         .seed = a.seed,
	                                         .csv = a.csv[0] ? a.csv : NULL};
	return selftest_run(&request, st);
}

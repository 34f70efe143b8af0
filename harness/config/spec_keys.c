#include "spec_keys.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../backend/backend.h"
#include "near.h"

#define ROW(FIELD)     SPEC_SCOPE_EXPERIMENT, offsetof(struct spec, FIELD)
#define SETTING(FIELD) SPEC_SCOPE_VARIANT, offsetof(struct spec_variant, settings.FIELD)
#define SECOND_NS      1000000000
#define DAY_NS         (86400ull * SECOND_NS)

/* Bounds keep a slip of the pen from asking for days, or for more memory than stamps are worth.
 * A seed fits a double, as JSON's readers want. */
static const struct spec_key keys[] = {
    {"title", ROW(title), spec_word_free, NULL, 0, sizeof((struct spec *)0)->title},
    {"collective", SPEC_SCOPE_EXPERIMENT, 0, spec_word_colls, spec_word_coll, 0, 0},
    {"bytes", SPEC_SCOPE_EXPERIMENT, 0, spec_sizes_read, NULL, 0, 0},
    {"dtype", SPEC_SCOPE_EXPERIMENT, 0, spec_what_dtypes, spec_word_dtype, 0, 0},
    {"op", SPEC_SCOPE_EXPERIMENT, 0, spec_what_ops, spec_word_op, 0, 0},
    {"root", SPEC_SCOPE_EXPERIMENT, 0, spec_what_roots, NULL, 0, SPEC_MAX_RANKS - 1},
    {"in_place", SPEC_SCOPE_EXPERIMENT, 0, spec_what_in_place, NULL, 0, 0},
    {"counts", SPEC_SCOPE_EXPERIMENT, 0, spec_what_counts, NULL, 0, 0},
    {"ranks", ROW(ranks), spec_number_ranks, NULL, 1, SPEC_MAX_RANKS},
    {"ranks_per_core", ROW(ranks_per_core), spec_number_unsigned, NULL, 1, SPEC_MAX_RANKS},
    {"backend", ROW(backend), spec_word_text, spec_word_backend, 0, 0},
    {"pace", ROW(paces), spec_word_paces, spec_word_pace, 0, 0},
    {"blocks", SPEC_SCOPE_EXPERIMENT, 0, spec_number_blocks, NULL, 1, SPEC_MAX_BLOCKS},
    {"precision", ROW(precision), spec_number_percent, NULL, 1, 5000},
    {"budget", ROW(budget_s), spec_number_seconds, NULL, SECOND_NS, DAY_NS},
    {"warmup", ROW(warmup), spec_number_unsigned, NULL, 0, 100000},
    {"stretches", ROW(stretches), spec_number_unsigned, NULL, 1, 1000},
    {"calls", ROW(calls), spec_number_unsigned, NULL, 1, 100000},
    {"isolated_calls", ROW(isolated_calls), spec_number_unsigned, NULL, 1, 100000},
    {"timeout", ROW(timeout_s), spec_number_seconds, NULL, SECOND_NS, DAY_NS},
    {"cell_timeout", ROW(cell_timeout_s), spec_number_seconds, NULL, SECOND_NS, DAY_NS},
    {"cycles", ROW(cycles), spec_number_unsigned, NULL, 1, SPEC_MAX_CYCLES},
    {"seed", ROW(seed), spec_number_u64, NULL, 0, ((uint64_t)1 << 53) - 1},
    {"limit", ROW(limit), spec_word_yes, spec_word_no_yes, 0, 0},
    {"counters", ROW(counters), spec_word_yes, spec_word_no_yes, 0, 0},
    {"reference", ROW(reference), spec_word_name, NULL, 0, 0},
    {"gap", ROW(asked.gap), spec_claims_gap, NULL, 0, 0},
    {"gap_bytes", ROW(asked.gap.bytes), spec_claims_range, NULL, 0, 0},

    {"mode", SETTING(mode), spec_word_name, NULL, 0, 0},
    {"layout", SETTING(layout), spec_number_layout, NULL, 1, SPEC_MAX_RANKS},
    {"backend", SETTING(backend), spec_word_text, spec_word_backend, 0, 0},
    {"nccl", SPEC_SCOPE_VARIANT, 0, spec_word_library, NULL, 0, 0},
    {"nccl_below", SETTING(nccl_below), spec_what_below, NULL, 0, 0},
    {"each", SPEC_SCOPE_VARIANT, 0, spec_each_read, NULL, 0, 0},
    {"path", SETTING(path), spec_word_text, NULL, 0, 0},
    {"api", SETTING(api), spec_word_text, NULL, 0, 0},
    {"bind", SETTING(bind), spec_word_enum, NULL, 0, 0},
    {"start", SETTING(start), spec_word_enum, NULL, 0, 0},
    {"allocator", SETTING(allocator), spec_word_enum, NULL, 0, 0},
    {"register", SETTING(registration), spec_word_enum, NULL, 0, 0},
    {"cta_policy", SETTING(cta_policy), spec_word_enum, NULL, 0, 0},
    {"min_ctas", SETTING(min_ctas), spec_number_unsigned, NULL, 1, 1024},
    {"max_ctas", SETTING(max_ctas), spec_number_unsigned, NULL, 1, 1024},
    {"nonblocking", SETTING(nonblocking), spec_word_yes, spec_word_no_yes, 0, 0},
    {"init", SETTING(init), spec_word_enum, NULL, 0, 0},
    {"group", SETTING(grouping), spec_word_enum, NULL, 0, 0},
    {"split", SETTING(split), spec_what_split, NULL, 0, 0},
    {"aggregate", SETTING(aggregate), spec_number_unsigned, NULL, 1, 1024},
    {"graph", SETTING(graph), spec_number_unsigned, NULL, 0, 10000},
    {"force", SETTING(force), spec_word_yes, spec_word_no_yes, 0, 0},
    {"offset", SETTING(offset_bytes), spec_number_unsigned, NULL, 0, 4096},
    {"expect", SETTING(expect), spec_what_expect, NULL, 0, 0},
    {"flip", SPEC_SCOPE_VARIANT, offsetof(struct spec_variant, settings), spec_what_flip, NULL,
     0, 0},
    {"delay", SETTING(delay_ns), spec_number_ns, NULL, 0, 60ull * SECOND_NS},
    {"extra", SETTING(extra_ns), spec_number_ns, NULL, 0, 60ull * SECOND_NS},
    {"delay_rank", SETTING(delay_rank), spec_number_rank, NULL, 0, SPEC_MAX_RANKS - 1},
    {NULL, 0, 0, NULL, NULL, 0, 0},
};

/* What a variant may set in a job's environment: what tunes what is measured. Not what replaces
 * the program that is measured (LD_PRELOAD, PATH). */
static const char *const env_allowed[] = {"NCCL_", "CUDA_", "OMPI_MCA_", "UCX_", NULL};

static const char env_prefix[] = "env.";

static bool is_env(const char *key)
{
	return !strncmp(key, env_prefix, sizeof env_prefix - 1);
}

const char *spec_keys_split(const char *key, char backend[TRIAL_NAME_BYTES])
{
	const char *dot = strchr(key, '.');
	backend[0] = '\0';
	if (!dot || is_env(key))
		return key;
	if (dot - key >= TRIAL_NAME_BYTES)
		return NULL;
	memcpy(backend, key, (size_t)(dot - key));
	backend[dot - key] = '\0';
	return backend_find(backend) ? dot + 1 : NULL;
}

bool spec_keys_in(enum spec_scope scope, const char *key)
{
	if (is_env(key))
		return scope == SPEC_SCOPE_VARIANT;
	for (const struct spec_key *row = keys; row->name; row++)
		if (row->scope == scope && !strcmp(row->name, key))
			return true;
	return false;
}

static int env_check(const char *name, const char *value, struct status *st)
{
	unsigned i = 0;
	while (env_allowed[i] && strncmp(name, env_allowed[i], strlen(env_allowed[i])))
		i++;
	size_t n = strlen(name);
	bool word = env_allowed[i] && n > strlen(env_allowed[i]);
	for (size_t k = 0; k < n; k++)
		word = word && (isalnum((unsigned char)name[k]) || name[k] == '_');
	if (!word)
		return status_set(st,
		                  "env.%s is not allowed; allowed are names that start with "
		                  "NCCL_, CUDA_, OMPI_MCA_ or UCX_",
		                  name);
	if (n + 1 + strlen(value) >= TRIAL_ENV_BYTES)
		return status_set(st, "env.%s is too long; allowed are %d bytes with its value",
		                  name, TRIAL_ENV_BYTES - 2);
	return 0;
}

/* Sets KEY=value, in place of an inherited one. */
static int env_set(struct settings *settings, const char *name, const char *value,
                   struct status *st)
{
	if (env_check(name, value, st))
		return -1;
	size_t n = strlen(name);
	unsigned i = 0;
	while (i < settings->nenv &&
	       (strncmp(settings->env[i], name, n) || settings->env[i][n] != '='))
		i++;
	if (i == SPEC_MAX_ENV)
		return status_set(st, "env.%s is one too many; allowed are %d", name,
		                  SPEC_MAX_ENV);
	snprintf(settings->env[i], sizeof settings->env[i], "%s=%s", name, value);
	if (i == settings->nenv)
		settings->nenv++;
	return 0;
}

static int unknown_key(const struct spec_target *target, const char *key, struct status *st)
{
	char allowed[768] = "";
	struct near near = near_to(key);
	for (const struct spec_key *row = keys; row->name; row++) {
		bool here = row->scope == SPEC_SCOPE_EXPERIMENT ? target->spec != NULL
		                                                : target->variant != NULL;
		bool again = row->scope == SPEC_SCOPE_VARIANT && target->spec &&
		             spec_keys_in(SPEC_SCOPE_EXPERIMENT, row->name);
		if (!here || again)
			continue;
		status_list(allowed, sizeof allowed, row->name);
		near_offer(&near, row->name);
	}
	return status_set(st,
	                  "unknown key '%s'%s; allowed is %s, env.NAME, each also with a "
	                  "backend in front, as in host.%s; in a file also like, without one",
	                  key, near_say(&near).text, allowed, target->spec ? "bytes" : "path");
}

int spec_keys_apply(const struct spec_target *target, const char *key, const char *value,
                    struct status *st)
{
	const struct spec_value v = {value, target->lookup};
	if (is_env(key) && target->variant)
		return env_set(&target->variant->settings, key + sizeof env_prefix - 1, value,
		               st);
	bool known = false;
	for (const struct spec_key *row = keys; row->name; row++) {
		char *base = row->scope == SPEC_SCOPE_EXPERIMENT ? (char *)target->spec
		                                                 : (char *)target->variant;
		if (!base || strcmp(row->name, key))
			continue;
		known = true;
		if (row->read(row, &v, base + row->offset, st))
			return -1;
	}
	return known ? 0 : unknown_key(target, key, st);
}

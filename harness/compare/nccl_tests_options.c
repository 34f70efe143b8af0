/* The options that a run of nccl-tests was given, as far as they change what its times mean. */
#include "nccl_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of its options with a number; `config` is its name where the file says what was done. */
struct option {
	char letter;
	const char *name, *config;
	long usual; /* when nothing is said */
};

static const struct option average = {'a', "average", NULL, 1};

/* What else tells one measurement from another. */
static const struct option others[] = {{'R', "local_register", NULL, 0},
                                       {'x', "cta_policy", NULL, -1},
                                       {'u', "unalign", "unalign", 0},
                                       {'n', "iters", "iterations", 20},
                                       {'m', "agg_iters", "aggregated_iterations", 1},
                                       {'G', "cudagraph", "graph", 0},
                                       {'z', "blocking", NULL, 0},
                                       {'y', "stream_null", NULL, 0},
                                       {'D', "device_implementation", NULL, 0},
                                       {'V', "device_cta_count", NULL, 16},
                                       {'w', "warmup_iters", "warmup_iters", 1}};

static const char *arg_at(const json_t *args, size_t i)
{
	const char *text = json_string_value(json_array_get(args, i));
	return text ? text : "";
}

/* Whether the argument is this option; *value: what it holds itself of the value, or NULL when
 * that is the next argument. Long names may be cut, as getopt_long allows. */
static bool is_option(const char *arg, const struct option *o, const char **value)
{
	size_t length = strcspn(arg, "=");
	*value = NULL;
	if (arg[0] != '-' || !arg[1])
		return false;
	if (arg[1] != '-') {
		*value = arg[2] ? arg + 2 : NULL;
		return arg[1] == o->letter;
	}
	*value = arg[length] ? arg + length + 1 : NULL;
	return length > 2 && !strncmp(arg + 2, o->name, length - 2);
}

/* The last one counts. All of its options have a value. */
static long number_in(const json_t *args, const struct option *o)
{
	long number = o->usual;
	for (size_t i = 1; i < json_array_size(args); i++) {
		const char *arg = arg_at(args, i), *value;
		bool here = is_option(arg, o, &value);
		if (arg[0] == '-' && !value)
			value = json_string_value(json_array_get(args, ++i));
		if (here && value)
			number = strtol(value, NULL, 0);
	}
	return number;
}

int nccl_tests_average(const json_t *args)
{
	return (int)number_in(args, &average);
}

void nccl_tests_others(const json_t *args, const json_t *config, char out[NCCL_TESTS_OTHERS])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const struct option *o = &others[i];
		const json_t *said = o->config ? json_object_get(config, o->config) : NULL;
		long number =
		    json_is_integer(said) ? (long)json_integer_value(said) : number_in(args, o);
		if (number != o->usual && used < NCCL_TESTS_OTHERS)
			used +=
			    (size_t)snprintf(out + used, NCCL_TESTS_OTHERS - used, "%s-%c %ld",
			                     used ? " " : "", o->letter, number);
	}
}

static bool is_on(const json_t *config, const char *key)
{
	const json_t *value = json_object_get(config, key);
	const char *text = json_string_value(value);
	return json_is_true(value) || (text && !strcmp(text, "true")) ||
	       json_integer_value(value) > 0;
}

void nccl_tests_manner(const json_t *config, char out[64])
{
	json_int_t together =
	    json_integer_value(json_object_get(config, "aggregated_iterations"));
	out[0] = '\0';
	if (together > 1)
		strcat(out, " -m (calls grouped)");
	if (is_on(config, "blocking_collectives"))
		strcat(out, " -z (blocking)");
	if (is_on(config, "graph"))
		strcat(out, " -G (graphs)");
	if (is_on(config, "per_iter_timing"))
		strcat(out, " -I");
}

/* The value of a variable, or NULL. */
static const char *env_find(const json_t *env, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *line = json_string_value(json_array_get(env, i));
		if (line && !strncmp(line, name, n) && line[n] == '=')
			return line + n + 1;
	}
	return NULL;
}

bool nccl_tests_counts(const json_t *env, unsigned nranks, char out[COUNTS_TEXT_BYTES])
{
	const char *matrix = env_find(env, "NCCL_TESTS_ALLTOALLV_MATRIX_FILE");
	const char *spread = env_find(env, "NCCL_TESTS_ALLTOALLV_SPREAD");
	struct value_weights weights = {.n = nranks, .rows = 1};
	char *end;
	double x = spread ? strtod(spread, &end) : 1;
	if (spread && (end == spread || *end))
		x = 1; /* as there */
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	if (!json_is_array(env))
		snprintf(out, COUNTS_TEXT_BYTES, "not said");
	else if (matrix)
		snprintf(out, COUNTS_TEXT_BYTES, "its own matrix");
	else if (nranks > VALUE_MAX_WEIGHTS)
		snprintf(out, COUNTS_TEXT_BYTES, "by distance, spread %.3g", x);
	if (!json_is_array(env) || matrix || nranks > VALUE_MAX_WEIGHTS)
		return !matrix;
	/* (1 - spread) / n + spread × 2 distance / n (n - 1), in thousandths of n (n - 1) */
	for (unsigned d = 0; d < nranks; d++)
		weights.of[d] = (uint16_t)lround(1000 * (1 - x) * (nranks - 1) + 2000 * x * d);
	counts_text(&weights, nranks, out);
	return true;
}

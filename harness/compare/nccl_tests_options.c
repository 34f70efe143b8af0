/* The options that a run of nccl-tests was given, as far as they change what its times mean. */
#include "nccl_tests.h"

#include <stdlib.h>
#include <string.h>

#define AVERAGE_MEAN 1 /* nccl-tests' default for -a */

int nccl_tests_average(const json_t *args)
{
	int average = AVERAGE_MEAN;
	for (size_t i = 0; i < json_array_size(args); i++) {
		const char *arg = json_string_value(json_array_get(args, i));
		const char *next = json_string_value(json_array_get(args, i + 1)),
		           *value = NULL;
		if (!arg)
			continue;
		if (!strcmp(arg, "-a") || !strcmp(arg, "--average"))
			value = next;
		else if (!strncmp(arg, "-a", 2))
			value = arg + 2;
		else if (!strncmp(arg, "--average=", 10))
			value = arg + 10;
		if (value)
			average = (int)strtol(value, NULL, 0);
	}
	return average;
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

/* The modes, one row each. Every layout belongs to exactly one of them. */
#include "mode.h"

#include <stdlib.h>
#include <string.h>

extern const struct mode mode_single, mode_threads, mode_processes;

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, NULL};

const struct mode *mode_find(const char *name)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
}

const struct mode *mode_for_layout(struct layout layout)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if ((*m)->owns(layout))
			return *m;
	return NULL;
}

int mode_argv_add(struct mode_argv *argv, const char *arg)
{
	char *copy = argv->count < MODE_MAX_ARGS ? strdup(arg) : NULL;
	if (!copy)
		return -1;
	argv->args[argv->count++] = copy;
	argv->args[argv->count] = NULL;
	return 0;
}

void mode_argv_free(struct mode_argv *argv)
{
	for (unsigned i = 0; i < argv->count; i++)
		free(argv->args[i]);
	argv->count = 0;
}

/* The modes, one row each. A layout for which no mode is named belongs to the first row that
 * owns it, and the three that are here own every one. */
#include "mode.h"

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

const struct mode *mode_pick(const char *name, struct layout layout)
{
	const struct mode *mode = name[0] ? mode_find(name) : mode_for_layout(layout);
	return mode && mode->owns(layout) ? mode : NULL;
}

#include "mode.h"

#include <string.h>

const struct mode *mode_find(const char *name)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
}

const char *mode_name(unsigned i)
{
	return mode_table[i] ? mode_table[i]->name : NULL;
}

bool mode_places(const struct mode *mode, struct layout layout, unsigned hosts)
{
	const struct layout here = layout_on_host(layout, hosts);
	return mode->owns(layout_ranks(here) == 1 ? layout : here);
}

const struct mode *mode_for_layout(struct layout layout, unsigned hosts)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if (mode_places(*m, layout, hosts))
			return *m;
	return NULL;
}

const struct mode *mode_pick(const char *name, struct layout layout, unsigned hosts)
{
	const struct mode *mode = name[0] ? mode_find(name) : mode_for_layout(layout, hosts);
	return mode && mode_places(mode, layout, hosts) ? mode : NULL;
}

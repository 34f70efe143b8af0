#include "mode.h"

/* One process, one thread for all ranks, as a program with one GPU loop has. */
static bool single_owns(struct layout l)
{
	return l.processes == 1 && l.threads == 1;
}

static struct layout single_spread(unsigned nranks)
{
	return (struct layout){1, 1, nranks};
}

/* A thread for each rank, or for each few. */
static bool threads_owns(struct layout l)
{
	return l.processes == 1 && l.threads > 1;
}

static struct layout threads_spread(unsigned nranks)
{
	return (struct layout){1, nranks, 1};
}

static bool processes_owns(struct layout l)
{
	return l.processes > 1;
}

static struct layout processes_spread(unsigned nranks)
{
	return (struct layout){nranks, 1, 1};
}

const struct mode mode_single = {"single", "one process, one thread for all ranks", single_owns,
                                 single_spread},
                  mode_threads = {"threads", "one process, one thread per rank", threads_owns,
                                  threads_spread},
                  mode_processes = {"processes", "one process per rank", processes_owns,
                                    processes_spread};

const struct mode *mode_find(const char *name)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
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

#include "chapters.h"

#include <string.h>

/* In the order in which they report and answer: a chapter may use what earlier ones reported.
 * Sections follow this order within their place. */
// clang-format off
#define TEXT(name) &(const struct chapter){#name, "", CHAPTER_BODY, NULL} /* name.chapter */
static const struct chapter *const all[] = {
    TEXT(run),
    TEXT(noise),
    TEXT(sources),
    TEXT(claims),
    TEXT(tuning),
    TEXT(training),
    TEXT(crossovers),
    TEXT(pairs),
    TEXT(pingpong),
    TEXT(copies),
    TEXT(scaling),
    TEXT(ways),
    TEXT(overview),
    TEXT(access),
    TEXT(ranges),
    TEXT(sizes),
    TEXT(cliffs),
    TEXT(cost),
    TEXT(versions),
    TEXT(tests),
    TEXT(gap),
    TEXT(containers),
    TEXT(strip),
    TEXT(results),
    TEXT(ran),
    TEXT(settings),
    TEXT(factors),
    TEXT(exceptions),
    TEXT(paths),
    TEXT(choices),
    TEXT(counters),
    TEXT(normal),
    TEXT(scatter),
    TEXT(hosts),
    TEXT(all_sizes),
    TEXT(captions),
    TEXT(calls),
    TEXT(launch),
    TEXT(memory),
    TEXT(checks),
    TEXT(looks),
    TEXT(spent),
    TEXT(method),
    TEXT(variants),
    TEXT(kernel),
    TEXT(topology),
    TEXT(system),
    TEXT(advice),
    TEXT(warnings),
    TEXT(unfinished),
    TEXT(quick),
};
// clang-format on

const struct chapter *const *chapters_all(unsigned *n)
{
	*n = sizeof all / sizeof *all;
	return all;
}

const struct chapter *chapters_find(const char *name)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

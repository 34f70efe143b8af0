#include "chapters.h"

/* In the order in which they report and answer: a chapter may use what earlier ones reported.
 * Sections follow this order within their place. */
// clang-format off
static const char *const all[] = {
    "run",
    "noise",
    "sources",
    "claims",
    "tuning",
    "training",
    "crossovers",
    "pairs",
    "pingpong",
    "copies",
    "scaling",
    "ways",
    "overview",
    "access",
    "ranges",
    "sizes",
    "cliffs",
    "cost",
    "versions",
    "tests",
    "gap",
    "containers",
    "strip",
    "results",
    "ran",
    "settings",
    "factors",
    "exceptions",
    "paths",
    "choices",
    "counters",
    "normal",
    "scatter",
    "hosts",
    "captions",
    "calls",
    "launch",
    "memory",
    "checks",
    "looks",
    "spent",
    "method",
    "variants",
    "kernel",
    "topology",
    "system",
    "advice",
    "warnings",
    "unfinished",
    "quick",
};
// clang-format on

const char *const *chapters_all(unsigned *n)
{
	*n = sizeof all / sizeof *all;
	return all;
}

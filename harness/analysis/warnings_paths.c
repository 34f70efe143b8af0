/* A variant that took another path than its experiment file says: its figures are of something
 * else than was meant, and so is all that rests on them. */
#include <stdlib.h>
#include <string.h>

#include "../config/claim.h"
#include "../record/path.h"
#include "warnings_parts.h"

/* Adds "claim x" or ", y" to the names. */
static void add(char *text, size_t bytes, const char *kind, const char *name, bool *first)
{
	size_t n = strlen(text);
	snprintf(text + n, bytes - n, "%s%s", *first ? kind : ", ", name);
	*first = false;
}

static void name_dependents(const struct claim_list *asked, const char *variant, char *text,
                            size_t bytes)
{
	bool first = true;
	for (unsigned i = 0; i < asked->nclaims; i++)
		if (!strcmp(asked->claims[i].left, variant) ||
		    !strcmp(asked->claims[i].right, variant))
			add(text, bytes, ", claim ", asked->claims[i].name, &first);
	first = true;
	for (unsigned i = 0; i < asked->nfactors; i++)
		if (!strcmp(asked->factors[i].from, variant) ||
		    !strcmp(asked->factors[i].to, variant))
			add(text, bytes, ", factor ", asked->factors[i].name, &first);
	first = true;
	if (!strcmp(asked->gap.from, variant) || !strcmp(asked->gap.to, variant))
		add(text, bytes, ", the gap", "", &first);
}

static void warn_path(const struct record_path *taken, const struct claim_list *asked,
                      struct warnings *w)
{
	struct path path;
	struct status why = {""};
	char text[256] = "one that cannot be read", rests[384] = "its times, ratios and advice";
	if (!path_from_json(taken->path, &path, &why)) {
		path_text(&path, text, sizeof text);
		path_free(&path);
	}
	name_dependents(asked, taken->variant, rests, sizeof rests);
	warnings_add(w,
	             "%s: expect = %.80s, but the path taken is %s. What rests on it is not "
	             "what the file meant: %s. Find out why (the evidence has the paths of all "
	             "variants), or correct expect.",
	             taken->variant, taken->expect, text, rests);
}

void warnings_of_paths(const struct summary *s, struct warnings *w)
{
	struct claim_list *asked = calloc(1, sizeof *asked);
	struct status ignored = {""}; /* damaged claims are refused elsewhere */
	if (!asked || claim_list_take(s->run->environment, asked, &ignored)) {
		free(asked);
		asked = NULL;
	}
	for (unsigned i = 0; asked && i < s->run->npaths; i++)
		if (!s->run->paths[i].as_expected)
			warn_path(&s->run->paths[i], asked, w);
	free(asked);
}

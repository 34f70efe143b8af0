#include "claim_pairs.h"

#include <string.h>

#include "index.h"

static const struct summary_variant *variant_of(const struct summary *s, const char *name)
{
	const int v = index_variant(s, name);
	return v < 0 ? NULL : &s->variants[v];
}

/* The version of the library of both variants of a claim; "": they have two, or it is not known. */
static const char *library_of(const struct summary *s, const struct claim *c)
{
	const struct summary_variant *left = variant_of(s, c->left),
	                             *right = variant_of(s, c->right);
	return left && right && !strcmp(left->library, right->library) ? left->library : "";
}

/* Whether two variants are the same except for the library. */
static bool same_but_library(const struct summary *s, const char *a, const char *b)
{
	const struct summary_variant *x = variant_of(s, a), *y = variant_of(s, b);
	char keys[512];
	if (!x || !y || !x->settings || !y->settings)
		return false;
	struct settings as = *y->settings;
	memcpy(as.nccl, x->settings->nccl, sizeof as.nccl);
	return !settings_differ(x->settings, &as, keys, sizeof keys);
}

static bool same_question(const struct summary *s, const struct claim *a, const struct claim *b)
{
	return a->metric == b->metric && a->test == b->test && a->regime == b->regime &&
	       a->pace == b->pace && a->coll == b->coll && !strcmp(a->left_coll, b->left_coll) &&
	       !strcmp(a->right_coll, b->right_coll) && a->bytes.lo == b->bytes.lo &&
	       a->bytes.hi == b->bytes.hi && same_but_library(s, a->left, b->left) &&
	       same_but_library(s, a->right, b->right);
}

/* Which claim asks the same of another version; -1: none. The first claim of one version is paired
 * with the first that asks the same of the other. */
static int counterpart(const struct analysis *a, unsigned which)
{
	const struct summary *s = a->s;
	const struct claim *claim = a->claims[which].claim;
	const char *library = library_of(s, claim);
	unsigned skip = 0;
	for (unsigned i = 0; i < which; i++)
		skip += !strcmp(library_of(s, a->claims[i].claim), library) &&
		        same_question(s, claim, a->claims[i].claim);
	for (unsigned i = 0; i < a->asked.nclaims && *library; i++) {
		const char *other = library_of(s, a->claims[i].claim);
		if (*other && strcmp(other, library) &&
		    same_question(s, claim, a->claims[i].claim) && !skip--)
			return (int)i;
	}
	return -1;
}

/* The two versions, the older first; false: there are not two, none is paired, or a claim is about
 * a third. */
static bool libraries_of(const struct analysis *a, const char *out[2])
{
	unsigned n = 0;
	bool paired = false;
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		const char *library = library_of(a->s, a->claims[i].claim);
		paired |= counterpart(a, i) >= 0;
		if (!*library || (n && !strcmp(library, out[0])) ||
		    (n == 2 && !strcmp(library, out[1])))
			continue;
		if (n == 2)
			return false;
		out[n++] = library;
	}
	if (n == 2 && strverscmp(out[0], out[1]) > 0) {
		const char *newer = out[0];
		out[0] = out[1];
		out[1] = newer;
	}
	return paired;
}

void claim_pairs_find(const struct analysis *a, struct claim_pairs *out)
{
	const char *libraries[2] = {"", ""};
	const bool two = libraries_of(a, libraries);
	*out =
	    (struct claim_pairs){.libraries = {two ? libraries[0] : "", two ? libraries[1] : ""}};
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		const int other = two ? counterpart(a, i) : -1;
		const bool newer =
		    two && !strcmp(library_of(a->s, a->claims[i].claim), libraries[1]);
		if (other >= 0 && (unsigned)other < i)
			continue;
		struct claim_pair *pair = &out->list[out->n++];
		pair->of[newer] = &a->claims[i];
		pair->of[!newer] = other < 0 ? NULL : &a->claims[other];
	}
}

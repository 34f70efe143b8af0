#include "summary_parts.h"

#include <stdio.h>
#include <string.h>

/* The digest depends on the data alone: the pace makes no difference. */
static bool same_data(const struct cell *a, const struct cell *b)
{
	struct cell paced = *b;
	paced.pace = a->pace;
	return summary_same_group(a, &paced) && a->bytes == b->bytes;
}

/* The digest that a cell's data has to give: the reference's, or whoever's came first. */
static const struct record_cell *standard_of(const struct summary *s,
                                             const struct record_cell *c)
{
	const struct record_cell *first = NULL;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *other = &s->run->cells[i];
		if (!other->digest[0] || !summary_counts(other) || other->nranks != c->nranks ||
		    !same_data(&other->cell, &c->cell))
			continue;
		if (s->reference >= 0 &&
		    !strcmp(other->variant, s->variants[s->reference].name))
			return other;
		if (!first)
			first = other;
	}
	return first;
}

static void check_digests(struct summary *s)
{
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!c->digest[0] || !summary_counts(c))
			continue;
		struct summary_row *row = summary_row_of(s, c);
		const struct record_cell *standard = standard_of(s, c);
		if (!row->digest[0] || strcmp(c->digest, standard->digest))
			strcpy(row->digest, c->digest);
		if (!strcmp(c->digest, standard->digest))
			continue;
		row->digest_ok = false;
		if (!s->trouble[0])
			snprintf(s->trouble, sizeof s->trouble,
			         "%s of %zu bytes: %s (block %u) got the digest %s where %s "
			         "got %s from "
			         "the same data",
			         coll_info(c->cell.coll)->name, c->cell.bytes, c->variant,
			         c->block, c->digest, standard->variant, standard->digest);
	}
}

static const char *bits_of(const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));
	return text ? text : "?";
}

static long long number_of(const json_t *at, const char *key)
{
	return (long long)json_integer_value(json_object_get(at, key));
}

static void check_wrong(struct summary *s)
{
	for (unsigned i = 0; i < s->run->ncells && !s->trouble[0]; i++) {
		const struct record_cell *c = &s->run->cells[i];
		char where[160] = "";
		if (!c->wrong)
			continue;
		const json_t *at = json_object_get(c->json, "wrong_at");
		if (json_is_object(at))
			snprintf(where, sizeof where,
			         ", the first on rank %lld at element %lld (byte %lld): "
			         "expected %.24s, got %.24s",
			         number_of(at, "rank"), number_of(at, "element"),
			         number_of(at, "byte"), bits_of(at, "expected"),
			         bits_of(at, "got"));
		snprintf(s->trouble, sizeof s->trouble,
		         "%s of %zu bytes: %s (block %u) delivered %llu wrong element%s%s",
		         coll_info(c->cell.coll)->name, c->cell.bytes, c->variant, c->block,
		         (unsigned long long)c->wrong, c->wrong == 1 ? "" : "s", where);
	}
}

void summary_check(struct summary *s)
{
	check_wrong(s);
	check_digests(s);
}

#include "search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/value.h"

#define DRAWN 40 /* rows that are drawn for each one that is taken */

bool search_set_equal(const struct search_set *a, const struct search_set *b)
{
	return !memcmp(a->level, b->level, sizeof a->level);
}

unsigned search_set_size(const struct search_space *space, const struct search_set *set)
{
	unsigned n = 0;
	for (unsigned k = 0; k < space->nkeys; k++)
		n += set->level[k] > 0;
	return n;
}

void search_set_text(const struct search_space *space, const struct search_set *set, char *text,
                     size_t bytes)
{
	size_t used = 0;
	snprintf(text, bytes, "default");
	for (unsigned k = 0; k < space->nkeys && used < bytes; k++) {
		const char *key = space->keys[k].key;
		if (set->level[k])
			used += (size_t)snprintf(text + used, bytes - used, "%s%s = %s",
			                         used ? ", " : "",
			                         strncmp(key, "env.", 4) ? key : key + 4,
			                         space->keys[k].values[set->level[k]]);
	}
}

/* --- the covering array --- */

struct cover {
	const struct search_space *space;
	uint64_t state;
	const search_aside *aside;
	bool seen[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES][SEARCH_MAX_KEYS][SEARCH_MAX_VALUES];
};

static bool is_aside(const struct cover *c, unsigned key, unsigned value)
{
	return c->aside && (*c->aside)[key][value];
}

static unsigned draw(struct cover *c, unsigned below)
{
	c->state += 0x9E3779B97F4A7C15u;
	return (unsigned)(value_mix(c->state) % below);
}

static bool *pair_of(struct cover *c, unsigned a, unsigned x, unsigned b, unsigned y)
{
	return a < b ? &c->seen[a][x][b][y] : &c->seen[b][y][a][x];
}

/* Pairs that a value of one key makes with those that are chosen, and that no row has. */
static unsigned fresh_of(struct cover *c, const struct search_set *set, const bool *chosen,
                         unsigned key, unsigned value)
{
	unsigned n = 0;
	for (unsigned k = 0; k < c->space->nkeys; k++)
		n += k != key && chosen[k] && !*pair_of(c, key, value, k, set->level[k]);
	return n;
}

/* Begins with a pair that no row has, if there is one; false: all are covered. */
static bool begin_row(struct cover *c, struct search_set *set, bool *chosen)
{
	unsigned found = 0;
	for (unsigned a = 0; a < c->space->nkeys; a++)
		for (unsigned b = a + 1; b < c->space->nkeys; b++)
			for (unsigned x = 0; x < c->space->keys[a].nvalues; x++)
				for (unsigned y = 0; y < c->space->keys[b].nvalues; y++) {
					if (*pair_of(c, a, x, b, y) || is_aside(c, a, x) ||
					    is_aside(c, b, y) || draw(c, ++found))
						continue;
					memset(chosen, 0, SEARCH_MAX_KEYS);
					set->level[a] = (unsigned char)x;
					set->level[b] = (unsigned char)y;
					chosen[a] = chosen[b] = true;
				}
	return found;
}

/* The other keys in a drawn order, each with the value that makes most new pairs. */
static unsigned fill_row(struct cover *c, struct search_set *set, bool *chosen)
{
	unsigned gain = 1, left = c->space->nkeys - 2;
	while (left) {
		unsigned k = draw(c, c->space->nkeys), best = 0, most = 0, ties = 0;
		if (chosen[k])
			continue;
		for (unsigned v = 0; v < c->space->keys[k].nvalues; v++) {
			if (is_aside(c, k, v))
				continue;
			unsigned n = fresh_of(c, set, chosen, k, v);
			ties = n > most || !v ? 1 : ties + (n == most);
			if (n > most || (n == most && !draw(c, ties)))
				best = v;
			most = n > most ? n : most;
		}
		set->level[k] = (unsigned char)best;
		chosen[k] = true;
		gain += most;
		left--;
	}
	return gain;
}

static void mark(struct cover *c, const struct search_set *set)
{
	for (unsigned a = 0; a < c->space->nkeys; a++)
		for (unsigned b = a + 1; b < c->space->nkeys; b++)
			*pair_of(c, a, set->level[a], b, set->level[b]) = true;
}

/* Of one key each value; the array of pairs wants two. */
static unsigned cover_one(const struct search_space *space, const search_aside *aside,
                          struct search_set *rows, unsigned most)
{
	unsigned n = 0;
	for (unsigned v = 1; v < space->keys[0].nvalues && n < most; v++)
		if (!aside || !(*aside)[0][v])
			rows[n++] = (struct search_set){.level = {(unsigned char)v}};
	return n;
}

unsigned search_cover(const struct search_space *space, const search_aside *aside,
                      uint64_t seed, struct search_set *rows, unsigned most)
{
	const struct search_set none = {{0}};
	unsigned n = 0;
	if (space->nkeys < 2)
		return cover_one(space, aside, rows, most);
	struct cover *c = calloc(1, sizeof *c);
	if (!c)
		return 0;
	c->space = space;
	c->aside = aside;
	c->state = value_mix(seed);
	mark(c, &none); /* the reference is measured anyway */
	while (n < most) {
		struct search_set best = none;
		unsigned gain = 0;
		for (unsigned i = 0; i < DRAWN; i++) {
			struct search_set one = none;
			bool chosen[SEARCH_MAX_KEYS] = {false};
			unsigned g = begin_row(c, &one, chosen) ? fill_row(c, &one, chosen) : 0;
			if (g > gain) {
				gain = g;
				best = one;
			}
		}
		if (!gain)
			break;
		mark(c, &best);
		rows[n++] = best;
	}
	free(c);
	return n;
}

unsigned search_narrow_most(unsigned nth)
{
	static const unsigned most[SEARCH_NARROWS] = {12, 8, 6, 4};
	return most[nth < SEARCH_NARROWS ? nth : SEARCH_NARROWS - 1];
}

unsigned search_confirm_blocks(unsigned ntests)
{
	unsigned n = 6; /* below, no 95 % signed-rank interval is finite */
	while (ldexp(ntests, 1 - (int)n) > 0.05)
		n++;
	return n;
}

/* --- the record --- */

json_t *search_space_json(const struct search_space *space)
{
	json_t *keys = json_array();
	for (unsigned k = 0; k < space->nkeys; k++) {
		json_t *values = json_array();
		for (unsigned v = 0; v < space->keys[k].nvalues; v++)
			json_array_append_new(values, json_string(space->keys[k].values[v]));
		json_array_append_new(
		    keys, json_pack("{s:s, s:o}", "key", space->keys[k].key, "values", values));
	}
	return json_pack("{s:o, s:i}", "keys", keys, "finalists", (int)space->finalists);
}

int search_space_take(const json_t *json, struct search_space *out, struct status *st)
{
	const json_t *keys = json_object_get(json, "keys"), *key, *value;
	json_int_t finalists = json_integer_value(json_object_get(json, "finalists"));
	size_t k, v;
	*out = (struct search_space){.finalists = (unsigned)finalists};
	bool bad = !json_is_array(keys) || json_array_size(keys) > SEARCH_MAX_KEYS ||
	           finalists < 1 || finalists > SEARCH_MAX_FINALISTS;
	json_array_foreach(keys, k, key)
	{
		const char *name = json_string_value(json_object_get(key, "key"));
		const json_t *values = json_object_get(key, "values");
		size_t n = json_array_size(values);
		if (bad || !name || strlen(name) >= sizeof out->keys[k].key || n < 2 ||
		    n > SEARCH_MAX_VALUES) {
			bad = true;
			break;
		}
		strcpy(out->keys[k].key, name);
		out->keys[k].nvalues = (unsigned)n;
		json_array_foreach(values, v, value)
		{
			const char *text = json_string_value(value);
			bad = bad || !text || strlen(text) >= SEARCH_VALUE_BYTES;
			if (!bad)
				strcpy(out->keys[k].values[v], text);
		}
		out->nkeys++;
	}
	return bad ? status_set(st, "the record's search is damaged") : 0;
}

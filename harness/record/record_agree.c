#include "record_agree.h"
#include "../memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record_search.h"

const struct record_variant *record_agree_variant(const struct record_run *run, const char *name)
{
	for (unsigned i = 0; i < run->nvariants; i++)
		if (!strcmp(run->variants[i].name, name))
			return &run->variants[i];
	const int set = record_search_find(run, name);
	return set < 0 ? NULL : &run->search->variants[set];
}

int record_agree_reference(const struct member_place *at, const json_t *environment)
{
	const char *named = member_or_empty(environment, "reference");
	const json_t *variant;
	bool found = false;
	size_t i;
	json_array_foreach(json_object_get(environment, "variants"), i, variant)
	{
		const char *name = member_or_empty(variant, "name");
		if (strcmp(member_or_empty(variant, "role"), "reference"))
			continue;
		if (strcmp(name, named))
			return member_bad(
			    at, "\"reference\" is %s, but variant %s has the role reference", named,
			    name);
		found = true;
	}
	return found
	           ? 0
	           : member_bad(at, "\"reference\" is %s, and no variant is the reference", named);
}

/* Which of several: from 0 to one less than the environment has. */
static int agree_count(const struct member_place *at, const json_t *environment, const char *key,
                       const char *all, unsigned which)
{
	const json_t *several = json_object_get(environment, all);
	json_int_t n = several ? json_integer_value(several) : 1;
	return (json_int_t)which < n
	           ? 0
	           : member_bad(at, "\"%s\" is %u, and the environment's \"%s\" are %lld", key,
	                        which, all, (long long)n);
}

/* A key of a cell that the plan has: one of its list, or its only value. */
// clang-format off
static const struct {
	const char *key, *plan;
	unsigned of, not_of; /* COLL_…: it is compared for collectives that are this, and not that */
	bool timed;          /* the other passes choose it themselves */
} planned[] = {
    {"experiment",  "experiment",  0,             0,                        false},
    {"warmup",      "warmup",      0,             0,                        false},
    {"collective",  "collectives", 0,             COLL_PSEUDO,              false},
    {"asked_bytes", "bytes",       0,             0,                        false},
    {"dtype",       "dtypes",      0,             0,                        false},
    {"op",          "ops",         COLL_REDUCES,  0,                        false},
    {"root",        "roots",       COLL_ROOTED,   COLL_PAIRS | COLL_ROUTED, false},
    {"in_place",    "in_place",    COLL_IN_PLACE, COLL_TRAINS,              false},
    {"pace",        "paces",       0,             COLL_PSEUDO,              true},
};
// clang-format on

/* An empty list is of all that there are. */
static bool is_one_of(const json_t *value, const json_t *all)
{
	bool found = !json_array_size(all);
	const json_t *each;
	size_t i;
	json_array_foreach(all, i, each) found = found || json_equal(value, each);
	return json_is_array(all) ? found : json_equal(value, all);
}

static int agree_plan(const struct member_place *at, const json_t *environment, const json_t *line,
                      const struct cell *cell)
{
	const unsigned is = coll_info(cell->coll)->is;
	for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
		const json_t *value = json_object_get(line, planned[i].key);
		const json_t *plan = json_object_get(environment, planned[i].plan);
		if (value && plan && (is & planned[i].of) == planned[i].of &&
		    !(is & planned[i].not_of) && !(planned[i].timed && cell->pass != PASS_TIMED) &&
		    !is_one_of(value, plan))
			return member_bad(at, "\"%s\" is none of the environment's \"%s\"",
			                  planned[i].key, planned[i].plan);
	}
	return 0;
}

static int agree_ranks(const struct member_place *at, const struct record_variant *variant,
                       const struct record_cell *cell)
{
	const unsigned ranks = layout_ranks(variant->settings.layout);
	if (!variant->known || !ranks)
		return 0;
	if (cell->nranks != ranks)
		return member_bad(at, "\"ranks\" is %u, but the layout of variant %s has %u",
		                  cell->nranks, cell->variant, ranks);
	const unsigned each = split_place(variant->settings.split, ranks, 0).size;
	return cell->cell.comm_ranks == each
	           ? 0
	           : member_bad(at, "\"comm_ranks\" is %u, but those of variant %s are %u",
	                        cell->cell.comm_ranks, cell->variant, each);
}

int record_agree_cell(const struct member_place *at, const struct record_run *run,
                      const json_t *line, const struct record_cell *cell)
{
	const json_t *env = run->environment;
	const struct record_variant *variant = record_agree_variant(run, cell->variant);
	static const char *const keys[] = {"mode", "layout", "backend"};
	const char *const all[] = {variant->mode, variant->layout, variant->backend};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *here = json_string_value(json_object_get(line, keys[i]));
		const char *there = all[i];
		if (here && *there && strcmp(here, there))
			return member_bad(at, "\"%s\" is %.60s, but that of variant %s is %.60s",
			                  keys[i], here, cell->variant, there);
	}
	unsigned calls =
	    trial_calls_of(&cell->cell, (unsigned)json_integer_value(json_object_get(env, "calls")),
	                   variant->settings.aggregate, variant->settings.graph);
	if (cell->calls != calls)
		return member_bad(at,
		                  "\"calls\" is %u, but the environment and variant %s come to %u",
		                  cell->calls, cell->variant, calls);
	const struct cell *c = &cell->cell;
	const size_t bytes = coll_round(c->coll, c->dtype, c->asked_bytes, cell->nranks);
	if (!(coll_info(c->coll)->is & COLL_PSEUDO) && c->bytes != bytes)
		return member_bad(at, "\"bytes\" is %zu, but \"asked_bytes\" comes to %zu",
		                  c->bytes, bytes);
	return agree_plan(at, env, line, &cell->cell) || agree_ranks(at, variant, cell) ||
	               agree_count(at, env, "cycle", "cycles", cell->cell.cycle) ||
	               agree_count(at, env, "connection", "connections", cell->cell.connection) ||
	               agree_count(at, env, "allocation", "allocations", cell->cell.allocation)
	           ? -1
	           : 0;
}

/* A part of a trial that is there once, by what it is: two of one key are one twice. */
struct part {
	const struct record_cell *cell;
	uint64_t key;
};

static int by_key(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
	                        : (a->cell->line > b->cell->line) - (a->cell->line < b->cell->line);
}

/* Names the first part that is there again: variant, block, and the other's line. */
static int agree_once(const struct member_place *at, struct part *parts, size_t n, const char *text)
{
	const struct record_cell *again = NULL, *first = NULL;
	qsort(parts, n, sizeof *parts, by_key);
	for (size_t i = 1; i < n; i++)
		if (parts[i - 1].key == parts[i].key &&
		    (!again || parts[i].cell->line < again->line)) {
			first = parts[i - 1].cell;
			again = parts[i].cell;
		}
	struct member_place there = *at;
	there.line = again ? again->line : 0;
	return again ? member_bad(&there, text, again->variant, again->block + 1, first->line) : 0;
}

/* Variant, block and measured cell. The requested size does not identify it: of two that come to
 * the same bytes one is measured. */
static uint64_t cell_key(const struct record_cell *cell)
{
	const struct field *rows = trial_cell_fields.rows;
	uint64_t key = XXH3_64bits_withSeed(cell->variant, strlen(cell->variant), cell->block);
	for (size_t i = 0; i < trial_cell_fields.n; i++) {
		const size_t bytes = rows[i].kind == FIELD_WIDE   ? sizeof(size_t)
		                     : rows[i].kind == FIELD_FLAG ? sizeof(bool)
		                                                  : sizeof(unsigned);
		if (rows[i].at != offsetof(struct cell, asked_bytes))
			key = XXH3_64bits_withSeed((const char *)&cell->cell + rows[i].at, bytes,
			                           key);
	}
	return key;
}

/* --- how long calls took: a copy has the same lengths, whatever was added to its stamps --- */

#define CALLS_TOGETHER 32
#define BY_CHANCE      1e-20 /* that calls have the lengths of others, in their order */

/* How long `n` calls took, and how likely others of these lengths come in the same order: d
 * different ones can in d! orders, and a coarse clock has few that differ. */
static double lengths_of(const struct sample *samples, size_t n, int64_t *lengths)
{
	double chance = 1;
	unsigned different = 0;
	for (size_t i = 0; i < n; i++) {
		size_t before = 0;
		lengths[i] = samples[i].idle_ns - samples[i].start_ns;
		while (lengths[before] != lengths[i])
			before++;
		if (before == i)
			chance /= ++different;
	}
	return chance;
}

/* Parts of trials, of calls that follow each other, too long to come again by chance. */
static size_t long_parts(const struct record_run *run, struct part *out)
{
	int64_t lengths[CALLS_TOGETHER];
	size_t n = 0;
	struct part now = {0};
	double chance = 1;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *cell = &run->cells[i];
		const size_t calls = cell->error[0] ? 0 : (size_t)cell->nranks * cell->rows;
		if (now.cell && (now.cell->block != cell->block || now.cell->order != cell->order ||
		                 strcmp(now.cell->variant, cell->variant) != 0))
			now.cell = NULL;
		for (size_t at = 0, some; at < calls; at += some) {
			some = calls - at < CALLS_TOGETHER ? calls - at : CALLS_TOGETHER;
			if (!now.cell) {
				now = (struct part){.cell = cell};
				chance = 1;
			}
			chance *= lengths_of(&cell->samples[at], some, lengths);
			now.key = XXH3_64bits_withSeed(lengths, some * sizeof *lengths, now.key);
			if (chance > BY_CHANCE)
				continue;
			out[n++] = now;
			now.cell = NULL;
		}
	}
	return n;
}

int record_agree_places(const struct member_place *at, const struct record_run *run)
{
	size_t ncells = 0, nsums = 0, most = 0;
	for (unsigned i = 0; i < run->ncells; i++)
		most += 1 + (size_t)run->cells[i].nranks * run->cells[i].rows / CALLS_TOGETHER;
	struct part *cells = memory_have(malloc((run->ncells + most + 1) * sizeof *cells));
	for (unsigned i = 0; i < run->ncells; i++)
		if (!run->cells[i].error[0])
			cells[ncells++] = (struct part){&run->cells[i], cell_key(&run->cells[i])};
	struct part *parts = &cells[ncells];
	const size_t nparts = long_parts(run, parts);
	int rc = agree_once(at, cells, ncells,
	                    "variant %s has this cell in block %u already, in line %u");
	for (size_t i = 0; i < ncells; i++)
		if (cells[i].cell->stamps_sum)
			cells[nsums++] = (struct part){cells[i].cell, cells[i].cell->stamps_sum};
	if (!rc)
		rc = agree_once(at, cells, nsums,
		                "variant %s, block %u: this cell's stamps are those of line %u: "
		                "one of the two is a copy");
	if (!rc)
		rc = agree_once(at, parts, nparts,
		                "variant %s, block %u: its calls took as long as those of line %u, "
		                "to the nanosecond: one of the two is a copy");
	free(cells);
	return rc;
}

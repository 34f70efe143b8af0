/* A search and its confirmation: the tables sought, search_level, search_trial, finalist and
 * finalist_cell. */
#include <math.h>
#include <string.h>

#include "../config/family.h"
#include "figures.h"

/* A collective at a size, and its A/A line. */
struct tested_cell {
	const struct summary_group *group;
	size_t asked_bytes;
	unsigned place;
	struct stats_ratio line;
};

static struct tested_cell *cells_of(const struct figures *f, unsigned *n)
{
	const struct summary *s = f->s;
	struct tested_cell *cells = ARENA_ARRAY(f->arena, struct tested_cell, s->index.nplaces + 1);
	*n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++) {
			const unsigned place = index_place(s, g, i);
			const struct summary_row *twin =
			    s->twin < 0 ? NULL : index_row(s, (unsigned)s->twin, place);
			cells[(*n)++] =
			    (struct tested_cell){&s->groups[g], s->groups[g].asked_bytes[i], place,
			                         twin ? twin->ratio : STATS_NO_RATIO};
		}
	return cells;
}

/* A variant and the default in a cell, by the time per call of its pace. by: the gain that p is of. */
static struct contrast judge(const struct summary *s, const struct tested_cell *cell,
                             unsigned variant, double by)
{
	const struct contrast_select select = {.bytes = {cell->asked_bytes, cell->asked_bytes},
	                                       .pace = (int)cell->group->cell.pace,
	                                       .coll = (int)cell->group->cell.coll,
	                                       .group = cell->group,
	                                       .by = by};
	return contrast_make(s, variant, (unsigned)s->reference, METRIC_TIME, &select);
}

/* The limit that a gain has to exceed, as a log: the margin, or the A/A line if it is wider. */
static double hurdle_of(const struct summary *s, const struct stats_ratio *line)
{
	const double margin = log1p(s->margin), most = fmax(log(line->hi), -log(line->lo));
	const bool excludes = line->lo > 1 || line->hi < 1;
	if (isnan(line->lo))
		return INFINITY;
	return excludes || most > margin ? fmax(most, margin) : margin;
}

/* A set's settings. */
static void put_levels(const struct figures *f, unsigned set)
{
	const struct search_space *space = f->a->searched.space;
	for (unsigned k = 0; k < space->nkeys; k++) {
		const struct search_key *key = &space->keys[k];
		const unsigned level = f->a->searched.sets[set].level[k];
		const struct field *field = field_find(&settings_fields, key->key);
		if (level)
			db_add(f->db, "search_level", "iiittt", set, k, level, key->key,
			       key->values[level], field ? field->help : NULL);
	}
}

/* What trials of a set gained, where the search measured the cells of its confirmation. */
static void put_trials(const struct figures *f, const struct tested_cell *cells, unsigned ncells)
{
	const struct candidates_seen *seen = &f->a->searched;
	for (unsigned t = 0; t < seen->ntrials && seen->ncells == ncells; t++)
		for (unsigned c = 0; c < ncells; c++)
			if (effects_counts(seen, t, c))
				db_add(f->db, "search_trial", "iid", seen->set_of[t],
				       cells[c].place, expm1(seen->gains[t * ncells + c]));
}

/* The finalists' sets, each a variant of the confirmation. */
static unsigned put_finalists(const struct figures *f, unsigned *sets, unsigned *variants)
{
	const struct summary *s = f->s;
	const struct record_search *search = s->run->search;
	unsigned n = 0;
	for (unsigned i = 0; search->confirmed && s->reference >= 0 && !s->trouble.kind &&
	                     i < search->confirmed->nsets && n < SEARCH_MAX_FINALISTS;
	     i++) {
		const unsigned set = search->confirmed->sets[i];
		const int v = index_variant(s, search->variants[set].name);
		if (v < 0)
			continue;
		sets[n] = set;
		variants[n++] = (unsigned)v;
		db_add(f->db, "finalist", "ii", set, v);
	}
	return n;
}

/* A finalist in a cell, as tuned_judge has it. */
static void put_tests(const struct figures *f, const struct tested_cell *cells, unsigned ncells,
                      const unsigned *sets, const unsigned *variants, unsigned n)
{
	const struct candidates_seen *seen = &f->a->searched;
	struct tuned_test *tests = ARENA_ARRAY(f->arena, struct tuned_test, n * ncells + 1);
	double *promised = ARENA_ARRAY(f->arena, double, seen->ncells + 1);
	for (unsigned i = 0; i < n * ncells; i++) {
		const unsigned c = i % ncells;
		const double hurdle = hurdle_of(f->s, &cells[c].line);
		if (!c)
			candidates_promise(seen, &seen->sets[sets[i / ncells]], f->arena, promised);
		const struct contrast by =
		    judge(f->s, &cells[c], variants[i / ncells], isinf(hurdle) ? 0 : expm1(hurdle));
		/* p is that of a time: less is faster. */
		tests[i] =
		    (struct tuned_test){.hurdle = hurdle,
		                        .ratio = by.verdict.ratio,
		                        .p = by.p.less.under,
		                        .promised = seen->ncells == ncells ? promised[c] : 0};
	}
	tuned_judge(tests, n, ncells, f->s->margin);
	for (unsigned i = 0; i < n * ncells; i++)
		db_add(f->db, "finalist_cell", "iidiir", variants[i / ncells],
		       cells[i % ncells].place, tests[i].p_adjusted, tests[i].confirmed,
		       tests[i].no_loss, tests[i].expect);
}

void figures_of_tuning(const struct figures *f)
{
	const struct record_search *search = f->s->run->search;
	unsigned sets[SEARCH_MAX_FINALISTS], variants[SEARCH_MAX_FINALISTS], ncells;
	if (!search)
		return;
	const struct tested_cell *cells = cells_of(f, &ncells);
	const unsigned n = put_finalists(f, sets, variants);
	put_tests(f, cells, ncells, sets, variants, n);
	for (unsigned i = 0; i < f->a->searched.nsets; i++)
		put_levels(f, i);
	put_trials(f, cells, ncells);
	db_add(f->db, "sought", "iiii", f->a->searched.space->nkeys, f->a->searched.nsets,
	       n ? family_blocks(n, FAMILY_ALPHA) : 0, search->confirmed != NULL);
}

#include "ranges.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "words.h"

static bool is_swept(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	return g->nsizes >= RANGES_SIZES && g->cell.pace == PACE_STREAM && !g->limit &&
	       !(coll_info(g->cell.coll)->is & COLL_PAIRS);
}

/* False where a size has no bandwidth. */
static bool take(const struct summary *s, unsigned group, unsigned variant,
                 struct ranges_row *out)
{
	const struct summary_group *g = &s->groups[group];
	double sum = 0, least = NAN;
	bool rules = true;
	*out = (struct ranges_row){.group = group, .variant = variant};
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = index_at(s, variant, group, i);
		if (!row || isnan(row->busbw_gbs))
			return false;
		least = i ? least : row->time_us;
		sum += row->busbw_gbs;
		if (row->busbw_gbs > out->peak_gbs) {
			out->peak_gbs = row->busbw_gbs;
			out->peak_bytes = g->asked_bytes[i];
		}
		rules = rules && row->time_us < RANGES_LATENCY * least;
		if (rules)
			out->latency_bytes = g->asked_bytes[i];
	}
	out->least_us = least;
	out->mean_gbs = sum / g->nsizes;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = index_at(s, variant, group, i);
		if (!out->half_bytes && row->busbw_gbs >= out->peak_gbs / 2)
			out->half_bytes = g->asked_bytes[i];
		if (row->busbw_gbs < RANGES_PLATEAU * out->peak_gbs) {
			out->plateau_bytes = 0;
		} else if (!out->plateau_bytes) {
			out->plateau_bytes = g->asked_bytes[i];
			out->plateau_gbs = row->busbw_gbs;
		}
	}
	return true;
}

/* --- what follows --- */

struct source {
	const struct summary *s;
	const struct evidence *e;
	const struct pairs *p;
	struct ranges *out;
};

static void say(const struct source *src, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(const struct source *src, const char *format, ...)
{
	va_list list;
	if (src->out->ntexts == RANGES_TEXTS)
		return;
	va_start(list, format);
	vsnprintf(src->out->texts[src->out->ntexts++], RANGES_TEXT_BYTES, format, list);
	va_end(list);
}

static const struct ranges_row *row_of(const struct source *src, enum coll_kind coll,
                                       int variant)
{
	for (unsigned i = 0; i < src->out->n; i++) {
		const struct ranges_row *row = &src->out->rows[i];
		if (src->s->groups[row->group].cell.coll == coll &&
		    (int)row->variant == variant)
			return row;
	}
	return NULL;
}

/* The highest peak of the reference. */
static const struct ranges_row *best_of(const struct source *src)
{
	const struct ranges_row *best = NULL;
	for (unsigned i = 0; i < src->out->n; i++) {
		const struct ranges_row *row = &src->out->rows[i];
		if ((int)row->variant == src->s->reference &&
		    (!best || row->peak_gbs > best->peak_gbs))
			best = row;
	}
	return best;
}

static void say_links(const struct source *src, const struct ranges_row *best)
{
	const struct pairs *p = src->p;
	const char *coll = coll_info(src->s->groups[best->group].cell.coll)->name;
	for (unsigned i = 0; i < p->nclasses && p->gpus; i++) {
		const struct pairs_class *c = &p->classes[i];
		const struct words gbs = words_number(best->peak_gbs);
		if (c->class == LINKS_MEMORY)
			say(src,
			    "Hardware: %u pair%s of GPUs without peer access (%s); all data "
			    "goes through host memory, and %s peaks at %s GB/s. GPUs with peer "
			    "access, or NVLink, take that detour away.",
			    c->pairs, words_plural(c->pairs), links_info(c->class)->name, coll,
			    gbs.text);
		else if (c->class == LINKS_ACROSS)
			say(src,
			    "Hardware: %u pair%s of GPUs across sockets; %s peaks at %s GB/s "
			    "of PCIe's %s. Put GPUs that talk much on one socket, or below one "
			    "PCIe switch.",
			    c->pairs, words_plural(c->pairs), coll, gbs.text,
			    words_number(c->theoretical_gbs).text);
		else if (c->class == LINKS_PCIE_SWITCH || c->class == LINKS_SOCKET)
			say(src,
			    "Hardware: PCIe is the limit, %s GB/s one way in theory; %s "
			    "reaches %s. Only links beside PCIe (NVLink) would carry more.",
			    words_number(c->theoretical_gbs).text, coll, gbs.text);
	}
	for (unsigned r = 0; r < p->nranks && p->n; r++)
		if (p->ranks[r].remark[0])
			say(src, "Hardware: rank %u, %s: %s. Look at slot, riser, cable.", r,
			    p->ranks[r].device, p->ranks[r].remark);
}

/* Against the first variant that differs by NCCL_P2P_DISABLE alone, or anything else asked. */
static void say_variants(const struct source *src, const struct ranges_row *best)
{
	enum coll_kind coll = src->s->groups[best->group].cell.coll;
	for (unsigned v = 0; v < src->s->nvariants; v++) {
		const struct ranges_row *other = row_of(src, coll, (int)v);
		if (!other || other == best)
			continue;
		say(src,
		    "%s peaks at %s GB/s in %s and %s in %s: %.2f times, by the medians. The "
		    "factors have the intervals.",
		    coll_info(coll)->name, words_number(best->peak_gbs).text,
		    src->s->variants[best->variant].name, words_number(other->peak_gbs).text,
		    src->s->variants[v].name, best->peak_gbs / other->peak_gbs);
	}
}

static void say_sizes(const struct source *src)
{
	const struct ranges_row *row = row_of(src, COLL_ALL_REDUCE, src->s->reference);
	row = row ? row : best_of(src);
	const char *coll = coll_info(src->s->groups[row->group].cell.coll)->name;
	if (row->plateau_bytes)
		say(src,
		    "Software: merge messages. %s costs %s µs up to %s whatever its size, and "
		    "reaches 90 %% of its peak from %s on: gradient buckets of that size or "
		    "more (bucket_cap_mb) waste no bandwidth.",
		    coll, words_number(row->least_us).text, words_size(row->latency_bytes).text,
		    words_size(row->plateau_bytes).text);
}

/* What a rank moves for a whole buffer: all_reduce does the work of both. */
static void say_parts(const struct source *src)
{
	const struct ranges_row *all = row_of(src, COLL_ALL_REDUCE, src->s->reference),
	                        *gather = row_of(src, COLL_ALL_GATHER, src->s->reference),
	                        *scatter = row_of(src, COLL_REDUCE_SCATTER, src->s->reference);
	if (!all || !gather || !scatter)
		return;
	const struct summary_group *g = &src->s->groups[all->group];
	const size_t bytes = g->asked_bytes[g->nsizes - 1];
	double us[3];
	const struct ranges_row *const rows[] = {all, gather, scatter};
	for (unsigned i = 0; i < 3; i++) {
		const struct summary_group *of = &src->s->groups[rows[i]->group];
		const struct summary_row *row =
		    index_at(src->s, rows[i]->variant, rows[i]->group, of->nsizes - 1);
		if (of->asked_bytes[of->nsizes - 1] != bytes)
			return;
		us[i] = row->time_us;
	}
	say(src,
	    "Software: at %s all_reduce takes %s µs, all_gather %s and reduce_scatter %s. "
	    "Sharded optimizers (ZeRO) need the latter two, %.2f times all_reduce's time.",
	    words_size(bytes).text, words_number(us[0]).text, words_number(us[1]).text,
	    words_number(us[2]).text, (us[1] + us[2]) / us[0]);
}

static void say_busy(const struct source *src)
{
	double most = NAN;
	for (unsigned i = 0; i < src->e->nrows; i++)
		if ((int)src->e->rows[i].variant == src->s->reference)
			most = fmax(most, src->e->rows[i].sm_percent);
	if (most < 50)
		say(src,
		    "Software: overlap. Collectives keep at most %.3g %% of the SMs busy; the "
		    "rest is free for computing.",
		    most);
}

int ranges_make(const struct summary *s, const struct evidence *e, const struct pairs *p,
                struct ranges *out, struct status *st)
{
	struct source src = {s, e, p, out};
	unsigned most = 0;
	*out = (struct ranges){.n = 0};
	for (unsigned g = 0; g < s->ngroups; g++)
		most += is_swept(s, g) ? s->nvariants : 0;
	if (!most || !s->carries_data)
		return 0;
	out->rows = calloc(most, sizeof *out->rows);
	if (!out->rows)
		return status_set(st, "out of memory for the ranges of sizes");
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants && is_swept(s, g); v++)
			out->n += summary_is_asked(s, v) && take(s, g, v, &out->rows[out->n]);
	const struct ranges_row *best = best_of(&src);
	if (!best)
		return 0;
	say_sizes(&src);
	say_parts(&src);
	say_busy(&src);
	say_links(&src, best);
	say_variants(&src, best);
	return 0;
}

void ranges_free(struct ranges *r)
{
	free(r->rows);
	*r = (struct ranges){.n = 0};
}

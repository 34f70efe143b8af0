#include "pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank_evidence.h"
#include "stats.h"
#include "words.h"

struct source {
	const struct summary *s;
	const struct evidence *e;
	struct topology topology;
	struct pairs *out;
};

const char *pairs_kind_name(enum pairs_kind kind)
{
	static const char *const names[] = {"slow pair", "short link", "hot spot"};
	return names[kind];
}

static struct pairs_pair *find(const struct pairs *p, unsigned from, unsigned to)
{
	bool none = from == to || from >= p->nranks || to >= p->nranks || !p->n;
	return none ? NULL : &p->pairs[from * p->nranks + to];
}

const struct pairs_pair *pairs_find(const struct pairs *p, unsigned from, unsigned to)
{
	return find(p, from, to);
}

static void say(struct pairs *p, enum pairs_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct pairs *p, enum pairs_kind kind, const char *format, ...)
{
	va_list list;
	if (p->ntexts == PAIRS_TEXTS) {
		p->more++;
		return;
	}
	struct pairs_text *text = &p->texts[p->ntexts++];
	text->kind = kind;
	va_start(list, format);
	vsnprintf(text->text, sizeof text->text, format, list);
	va_end(list);
}

/* "48.1", or "47 to 49.3" where they differ. */
static struct words between(double lo, double hi)
{
	struct words text = words_number(lo);
	if (strcmp(text.text, words_number(hi).text))
		words_add(text.text, sizeof text.text, " to %s", words_number(hi).text);
	return text;
}

/* --- devices of ranks --- */

/* What a worker of the pairs' variant said; NULL: nothing. */
static const char *fact(const struct source *src, int worker, const char *key)
{
	return summary_fact(src->s, src->out->variant, worker, key);
}

static void take_pcie(const struct source *src, unsigned rank, struct pairs_rank *r)
{
	const struct topology_gpu *gpu = &src->topology.gpus[r->gpu];
	char key[32];
	snprintf(key, sizeof key, "pcie_%u", rank);
	const char *text = fact(src, -1, key);
	r->gen = gpu->gen;
	r->gen_max = gpu->gen_max;
	r->width = gpu->width;
	r->width_max = gpu->width_max;
	r->has_pcie = text && sscanf(text, "%u %u %u %u", &r->gen, &r->width, &r->gen_max,
	                             &r->width_max) == 4;
}

/* The rank's GPU, or the core that its worker was bound to: -1. */
static int take_device(const struct source *src, unsigned rank, unsigned each)
{
	struct pairs_rank *r = &src->out->ranks[rank];
	char key[32];
	int core = -1;
	*r = (struct pairs_rank){.gpu = -1,
	                         .numa = -1,
	                         .bridge = -1,
	                         .nvlink_gbs = NAN,
	                         .pcie_gbs = NAN,
	                         .sent_bytes = NAN,
	                         .received_gbs = NAN,
	                         .last = NAN,
	                         .nvlink_tx_gbs = NAN,
	                         .nvlink_rx_gbs = NAN,
	                         .pcie_tx_gbs = NAN,
	                         .pcie_rx_gbs = NAN};
	snprintf(key, sizeof key, "device_%u", rank);
	const char *device = fact(src, -1, key), *at = device ? strstr(device, " at ") : NULL;
	const char *bind = device ? NULL : fact(src, (int)(rank / each), "bind");
	snprintf(r->device, sizeof r->device, "%.90s", device ? device : bind ? bind : "");
	if (at)
		r->gpu = topology_gpu(&src->topology, at + 4);
	if (bind && sscanf(bind, "core %d", &core) != 1)
		core = -1;
	const struct topology_core *place = topology_core(&src->topology, core);
	if (place)
		r->numa = place->numa;
	if (r->gpu < 0)
		return core;
	struct topology_gpu *gpu = &src->topology.gpus[r->gpu];
	take_pcie(src, rank, r);
	gpu->gen = r->gen;
	gpu->width = r->width;
	r->numa = gpu->numa;
	r->nvlinks = links_up(gpu);
	r->nvlink_gbs = links_nvlink_gbs(gpu);
	r->pcie_gbs = links_pcie_gbs(gpu->gen_max, gpu->width_max);
	for (unsigned i = 0; i < gpu->nlinks; i++)
		r->to_switch += gpu->links[i].up && gpu->links[i].to == TOPOLOGY_SWITCH;
	src->out->gpus = true;
	links_short(&src->topology, (unsigned)r->gpu, r->has_pcie, r->remark, sizeof r->remark);
	return core;
}

/* --- what was measured --- */

static void take_row(const struct summary *s, unsigned variant, unsigned group,
                     struct pairs *out)
{
	const struct summary_group *g = &s->groups[group];
	struct pairs_pair *pair =
	    find(out, value_pair_from(g->cell.root), value_pair_to(g->cell.root, out->nranks));
	bool stream = g->cell.pace == PACE_STREAM;
	const struct summary_row *row = index_at(s, variant, group, stream ? g->nsizes - 1 : 0);
	if (!pair || !row || !row->ntrials)
		return;
	if (stream) {
		pair->gbs = summary_busbw(row);
		pair->share = pair->gbs.estimate / pair->link.theoretical_gbs;
		out->bytes = row->cell.bytes;
	} else {
		pair->p50_us = row->p50_us;
		pair->p95_us = row->p95_us;
		pair->p99_us = row->p99_us;
		out->small_bytes = row->cell.bytes;
	}
}

/* Of the same ranks as the pairs: a damaged record may say others. */
static bool is_of(const struct source *src, unsigned group, enum coll_kind coll)
{
	const struct summary_group *g = &src->s->groups[group];
	return g->cell.coll == coll && !g->limit && g->nranks == src->out->nranks &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks);
}

/* Counters of one rank while all send to all, at the largest size that has them. */
static int take_counters(const struct source *src, unsigned group, struct status *st)
{
	const struct evidence_row *at = NULL;
	for (unsigned i = 0; i < src->e->nrows; i++) {
		const struct evidence_row *row = &src->e->rows[i];
		if (row->variant == (unsigned)src->out->variant && row->group == group &&
		    (!at || row->size > at->size))
			at = row;
	}
	for (unsigned r = 0; at && r < src->out->nranks; r++) {
		double x[RANK_FIGURES];
		unsigned blocks;
		struct pairs_rank *rank = &src->out->ranks[r];
		if (rank_evidence_make(src->s, at, r, x, &blocks, st))
			return -1;
		rank->nvlink_tx_gbs = x[RANK_NVLINK_TX];
		rank->nvlink_rx_gbs = x[RANK_NVLINK_RX];
		rank->pcie_tx_gbs = x[RANK_PCIE_TX];
		rank->pcie_rx_gbs = x[RANK_PCIE_RX];
	}
	return 0;
}

static int take_all(const struct source *src, unsigned group, struct status *st)
{
	struct pairs *p = src->out;
	const struct summary_group *g = &src->s->groups[group];
	const struct summary_row *row =
	    index_at(src->s, (unsigned)p->variant, group, g->nsizes - 1);
	if (!row || !row->ranks)
		return 0;
	double part = (double)row->cell.bytes / p->nranks;
	p->all_bytes = row->cell.bytes;
	for (unsigned to = 0; to < p->nranks; to++) {
		double gbs = part / row->ranks[to].finish_us / 1e3;
		p->ranks[to].sent_bytes = part * (p->nranks - 1);
		p->ranks[to].received_gbs = gbs * (p->nranks - 1);
		p->ranks[to].last = row->ranks[to].last;
		for (unsigned from = 0; from < p->nranks; from++)
			if (find(p, from, to))
				find(p, from, to)->all_gbs = gbs;
	}
	return take_counters(src, group, st);
}

static int take_measured(const struct source *src, struct status *st)
{
	for (unsigned g = 0; g < src->s->ngroups; g++) {
		if (is_of(src, g, COLL_PAIR))
			take_row(src->s, (unsigned)src->out->variant, g, src->out);
		if (is_of(src, g, COLL_ALLTOALL) &&
		    src->s->groups[g].cell.pace == PACE_STREAM && take_all(src, g, st))
			return -1;
	}
	return 0;
}

/* Which way the library's log says that a pair goes; several transports with commas. */
static void take_path(const struct source *src)
{
	const struct record_run *run = src->s->run;
	struct pairs *p = src->out;
	struct path path;
	struct status ignored = {""};
	for (unsigned i = 0; i < run->npaths; i++) {
		if (strcmp(run->paths[i].variant, src->s->variants[p->variant].name) ||
		    path_from_json(run->paths[i].path, &path, &ignored))
			continue;
		for (unsigned k = 0; k < path.nlinks; k++) {
			const struct path_link *link = &path.links[k];
			struct pairs_pair *pair = link->from < p->nranks && link->to < p->nranks
			                              ? find(p, link->from, link->to)
			                              : NULL;
			if (!pair)
				continue;
			words_add(pair->via, sizeof pair->via, "%s%s, %u channel%s",
			          pair->via[0] ? "; " : "", link->via, link->channels,
			          words_plural(link->channels));
		}
		path_free(&path);
	}
}

/* --- judged --- */

static int make_classes(struct pairs *p, struct status *st)
{
	const unsigned most = p->nranks * p->nranks;
	double *x = malloc(3 * most * sizeof *x), lo, hi;
	if (!x)
		return status_set(st, "out of memory for the classes of pairs");
	double *gbs = x + most, *us = gbs + most;
	for (unsigned class = 0; class < LINKS_CLASSES; class ++) {
		struct pairs_class *c = &p->classes[p->nclasses];
		unsigned n = 0;
		for (unsigned i = 0; i < most; i++) {
			const struct pairs_pair *pair = find(p, i / p->nranks, i % p->nranks);
			if (!pair || pair->link.class != class)
				continue;
			x[n] = pair->link.theoretical_gbs;
			gbs[n] = pair->gbs.estimate;
			us[n++] = pair->p50_us;
		}
		if (!n)
			continue;
		c->class = (enum links_class) class;
		c->pairs = n;
		stats_spread(x, n, &lo, &c->theoretical_gbs, &hi);
		stats_spread(gbs, n, &c->gbs_min, &c->gbs_median, &c->gbs_max);
		stats_spread(us, n, &c->us_min, &c->us_median, &c->us_max);
		p->nclasses++;
	}
	free(x);
	return 0;
}

static void judge(struct pairs *p, const struct pairs_class *c, struct pairs_pair *pair)
{
	const struct pairs_pair *back = find(p, pair->to, pair->from);
	const double least = links_info(c->class)->least_share * pair->link.theoretical_gbs;
	char *text = pair->remark;
	const size_t bytes = sizeof pair->remark;
	if (c->pairs >= PAIRS_CLASS && pair->gbs.hi < PAIRS_SLOW * c->gbs_median)
		words_add(text, bytes, "%s GB/s, where its class reaches %s",
		          words_number(pair->gbs.estimate).text,
		          words_number(c->gbs_median).text);
	if (pair->gbs.hi < PAIRS_SLOW * back->gbs.lo)
		words_add(text, bytes, "%s%s GB/s, and %s on the way back", text[0] ? "; " : "",
		          words_number(pair->gbs.estimate).text,
		          words_number(back->gbs.estimate).text);
	if (least > 0 && pair->gbs.hi < least)
		words_add(text, bytes, "%s%s GB/s, below its class's range from %s up",
		          text[0] ? "; " : "", words_number(pair->gbs.estimate).text,
		          words_number(least).text);
	if (c->pairs >= PAIRS_CLASS && pair->p50_us > PAIRS_LATE * c->us_median)
		words_add(text, bytes, "%sp50 of %s µs, where its class takes %s",
		          text[0] ? "; " : "", words_number(pair->p50_us).text,
		          words_number(c->us_median).text);
	if (text[0])
		say(p, PAIRS_SLOW_PAIR, "Pair %u to %u (%s) is slow: %s.", pair->from, pair->to,
		    links_info(c->class)->name, text);
}

static void judge_all(struct pairs *p)
{
	for (unsigned r = 0; r < p->nranks; r++)
		if (p->ranks[r].remark[0])
			say(p, PAIRS_SHORT_LINK, "Rank %u, %s: %s.", r, p->ranks[r].device,
			    p->ranks[r].remark);
	for (unsigned c = 0; c < p->nclasses; c++)
		for (unsigned i = 0; i < p->nranks * p->nranks; i++) {
			struct pairs_pair *pair = find(p, i / p->nranks, i % p->nranks);
			if (pair && pair->link.class == p->classes[c].class)
				judge(p, &p->classes[c], pair);
		}
}

/* Where traffic of several GPUs meets: a link that more pairs cross than one GPU has. */
static void say_meeting(struct pairs *p)
{
	unsigned all = p->nranks * (p->nranks - 1);
	for (unsigned i = 0; i < p->nedges; i++) {
		const struct links_edge *e = &p->edges[i];
		if (e->pairs < p->nranks)
			continue;
		say(p, PAIRS_HOT_SPOT, "All at once, %u of %u pairs share one link: %s%s%s%s.",
		    e->pairs, all, e->name, isnan(e->gbs) ? "" : " (",
		    isnan(e->gbs) ? "" : words_number(e->gbs).text,
		    isnan(e->gbs) ? "" : " GB/s each way)");
		return;
	}
}

/* What a rank receives of all, beside what its fastest pair brings alone. Both differ in size
 * and in who sends, so that no cause is named: of a link that pairs share, say_meeting. */
static void say_shared(struct pairs *p)
{
	const unsigned others = p->nranks - 1;
	unsigned slowest = 0;
	double least = NAN, alone = NAN;
	for (unsigned to = 0; to < p->nranks; to++) {
		double best = NAN;
		for (unsigned from = 0; from < p->nranks; from++)
			if (find(p, from, to))
				best = fmax(best, find(p, from, to)->gbs.estimate);
		double share = p->ranks[to].received_gbs / best;
		if (share < least || isnan(least)) {
			least = share;
			alone = best;
			slowest = to;
		}
	}
	if (!(least < PAIRS_SLOW))
		return;
	const struct words all = words_number(p->ranks[slowest].received_gbs),
	                   part = words_size(p->all_bytes / p->nranks),
	                   one = words_number(alone), bytes = words_size(p->bytes);
	if (others == 1)
		say(p, PAIRS_HOT_SPOT,
		    "Both ways at once, rank %u receives %s GB/s (%s); one way alone, %s GB/s "
		    "(%s). The second direction and the size differ.",
		    slowest, all.text, part.text, one.text, bytes.text);
	else
		say(p, PAIRS_HOT_SPOT,
		    "While all send to all, both ways at once, rank %u receives %s GB/s (%s from "
		    "each). One way alone, its fastest pair brings %s GB/s (%s).",
		    slowest, all.text, part.text, one.text, bytes.text);
}

void pairs_judged_say(const struct pairs *p, char *text, size_t bytes)
{
	double least = NAN, most = NAN;
	unsigned wrong = p->more;
	bool judged = true;
	for (unsigned i = 0; i < p->nranks * p->nranks; i++) {
		const struct pairs_pair *pair = find(p, i / p->nranks, i % p->nranks);
		if (!pair)
			continue;
		judged &= isnan(pair->gbs.estimate) || !isnan(pair->gbs.hi);
		least = fmin(least, pair->gbs.estimate);
		most = fmax(most, pair->gbs.estimate);
	}
	for (unsigned i = 0; i < p->ntexts; i++)
		wrong += p->texts[i].kind != PAIRS_HOT_SPOT;
	snprintf(text, bytes, "%s",
	         judged && !wrong ? "No pair is slow, and no link is short of what it could be."
	                          : "");
	if (!judged)
		snprintf(text, bytes,
		         "Too few blocks were measured to call a pair slow: alone, pairs reach "
		         "%s GB/s.",
		         between(least, most).text);
}

/* What joins each two ranks, by their GPUs (below 0: none) or cores. */
static void link_ranks(struct source *src, const int *gpus, const int *cores)
{
	struct pairs *p = src->out;
	for (unsigned i = 0; i < p->nranks * p->nranks; i++) {
		unsigned a = i / p->nranks, b = i % p->nranks;
		bool known = gpus[a] >= 0 && gpus[b] >= 0 && gpus[a] != gpus[b];
		p->pairs[i] = (struct pairs_pair){
		    .from = a,
		    .to = b,
		    .link =
		        known ? links_gpus(&src->topology, (unsigned)gpus[a], (unsigned)gpus[b])
		              : links_cores(&src->topology, cores[a], cores[b]),
		    .gbs = STATS_NO_INTERVAL,
		    .share = NAN,
		    .all_gbs = NAN,
		    .p50_us = NAN,
		    .p95_us = STATS_NO_INTERVAL,
		    .p99_us = STATS_NO_INTERVAL};
		if (known && p->ranks[a].bridge < 0 &&
		    links_share_switch(&src->topology, (unsigned)gpus[a], (unsigned)gpus[b]))
			p->ranks[a].bridge = (int)(b < a ? b : a);
	}
	p->nedges = links_edges(&src->topology, gpus, p->nranks, p->edges);
}

static int make(struct source *src, struct status *st)
{
	struct pairs *p = src->out;
	const struct summary_variant *v = &src->s->variants[p->variant];
	unsigned procs, threads, each = 1;
	int *gpus = malloc(2 * (p->nranks + 1) * sizeof *gpus), *cores;
	int rc = -1;
	if (sscanf(v->layout, "%ux%ux%u", &procs, &threads, &each) != 3 || !each)
		each = 1;
	p->ranks = calloc(p->nranks + 1, sizeof *p->ranks);
	p->pairs = calloc((size_t)p->nranks * p->nranks + 1, sizeof *p->pairs);
	p->edges = calloc(LINKS_EDGES, sizeof *p->edges);
	if (!gpus || !p->ranks || !p->pairs || !p->edges) {
		status_set(st, "out of memory for the pairs");
		goto end;
	}
	cores = gpus + p->nranks;
	p->n = p->nranks * (p->nranks - 1);
	for (unsigned r = 0; r < p->nranks; r++) {
		cores[r] = take_device(src, r, each);
		gpus[r] = p->ranks[r].gpu;
	}
	link_ranks(src, gpus, cores);
	if (take_measured(src, st))
		goto end;
	take_path(src);
	if (make_classes(p, st))
		goto end;
	judge_all(p);
	say_meeting(p);
	say_shared(p);
	rc = 0;
end:
	free(gpus);
	return rc;
}

int pairs_make(const struct summary *s, const struct evidence *e, struct pairs *out,
               struct status *st)
{
	struct source src = {.s = s, .e = e, .out = out};
	struct status why = {""};
	const json_t *json = json_object_get(s->run->environment, "topology");
	int variant = s->reference;
	*out = (struct pairs){.variant = -1};
	for (unsigned v = 0; v < s->nvariants && variant < 0; v++)
		if (s->variants[v].measured && s->variants[v].role != ROLE_LIMIT)
			variant = (int)v;
	if (!json || variant < 0 || !s->ngroups || s->groups[0].nranks > PAIRS_RANKS)
		return 0;
	if (topology_from_json(json, &src.topology, &why)) {
		snprintf(out->why, sizeof out->why, "%.150s", why.text);
		return 0;
	}
	out->variant = variant;
	out->nranks = s->groups[0].nranks;
	int rc = out->nranks > 1 ? make(&src, st) : 0;
	topology_free(&src.topology);
	if (rc)
		pairs_free(out);
	return rc;
}

void pairs_free(struct pairs *p)
{
	free(p->pairs);
	free(p->ranks);
	free(p->edges);
	*p = (struct pairs){.variant = -1};
}

void pairs_class_say(const struct pairs_class *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s, %u pair%s", links_info(c->class)->name, c->pairs,
	         words_plural(c->pairs));
	if (!isnan(c->gbs_median))
		words_add(text, bytes, ": %s GB/s one way, alone",
		          between(c->gbs_min, c->gbs_max).text);
	if (!isnan(c->gbs_median / c->theoretical_gbs))
		words_add(text, bytes, ", the median %.0f %% of %s in theory",
		          100 * c->gbs_median / c->theoretical_gbs,
		          words_number(c->theoretical_gbs).text);
	if (!isnan(c->us_median))
		words_add(text, bytes, "%s p50 %s µs", isnan(c->gbs_median) ? ":" : ";",
		          between(c->us_min, c->us_max).text);
}

#include "versions.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define LARGE_FROM ((size_t)16 << 20)
#define NONE       UINT_MAX

/* One version's variants; NONE: not there. */
struct pick {
	const char *version;
	unsigned variants[VERSIONS_MODES];
};

const char *versions_mode_name(enum versions_mode mode)
{
	static const char *const names[] = {"threads", "processes", "single"};
	return names[mode];
}

int versions_order(const char *a, const char *b)
{
	return strverscmp(a, b);
}

static const char *library_file(const struct summary *s, unsigned v)
{
	return s->variants[v].settings ? s->variants[v].settings->nccl : "";
}

static bool has_mode(const struct summary *s, unsigned v, enum versions_mode mode)
{
	static const enum placing placed[] = {PLACED_THREADS, PLACED_PROCESSES, PLACED_ALONE};
	return s->variants[v].placing == placed[mode];
}

static bool is_in(const struct summary *s, unsigned v)
{
	return summary_is_asked(s, v) && s->variants[v].measured && *s->variants[v].library;
}

/* The variant of a mode that is `like` in all else, library included. */
static unsigned sibling(const struct summary *s, unsigned like, enum versions_mode mode)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_in(s, v) && has_mode(s, v, mode) &&
		    !strcmp(s->variants[v].library, s->variants[like].library) &&
		    !strcmp(library_file(s, v), library_file(s, like)) &&
		    summary_like(s, v, like))
			return v;
	return NONE;
}

static bool has_version(const struct pick *picks, unsigned n, const char *version)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(picks[i].version, version))
			return true;
	return false;
}

static int by_version(const void *a, const void *b)
{
	return versions_order(((const struct pick *)a)->version,
	                      ((const struct pick *)b)->version);
}

/* Each version that has both modes with the settings of variant `like`; of two files of one
 * version the first. `picks` has room for all variants. */
static unsigned picks_find(const struct summary *s, unsigned like, struct pick *picks)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		struct pick pick = {s->variants[v].library, {NONE, NONE, NONE}};
		if (!is_in(s, v) || has_version(picks, n, pick.version) ||
		    !summary_like(s, v, like))
			continue;
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			pick.variants[mode] = sibling(s, v, (enum versions_mode)mode);
		if (pick.variants[VERSIONS_THREADS] != NONE &&
		    pick.variants[VERSIONS_PROCESSES] != NONE)
			picks[n++] = pick;
	}
	qsort(picks, n, sizeof *picks, by_version);
	return n;
}

/* Whose settings count; NONE where nothing was measured. */
static unsigned like_whom(const struct summary *s)
{
	for (unsigned v = 0; v < s->nvariants && s->reference < 0; v++)
		if (is_in(s, v))
			return v;
	return s->reference < 0 ? NONE : (unsigned)s->reference;
}

/* Whether threads and processes with these settings were asked for at all, on any library. */
static bool asks_for_both(const struct summary *s, unsigned like)
{
	bool asked[VERSIONS_MODES] = {false};
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			asked[mode] |= summary_is_asked(s, v) &&
			               has_mode(s, v, (enum versions_mode)mode) &&
			               summary_like(s, v, like);
	return asked[VERSIONS_THREADS] && asked[VERSIONS_PROCESSES];
}

/* Whether a variant is of this version: by its trials, or where it has none by its file. */
static bool is_of(const struct summary *s, unsigned v, const char *version)
{
	if (is_in(s, v))
		return !strcmp(s->variants[v].library, version);
	for (unsigned i = 0; i < s->nvariants; i++)
		if (is_in(s, i) && !strcmp(s->variants[i].library, version) &&
		    !strcmp(library_file(s, i), library_file(s, v)))
			return true;
	return false;
}

/* Why a version has no such mode, or "" where it has. */
static void say_absent(const struct summary *s, unsigned like, const char *version,
                       enum versions_mode mode, char *why, size_t bytes)
{
	snprintf(why, bytes, "no variant of %s is like %s there", versions_mode_name(mode),
	         s->variants[like].name);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (summary_is_asked(s, v) && is_of(s, v, version) && has_mode(s, v, mode) &&
		    summary_like(s, v, like)) {
			contrast_absent(s, s->variants[v].name, why, bytes);
			if (!why[0])
				return;
		}
}

static void say_version(const struct summary *s, unsigned like, const char *version, char *text,
                        size_t bytes)
{
	char why[2][CONTRAST_WHY_BYTES];
	for (unsigned mode = 0; mode < 2; mode++)
		say_absent(s, like, version, (enum versions_mode)mode, why[mode],
		           sizeof why[mode]);
	if (!why[0][0] && !why[1][0])
		snprintf(why[0], sizeof why[0], "threads and processes are of two files of it");
	words_add(text, bytes, "%sNCCL %s is left out: %s%s%s.", *text ? " " : "", version,
	          why[0], why[0][0] && why[1][0] ? "; " : "", why[1]);
}

/* Versions that were measured, but not in both modes with these settings. */
static void say_missing(const struct summary *s, unsigned like, const struct pick *picks,
                        unsigned n, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *version = s->variants[v].library;
		bool first = is_in(s, v) && !has_version(picks, n, version);
		for (unsigned i = 0; i < v && first; i++)
			first = !is_in(s, i) || strcmp(s->variants[i].library, version);
		if (first)
			say_version(s, like, version, text, bytes);
	}
}

/* The versions to be compared, ascending, and how many; none or at least two. `picks` has room
 * for as many as there are variants. `missing`: struct versions'. */
static unsigned picks_make(const struct summary *s, struct pick *picks, char *missing,
                           size_t bytes)
{
	unsigned n = 0, like = like_whom(s);
	missing[0] = '\0';
	if (like != NONE && asks_for_both(s, like)) {
		n = picks_find(s, like, picks);
		say_missing(s, like, picks, n, missing, bytes);
	}
	/* Of one version alone there is nothing to say but why it is alone. */
	return n < 2 ? 0 : n;
}

/* What one collective is made from. */
struct maker {
	const struct summary *s;
	const struct evidence *evidence;
	const struct pick *picks;
	unsigned nmodes, nrows;
	/* Of the entries that are made: */
	enum regime_kind kind;
	enum metric metric;
	enum pace pace;
	struct claim_range range;
	const struct regime *regime; /* or NULL */
};

static bool is_large(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			if (s->groups[g].cell.pace == PACE_STREAM && !s->groups[g].limit &&
			    s->groups[g].asked_bytes[i] >= LARGE_FROM)
				return true;
	return false;
}

static struct claim_range range_of(const struct summary *s, const struct gap *gap)
{
	if (gap->from[0])
		return gap->bytes;
	return (struct claim_range){is_large(s) ? LARGE_FROM : 0, SIZE_MAX};
}

/* At the largest size that was read with counters. */
static double dram_of(const struct maker *m, unsigned variant, enum coll_kind coll)
{
	double dram = NAN;
	size_t largest = 0;
	for (unsigned i = 0; i < m->evidence->nrows; i++) {
		const struct evidence_row *row = &m->evidence->rows[i];
		const struct summary_group *g = &m->s->groups[row->group];
		if (row->variant != variant || g->cell.coll != coll ||
		    g->bytes[row->size] <= largest || isnan(row->dram_per_nvlink))
			continue;
		largest = g->bytes[row->size];
		dram = row->dram_per_nvlink;
	}
	return dram;
}

/* Whether the collective was measured so, and of how many ranks. */
static bool has_cells(const struct maker *m, struct versions_coll *c)
{
	for (unsigned g = 0; g < m->s->ngroups; g++) {
		const struct summary_group *group = &m->s->groups[g];
		if (group->cell.coll == c->coll && group->cell.pace == m->pace && !group->limit)
			c->nranks = group->nranks;
	}
	return c->nranks;
}

static unsigned variant_at(const struct maker *m, unsigned row, unsigned mode)
{
	return m->picks[row].variants[mode];
}

/* As the regime does it everywhere: a verdict beyond its noise stands. */
static void withhold(const struct maker *m, struct verdict *v)
{
	if (m->regime)
		regime_withhold(m->regime, fmax(m->regime->least_effect, v->margin), v);
}

/* One side of a row, from the contrast with the same mode one version below. */
static struct versions_side side_of(const struct maker *m, const struct contrast *c,
                                    enum coll_kind coll, bool first)
{
	const bool large = m->kind == REGIME_LARGE;
	const double scale = contrast_is_time(m->metric) ? 1e-3 : 1; /* times are in ns */
	struct versions_side side = {
	    .variant = c->left,
	    .name = m->s->variants[c->left].name,
	    .value = c->left_side.value * scale,
	    .lo = c->left_side.lo * scale,
	    .hi = c->left_side.hi * scale,
	    .data_path = large ? m->evidence->paths[c->left].data_path : "",
	    .dram_per_nvlink = large ? dram_of(m, c->left, coll) : NAN,
	    .change = first ? verdict_make(NULL, 0, m->s->margin) : c->verdict};
	withhold(m, &side.change);
	return side;
}

static int row_make(const struct maker *m, const struct contrast_select *select, unsigned i,
                    struct versions_coll *out, struct status *st)
{
	struct versions_row *row = &out->rows[i];
	struct contrast c;
	row->version = m->picks[i].version;
	if (contrast_make(m->s, variant_at(m, i, VERSIONS_PROCESSES),
	                  variant_at(m, i, VERSIONS_THREADS), m->metric, select, &c, st))
		return -1;
	row->verdict = c.verdict;
	withhold(m, &row->verdict);
	out->ncells = c.ncells;
	out->nblocks = c.nblocks;
	out->sizes = c.sizes;
	memcpy(out->why, c.why, sizeof out->why);
	for (unsigned mode = 0; mode < m->nmodes; mode++) {
		if (contrast_make(m->s, variant_at(m, i, mode),
		                  variant_at(m, i ? i - 1 : 0, mode), m->metric, select, &c,
		                  st))
			return -1;
		row->sides[mode] = side_of(m, &c, out->coll, i == 0);
	}
	return 0;
}

/* All figures rest on the cells and blocks that every one of the variants has. */
static int coll_make(const struct maker *m, struct versions_coll *c, struct status *st)
{
	unsigned n = m->nrows * m->nmodes, *with = malloc(n * sizeof *with);
	const struct contrast_select select = {.bytes = m->range,
	                                       .pace = (int)m->pace,
	                                       .coll = (int)c->coll,
	                                       .with = with,
	                                       .nwith = n};
	int rc = 0;
	c->rows = calloc(m->nrows, sizeof *c->rows);
	if (!with || !c->rows)
		rc = status_set(st, "out of memory for comparing versions");
	for (unsigned i = 0; i < n && rc == 0; i++)
		with[i] = variant_at(m, i / m->nmodes, i % m->nmodes);
	for (unsigned i = 0; i < m->nrows && rc == 0; i++)
		rc = row_make(m, &select, i, c, st);
	free(with);
	return rc;
}

static int colls_make(const struct maker *m, struct versions *v, struct status *st)
{
	for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
		struct versions_coll *c = &v->colls[v->ncolls];
		*c = (struct versions_coll){
		    .coll = (enum coll_kind)kind, .regime = m->kind, .metric = m->metric};
		if (kind == COLL_INIT || !has_cells(m, c))
			continue;
		v->ncolls++;
		if (coll_make(m, c, st))
			return -1;
	}
	return 0;
}

/* Where small sizes have a regime of isolated calls. */
static int small_make(struct maker m, const struct regimes *regimes, struct versions *v,
                      struct status *st)
{
	m.regime = regimes_find(regimes, REGIME_SMALL);
	if (!m.regime || m.regime->metric != METRIC_LATENCY)
		return 0;
	m.kind = REGIME_SMALL;
	m.metric = METRIC_LATENCY;
	m.pace = PACE_ISOLATED;
	m.range = m.regime->range;
	return colls_make(&m, v, st);
}

int versions_make(const struct summary *s, const struct regimes *regimes, const struct gap *gap,
                  const struct evidence *evidence, struct versions *out, struct status *st)
{
	struct pick *picks = calloc(s->nvariants + 1, sizeof *picks);
	struct versions v = {.nrows = 0};
	if (!picks)
		return status_set(st, "out of memory for comparing versions");
	if (s->carries_data && !s->uncompared[0])
		v.nrows = picks_make(s, picks, v.missing, sizeof v.missing);
	bool single = true;
	for (unsigned i = 0; i < v.nrows; i++)
		single &= picks[i].variants[VERSIONS_SINGLE] != NONE;
	v.nmodes = single ? VERSIONS_MODES : VERSIONS_SINGLE;
	const struct maker m = {.s = s,
	                        .evidence = evidence,
	                        .picks = picks,
	                        .nmodes = v.nmodes,
	                        .nrows = v.nrows,
	                        .kind = REGIME_LARGE,
	                        .metric = METRIC_BUSBW,
	                        .pace = PACE_STREAM,
	                        .range = range_of(s, gap),
	                        .regime = regimes_find(regimes, REGIME_LARGE)};
	int rc = v.nrows && (colls_make(&m, &v, st) || small_make(m, regimes, &v, st)) ? -1 : 0;
	free(picks);
	if (rc)
		versions_free(&v);
	else
		*out = v;
	return rc;
}

void versions_free(struct versions *v)
{
	for (unsigned i = 0; i < v->ncolls; i++)
		free(v->colls[i].rows);
	*v = (struct versions){0};
}

/* --- in words --- */

struct words versions_title(const struct versions_coll *c)
{
	struct words w;
	snprintf(w.text, sizeof w.text, "%s%s", coll_info(c->coll)->name,
	         c->regime == REGIME_SMALL ? ", latency" : "");
	return w;
}

/* Versions that one sentence says: their verdict, with an interval that holds all of theirs,
 * and the least and the most of their ratios. */
struct together {
	struct verdict v;
	double least, most;
};

/* "88.5 %", or of several "88.5 to 89.0 %"; `digits` after the point. */
static struct words figures(double least, double most, int digits, const char *unit)
{
	struct words lo, w;
	snprintf(lo.text, sizeof lo.text, "%.*f", digits, least);
	snprintf(w.text, sizeof w.text, "%.*f", digits, most);
	bool one = !strcmp(lo.text, w.text);
	snprintf(w.text, sizeof w.text, "%.30s%s%.*f%s", one ? "" : lo.text, one ? "" : " to ",
	         digits, most, unit);
	return w;
}

/* "processes reach 79.6 % of threads' bandwidth (78.8 to 81.5 %)"; of times the ratio is that
 * of speeds. */
static void say_ratio(const struct together *of, bool time, char *text, size_t bytes)
{
	const struct verdict *v = &of->v;
	const struct stats_ratio *r = &v->ratio;
	const char *all = of->least < of->most ? "intervals within " : "";
	if (time && verdict_beyond(v))
		words_add(text, bytes, "processes take %s times threads' time (%s%s)",
		          figures(1 / of->most, 1 / of->least, 2, "").text, all,
		          figures(1 / r->hi, 1 / r->lo, 2, "").text);
	else if (verdict_beyond(v) < 0)
		words_add(text, bytes,
		          "processes reach %s of threads' bandwidth (%s%.1f to %.1f %%)",
		          figures(100 * of->least, 100 * of->most, 1, " %").text, all,
		          100 * r->lo, 100 * r->hi);
	else if (verdict_beyond(v) > 0)
		words_add(text, bytes,
		          "processes reach %s times threads' bandwidth (%s%s to %s)",
		          figures(of->least, of->most, 2, "").text, all,
		          words_number(r->lo).text, words_number(r->hi).text);
	else if (verdict_within(v))
		words_add(
		    text, bytes,
		    "processes and threads have the same %s within %.3g %% (%s, %s%.3f to "
		    "%.3f)",
		    time ? "latency" : "bandwidth", 100 * v->margin,
		    figures(of->least, of->most, 3, "").text, all, r->lo, r->hi);
	else {
		char unseen[64];
		verdict_unseen_text(v->detectable, unseen, sizeof unseen);
		words_add(text, bytes,
		          "it is undecided whether processes and threads differ (%s, %s%.3f to "
		          "%.3f): %s",
		          figures(of->least, of->most, 3, "").text, all, r->lo, r->hi, unseen);
	}
}

/* Of versions from `at` on that have too few blocks for an interval: each one's own ratio. */
static unsigned say_few(const struct versions *v, const struct versions_coll *c, unsigned at,
                        bool time, char *text)
{
	unsigned n = at;
	snprintf(text, VERSIONS_SAY_BYTES, "Processes reach");
	for (; n < v->nrows && isnan(c->rows[n].verdict.ratio.lo); n++)
		words_add(text, VERSIONS_SAY_BYTES,
		          n > at ? ", %.3f with NCCL %s"
		          : time ? " %.3f times threads' speed with NCCL %s"
		                 : " %.3f times threads' bandwidth with NCCL %s",
		          c->rows[n].verdict.ratio.estimate, c->rows[n].version);
	words_add(text, VERSIONS_SAY_BYTES, ": too few blocks for a verdict.");
	return n;
}

/* Whether a mode's data took the other way from there on: by the library's log, and by the
 * counters where they were read. */
static bool took_other_way(const struct versions_side *from, const struct versions_side *to)
{
	bool staged = !strcmp(to->data_path, "staged");
	double more = to->dram_per_nvlink - from->dram_per_nvlink;
	return !strcmp(from->data_path, staged ? "direct" : "staged") &&
	       (staged || !strcmp(to->data_path, "direct")) &&
	       (isnan(more) || (staged ? more > 0 : more < 0));
}

/* Whether a change's interval decides that a mode did not gain (or lose), even where it reaches
 * beyond the margin on the other side, which decides nothing else. */
static bool is_cleared(const struct verdict *change, bool gain)
{
	double edge = log1p(change->margin);
	return gain ? log(change->ratio.hi) <= edge : log(change->ratio.lo) >= -edge;
}

/* What a mode's own bandwidth did from one version to the next, where its verdict says so; and
 * that the other did not do what would have moved their ratio as well. */
static unsigned say_change(const struct versions_row *from, const struct versions_row *to,
                           unsigned mode, bool time, char *text)
{
	const size_t bytes = VERSIONS_SAY_BYTES;
	const unsigned other = mode == VERSIONS_THREADS ? VERSIONS_PROCESSES : VERSIONS_THREADS;
	const struct versions_side *x = &from->sides[mode], *y = &to->sides[mode];
	const bool lost = verdict_beyond(&y->change) < 0;
	if (!verdict_effect(&y->change))
		return 0;
	const char *unit = time ? "µs" : "GB/s";
	snprintf(text, bytes, "From %s to %s %s %s: from %s to %s %s", from->version,
	         to->version, versions_mode_name((enum versions_mode)mode),
	         time   ? lost ? "became slower" : "became faster"
	         : lost ? "lost bandwidth"
	                : "gained bandwidth",
	         words_number(x->value).text, words_number(y->value).text, unit);
	if (took_other_way(x, y)) {
		words_add(text, bytes, "; their data path went from %s to %s", x->data_path,
		          y->data_path);
		if (!isnan(x->dram_per_nvlink) && !isnan(y->dram_per_nvlink))
			words_add(text, bytes, " (DRAM bytes per NVLink byte from %s to %s)",
			          words_number(x->dram_per_nvlink).text,
			          words_number(y->dram_per_nvlink).text);
	}
	if (is_cleared(&to->sides[other].change, lost))
		words_add(text, bytes, "; %s %s (%s to %s %s)",
		          versions_mode_name((enum versions_mode)other),
		          time   ? lost ? "did not become faster" : "did not become slower"
		          : lost ? "gained none"
		                 : "lost none",
		          words_number(from->sides[other].value).text,
		          words_number(to->sides[other].value).text, unit);
	words_add(text, bytes, ".");
	return 1;
}

/* Whether the same sentence says both. */
static bool is_alike(const struct verdict *a, const struct verdict *b)
{
	return isnan(a->ratio.lo) == isnan(b->ratio.lo) &&
	       verdict_decided(a) == verdict_decided(b) &&
	       verdict_beyond(a) == verdict_beyond(b);
}

/* Versions of one verdict, from `at` to *last. */
static struct together together_from(const struct versions *v, const struct versions_row *rows,
                                     unsigned at, unsigned *last)
{
	struct together of = {.v = rows[at].verdict};
	of.least = of.most = of.v.ratio.estimate;
	for (*last = at; *last + 1 < v->nrows && is_alike(&rows[*last + 1].verdict, &of.v);
	     ++*last) {
		const struct verdict *next = &rows[*last + 1].verdict;
		of.least = fmin(of.least, next->ratio.estimate);
		of.most = fmax(of.most, next->ratio.estimate);
		of.v.ratio.lo = fmin(of.v.ratio.lo, next->ratio.lo);
		of.v.ratio.hi = fmax(of.v.ratio.hi, next->ratio.hi);
		of.v.detectable = fmax(of.v.detectable, next->detectable);
	}
	return of;
}

unsigned versions_say(const struct versions *v, unsigned coll,
                      char text[VERSIONS_SENTENCES][VERSIONS_SAY_BYTES])
{
	const struct versions_coll *c = &v->colls[coll];
	const struct versions_row *rows = c->rows;
	const bool time = contrast_is_time(c->metric);
	unsigned n = 0;
	if (c->why[0])
		snprintf(text[n++], VERSIONS_SAY_BYTES,
		         "Nothing can be said by version: %.400s.", c->why);
	/* A change says at most a sentence for each mode. */
	for (unsigned at = 0, last; !c->why[0] && at < v->nrows && n + 3 <= VERSIONS_SENTENCES;
	     at = last + 1) {
		struct together of = together_from(v, rows, at, &last);
		if (isnan(of.v.ratio.lo)) {
			last = say_few(v, c, at, time, text[n++]) - 1;
			continue;
		}
		snprintf(text[n], VERSIONS_SAY_BYTES, "With NCCL %s%s%s ", rows[at].version,
		         last > at ? " to " : "", last > at ? rows[last].version : "");
		say_ratio(&of, time, text[n], VERSIONS_SAY_BYTES);
		words_add(text[n++], VERSIONS_SAY_BYTES, ".");
		for (unsigned mode = 0; at && mode <= VERSIONS_PROCESSES; mode++)
			if (verdict_decided(&rows[at].verdict) &&
			    verdict_decided(&rows[at - 1].verdict))
				n += say_change(&rows[at - 1], &rows[at], mode, time, text[n]);
	}
	return n;
}

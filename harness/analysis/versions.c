#include "versions.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
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

/* What picks are looked for among. */
struct search {
	const struct summary *s;
	json_t **settings; /* per variant: all that versions and modes have to have in common */
};

static const json_t *variant_of(const struct summary *s, unsigned v)
{
	return json_array_get(json_object_get(s->run->environment, "variants"), v);
}

static const char *library_file(const struct summary *s, unsigned v)
{
	const char *file = json_string_value(json_object_get(variant_of(s, v), "nccl"));
	return file ? file : "";
}

/* Asked for, whether it was measured or not. */
static bool is_planned(const struct summary *s, unsigned v)
{
	return s->variants[v].role == ROLE_VARIANT || s->variants[v].role == ROLE_REFERENCE;
}

static bool is_in(const struct summary *s, unsigned v)
{
	return is_planned(s, v) && s->variants[v].measured && *s->variants[v].library;
}

static int settings_take(struct search *find)
{
	static const char *const left_out[] = {"name", "role",   "skip",
	                                       "mode", "layout", "nccl"};
	const char *key;
	json_t *value;
	void *next;
	find->settings = calloc(find->s->nvariants, sizeof *find->settings);
	if (!find->settings)
		return -1;
	for (unsigned v = 0; v < find->s->nvariants; v++) {
		find->settings[v] =
		    json_copy((json_t *)(uintptr_t)variant_of(find->s, v)); /* jansson has no
		                                                               const */
		if (!find->settings[v])
			return -1;
		for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
			json_object_del(find->settings[v], left_out[i]);
		json_object_foreach_safe(find->settings[v], next, key, value)
		{
			if (settings_is_check(key))
				json_object_del(find->settings[v], key);
		}
	}
	return 0;
}

static void settings_drop(struct search *find)
{
	for (unsigned v = 0; find->settings && v < find->s->nvariants; v++)
		json_decref(find->settings[v]);
	free(find->settings);
}

/* The variant of a mode that is `like` in all else, library included. */
static unsigned sibling(const struct search *find, unsigned like, enum versions_mode mode)
{
	const struct summary *s = find->s;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_in(s, v) && !strcmp(s->variants[v].mode, versions_mode_name(mode)) &&
		    !strcmp(s->variants[v].library, s->variants[like].library) &&
		    !strcmp(library_file(s, v), library_file(s, like)) &&
		    json_equal(find->settings[v], find->settings[like]))
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
static unsigned picks_find(const struct search *find, unsigned like, struct pick *picks)
{
	unsigned n = 0;
	for (unsigned v = 0; v < find->s->nvariants; v++) {
		struct pick pick = {find->s->variants[v].library, {NONE, NONE, NONE}};
		if (!is_in(find->s, v) || has_version(picks, n, pick.version) ||
		    !json_equal(find->settings[v], find->settings[like]))
			continue;
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			pick.variants[mode] = sibling(find, v, (enum versions_mode)mode);
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
static bool asks_for_both(const struct search *find, unsigned like)
{
	bool asked[VERSIONS_MODES] = {false};
	for (unsigned v = 0; v < find->s->nvariants; v++)
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			asked[mode] |= is_planned(find->s, v) &&
			               !strcmp(find->s->variants[v].mode,
			                       versions_mode_name((enum versions_mode)mode)) &&
			               json_equal(find->settings[v], find->settings[like]);
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
static void say_absent(const struct search *find, unsigned like, const char *version,
                       enum versions_mode mode, char *why, size_t bytes)
{
	const struct summary *s = find->s;
	snprintf(why, bytes, "no variant of %s is like %s there", versions_mode_name(mode),
	         s->variants[like].name);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_planned(s, v) && is_of(s, v, version) &&
		    !strcmp(s->variants[v].mode, versions_mode_name(mode)) &&
		    json_equal(find->settings[v], find->settings[like])) {
			contrast_absent(s, s->variants[v].name, why, bytes);
			if (!why[0])
				return;
		}
}

static void say_version(const struct search *find, unsigned like, const char *version,
                        char *text, size_t bytes)
{
	char why[2][CONTRAST_WHY_BYTES];
	for (unsigned mode = 0; mode < 2; mode++)
		say_absent(find, like, version, (enum versions_mode)mode, why[mode],
		           sizeof why[mode]);
	if (!why[0][0] && !why[1][0])
		snprintf(why[0], sizeof why[0], "threads and processes are of two files of it");
	size_t at = strlen(text);
	snprintf(text + at, bytes - at, "%sNCCL %s is left out: %s%s%s.", at ? " " : "",
	         version, why[0], why[0][0] && why[1][0] ? "; " : "", why[1]);
}

/* Versions that were measured, but not in both modes with these settings. */
static void say_missing(const struct search *find, unsigned like, const struct pick *picks,
                        unsigned n, char *text, size_t bytes)
{
	const struct summary *s = find->s;
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *version = s->variants[v].library;
		bool first = is_in(s, v) && !has_version(picks, n, version);
		for (unsigned i = 0; i < v && first; i++)
			first = !is_in(s, i) || strcmp(s->variants[i].library, version);
		if (first)
			say_version(find, like, version, text, bytes);
	}
}

/* The versions to be compared, ascending; none or at least two. `picks` has room for as many as
 * there are variants. `missing`: struct versions'. -1: out of memory. */
static int picks_make(const struct summary *s, struct pick *picks, unsigned *n, char *missing,
                      size_t bytes)
{
	struct search find = {.s = s};
	unsigned like = like_whom(s);
	int rc = settings_take(&find);
	*n = 0;
	missing[0] = '\0';
	if (!rc && like != NONE && asks_for_both(&find, like)) {
		*n = picks_find(&find, like, picks);
		say_missing(&find, like, picks, *n, missing, bytes);
	}
	/* Of one version alone there is nothing to say but why it is alone. */
	if (*n < 2)
		*n = 0;
	settings_drop(&find);
	return rc;
}

/* What one collective is made from. */
struct maker {
	const struct summary *s;
	const struct evidence *evidence;
	const struct pick *picks;
	unsigned nmodes, nrows;
	struct claim_range range;
};

static bool is_large(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			if (s->groups[g].cell.pace == PACE_STREAM &&
			    !summary_is_limit(s, &s->groups[g]) &&
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

/* The sizes that the range holds. False: the collective was not measured as a stream. */
static bool sizes_find(const struct maker *m, struct versions_coll *c)
{
	bool streams = false;
	for (unsigned g = 0; g < m->s->ngroups; g++) {
		const struct summary_group *group = &m->s->groups[g];
		if (group->cell.coll != c->coll || group->cell.pace != PACE_STREAM ||
		    summary_is_limit(m->s, group))
			continue;
		streams = true;
		c->nranks = group->nranks;
		for (unsigned i = 0; i < group->nsizes; i++) {
			size_t asked = group->asked_bytes[i];
			if (asked < m->range.lo || asked > m->range.hi)
				continue;
			c->lo = !c->hi || asked < c->lo ? asked : c->lo;
			c->hi = asked > c->hi ? asked : c->hi;
		}
	}
	return streams;
}

static unsigned variant_at(const struct maker *m, unsigned row, unsigned mode)
{
	return m->picks[row].variants[mode];
}

/* One side of a row, from the contrast with the same mode one version below. */
static struct versions_side side_of(const struct maker *m, const struct contrast *c,
                                    enum coll_kind coll, bool first)
{
	return (struct versions_side){.variant = c->left,
	                              .name = m->s->variants[c->left].name,
	                              .gbs = c->left_side.value,
	                              .lo = c->left_side.lo,
	                              .hi = c->left_side.hi,
	                              .data_path = m->evidence->paths[c->left].data_path,
	                              .dram_per_nvlink = dram_of(m, c->left, coll),
	                              .change = first ? verdict_make(NULL, 0, m->s->margin)
	                                              : c->verdict};
}

static int row_make(const struct maker *m, const struct contrast_select *select, unsigned i,
                    struct versions_coll *out, struct status *st)
{
	struct versions_row *row = &out->rows[i];
	struct contrast c;
	row->version = m->picks[i].version;
	if (contrast_make(m->s, variant_at(m, i, VERSIONS_PROCESSES),
	                  variant_at(m, i, VERSIONS_THREADS), METRIC_BUSBW, select, &c, st))
		return -1;
	row->verdict = c.verdict;
	out->ncells = c.ncells;
	out->nblocks = c.nblocks;
	memcpy(out->why, c.why, sizeof out->why);
	for (unsigned mode = 0; mode < m->nmodes; mode++) {
		if (contrast_make(m->s, variant_at(m, i, mode),
		                  variant_at(m, i ? i - 1 : 0, mode), METRIC_BUSBW, select, &c,
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
	                                       .pace = PACE_STREAM,
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
		*c = (struct versions_coll){.coll = (enum coll_kind)kind};
		if (!sizes_find(m, c))
			continue;
		v->ncolls++;
		if (coll_make(m, c, st))
			return -1;
	}
	return 0;
}

int versions_make(const struct summary *s, const struct gap *gap,
                  const struct evidence *evidence, struct versions *out, struct status *st)
{
	struct pick *picks = calloc(s->nvariants + 1, sizeof *picks);
	struct versions v = {.nrows = 0};
	int rc = -1;
	if (!picks || (s->carries_data && !s->trouble[0] &&
	               picks_make(s, picks, &v.nrows, v.missing, sizeof v.missing))) {
		status_set(st, "out of memory for comparing versions");
		goto done;
	}
	bool single = true;
	for (unsigned i = 0; i < v.nrows; i++)
		single &= picks[i].variants[VERSIONS_SINGLE] != NONE;
	v.nmodes = single ? VERSIONS_MODES : VERSIONS_SINGLE;
	const struct maker m = {s, evidence, picks, v.nmodes, v.nrows, range_of(s, gap)};
	rc = v.nrows ? colls_make(&m, &v, st) : 0;
done:
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

/* A text that grows, as far as there is room. */
struct said {
	char *text;
	size_t bytes;
};

static void __attribute__((format(printf, 2, 3)))
add(const struct said *said, const char *format, ...)
{
	size_t at = strlen(said->text);
	va_list args;
	va_start(args, format);
	vsnprintf(said->text + at, said->bytes - at, format, args);
	va_end(args);
}

/* Rows first to last have one verdict. */
struct stretch {
	unsigned first, last;
};

static struct stretch stretch_at(const struct versions *v, const struct versions_coll *c,
                                 unsigned first)
{
	unsigned last = first;
	while (last + 1 < v->nrows &&
	       c->rows[last + 1].verdict.kind == c->rows[first].verdict.kind)
		last++;
	return (struct stretch){first, last};
}

/* "2.21.5", "2.21.5 and 2.22.3", "2.19.3 to 2.22.3" */
static void say_versions(const struct said *said, const struct versions_coll *c,
                         struct stretch at)
{
	add(said, at.first ? "; with " : "With NCCL ");
	add(said, "%s", c->rows[at.first].version);
	if (at.last > at.first)
		add(said, "%s%s", at.last == at.first + 1 ? " and " : " to ",
		    c->rows[at.last].version);
}

/* One version's ratio with its interval, of several the least and the most, once where they are
 * written alike. */
static void say_ratio(const struct said *said, const struct versions_coll *c, struct stretch at)
{
	char text[64], most[32];
	double lo = INFINITY, hi = 0;
	if (at.first == at.last) {
		words_ratio(&c->rows[at.first].verdict.ratio, true, text, sizeof text);
		add(said, "%s", text);
		return;
	}
	for (unsigned i = at.first; i <= at.last; i++) {
		lo = fmin(lo, c->rows[i].verdict.ratio.estimate);
		hi = fmax(hi, c->rows[i].verdict.ratio.estimate);
	}
	words_number(lo, text, sizeof text);
	words_number(hi, most, sizeof most);
	add(said, strcmp(text, most) ? "%s to %s" : "%s", text, most);
}

static void say_verdict(const struct said *said, const struct versions_coll *c,
                        struct stretch at)
{
	const struct verdict *verdict = &c->rows[at.first].verdict;
	bool interval = !isnan(verdict->ratio.lo);
	switch (verdict->kind) {
	case VERDICT_NO_DIFFERENCE:
		add(said, " %s alike within %.3g %%",
		    at.first ? "they are" : "threads and processes are", 100 * verdict->margin);
		return;
	case VERDICT_UNDECIDED:
		add(said, " it is undecided, with ");
		say_ratio(said, c, at);
		add(said, " of threads' bandwidth in processes%s",
		    interval ? "" : " and too few blocks for an interval");
		return;
	default:
		add(said, " processes reach ");
		say_ratio(said, c, at);
		add(said, verdict->kind == VERDICT_SLOWER ? " of threads' bandwidth"
		                                          : " times threads' bandwidth");
	}
}

/* A step from one version to the next, at which the verdict changes. */
struct step {
	const struct versions_row *from, *to;
	bool up; /* processes gain against threads */
};

/* What a mode would have done, had it made the ratio move as it did. */
static enum verdict_kind blamed(const struct step *step, enum versions_mode mode)
{
	return step->up == (mode == VERSIONS_PROCESSES) ? VERDICT_FASTER : VERDICT_SLOWER;
}

static bool is_to_blame(const struct step *step, enum versions_mode mode)
{
	return step->to->sides[mode].change.kind == blamed(step, mode);
}

/* Whether it is decided that the mode did not: the whole interval is short of the margin on
 * that side, even where it reaches beyond it on the other, which decides nothing else. */
static bool is_innocent(const struct step *step, enum versions_mode mode)
{
	const struct verdict *change = &step->to->sides[mode].change;
	double edge = log1p(change->margin);
	return blamed(step, mode) == VERDICT_FASTER ? log(change->ratio.hi) <= edge
	                                            : log(change->ratio.lo) >= -edge;
}

static void say_change(const struct said *said, const struct step *step,
                       enum versions_mode mode)
{
	char from[32], to[32];
	words_number(step->from->sides[mode].gbs, from, sizeof from);
	words_number(step->to->sides[mode].gbs, to, sizeof to);
	add(said, "%s → %s GB/s", from, to);
}

/* Whether the mode's data took the other way from there on, a slower one when it became slower:
 * by the library's log, and by the counters where they were read. */
static bool took_other_way(const struct step *step, enum versions_mode mode)
{
	const struct versions_side *from = &step->from->sides[mode],
	                           *to = &step->to->sides[mode];
	bool slower = blamed(step, mode) == VERDICT_SLOWER;
	if (strcmp(from->data_path, slower ? "direct" : "staged") ||
	    strcmp(to->data_path, slower ? "staged" : "direct"))
		return false;
	return isnan(from->dram_per_nvlink) || isnan(to->dram_per_nvlink) ||
	       (slower ? to->dram_per_nvlink > from->dram_per_nvlink
	               : to->dram_per_nvlink < from->dram_per_nvlink);
}

static void say_cause(const struct said *said, const struct step *step, enum versions_mode mode)
{
	const char *name = versions_mode_name(mode);
	const struct versions_side
	    *from = &step->from->sides[mode],
	    *to = &step->to->sides[mode],
	    *other =
	        &step->to
	             ->sides[mode == VERSIONS_THREADS ? VERSIONS_PROCESSES : VERSIONS_THREADS];
	if (!took_other_way(step, mode)) {
		add(said, "%s became %s (", name,
		    blamed(step, mode) == VERDICT_SLOWER ? "slower" : "faster");
		say_change(said, step, mode);
		add(said, ")");
		return;
	}
	add(said, "%s are %s there%s (", name, to->data_path,
	    strcmp(to->data_path, other->data_path) ? "" : " too");
	if (!isnan(from->dram_per_nvlink) && !isnan(to->dram_per_nvlink)) {
		char before[32], after[32];
		words_number(from->dram_per_nvlink, before, sizeof before);
		words_number(to->dram_per_nvlink, after, sizeof after);
		add(said, "DRAM bytes per NVLink byte %s in place of %s, ", after, before);
	}
	say_change(said, step, mode);
	add(said, ")");
}

/* ", because …, not because …"; nothing where no verdict says so. */
static void say_why(const struct said *said, const struct step *step)
{
	const char *lead = ", because ";
	bool any = false;
	for (unsigned mode = 0; mode <= VERSIONS_PROCESSES; mode++) {
		if (!is_to_blame(step, (enum versions_mode)mode))
			continue;
		add(said, "%s", lead);
		say_cause(said, step, (enum versions_mode)mode);
		lead = " and ";
		any = true;
	}
	for (unsigned mode = 0; mode <= VERSIONS_PROCESSES && any; mode++) {
		if (!is_innocent(step, (enum versions_mode)mode))
			continue;
		add(said, ", not because %s became %s (",
		    versions_mode_name((enum versions_mode)mode),
		    blamed(step, (enum versions_mode)mode) == VERDICT_SLOWER ? "slower"
		                                                             : "faster");
		say_change(said, step, (enum versions_mode)mode);
		add(said, ")");
	}
}

/* Where the verdict stands among those that are decided; 0: it is not. */
static int rank_of(enum verdict_kind kind)
{
	return kind == VERDICT_SLOWER          ? 1
	       : kind == VERDICT_NO_DIFFERENCE ? 2
	       : kind == VERDICT_FASTER        ? 3
	                                       : 0;
}

void versions_say(const struct versions *v, unsigned coll, char *text, size_t bytes)
{
	const struct versions_coll *c = &v->colls[coll];
	const struct said said = {text, bytes};
	struct stretch at;
	text[0] = '\0';
	if (c->why[0]) {
		add(&said, "Nothing can be said by version: %s.", c->why);
		return;
	}
	for (unsigned i = 0; i < v->nrows; i = at.last + 1) {
		at = stretch_at(v, c, i);
		say_versions(&said, c, at);
		say_verdict(&said, c, at);
		if (!i)
			continue;
		int before = rank_of(c->rows[i - 1].verdict.kind),
		    now = rank_of(c->rows[i].verdict.kind);
		struct step step = {&c->rows[i - 1], &c->rows[i], now > before};
		if (before && now)
			say_why(&said, &step);
	}
	add(&said, ".");
}

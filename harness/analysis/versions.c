#include "versions.h"

#include <stdlib.h>
#include <string.h>

#include "contrast.h"

const char *versions_mode_name(enum versions_mode mode)
{
	static const char *const names[] = {"threads", "processes", "single"};
	return names[mode];
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

/* Whether a variant is of a mode and otherwise the same as another one, library included. */
static bool is_sibling(const struct summary *s, unsigned v, unsigned like, enum versions_mode mode)
{
	return is_in(s, v) && has_mode(s, v, mode) &&
	       !strcmp(s->variants[v].library, s->variants[like].library) &&
	       summary_like(s, v, like);
}

static unsigned sibling(const struct summary *s, unsigned like, enum versions_mode mode)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_sibling(s, v, like, mode) &&
		    !strcmp(library_file(s, v), library_file(s, like)))
			return v;
	return VERSIONS_NONE;
}

static bool has_version(const struct versions_pick *picks, unsigned n, const char *version)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(picks[i].version, version))
			return true;
	return false;
}

/* Number by number: 2.9 is below 2.21. */
static int by_version(const void *a, const void *b)
{
	return strverscmp(((const struct versions_pick *)a)->version,
	                  ((const struct versions_pick *)b)->version);
}

/* Each version that has both modes with the settings of variant `like`; of two files of one
 * version the first. `picks` has room for all variants. */
static unsigned picks_find(const struct summary *s, unsigned like, struct versions_pick *picks)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		struct versions_pick pick = {s->variants[v].library,
		                             {VERSIONS_NONE, VERSIONS_NONE, VERSIONS_NONE}};
		if (!is_in(s, v) || has_version(picks, n, pick.version) ||
		    !summary_like(s, v, like))
			continue;
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			pick.variants[mode] = sibling(s, v, mode);
		if (pick.variants[VERSIONS_THREADS] != VERSIONS_NONE &&
		    pick.variants[VERSIONS_PROCESSES] != VERSIONS_NONE)
			picks[n++] = pick;
	}
	qsort(picks, n, sizeof *picks, by_version);
	return n;
}

/* The variant that gives the settings; VERSIONS_NONE if nothing was measured. */
static unsigned like_whom(const struct summary *s)
{
	for (unsigned v = 0; v < s->nvariants && s->reference < 0; v++)
		if (is_in(s, v))
			return v;
	return s->reference < 0 ? VERSIONS_NONE : (unsigned)s->reference;
}

/* Whether threads and processes with these settings were asked for at all, on any library. */
static bool asks_for_both(const struct summary *s, unsigned like)
{
	bool asked[VERSIONS_MODES] = {false};
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			asked[mode] |= summary_is_asked(s, v) && has_mode(s, v, mode) &&
			               summary_like(s, v, like);
	return asked[VERSIONS_THREADS] && asked[VERSIONS_PROCESSES];
}

/* Whether a variant is of this version: by its trials, or by its file if it has none. */
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

/* Why a version has no such mode. */
static struct reason absent_of(const struct summary *s, unsigned like, const char *version,
                               enum versions_mode mode)
{
	struct reason why = {.kind = REASON_NO_MODE,
	                     .of = s->variants[like].name,
	                     .detail = versions_mode_name(mode)};
	for (unsigned v = 0; v < s->nvariants && why.kind; v++)
		if (summary_is_asked(s, v) && is_of(s, v, version) && has_mode(s, v, mode) &&
		    summary_like(s, v, like))
			why = contrast_absent(s, s->variants[v].name);
	return why;
}

static struct versions_remark missing_of(const struct summary *s, unsigned like,
                                         const char *version)
{
	return (struct versions_remark){.version = version,
	                                .why = {absent_of(s, like, version, VERSIONS_THREADS),
	                                        absent_of(s, like, version, VERSIONS_PROCESSES)}};
}

/* Versions that were measured, but not in both modes with these settings. */
static unsigned missing_find(const struct summary *s, unsigned like,
                             const struct versions_pick *picks, unsigned npicks,
                             struct versions_remark *missing)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *version = s->variants[v].library;
		bool first = is_in(s, v) && !has_version(picks, npicks, version);
		for (unsigned i = 0; i < v && first; i++)
			first = !is_in(s, i) || strcmp(s->variants[i].library, version);
		if (first)
			missing[n++] = missing_of(s, like, version);
	}
	return n;
}

/* Picks that other variants could replace. */
static unsigned several_find(const struct summary *s, const struct versions_pick *picks,
                             unsigned npicks, unsigned nmodes, struct arena *arena,
                             struct versions_remark *several)
{
	unsigned n = 0;
	for (unsigned i = 0; i < npicks * nmodes; i++) {
		const unsigned mode = i % nmodes, taken = picks[i / nmodes].variants[mode];
		char others[512] = "";
		for (unsigned v = 0; v < s->nvariants; v++)
			if (v != taken && is_sibling(s, v, taken, mode))
				status_list(others, sizeof others, s->variants[v].name);
		if (others[0])
			several[n++] =
			    (struct versions_remark){.version = picks[i / nmodes].version,
			                             .mode = versions_mode_name(mode),
			                             .taken = s->variants[taken].name,
			                             .others = arena_copy(arena, others)};
	}
	return n;
}

void versions_find(const struct summary *s, struct arena *arena, struct versions *out)
{
	const unsigned like = like_whom(s);
	*out = (struct versions){.nmodes = VERSIONS_MODES};
	if (!s->carries_data || s->uncompared.kind || like == VERSIONS_NONE ||
	    !asks_for_both(s, like))
		return;
	out->picks = ARENA_ARRAY(arena, struct versions_pick, s->nvariants);
	out->remarks =
	    ARENA_ARRAY(arena, struct versions_remark, (1 + VERSIONS_MODES) * s->nvariants);
	out->n = picks_find(s, like, out->picks);
	out->nmissing = missing_find(s, like, out->picks, out->n, out->remarks);
	/* With one version alone there is nothing to report but why it is alone. */
	out->n = out->n < 2 ? 0 : out->n;
	for (unsigned i = 0; i < out->n; i++)
		if (out->picks[i].variants[VERSIONS_SINGLE] == VERSIONS_NONE)
			out->nmodes = VERSIONS_SINGLE;
	out->nremarks = out->nmissing + several_find(s, out->picks, out->n, out->nmodes, arena,
	                                             out->remarks + out->nmissing);
}

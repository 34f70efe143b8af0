/* Access patterns: how fast a GPU, or a core, reads and writes its own memory when neighbours take
 * elements that are apart, compared with elements side by side.
 *
 * For the collective `access` at its largest size in stream: bytes read and written over the time,
 * their share of the memory's limit, and what the memory's counters saw meanwhile. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/measure.h"
#include "chapters.h"

enum { SIDE_BY_SIDE = 1, APART = 2 }; /* of variants in the same pages */

struct row {
	const char *variant;
	unsigned stride;
	struct stats_interval gbs; /* read and written, of one rank; quartiles over blocks */
	double share;              /* of the memory's own limit; NaN: not known */
	struct stats_ratio ratio;  /* speed compared with the reference */
	double dram_gbs;           /* by counters; NaN: not read */
	double dram_per_byte;      /* bytes that the memory moved per byte requested */
	double limit_gbs;
	size_t huge_bytes; /* page size of its huge pages */
	size_t bytes;      /* of a copy */
	unsigned when;
	const struct settings *settings;
};

static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, stride, "apart", "", COUNT),
    COLUMN(struct row, gbs, "read and written", "GB/s", SPREAD),
    COLUMN(struct row, share, "of DRAM's limit", "", SHARE),
    COLUMN(struct row, ratio, "speed", "", RATIO),
    COLUMN(struct row, dram_gbs, "DRAM moved", "GB/s", NUMBER),
    COLUMN(struct row, dram_per_byte, "a byte asked for", "bytes", NUMBER),
    COLUMN(struct row, limit_gbs, "DRAM's limit", "GB/s", NUMBER),
    COLUMN(struct row, huge_bytes, "in huge pages", "", BYTES),
    COLUMN_AS(struct row, bytes, "bytes", "a copy", "", BYTES, ONLY_FILES),
};

static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "access", .title = "Access patterns",
               .when = offsetof(struct row, when));

static const struct sentence sentences[] = {
    {STORY_ANSWER, SIDE_BY_SIDE,
     "Side by side, elements are read and written at {gbs} GB/s[, {share} of the {limit_gbs} "
     "that DRAM has]."},
    {STORY_ANSWER, APART, "[Elements {stride} apart reach {gbs} GB/s|, {stride} apart {gbs}]."},
};

/* From the first trial of the variant that reports it. */
static size_t huge_bytes(const struct record_run *run, const char *variant)
{
	double most = NAN;
	for (unsigned i = 0; i < run->ncells; i++) {
		const json_t *facts = json_object_get(run->cells[i].json, "facts");
		for (size_t w = 0; w < json_array_size(facts); w++) {
			double bytes = measure_fact(json_array_get(facts, w), "huge_bytes");
			if (!strcmp(run->cells[i].variant, variant) && !isnan(bytes))
				most = isnan(most) || bytes > most ? bytes : most;
		}
	}
	return isnan(most) ? ENTRY_NO_BYTES : (size_t)most;
}

static const struct evidence_row *counted(const struct evidence *e, unsigned group,
                                          unsigned variant, unsigned size)
{
	for (unsigned i = 0; i < e->nrows; i++)
		if (e->rows[i].group == group && e->rows[i].variant == variant &&
		    e->rows[i].size == size)
			return &e->rows[i];
	return NULL;
}

static void fill(const struct analysis *a, unsigned group, unsigned variant, struct row *out)
{
	const struct summary *s = a->s;
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *row = index_at(s, variant, group, g->nsizes - 1);
	const struct evidence_row *e = counted(&a->evidence, group, variant, g->nsizes - 1);
	*out = (struct row){.variant = s->variants[variant].name,
	                    .stride = s->run->variants[variant].settings.stride,
	                    .gbs = summary_busbw(row),
	                    .ratio = row->ratio,
	                    .dram_gbs = e ? e->dram_gbs : NAN,
	                    .limit_gbs = e ? e->dram_gbs / e->dram_share : NAN,
	                    .huge_bytes = huge_bytes(s->run, s->variants[variant].name),
	                    .bytes = row->cell.bytes};
	out->share = out->gbs.estimate / out->limit_gbs;
	out->dram_per_byte = out->dram_gbs / out->gbs.estimate;
}

/* The first group of the collective that was measured in stream, or -1. */
static int group_of(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == COLL_ACCESS && s->groups[g].cell.pace == PACE_STREAM)
			return (int)g;
	return -1;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const int group = group_of(s);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nvariants);
	const struct settings *side = NULL;
	unsigned n = 0;
	for (unsigned v = 0; group >= 0 && v < s->nvariants; v++) {
		const struct summary_row *row =
		    index_at(s, v, (unsigned)group, s->groups[group].nsizes - 1);
		if (!summary_is_asked(s, v) || !row || !row->ntrials || isnan(row->busbw_gbs))
			continue;
		fill(a, (unsigned)group, v, &rows[n]);
		rows[n].settings = &s->run->variants[v].settings;
		if (rows[n].stride == 1 && !side) {
			side = rows[n].settings;
			rows[n].when = SIDE_BY_SIDE;
		}
		n++;
	}
	for (unsigned i = 0; side && i < n; i++)
		if (rows[i].stride > 1 && rows[i].settings->pages == side->pages)
			rows[i].when = APART;
	const struct story_table *t = story_table(story, &form, rows, n);
	if (!n)
		return;
	story_lead(story, t, "variant stride gbs share dram_per_byte");
	story_leads_unasked(story);
	story_picture(story, "access_busbw", true);
	STORY_TELL(story, t, sentences);
	story_say(
	    story, STORY_BODY, t, NULL, 0,
	    "One copy of {bytes} within a rank's own memory, every element once. Neighbouring "
	    "threads (on a CPU: one after the other) take elements so far apart. GB/s: what "
	    "is asked for, read and written. DRAM's figures are its counters'. More than one "
	    "byte for each that is asked for is what a transaction brought along and nobody "
	    "used.");
}

const struct chapter chapter_access = {"access", "Access patterns", CHAPTER_FRONT, tell};

/* Cliffs: sizes where bandwidth departs, beyond the noise, from what smaller sizes predict, and
 * what the library's channels have to do with it.
 *
 * A call costs a + bytes ÷ b. Then the slope of bandwidth over size, both on logarithmic axes, is
 * between 1 and 0 and never rises. So from one size to the next bandwidth should not fall. It
 * should grow no faster than in the step before, if there is one, and never faster than the size.
 * Both are judged like every gap here: one number per block, the bandwidth over the expected one,
 * with its signed-rank interval. Below 6 blocks nothing is named, nor if no regime distinguishes
 * variants.
 *
 * NCCL's log may say how many channels it gives a pair of ranks (analysis/channels.h). Then
 * channels explain a jump where a pair gets more, and no jump elsewhere. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/channels.h"
#include "chapters.h"
#include "run.h"

/* An interval has to be wholly beyond these. Smooth curves of real runs stay below 1.2. */
#define JUMPS_ABOVE 1.25
#define FALLS_BELOW 0.95
/* No step spans more than this factor in size: the sizes between were not measured. */
#define FAR   8
#define NAMED 4 /* jumps that the answer names */

enum kind { JUMP, FALL };
enum { ADVISE_JUMP = 1, ADVISE_FALL = 2 };

struct cliff {
	const char *collective, *kind, *variant; /* the reference, else where it is strongest */
	size_t from_bytes, to_bytes;
	double from_gbs, to_gbs;          /* bus bandwidth of that variant */
	double factor;                    /* bandwidth ÷ the expected least (fall: at to) */
	unsigned variants, measured;      /* how many show it, of how many; limits not counted */
	const char *who, *look, *between; /* variants that show it; what to look at; sizes, as
	                                   * BYTES */
	double more, less;                /* of a jump: factor; of a fall: 1 − factor */
	int limit;                        /* plain copies show it too: 1, do not: 0, were not
	                                     measured: -1 */
	unsigned group, at, to, when;
};

// clang-format off
static const struct column cliff_columns[] = {
    COLUMN(struct cliff, collective, "collective", "", TEXT),
    COLUMN(struct cliff, kind, "kind", "", TEXT),
    COLUMN(struct cliff, from_bytes, "from", "", BYTES),
    COLUMN(struct cliff, to_bytes, "to", "", BYTES),
    COLUMN(struct cliff, variant, "variant", "", TEXT),
    COLUMN(struct cliff, from_gbs, "there", "GB/s", NUMBER),
    COLUMN(struct cliff, to_gbs, "then", "GB/s", NUMBER),
    COLUMN(struct cliff, factor, "times what was to be expected", "", NUMBER),
    COLUMN(struct cliff, variants, "variants that show it", "", COUNT),
    COLUMN(struct cliff, measured, "of", "", COUNT),
    COLUMN_AS(struct cliff, more, "more", "times what was expected", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct cliff, less, "less", "less than expected", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct cliff, who, "who", "who show it", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct cliff, look, "look", "what to look at", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct cliff, between, "between", "sizes in between", "", TEXT, ONLY_FILES),
};
static const struct story_form cliff_form =
    STORY_FORM(struct cliff, cliff_columns, .name = "cliffs", .title = "Cliffs", .when = offsetof(struct cliff, when));

/* For variants that differ from the reference only in launch mode and library. Other variants turn
 * a switch to explain something; what is true of them need not be true of what they explain. */
static const struct sentence advice[] = {
    {STORY_ADVICE, ADVISE_JUMP, "Gather {collective} into calls of {to_bytes} and more where the program allows it: between {from_bytes} and {to_bytes} bus bandwidth jumps from {from_gbs} to {to_gbs} GB/s ({variant})."},
    {STORY_ADVICE, ADVISE_FALL, "Split {collective} into calls of {from_bytes} where the program allows it: between {from_bytes} and {to_bytes} bus bandwidth falls from {from_gbs} to {to_gbs} GB/s ({variant})."},
};

/* The step from one measured size to the next at which a pair gets more channels; or beyond the
 * last size. */
struct step {
	const char *collective, *variant, *found, *remedy;
	unsigned all, before, after; /* channels: for sends and receives; at the size below,
	                              * above */
	size_t chunk_bytes, bound_bytes; /* bound: the largest call that has as many as before */
	size_t to_bytes;
	double from_gbs, to_gbs;
	double predicted_gbs; /* at most, there: as many times from_gbs as channels, up to the
	                         limit; NaN without a figure */
	unsigned at, group, to; /* to: the group's size above; 0: none was measured */
};

static const struct column step_columns[] = {
    COLUMN(struct step, collective, "collective", "", TEXT),
    COLUMN(struct step, variant, "variant", "", TEXT),
    COLUMN(struct step, all, "channels", "", COUNT),
    COLUMN(struct step, chunk_bytes, "chunk", "", BYTES),
    COLUMN(struct step, before, "of a pair", "", COUNT),
    COLUMN(struct step, bound_bytes, "up to calls of", "", BYTES),
    COLUMN(struct step, after, "then", "", COUNT),
    COLUMN(struct step, to_bytes, "measured at", "", BYTES),
    COLUMN(struct step, from_gbs, "before", "GB/s", NUMBER),
    COLUMN(struct step, predicted_gbs, "predicted, up to", "GB/s", NUMBER),
    COLUMN(struct step, to_gbs, "measured", "GB/s", NUMBER),
    COLUMN(struct step, found, "found", "", TEXT),
    COLUMN_AS(struct step, remedy, "remedy", "what moves it", "", TEXT, ONLY_FILES),
};
static const struct story_form step_form =
    STORY_FORM(struct step, step_columns, .name = "channels", .title = "Channels of a pair of ranks", .when = STORY_NO_WHEN);
// clang-format on

/* --- cliffs --- */

static double log_bandwidth(const struct summary_row *row, unsigned block)
{
	for (unsigned i = 0; i < row->ntrials; i++)
		if (row->trials[i].block == block)
			return log((double)row->moved_bytes) - log(row->trials[i].time_ns);
	return NAN;
}

/* Two ratios over the blocks that hold all of them: how far the bandwidth at b exceeds what the
 * step before predicts (from `before` to a, NULL: none), and the bandwidth at a. */
static void judge(const struct summary *s, const struct summary_row *before,
                  const struct summary_row *a, const struct summary_row *b, double *logs,
                  struct stats_ratio *jump, struct stats_ratio *step)
{
	double *steps = logs + a->ntrials;
	double doubled = log((double)b->cell.bytes / (double)a->cell.bytes);
	unsigned n = 0;
	for (unsigned i = 0; i < a->ntrials; i++) {
		unsigned block = a->trials[i].block;
		double here = log_bandwidth(a, block), there = log_bandwidth(b, block);
		double slope = 1;
		if (before)
			slope = (here - log_bandwidth(before, block)) /
			        log((double)a->cell.bytes / (double)before->cell.bytes);
		if (isnan(here) || isnan(there) || isnan(slope))
			continue;
		slope = fmin(1, fmax(0, slope));
		logs[n] = there - here - slope * doubled;
		steps[n++] = there - here;
	}
	*jump = stats_ratio_of_logs(s->arena, logs, n, s->looks.confidence);
	*step = stats_ratio_of_logs(s->arena, steps, n, s->looks.confidence);
}

/* Whether a variant departs from its curve in this way between the group's sizes `to - 1` and `to`,
 * and by how much. What falls does not jump. */
static bool leaves(const struct summary *s, struct arena *arena, unsigned group, unsigned variant,
                   unsigned to, enum kind kind, double *factor)
{
	const unsigned place = index_place(s, group, to);
	const struct summary_row *a = index_row(s, variant, place - 1);
	const struct summary_row *b = index_row(s, variant, place);
	const struct summary_row *before = to > 1 ? index_row(s, variant, place - 2) : NULL;
	struct stats_ratio jump, step;
	if (!a || !b || !a->ntrials || !b->ntrials || isnan(b->busbw_gbs))
		return false;
	judge(s, before, a, b, ARENA_ARRAY(arena, double, 2 * a->ntrials), &jump, &step);
	const bool falls = step.hi < FALLS_BELOW;
	*factor = kind == FALL ? step.estimate : jump.estimate;
	return kind == FALL
	           ? falls
	           : !falls && jump.lo > JUMPS_ABOVE && b->cell.bytes <= FAR * a->cell.bytes;
}

/* Plain copies at the same two sizes. The same rules judge them. */
static int limit_leaves(const struct summary *s, struct arena *arena, unsigned group, unsigned to,
                        enum kind kind)
{
	const struct summary_group *g = &s->groups[group];
	for (unsigned k = 0; k < s->ngroups; k++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_group *l = &s->groups[k];
			double factor;
			unsigned i = 1;
			if (s->variants[v].role != ROLE_LIMIT || !s->variants[v].measured ||
			    !l->limit || l->cell.pace != g->cell.pace)
				continue;
			while (i < l->nsizes && l->bytes[i] != g->bytes[to])
				i++;
			if (i < l->nsizes && l->bytes[i - 1] == g->bytes[to - 1])
				return leaves(s, arena, k, v, i, kind, &factor);
		}
	return -1;
}

/* "64M", as in an experiment file. */
static void size_word(size_t bytes, char *text, size_t text_bytes)
{
	static const char units[] = " KMG";
	unsigned u = 0;
	while (u < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	snprintf(text, text_bytes, "%zu%.*s", bytes, u > 0, &units[u]);
}

/* Sizes between the two, as the value of BYTES. */
static const char *between(struct arena *arena, size_t lo, size_t hi)
{
	char from[32], to[32], step[32];
	size_word(lo, from, sizeof from);
	size_word(hi, to, sizeof to);
	size_word(hi - lo > 6 ? (hi - lo) / 6 : 1, step, sizeof step);
	return arena_text(arena, "BYTES='%s..%s +%s'", from, to, step);
}

/* The cliff of one kind on the way to a size, over all variants; false if there is none. */
static bool find(const struct summary *s, struct arena *arena, unsigned group, unsigned to,
                 enum kind kind, struct cliff *out)
{
	const struct summary_group *g = &s->groups[group];
	struct cliff c = {.collective = run_collective(arena, g),
	                  .kind = kind == JUMP ? "jump" : "fall",
	                  .from_bytes = g->asked_bytes[to - 1],
	                  .to_bytes = g->asked_bytes[to],
	                  .between = between(arena, g->asked_bytes[to - 1], g->asked_bytes[to]),
	                  .group = group,
	                  .to = to};
	char names[256] = "";
	double strongest = 0;
	bool reference = false;
	for (unsigned v = 0; v < s->nvariants; v++) {
		double factor;
		const struct summary_row *row = index_at(s, v, group, to);
		/* The twin is the reference measured again. */
		if (!row || !row->ntrials || !summary_is_asked(s, v))
			continue;
		c.measured++;
		if (!leaves(s, arena, group, v, to, kind, &factor))
			continue;
		c.variants++;
		status_list(names, sizeof names, s->variants[v].name);
		/* The reader knows the reference's figures best. */
		if (reference || ((int)v != s->reference && fabs(log(factor)) <= strongest))
			continue;
		reference = (int)v == s->reference;
		strongest = fabs(log(factor));
		c.factor = factor;
		c.more = kind == JUMP ? factor : NAN;
		c.less = kind == FALL ? 1 - factor : NAN;
		c.at = v;
		c.to_gbs = row->busbw_gbs;
		c.from_gbs = index_at(s, v, group, to - 1)->busbw_gbs;
	}
	if (s->reference >= 0 && summary_like(s, c.at, (unsigned)s->reference))
		c.when = kind == JUMP ? ADVISE_JUMP : ADVISE_FALL;
	c.variant = s->variants[c.at].name;
	c.who = c.variants == c.measured ? "every variant" : arena_copy(arena, names);
	c.limit = limit_leaves(s, arena, group, to, kind);
	c.look = c.limit == 1 ? "Plain copies show it too: look at the machine (caches, pages, "
	                        "links), not at the library."
	         : s->variants[c.at].traits->cliff_advice
	             ? s->variants[c.at].traits->cliff_advice
	             : "Look at what the library changes between these sizes.";
	*out = c;
	return c.variants > 0;
}

/* In streams. A step is one or the other in each variant. In different variants it may be both;
 * then the jump is named. */
static unsigned find_all(const struct summary *s, struct arena *arena, struct cliff *out)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (s->groups[g].cell.pace != PACE_STREAM || s->groups[g].limit)
			continue;
		for (unsigned to = 1; to < s->groups[g].nsizes; to++)
			if (find(s, arena, g, to, JUMP, &out[n]) ||
			    find(s, arena, g, to, FALL, &out[n]))
				n++;
	}
	return n;
}

/* --- channels --- */

/* By a variant's own log. The twin has none. */
static bool rule_of(const struct summary *s, unsigned variant, unsigned nranks,
                    struct channels *out)
{
	for (unsigned i = 0; i < s->run->npaths; i++) {
		struct path path;
		struct status why = {""};
		if (strcmp(s->run->paths[i].variant, s->variants[variant].name) ||
		    path_from_json(s->run->paths[i].path, &path, &why))
			continue;
		bool known = channels_rule(&path, nranks, out);
		path_free(&path);
		return known;
	}
	return false;
}

static double bandwidth(const struct summary *s, unsigned variant, unsigned group, unsigned size)
{
	const struct summary_row *row = index_at(s, variant, group, size);
	return row && row->ntrials ? row->busbw_gbs : NAN;
}

/* For one variant in one group: every size at which its pairs have more than at the one before, and
 * the next such size beyond the last. */
static unsigned steps_of(const struct summary *s, struct arena *arena, unsigned group,
                         unsigned variant, const struct channels *rule, struct step *out)
{
	const struct summary_group *g = &s->groups[group];
	const unsigned parts = channels_parts(g->cell.coll, g->cell.comm_ranks);
	unsigned n = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const bool last = i + 1 == g->nsizes;
		const size_t here = g->bytes[i] / parts, bound = channels_bound(rule, here);
		double factor;
		struct step step = {.collective = run_collective(arena, g),
		                    .variant = s->variants[variant].name,
		                    .all = rule->all,
		                    .chunk_bytes = rule->chunk_bytes,
		                    .bound_bytes = bound * parts,
		                    .before = channels_of(rule, here),
		                    .to_bytes = last ? ENTRY_NO_BYTES : g->asked_bytes[i + 1],
		                    .to_gbs = NAN,
		                    .predicted_gbs = NAN,
		                    .found = last ? "not measured" : "no break",
		                    .remedy = s->variants[variant].traits->channels_advice,
		                    .at = variant,
		                    .group = group,
		                    .to = last ? 0 : i + 1};
		if (!bound || (!last && g->bytes[i + 1] / parts <= bound))
			continue;
		step.after = channels_of(rule, last ? bound + 1 : g->bytes[i + 1] / parts);
		step.from_gbs = bandwidth(s, variant, group, i);
		if (!last) {
			step.to_gbs = bandwidth(s, variant, group, i + 1);
			step.predicted_gbs = fmin(step.from_gbs * step.after / step.before,
			                          summary_copies(s, g->bytes[i + 1]));
			if (leaves(s, arena, group, variant, i + 1, JUMP, &factor))
				step.found = "a jump";
		}
		out[n++] = step;
	}
	return n;
}

/* For every variant if its log says it. */
static unsigned steps_all(const struct summary *s, struct arena *arena, struct step *out)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_group *group = &s->groups[g];
			struct channels rule;
			if (group->cell.pace == PACE_STREAM && !group->limit &&
			    s->variants[v].measured &&
			    channels_parts(group->cell.coll, group->cell.comm_ranks) &&
			    rule_of(s, v, group->cell.comm_ranks, &rule))
				n += steps_of(s, arena, g, v, &rule, &out[n]);
		}
	return n;
}

/* --- in words --- */

/* The rows found, for sentences. */
struct found {
	const struct summary *s;
	struct story *story;
	const struct story_table *cliffs, *steps;
};

/* The step of its own variant that contains a cliff, or NULL. */
static const struct step *step_of(const struct found *f, const struct cliff *c)
{
	const struct step *steps = f->steps->rows;
	for (unsigned i = 0; i < f->steps->nrows && c->kind[0] == 'j'; i++)
		if (steps[i].group == c->group && steps[i].at == c->at && steps[i].to == c->to)
			return &steps[i];
	return NULL;
}

/* The next step of the same line, or NULL: a pair has all of its channels. */
static const struct step *step_after(const struct found *f, const struct step *step)
{
	const struct step *next = step + 1,
	                  *end = (const struct step *)f->steps->rows + f->steps->nrows;
	return next < end && next->group == step->group && next->at == step->at ? next : NULL;
}

/* Whether the cliff's variant has a rule at all, though none of its steps is here. */
static bool has_rule(const struct summary *s, const struct cliff *c)
{
	const struct cell *cell = &s->groups[c->group].cell;
	struct channels rule;
	return channels_parts(cell->coll, cell->comm_ranks) &&
	       rule_of(s, c->at, cell->comm_ranks, &rule);
}

/* Judged by the channels; false: they do not say it. If plain copies show it too, the library is
 * not its cause. */
static bool say_cause(const struct found *f, struct phrase *p, const struct cliff *c)
{
	const struct step *step = c->limit == 1 ? NULL : step_of(f, c), *next;
	if (!step && c->limit != 1 && c->kind[0] == 'j' && has_rule(f->s, c)) {
		phrase_words(p, " Channels do not explain it: by the library's log a pair of ranks "
		                "has as many at both sizes.");
		return true;
	}
	if (!step)
		return false;
	phrase_add_row(p, f->steps, step,
	               " Its cause is the number of channels: a pair of ranks has {before} of "
	               "{all} up to {bound_bytes}, and {after} at {to_bytes} (chunks of "
	               "{chunk_bytes}, by the library's log).");
	next = step_after(f, step);
	phrase_add_row(p, f->steps, next ? next : step,
	               next ? " The next step is beyond {bound_bytes}, to {after} channels."
	                    : " There is no further step: {after} are all that a pair gets.");
	phrase_add_row(p, f->steps, step, "[ {remedy}]");
	return true;
}

static void say_cliff(const struct found *f, const struct cliff *c)
{
	struct phrase p = phrase_begin(f->story);
	phrase_add_row(
	    &p, f->cliffs, c,
	    "{collective} {kind}s from {from_gbs} GB/s at {from_bytes} to {to_gbs} at "
	    "{to_bytes} in {who} (figures of {variant}): [{more:times} times what the "
	    "sizes before lead to, so that it is they that are slow.][{less} less, where "
	    "a larger size should not lose.]");
	if (c->limit == 0)
		phrase_words(&p, " Plain copies of the same sizes show none of it.");
	if (!say_cause(f, &p, c))
		phrase_add_row(&p, f->cliffs, c, " {look}");
	phrase_add_row(&p, f->cliffs, c, " Sizes in between show where: {between}.");
	phrase_end(&p, STORY_ITEM | STORY_NOTICE);
}

/* The setting in which the two differ, if there is only one: it moves the step. */
static void say_moved(const struct found *f, const struct step *one, const struct step *other)
{
	const struct step *rows = f->steps->rows;
	const unsigned at[] = {(unsigned)(one - rows), (unsigned)(other - rows)};
	char keys[256];
	if (settings_differ(&f->s->run->variants[one->at].settings,
	                    &f->s->run->variants[other->at].settings, keys, sizeof keys) != 1 ||
	    one->group != other->group || one->bound_bytes == other->bound_bytes)
		return;
	story_say(f->story, STORY_ANSWER, f->steps, at, 2,
	          arena_text(f->story->arena,
	                     "%s moves the jump: beyond {0.bound_bytes} in {0.variant}, beyond "
	                     "{1.bound_bytes} in {1.variant}.",
	                     strncmp(keys, "env.", 4) ? keys : keys + 4));
}

/* Jumps that channels explain, what moves them, and which comes next. */
static void say_channels(const struct found *f)
{
	const struct cliff *cliffs = f->cliffs->rows;
	const struct step *steps = f->steps->rows, *said[NAMED];
	unsigned n = 0;
	for (unsigned i = 0; i < f->cliffs->nrows && n < NAMED; i++) {
		const struct step *step = cliffs[i].limit == 1 ? NULL : step_of(f, &cliffs[i]);
		if (!step)
			continue;
		said[n++] = step;
		story_say_row(f->story, STORY_ANSWER, f->steps, step,
		              "{collective} of {variant} jumps from {from_gbs} to {to_gbs} GB/s "
		              "beyond {bound_bytes}: by the library's log a pair of ranks has "
		              "{before} of {all} channels up to there, and then {after}.");
	}
	for (unsigned i = 1; i < n; i++)
		say_moved(f, said[i], said[0]);
	for (unsigned i = 0; n && i < f->steps->nrows; i++)
		if ((int)steps[i].at == f->s->reference && !steps[i].to)
			story_say_row(
			    f->story, STORY_ANSWER, f->steps, &steps[i],
			    "{variant} has {before} channels for a pair: its next jump is "
			    "beyond {bound_bytes}, which was not measured.");
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	size_t sizes = 1;
	for (unsigned g = 0; g < s->ngroups; g++)
		sizes += s->groups[g].nsizes;
	if (!s->carries_data || !run_few_groups(s) || !regimes_tell(&a->regimes))
		return;
	struct cliff *cliffs = ARENA_ARRAY(story->arena, struct cliff, sizes);
	struct step *steps = ARENA_ARRAY(story->arena, struct step, sizes * s->nvariants);
	const struct found f = {
	    s, story, story_rows(story, &cliff_form, cliffs, find_all(s, story->arena, cliffs)),
	    story_rows(story, &step_form, steps, steps_all(s, story->arena, steps))};
	story_note(story, STORY_BODY,
	           "Sizes where bandwidth falls, or grows faster than the sizes before lead to, "
	           "beyond the noise.");
	if (!f.cliffs->nrows)
		story_note(story, STORY_BODY, "None.");
	for (unsigned i = 0; i < f.cliffs->nrows; i++)
		say_cliff(&f, &cliffs[i]);
	STORY_TELL(story, f.cliffs, advice);
	say_channels(&f);
	story_show(story, f.cliffs);
	story_lead(story, f.cliffs,
	           "collective from_bytes to_bytes variant from_gbs to_gbs factor");
	if (!f.steps->nrows)
		return;
	story_part(story, "Channels of a pair of ranks");
	story_note(story, STORY_BODY,
	           "Where NCCL gives a pair of ranks more channels, by its own rule for sends and "
	           "receives and the figures of its log. Beyond the largest call with as many as "
	           "before, bandwidth may grow as the channels do, up to the limit: predicted.");
	story_show(story, f.steps);
}

const struct chapter chapter_cliffs = {"cliffs", "Cliffs", CHAPTER_BODY, tell};

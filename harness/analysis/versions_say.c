/* The sentence: neighbouring versions with one verdict together, and where the verdict changes,
 * what of it threads did and what processes did. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "words.h"
#include "versions_parts.h"

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

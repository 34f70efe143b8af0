/* What a search found, and which findings are confirmed; also as a file that NCCL reads.
 *
 * The finalists of a search (analysis/candidates.h) are measured again in blocks of fresh jobs,
 * with the default twice in each. Those blocks alone decide, by the contrast and the verdict that
 * the whole report uses. A gain in a cell is confirmed if its whole interval is beyond the margin, and
 * beyond the A/A line of that cell if that is wider, and if it passes the correction (tuned_judge).
 * The reported gain is the one to expect after such a selection (stats_chosen). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/memory.h"
#include "../coll/coll.h"
#include "../config/family.h"
#include "../story/format.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"
#include "tuning.h"
#define BARS_MOST 4 /* side by side in the picture of the gain */

/* The findings, as bits of its row. */
enum { UNFINISHED = 1, DEFAULTS = 2, TOO_EARLY = 4, NO_GAIN = 8 };

/* For the heat map: the best set of the search with a value, and finalists of the confirmation.
 */
struct searched {
	const char *setting, *cell;
	size_t asked_bytes;
	double effect;
	unsigned row, column;
	int told;
};

struct label {
	const char *name, *variant;
};

// clang-format off
static const struct column found_columns[] = {
    COLUMN(struct tuning_found, keys, "settings searched", "", COUNT),
    COLUMN(struct tuning_found, sets, "sets measured", "", COUNT),
    COLUMN(struct tuning_found, finalists, "finalists", "", COUNT),
    COLUMN(struct tuning_found, cells, "cells", "", COUNT),
    COLUMN(struct tuning_found, gains, "cells with a gain", "", COUNT),
    COLUMN(struct tuning_found, blocks, "blocks of the confirmation", "", COUNT),
    COLUMN(struct tuning_found, wants, "blocks that it takes", "", COUNT),
    COLUMN(struct tuning_found, folder, "folder", "", TEXT),
    COLUMN(struct tuning_found, margin, "margin", "", SHARE),
};
static const struct story_form found_form =
    STORY_FORM(struct tuning_found, found_columns, .name = "search", .title = "The search", .when = offsetof(struct tuning_found, when), .hidden = true);

static const struct sentence sentences[] = {
    {STORY_ANSWER, UNFINISHED, "Nothing is confirmed yet: the confirmation has {blocks} of the {wants} blocks that {finalists} sets in {cells} cells take. Go on with launchgap resume {folder}."},
    {STORY_ANSWER, DEFAULTS, "No setting is confirmed to gain anywhere: the defaults stand ({sets} sets of {keys} settings were measured)."},
    {STORY_ANSWER, TOO_EARLY, "Nothing is confirmed: the search of {keys} settings did not come so far, or no set of {sets} promised a gain."},
    {STORY_CAPTION, NO_GAIN, "No setting is confirmed to gain"},
};

static const struct column cell_columns[] = {
    COLUMN(struct tuning_cell, cell, "what", "", TEXT),
    COLUMN(struct tuning_cell, asked_bytes, "size", "", BYTES),
    COLUMN(struct tuning_cell, set, "best set", "", TEXT),
    COLUMN(struct tuning_cell, gain, "its speed", "", RATIO),
    COLUMN(struct tuning_cell, all_gain, "nccl.conf", "", RATIO),
    COLUMN(struct tuning_cell, all_verdict, "that set", "", TEXT),
    COLUMN(struct tuning_cell, aa, "A/A", "", RATIO),
};
static const struct story_form cell_form =
    STORY_FORM(struct tuning_cell, cell_columns, .name = "tuned", .title = "Confirmed gains by size, over the default", .when = STORY_NO_WHEN, .drawn = STORY_ARRAYS);

static const struct column finalist_columns[] = {
    COLUMN(struct tuning_finalist, files, "file", "", TEXT),
    COLUMN(struct tuning_finalist, settings, "settings", "", TEXT),
    COLUMN(struct tuning_finalist, expect, "up to, times the speed", "", RATIO),
    COLUMN(struct tuning_finalist, collective, "in", "", TEXT),
    COLUMN(struct tuning_finalist, asked_bytes, "of", "", BYTES),
    COLUMN(struct tuning_finalist, mean, "mean of all cells", "", NUMBER),
    COLUMN(struct tuning_finalist, price, "costs", "", TEXT),
    COLUMN(struct tuning_finalist, open, "may cost", "", TEXT),
    COLUMN(struct tuning_finalist, memory_mib, "GPU memory a rank, more than the default", "MiB", NUMBER),
    COLUMN(struct tuning_finalist, channels, "channels", "", TEXT),
    COLUMN(struct tuning_finalist, default_channels, "channels of the default", "", TEXT),
    COLUMN(struct tuning_finalist, set, "set", "", TEXT),
    COLUMN_AS(struct tuning_finalist, file, "best_file", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct tuning_finalist, confirmed, "confirmed", "cells with a gain", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct tuning_finalist, no_loss, "no_loss", "loses nowhere", "", FLAG, ONLY_FILES),
};
static const struct story_form finalist_form =
    STORY_FORM(struct tuning_finalist, finalist_columns, .name = "finalists", .title = "The sets that were confirmed or not, and their price", .when = STORY_NO_WHEN, .drawn = STORY_ARRAYS);

static const struct column tested_columns[] = {
    COLUMN(struct tuning_test, set, "set", "", TEXT),
    COLUMN(struct tuning_test, collective, "collective", "", TEXT),
    COLUMN(struct tuning_test, pace, "pace", "", TEXT),
    COLUMN(struct tuning_test, asked_bytes, "size", "", BYTES),
    COLUMN_AS(struct tuning_test, of.ratio, "ratio", "speed", "", RATIO, 0),
    COLUMN_AS(struct tuning_test, of.p_adjusted, "p_adjusted", "p, times the sets, cells in a fixed order", "", NUMBER, 0),
    COLUMN_AS(struct tuning_test, of.confirmed, "confirmed", "confirmed", "", FLAG, 0),
    COLUMN_AS(struct tuning_test, of.no_loss, "no_loss", "no loss", "", FLAG, 0),
    COLUMN_AS(struct tuning_test, of.expect, "expect", "to expect", "", RATIO, 0),
    COLUMN(struct tuning_test, for_all, "set for all sizes", "", FLAG),
    COLUMN(struct tuning_test, best, "best here", "", FLAG),
};
static const struct story_form tested_form =
    STORY_FORM(struct tuning_test, tested_columns, .name = "confirmation", .title = "Each finalist in each cell", .when = STORY_NO_WHEN, .hidden = true);

static const struct column setting_columns[] = {
    COLUMN(struct tuning_setting, set, "set", "", TEXT),
    COLUMN(struct tuning_setting, key, "setting", "", TEXT),
    COLUMN(struct tuning_setting, name, "variable", "", TEXT),
    COLUMN(struct tuning_setting, value, "value", "", TEXT),
    COLUMN(struct tuning_setting, help, "what it is", "", TEXT),
    COLUMN(struct tuning_setting, left_out, "did nothing", "", TEXT),
    COLUMN(struct tuning_setting, not_as_asked, "not as asked", "", TEXT),
};
static const struct story_form setting_form =
    STORY_FORM(struct tuning_setting, setting_columns, .name = "tuning_settings", .title = "Settings of the finalists", .when = offsetof(struct tuning_setting, when), .hidden = true);

static const struct sentence setting_sentences[] = {
    {STORY_ITEM, SET_FIRST, "{key}: {help}."},
};

static const struct column searched_columns[] = {
    COLUMN(struct searched, setting, "setting", "", TEXT),
    COLUMN(struct searched, cell, "what", "", TEXT),
    COLUMN(struct searched, asked_bytes, "size", "", BYTES),
    COLUMN(struct searched, effect, "effect", "", NUMBER),
    COLUMN(struct searched, row, "row", "", COUNT),
    COLUMN(struct searched, column, "column", "", COUNT),
    COLUMN(struct searched, told, "told", "", FLAG),
};
static const struct story_form searched_form =
    STORY_FORM(struct searched, searched_columns, .name = "searched", .title = "The best set of the search with each value", .when = STORY_NO_WHEN, .file = "searched.csv", .hidden = true, .drawn = STORY_BLOCK);

/* Rows of the heat map, and bars of the picture of the gain. */
static const struct column label_columns[] = {
    COLUMN(struct label, name, "name", "", TEXT),
    COLUMN(struct label, variant, "variant", "", TEXT),
};
static const struct story_form row_form =
    STORY_FORM(struct label, label_columns, .name = "tuning_map", .title = "Rows of the heat map", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);
static const struct story_form bar_form =
    STORY_FORM(struct label, label_columns, .name = "gains", .title = "Bars of the gain", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);
// clang-format on

/* --- what is confirmed --- */

/* Two variants in one cell, by the time per call of its pace: above 1, left is faster. */
static struct contrast judge(const struct tuning *t, const struct tuning_cell *cell, unsigned left,
                             unsigned right, double by)
{
	const struct summary_group *g = &t->s->groups[cell->group];
	const struct contrast_select select = {.bytes = {cell->asked_bytes, cell->asked_bytes},
	                                       .pace = (int)g->cell.pace,
	                                       .coll = (int)g->cell.coll,
	                                       .group = g,
	                                       .by = by};
	return contrast_make(t->s, left, right, METRIC_TIME, &select);
}

/* "alltoall", with its pace if the run has two. */
static void cells_find(struct tuning *t)
{
	const struct summary *s = t->s;
	const bool paces = summary_has_pace(s, PACE_STREAM) && summary_has_pace(s, PACE_ISOLATED);
	t->cells = ARENA_ARRAY(t->arena, struct tuning_cell, s->index.nplaces + 1);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++) {
			struct tuning_cell *c = &t->cells[t->ncells++];
			story_clear(&cell_form, c);
			c->cell = run_collective(t->arena, &s->groups[g]);
			c->asked_bytes = s->groups[g].asked_bytes[i];
			c->set = "none";
			c->group = g;
			c->best = -1;
			if (paces)
				c->cell = arena_text(t->arena, "%s, %s", c->cell,
				                     coll_pace_name(s->groups[g].cell.pace));
			if (s->twin >= 0 && s->reference >= 0 && !s->trouble.kind)
				c->aa = judge(t, c, (unsigned)s->twin, (unsigned)s->reference, 0)
				            .verdict.ratio;
		}
}

/* The settings that had an effect; all of them if none had. */
static const char *settings_of(const struct tuning *t, const struct tuning_finalist *f)
{
	struct search_set acting = f->levels;
	char text[512];
	bool any = false;
	for (unsigned k = 0; k < t->space->nkeys; k++) {
		if (!acting.level[k])
			continue;
		const bool idle = evidence_idle(t->s, f->set, t->space->keys[k].key).act;
		acting.level[k] = idle ? 0 : acting.level[k];
		any |= !idle;
	}
	search_set_text(t->space, any ? &acting : &f->levels, text, sizeof text);
	return arena_copy(t->arena, text);
}

static void finalists_find(struct tuning *t)
{
	const struct summary *s = t->s;
	const struct record_search *search = s->run->search;
	const struct record_search_block *first = search->confirmed;
	t->finalists = ARENA_ARRAY(t->arena, struct tuning_finalist, SEARCH_MAX_FINALISTS);
	for (unsigned i = 0; first && !s->trouble.kind && i < first->nsets; i++) {
		const unsigned set = first->sets[i];
		const int v = index_variant(s, search->variants[set].name);
		if (v < 0 || s->reference < 0 || t->nfinalists == SEARCH_MAX_FINALISTS)
			continue;
		const struct memory_use own = memory_of(s, (unsigned)s->reference),
		                        with = memory_of(s, (unsigned)v);
		struct tuning_finalist *f = &t->finalists[t->nfinalists++];
		*f = (struct tuning_finalist){
		    .set = s->variants[v].name,
		    .no_loss = true,
		    .expect = STATS_NO_RATIO,
		    .asked_bytes = ENTRY_NO_BYTES,
		    .memory_mib = (with.comm + with.calls - own.comm - own.calls) / (1 << 20),
		    .channels = t->evidence->paths[v].channels,
		    .default_channels = t->evidence->paths[s->reference].channels,
		    .levels = search->sets[set],
		    .variant = (unsigned)v};
		f->settings = settings_of(t, f);
	}
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

static void tests_make(struct tuning *t)
{
	const struct candidates_seen *seen = t->seen;
	const unsigned n = t->nfinalists * t->ncells;
	double *promised = ARENA_ARRAY(t->arena, double, seen->ncells + 1);
	t->tests = ARENA_ARRAY(t->arena, struct tuned_test, n + 1);
	for (unsigned i = 0; i < n; i++) {
		const struct tuning_finalist *f = &t->finalists[i / t->ncells];
		const unsigned c = i % t->ncells;
		const double hurdle = hurdle_of(t->s, &t->cells[c].aa);
		if (!c)
			candidates_promise(seen, &f->levels, t->arena, promised);
		const struct contrast by =
		    judge(t, &t->cells[c], f->variant, (unsigned)t->s->reference,
		          isinf(hurdle) ? 0 : expm1(hurdle));
		/* p is that of a time: less is faster. */
		t->tests[i] =
		    (struct tuned_test){.hurdle = hurdle,
		                        .ratio = by.verdict.ratio,
		                        .p = by.p.less.under,
		                        .promised = seen->ncells == t->ncells ? promised[c] : 0};
	}
	tuned_judge(t->tests, t->nfinalists, t->ncells, t->s->margin);
}

bool tuning_loses(const struct tuning *t, const struct tuned_test *test)
{
	return log(test->ratio.hi) < -log1p(t->s->margin);
}

/* What a finalist costs, or may cost, cell by cell; NULL: nothing. */
static const char *cost_of(const struct tuning *t, const struct tuning_finalist *f, bool loses)
{
	char text[512] = "";
	for (unsigned c = 0; c < t->ncells; c++) {
		const struct tuned_test *test = &f->tests[c];
		if (test->no_loss || isnan(test->ratio.lo) || tuning_loses(t, test) != loses)
			continue;
		const char *cell = arena_text(t->arena, "%s of %s", t->cells[c].cell,
		                              format_size(t->cells[c].asked_bytes).text);
		status_list(text, sizeof text,
		            !loses ? cell
		                   : arena_text(t->arena, "%s %s %%", cell,
		                                format_percent(1 - test->ratio.estimate).text));
	}
	return text[0] ? arena_copy(t->arena, text) : NULL;
}

/* For a finalist, and for the cells that it is best in. */
static void sum_up(struct tuning *t)
{
	for (unsigned f = 0; f < t->nfinalists; f++) {
		struct tuning_finalist *one = &t->finalists[f];
		double gain = 0;
		one->tests = &t->tests[(size_t)f * t->ncells];
		for (unsigned c = 0; c < t->ncells; c++) {
			const struct tuned_test *test = &one->tests[c];
			int *best = &t->cells[c].best;
			one->no_loss = one->no_loss && test->no_loss;
			one->confirmed += test->confirmed;
			gain += log(test->ratio.estimate) / t->ncells;
			if (!test->confirmed)
				continue;
			if (*best < 0 ||
			    test->expect.estimate > t->finalists[*best].tests[c].expect.estimate)
				*best = (int)f;
			if (isnan(one->expect.estimate) ||
			    test->expect.estimate > one->expect.estimate) {
				one->expect = test->expect;
				one->asked_bytes = t->cells[c].asked_bytes;
				one->collective = t->cells[c].cell;
			}
		}
		one->mean = exp(gain);
		one->price = cost_of(t, one, true);
		one->open = cost_of(t, one, false);
	}
}

/* --- a file for each purpose --- */

/* A finalist's mean gain in the cells of a file, a log; NaN: none of them is confirmed. */
static double gain_for(const struct tuning *t, const struct tuning_file *file, unsigned finalist)
{
	const struct tuning_finalist *f = &t->finalists[finalist];
	double sum = 0;
	unsigned n = 0, confirmed = 0;
	for (unsigned c = 0; c < t->ncells; c++) {
		if (file->coll >= 0 && (int)t->s->groups[t->cells[c].group].cell.coll != file->coll)
			continue;
		sum += log(f->tests[c].ratio.estimate);
		confirmed += (unsigned)f->tests[c].confirmed;
		n++;
	}
	return confirmed && sum > 0 && (f->no_loss || !file->safe) ? sum / n : NAN;
}

/* Whether a set costs less than another one: memory, then channels, which the log's line begins with. */
static bool is_cheaper(const struct tuning_finalist *a, const struct tuning_finalist *b)
{
	const double more = a->memory_mib - b->memory_mib;
	return more < -1 ||
	       (!(more > 1) && strtoul(a->channels, NULL, 10) < strtoul(b->channels, NULL, 10));
}

/* Of sets within the margin of the best the cheapest. */
static int best_for(const struct tuning *t, const struct tuning_file *file)
{
	double most = 0;
	int best = -1;
	for (unsigned f = 0; f < t->nfinalists; f++)
		most = fmax(most, gain_for(t, file, f));
	for (unsigned f = 0; f < t->nfinalists; f++) {
		const double gain = gain_for(t, file, f);
		if (!(gain >= most - log1p(t->s->margin)))
			continue;
		if (best < 0 || is_cheaper(&t->finalists[f], &t->finalists[best]) ||
		    (!is_cheaper(&t->finalists[best], &t->finalists[f]) &&
		     gain > gain_for(t, file, (unsigned)best)))
			best = (int)f;
	}
	return best;
}

static void files_find(struct tuning *t)
{
	t->files = ARENA_ARRAY(t->arena, struct tuning_file, 2 + t->ncells);
	t->files[t->nfiles++] = (struct tuning_file){
	    "nccl.conf", "safe: it is slower than the default nowhere", -1, true, -1};
	t->files[t->nfiles++] = (struct tuning_file){
	    "nccl.most.conf", "most: the highest mean over all that was measured", -1, false, -1};
	for (unsigned c = 0; c < t->ncells; c++) {
		const int coll = (int)t->s->groups[t->cells[c].group].cell.coll;
		const char *name = coll_info((enum coll_kind)coll)->name;
		unsigned known = 0;
		while (known < t->nfiles && t->files[known].coll != coll)
			known++;
		if (known == t->nfiles)
			t->files[t->nfiles++] = (struct tuning_file){
			    arena_text(t->arena, "nccl.%s.conf", name),
			    arena_text(t->arena, "for %s alone", name), coll, false, -1};
	}
	t->nfiles -= t->nfiles == 3; /* of one collective that would be the same */
	for (unsigned i = 0; i < t->nfiles; i++) {
		struct tuning_file *file = &t->files[i];
		file->finalist = best_for(t, file);
		if (file->finalist < 0)
			continue;
		struct tuning_finalist *f = &t->finalists[file->finalist];
		f->files =
		    f->files ? arena_text(t->arena, "%s, %s", f->files, file->name) : file->name;
		/* All of them lose nothing, or the collective of the largest gain has it. */
		if (!f->file ||
		    (!f->no_loss && file->coll >= 0 &&
		     !strcmp(f->collective, coll_info((enum coll_kind)file->coll)->name)))
			f->file = file->name;
	}
}

static const char *verdict_of_test(const struct tuned_test *t, double margin)
{
	return t->confirmed               ? "confirmed"
	       : isnan(t->ratio.lo)       ? ""
	       : t->ratio.hi < 1 - margin ? "slower"
	       : t->no_loss               ? "no loss"
	                                  : "undecided";
}

static void cells_fill(struct tuning *t)
{
	const int safe = t->files[0].finalist;
	for (unsigned c = 0; c < t->ncells; c++) {
		struct tuning_cell *cell = &t->cells[c];
		if (cell->best >= 0) {
			cell->set = t->finalists[cell->best].set;
			cell->gain = t->finalists[cell->best].tests[c].expect;
		}
		if (safe < 0)
			continue;
		const struct tuned_test *all = &t->finalists[safe].tests[c];
		cell->all_gain = all->confirmed ? all->expect : all->ratio;
		cell->all_verdict = verdict_of_test(all, t->s->margin);
	}
}

static void tested_fill(struct tuning *t)
{
	const unsigned n = t->nfinalists * t->ncells;
	t->tested = ARENA_ARRAY(t->arena, struct tuning_test, n + 1);
	for (unsigned i = 0; i < n; i++) {
		const int f = (int)(i / t->ncells);
		const struct tuning_cell *cell = &t->cells[i % t->ncells];
		const struct summary_group *g = &t->s->groups[cell->group];
		t->tested[i] = (struct tuning_test){.set = t->finalists[f].set,
		                                    .collective = run_collective(t->arena, g),
		                                    .pace = coll_pace_name(g->cell.pace),
		                                    .asked_bytes = cell->asked_bytes,
		                                    .of = t->tests[i],
		                                    .for_all = t->files[0].finalist == f,
		                                    .best = cell->best == f};
	}
}

/* --- settings of the finalists --- */

/* The library's log about a setting that it did not take as asked; or NULL. */
static const char *not_as_asked(const struct tuning *t, unsigned variant, const char *key)
{
	const struct evidence_path *path = &t->evidence->paths[variant];
	char text[512];
	for (unsigned i = 0; i < path->nsettings; i++) {
		if (path->settings[i].act == PATH_ACTED || strcmp(path->settings[i].key, key))
			continue;
		path_setting_text(&path->settings[i], text, sizeof text);
		return arena_copy(t->arena, text);
	}
	return NULL;
}

static void settings_find(struct tuning *t)
{
	size_t n;
	const struct field *fields = settings_fields(&n);
	t->settings =
	    ARENA_ARRAY(t->arena, struct tuning_setting, t->space->nkeys * t->nfinalists + 1);
	for (unsigned k = 0; k < t->space->nkeys; k++) {
		const struct search_key *key = &t->space->keys[k];
		const struct field *field = field_find(fields, n, key->key);
		const bool read = !strncmp(key->key, "env.NCCL_", 9);
		bool first = field && field->help;
		for (unsigned f = 0; f < t->nfinalists; f++) {
			const struct tuning_finalist *one = &t->finalists[f];
			struct evidence_setting idle = {.act = ACT_AS_ASKED};
			if (!one->levels.level[k])
				continue;
			if (read)
				idle = evidence_idle(t->s, one->set, key->key);
			t->settings[t->nsettings++] = (struct tuning_setting){
			    .set = one->set,
			    .key = key->key,
			    .name = read ? key->key + strlen("env.") : NULL,
			    .value = key->values[one->levels.level[k]],
			    .help = field ? field->help : NULL,
			    .left_out = setting_text(t->arena, &idle),
			    .not_as_asked = not_as_asked(t, one->variant, key->key),
			    .when = (!read      ? SET_CODE
			             : idle.act ? SET_LEFT_OUT
			                        : SET_LINE) |
			            (first ? SET_FIRST : 0),
			    .finalist = f};
			first = false;
		}
	}
}

/* Whether NCCL reads a setting of a finalist from a file. */
static bool in_file(const struct tuning *t, unsigned finalist)
{
	for (unsigned i = 0; i < t->nsettings; i++)
		if (t->settings[i].finalist == finalist && t->settings[i].when & SET_LINE)
			return true;
	return false;
}

/* --- what was found --- */

static struct tuning_found found_of(const struct tuning *t)
{
	const struct summary *s = t->s;
	const unsigned n = t->nfinalists;
	struct tuning_found row = {.keys = t->space->nkeys,
	                           .sets = t->seen->nsets,
	                           .finalists = n,
	                           .cells = t->ncells,
	                           .blocks = s->nblocks,
	                           .wants = n ? family_blocks(n, FAMILY_ALPHA) : 0,
	                           .folder = s->run->folder,
	                           .margin = s->margin};
	for (unsigned c = 0; c < t->ncells; c++)
		row.gains += t->cells[c].best >= 0;
	row.when = row.gains                   ? 0
	           : row.blocks < row.wants    ? UNFINISHED | NO_GAIN
	           : s->run->search->confirmed ? DEFAULTS | NO_GAIN
	                                       : TOO_EARLY | NO_GAIN;
	return row;
}

/* --- pictures --- */

/* Rows of finalists and of values, one column per cell. */
static void tell_map(const struct tuning *t, struct story *story)
{
	const struct candidates_seen *seen = t->seen;
	unsigned most = t->nfinalists + SEARCH_MAX_KEYS * SEARCH_MAX_VALUES, n = 0;
	struct label *rows = ARENA_ARRAY(t->arena, struct label, most);
	struct searched *list = ARENA_ARRAY(t->arena, struct searched, most * t->ncells + 1);
	for (unsigned f = 0; f < t->nfinalists; f++, n++) {
		const struct tuning_finalist *one = &t->finalists[f];
		rows[n].name =
		    !one->file ? one->set : arena_text(t->arena, "%s, %s", one->set, one->file);
		for (unsigned c = 0; c < t->ncells; c++)
			list[n * t->ncells + c] =
			    (struct searched){.setting = one->set,
			                      .effect = one->tests[c].ratio.estimate - 1,
			                      .told = one->tests[c].confirmed};
	}
	for (unsigned k = 0; k < t->space->nkeys; k++)
		for (unsigned v = 1; v < t->space->keys[k].nvalues; v++, n++) {
			const char *key = t->space->keys[k].key;
			rows[n].name =
			    arena_text(t->arena, "%s = %s", key + (strncmp(key, "env.", 4) ? 0 : 4),
			               t->space->keys[k].values[v]);
			for (unsigned c = 0; c < t->ncells; c++)
				list[n * t->ncells + c] = (struct searched){
				    .setting = rows[n].name,
				    .effect = seen->ncells == t->ncells
				                  ? expm1(candidates_best(seen, k, v, c))
				                  : NAN};
		}
	for (unsigned i = 0; i < n * t->ncells; i++) {
		list[i].cell = t->cells[i % t->ncells].cell;
		list[i].asked_bytes = t->cells[i % t->ncells].asked_bytes;
		list[i].row = i / t->ncells;
		list[i].column = i % t->ncells;
	}
	story_table(story, &row_form, rows, n);
	story_table(story, &searched_form, list, n * t->ncells);
}

/* A variant of the file that the search does not know. */
bool tuning_is_beside(const struct tuning *t, unsigned variant)
{
	const struct summary_variant *v = &t->s->variants[variant];
	for (unsigned f = 0; f < t->nfinalists; f++)
		if (t->finalists[f].variant == variant)
			return false;
	return v->role == ROLE_VARIANT && v->measured;
}

/* The sets that files have, or else all finalists, and the experiment's other variants. */
static void tell_bars(const struct tuning *t, struct story *story)
{
	struct label *bars = ARENA_ARRAY(t->arena, struct label, BARS_MOST);
	unsigned n = 0;
	for (unsigned f = 0; f < t->nfinalists && n < BARS_MOST; f++) {
		const struct tuning_finalist *one = &t->finalists[f];
		if (!t->found->gains || one->file)
			bars[n++] = (struct label){one->file ? one->file : one->set, one->set};
	}
	for (unsigned v = 0; v < t->s->nvariants && n < BARS_MOST; v++)
		if (tuning_is_beside(t, v))
			bars[n++] = (struct label){t->s->variants[v].name, t->s->variants[v].name};
	story_table(story, &bar_form, bars, n);
}

/* Adds a finalist's gain with its price. */
static void add_gain(struct phrase *p, const struct tuning *t, const struct tuning_finalist *f)
{
	phrase_add_row(
	    p, t->in.finalists, f,
	    "up to {expect} times the speed of the default ({expect:interval}, "
	    "{collective} of {asked_bytes})[; they cost {price}][; not shown to lose nothing "
	    "in {open}]");
	if (f->no_loss)
		phrase_add_row(p, t->in.found, t->found, "; slower by more than {margin} in none");
}

/* The sets that files have, the largest gain first: answers, and what to do. */
static void say_gains(const struct tuning *t, struct story *story)
{
	const struct tuning_finalist **by =
	    ARENA_ARRAY(t->arena, const struct tuning_finalist *, t->nfinalists + 1);
	unsigned n = 0;
	for (unsigned f = 0, at; f < t->nfinalists; f++) {
		if (!t->finalists[f].file)
			continue;
		for (at = n++; at && t->finalists[f].expect.estimate > by[at - 1]->expect.estimate;
		     at--)
			by[at] = by[at - 1];
		by[at] = &t->finalists[f];
	}
	for (unsigned i = 0; i < n; i++) {
		struct phrase p = phrase_begin(story);
		phrase_add_row(&p, t->in.finalists, by[i], "{settings}: ");
		add_gain(&p, t, by[i]);
		phrase_add_row(&p, t->in.finalists, by[i], ": {files}.");
		phrase_end(&p, STORY_ANSWER);
		if (!i) {
			story_say_row(
			    story, STORY_HEADLINE, t->in.finalists, by[i],
			    "The best settings reach up to {expect} times the default's speed "
			    "({collective} of {asked_bytes})[; they cost {price}].");
			story_say_row(story, STORY_CAPTION, t->in.finalists, by[i],
			              "{settings}: up to {expect} times the speed ({collective} of "
			              "{asked_bytes})[; they cost {price}]");
		}
		if (!in_file(t, (unsigned)(by[i] - t->finalists)))
			continue;
		p = phrase_begin(story);
		phrase_add_row(&p, t->in.finalists, by[i], "Give {best_file} to every process: ");
		phrase_add_row(&p, t->in.found, t->found, "NCCL_CONF_FILE={folder}/");
		phrase_add_row(&p, t->in.finalists, by[i], "{best_file}[; it costs {price}].");
		phrase_end(&p, STORY_ADVICE);
		p = phrase_begin(story);
		phrase_add_row(&p, t->in.finalists, by[i], "{best_file} to every process: ");
		phrase_add_row(&p, t->in.found, t->found, "NCCL_CONF_FILE={folder}/");
		phrase_add_row(&p, t->in.finalists, by[i], "{best_file}, ");
		add_gain(&p, t, by[i]);
		phrase_add_row(&p, t->in.finalists, by[i],
		               by[i]->memory_mib < 0
		                   ? ".[ It changes GPU memory by {memory_mib} MiB a rank.]"
		                   : ".[ It takes {memory_mib} MiB more of GPU memory a rank.]");
		phrase_add_row(&p, t->in.finalists, by[i],
		               "[ Channels: {channels}, in place of {default_channels}.]");
		phrase_end(&p, STORY_ITEM);
	}
}

static void tell(const struct analysis *a, struct story *story)
{
	struct tuning t = {.s = a->s,
	                   .evidence = &a->evidence,
	                   .regimes = &a->regimes,
	                   .seen = &a->searched,
	                   .space = a->searched.space,
	                   .arena = story->arena};
	if (!a->s->run->search)
		return;
	cells_find(&t);
	finalists_find(&t);
	tests_make(&t);
	sum_up(&t);
	files_find(&t);
	cells_fill(&t);
	tested_fill(&t);
	settings_find(&t);
	t.found = ARENA_NEW(t.arena, struct tuning_found);
	*t.found = found_of(&t);
	t.in.found = story_table(story, &found_form, t.found, 1);
	t.in.finalists = story_table(story, &finalist_form, t.finalists, t.nfinalists);
	t.in.cells = story_table(story, &cell_form, t.cells, t.ncells);
	t.in.tested = story_table(story, &tested_form, t.tested, t.nfinalists * t.ncells);
	t.in.settings = story_table(story, &setting_form, t.settings, t.nsettings);
	STORY_TELL(story, t.in.found, sentences);
	say_gains(&t, story);
	STORY_TELL(story, t.in.settings, setting_sentences);
	nccl_conf_tell(&t, story);
	tuner_csv_tell(&t, story);
	story_lead(story, t.in.finalists, "files expect collective asked_bytes price memory_mib");
	story_leads_unasked(story);
	story_settles(story);
	story_picture(story, "gain", true);
	story_picture(story, "tuning", true);
	tell_map(&t, story);
	tell_bars(&t, story);
	story_say(story, STORY_BODY, t.in.found, NULL, 0,
	          "Speed is the time of the default ÷ the set's, over blocks of the "
	          "confirmation alone; a gain is confirmed where its 95 % interval lies beyond "
	          "{margin} and the A/A line of its cell, corrected for all sets.");
	story_files(story, t.found->gains
	                       ? "Ready for NCCL_CONF_FILE, a file for each purpose, and "
	                         "the best set of the search with each value"
	                       : "No line for NCCL_CONF_FILE came of it. Why, and the best "
	                         "set with each value in the search");
}

const struct chapter chapter_tuning = {"tuning", "Tuning: what is confirmed", CHAPTER_BODY, tell};

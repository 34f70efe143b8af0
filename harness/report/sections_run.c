#include "sections_run.h"

#include <math.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/drawn.h"
#include "../analysis/sessions.h"
#include "../analysis/words.h"
#include "../coll/counts.h"
#include "gnuplot.h"
#include "section.h"
#include "../chapters/run.h"
#include "tables.h"

#define MOST_WARNINGS 4 /* at a run's end on a terminal */

bool sections_has_warnings(const struct model *m)
{
	return m->warnings.count > 0;
}

/* A word of a command line, as a shell would take it again. */
static void add_word(char *text, size_t bytes, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	size_t used = strlen(text);
	bool quote = !*word || strspn(word, plain) != strlen(word);
	snprintf(text + used, bytes - used, "%s%s", used ? " " : "", quote ? "'" : "");
	for (; *word; word++) {
		used = strlen(text);
		if (*word == '\'')
			snprintf(text + used, bytes - used, "'\\''");
		else
			snprintf(text + used, bytes - used, "%c",
			         (unsigned char)*word < ' ' ? ' ' : *word);
	}
	used = strlen(text);
	snprintf(text + used, bytes - used, "%s", quote ? "'" : "");
}

static void say_command(struct page *p, const json_t *command)
{
	char text[4096] = "";
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));
		add_word(text, sizeof text, word ? word : "");
	}
	if (text[0])
		page_code(p, text);
}

/* `why`: it began, behind a comma, or "". */
static void say_session(struct page *p, const char *blocks, const char *why,
                        const char *created, const char *commit, const json_t *counters,
                        const json_t *command)
{
	page_say(p, "%s%s, %s, launchgap %s%s:", blocks, why, created, commit,
	         !json_is_boolean(counters) ? ""
	         : json_is_true(counters)   ? ", with counters"
	                                    : ", without counters");
	say_command(p, command);
}

static void say_sessions(struct page *p, const struct model *m)
{
	const struct record_run *run = &m->run;
	const json_t *env = run->environment;
	char blocks[160];
	if (run->nresumes)
		page_say(p, "In %u sessions.", run->nresumes + 1);
	session_say(run, 0, blocks, sizeof blocks);
	say_session(p, blocks, "", model_text(m, "created"), model_text(m, "launchgap"),
	            json_object_get(env, "counters"), json_object_get(env, "command"));
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		session_say(run, i + 1, blocks, sizeof blocks);
		if (r->json) {
			say_session(p, blocks, looks_adds(run, i) ? ", added" : ", as planned",
			            r->created, r->launchgap,
			            json_object_get(r->json, "counters"), r->command);
			continue;
		}
		page_say(p, "%s: the record does not say by which command.", blocks);
	}
}

/* What alltoallv was called with, where it was measured. */
static void say_counts(struct page *p, const struct model *m)
{
	const json_t *counts = json_object_get(m->run.environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	bool measured = false;
	for (unsigned g = 0; g < m->summary.ngroups; g++)
		measured |= m->summary.groups[g].cell.coll == COLL_ALLTOALLV;
	if (!measured || counts_from_json(counts, &weights, &st))
		return;
	counts_text(&weights, (unsigned)model_number(m, "ranks"), text);
	page_say(p, "alltoallv sends counts = %s%s.", text,
	         weights.rows > 1 ? ", a row for each rank that sends (all of it in the record)"
	         : weights.rows > 0 ? ", by distance, to oneself first"
	                            : "");
}

static bool ends_in_point(const char *text)
{
	size_t n = strlen(text);
	return n && text[n - 1] == '.';
}

/* What a trial does with each of its cells. */
static void say_cells(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	const bool streams = summary_has_pace(s, PACE_STREAM),
	           isolates = summary_has_pace(s, PACE_ISOLATED), none = !streams && !isolates;
	long long cycles = model_number(m, "cycles"), calls = model_number(m, "calls"),
	          stretches = model_number(m, "stretches"),
	          isolated = model_number(m, "isolated_calls"),
	          connections = model_number(m, "connections"),
	          allocations = model_number(m, "allocations");
	if (none || streams)
		page_item(
		    p,
		    "stream (bandwidth): %lld stretch%s of %lld call%s back to back; time per "
		    "call = (latest end − earliest start over all ranks) ÷ calls; the "
		    "trial's number is the median of its stretches",
		    stretches, stretches == 1 ? "" : "es", calls,
		    words_plural((unsigned long long)calls));
	if (none || isolates)
		page_item(
		    p,
		    "isolated (latency): %lld call%s, the team meeting before each; p50%s "
		    "over calls",
		    isolated, words_plural((unsigned long long)isolated),
		    isolated < METRIC_P99_CALLS ? " and p95" : ", p95 and p99");
	page_end_list(p);
	if (cycles > 1)
		page_say(
		    p,
		    "A soak: every trial goes through all of its cells %lld times; its number "
		    "of a cell is the mean over them.",
		    cycles);
	if (connections * allocations > 1)
		page_say(
		    p,
		    "Every job makes its communicators %lld time%s, and allocates buffers %lld "
		    "time%s with each; its number of a cell is the geometric mean over them.",
		    connections, words_plural((unsigned long long)connections), allocations,
		    words_plural((unsigned long long)allocations));
}

void sections_write_method(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	const json_t *notes = json_object_get(m->run.environment, "notes");
	const long long asked = record_blocks_asked(&m->run),
	                warmup = model_number(m, "warmup");
	char of[48] = "";
	unsigned verdicts, intervals;
	say_sessions(p, m);
	for (size_t i = 0; i < json_array_size(notes); i++)
		page_item(p, "%s", json_string_value(json_array_get(notes, i)));
	page_end_list(p);
	if (s->nblocks < asked && !m->run.end.reason[0])
		snprintf(of, sizeof of, " of %lld", asked);
	page_say(
	    p,
	    "%u%s block%s were measured, seed %s. A block is one fresh job of every variant, "
	    "in shuffled order, all with the same shuffled order of cells. Each cell: %lld "
	    "call%s to warm up, then",
	    s->nblocks, of, words_plural(*of ? (unsigned long long)asked : s->nblocks),
	    model_text(m, "seed"), warmup, words_plural((unsigned long long)warmup));
	say_cells(p, m);
	say_counts(p, m);
	findings_count(&m->findings, s, &m->regimes, &verdicts, &intervals);
	verdicts += run_verdicts(&m->story);
	intervals += run_verdicts(&m->story);
	if (intervals)
		page_say(
		    p,
		    "This report has %u verdict%s and %u interval%s in all, each at %.4g %% "
		    "by itself: %.3g %% of them miss the true value by chance. Only claims "
		    "are corrected for their number.",
		    verdicts, words_plural(verdicts), intervals, words_plural(intervals),
		    100 * s->looks.confidence, 100 * (1 - s->looks.confidence));
	if (m->run.end.reason[0])
		page_say(p, "Why it ended: %s%s", m->run.end.text,
		         ends_in_point(m->run.end.text) ? "" : ".");
}

void sections_write_variants(struct page *p, const struct model *m)
{
	char common[1200], left[2048] = "";
	struct table *table = tables_variants(m);
	table_drop_common(table, common, sizeof common);
	page_table(p, table);
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (m->summary.variants[v].skip[0])
			status_list(left, sizeof left, m->summary.variants[v].name);
	if (left[0])
		page_say(p, "Left out, for the reasons among the warnings: %s.", left);
	if (common[0])
		page_say(p, "All variants: %s.", common);
	page_say(p, "Layout: processes × threads × ranks per thread. Settings: what a variant "
	            "sets beyond the defaults. again: the reference a second time in every "
	            "block, the A/A line. limit: plain copies without a handshake.");
}

bool sections_has_pictures(const struct model *m)
{
	return m->drawn.npictures > 0;
}

void sections_write_warnings(struct page *p, const struct model *m)
{
	unsigned most = p->kind == PAGE_TERMINAL && !p->whole ? MOST_WARNINGS : WARNINGS_MOST;
	for (unsigned i = 0; i < m->warnings.count && i < most; i++)
		page_item(p, "%s", m->warnings.text[i]);
	if (m->warnings.count > most)
		page_item(p, "%u more in the report.", m->warnings.count - most);
	page_end_list(p);
}

void sections_write_pictures(struct page *p, const struct model *m)
{
	unsigned colls = gnuplot_collectives(&m->summary);
	if (colls > GNUPLOT_EACH)
		page_say(
		    p,
		    "The run has %u collectives: more than %u have no pictures of their own.",
		    colls, GNUPLOT_EACH);
	else if (colls > GNUPLOT_DETAIL)
		page_say(p,
		         "The run has %u collectives: of more than %u, launch cost, ranks, "
		         "single calls and timelines are not drawn.",
		         colls, GNUPLOT_DETAIL);
	if (drawn_left_out(&m->summary))
		page_say(p,
		         "Curves are of %u variants, for more cannot be told apart: the "
		         "reference and its twin, the ends of the gap, and the first of each "
		         "mode. The tables have all.",
		         drawn_count(&m->summary));
	char others[PAGE_TEXT_BYTES - 64] = "";
	for (unsigned i = 0; i < m->drawn.npictures; i++) {
		const struct model_picture *picture = &m->drawn.pictures[i];
		if (picture->shown)
			page_picture(p, picture->name, model_caption(m, picture));
		else
			words_add(others, sizeof others, "%splots/%s.png",
			          others[0] ? ", " : "", picture->name);
	}
	if (others[0])
		page_say(p, "More pictures: %s.", others);
}

void sections_write_raw(struct page *p, const struct model *m)
{
	const char *files[32] = {"trials.jsonl", "report.json"};
	unsigned n = 2;
	for (unsigned i = 0; i < m->story.nchapters; i++)
		n += section_files(&m->story.chapters[i], files + n,
		                   sizeof files / sizeof *files - n);
	page_files(p, "The record, and all of this as data", files, n);
}

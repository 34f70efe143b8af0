#include "json.h"

#include "../analysis/sessions.h"
#include "../chapters/reasons.h"
#include "../chapters/run.h"
#include "section.h"

#define JSON_SCHEMA 2 /* the number of its form */

static void forget(void *json)
{
	json_decref(json);
}

json_t *json_keep(struct arena *arena, json_t *json)
{
	arena_defer(arena, forget, json);
	return json;
}

/* [lo, hi] as asked, both included; hi null: no end. */
static json_t *range(struct claim_range r)
{
	return json_pack("[I, o]", (json_int_t)r.lo,
	                 r.hi == SIZE_MAX ? json_null() : json_integer((json_int_t)r.hi));
}

static json_t *regimes_of(const struct model *m)
{
	const struct regimes *regimes = &m->analysis->regimes;
	const char *whys[REGIME_MOST];
	for (unsigned i = 0; i < regimes->n; i++)
		whys[i] = regime_doubt_text(m->arena, m->analysis->s, &regimes->list[i]);
	json_t *list = json_array();
	for (unsigned i = 0; i < regimes->n; i++) {
		const struct regime *g = &regimes->list[i];
		json_array_append_new(
		    list, json_pack("{s:s, s:b, s:o, s:s, s:s, s:b, s:o, s:s}", "name", g->name,
		                    "third", g->third, "bytes", range(g->sizes), "metric",
		                    metric_info(g->metric)->name, "pace",
		                    coll_pace_name((enum pace)g->pace), "tells", g->tells,
		                    "least_effect", table_figure(g->least_effect), "why", whys[i]));
	}
	return list;
}

/* The cells measured in one session, and those seen before it. */
static json_t *sessions_of(const struct model *m)
{
	const struct record_run *run = &m->run;
	const unsigned end = record_next_block(run);
	struct session_pause pause;
	json_t *list = json_array();
	for (unsigned i = 0; i <= run->nresumes; i++) {
		const struct record_resume *r = i ? &run->resumes[i - 1] : NULL;
		const json_t *machine =
		    r ? r->machine : json_object_get(run->environment, "machine");
		const char *created = r ? r->created : run_text(&m->run, "created");
		const char *launchgap = r ? r->launchgap : run_text(&m->run, "launchgap");
		const int from = r ? (int)r->first_block : 0;
		const bool paused = r && session_paused(run, i - 1, &pause);
		json_array_append_new(
		    list,
		    json_pack("{s:i, s:i, s:b, s:s*, s:s*, s:s*, s:s*, s:o*, s:o*}", "first_block",
		              from, "blocks",
		              (int)(i < run->nresumes ? run->resumes[i].first_block : end) - from,
		              "planned", !r || !looks_adds(run, i - 1), "created", created,
		              "launchgap", launchgap, "host",
		              json_string_value(json_object_get(machine, "host")), "boot",
		              json_string_value(json_object_get(machine, "boot")), "begun",
		              paused ? json_integer(pause.begun) : NULL, "pause_s",
		              paused ? table_figure(pause.pause_s) : NULL));
	}
	return list;
}

static json_t *looks_of(const struct summary *s)
{
	const struct looks *l = &s->looks;
	return json_pack("{s:i, s:i, s:i, s:b, s:o}", "n", (int)l->n, "first_blocks", (int)l->first,
	                 "added_blocks", (int)l->added, "by_width", l->by_width, "confidence",
	                 table_figure(l->confidence));
}

static json_t *pictures_of(const struct model *m)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < m->drawn.npictures; i++) {
		const struct model_picture *picture = &m->drawn.pictures[i];
		json_array_append_new(list,
		                      json_pack("{s:s, s:s, s:s}", "name", picture->name, "title",
		                                picture->title, "caption", picture->caption));
	}
	return list;
}

static json_t *chapters_of(const struct model *m)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < m->story.nchapters; i++)
		json_array_append_new(list, section_to_json(&m->story.chapters[i]));
	return list;
}

int json_write(const struct model *m, json_t *tables, json_t *sections, FILE *out,
               struct status *st)
{
	const struct summary *s = m->analysis->s;
	const struct record_run *run = &m->run;
	json_t *answer = json_array(), *warnings = json_array();
	const char *warning;
	const struct story_sentence *one;
	char trust[PAGE_TEXT_BYTES];
	section_said(&m->story, STORY_TRUST, trust, sizeof trust);
	for (unsigned i = 0; (one = story_answer(&m->story, i)); i++)
		json_array_append_new(answer, json_string(one->text));
	for (unsigned i = 0; (warning = model_warning(m, i)); i++)
		json_array_append_new(warnings, json_string(warning));
	json_t *report = json_pack(
	    "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:s, s:o, "
	    "s:s, s:o, s:o, s:o, s:O, s:O, s:o}",
	    "schema", JSON_SCHEMA, "launchgap", run_text(run, "launchgap"), "experiment",
	    run_text(run, "experiment"), "title", run_text(run, "title"), "question",
	    run_text(run, "question"), "created", run_text(run, "created"), "backend",
	    run_text(run, "backend"), "seed", run_text(run, "seed"), "verdicts", (int)m->verdicts,
	    "intervals", (int)m->intervals, "ranks", (int)run_number(run, "ranks"), "blocks",
	    (int)s->nblocks, "looks", looks_of(s), "sessions", sessions_of(m), "margin",
	    table_figure(s->margin), "reference",
	    s->reference < 0 ? "" : s->variants[s->reference].name, "answer", answer, "trust",
	    trust, "regimes", regimes_of(m), "warnings", warnings, "pictures", pictures_of(m),
	    "sections", sections, "tables", tables, "chapters", chapters_of(m));
	if (!report)
		return status_set(st, "out of memory for report.json");
	int rc = json_dumpf(report, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(report);
	fputc('\n', out);
	return rc ? status_set(st, "report.json cannot be written") : 0;
}

#include "json.h"

#include <math.h>
#include <string.h>

#include "../analysis/sessions.h"
#include "../data/format.h"
#include "../chapters/reasons.h"
#include "../chapters/run.h"
#include "section.h"
#include "shape.h"

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
		json_array_append_new(list,
		                      shape_make(SHAPE_REGIME, g->name, (int)g->third,
		                                 range(g->sizes), metric_info(g->metric)->name,
		                                 coll_pace_name((enum pace)g->pace), (int)g->tells,
		                                 g->least_effect, whys[i]));
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
		const bool paused = r && session_paused(run, i - 1, &pause);
		json_array_append_new(
		    list, shape_make(SHAPE_SESSION, r ? (int)r->first_block : 0,
		                     (int)((i < run->nresumes ? run->resumes[i].first_block : end) -
		                           (r ? r->first_block : 0)),
		                     !r || !looks_adds(run, i - 1), created, launchgap,
		                     json_string_value(json_object_get(machine, "host")),
		                     json_string_value(json_object_get(machine, "boot")),
		                     paused ? json_integer(pause.begun) : NULL,
		                     !paused                   ? NULL
		                     : isfinite(pause.pause_s) ? json_real(pause.pause_s)
		                                               : json_null()));
	}
	return list;
}

static json_t *looks_of(const struct summary *s)
{
	const struct looks *l = &s->looks;
	return shape_make(SHAPE_LOOKS, (int)l->n, (int)l->first, (int)l->added, (int)l->by_width,
	                  l->confidence);
}

static json_t *pictures_of(const struct model *m)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < m->drawn.npictures; i++) {
		const struct model_picture *picture = &m->drawn.pictures[i];
		json_array_append_new(list, shape_make(SHAPE_PICTURE, picture->name, picture->title,
		                                       picture->caption));
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
	json_t *report = shape_make(
	    SHAPE_REPORT, SHAPE_SCHEMA, run_text(run, "launchgap"), run_text(run, "experiment"),
	    run_text(run, "title"), run_text(run, "question"), run_text(run, "created"),
	    run_text(run, "backend"), run_text(run, "seed"), (int)m->verdicts, (int)m->intervals,
	    (int)run_number(run, "ranks"), (int)s->nblocks, looks_of(s), sessions_of(m), s->margin,
	    s->reference < 0 ? "" : s->variants[s->reference].name, answer, trust, regimes_of(m),
	    warnings, pictures_of(m), json_incref(sections), json_incref(tables), chapters_of(m));
	if (!report)
		return status_set(st, "out of memory for report.json");
	int rc = json_dumpf(report, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(report);
	fputc('\n', out);
	return rc ? status_set(st, "report.json cannot be written") : 0;
}

#include "json.h"

#include "../analysis/looks.h"
#include "../analysis/sessions.h"
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

static json_t *regimes_of(const struct model *m, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/report/json.c",
	    .sql = "SELECT name, third, least_bytes, most_bytes, metric, pace, tells, "
	           "least_effect, doubt FROM regime ORDER BY nth"};
	json_t *list = json_array();
	struct db_rows *rows = db_ask(m->db, &query, st);
	while (rows && db_next(rows))
		json_array_append_new(
		    list, json_pack("{s:s, s:b, s:[I, I], s:s, s:s, s:b, s:o, s:s}", "name",
		                    db_text(rows, 0), "third", db_real(rows, 1) > 0, "bytes",
		                    (json_int_t)db_real(rows, 2), (json_int_t)db_real(rows, 3),
		                    "metric", db_text(rows, 4), "pace", db_text(rows, 5), "tells",
		                    db_real(rows, 6) > 0, "least_effect",
		                    table_figure(db_real(rows, 7)), "why", db_text(rows, 8)));
	if (!rows || db_end(rows, st)) {
		json_decref(list);
		return NULL;
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

static json_t *looks_of(const struct model *m)
{
	const struct looks own = looks_count(&m->run), *l = &own;
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
	    (int)m->blocks, "looks", looks_of(m), "sessions", sessions_of(m), "margin",
	    table_figure(m->margin), "reference", m->reference, "answer", answer, "trust", trust,
	    "regimes", regimes_of(m, st), "warnings", warnings, "pictures", pictures_of(m),
	    "sections", sections, "tables", tables, "chapters", chapters_of(m));
	if (!report)
		return status_set(st, "out of memory for report.json");
	int rc = json_dumpf(report, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(report);
	fputc('\n', out);
	return rc ? status_set(st, "report.json cannot be written") : 0;
}

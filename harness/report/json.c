#include "json.h"

#include "../analysis/looks.h"
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

/* Each row's text as JSON. */
static json_t *rows_of(const struct model *m, const char *sql, struct status *st)
{
	const struct db_source query = {.file = "harness/report/json.c", .sql = sql};
	json_t *list = json_array();
	struct db_rows *rows = db_ask(m->db, &query, st);
	while (rows && db_next(rows))
		json_array_append_new(list, json_loads(db_text(rows, 0), 0, NULL));
	if (rows && !db_end(rows, st))
		return list;
	json_decref(list);
	return NULL;
}

static const char regimes[] =
    "SELECT json_object('name', name, 'third', json(iif(third, 'true', 'false')), "
    "'bytes', json_array(least_bytes, most_bytes), 'metric', metric, 'pace', pace, "
    "'tells', json(iif(tells, 'true', 'false')), 'least_effect', least_effect, 'why', doubt) "
    "FROM regime ORDER BY nth";

/* What is not known is left out. */
static const char sessions[] =
    "WITH s AS (SELECT 0 nth, 0 first_block, 0 added, "
    "max(value) FILTER (WHERE key = 'created') created, "
    "max(value) FILTER (WHERE key = 'launchgap') launchgap, "
    "max(value) FILTER (WHERE key = 'machine.host') host, "
    "max(value) FILTER (WHERE key = 'machine.boot') boot, NULL begun, NULL pause_s FROM "
    "environment "
    "UNION ALL SELECT rowid, first_block, added, created, launchgap, host, boot, begun, pause_s "
    "FROM session), "
    "said AS (SELECT *, json_patch('{}', json_object('first_block', first_block, 'blocks', "
    "lead(first_block, 1, next_block) OVER (ORDER BY nth) - first_block, 'planned', "
    "json(iif(added, 'false', 'true')), 'created', created, 'launchgap', launchgap, 'host', host, "
    "'boot', boot, 'begun', begun)) text FROM s, (SELECT next_block FROM went)) "
    "SELECT iif(begun, json_set(text, '$.pause_s', pause_s), text) FROM said ORDER BY nth";

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
	    (int)m->blocks, "looks", looks_of(m), "sessions", rows_of(m, sessions, st), "margin",
	    table_figure(m->margin), "reference", m->reference, "answer", answer, "trust", trust,
	    "regimes", rows_of(m, regimes, st), "warnings", warnings, "pictures", pictures_of(m),
	    "sections", sections, "tables", tables, "chapters", chapters_of(m));
	if (!report)
		return status_set(st, "out of memory for report.json");
	int rc = json_dumpf(report, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(report);
	fputc('\n', out);
	return rc ? status_set(st, "report.json cannot be written") : 0;
}

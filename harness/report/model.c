#include "model.h"

#include <string.h>

#include "../chapters/chapters.h"
#include "../chapters/figures.h"
#include "../chapters/reasons.h"
#include "../chapters/run.h"
#include "../story/tell.h"
#include "own.h"

static void forget(void *run)
{
	record_free(run);
}

struct model *model_read(struct arena *arena, const char *dir, struct status *st)
{
	struct model *m = ARENA_NEW(arena, struct model);
	struct summary *summary = ARENA_NEW(arena, struct summary);
	if (record_load(dir, &m->run, st))
		return NULL;
	arena_defer(arena, forget, &m->run);
	m->arena = arena;
	summary_make(&m->run, arena, summary);
	m->analysis = analysis_make(summary, st);
	m->db = m->analysis ? figures_load(m->analysis, arena, st) : NULL;
	return m->db ? m : NULL;
}

/* What all of the report judges. */
static int count(struct model *m, struct status *st)
{
	static const struct db_source query = {.file = "harness/report/model.c",
	                                       .sql =
	                                           "SELECT verdicts, intervals FROM judged_in_all"};
	struct db_rows *rows = db_ask(m->db, &query, st);
	while (rows && db_next(rows)) {
		m->verdicts = (unsigned)db_real(rows, 0);
		m->intervals = (unsigned)db_real(rows, 1);
	}
	return rows ? db_end(rows, st) : -1;
}

struct model *model_make(struct arena *arena, const char *dir, const char *own, struct status *st)
{
	struct model *m = model_read(arena, dir, st);
	unsigned n;
	if (!m || count(m, st))
		return NULL;
	const char *const *all = chapters_all(&n);
	story_make(m->db, all, n, arena, &m->story);
	if (own && own_chapters(own, m->db, &m->story, st))
		return NULL;
	story_choose_lead(&m->story, run_text(&m->run, "leads"));
	return m;
}

int model_ask(const struct model *m, const char *table, const char *query, const char *file,
              struct status *st)
{
	const struct db_source source = {file, query, 1, 0};
	db_drop(m->db);
	return db_keep(m->db, table, &source, st) || db_run_text(m->db, file, st) ? -1 : 0;
}

const char *model_warning(const struct model *m, unsigned i)
{
	const struct story_sentence *told;
	for (unsigned k = 0; (told = story_said(&m->story, STORY_DOUBT, k)); k++)
		if (!i--)
			return told->text;
	if (m->drawn.warning[0] && !i--)
		return m->drawn.warning;
	told = story_said(&m->story, STORY_WARNING, i);
	return told ? told->text : NULL;
}

const char *model_caption(const struct model *m, const struct model_picture *picture)
{
	const struct regimes *regimes = &m->analysis->regimes;
	for (unsigned i = 0; i < regimes->n; i++) {
		const char *why = regime_doubt_text(m->arena, m->analysis->s, &regimes->list[i]);
		if (picture->caption[0] &&
		    !strncmp(why, picture->caption, strlen(picture->caption)))
			return picture->title;
	}
	return picture->caption[0] ? picture->caption : picture->title;
}

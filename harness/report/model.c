#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../chapters/chapters.h"
#include "../chapters/run.h"

/* All chapters. */
static void tell(struct arena *arena, void *of)
{
	struct model *m = of;
	const struct analysis analysis = {.s = &m->summary,
	                                  .regimes = &m->regimes,
	                                  .f = &m->findings,
	                                  .evidence = &m->findings.evidence};
	unsigned n;
	const struct chapter *const *all = chapters_all(&n);
	story_make(&analysis, all, n, arena, &m->story);
	story_choose_lead(&m->story, run_text(&m->run, "leads"));
}

static int analyse(struct model *m, struct status *st)
{
	const struct summary *s = &m->summary;
	if (summary_make(&m->run, &m->summary, st) || regimes_make(s, &m->regimes, st) ||
	    findings_make(s, &m->regimes, &m->findings, st))
		return -1;
	return arena_run(tell, m, &m->arena) ? status_set(st, "out of memory for the report") : 0;
}

struct model *model_make(const char *dir, struct status *st)
{
	struct model *m = calloc(1, sizeof *m);
	if (!m)
		status_set(st, "out of memory for the report");
	if (m && !record_load(dir, &m->run, st)) {
		if (!analyse(m, st))
			return m;
		model_free(m);
		m = NULL;
	}
	free(m);
	return NULL;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	arena_free(m->arena);
	findings_free(&m->findings);
	regimes_free(&m->regimes);
	summary_free(&m->summary);
	record_free(&m->run);
	free(m);
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
	for (unsigned i = 0; i < m->regimes.n; i++) {
		const char *why = m->regimes.list[i].why;
		if (picture->caption[0] &&
		    !strncmp(why, picture->caption, strlen(picture->caption)))
			return picture->title;
	}
	return picture->caption;
}

#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/sessions.h"
#include "../analysis/words.h"
#include "../coll/counts.h"
#include "../trial/settings.h"
#include "../analysis/drawn.h"
#include "../chapters/chapters.h"
#include "gnuplot.h"
#include "section.h"
#include "sections_run.h"
#include "tables.h"

/* --- page 1 --- */

/* The versions of the library that were measured, ascending: "NCCL 2.21.5 and 2.28.3". */
static void libraries(const struct summary *s, char *text, size_t bytes)
{
	const char *all[16];
	unsigned n = 0;
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants && n < 16; v++) {
		const char *library = s->variants[v].library;
		unsigned at = 0;
		while (at < n && strcmp(all[at], library))
			at++;
		if (!*library || !s->variants[v].measured || at < n)
			continue;
		for (at = n++; at && strverscmp(all[at - 1], library) > 0; at--)
			all[at] = all[at - 1];
		all[at] = library;
	}
	for (unsigned i = 0; i < n; i++) {
		size_t used = strlen(text);
		snprintf(text + used, bytes - used, "%s%s",
		         !i           ? "NCCL "
		         : i + 1 == n ? " and "
		                      : ", ",
		         all[i]);
	}
}

static void write_answer(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	char machine[256], library[160];
	const char *question = model_text(m, "question"), *created = model_text(m, "created");
	summary_machine(s, machine, sizeof machine);
	libraries(s, library, sizeof library);
	if (p->kind == PAGE_MARKDOWN) {
		page_heading(p, 1, "%s", model_text(m, "title"));
		page_stress(p, "%s", question);
	} else {
		page_heading(p, 1, "%s", *question ? question : model_text(m, "title"));
	}
	for (unsigned i = 0; i < m->answer.n; i++)
		page_say(p, "%s", m->answer.text[i]);
	page_say(p, "Measured on %s; backend %s%s%s; %lld rank%s, %u block%s, %.10s.", machine,
	         model_text(m, "backend"), *library ? ", " : "", library,
	         model_number(m, "ranks"),
	         words_plural((unsigned long long)model_number(m, "ranks")), s->nblocks,
	         words_plural(s->nblocks), created);
	if (*model_text(m, "backend_why"))
		page_say(p, "%s.", model_text(m, "backend_why"));
}

static bool has_lead(const struct model *m)
{
	return m->story.lead || *model_text(m, "leads");
}

static void write_lead(struct page *p, const struct model *m)
{
	const char *asked = model_text(m, "leads");
	if (*asked && !chapters_find(asked))
		page_say(p, "leads = %s: there is no such chapter.", asked);
	if (m->story.lead)
		section_write_lead(p, m->story.lead);
}

static void write_trust(struct page *p, const struct model *m)
{
	char more[160] = "";
	unsigned n = m->warnings.count;
	if (n && p->kind == PAGE_MARKDOWN)
		snprintf(more, sizeof more, " %u warning%s, at the end.", n, words_plural(n));
	const char *last = m->regimes.n ? m->regimes.list[m->regimes.n - 1].why : "";
	for (unsigned i = 0; i < m->warnings.doubts; i++)
		page_stress(p, "%s", m->warnings.text[i]);
	page_say(p, "%s%s", m->answer.trust, more);
	for (unsigned i = m->regimes.n; i-- > 0;) {
		const struct regime *g = &m->regimes.list[i];
		bool said = !answer_tells(&m->regimes) && !strcmp(g->why, last);
		if (!g->tells && !said)
			page_say(p, "At %s sizes it cannot tell %s. %s", g->label,
			         answer_hidden(g), g->why);
	}
}

static bool has_picture(const struct model *m)
{
	return m->drawn.answer >= 0 && m->drawn.npictures;
}

static void write_picture(struct page *p, const struct model *m)
{
	const struct model_picture *picture = &m->drawn.pictures[m->drawn.answer];
	page_picture(p, picture->name, model_caption(m, picture));
}

static bool has_advice(const struct model *m)
{
	return story_said(&m->story, STORY_ADVICE, 0);
}

static void write_advice(struct page *p, const struct model *m)
{
	const struct story_sentence *told;
	for (unsigned i = 0; (told = story_said(&m->story, STORY_ADVICE, i)); i++)
		page_item(p, "%s", told->text);
	page_end_list(p);
	if (!record_traits(&m->run, NULL)->gpus)
		page_say(p, "None of it is about GPUs, which were not measured.");
}

/* From the end of page 1 to what follows. */
static void write_links(struct page *p, const struct model *m)
{
	const char *titles[] = {"Results",  "By size", NULL, "How it was measured",
	                        "Warnings", "Raw data"};
	const char *shown[6];
	unsigned n = 0;
	titles[2] = story_find(&m->story, "gap")        ? "Why: what explains the gap"
	            : story_find(&m->story, "versions") ? "Why: by version of NCCL"
	                                                : NULL;
	for (unsigned i = 0; i < 6; i++)
		if (titles[i] && (i || m->regimes.n) && (i != 4 || sections_has_warnings(m)))
			shown[n++] = titles[i];
	page_links(p, shown, n);
}

enum {
	SHORT = 1, /* on the terminal at a run's end too; all others with -v alone */
	PAGE = 2,  /* of the first page of the report */
	MORE = 4,  /* behind the heading "Appendix" */
};

struct section {
	const char *id, *title;                  /* "": no heading; NULL: the chapter's */
	unsigned is;                             /* SHORT … */
	bool (*when)(const struct model *model); /* NULL: always */
	void (*write)(struct page *page, const struct model *model); /* NULL: a chapter */
};

// clang-format off
static const struct section sections[] = {
    {"answer",     "",                                 SHORT | PAGE, NULL,                    write_answer},
    {"lead",       "",                                 SHORT | PAGE, has_lead,                write_lead},
    {"picture",    "",                                 PAGE,         has_picture,             write_picture},
    {"advice",     "Do this",                          SHORT | PAGE, has_advice,              write_advice},
    {"trust",      "Can it be believed?",              SHORT | PAGE, NULL,                    write_trust},
    {"claims",     NULL,                               SHORT | PAGE, NULL,                    NULL},
    {"links",      "",                                 PAGE,         NULL,                    write_links},
    {"tuning",     NULL,                               0,            NULL,                    NULL},
    {"training",   NULL,                               SHORT,        NULL,                    NULL},
    {"crossovers", NULL,                               SHORT,        NULL,                    NULL},
    {"pairs",    NULL,                               SHORT,        NULL,                    NULL},
    {"pingpong", NULL,                               SHORT,        NULL,                    NULL},
    {"access",     NULL,                               SHORT,        NULL,                    NULL},
    {"ranges",   NULL,                               SHORT,        NULL,                    NULL},
    {"results",    NULL,                               SHORT,        NULL,                    NULL},
    {"sizes",      NULL,                               0,            NULL,                    NULL},
    {"cliffs",     NULL,                               0,            NULL,                    NULL},
    {"versions",   NULL,                               0,            NULL,                    NULL},
    {"gap",        NULL,                               0,            NULL,                    NULL},
    {"factors",    NULL,                               0,            NULL,                    NULL},
    {"paths",    NULL,                               0,            NULL,                    NULL},
    {"containers", NULL,                               0,            NULL,                    NULL},
    {"counters", NULL,                               0,            NULL,                    NULL},
    {"scatter",    NULL,                               0,            NULL,                    NULL},
    {"tests",      NULL,                               MORE,         NULL,                    NULL},
    {"all_sizes",  NULL,                               MORE,         NULL,                    NULL},
    {"launch",     NULL,                               MORE,         NULL,                    NULL},
    {"memory",     NULL,                               MORE,         NULL,                    NULL},
    {"checks",     NULL,                               MORE,         NULL,                    NULL},
    {"method",     "How it was measured",              MORE,         NULL,                    sections_write_method},
    {"variants",   "Variants",                         MORE,         NULL,                    sections_write_variants},
    {"topology", NULL,                               MORE,         NULL,                    NULL},
    {"system",     NULL,                               MORE,         NULL,                    NULL},
    {"warnings",   "Warnings",                         MORE | SHORT, sections_has_warnings,   sections_write_warnings},
    {"pictures",   "Pictures",                         MORE,         sections_has_pictures,   sections_write_pictures},
    {"raw",        "Raw data",                         MORE,         NULL,                    sections_write_raw},
};
// clang-format on

void sections_write(struct page *p, const struct model *m)
{
	bool appendix = false;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const struct section *s = &sections[i];
		const struct story_chapter *chapter = story_find(&m->story, s->id);
		const char *title = chapter ? chapter->chapter->title : s->title;
		bool terminal = p->kind == PAGE_TERMINAL;
		/* Its table stands on top already. */
		const bool seen = terminal && !p->whole && chapter && chapter == m->story.lead;
		if (seen || (terminal && !p->whole && !(s->is & SHORT)) ||
		    (s->when && !s->when(m)) || (!s->write && !chapter))
			continue;
		if (s->is & MORE && !appendix && !terminal)
			page_heading(p, 2, "Appendix");
		appendix = appendix || s->is & MORE;
		if (title[0])
			page_heading(p, appendix && !terminal ? 3 : 2, "%s", title);
		if (p->sections) {
			p->sentences = json_array();
			json_array_append_new(p->sections,
			                      json_pack("{s:s, s:s, s:o}", "id", s->id, "title",
			                                title, "sentences", p->sentences));
		}
		if (s->write)
			s->write(p, m);
		else
			section_write(p, chapter);
	}
}

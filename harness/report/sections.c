#include "sections.h"

#include <string.h>

#include "../story/format.h"
#include "../chapters/run.h"
#include "gnuplot.h"
#include "section.h"
#include "shape.h"
#include "short_page.h"

#define MOST_WARNINGS   4 /* at a run's end on a terminal */
#define LEAST_LEAD_ROWS 3 /* there */
#define FIRST_ANSWERS   4 /* sentences that stay longer there than the others */

/* --- page 1 --- */

static void say_all(struct page *p, const struct model *m, enum story_role role)
{
	const struct story_sentence *told;
	for (unsigned i = 0; (told = story_said(&m->story, role, i)); i++)
		page_say(p, "%s", told->text);
}

void sections_write_answer(struct page *p, const struct model *m)
{
	const struct story_sentence *told;
	for (unsigned i = 0; (told = story_answer(&m->story, i)); i++) {
		if (i == FIRST_ANSWERS)
			short_page_mark(p, "more of the answer", SHORT_PAGE_SOME);
		page_say(p, "%s", told->text);
	}
	short_page_mark(p, "", SHORT_PAGE_ANSWER);
}

static void write_answer(struct page *p, const struct model *m)
{
	const char *question = run_text(&m->run, "question");
	if (p->kind == PAGE_MARKDOWN) {
		page_heading(p, 1, "%s", run_text(&m->run, "title"));
		page_stress(p, "%s", question);
	} else {
		page_heading(p, 1, "%s", *question ? question : run_text(&m->run, "title"));
	}
	sections_write_answer(p, m);
	say_all(p, m, STORY_MEASURED);
}

static bool has_lead(const struct model *m)
{
	return m->story.lead;
}

static void write_lead(struct page *p, const struct model *m)
{
	section_write_lead(p, m->story.lead);
}

static void write_trust(struct page *p, const struct model *m)
{
	char text[PAGE_TEXT_BYTES - 160], more[160] = "";
	const struct story_sentence *doubt;
	unsigned n = 0;
	while (model_warning(m, n))
		n++;
	if (n && p->kind == PAGE_MARKDOWN)
		snprintf(more, sizeof more, " %u warning%s, %s.", n, format_plural(n),
		         p->whole ? "at the end" : "in the report");
	for (unsigned i = 0; (doubt = story_said(&m->story, STORY_DOUBT, i)); i++)
		page_stress(p, "%s", doubt->text);
	section_said(&m->story, STORY_TRUST, text, sizeof text);
	page_say(p, "%s%s", text, more);
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
	say_all(p, m, STORY_BELOW_ADVICE);
}

/* --- the end of the report --- */

static bool has_warnings(const struct model *m)
{
	return model_warning(m, 0);
}

static void write_warnings(struct page *p, const struct model *m)
{
	const bool all = p->kind != PAGE_TERMINAL || p->whole;
	const char *text;
	unsigned n = 0;
	for (; (text = model_warning(m, n)); n++)
		if (all || n < MOST_WARNINGS)
			page_item(p, "%s", text);
	if (!all && n > MOST_WARNINGS)
		page_item(p, "%u more in the report.", n - MOST_WARNINGS);
	page_end_list(p);
}

static bool has_pictures(const struct model *m)
{
	return m->drawn.npictures > 0;
}

static void write_pictures(struct page *p, const struct model *m)
{
	say_all(p, m, STORY_ABOVE_PICTURES);
	char others[PAGE_TEXT_BYTES - 64] = "";
	for (unsigned i = 0; i < m->drawn.npictures; i++) {
		const struct model_picture *picture = &m->drawn.pictures[i];
		if (picture->shown)
			page_picture(p, picture->name, model_caption(m, picture));
		else
			status_add(others, sizeof others, "%splots/%s.png", others[0] ? ", " : "",
			           picture->name);
	}
	if (others[0])
		page_say(p, "More pictures: %s.", others);
}

static void write_raw(struct page *p, const struct model *m)
{
	const char *files[32] = {"trials.jsonl", "report.json"};
	unsigned n = 2;
	for (unsigned i = 0; i < m->story.nchapters; i++)
		n += section_files(&m->story.chapters[i], files + n,
		                   sizeof files / sizeof *files - n);
	page_files(p, "The record, and all of this as data", files, n);
}

/* --- all of it --- */

/* The report's own sections, before the chapters and after them. */
struct part {
	const char *id, *title;                  /* "": no heading */
	bool at_end;                             /* on the terminal at a run's end too */
	enum short_page_use use;                 /* there */
	bool (*when)(const struct model *model); /* NULL: always */
	void (*write)(struct page *page, const struct model *model);
};

// clang-format off
static const struct part before[] = {
    {"answer",   "",                    true,  SHORT_PAGE_ANSWER, NULL,         write_answer},
    {"lead",     "",                    true,  SHORT_PAGE_ALWAYS, has_lead,     write_lead},
    {"picture",  "",                    false, SHORT_PAGE_LEAST,  has_picture,  write_picture},
    {"advice",   "Do this",             true,  SHORT_PAGE_MUCH,   has_advice,   write_advice},
    {"trust",    "Can it be believed?", true,  SHORT_PAGE_ALWAYS, NULL,         write_trust},
};
static const struct part after[] = {
    {"warnings", "Warnings",            true,  SHORT_PAGE_LEAST,  has_warnings, write_warnings},
    {"pictures", "Pictures",            false, SHORT_PAGE_LEAST,  has_pictures, write_pictures},
    {"raw",      "Raw data",            false, SHORT_PAGE_LEAST,  NULL,         write_raw},
};
// clang-format on

static bool is_short(const struct page *p)
{
	return p->kind == PAGE_TERMINAL && !p->whole;
}

static void begin_section(struct page *p, const char *id, const char *title, unsigned level,
                          enum short_page_use use)
{
	short_page_mark(p, title, use);
	if (title[0])
		page_heading(p, p->kind == PAGE_TERMINAL ? 2 : level, "%s", title);
	if (p->sections) {
		p->sentences = json_array();
		json_array_append_new(p->sections,
		                      shape_make(SHAPE_SECTION, id, title, p->sentences));
	}
}

static void write_parts(struct page *p, const struct model *m, const struct part *parts, unsigned n,
                        unsigned level)
{
	for (unsigned i = 0; i < n; i++) {
		const struct part *one = &parts[i];
		if ((is_short(p) && !one->at_end) || (one->when && !one->when(m)))
			continue;
		begin_section(p, one->id, one->title, level, one->use);
		one->write(p, m);
	}
}

/* On a terminal results are on top: the leading chapter's table, else the first of the front as a whole. */
static const struct story_chapter *top_of(const struct model *m)
{
	const struct story_chapter *top = m->story.lead;
	for (unsigned i = 0; i < m->story.nchapters && !top; i++) {
		const struct story_chapter *c = &m->story.chapters[i];
		if (c->chapter->place == CHAPTER_FRONT && section_shows(c))
			top = c;
	}
	return top;
}

static void write_top(struct page *p, const struct model *m)
{
	const struct story_chapter *top = top_of(m);
	if (!is_short(p) || !top || top == m->story.lead)
		return;
	begin_section(p, top->chapter->name, top->chapter->title, 2, SHORT_PAGE_MOST);
	section_write(p, top, false);
}

/* Those of one place, in their order. */
static void write_chapters(struct page *p, const struct model *m, enum chapter_place place,
                           unsigned level)
{
	const struct story_chapter *top = top_of(m);
	for (unsigned i = 0; i < m->story.nchapters; i++) {
		const struct story_chapter *c = &m->story.chapters[i];
		if (c->chapter->place != place || !section_shows(c) ||
		    (is_short(p) && (place > CHAPTER_FRONT || c == top)))
			continue;
		begin_section(p, c->chapter->name, c->chapter->title, level,
		              !c->chapter->title[0]                            ? SHORT_PAGE_ALWAYS
		              : place == CHAPTER_FIRST && top == m->story.lead ? SHORT_PAGE_MOST
		                                                               : SHORT_PAGE_SOME);
		section_write(p, c, c == m->story.lead);
	}
}

/* From the end of page 1 to the next part. */
static void write_links(struct page *p, const struct model *m)
{
	const char *titles[32];
	unsigned n = 0;
	for (unsigned place = 0; place <= CHAPTER_APPENDIX; place++)
		for (unsigned i = 0; i < m->story.nchapters && n < 30; i++) {
			const struct story_chapter *c = &m->story.chapters[i];
			if (c->chapter->place == place && c->linked && section_shows(c))
				titles[n++] = c->chapter->title;
		}
	for (size_t i = 0; i < sizeof after / sizeof *after; i++)
		if (!after[i].when || after[i].when(m))
			titles[n++] = after[i].title;
	page_links(p, titles, n);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void write_all(struct page *p, const struct model *m)
{
	write_parts(p, m, before, COUNT(before), 2);
	write_top(p, m);
	write_chapters(p, m, CHAPTER_FIRST, 2);
	write_links(p, m);
	write_chapters(p, m, CHAPTER_FRONT, 2);
	write_chapters(p, m, CHAPTER_BODY, 2);
	if (p->kind == PAGE_MARKDOWN)
		page_heading(p, 2, "Appendix");
	write_chapters(p, m, CHAPTER_APPENDIX, 3);
	write_parts(p, m, after, COUNT(after), 3);
}

/* Where the page has too little room, its table has fewer rows before the answer is cut. */
void sections_write(struct page *p, const struct model *m)
{
	p->lead_rows = SECTION_LEAD_ROWS;
	if (!is_short(p)) {
		write_all(p, m);
		return;
	}
	for (bool written = false; !written; p->lead_rows--) {
		const bool last = p->lead_rows == LEAST_LEAD_ROWS;
		short_page_begin(p);
		write_all(p, m);
		written = short_page_end(p, last) || last;
	}
}

void sections_write_summary(struct page *p, const struct model *m)
{
	for (size_t i = 0; i < COUNT(before); i++)
		if (before[i].at_end)
			write_parts(p, m, &before[i], 1, 2);
}

#include "sections.h"
#include <string.h>

#include "../data/format.h"
#include "../record/record_file.h"
#include "../chapters/run.h"
#include "section.h"

#define MOST_ADVICE 3 /* on page 1 */
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- page 1 --- */

static void say_all(struct page *p, const struct model *m, enum story_role role)
{
	const struct story_sentence *told;
	for (unsigned i = 0; (told = story_said(&m->story, role, i)); i++)
		page_say(p, "%s", told->text);
}

/* What limits the answer, and it in one sentence. */
static void write_headline(struct page *p, const struct model *m)
{
	const struct story_sentence *headline = story_headline(&m->story), *told;
	for (unsigned i = 0; (told = story_said(&m->story, STORY_CAVEAT, i)); i++)
		if (told != headline)
			page_stress(p, "%s", told->text);
	if (headline)
		page_headline(p, headline->text);
}

static bool has_picture(const struct model *m)
{
	return m->drawn.answer >= 0 && m->drawn.npictures;
}

static void write_answer(struct page *p, const struct model *m)
{
	const char *question = run_text(&m->run, "question");
	question = *question ? question : run_text(&m->run, "title");
	if (p->kind == PAGE_TERMINAL)
		page_heading(p, 1, "%s", question);
	else
		page_say(p, "%s", question);
	write_headline(p, m);
	if (has_picture(m))
		page_front(p, true);
}

/* What the headline leaves unsaid of the answer, from *i on; NULL: no more. */
static const struct story_sentence *next_finding(const struct model *m, unsigned *i)
{
	const struct story_sentence *headline = story_headline(&m->story), *told;
	while ((told = story_answer(&m->story, (*i)++)))
		if (told != headline && !(told->roles & (STORY_CAVEAT | STORY_ADVICE)))
			return told;
	return NULL;
}

static void write_findings(struct page *p, const struct model *m)
{
	const struct story_sentence *told;
	for (unsigned i = 0; (told = next_finding(m, &i));)
		page_say(p, "%s", told->text);
}

static void write_measured(struct page *p, const struct model *m)
{
	say_all(p, m, STORY_MEASURED);
}

void sections_write_answer(struct page *p, const struct model *m)
{
	write_headline(p, m);
	write_findings(p, m);
}

static void write_strip(struct page *p, const struct model *m)
{
	section_write_strip(p, m->story.strip);
}

static void write_trust(struct page *p, const struct model *m)
{
	char text[PAGE_TEXT_BYTES - 160], more[160] = "";
	const struct story_sentence *doubt;
	unsigned n = 0;
	while (model_warning(m, n))
		n++;
	if (n && p->kind != PAGE_TERMINAL)
		snprintf(more, sizeof more, " %u warning%s.", n, format_plural(n));
	for (unsigned i = 0; (doubt = story_said(&m->story, STORY_DOUBT, i)); i++)
		page_stress(p, "%s", doubt->text);
	section_said(&m->story, STORY_TRUST, text, sizeof text);
	page_say(p, "%s%s", text, more);
}

static void write_picture(struct page *p, const struct model *m)
{
	const struct model_picture *picture = &m->drawn.pictures[m->drawn.answer];
	page_picture(p, picture->name, model_caption(m, picture), false);
}

static void write_items(struct page *p, const struct model *m, unsigned from, unsigned to)
{
	const struct story_sentence *told;
	for (unsigned i = from; i < to && (told = story_said(&m->story, STORY_ADVICE, i)); i++)
		page_item(p, "%s", told->text);
	page_end_list(p);
}

static void write_advice(struct page *p, const struct model *m)
{
	write_items(p, m, 0, MOST_ADVICE);
}

static void write_more_advice(struct page *p, const struct model *m)
{
	write_items(p, m, MOST_ADVICE, UINT_MAX);
}

/* --- the end of the report --- */

static void write_warnings(struct page *p, const struct model *m)
{
	const char *text;
	for (unsigned i = 0; (text = model_warning(m, i)); i++)
		page_item(p, "%s", text);
	page_end_list(p);
}

static void write_pictures(struct page *p, const struct model *m)
{
	say_all(p, m, STORY_ABOVE_PICTURES);
	char others[PAGE_TEXT_BYTES - 64] = "";
	for (unsigned i = 0; i < m->drawn.npictures; i++) {
		const struct model_picture *picture = &m->drawn.pictures[i];
		if (picture->shown)
			page_picture(p, picture->name, model_caption(m, picture), true);
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
	char record[PATH_MAX];
	struct status ignored = {""};
	if (p->dir && !record_file_find(p->dir, record, &ignored))
		files[0] = arena_copy(p->arena, strrchr(record, '/') + 1);
	unsigned n = 2;
	for (unsigned i = 0; i < m->story.nchapters; i++)
		n += section_files(&m->story.chapters[i], files + n,
		                   sizeof files / sizeof *files - n);
	page_files(p, "The record, and all of this as data", files, n);
}

/* --- all of it --- */

/* The report's own sections, before the chapters and after them. */
struct part {
	const char *id, *title; /* "": no heading */
	bool at_end;            /* on the terminal at a run's end too */
	void (*write)(struct page *page, const struct model *model);
};

// clang-format off
static const struct part before[] = {
    {"answer",   "",                    true,  write_answer},
    {"strip",    "",                    true,  write_strip},
    {"picture",  "",                    false, write_picture},
    {"do_this",  "Do this",             true,  write_advice},
    {"trust",    PAGE_1_TRUST,          true,  write_trust},
};
static const struct part below[] = {
    {"findings", "The answer in full",  true,  write_findings},
    {"more_advice", "More to do",       false, write_more_advice},
    {"measured", "Measured on",         false, write_measured},
};
static const struct part after[] = {
    {"warnings", "Warnings",            true,  write_warnings},
    {"pictures", "Pictures",            false, write_pictures},
    {"raw",      "Raw data",            false, write_raw},
};
// clang-format on

/* Whether the model has anything for it. */
static bool is_there(const struct part *one, const struct model *m)
{
	return one->write == write_strip      ? m->story.strip != NULL
	       : one->write == write_picture  ? has_picture(m)
	       : one->write == write_findings ? next_finding(m, &(unsigned){0}) != NULL
	       : one->write == write_advice   ? story_said(&m->story, STORY_ADVICE, 0) != NULL
	       : one->write == write_more_advice
	           ? story_said(&m->story, STORY_ADVICE, MOST_ADVICE) != NULL
	       : one->write == write_warnings ? model_warning(m, 0) != NULL
	       : one->write == write_pictures ? m->drawn.npictures > 0
	                                      : true;
}

static bool is_short(const struct page *p)
{
	return p->kind == PAGE_TERMINAL && !p->whole;
}

static void begin_section(struct page *p, const char *id, const char *title, unsigned level)
{
	if (title[0])
		page_heading(p, p->kind == PAGE_TERMINAL ? 2 : level, "%s", title);
	if (p->sections) {
		p->sentences = json_array();
		json_array_append_new(p->sections, json_pack("{s:s, s:s, s:o}", "id", id, "title",
		                                             title, "sentences", p->sentences));
	}
}

static void write_parts(struct page *p, const struct model *m, const struct part *parts, unsigned n,
                        unsigned level)
{
	for (unsigned i = 0; i < n; i++) {
		const struct part *one = &parts[i];
		if ((is_short(p) && !one->at_end) || !is_there(one, m))
			continue;
		page_section(p, one->title, parts == before);
		begin_section(p, one->id, one->title, level);
		one->write(p, m);
	}
}

/* Those of one place, in their order. */
static void write_chapters(struct page *p, const struct model *m, enum chapter_place place,
                           unsigned level)
{
	for (unsigned i = 0; i < m->story.nchapters; i++) {
		const struct story_chapter *c = &m->story.chapters[i];
		if (c->chapter->place != place || !section_shows(c) ||
		    (is_short(p) && place > CHAPTER_FRONT))
			continue;
		page_section(p, c->chapter->title, false);
		begin_section(p, c->chapter->name, c->chapter->title, level);
		section_write(p, c);
	}
}

static unsigned add_titles(const struct model *m, const struct part *parts, unsigned n,
                           const char **titles)
{
	unsigned added = 0;
	for (unsigned i = 0; i < n; i++)
		if (*parts[i].title && is_there(&parts[i], m))
			titles[added++] = parts[i].title;
	return added;
}

/* All sections but those of the appendix. */
static void write_contents(struct page *p, const struct model *m)
{
	const char **titles = ARENA_ARRAY(m->arena, const char *, m->story.nchapters + 16);
	unsigned n = add_titles(m, before, COUNT(before), titles);
	n += add_titles(m, below, COUNT(below), titles + n);
	for (unsigned place = 0; place < CHAPTER_APPENDIX; place++)
		for (unsigned i = 0; i < m->story.nchapters; i++) {
			const struct story_chapter *c = &m->story.chapters[i];
			if (c->chapter->place == place && *c->chapter->title && section_shows(c))
				titles[n++] = c->chapter->title;
		}
	titles[n++] = "Appendix";
	n += add_titles(m, after, COUNT(after), titles + n);
	page_links(p, titles, n);
}

/* At a run's end tables come first. */
static void write_all(struct page *p, const struct model *m)
{
	write_contents(p, m);
	write_parts(p, m, before, COUNT(before), 2);
	page_front(p, false);
	if (is_short(p))
		write_chapters(p, m, CHAPTER_FIRST, 2);
	write_parts(p, m, below, COUNT(below), 2);
	if (!is_short(p))
		write_chapters(p, m, CHAPTER_FIRST, 2);
	write_chapters(p, m, CHAPTER_FRONT, 2);
	write_chapters(p, m, CHAPTER_BODY, 2);
	if (p->kind != PAGE_TERMINAL)
		page_heading(p, 2, "Appendix");
	write_chapters(p, m, CHAPTER_APPENDIX, 3);
	write_parts(p, m, after, COUNT(after), 3);
}

void sections_write(struct page *p, const struct model *m)
{
	const bool shortens = is_short(p);
	if (shortens)
		page_short_begin(p);
	write_all(p, m);
	if (shortens)
		page_short_end(p);
}

void sections_write_summary(struct page *p, const struct model *m)
{
	for (size_t i = 0; i < COUNT(before); i++)
		if (before[i].at_end)
			write_parts(p, m, &before[i], 1, 2);
}

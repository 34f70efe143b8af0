/* A page that sections write on, without knowing which: a terminal's, Markdown or HTML. All texts
 * are plain: a form escapes what it would take for markup, so that nothing in a record can be. */
#ifndef LAUNCHGAP_PAGE_H
#define LAUNCHGAP_PAGE_H

#include <stdio.h>

#include "table.h"

#define PAGE_TEXT_BYTES 4096
#define PAGE_1_TRUST    "Can it be believed?"

enum page_kind { PAGE_TERMINAL, PAGE_MARKDOWN, PAGE_HTML };

/* A text in lines that the terminal has room for: `lead` before the first, `indent` blanks before
 * each of the others. Also for what is printed without a page. Ends with a newline. */
void page_wrap(FILE *out, const char *lead, unsigned indent, const char *text);

/* The same on stdout, with so many blanks before each line. */
void page_line(unsigned indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct page {
	enum page_kind kind;
	FILE *out; /* borrowed, as is the arena, which tables and pictures take */
	struct arena *arena;
	const char *dir; /* of the record, and of plots/NAME.svg or .png, which HTML has in it */
	bool whole;      /* a terminal's: all sections, not only those at a run's end */
	unsigned level;  /* of the section's heading; 0: none yet */
	bool opened;     /* something was written */
	bool listing, front;            /* of HTML: within a list; page_front */
	unsigned pictures, left, right; /* of HTML: so far; about the pixels of its columns */
	bool bars;                   /* its tables are drawn as bars, if their form asks for it */
	struct page_short *shortens; /* a terminal's at a run's end; else NULL */
	/* If not NULL, what is written is added as data too: tables, and for each section its
	 * sentences. Borrowed; `sentences` is the last section's. */
	json_t *tables, *sections, *sentences;
};

/* How a form writes what is asked for below; NULL: not at all. */
enum page_text { PAGE_SAY, PAGE_STRESS, PAGE_ITEM };
struct page_form {
	void (*begin)(struct page *page, const char *title);
	void (*end)(struct page *page);
	void (*heading)(struct page *page, unsigned level, const char *text);
	void (*text)(struct page *page, enum page_text as, const char *text);
	void (*end_list)(struct page *page);
	void (*table)(struct page *page, const struct story_table *table);
	void (*code)(struct page *page, const char *text);
	void (*picture)(struct page *page, const char *name, const char *caption, bool says);
	void (*files)(struct page *page, const char *what, const char *const *files, unsigned n);
	void (*links)(struct page *page, const char *const *headings, unsigned n);
	void (*front)(struct page *page, bool begins);
};
extern const struct page_form page_markdown, page_html;

/* What is around all of it: nothing, but of HTML. */
void page_begin(struct page *page, const char *title);
void page_end(struct page *page);
/* level 1 is the page's title, 2 a section, 3 a section of the appendix. All look the same on a
 * terminal. */
void page_heading(struct page *page, unsigned level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The answer in one sentence, as the title of a page that is no terminal's. */
void page_headline(struct page *page, const char *text);
/* The heading of a part of the section. */
void page_part(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph; nothing if the text is empty. */
void page_say(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same in bold, if the page has bold. */
void page_stress(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One item of a list: call page_end_list after the last. */
void page_item(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_end_list(struct page *page);
/* A table without rows leaves no trace. What its rows have in common is below it, if its form asks
 * for that (story_form.common). */
void page_table(struct page *page, const struct story_table *table);
/* What people get of it: the columns that are not for files alone and have a value. */
void page_table_shown(struct page *page, const struct story_table *table);
/* A terminal's page at a run's end has PAGE_SHORT_LINES, so that its top is still seen: of each
 * section the first paragraphs, items and tables that have room below those before it; what has
 * none is named at the end. whole: all of the section is there. On another page page_section does
 * nothing. */
#define PAGE_SHORT_LINES 60 /* with the two that name the report's files */
void page_short_begin(struct page *page);
void page_section(struct page *page, const char *title, bool whole);
void page_short_end(struct page *page);
/* Lines as they are, in a monospaced font. */
void page_code(struct page *page, const char *text);
/* A picture of plots/, by its name without extension; on a terminal only its file. says: with its
 * caption above. */
void page_picture(struct page *page, const char *name, const char *caption, bool says);
/* A paragraph that names files of the run's folder, "what: file, file"; Markdown links them. */
void page_files(struct page *page, const char *what, const char *const *files, unsigned n);

/* What is written up to page_front(page, false) is page 1 with a picture, which HTML sets beside
 * the rest. */
void page_front(struct page *page, bool begins);

/* A line of links to headings of this page, by their texts; nothing on a terminal. */
void page_links(struct page *page, const char *const *headings, unsigned n);
/* "98 %", "16 MiB": a number and its unit stay on one line. */
void page_bind_units(char *text, size_t bytes);
/* A heading's link: "How it was measured" as "how-it-was-measured". */
void page_anchor(const char *heading, char *out, size_t bytes);

#endif

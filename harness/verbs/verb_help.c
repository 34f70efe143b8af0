/* help: the verbs, or what one takes, from their rows. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../report/page.h"
#include "../terminal.h"
#include "verbs.h"

#define OPTION_COLUMNS 15
#define VERB_COLUMNS   34

enum format { FORMAT_TEXT, FORMAT_MAN, FORMAT_MAN_EXPERIMENT, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "man", "man-experiment", "markdown", NULL};

static const struct field rows[] = {
    {"--format", FIELD_WORD, 0, .words = formats, .otherwise = "text",
     .help = "man: launchgap(1), man-experiment: launchgap-experiment(5), for man -l; markdown: "
             "the keys as tables"},
};

const struct fields help_options = FIELDS_OF(rows, enum format);

void help_print_all(FILE *out)
{
	const struct verb *verb;
	page_wrap(out, "", 0,
	          "launchgap measures what it costs to launch NCCL with one thread, a thread per "
	          "GPU, or a process per GPU.");
	fputc('\n', out);
	for (size_t i = 0; (verb = verb_at(i)); i++) {
		char name[80];
		if (!verb->form)
			continue;
		snprintf(name, sizeof name, "launchgap %s%s%s", verb->name, *verb->form ? " " : "",
		         verb->form);
		help_entry(out, VERB_COLUMNS, name, verb->summary);
	}
	fputc('\n', out);
	page_wrap(out, "", 0, "`launchgap VERB --help` says what a verb takes.");
}

void help_entry(FILE *out, unsigned columns, const char *name, const char *what)
{
	const unsigned width = terminal_width(name);
	char lead[256];
	if (width > columns)
		fprintf(out, "  %s\n", name);
	snprintf(lead, sizeof lead, "  %.150s%*s", width > columns ? "" : name,
	         (int)(width > columns ? columns : columns - width) + 1, "");
	page_wrap(out, lead, columns + 3, what);
}

static void print_option(const struct field *row, void *out)
{
	char value[128], name[200], text[1024];
	snprintf(name, sizeof name, "%s%s%s", row->key, options_sign(row),
	         options_value(row, value));
	options_help(row, text, sizeof text);
	help_entry(out, OPTION_COLUMNS, name, text);
}

static void print_verb(const struct verb *verb, const char *name, FILE *out)
{
	char head[256];
	snprintf(head, sizeof head, "launchgap %s%s%s: %s", name,
	         verb->form && *verb->form ? " " : "", verb->form ? verb->form : "", verb->summary);
	page_wrap(out, "", 2, head);
	for (const char *at = verb->about; at;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char paragraph[1024];
		snprintf(paragraph, sizeof paragraph, "%.*s", (int)strcspn(at, "\n"), at);
		page_wrap(out, "", 0, paragraph);
	}
	verb_each_option(verb, print_option, out);
	if (verb->as)
		fprintf(out, "Options as of %s.\n", verb->as);
	if (verb->exits)
		page_wrap(out, "exit: ", 6, verb->exits);
}

int verb_help(int argc, char *argv[], const struct home *home, struct status *st)
{
	enum format format = FORMAT_TEXT;
	const struct verb *verb = NULL;
	const char *name = NULL;
	(void)home;
	for (int i = 2, taken; i < argc; i += taken) {
		taken = options_take(&help_options, argv, i, &format, st);
		if (taken < 0)
			return -1;
		if (taken)
			continue;
		taken = 1;
		name = argv[i];
		verb = verb_find(name);
		if (!verb && name[0] == '-')
			return verb_not_understood("help", name, st);
		if (!verb)
			return verb_unknown(name, st);
	}
	if (format == FORMAT_MAN)
		manual_print(stdout);
	else if (format == FORMAT_MAN_EXPERIMENT)
		manual_print_experiment(stdout);
	else if (format == FORMAT_MARKDOWN)
		manual_print_tables(stdout);
	else if (verb)
		print_verb(verb, name, stdout);
	else
		help_print_all(stdout);
	return 0;
}

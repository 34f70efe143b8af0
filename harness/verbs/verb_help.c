/* help: the verbs, or what one takes, from their rows. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../report/page.h"
#include "verbs.h"

#define OPTION_COLUMNS 15

enum format { FORMAT_TEXT, FORMAT_MAN, FORMAT_MAN_EXPERIMENT, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "man", "man-experiment", "markdown", NULL};

struct asked {
	enum format format;
};

static const struct field rows[] = {
    {"--format", FIELD_WORD, offsetof(struct asked, format), .words = formats, .otherwise = "text",
     .help = "man: launchgap(1), man-experiment: launchgap-experiment(5), for man -l; markdown: "
             "the keys as tables"},
};

const struct options help_options = OPTIONS(rows);

void help_print_all(FILE *out)
{
	const struct verb *verb;
	fputs("launchgap measures what it costs to launch NCCL with one thread, a thread per\n"
	      "GPU, or a process per GPU.\n\n",
	      out);
	for (size_t i = 0; (verb = verb_at(i)); i++) {
		char form[80];
		snprintf(form, sizeof form, "%s%s%s", verb->name, verb->form ? " " : "",
		         verb->form ? verb->form : "");
		/* "…" has three bytes and one column. */
		if (verb->form && strlen(form) <= 26)
			fprintf(out, "  launchgap %-*s %s\n", strstr(form, "…") ? 26 : 24, form,
			        verb->summary);
		else if (verb->form)
			fprintf(out, "  launchgap %s\n%37s%s\n", form, "", verb->summary);
	}
	fputs("\n`launchgap VERB --help` says what a verb takes.\n", out);
}

void help_entry(FILE *out, unsigned columns, const char *name, const char *what)
{
	char lead[200];
	snprintf(lead, sizeof lead, "  %-*.150s ", (int)columns, name);
	if (strlen(name) > columns) {
		fprintf(out, "  %s\n", name);
		snprintf(lead, sizeof lead, "%*s", (int)columns + 3, "");
	}
	page_wrap(out, lead, columns + 3, what);
}

static void print_option(const struct field *row, void *out)
{
	char value[128], name[200], text[1024];
	const bool dashed = row->key[0] == '-' || row->kind == FIELD_FLAG;
	const char *otherwise = row->otherwise ? row->otherwise : row->initial;
	options_value(row, value);
	snprintf(name, sizeof name, "%s%s%s", row->key, !*value ? "" : dashed ? " " : "=", value);
	snprintf(text, sizeof text, "%s%s%s%s", row->help, otherwise ? " (" : "",
	         otherwise ? otherwise : "", otherwise ? ")" : "");
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
	struct asked asked = {FORMAT_TEXT};
	const struct verb *verb = NULL;
	const char *name = NULL;
	(void)home;
	for (int i = 2, taken; i < argc; i += taken) {
		taken = options_take(&help_options, argv, i, &asked, st);
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
	if (asked.format == FORMAT_MAN)
		manual_print(stdout);
	else if (asked.format == FORMAT_MAN_EXPERIMENT)
		manual_print_experiment(stdout);
	else if (asked.format == FORMAT_MARKDOWN)
		manual_print_tables(stdout);
	else if (verb)
		print_verb(verb, name, stdout);
	else
		help_print_all(stdout);
	return 0;
}

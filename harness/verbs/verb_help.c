/* help: the verbs, or what one takes, from their rows. */
#include "../report/page.h"
#include "../terminal.h"
#include "verbs.h"

#define OPTION_COLUMNS 15
#define VERB_COLUMNS   34

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
	const struct verb *verb = argc > 2 ? verb_find(argv[2]) : NULL;
	(void)home;
	if (argc > 2 && !verb && argv[2][0] != '-')
		return verb_unknown(argv[2], st);
	if (argc > 3 || (argc > 2 && !verb))
		return verb_not_understood("help", argv[argc - 1], st);
	if (verb)
		print_verb(verb, argv[2], stdout);
	else
		help_print_all(stdout);
	return 0;
}

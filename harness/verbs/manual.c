/* Man pages, in man(7)'s macros, from the rows that the program reads: launchgap(1) from those of verbs,
 * launchgap-experiment(5) from those of keys. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../config/keys.h"
#include "verbs.h"

#define SOURCE_COLUMNS 50 /* of a line in the page's source, which is filled anyway */

/* A text as roff: nothing in it is a request, `code` is bold, of a [link](…) the text is there. */
static void put(FILE *out, const char *text, bool fills)
{
	bool bold = false;
	unsigned column = 0;
	for (const char *c = text; *c; c++, column++) {
		const char *link = *c == ']' && c[1] == '(' ? strchr(c, ')') : NULL;
		const char *end = *c == '[' ? strchr(c, ']') : NULL;
		if (!column && (*c == '.' || *c == '\''))
			fputs("\\&", out);
		if (*c == '`')
			fputs((bold = !bold) ? "\\fB" : "\\fR", out);
		else if (link)
			c = link;
		else if (*c == '\\')
			fputs("\\e", out);
		else if (*c == '-')
			fputs("\\-", out);
		else if (*c == ' ' && c[1] == '%')
			fputs("\\ ", out);
		else if (fills && *c == ' ' && column + strcspn(c + 1, " ") > SOURCE_COLUMNS)
			fputc('\n', out), column = UINT_MAX;
		else if (!end || end[1] != '(')
			fputc(*c, out);
	}
}

/* A line that a macro takes, "" for none of them: text, which is filled. */
static void put_line(FILE *out, const char *macro, const char *text)
{
	fputs(macro, out);
	put(out, text, !*macro);
	fputc('\n', out);
}

/* Paragraphs, a line each; `first` is before the first of them. */
static void put_paragraphs(FILE *out, const char *first, const char *text)
{
	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char paragraph[2048];
		snprintf(paragraph, sizeof paragraph, "%.*s", (int)strcspn(at, "\n"), at);
		fputs(at == text ? first : ".PP\n", out);
		put_line(out, "", paragraph);
	}
}

static void put_title(FILE *out, const char *name, int section, const char *what)
{
	char upper[64];
	size_t i;
	for (i = 0; name[i] && i + 1 < sizeof upper; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[i] = '\0';
	fprintf(out, ".\\\" Made by launchgap help --format.\n.TH %s %d %s \"launchgap %s\"\n",
	        upper, section, version_date(), version_release());
	fputs(".ad l\n.nh\n.ss 12 0\n.SH NAME\n", out);
	put(out, name, false);
	put_line(out, " \\- ", what);
}

/* --- launchgap(1) ------------------------------------------------------------------------ */

static void put_option(const struct field *row, void *arg)
{
	FILE *out = arg;
	char value[128], text[1024];
	fputs(".TP\n\\fB", out);
	put(out, row->key, false);
	fprintf(out, "%s\\fI", options_sign(row));
	put(out, options_value(row, value), false);
	fputs("\\fR\n", out);
	options_help(row, text, sizeof text);
	put_line(out, "", text);
}

static void put_verb(FILE *out, const struct verb *verb)
{
	char head[160];
	snprintf(head, sizeof head, "%s%s%s", verb->name, *verb->form ? " " : "", verb->form);
	put_line(out, ".SS ", head);
	snprintf(head, sizeof head, "%s.", verb->summary);
	head[0] = (char)toupper((unsigned char)head[0]);
	put_line(out, "", head);
	put_paragraphs(out, ".PP\n", verb->about);
	verb_each_option(verb, put_option, out);
	if (verb->as)
		fprintf(out, ".PP\nOptions as of\n.BR %s .\n", verb->as);
	if (verb->exits)
		put_paragraphs(out, ".PP\nExit status:\n", verb->exits);
}

// clang-format off
static const char description[] =
    "launchgap measures what it costs to drive NCCL with one thread for all GPUs, with one thread per GPU, or with one process per GPU. It says which to choose, by "
    "how much, and why. Without GPUs it measures copies in CPU memory.\n"
    "A question is an experiment file. A run starts fresh jobs for it, keeps their record, and makes a report that begins with the answer.";
static const char ending[] =
    ".SH EXIT STATUS\n"
    "0: done. 1: done with errors, or not done. 2: there is no such verb.\n"
    "Verbs with other statuses name them.\n"
    ".SH FILES\n"
    ".TP\n.I experiments/NAME.exp\nexperiments, beside the program or in\n.I ../share/launchgap\n"
    ".TP\n.I results/NAME/STAMP/\na run: its record, its report and its pictures\n"
    ".TP\n.I ../share/doc/launchgap/\ndocuments, by the names that help gives them\n"
    ".SH EXAMPLES\n.EX\n"
    "launchgap run smoke\n"
    "launchgap run collectives collective=all_reduce bytes=\\(aq64K..256M x4\\(aq\n"
    "launchgap compare results/smoke/A results/smoke/B \\-\\-threshold 2%\n"
    ".EE\n";
// clang-format on

void manual_print(FILE *out)
{
	const struct verb *verb;
	put_title(out, "launchgap", 1,
	          "what it costs to launch NCCL by one thread, threads or processes");
	fputs(".SH SYNOPSIS\n.B launchgap\n.I VERB\n.RI [ ARGUMENT \" ...]\"\n.SH DESCRIPTION\n",
	      out);
	put_paragraphs(out, "", description);
	fputs(".SH VERBS\n", out);
	for (size_t i = 0; (verb = verb_at(i)); i++)
		if (verb->form)
			put_verb(out, verb);
	fputs(ending, out);
	fputs(".SH SEE ALSO\n.BR launchgap\\-experiment (5),\n.BR mpirun (1),\n.BR gnuplot (1)\n",
	      out);
}

/* --- launchgap-experiment(5), and the tables of experiments/README.md -------------------- */

#define KEY_BYTES  4096
#define MANY_BYTES 200 /* of the words of a set that another key lists */

/* What may be written, in code if it is words, what it is, and more of that. */
static void key_text(const struct key_table *table, const struct field *row, char text[KEY_BYTES])
{
	const char *more = key_more(table, row->key);
	char allowed[1024], *rest = allowed;
	const char *mark = field_word(row, 0) ? "`" : "";
	field_allowed(row, allowed, sizeof allowed);
	text[0] = '\0';
	if (strlen(allowed) > MANY_BYTES && (row->kind == FIELD_MAYBE || row->kind == FIELD_CHOICE))
		allowed[0] = '\0';
	for (char *word; *allowed && (word = sizes_next(&rest));)
		status_add(text, KEY_BYTES, "%s%s%s%s", *text ? ", " : "", mark, word, mark);
	status_add(text, KEY_BYTES, "%s%s", *text ? "; " : "", row->help);
	if (*more)
		status_add(text, KEY_BYTES, ". %.*s", (int)strcspn(more, "\n"), more);
}

/* A last sentence that is a link and nothing else: a page of man has no such place. */
static void cut_link(char *text)
{
	char *at = strrchr(text, '['), *end = at ? strchr(at, ')') : NULL;
	if (end && !end[1] && at - text > 2 && at[-2] == '.')
		at[-2] = '\0';
}

struct tabled {
	FILE *out;
	const struct key_table *table;
};

static void put_key(const struct field *row, void *arg)
{
	const struct tabled *t = arg;
	FILE *out = t->out;
	char text[KEY_BYTES], backends[128];
	const char *otherwise = row->otherwise ? row->otherwise : row->initial;
	key_text(t->table, row, text);
	cut_link(text);
	key_backends(row, backends, sizeof backends);
	put_line(out, ".TP\n.B ", row->key);
	if (otherwise && strcmp(otherwise, "none") != 0)
		status_add(text, sizeof text,
		           !strcmp(otherwise, "required") ? " (required)" : " (default: %s)",
		           otherwise);
	if (*backends)
		status_add(text, sizeof text, " (%s)", backends);
	put_line(out, "", text);
}

// clang-format off
static const char form[] =
    "One question, one file. It is of INI's form, with [section] and key = value; a semicolon begins a comment. The comment on top is the question.\n"
    "[experiment] comes first, once. Then at least one [variant NAME], and any [factor NAME], [claim NAME], [source NAME] and [search]. A section for one backend alone "
    "is [variant NAME on nccl].\n"
    "Sizes are a list, `4K, 64K`, or `4K..1G x4`, or `4K..64K +4K`.\n"
    "launchgap run --file FILE --dry-run checks a file on any machine; launchgap new writes one.";
static const char example[] =
    ".SH EXAMPLES\n.EX\n"
    "; Does alltoall lose bandwidth when every GPU gets its own process?\n"
    "[experiment]\ncollective = alltoall\nbytes      = 4K..1G x4\nreference  = threads\n\n"
    "[variant threads]\nmode = threads\n\n"
    "[variant processes]\nmode = processes\n"
    ".EE\n.SH SEE ALSO\n.BR launchgap (1)\n";
// clang-format on

void manual_print_experiment(FILE *out)
{
	const struct key_table *table;
	put_title(out, "launchgap-experiment", 5, "a question for launchgap, as a file");
	fputs(".SH SYNOPSIS\n.I NAME.exp\n.SH DESCRIPTION\n", out);
	put_paragraphs(out, "", form);
	for (unsigned i = 0; (table = key_table_at(i)); i++) {
		put_line(out, ".SH KEYS OF ", table->head);
		if (!i)
			put_line(out, "",
			         "Every key of a variant too: what all variants start from.");
		key_table_each(table, put_key, &(struct tabled){out, table});
	}
	fputs(example, out);
}

static void put_row(const struct field *row, void *arg)
{
	const struct tabled *t = arg;
	char text[KEY_BYTES], backends[128];
	key_text(t->table, row, text);
	key_backends(row, backends, sizeof backends);
	fprintf(t->out, "| `%s` | %s | ", row->key, text);
	if (row->otherwise)
		fputs(strcmp(row->otherwise, "none") ? row->otherwise : "–", t->out);
	else
		fprintf(t->out, row->initial ? "`%s`" : "–", row->initial);
	if (t->table->backends)
		fprintf(t->out, " | %s", *backends ? backends : "all");
	fputs(" |\n", t->out);
}

/* When a metric is measured: the pace of its calls, or a pass, or a whole trial. */
static const char *metric_pace(const struct metric_info *m)
{
	return m->whole                    ? "whole trials"
	       : m->counters               ? "pass `counters`"
	       : m->pace == CLAIM_ANY_PACE ? "isolated where there is one"
	                                   : coll_pace_name((enum pace)m->pace);
}

static void put_metrics(FILE *out)
{
	fputs("<!-- made: keys metrics -->\n| metric | what it is | unit | pace | sizes |\n"
	      "|---|---|---|---|---|\n",
	      out);
	for (unsigned i = 0; i < METRIC_KINDS; i++) {
		const struct metric_info *m = metric_info((enum metric)i);
		fprintf(out, "| `%s` | %s | %s | %s | %s |\n", m->name, m->summary,
		        *m->unit ? m->unit : "–", metric_pace(m),
		        m->whole                        ? "–"
		        : m->regime == CLAIM_ANY_REGIME ? "all that have it"
		                                        : claim_regime_name((unsigned)m->regime));
	}
	fputs("<!-- end -->\n", out);
}

void manual_print_tables(FILE *out)
{
	const struct key_table *table;
	put_metrics(out);
	for (unsigned i = 0; (table = key_table_at(i)); i++) {
		struct tabled t = {out, table};
		fprintf(out,
		        "<!-- made: keys %s -->\n| key | value | default |%s\n|---|---|---|%s\n",
		        table->name, table->backends ? " backend |" : "",
		        table->backends ? "---|" : "");
		key_table_each(table, put_row, &t);
		fputs("<!-- end -->\n", out);
	}
}

/* The tables of experiments/README.md, in Markdown, from the rows that the program reads. */
#include "../config/keys.h"
#include "verbs.h"

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

struct tabled {
	FILE *out;
	const struct key_table *table;
};

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

void key_tables_print(FILE *out)
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

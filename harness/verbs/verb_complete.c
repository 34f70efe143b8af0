/* complete WORD…: what the last word on a command line may become, for complete.bash and complete.zsh.
 * A line each: the whole word, a tab, and what it is. ":files" and ":folders" have the shell offer its own. */
#include <stdio.h>
#include <string.h>

#include "../../modes/launcher.h"
#include "../../modes/mode.h"
#include "../config/keys.h"
#include "../perf_options.h"
#include "verbs.h"

struct typed {
	const char *word;          /* so far */
	size_t kept;               /* bytes before what is offered: "mode=", "dtype=int8," */
	const char *const *before; /* the words before it, from the verb on */
	unsigned nbefore;
	const struct home *home;
};

/* A word that begins with what is typed after `kept`. */
static void offer(const struct typed *t, const char *word, const char *end, const char *what)
{
	if (!strncmp(word, t->word + t->kept, strlen(t->word + t->kept)))
		printf("%.*s%s%s\t%s\n", (int)t->kept, t->word, word, end, what ? what : "");
}

static const char *word_launcher(unsigned i)
{
	return launcher_table[i] ? launcher_table[i]->name : NULL;
}

/* Words of keys whose tables are of rooms that their rows do not know. */
static const struct {
	const char *key;
	field_word_fn *word;
} tables[] = {{"mode", mode_name}, {"launcher", word_launcher}};

/* What stands for a value in help, if the shell knows what it is. */
static bool offer_files(const char *value)
{
	const bool file = !strcmp(value, "FILE"), folder = !strcmp(value, "DIR");
	if (file || folder)
		puts(file ? ":files" : ":folders");
	return file || folder;
}

/* The values of a row: its words, or those of "0|1|2", or files. After a comma the next of a list. */
static void offer_values(struct typed t, const struct field *row)
{
	char value[128];
	const char *comma = strrchr(t.word + t.kept, ',');
	field_word_fn *word = NULL;
	if (comma)
		t.kept = (size_t)(comma + 1 - t.word);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(tables[i].key, row->key))
			word = tables[i].word;
	for (unsigned i = 0; word ? word(i) != NULL : field_word(row, i) != NULL; i++)
		offer(&t, word ? word(i) : field_word(row, i), "", NULL);
	if (offer_files(options_value(row, value)) || !strchr(value, '|') || field_word(row, 0))
		return;
	for (char *at = value, *one; (one = strsep(&at, "|"));)
		offer(&t, one, "", NULL);
}

/* --- options ----------------------------------------------------------------------------- */

struct looked {
	const struct typed *typed; /* NULL: nothing is offered */
	const char *option;        /* which is looked for: its values are offered */
	bool keys;                 /* rows of a file, where all have a value */
	bool found;
};

/* nccl-tests' names of datatypes and operations, for -d and -o. */
static void offer_theirs(const struct typed *t, const char *option)
{
	const struct perf_option *o = perf_option_find(option[1]);
	const bool named = o && o->key && o->value && !strchr(o->value, '|');
	const struct field *key = named ? field_find(&keys_fields, o->key) : NULL;
	for (unsigned i = 0; key && field_word(key, i); i++)
		offer(t, perf_word_theirs(field_word(key, i)), "", NULL);
}

static void look_at(const struct field *row, void *arg)
{
	struct looked *l = arg;
	const bool alone = row->kind == FIELD_FLAG && !l->keys;
	char name[64];
	for (unsigned i = 0; *options_name(row, i, name); i++) {
		const bool dashed = name[0] == '-';
		if (!l->option && dashed == (l->typed->word[0] == '-') &&
		    (row->kind != FIELD_OWN || row->read || dashed))
			offer(l->typed, name, dashed || alone ? "" : "=", row->help);
		if (!l->option || strcmp(l->option, name) || alone || l->found)
			continue;
		l->found = true;
		if (l->typed)
			offer_values(*l->typed, row);
	}
}

/* Calls look_at with the rows of a verb and of that whose options it takes. */
static void look(const struct verb *verb, struct looked *l)
{
	for (; verb; verb = verb->as ? verb_find(verb->as) : NULL)
		verb_each_option(verb, look_at, l);
}

/* The same with the keys of a command line. */
static void look_at_keys(struct looked *l)
{
	const struct field *f = keys_fields.rows;
	for (; f < keys_fields.rows + keys_fields.n; f++)
		look_at(f, l);
	for (f = settings_fields.rows; f < settings_fields.rows + settings_fields.n; f++)
		if (!field_find(&keys_fields, f->key) && (f->initial || f->otherwise))
			look_at(f, l);
}

/* --- what stands alone ------------------------------------------------------------------- */

static void offer_experiment(const char *name, void *typed)
{
	offer(typed, name, "", "an experiment");
}

static void offer_programs(const struct typed *t, const char *what)
{
	for (int c = 0; c < COLL_KINDS; c++) {
		char name[64];
		snprintf(name, sizeof name, "%s_perf", coll_info((enum coll_kind)c)->name);
		if (perf_program(name))
			offer(t, name, "", what);
	}
}

static void offer_verbs(const struct typed *t)
{
	const struct verb *verb;
	for (size_t i = 0; (verb = verb_at(i)); i++)
		if (verb->call == verb_perf)
			offer_programs(t, verb->summary);
		else if (verb->form)
			offer(t, verb->name, "", verb->summary);
}

/* The n-th word of the command line, from 0, that is neither an option, nor an option's value, nor
 * key=value; NULL: there are not as many. */
static const char *operand(const struct typed *t, unsigned n)
{
	for (unsigned i = 1; i < t->nbefore; i++) {
		struct looked value = {.option = t->before[i]};
		look(verb_find(t->before[0]), &value);
		if (t->before[i][0] == '-')
			i += value.found;
		else if (!strchr(t->before[i], '=') && !n--)
			return t->before[i];
	}
	return NULL;
}

/* Of --only: the variants of the experiment on the command line, the next one after a comma. */
static void offer_variants(struct typed t)
{
	char path[2 * PATH_MAX];
	const char *name = operand(&t, 0), *file = NULL, *comma = strrchr(t.word, ',');
	struct status ignored = {""};
	struct text text;
	for (unsigned i = 1; i + 1 < t.nbefore; i++)
		if (!strcmp(t.before[i], "--file"))
			file = t.before[i + 1];
	if (!file && name && !home_find_experiment(t.home, name, path, sizeof path, &ignored))
		file = path;
	if (!file || text_read(file, &text, &ignored))
		return;
	t.kept = comma ? (size_t)(comma + 1 - t.word) : 0;
	for (unsigned i = 0; i < text.nsections; i++)
		if (!strcmp(text.sections[i].kind, "variant"))
			offer(&t, text.sections[i].name, "", NULL);
	text_free(&text);
}

/* The places of a verb's form. */
static void offer_operands(const struct typed *t, const struct verb *verb)
{
	const bool first = !operand(t, 0);
	if (!strncmp(verb->form, "NAME [key", 9) && first)
		home_each_experiment(t->home, offer_experiment, (void *)(size_t)t);
	if (!strncmp(verb->form, "DIR", 3) && first)
		offer_files("DIR");
	if (!strncmp(verb->form, "A B", 3)) /* a run's folder, or JSON of nccl-tests */
		offer_files("FILE");
	for (unsigned i = 0; !strcmp(verb->form, "[WHAT]") && first && list_name(i); i++)
		offer(t, list_name(i), "", NULL);
	if (!strcmp(verb->form, "[VERB]") && first)
		offer_verbs(t);
}

static void complete(struct typed *t)
{
	const struct verb *verb = t->nbefore ? verb_find(t->before[0]) : NULL;
	const char *last = t->nbefore ? t->before[t->nbefore - 1] : "";
	const char *equals = t->word[0] == '-' ? NULL : strchr(t->word, '=');
	char key[64] = "";
	struct looked options = {.typed = t}, keys = {.typed = t, .keys = true};
	if (!t->nbefore)
		offer_verbs(t);
	if (!verb || !verb->form)
		return;
	const bool takes_keys = strstr(verb->form, "key=value") || verb->call == verb_perf;
	if (last[0] == '-') {
		options.option = last;
		if (verb->call == verb_perf && last[1] && !last[2])
			offer_theirs(t, last);
		if (!strcmp(last, SPEC_ONLY))
			offer_variants(*t);
		look(verb, &options);
		if (options.found)
			return;
		options.option = NULL;
	}
	if (equals) {
		snprintf(key, sizeof key, "%.*s", (int)(equals - t->word), t->word);
		t->kept = (size_t)(equals + 1 - t->word);
		options.option = keys.option = key;
	}
	look(verb, &options);
	if (takes_keys && t->word[0] != '-' && !options.found)
		look_at_keys(&keys);
	if (!equals && t->word[0] != '-')
		offer_operands(t, verb);
	if (!equals && t->word[0] == '-')
		offer(t, "--help", "", "what it takes");
}

int verb_complete(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)st;
	if (argc < 3)
		return 0;
	struct typed t = {.word = argv[argc - 1],
	                  .before = (const char *const *)argv + 2,
	                  .nbefore = (unsigned)argc - 3,
	                  .home = home};
	complete(&t);
	return 0;
}

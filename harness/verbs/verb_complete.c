/* complete WORD…: what the last word on a command line may become, for complete.bash and complete.zsh.
 * A line each: the whole word, a tab, and what it is. ":files" and ":folders" have the shell offer its own. */
#include <stdio.h>
#include <string.h>

#include "../../modes/launcher.h"
#include "../../modes/mode.h"
#include "../config/keys.h"
#include "../perf_options.h"
#include "../report/nccl_table.h"
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

static const char *word_mode(unsigned i)
{
	return mode_table[i] ? mode_table[i]->name : NULL;
}

static const char *word_launcher(unsigned i)
{
	return launcher_table[i] ? launcher_table[i]->name : NULL;
}

/* Words of keys whose tables are of rooms that their rows do not know. */
static const struct {
	const char *key;
	field_word_fn *word;
} tables[] = {{"mode", word_mode}, {"launcher", word_launcher}};

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
	const struct typed *typed;
	const char *option; /* which is looked for: its values are offered */
	bool found;
};

/* nccl-tests' names of datatypes and operations, for -d and -o. */
static void offer_theirs(const struct typed *t, const char *option)
{
	size_t n;
	const struct field *fields = keys_fields(&n);
	const struct perf_option *o = perf_option_find(option[1]);
	const bool named = o && o->key && o->value && !strchr(o->value, '|');
	const struct field *key = named ? field_find(fields, n, o->key) : NULL;
	for (unsigned i = 0; key && field_word(key, i); i++)
		offer(t, perf_word_theirs(field_word(key, i)), "", NULL);
}

static void look_at(const struct field *row, void *arg)
{
	struct looked *l = arg;
	char name[64];
	for (unsigned i = 0; *options_name(row, i, name); i++) {
		if (!l->option && (name[0] == '-') == (l->typed->word[0] == '-') &&
		    (row->kind != FIELD_OWN || row->read || name[0] == '-'))
			offer(l->typed, name, name[0] == '-' || row->kind == FIELD_FLAG ? "" : "=",
			      row->help);
		if (!l->option || strcmp(l->option, name) || row->kind == FIELD_FLAG)
			continue;
		l->found = true;
		offer_values(*l->typed, row);
	}
}

/* Calls look_at with the rows of a verb and of that whose options it takes. */
static void look(const struct verb *verb, struct looked *l)
{
	for (; verb; verb = verb->as ? verb_find(verb->as) : NULL)
		verb_each_option(verb, look_at, l);
}

/* --- keys -------------------------------------------------------------------------------- */

static void each_key(void (*use)(const struct field *row, void *arg), void *arg)
{
	size_t n;
	const struct field *rows = keys_fields(&n);
	for (size_t i = 0; i < n; i++)
		use(&rows[i], arg);
	const struct field *settings = settings_fields(&n), *experiment = rows;
	size_t nexperiment;
	keys_fields(&nexperiment);
	for (size_t i = 0; i < n; i++)
		if (!field_find(experiment, nexperiment, settings[i].key) &&
		    (settings[i].initial || settings[i].otherwise))
			use(&settings[i], arg);
}

static void key_at(const struct field *row, void *arg)
{
	struct looked *l = arg;
	if (!l->option) {
		offer(l->typed, row->key, "=", row->help);
	} else if (!strcmp(l->option, row->key) && !l->found) {
		l->found = true;
		offer_values(*l->typed, row);
	}
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
		if (nccl_program(name))
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

/* Whether a word of the command line is neither an option, nor an option's value, nor key=value: so many. */
static unsigned operands(const struct typed *t)
{
	unsigned n = 0;
	for (unsigned i = 1; i < t->nbefore; i++)
		n += t->before[i][0] != '-' && !strchr(t->before[i], '=');
	return n;
}

/* The places of a verb's form. */
static void offer_operands(const struct typed *t, const struct verb *verb)
{
	const unsigned n = operands(t);
	if (!strncmp(verb->form, "NAME", 4) && !n)
		home_each_experiment(t->home, offer_experiment, (void *)(size_t)t);
	if ((!strncmp(verb->form, "DIR", 3) && !n) || !strncmp(verb->form, "A B", 3))
		offer_files("DIR");
	for (unsigned i = 0; !strcmp(verb->form, "[WHAT]") && !n && list_name(i); i++)
		offer(t, list_name(i), "", NULL);
	if (!strcmp(verb->form, "[VERB]") && !n)
		offer_verbs(t);
}

static void complete(struct typed *t)
{
	const struct verb *verb = t->nbefore ? verb_find(t->before[0]) : NULL;
	const char *last = t->nbefore ? t->before[t->nbefore - 1] : "";
	const char *equals = t->word[0] == '-' ? NULL : strchr(t->word, '=');
	char key[64] = "";
	struct looked options = {.typed = t}, keys = {.typed = t};
	if (!t->nbefore)
		offer_verbs(t);
	if (!verb || !verb->form)
		return;
	const bool takes_keys = strstr(verb->form, "key=value") || verb->call == verb_perf;
	if (last[0] == '-') {
		options.option = last;
		if (verb->call == verb_perf && last[1] && !last[2])
			offer_theirs(t, last);
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
		each_key(key_at, &keys);
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

/* list: all modes, backends, collectives, keys and experiments; the schema of report.json. */
#include <dirent.h>

#include "../../modes/launcher.h"
#include "../../modes/mode.h"
#include "../backend/table.h"
#include "../config/keys.h"
#include "../machine.h"
#include "../memory.h"
#include "../report/page.h"
#include "../texts.h"
#include "verbs.h"

#define NAME_COLUMNS 17

static void list_entry(const char *name, const char *what)
{
	help_entry(stdout, NAME_COLUMNS, name, what);
}

/* The same for something that this machine may lack. */
static void list_here(const char *name, const char *what, const char *lack)
{
	char text[1400];
	snprintf(text, sizeof text, "%s%s%s", what, lack ? "; not here: " : "", lack ? lack : "");
	list_entry(name, text);
}

static int is_experiment(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);
	return n > 4 && !strcmp(entry->d_name + n - 4, ".exp");
}

void home_each_experiment(const struct home *home, void (*use)(const char *name, void *arg),
                          void *arg)
{
	struct dirent **entries;
	int n = home->experiments[0]
	            ? scandir(home->experiments, &entries, is_experiment, alphasort)
	            : -1;
	for (int i = 0; i < n; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 4] = '\0';
		use(entries[i]->d_name, arg);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void suggest_offer_to(const char *name, void *guess)
{
	suggest_offer(guess, name);
}

static void list_experiment(const char *name, void *arg)
{
	const struct home *home = arg;
	char file[PATH_MAX + 300];
	struct status st = {0};
	struct spec *spec = memory_take(1, sizeof *spec);
	snprintf(file, sizeof file, "%s/%s.exp", home->experiments, name);
	const struct spec_source from = {.file = file, .lookup = machine_env};
	bool ok = !spec_load(&from, NULL, spec, &st);
	list_entry(name, ok ? spec->question : st.text);
	free(spec);
}

/* Each as it would start two processes, or one. */
static void list_launcher(const struct launcher *l)
{
	struct settings set;
	struct status why = {""};
	settings_default(&set);
	snprintf(set.launcher, sizeof set.launcher, "%s", l->name);
	set.layout = (struct layout){l->several ? 2 : 1, 1, 1};
	list_here(l->name, l->summary, launcher_supports(l, &set, &why) ? why.text : NULL);
}

static void list_backend(const struct backend *b)
{
	struct status why = {0};
	const unsigned ranks = backend_capacity(b->name, &why);
	list_here(b->name, b->summary, ranks ? NULL : why.text);
}

static void list_words(const char *const *words, unsigned n)
{
	char text[512] = "";
	for (unsigned i = 0; i < n; i++)
		status_list(text, sizeof text, words[i]);
	page_wrap(stdout, "  ", 2, text);
}

static void list_key(const struct field *f, void *arg)
{
	const char *initial = f->otherwise ? f->otherwise : f->initial ? f->initial : "0";
	char allowed[512], backends[128], text[1400];
	(void)arg;
	field_allowed(f, allowed, sizeof allowed);
	key_backends(f, backends, sizeof backends);
	snprintf(text, sizeof text, "%s%s%s%s; %s%s%s%s%s", f->help, allowed[0] ? " [" : "",
	         allowed, allowed[0] ? "]" : "", strcmp(initial, "required") ? "default " : "",
	         initial, backends[0] ? " (" : "", backends, backends[0] ? ")" : "");
	list_entry(f->key, text);
}

static void list_keys(void)
{
	const struct key_table *table;
	for (unsigned i = 0; (table = key_table_at(i)); i++) {
		page_line(1, "%s%s", table->head, i ? "" : ", and those of a variant, for all");
		key_table_each(table, list_key, NULL);
	}
}

static const char *const lists[] = {"modes",     "launchers",  "backends",    "collectives",
                                    "datatypes", "operations", "experiments", "keys",
                                    "tables",    "schema"};
#define NLISTS (sizeof lists / sizeof *lists)

static void list(const char *what, const struct home *home)
{
	if (strcmp(what, "tables") && strcmp(what, "schema")) /* of these nothing else is printed */
		printf("%s\n", what);
	for (unsigned i = 0; !strcmp(what, "modes") && mode_table[i]; i++)
		list_entry(mode_table[i]->name, mode_table[i]->summary);
	for (unsigned i = 0; !strcmp(what, "launchers") && launcher_table[i]; i++)
		list_launcher(launcher_table[i]);
	for (unsigned i = 0; !strcmp(what, "backends") && backend_table[i]; i++)
		list_backend(backend_table[i]);
	for (int c = 0; !strcmp(what, "collectives") && c < COLL_KINDS; c++)
		list_entry(coll_info(c)->name, coll_info(c)->summary);
	if (!strcmp(what, "datatypes"))
		list_words(coll_dtype_names, DTYPE_KINDS);
	if (!strcmp(what, "operations"))
		list_words(coll_op_names, OP_NONE);
	if (!strcmp(what, "experiments"))
		home_each_experiment(home, list_experiment, (void *)(size_t)home);
	if (!strcmp(what, "keys"))
		list_keys();
	if (!strcmp(what, "tables"))
		key_tables_print(stdout);
	if (!strcmp(what, "schema"))
		fputs(texts_find("results/report.schema.json"), stdout);
}

int verb_list(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct suggestion guess = suggest_for(argc > 2 ? argv[2] : "");
	bool listed = false;
	if (argc > 3)
		return verb_not_understood("list", argv[3], st);
	for (unsigned i = 0; i < NLISTS; i++) {
		suggest_offer(&guess, lists[i]);
		/* The last three only if they are asked for. */
		if (argc > 2 ? strcmp(argv[2], lists[i]) : i >= NLISTS - 3)
			continue;
		list(lists[i], home);
		listed = true;
	}
	if (listed)
		return 0;
	return status_set(st, "list: '%s' is not a list%s; allowed is %s", argv[2],
	                  suggestion_text(&guess).text, guess.allowed);
}

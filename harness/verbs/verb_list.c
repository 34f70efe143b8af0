/* list: what there is to choose from. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../modes/mode.h"
#include "../backend/backend.h"
#include "../config/asked.h"
#include "../config/keys.h"
#include "../config/load.h"
#include "../config/spec.h"
#include "../machine.h"
#include "../config/near.h"
#include "verbs.h"

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
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
	            ? scandir(home->experiments, &entries, is_experiment, by_name)
	            : -1;
	for (int i = 0; i < n; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 4] = '\0';
		use(entries[i]->d_name, arg);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void near_offer_to(const char *name, void *near)
{
	near_offer(near, name);
}

/* An experiment with the question that its file opens with. */
static void list_experiment(const char *name, void *arg)
{
	const struct home *home = arg;
	char file[PATH_MAX + 300];
	struct status st = {0};
	struct spec *spec = calloc(1, sizeof *spec);
	snprintf(file, sizeof file, "%s/%s.exp", home->experiments, name);
	bool ok = spec && !spec_load(file, 0, NULL, NULL, machine_env, spec, &st);
	printf("  %-20s %s\n", name, ok ? spec->question : st.text);
	free(spec);
}

static void list_modes(const struct home *home)
{
	(void)home;
	for (const struct mode *const *m = mode_table; *m; m++) {
		const char *no = (*m)->unsupported();
		printf("  %-15s %s%s%s\n", (*m)->name, (*m)->summary, no ? "; not here: " : "",
		       no ? no : "");
	}
}

static void list_backends(const struct home *home)
{
	(void)home;
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		unsigned ranks = (*b)->capacity(&why);
		printf("  %-15s %s%s%s\n", (*b)->name, (*b)->summary,
		       ranks ? "" : "; not here: ", ranks ? "" : why.text);
	}
}

static void list_collectives(const struct home *home)
{
	(void)home;
	for (int c = 0; c < COLL_KINDS; c++)
		printf("  %-15s %s\n", coll_info(c)->name, coll_info(c)->summary);
}

static void list_datatypes(const struct home *home)
{
	(void)home;
	printf(" ");
	for (int d = 0; d < DTYPE_KINDS; d++)
		printf(" %s", coll_dtype_name(d));
	printf("\n");
}

static void list_operations(const struct home *home)
{
	(void)home;
	printf(" ");
	for (int o = 0; o < OP_NONE; o++)
		printf(" %s", coll_op_name(o));
	printf("\n");
}

static void list_experiments(const struct home *home)
{
	home_each_experiment(home, list_experiment, (void *)(size_t)home);
}

/* The backends that heed a key, where not all do: " (nccl, host)". */
static void say_heeding(const struct field *f)
{
	char names[128] = "";
	for (const struct backend *const *b = backend_table; f->special && *b; b++)
		for (unsigned i = 0; (*b)->heeds && (*b)->heeds[i]; i++)
			if (!strcmp((*b)->heeds[i], f->key))
				status_list(names, sizeof names, (*b)->name);
	if (names[0])
		printf(" (%s)", names);
}

static void list_fields(const char *section, const struct field *rows, size_t n)
{
	printf(" %s\n", section);
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &rows[i];
		char allowed[512];
		field_allowed(f, allowed, sizeof allowed);
		if (!f->initial)
			continue; /* the second row of a key */
		printf("  %-15s %s%s%s%s; default %s", f->key, f->help ? f->help : "",
		       allowed[0] ? " [" : "", allowed, allowed[0] ? "]" : "", f->initial);
		say_heeding(f);
		printf("\n");
	}
}

/* Every key of an experiment file, from the rows that read it. */
static void list_keys(const struct home *home)
{
	size_t n;
	const struct field *rows = keys_fields(KEYS_EXPERIMENT, &n);
	(void)home;
	list_fields("[experiment], and those of a variant, for all", rows, n);
	rows = keys_fields(KEYS_VARIANT, &n);
	list_fields("[variant NAME], and like, each, env.NAME", rows, n);
	rows = asked_fields(false, &n);
	list_fields("[factor NAME]", rows, n);
	rows = asked_fields(true, &n);
	list_fields("[claim NAME]", rows, n);
}

static const struct {
	const char *name;
	void (*list)(const struct home *home);
} lists[] = {
    {"modes", list_modes},
    {"backends", list_backends},
    {"collectives", list_collectives},
    {"datatypes", list_datatypes},
    {"operations", list_operations},
    {"experiments", list_experiments},
    {"keys", list_keys},
};

int verb_list(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct near near = near_to(argc > 2 ? argv[2] : "");
	bool listed = false;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		bool long_one = lists[i].list == list_keys;
		near_offer(&near, lists[i].name);
		if (argc > 2 ? strcmp(argv[2], lists[i].name) != 0 : long_one)
			continue;
		printf("%s\n", lists[i].name);
		lists[i].list(home);
		listed = true;
	}
	if (listed)
		return 0;
	return status_set(st,
	                  "list: '%s' is no list%s; allowed is modes, backends, collectives, "
	                  "datatypes, operations, experiments, keys",
	                  argv[2], near_say(&near).text);
}

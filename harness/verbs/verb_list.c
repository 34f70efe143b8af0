/* list: what there is to choose from. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../modes/mode.h"
#include "../backend/backend.h"
#include "../machine.h"
#include "../config/spec.h"
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

/* Each experiment with the question that its file opens with. */
static void list_experiments(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_experiment, by_name);
	printf("experiments\n");
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX + 300];
		struct status st = {0};
		struct spec *spec = calloc(1, sizeof *spec);
		snprintf(file, sizeof file, "%s/%s", folder, entries[i]->d_name);
		bool ok = spec && !spec_load(file, 0, NULL, NULL, machine_env, spec, &st);
		printf("  %-15.*s %s\n", (int)strlen(entries[i]->d_name) - 4,
		       entries[i]->d_name, ok ? spec->question : st.text);
		free(spec);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int verb_list(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)argv, (void)st;
	if (argc > 2) {
		list_experiments(home->experiments);
		return 0;
	}
	printf("modes\n");
	for (const struct mode *const *m = mode_table; *m; m++) {
		const char *no = (*m)->unsupported();
		printf("  %-15s %s%s%s\n", (*m)->name, (*m)->summary, no ? "; not here: " : "",
		       no ? no : "");
	}
	printf("backends\n");
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		unsigned ranks = (*b)->capacity(&why);
		printf("  %-15s %s%s%s\n", (*b)->name, (*b)->summary,
		       ranks ? "" : "; not here: ", ranks ? "" : why.text);
	}
	printf("collectives\n");
	for (int c = 0; c < COLL_KINDS; c++)
		printf("  %-15s %s\n", coll_info(c)->name, coll_info(c)->summary);
	printf("datatypes\n ");
	for (int d = 0; d < DTYPE_KINDS; d++)
		printf(" %s", coll_dtype_name(d));
	printf("\noperations\n ");
	for (int o = 0; o < OP_NONE; o++)
		printf(" %s", coll_op_name(o));
	printf("\n");
	list_experiments(home->experiments);
	return 0;
}

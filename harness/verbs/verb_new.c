/* new: an experiment file to begin with, a copy of experiments/template.exp. */
#include <errno.h>

#include "../sanitize.h"
#include "verbs.h"

#define LONGEST 65536 /* of the template */

/* Never over a file that is there. */
static int copy(FILE *from, const char *file, struct status *st)
{
	char text[LONGEST];
	const size_t n = fread(text, 1, sizeof text, from);
	FILE *to = fopen(file, "wxe");
	if (!to)
		return status_set(
		    st, "new: %s %s%s", file,
		    errno == EEXIST
		        ? "is there already, and stays as it is; allowed is another NAME"
		        : "cannot be written: ",
		    errno == EEXIST ? "" : strerror(errno));
	const bool cut = fwrite(text, 1, n, to) != n;
	return fclose(to) || cut ? status_set(st, "new: %s cannot be written", file) : 0;
}

int verb_new(int argc, char *argv[], const struct home *home, struct status *st)
{
	char template[2 * PATH_MAX], file[FIELD_NAME_BYTES + 8], self[SANITIZE_WORD(PATH_MAX)];
	char *name;
	const char *why;
	const int n = verb_take(argc, argv, NULL, &name, 1, st);
	if (!n)
		return status_set(
		    st, "new: NAME is missing, that of the file NAME.exp (`launchgap new --help`)");
	if (n > 0 && !field_is_name(name, FIELD_NAME_BYTES))
		return status_set(
		    st, "new: '%s' is no name; allowed are up to %d letters, digits, -, _ and .",
		    name, FIELD_NAME_BYTES - 1);
	if (n < 0 || home_find_experiment(home, "template", template, sizeof template, st))
		return -1;
	FILE *from = sanitize_stream(template, LONGEST, &why);
	if (!from)
		return status_set(st, "new: %s: %s", template, why);
	snprintf(file, sizeof file, "%s.exp", name);
	const int rc = copy(from, file, st);
	fclose(from);
	sanitize_word(argv[0], self, sizeof self);
	if (!rc)
		printf("%s is written. Change it, and then type\n  %s run --file %s --dry-run\n",
		       file, self, file);
	return rc;
}

#include "launcher.h"

#include <fcntl.h>
#include <unistd.h>

#include "../harness/memory.h"

/* A job of one process, which nothing has to start but the runner. */
static int alone_find(const struct launched *as, struct peers *out, struct status *st)
{
	const struct peers_seat seat = {.size = 1, .door = -1};
	(void)as;
	return peers_open(&seat, out, st);
}

const struct launcher launcher_alone = {
    .name = "alone",
    .summary = "one process, started by the runner",
    .find = alone_find,
};

const struct launcher *launcher_find(const char *name)
{
	for (const struct launcher *const *l = launcher_table; *l; l++)
		if (!strcmp((*l)->name, name))
			return *l;
	return NULL;
}

int launcher_supports(const struct launcher *l, const struct settings *set, struct status *st)
{
	const unsigned processes = set->layout.processes;
	if (l->several == (processes > 1))
		return l->supports ? l->supports(set, st) : 0;
	return status_set(st,
	                  l->several
	                      ? "launcher = %s starts several processes, and the layout has one"
	                      : "launcher = %s starts one process, and the layout has %u",
	                  l->name, processes);
}

const struct launcher *launcher_pick(const struct settings *set, struct status *st)
{
	const struct launcher *named = launcher_find(set->launcher);
	struct status why = {""};
	char names[128] = "";
	if (!named && strcmp(set->launcher, LAUNCHER_AUTO) != 0) {
		for (const struct launcher *const *l = launcher_table; *l; l++)
			status_list(names, sizeof names, (*l)->name);
		status_set(st, "launcher = '%s' is not known; allowed is auto, %s", set->launcher,
		           names);
		return NULL;
	}
	/* One process is started as it is, whatever starts those of other variants. */
	if (named && set->layout.processes > 1)
		return launcher_supports(named, set, st) ? NULL : named;
	/* Why none: what the last one asked says, which asks for the least. */
	for (const struct launcher *const *l = launcher_table; *l; l++) {
		why.text[0] = '\0';
		if (!launcher_supports(*l, set, &why))
			return *l;
		if ((*l)->reigns && (*l)->reigns())
			break;
	}
	status_set(st, "%s", why.text);
	return NULL;
}

void launcher_add_each(struct launcher_argv *argv, const char *const texts[])
{
	for (unsigned i = 0; texts[i] && argv->count < LAUNCHER_MAX_ARGS; i++)
		argv->args[argv->count++] = memory_text(texts[i]);
}

int launcher_command(const struct launcher *by, const struct launch *launch,
                     struct launcher_argv *out, struct status *st)
{
	char processes[16];
	snprintf(processes, sizeof processes, "%u", launch->set->layout.processes);
	if (by->command && by->command(launch, out, st))
		return -1;
	launcher_add(out, launch->self, "worker", by->name, launch->order, processes,
	             launch->yield ? "yield" : "spin");
	return 0;
}

void launcher_say(const char *order, enum launcher_word word)
{
	char file[PATH_MAX];
	const char byte = (char)word;
	snprintf(file, sizeof file, "%s" LAUNCHER_PIPE, order);
	const int fd = open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, &byte, 1) != 1)
		status_say("cannot write %s", file);
	close(fd);
}

void launcher_argv_free(struct launcher_argv *argv)
{
	for (unsigned i = 0; i < argv->count; i++)
		free(argv->args[i]);
	argv->count = 0;
}

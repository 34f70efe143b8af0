/* The section about memory. */
#include "markdown_parts.h"

#include <math.h>
#include <string.h>

#include "bysize.h"
#include "../analysis/memory.h"

#define MIB      1048576.0
#define NCOLUMNS 7

/* The limit's buffers are all that it needs, and the twin's are the reference's. */
static bool in_table(const struct summary *s, unsigned v, struct memory_use *use)
{
	enum summary_role role = s->variants[v].role;
	return (role == ROLE_VARIANT || role == ROLE_REFERENCE) && !memory_of(s, v, use) &&
	       (isfinite(use->buffers) || isfinite(use->comm) || isfinite(use->calls));
}

static void put_row(struct grid *table, const char *name, const struct memory_use *use)
{
	const double bytes[] = {use->buffers, use->comm, use->registering,
	                        use->calls,   use->rank, use->process};
	grid_row(table);
	grid_put(table, 0, "%s", name);
	for (unsigned i = 0; i < sizeof bytes / sizeof *bytes; i++) {
		char text[32];
		bysize_number(bytes[i] / MIB, text, sizeof text);
		grid_put(table, i + 1, "%s", text);
	}
}

static void put_about(FILE *out, bool host, bool device)
{
	fprintf(out, "Medians over the workers of all trials; in the last column, the most CPU "
	             "memory that a process held at once, memory that it shares with others "
	             "included.");
	if (device)
		fprintf(out,
		        " nccl: what a GPU's free memory fell by while buffers were "
		        "allocated, while communicators were made, while buffers were "
		        "registered with them, and from then to the trial's end; of a worker "
		        "with several GPUs, on the one where it fell most in all. What other "
		        "programs on that GPU took meanwhile is in it. Results from before "
		        "registration had its column have it in the communicator's, and are "
		        "of a worker's first GPU.");
	if (host)
		fprintf(out, " host: what is laid out for a worker's first rank: a rank's "
		             "arenas; its flags, rings and "
		             "slots; nothing is added by calls.");
	fprintf(out, "\n\n");
}

void markdown_memory(FILE *out, const struct summary *s)
{
	static const char *const heads[NCOLUMNS] = {
	    "variant",     "buffers",  "communicator", "registration",
	    "first calls", "per rank", "process"};
	struct memory_use use;
	bool host = false, device = false;
	struct grid *table = grid_new(NCOLUMNS, 1);
	grid_row(table);
	for (unsigned i = 0; i < NCOLUMNS; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!in_table(s, v, &use))
			continue;
		put_row(table, s->variants[v].name, &use);
		host = host || !strcmp(s->variants[v].backend, "host");
		device = device || !strcmp(s->variants[v].backend, "nccl");
	}
	if (!host && !device) {
		grid_free(table);
		return;
	}
	fprintf(out, "## Memory\n\nIn MiB.\n\n");
	markdown_table(out, table);
	put_about(out, host, device);
}

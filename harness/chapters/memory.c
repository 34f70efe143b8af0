/* Memory of each variant, as its workers reported it at the end of their trials. */
#include <math.h>

#include "../analysis/analysis.h"
#include "../analysis/memory.h"
#include "chapters.h"

#define MIB 1048576.0

/* MiB; analysis/memory.h says of what. */
struct row {
	const char *variant;
	double buffers, communicator, registration, calls, rank, process;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, buffers, "buffers_mib", "buffers", "MiB", NUMBER, 0),
    COLUMN_AS(struct row, communicator, "communicator_mib", "communicator", "MiB", NUMBER, 0),
    COLUMN_AS(struct row, registration, "registration_mib", "registration", "MiB", NUMBER, 0),
    COLUMN_AS(struct row, calls, "calls_mib", "first calls", "MiB", NUMBER, 0),
    COLUMN_AS(struct row, rank, "rank_mib", "per rank", "MiB", NUMBER, 0),
    COLUMN_AS(struct row, process, "process_mib", "process", "MiB", NUMBER, 0),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "memory", .title = "Memory", .when = STORY_NO_WHEN);
// clang-format on

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nvariants);
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		/* The limit needs only its buffers, and the twin has the reference's. */
		if (!summary_is_asked(s, v))
			continue;
		const struct memory_use use = memory_of(s, v);
		const struct row row = {.variant = s->variants[v].name,
		                        .buffers = use.buffers / MIB,
		                        .communicator = use.comm / MIB,
		                        .registration = use.registering / MIB,
		                        .calls = use.calls / MIB,
		                        .rank = use.rank / MIB,
		                        .process = use.process / MIB};
		if (isfinite(row.buffers) || isfinite(row.communicator) || isfinite(row.calls))
			rows[n++] = row;
	}
	if (!n)
		return;
	story_table(story, &form, rows, n);
	story_note(
	    story, STORY_BODY,
	    record_traits(s->run, NULL)->gpus
	        ? "MiB, medians over the workers of all trials. A GPU's free memory fell by "
	          "so much while buffers were allocated, communicators made, buffers "
	          "registered, and from then to the trial's end; what other programs took "
	          "meanwhile is in it. Process: the most CPU memory that it held at once, "
	          "shared pages included."
	        : "MiB, medians over the workers of all trials. Buffers and communicator: of a "
	          "worker's first rank, the communicator its flags, rings and slots. "
	          "Process: the most CPU memory that it held at once, shared pages "
	          "included.");
}

const struct chapter chapter_memory = {"memory", "Memory", CHAPTER_APPENDIX, tell};

/* What launchgap's own kernel chose by size (api = device), and how it is launched. */
#include <stdio.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"

#define MOST 16 /* rows of the table */

struct row {
	size_t most;
	const char *way;
	unsigned ctas, own_ctas;
};

static const struct column columns[] = {
    COLUMN_AS(struct row, most, "sent_bytes", "sent to others, up to", "", BYTES, 0),
    COLUMN(struct row, way, "way", "", TEXT),
    COLUMN_AS(struct row, ctas, "ctas", "thread blocks for peers", "", COUNT, 0),
    COLUMN_AS(struct row, own_ctas, "own_ctas", "beside them for the own part", "", COUNT, 0),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "kernel", .title = "Launchgap's own kernel, by size",
               .when = STORY_NO_WHEN);

struct launch {
	const char *variant, *launch, *barrier;
};

static const struct column launch_columns[] = {
    COLUMN(struct launch, variant, "variant", "", TEXT),
    COLUMN(struct launch, launch, "launched", "", TEXT),
    COLUMN(struct launch, barrier, "barrier", "", TEXT),
};
static const struct story_form launch_form =
    STORY_FORM(struct launch, launch_columns, .name = "kernel_launches",
               .title = "How it is launched", .when = STORY_NO_WHEN);

/* The fact device_table: "16384 packets 4 0, … 0 stores 64 32"; 0: any size. */
static unsigned read_rows(struct arena *arena, const char *text, struct row rows[MOST])
{
	unsigned n = 0;
	char way[16];
	for (int read; n < MOST; n++) {
		struct row *r = &rows[n];
		if (sscanf(text, "%zu %15s %u %u%n", &r->most, way, &r->ctas, &r->own_ctas,
		           &read) != 4)
			break;
		r->way = arena_copy(arena, way);
		r->most = r->most ? r->most : ENTRY_NO_BYTES;
		text += read;
		text += strspn(text, ", ");
	}
	return n;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct row *rows = ARENA_ARRAY(story->arena, struct row, MOST);
	struct launch *launches = ARENA_ARRAY(story->arena, struct launch, a->s->nvariants);
	unsigned n = 0, nlaunches = 0;
	bool predicted = false;
	for (unsigned v = 0; v < a->s->nvariants; v++) {
		const char *table = summary_fact(a->s, v, 0, "device_table");
		if (!table)
			continue;
		const char *basis = summary_fact(a->s, v, 0, "device_basis");
		predicted = predicted || (basis && !strcmp(basis, "predicted"));
		n = n ? n : read_rows(story->arena, table, rows);
		launches[nlaunches++] = (struct launch){a->s->variants[v].name,
		                                        summary_fact(a->s, v, 0, "device_launch"),
		                                        summary_fact(a->s, v, 0, "device_barrier")};
	}
	if (!n)
		return;
	story_table(story, &form, rows, n);
	story_table(story, &launch_form, launches, nlaunches);
	if (predicted)
		story_note(
		    story, STORY_BODY,
		    "The table is predicted for so many GPUs, not measured: from bytes, packets "
		    "and flags.");
	story_note(story, STORY_BODY,
	           "packets: each carries the call's number with its data, into slots of the "
	           "receiver. stores, bulk: data goes into the receiver's buffer, once its flag "
	           "says that its call has begun; a flag then says that the data is there. The "
	           "keys path and call_ctas choose others.");
}

const struct chapter chapter_kernel = {"kernel", "Launchgap's own kernel", CHAPTER_APPENDIX, tell};

/* Memory for what a test calls that takes an arena: one for the whole program. */
#pragma once

#include <stdlib.h>

#include "../harness/arena.h"

static inline void scratch_nothing(struct arena *arena, void *of)
{
	(void)arena, (void)of;
}

static inline struct arena *scratch(void)
{
	static struct arena *arena;
	if (!arena && arena_run(scratch_nothing, NULL, &arena))
		abort();
	return arena;
}

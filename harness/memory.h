/* Memory of what is planned and ordered. If there is none, the program ends with a sentence: a
 * record has what was measured until then, and a job's launcher tells its end. */
#pragma once

#include "status.h"

/* What an allocation gave, or the end. */
static inline void *memory_have(void *memory)
{
	if (memory)
		return memory;
	fputs("launchgap: out of memory\n", stderr);
	exit(1);
}

/* n elements of zeros. */
static inline void *memory_take(size_t n, size_t bytes)
{
	return memory_have(calloc(n ? n : 1, bytes));
}

static inline void *memory_more(void *list, size_t n, size_t bytes)
{
	return memory_have(realloc(list, n * bytes));
}

static inline char *memory_text(const char *text)
{
	return memory_have(strdup(text));
}

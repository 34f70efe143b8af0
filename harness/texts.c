#include "texts.h"

#include <string.h>

/* What the Makefile makes of the files; the last one has no path. */
extern const struct text {
	const char *path, *text;
} texts_all[];

const char *texts_find(const char *path)
{
	for (size_t i = 0; texts_all[i].path; i++)
		if (!strcmp(texts_all[i].path, path))
			return texts_all[i].text;
	return NULL;
}

const char *texts_path(size_t i)
{
	return texts_all[i].path;
}

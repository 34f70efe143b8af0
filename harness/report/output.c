#include "output.h"

#include <errno.h>
#include <string.h>

FILE *output_open(const char *file, struct status *st)
{
	FILE *out = fopen(file, "w");
	if (!out)
		status_set(st, "cannot write %s: %s", file, strerror(errno));
	return out;
}

int output_close(FILE *out, const char *file, struct status *st)
{
	int failed = ferror(out);
	if (fclose(out) || failed)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	return 0;
}

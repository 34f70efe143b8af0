#include "exported.h"

#include <string.h>

#include "../report/output.h"
#include "comparison.h"

static const struct {
	const char *option;
	void (*write)(const struct comparison *c, FILE *out);
} formats[EXPORTED_FORMATS] = {
    {"--junit", junit_write},
};

int exported_find(const char *option)
{
	for (int i = 0; i < EXPORTED_FORMATS; i++)
		if (!strcmp(formats[i].option, option))
			return i;
	return -1;
}

const char *exported_option(unsigned format)
{
	return formats[format].option;
}

int exported_write(const struct comparison *c, const char *const files[EXPORTED_FORMATS],
                   struct status *st)
{
	for (unsigned i = 0; i < EXPORTED_FORMATS; i++) {
		struct output *file = files[i] ? output_open_named(c->arena, files[i], st) : NULL;
		if (!files[i])
			continue;
		if (!file)
			return -1;
		formats[i].write(c, file->out);
		if (output_close(file, 0, st))
			return -1;
	}
	return 0;
}

#include "export.h"

#include <string.h>

#include "output.h"

static const struct export_format formats[EXPORT_FORMATS] = {
    {"--prometheus", prometheus_write},
    {"--bigger-is-better", benchmark_write_bandwidths},
    {"--smaller-is-better", benchmark_write_times},
};

int export_find(const char *option)
{
	for (int i = 0; i < EXPORT_FORMATS; i++)
		if (!strcmp(formats[i].option, option))
			return i;
	return -1;
}

const struct export_format *export_format(unsigned format)
{
	return &formats[format];
}

int export_write(const struct model *m, const char *const files[EXPORT_FORMATS], struct status *st)
{
	for (unsigned i = 0; i < EXPORT_FORMATS; i++) {
		struct output *file = files[i] ? output_open_named(m->arena, files[i], st) : NULL;
		if (!files[i])
			continue;
		if (!file)
			return -1;
		formats[i].write(m, file->out);
		if (output_close(file, 0, st))
			return -1;
	}
	return 0;
}

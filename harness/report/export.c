#include "export.h"

#include "output.h"

#define FILE_OF(I) (I) * sizeof(const char *), .read = options_borrow, .value = "FILE"

static const struct field rows[EXPORT_FORMATS] = {
    {"--prometheus", FIELD_OWN, FILE_OF(0), .help = "for node_exporter's textfile collector"},
    {"--bigger-is-better", FIELD_OWN, FILE_OF(1), .help = "bandwidths for github-action-benchmark"},
    {"--smaller-is-better", FIELD_OWN, FILE_OF(2), .help = "times for github-action-benchmark"},
};

/* All of the file of each row. */
static void (*const writers[EXPORT_FORMATS])(const struct model *model, FILE *out) = {
    prometheus_write, benchmark_write_bandwidths, benchmark_write_times};

const struct options export_options = OPTIONS(rows);

int export_write(const struct model *m, const char *const files[EXPORT_FORMATS], struct status *st)
{
	for (unsigned i = 0; i < EXPORT_FORMATS; i++) {
		struct output *file = files[i] ? output_open_named(m->arena, files[i], st) : NULL;
		if (!files[i])
			continue;
		if (!file)
			return -1;
		writers[i](m, file->out);
		if (output_close(file, 0, st))
			return -1;
	}
	return 0;
}

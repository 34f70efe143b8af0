/* What nccl-tests says above its rows. */
#include "nccl_format_parts.h"

#include <limits.h>
#include <string.h>

#include "../coll/split.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* At most `most` bytes of a text, `blank` for a blank and _ for what could end the line, which
 * has to stay a comment: records come from anywhere. */
static void put_clean(FILE *out, const char *text, size_t most, char blank)
{
	for (size_t i = 0; i < most && text[i]; i++)
		fputc((unsigned char)text[i] < ' ' || text[i] == 0x7F ? '_'
		      : text[i] == ' '                                ? blank
		                                                      : text[i],
		      out);
}

/* A word of a comment line. */
static void put_word(FILE *out, const char *key, const char *text)
{
	fprintf(out, " %s=", key);
	put_clean(out, text, SIZE_MAX, '_');
}

/* A setting of the variant, NULL in records that do not name it. */
static const json_t *setting(const struct nccl_table *t, const char *key)
{
	const json_t *variants = json_object_get(t->s->run->environment, "variants");
	return json_object_get(json_array_get(variants, t->variant), key);
}

static unsigned number(const struct nccl_table *t, const char *key, unsigned at_least)
{
	json_int_t n = json_integer_value(setting(t, key));
	return n > at_least && n < UINT_MAX ? (unsigned)n : at_least;
}

/* The version that its programs answer with: 22803 is 2.28.3, 2804 is 2.8.4; 0: none. */
static unsigned version_code(const char *text)
{
	unsigned major, minor, patch;
	if (sscanf(text, "%3u.%3u.%3u", &major, &minor, &patch) != 3)
		return 0;
	return major * (major > 2 || minor > 8 ? 10000 : 1000) + minor * 100 + patch;
}

/* What tells rows of a table apart, in our words. */
static void put_what(const struct cell *cell, unsigned what, char text[16])
{
	enum op op = coll_info(cell->coll)->is & COLL_REDUCES ? cell->op : OP_NONE;
	if (what == 2)
		snprintf(text, 16, "%d", nccl_format_root(cell));
	else
		snprintf(text, 16, "%s",
		         what ? coll_op_name(op) : coll_dtype_name(cell->dtype));
}

/* All that the table's rows have of it, each once. */
static void put_all(const struct nccl_table *t, unsigned what, const char *key, FILE *out)
{
	const char *separator = "=";
	char text[16], other[16];
	fprintf(out, " %s", key);
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		bool said = !nccl_format_holds(t, g);
		put_what(&t->s->groups[g].cell, what, text);
		for (unsigned k = t->first; k < g && !said; k++) {
			put_what(&t->s->groups[k].cell, what, other);
			said = nccl_format_holds(t, k) && !strcmp(text, other);
		}
		if (said)
			continue;
		fprintf(out, "%s%s", separator, text);
		separator = ",";
	}
}

/* Its first line, for those who look for it: the version is that of the columns, and says whose
 * they are; headers it was not built with are 0. */
static void put_version(const struct nccl_table *t, FILE *out)
{
	const char *commit = text_of(t->s->run->environment, "launchgap");
	fprintf(out,
	        "# nccl-tests version 2.19.6+launchgap nccl-headers=0 nccl-library=%u its "
	        "columns only: measured and printed by launchgap ",
	        version_code(t->s->variants[t->variant].library));
	put_clean(out, commit, SIZE_MAX, '_');
	fprintf(out,
	        "\n# times are medians over stretches, then over %u block%s; pids are not "
	        "recorded\n",
	        t->s->nblocks, t->s->nblocks == 1 ? "" : "s");
}

static void put_variant(const struct nccl_table *t, FILE *out)
{
	const struct summary_variant *v = &t->s->variants[t->variant];
	fprintf(out, "#");
	put_word(out, "variant", v->name);
	put_word(out, "role", summary_role_name(v->role));
	put_word(out, "mode", v->mode);
	put_word(out, "layout", v->layout);
	put_word(out, "backend", v->backend);
	put_word(out, "library", *v->library ? v->library : "-");
	put_word(out, "average", nccl_average_name(t->average));
	put_word(out, "collective", coll_info(nccl_format_group(t)->cell.coll)->name);
	put_all(t, 0, "dtype", out);
	put_all(t, 1, "op", out);
	put_all(t, 2, "root", out);
	fputc('\n', out);
}

/* What one size is to the next, where it is the same for all. */
static void put_step(const struct summary_group *group, FILE *out)
{
	const size_t *b = group->asked_bytes;
	unsigned n = group->nsizes;
	bool factor = n > 1 && b[0] && b[1] % b[0] == 0, step = true;
	for (unsigned i = 2; i < n; i++) {
		factor = factor && b[i] == b[i - 1] * (b[1] / b[0]);
		step = step && b[i] - b[i - 1] == b[1] - b[0];
	}
	if (factor)
		fprintf(out, "%zu(factor)", b[1] / b[0]);
	else if (step)
		fprintf(out, "%zu(bytes)", n > 1 ? b[1] - b[0] : 0);
	else
		fprintf(out, "0(list)");
}

/* The least and the most of all rows' sizes. */
static void put_sizes(const struct nccl_table *t, FILE *out)
{
	size_t least = SIZE_MAX, most = 0;
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		const struct summary_group *group = &t->s->groups[g];
		if (!nccl_format_holds(t, g) || !group->nsizes)
			continue;
		if (group->asked_bytes[0] < least)
			least = group->asked_bytes[0];
		if (group->asked_bytes[group->nsizes - 1] > most)
			most = group->asked_bytes[group->nsizes - 1];
	}
	fprintf(out, "minBytes %zu maxBytes %zu step: ", least, most);
	put_step(nccl_format_group(t), out);
}

static void put_options(const struct nccl_table *t, FILE *out)
{
	unsigned processes = 0, threads = 0, ranks = 0, calls = 0;
	bool checked = false;
	sscanf(t->s->variants[t->variant].layout, "%ux%ux%u", &processes, &threads, &ranks);
	for (unsigned i = 0; i < t->s->nrows; i++) {
		const struct summary_row *row = &t->s->rows[i];
		if (row->variant != t->variant || !nccl_format_holds(t, row->group))
			continue;
		calls = row->calls;
		checked = checked || row->carries_data;
	}
	fprintf(out, "# nThread %u nGpus %u ", threads, ranks);
	put_sizes(t, out);
	/* Our calls are all of them; its iterations are a group's, replayed. */
	unsigned together = number(t, "aggregate", 1), graph = number(t, "graph", 0);
	calls /= graph ? graph : 1;
	fprintf(
	    out,
	    " warmup iters: %lld iters: %u agg iters: %u validation: %d graph: %u unalign: "
	    "%zu\n#\n",
	    (long long)json_integer_value(json_object_get(t->s->run->environment, "warmup")),
	    calls / together, together, checked, graph,
	    number(t, "offset", 0) / coll_dtype_bytes(nccl_format_group(t)->cell.dtype));
}

/* What the rank's worker said of its device, or NULL. */
static const char *device_of(const struct nccl_table *t, unsigned rank)
{
	char key[32];
	snprintf(key, sizeof key, "device_%u", rank);
	for (unsigned i = 0; i < t->s->run->ncells; i++) {
		const struct record_cell *c = &t->s->run->cells[i];
		const json_t *facts = json_object_get(c->json, "facts");
		if (strcmp(c->variant, t->s->variants[t->variant].name))
			continue;
		for (size_t w = 0; w < json_array_size(facts); w++) {
			const char *text =
			    json_string_value(json_object_get(json_array_get(facts, w), key));
			if (text)
				return text;
		}
	}
	return NULL;
}

/* "NVIDIA H200 at 0000:00:06.0": its place among the machine's, or -1. */
static int device_number(const struct nccl_table *t, const char *pci)
{
	const json_t *machine = json_object_get(t->s->run->environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	for (size_t i = 0; i < json_array_size(gpus); i++)
		if (!strcmp(text_of(json_array_get(gpus, i), "pci"), pci))
			return (int)i;
	return -1;
}

/* A line a rank, as parsers count them. The process is not in a record: 0. */
static void put_devices(const struct nccl_table *t, FILE *out)
{
	const char *text = json_string_value(setting(t, "split"));
	struct status unread = {""};
	struct split split = {SPLIT_NONE, 0};
	bool known = !text || !split_parse(text, &split, &unread);
	const char *host = text_of(json_object_get(t->s->run->environment, "machine"), "host");
	unsigned nranks = nccl_format_group(t)->nranks;
	fprintf(out, "# Using devices\n");
	for (unsigned r = 0; r < nranks; r++) {
		const char *device = device_of(t, r);
		const char *at = device ? strstr(device, " at ") : NULL;
		const char *pci = at ? at + 4 : "-";
		if (!device)
			device = t->s->variants[t->variant].backend;
		fprintf(out, "#  Rank %2u Group %2d Pid %6d on %*s", r,
		        known ? (int)split_place(split, nranks, r).color : -1, 0,
		        strlen(host) < 10 ? (int)(10 - strlen(host)) : 0, "");
		put_clean(out, host, SIZE_MAX, '_');
		fprintf(out, " device %2d [", at ? device_number(t, pci) : -1);
		put_clean(out, pci, strcspn(pci, "."), '_');
		fprintf(out, "] ");
		put_clean(out, device, at ? (size_t)(at - device) : SIZE_MAX, ' ');
		fputc('\n', out);
	}
}

void nccl_format_head(const struct nccl_table *t, FILE *out)
{
	put_version(t, out);
	put_variant(t, out);
	fprintf(out, "# Collective test starting: %s_perf\n",
	        coll_info(nccl_format_group(t)->cell.coll)->name);
	put_options(t, out);
	put_devices(t, out);
	fprintf(out,
	        "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place                "
	        "       in-place          \n",
	        "", "", "", "", "");
	fprintf(out, "# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
	for (int half = 0; half < 2; half++)
		fprintf(out, "  %7s  %6s  %6s  %6s", "time", "algbw", "busbw", "#wrong");
	fprintf(out, " \n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
	for (int half = 0; half < 2; half++)
		fprintf(out, "  %7s  %6s  %6s  %6s", "(us)", "(GB/s)", "(GB/s)", "");
	fprintf(out, " \n");
}

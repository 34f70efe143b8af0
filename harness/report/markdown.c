#include "markdown.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "bysize.h"
#include "run_gp.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

static long long number_of(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static void put_table(FILE *out, struct table *table)
{
	table_markdown(table, out);
	table_free(table);
}

static void put_title(FILE *out, const struct summary *s, unsigned group)
{
	char title[256];
	bysize_title(s, group, title, sizeof title);
	fprintf(out, "### %s\n\n", title);
}

/* A word of a command line, as a shell would take it again. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_-+=./:,@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc((unsigned char)*word < ' ' ? ' ' : *word, out);
	}
	fputc('\'', out);
}

static void put_asked(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment;
	fprintf(out, "# ");
	table_escape(out, text_of(env, "title"));
	fprintf(out, " (%s)\n\n", text_of(env, "backend"));
	if (s->trouble[0]) {
		fprintf(out,
		        "> **Nothing is compared here, for the variants did not do the same "
		        "work.** ");
		table_escape(out, s->trouble);
		fprintf(out,
		        ". Times of wrong results mean nothing: find the cause first.\n\n");
	}
	fprintf(out, "## What was asked\n\n");
	table_escape(out, *text_of(env, "question") ? text_of(env, "question")
	                                            : "The experiment says no question.");
	fprintf(out, "\n\nExperiment `%s`, measured %s with the **%s** backend.",
	        text_of(env, "experiment"), text_of(env, "created"), text_of(env, "backend"));
	if (*text_of(env, "backend_why")) {
		fputc(' ', out);
		table_escape(out, text_of(env, "backend_why"));
	}
	fprintf(out, "\n\n");
}

static void put_variants(FILE *out, const struct summary *s)
{
	static const char *const heads[] = {"variant", "role", "mode",    "layout",
	                                    "backend", "bind", "library", "path"};
	struct table *table = table_new(8, 8);
	table_row(table);
	for (unsigned i = 0; i < 8; i++)
		table_put(table, i, "%s", heads[i]);
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_variant *x = &s->variants[v];
		const char *const texts[] = {x->name,    summary_role_name(x->role),
		                             x->mode,    x->layout,
		                             x->backend, x->bind,
		                             x->library, x->path};
		table_row(table);
		for (unsigned i = 0; i < 8; i++)
			table_put(table, i, "%s", texts[i]);
	}
	put_table(out, table);
	fprintf(out,
	        "Layout: processes × threads × ranks per thread. `again` is the reference a "
	        "second time in every block: the A/A line. `limit` moves the data with plain "
	        "copies and no handshake.\n\n");
}

static void put_how(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment, *command = json_object_get(env, "command");
	char blocks[64];
	fprintf(out, "## How it was measured\n\n```\n");
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));
		if (i)
			fputc(' ', out);
		put_word(out, word ? word : "");
	}
	/* A resumed run has more than its first command asked for. */
	if (s->nblocks < number_of(env, "blocks"))
		snprintf(blocks, sizeof blocks, "%u of %lld blocks were", s->nblocks,
		         number_of(env, "blocks"));
	else
		snprintf(blocks, sizeof blocks, "%u block%s", s->nblocks,
		         s->nblocks == 1 ? " was" : "s were");
	fprintf(out,
	        "\n```\n\nlaunchgap %s, seed %s. A block is one fresh job of every variant, in "
	        "shuffled order, all with the same shuffled order of cells; %s measured, with "
	        "%lld ranks. Each cell: %lld calls to warm up, then\n\n",
	        text_of(env, "launchgap"), text_of(env, "seed"), blocks,
	        number_of(env, "ranks"), number_of(env, "warmup"));
	fprintf(
	    out,
	    "- **stream** (bandwidth): %lld stretches of %lld calls back to back; time per "
	    "call = "
	    "(latest end − earliest start over all ranks) ÷ calls; the trial's number is the "
	    "median of its stretches;\n"
	    "- **isolated** (latency): %lld calls, the team meeting before each; p50, p95 and "
	    "p99 "
	    "over calls.\n\n",
	    number_of(env, "stretches"), number_of(env, "calls"),
	    number_of(env, "isolated_calls"));
	fprintf(
	    out,
	    "A value is the median over blocks. Bus bandwidth as nccl-tests defines it; GB = "
	    "10⁹ bytes, KiB = 1024 bytes. Sizes are rounded down to ranks × 16 bytes.\n\n");
	put_variants(out, s);
}

/* A value of the machine's description in a line: words joined, and names before places. */
static void put_value(FILE *out, const json_t *value)
{
	json_t *member;
	const char *key;
	size_t i;
	if (json_is_array(value)) {
		json_array_foreach(value, i, member)
		{
			fputs(i ? "; " : "", out);
			put_value(out, member);
		}
	} else if (json_is_object(value)) {
		const char *comma = "";
		json_object_foreach((json_t *)(uintptr_t)value, key, member)
		{
			fputs(comma, out);
			table_escape(out, key);
			fputc('=', out);
			put_value(out, member);
			comma = ", ";
		}
	} else if (json_is_string(value)) {
		table_escape(out, json_string_value(value));
	} else {
		char *text = json_dumps(value, JSON_ENCODE_ANY);
		table_escape(out, text ? text : "?");
		free(text);
	}
}

static void put_system(FILE *out, const struct summary *s)
{
	const char *key;
	json_t *value, *machine = json_object_get(s->run->environment, "machine");
	char text[512];
	run_gp_machine(s, text, sizeof text);
	fprintf(out, "## System\n\n");
	table_escape(out, text);
	fprintf(out, "\n\n| | |\n|---|---|\n");
	json_object_foreach(machine, key, value)
	{
		fprintf(out, "| ");
		table_escape(out, key);
		fprintf(out, " | ");
		put_value(out, value);
		fprintf(out, " |\n");
	}
	fputc('\n', out);
}

static void put_results(FILE *out, const struct summary *s)
{
	fprintf(out, "## Results\n\n");
	if (s->carries_data) {
		fprintf(out, "### Peak and mean bus bandwidth on %s\n\n",
		        text_of(s->run->environment, "backend"));
		put_table(out, bysize_peaks(s));
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		put_title(out, s, g);
		put_table(out, bysize_values(s, g));
		fprintf(out, "%s\n\n",
		        s->groups[g].cell.pace == PACE_ISOLATED
		            ? "Median over blocks of the trial's p50, and of its p95."
		            : "Median over blocks (and quartiles).");
	}
	fprintf(
	    out,
	    "## Launch\n\nLaunch cost: the longest time from leaving the barrier to issue's "
	    "return on any rank, per call. Skew: how far apart the ranks left the barrier. "
	    "Resolution: the last poll round, by which an end may be seen too late. All in µs, "
	    "median over blocks.\n\n");
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		fprintf(out, "### %s on %s, %s\n\n", coll_info(s->groups[g].cell.coll)->name,
		        text_of(s->run->environment, "backend"),
		        coll_pace_name(s->groups[g].cell.pace));
		put_table(out, bysize_launch(s, g));
	}
}

static void put_gap(FILE *out, const struct summary *s)
{
	fprintf(out, "## The gap\n\n");
	if (s->trouble[0] || s->reference < 0) {
		fprintf(out, "%s\n\n",
		        s->trouble[0] ? "Not compared: see the top of this report."
		                      : "Not compared: there is no reference.");
		return;
	}
	fprintf(
	    out,
	    "A ratio is the time of `%s` divided by the time of the variant, so that it is the "
	    "variant's bandwidth as a part of the reference's: **below 1 is slower**. Estimate "
	    "of Hodges and Lehmann over the blocks' log ratios, with the exact 95 %% interval "
	    "of "
	    "the signed-rank test%s.\n\nOver all sizes (one number per block: the geometric "
	    "mean):\n\n",
	    s->variants[s->reference].name,
	    s->nblocks < STATS_MIN_BLOCKS ? "; too few blocks here for intervals" : "");
	put_table(out, bysize_gaps(s));
	fprintf(
	    out,
	    "The A/A line is the reference against itself: what it differs from 1 is noise. "
	    "By size, each interval for itself (pointwise):\n\n");
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		fprintf(out, "### %s on %s, %s: ratio to %s\n\n",
		        coll_info(s->groups[g].cell.coll)->name,
		        text_of(s->run->environment, "backend"),
		        coll_pace_name(s->groups[g].cell.pace), s->variants[s->reference].name);
		put_table(out, bysize_ratios(s, g));
	}
}

static void put_ending(FILE *out, const struct warnings *warnings,
                       const struct draw_result *drawn)
{
	fprintf(out, "## Warnings\n\n");
	if (!warnings->count)
		fprintf(out, "None.\n");
	for (unsigned i = 0; i < warnings->count; i++) {
		fprintf(out, "- ");
		table_escape(out, warnings->text[i]);
		fputc('\n', out);
	}
	fprintf(out, "\n## Figures\n\n");
	if (!drawn->npictures)
		fprintf(out, "None.\n\n");
	for (unsigned i = 0; i < drawn->npictures; i++)
		fprintf(out, "![%s](plots/%s)\n\n", drawn->pictures[i], drawn->pictures[i]);
	fprintf(out, "All rows: [summary.csv](summary.csv).\n");
}

int markdown_write(const struct summary *s, const struct warnings *warnings,
                   const struct draw_result *drawn, const char *file, struct status *st)
{
	FILE *out = fopen(file, "w");
	if (!out)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	put_asked(out, s);
	put_how(out, s);
	put_system(out, s);
	put_results(out, s);
	put_gap(out, s);
	put_ending(out, warnings, drawn);
	int failed = ferror(out);
	if (fclose(out) || failed)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	return 0;
}

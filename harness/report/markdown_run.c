/* The sections about the run: what was asked, how it was measured, on which system. */
#include "markdown_parts.h"

#include <string.h>

#include "../coll/counts.h"
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

/* What was asked for and left out before the first trial; older records say nothing of it. */
static void put_notes(FILE *out, const json_t *notes)
{
	for (size_t i = 0; i < json_array_size(notes); i++) {
		const char *text = json_string_value(json_array_get(notes, i));
		fprintf(out, "%s", i ? "\n- " : "\n\n- ");
		grid_escape(out, text ? text : "");
	}
}

void markdown_asked(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment;
	fprintf(out, "# ");
	grid_escape(out, text_of(env, "title"));
	fprintf(out, " (%s)\n\n", text_of(env, "backend"));
	if (s->trouble[0]) {
		fprintf(out,
		        "> **Nothing is compared here, for the variants did not do the same "
		        "work.** ");
		grid_escape(out, s->trouble);
		fprintf(out,
		        ". Times of wrong results mean nothing: find the cause first.\n\n");
	}
	fprintf(out, "## What was asked\n\n");
	grid_escape(out, *text_of(env, "question") ? text_of(env, "question")
	                                            : "The experiment says no question.");
	fprintf(out, "\n\nExperiment `%s`, measured %s with the **%s** backend.",
	        text_of(env, "experiment"), text_of(env, "created"), text_of(env, "backend"));
	if (*text_of(env, "backend_why")) {
		fputc(' ', out);
		grid_escape(out, text_of(env, "backend_why"));
	}
	put_notes(out, json_object_get(env, "notes"));
	fprintf(out, "\n\n");
}

/* What was measured of each cell, by pace; in a soak, how often. */
static void put_paces(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment;
	long long stretches = number_of(env, "stretches"), calls = number_of(env, "calls");
	long long isolated = number_of(env, "isolated_calls"),
	          cycles = number_of(env, "cycles");
	/* Where nothing came of it, what was asked for. */
	bool none = !summary_has_pace(s, PACE_STREAM) && !summary_has_pace(s, PACE_ISOLATED);
	if (none || summary_has_pace(s, PACE_STREAM))
		fprintf(out,
		        "- **stream** (bandwidth): %lld stretch%s of %lld call%s back to back; "
		        "time per call = (latest end − earliest start over all ranks) ÷ calls; "
		        "the trial's number is the median of its stretches\n",
		        stretches, stretches == 1 ? "" : "es", calls, bysize_plural(calls));
	if (none || summary_has_pace(s, PACE_ISOLATED))
		fprintf(out,
		        "- **isolated** (latency): %lld call%s, the team meeting before each; "
		        "p50, p95 and p99 over calls\n",
		        isolated, bysize_plural(isolated));
	fputc('\n', out);
	if (cycles > 1)
		fprintf(out,
		        "A soak: every trial goes through all of its cells %lld times, one "
		        "cycle after the other; its number of a cell is the mean over them."
		        "\n\n",
		        cycles);
}

/* What alltoallv was called with, where it was measured. */
static void put_counts(FILE *out, const struct summary *s)
{
	const json_t *counts = json_object_get(s->run->environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	bool measured = false;
	for (unsigned g = 0; g < s->ngroups; g++)
		measured |= s->groups[g].cell.coll == COLL_ALLTOALLV;
	if (!measured || counts_from_json(counts, &weights, &st))
		return;
	counts_text(&weights, (unsigned)number_of(s->run->environment, "ranks"), text);
	fprintf(out, "alltoallv sends `counts = %s`%s.\n\n", text,
	        weights.rows > 1 ? ", a row for each rank that sends (all of it in the record)"
	        : weights.rows > 0 ? ", by distance, to oneself first"
	                           : "");
}

void markdown_how(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment;
	char blocks[64];
	long long asked = record_blocks_asked(s->run);
	fprintf(out, "## How it was measured\n\n");
	markdown_sessions(out, s);
	if (s->nblocks < asked && !*s->run->end.reason)
		snprintf(blocks, sizeof blocks, "%u of %lld blocks were", s->nblocks, asked);
	else
		snprintf(blocks, sizeof blocks, "%u block%s", s->nblocks,
		         s->nblocks == 1 ? " was" : "s were");
	fprintf(out,
	        " %s. A block is one fresh job of every variant, in "
	        "shuffled order, all with the same shuffled order of cells; %s measured, with "
	        "%lld rank%s. Each cell: %lld call%s to warm up, then\n\n",
	        text_of(env, "seed"), blocks, number_of(env, "ranks"),
	        bysize_plural(number_of(env, "ranks")), number_of(env, "warmup"),
	        bysize_plural(number_of(env, "warmup")));
	put_paces(out, s);
	put_counts(out, s);
	fprintf(
	    out,
	    "A value is the median over blocks. Bus bandwidth as nccl-tests defines it; GB = "
	    "10⁹ bytes, KiB = 1024 bytes. Sizes are rounded down; the record holds them as "
	    "asked and as used.\n\n");
	if (*s->run->end.reason) {
		fprintf(out, "What ended it: **%s**. ", s->run->end.reason);
		grid_escape(out, s->run->end.text);
		size_t n = strlen(s->run->end.text);
		fprintf(out, "%s\n\n", n && s->run->end.text[n - 1] == '.' ? "" : ".");
	}
	markdown_variants(out, s);
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
			grid_escape(out, key);
			fputc('=', out);
			put_value(out, member);
			comma = ", ";
		}
	} else if (json_is_string(value)) {
		grid_escape(out, json_string_value(value));
	} else {
		char *text = json_dumps(value, JSON_ENCODE_ANY);
		grid_escape(out, text ? text : "?");
		free(text);
	}
}

void markdown_system(FILE *out, const struct summary *s)
{
	const char *key;
	json_t *value, *machine = json_object_get(s->run->environment, "machine");
	char text[512];
	run_gp_machine(s, text, sizeof text);
	fprintf(out, "## System\n\n");
	grid_escape(out, text);
	fprintf(out, "\n\n| | |\n|---|---|\n");
	json_object_foreach(machine, key, value)
	{
		fprintf(out, "| ");
		grid_escape(out, key);
		fprintf(out, " | ");
		put_value(out, value);
		fprintf(out, " |\n");
	}
	fputc('\n', out);
}

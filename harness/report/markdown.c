#include "markdown_parts.h"

#include <string.h>

#include "bysize.h"
#include "drawn.h"
#include "output.h"
#include "run_gp.h"

/* What a picture shows, by the end of its name. */
static const char *caption(const char *picture)
{
	static const char *const captions[][2] = {
	    {"_overview.png", "Bus bandwidth of every collective at its largest size, with the "
	                      "most that plain copies reach."},
	    {"_busbw.png", "Bus bandwidth by size, with the limit of plain copies."},
	    {"_latency.png", "Latency of isolated calls by size."},
	    {"_ecdf.png", "All isolated calls: the share of them that took at most so long."},
	    {"_launch.png", "What launching costs, by size."},
	    {"_timeline.png", "One call, rank by rank: launched, waited for, and where the "
	                      "device has a clock, executed."},
	    {"_ranks.png", "By how much each rank ends before or after the ranks' mean."},
	    {"_waterfall.png", "From one end of the gap to the other, one factor at a time."},
	    {"_versions.png", "Threads and processes by NCCL version: bandwidth, and their "
	                      "ratio."},
	    {"_factors.png",
	     "What each factor does to bandwidth and latency, the largest effect first."},
	    {"_ratio.png", "Each variant against the reference, stream."},
	    {"_ratio_isolated.png", "Each variant against the reference, isolated calls."}};
	size_t n = strlen(picture);
	for (size_t i = 0; i < sizeof captions / sizeof *captions; i++) {
		size_t m = strlen(captions[i][0]);
		if (n > m && !strcmp(picture + n - m, captions[i][0]))
			return captions[i][1];
	}
	return "";
}

/* Why there are fewer pictures than in another run. */
static void put_left_out(FILE *out, const struct summary *s)
{
	unsigned n = run_gp_collectives(s);
	if (n > RUN_GP_EACH)
		fprintf(out,
		        "The run has %u collectives, by datatype, operation and place: more "
		        "than %u have no pictures of their own.\n\n",
		        n, RUN_GP_EACH);
	else if (n > RUN_GP_DETAIL)
		fprintf(out,
		        "The run has %u collectives: of more than %u, launch cost, ranks, "
		        "single calls and timelines are not drawn.\n\n",
		        n, RUN_GP_DETAIL);
}

static void put_ending(FILE *out, const struct summary *s, const struct validity *warnings,
                       const struct draw_result *drawn)
{
	fprintf(out, "## Warnings\n\n");
	if (!warnings->count)
		fprintf(out, "None.\n");
	for (unsigned i = 0; i < warnings->count; i++) {
		fprintf(out, "- ");
		grid_escape(out, warnings->text[i]);
		fputc('\n', out);
	}
	fprintf(out, "\n## Figures\n\n");
	if (!drawn->npictures)
		fprintf(out, "None.\n\n");
	else if (drawn_left_out(s))
		fprintf(out,
		        "Curves are of %u variants, for more cannot be told apart: the "
		        "reference and its twin, the ends of the gap, and the first of each "
		        "mode. The tables have all.\n\n",
		        drawn_count(s));
	for (unsigned i = 0; i < drawn->npictures; i++) {
		const char *about = caption(drawn->pictures[i]);
		fprintf(out, "%s%s![%s](plots/%s)\n\n", about, *about ? "\n\n" : "",
		        drawn->pictures[i], drawn->pictures[i]);
	}
	put_left_out(out, s);
	fprintf(out,
	        "All rows: [summary.csv](summary.csv); all ranks: [ranks.csv](ranks.csv).\n");
}

static void put_tables(FILE *out, const struct summary *s, const struct cliff *cliffs,
                       unsigned ncliffs)
{
	markdown_results(out, s);
	markdown_cliffs(out, s, cliffs, ncliffs);
	markdown_launch(out, s);
	markdown_ranks(out, s);
	markdown_gap(out, s);
}

static void put_many(FILE *out, const struct summary *s)
{
	fprintf(out,
	        "## Results\n\nThe run has %u collectives, by datatype, operation, place and "
	        "pace, and no tables of them here: all figures are in "
	        "[summary.csv](summary.csv), those of each rank in [ranks.csv](ranks.csv).\n\n",
	        s->ngroups);
}

int markdown_write(const struct summary *s, const struct cliff *cliffs, unsigned ncliffs,
                   const struct findings *findings, const struct validity *warnings,
                   const struct draw_result *drawn, const char *file, struct status *st)
{
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	markdown_asked(out, s);
	markdown_how(out, s);
	markdown_system(out, s);
	markdown_correct(out, s);
	if (bysize_too_many(s))
		put_many(out, s);
	else
		put_tables(out, s, cliffs, ncliffs);
	markdown_memory(out, s);
	markdown_versions(out, s, &findings->versions);
	markdown_evidence(out, s, &findings->evidence);
	markdown_factors(out, s, findings);
	markdown_claims(out, s, findings);
	markdown_recommend(out, s, findings);
	put_ending(out, s, warnings, drawn);
	return output_close(out, file, st);
}

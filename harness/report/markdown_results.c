/* The sections with figures: results, cliffs, launch, ranks, the gap. */
#include "markdown_parts.h"

#include "bysize.h"

static const char *backend_of(const struct summary *s)
{
	const char *text = json_string_value(json_object_get(s->run->environment, "backend"));
	return text ? text : "";
}

void markdown_table(FILE *out, struct grid *table)
{
	grid_markdown(table, out);
	grid_free(table);
}

void markdown_cell(FILE *out, const char *text)
{
	fputs("| ", out);
	grid_escape(out, text);
	fputc(' ', out);
}

static void put_group(FILE *out, const struct summary *s, unsigned group)
{
	fprintf(out, "### %s on %s, %s",
	        coll_word(&s->groups[group].cell, s->groups[group].nranks).text, backend_of(s),
	        coll_pace_name(s->groups[group].cell.pace));
}

void markdown_results(FILE *out, const struct summary *s)
{
	char title[256];
	fprintf(out, "## Results\n\n");
	if (s->carries_data) {
		fprintf(out, "### Peak and mean bus bandwidth on %s\n\n", backend_of(s));
		markdown_table(out, bysize_peaks(s));
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		bysize_title(s, g, title, sizeof title);
		fprintf(out, "### %s\n\n", title);
		markdown_table(out, bysize_values(s, g));
		fprintf(out, "%s\n\n",
		        s->groups[g].cell.pace == PACE_ISOLATED
		            ? "Median over blocks of the trial's p50, and of its p95."
		            : "Median over blocks (and quartiles).");
	}
}

void markdown_cliffs(FILE *out, const struct summary *s, const struct cliff *cliffs,
                     unsigned count)
{
	char text[1024];
	if (!s->carries_data)
		return;
	fprintf(out, "## Cliffs\n\nSizes where bandwidth falls, or grows faster than the sizes "
	             "before lead to, beyond the noise.\n\n");
	if (!count)
		fprintf(out, "%s\n\n",
		        s->nblocks < STATS_MIN_BLOCKS ? "Not looked for: too few blocks."
		                                      : "None.");
	for (unsigned i = 0; i < count; i++) {
		cliffs_say(s, &cliffs[i], text, sizeof text);
		fprintf(out, "- ");
		grid_escape(out, text);
		fprintf(out, "\n%s", i + 1 == count ? "\n" : "");
	}
}

void markdown_launch(FILE *out, const struct summary *s)
{
	fprintf(
	    out,
	    "## Launch\n\nLaunch cost: the longest time from leaving the barrier to issue's "
	    "return on any rank, per call. Skew: how far apart the ranks left the barrier. "
	    "Resolution: the last poll round, by which an end may be seen too late. All in µs, "
	    "median over blocks.\n\n");
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		put_group(out, s, g);
		fprintf(out, "\n\n");
		markdown_table(out, bysize_launch(s, g));
	}
}

void markdown_ranks(FILE *out, const struct summary *s)
{
	fprintf(
	    out,
	    "## Ranks\n\nWhat each rank had of the same calls, at the smallest, a middle and "
	    "the largest size; all of it is in [ranks.csv](ranks.csv). Skew: how much later "
	    "than the first a rank left the barrier. Launch: from there to issue's return. The "
	    "straggler is the rank that is seen idle last most often: how often, and by how "
	    "much after the ranks' mean it is then. One worker that drives several ranks "
	    "launches and polls them in turn, which alone makes one of them the last.\n\n");
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		if (summary_is_limit(s, group) || group->nranks < 2)
			continue;
		put_group(out, s, g);
		fprintf(out, " (%u ranks: each is last in %.3g %% by chance)\n\n",
		        group->nranks, 100.0 / group->nranks);
		markdown_table(out, bysize_ranks(s, g));
	}
}

void markdown_gap(FILE *out, const struct summary *s)
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
	    "of the signed-rank test%s. A verdict is *faster* or *slower* when the whole "
	    "interval lies beyond %.3g %%, *no difference* when all of it lies within, else "
	    "*undecided*.\n\nOver all sizes (one number per block: the geometric mean):\n\n",
	    s->variants[s->reference].name,
	    s->nblocks < STATS_MIN_BLOCKS ? "; too few blocks here for intervals" : "",
	    100 * s->margin);
	markdown_table(out, bysize_gaps(s));
	fprintf(
	    out,
	    "The A/A line is the reference against itself: what it differs from 1 is noise. "
	    "By size, each interval for itself (pointwise):\n\n");
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		put_group(out, s, g);
		fprintf(out, ": ratio to %s\n\n", s->variants[s->reference].name);
		markdown_table(out, bysize_ratios(s, g));
	}
}

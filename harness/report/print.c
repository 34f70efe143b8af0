/* What a report says on stdout. */
#include <math.h>
#include <string.h>

#include "bysize.h"
#include "markdown_parts.h"
#include "report_parts.h"
#include "versions_table.h"

/* The group's best bus bandwidth, held against the limit at that size. */
static void print_best(const struct summary *s, unsigned group)
{
	const struct summary_row *best = NULL;
	char label[32], text[32];
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (row->group == group && row->cell.pace == PACE_STREAM &&
		    !isnan(row->busbw_gbs) && (!best || row->busbw_gbs > best->busbw_gbs))
			best = row;
	}
	if (!best)
		return;
	double limit = bysize_limit(s, best->cell.bytes);
	coll_size_label(best->cell.asked_bytes, label, sizeof label);
	bysize_number(best->busbw_gbs, text, sizeof text);
	printf("best: %s, %s GB/s at %s", s->variants[best->variant].name, text, label);
	if (isfinite(limit)) {
		bysize_number(limit, text, sizeof text);
		printf(", %.0f %% of the limit measured by plain copies, %s GB/s",
		       100 * best->busbw_gbs / limit, text);
	}
	printf("\n");
}

/* One verdict per variant, from one number per block. */
static void print_verdicts(const struct summary *s, unsigned group)
{
	if (s->reference < 0 || s->trouble[0])
		return;
	printf("against %s over all sizes, margin %.3g %%:\n", s->variants[s->reference].name,
	       100 * s->margin);
	struct grid *table = bysize_verdicts(s, group);
	grid_text(table, stdout, PRINT_WIDTH);
	grid_free(table);
}

static void print_tables(const struct summary *s)
{
	char title[256];
	if (bysize_too_many(s)) {
		printf("\n%u collectives, by datatype, operation, place and pace: their "
		       "figures are "
		       "in summary.csv.\n",
		       s->ngroups);
		return;
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		bysize_title(s, g, title, sizeof title);
		printf("\n%s\n\n", title);
		struct grid *table = bysize_short(s, g);
		grid_text(table, stdout, PRINT_WIDTH);
		grid_free(table);
		print_best(s, g);
		print_verdicts(s, g);
	}
	if (s->reference >= 0 && !s->trouble[0])
		printf("\nRatios: time of %s ÷ time of the variant; below 1 is slower. A/A: "
		       "the reference "
		       "again.\n",
		       s->variants[s->reference].name);
}

void print_wrapped(const char *lead, const char *text)
{
	unsigned column = (unsigned)strlen(lead);
	printf("%s", lead);
	for (bool first = true; *text; first = false) {
		size_t word = strcspn(text, " \n");
		bool breaks = column + 1 + word > PRINT_WIDTH;
		printf("%s%.*s", first ? "" : breaks ? "\n  " : " ", (int)word, text);
		column = (first ? column : breaks ? 2 : column + 1) + (unsigned)word;
		text += word;
		text += strspn(text, " \n");
	}
	printf("\n");
}

static void print_versions(const struct versions *v)
{
	char text[VERSIONS_TEXT_BYTES], lead[64];
	if (v->missing[0]) {
		print_wrapped("by version: ", v->missing);
		printf("\n");
	}
	for (unsigned i = 0; i < v->ncolls; i++) {
		const char *name = coll_info(v->colls[i].coll)->name;
		if (v->colls[i].nblocks) {
			versions_about(v, i, text, sizeof text);
			printf("%s by NCCL version: %s\n\n", name, text);
			struct grid *table = versions_short(v, i);
			grid_text(table, stdout, PRINT_WIDTH);
			grid_free(table);
		}
		snprintf(lead, sizeof lead, "%s by version: ", name);
		versions_say(v, i, text, sizeof text);
		print_wrapped(lead, text);
		printf("\n");
	}
}

/* One line a claim: its verdict, what was measured, its sentence. Those of another backend are
 * in report.md alone. Returns how many lines. */
static unsigned print_claims(const struct summary *s, const struct findings *f)
{
	char verdict[96], ratio[64], hint[CONTRAST_WHY_BYTES], lead[TRIAL_NAME_BYTES + 16],
	    text[CLAIM_TEXT_BYTES + sizeof verdict + sizeof ratio + sizeof hint + 16];
	unsigned printed = 0;
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *r = &f->claims[i];
		bool tested = r->outcome != CLAIMS_UNTESTED;
		if (claims_elsewhere(r))
			continue;
		snprintf(lead, sizeof lead, "claim %s: ", r->claim->name);
		claims_verdict(r, verdict, sizeof verdict);
		claims_hint(s, &f->evidence, r, hint, sizeof hint);
		bysize_ratio(&r->ratio, true, ratio, sizeof ratio);
		snprintf(text, sizeof text, "%s%s%s (%s): %s", verdict, tested ? ", " : "",
		         tested ? ratio : "", hint, r->claim->text);
		print_wrapped(lead, text);
		printed++;
	}
	const struct waterfall *w = &f->waterfall;
	if (w->nsteps && !isnan(w->explained)) {
		char gap[2 * TRIAL_NAME_BYTES + 16], said[WATERFALL_TEXT_BYTES];
		snprintf(gap, sizeof gap, "from %s to %s: ", f->asked.gap.from,
		         f->asked.gap.to);
		waterfall_say(w, said, sizeof said);
		print_wrapped(gap, said);
		printed++;
	}
	for (unsigned i = 0; i < f->advice.count; i++)
		print_wrapped("advice: ", f->advice.text[i]);
	return printed + f->advice.count;
}

static void print_correct(const struct summary *s)
{
	char text[256];
	if (!s->carries_data)
		return;
	markdown_correct_line(s, text, sizeof text);
	print_wrapped("data: ", text);
}

void print_report(const struct report *r, const char *dir)
{
	if (r->summary.trouble[0])
		print_wrapped("NOTHING IS COMPARED, the variants did not do the same work: ",
		              r->summary.trouble);
	print_tables(&r->summary);
	printf("\n");
	for (unsigned i = 0; i < r->ncliffs; i++) {
		char text[1024];
		cliffs_say(&r->summary, &r->cliffs[i], text, sizeof text);
		print_wrapped("cliff: ", text);
	}
	print_versions(&r->findings.versions);
	print_evidence(&r->summary, &r->findings.evidence);
	print_factors(&r->summary, &r->findings);
	unsigned said = print_claims(&r->summary, &r->findings);
	print_correct(&r->summary);
	for (unsigned i = 0; i < r->warnings.count; i++)
		print_wrapped("warning: ", r->warnings.text[i]);
	printf("%sreport %s/report.md\n",
	       r->summary.carries_data + r->warnings.count + r->ncliffs + said ? "\n" : "",
	       dir);
	for (unsigned i = 0; i < r->drawn.npictures; i++)
		printf("picture %s/plots/%s\n", dir, r->drawn.pictures[i]);
	fflush(stdout);
}

unsigned print_nccl_tests(const struct report *r, const char *dir, enum nccl_average average)
{
	unsigned tables = nccl_format_print(&r->summary, average, stdout);
	fflush(stdout);
	for (unsigned i = 0; i < r->ncliffs; i++) {
		char text[1024];
		cliffs_say(&r->summary, &r->cliffs[i], text, sizeof text);
		status_say("cliff: %s", text);
	}
	for (unsigned i = 0; i < r->warnings.count; i++)
		status_say("warning: %s", r->warnings.text[i]);
	status_say("report %s/report.md", dir);
	return tables;
}

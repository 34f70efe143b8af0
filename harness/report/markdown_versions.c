/* The section that holds the library's versions against each other. */
#include "markdown_parts.h"

#include "bysize.h"
#include "versions_table.h"

static void put_coll(FILE *out, const struct versions *v, unsigned coll)
{
	const struct versions_coll *c = &v->colls[coll];
	char text[VERSIONS_TEXT_BYTES];
	fprintf(out, "### %s, %u rank%s\n\n", coll_info(c->coll)->name, c->nranks,
	        bysize_plural(c->nranks));
	versions_say(v, coll, text, sizeof text);
	grid_escape(out, text);
	fprintf(out, "\n\n");
	if (!c->nblocks)
		return;
	markdown_table(out, versions_table(v, coll));
	versions_about(v, coll, text, sizeof text);
	fprintf(
	    out,
	    "Stream bandwidth: %s; geometric mean over the %u block%s that hold%s all of it."
	    "\n\n",
	    text, c->nblocks, bysize_plural(c->nblocks), c->nblocks == 1 ? "s" : "");
}

void markdown_versions(FILE *out, const struct summary *s, const struct versions *v)
{
	if (!v->ncolls && !v->missing[0])
		return;
	fprintf(out, "## By NCCL version\n\n");
	if (v->missing[0]) {
		fprintf(out, "%s",
		        v->ncolls ? "" : "Threads and processes are not compared by version. ");
		grid_escape(out, v->missing);
		fprintf(out, "\n\n");
	}
	if (!v->ncolls)
		return;
	for (unsigned i = 0; i < v->ncolls; i++)
		put_coll(out, v, i);
	fprintf(out,
	        "On each version the variants that are the reference but for mode and library; "
	        "margin %.3g %%. Data path: "
	        "`direct` is straight into the peer's buffer, `staged` by way of a buffer of "
	        "NCCL's own. DRAM ÷ NVLink: DRAM bytes per byte sent over NVLink, at the "
	        "largest size with counters.\n\n",
	        100 * s->margin);
}

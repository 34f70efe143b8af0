/* The section with the evidence: paths and counters. */
#include "markdown_parts.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "bysize.h"

static bool has_paths(const struct summary *s, const struct evidence *e)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (e->paths[v].transport[0] || e->paths[v].data_path[0])
			return true;
	return false;
}

static bool any_astray(const struct summary *s, const struct evidence *e)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (e->paths[v].astray[0])
			return true;
	return false;
}

/* The mark of a variant that took another way than its file says. */
static void put_expected(FILE *out, const struct evidence_path *p)
{
	fputs("| ", out);
	if (p->astray[0]) {
		fputs("**NOT ", out);
		grid_escape(out, p->astray);
		fputs("** ", out);
	}
}

static void put_paths(FILE *out, const struct summary *s, const struct evidence *e)
{
	bool astray = any_astray(s, e);
	fprintf(out,
	        "Path, from the library's own log:\n\n| variant | transport |%s links | data "
	        "path | registered | copy engine | how it is known |\n"
	        "|---|---|%s---|---|---|---|---|\n",
	        astray ? " expected |" : "", astray ? "---|" : "");
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct evidence_path *p = &e->paths[v];
		const char *const texts[] = {
		    s->variants[v].name, p->transport,   p->links, p->data_path,
		    p->registered,       p->copy_engine, p->why};
		if (!p->transport[0] && !p->data_path[0])
			continue;
		for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
			fputs("| ", out);
			grid_escape(out, texts[i]);
			fputc(' ', out);
			if (i == 1 && astray)
				put_expected(out, p);
		}
		fputs("|\n", out);
	}
	const char *lead = "\nPairs of ranks where the transport is mixed:\n\n";
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!e->paths[v].pairs[0])
			continue;
		fprintf(out, "%s- ", lead);
		grid_escape(out, s->variants[v].name);
		fputs(": ", out);
		grid_escape(out, e->paths[v].pairs);
		fputc('\n', out);
		lead = "";
	}
	fprintf(out,
	        "\nLinks: ordered pairs of ranks by transport, over all channels, those of "
	        "rings and trees as well as those of sends and receives; where there are "
	        "any of the latter, the data path is theirs. It is that of large sizes: "
	        "below NCCL's threshold for the LL protocol (NCCL\\_P2P\\_LL\\_THRESHOLD "
	        "bytes for sends and receives) data is staged whatever the path.\n\n");
}

/* A column's text of a row; "-" where it has none. */
typedef void column_fn(const struct evidence_row *row, char *text, size_t bytes);

static void share(double x, char *text, size_t bytes)
{
	snprintf(text, bytes, isfinite(x) ? "%.0f %%" : "-", 100 * x);
}

static void nvlink(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->nvlink_tx_gbs, text, bytes);
}
static void received(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->nvlink_rx_gbs, text, bytes);
}
static void of_limit(const struct evidence_row *row, char *text, size_t bytes)
{
	share(row->limit_share, text, bytes);
}
static void dram(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->dram_gbs, text, bytes);
}
static void of_peak(const struct evidence_row *row, char *text, size_t bytes)
{
	share(row->dram_share, text, bytes);
}
static void per_nvlink(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->dram_per_nvlink, text, bytes);
}
/* One figure where the path is known, else both. */
static void model(const struct evidence_row *row, char *text, size_t bytes)
{
	if (!isnan(row->model))
		snprintf(text, bytes, "%.2f", row->model);
	else if (!isnan(row->direct))
		snprintf(text, bytes, "%.2f direct, %.2f staged", row->direct, row->staged);
	else
		snprintf(text, bytes, "-");
}
static void cached(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->cached, text, bytes);
}
static void busy(const struct evidence_row *row, char *text, size_t bytes)
{
	share(row->sm_percent / 100, text, bytes);
}
static void pcie(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->pcie_tx_gbs, text, bytes);
}
static void copies(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->copies, text, bytes);
}
static void copies_model(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->copies_model, text, bytes);
}
static void issuing(const struct evidence_row *row, char *text, size_t bytes)
{
	bysize_number(row->issue_cores, text, bytes);
}

static const struct column {
	const char *head;
	column_fn *text;
	const char *about;
} columns[] = {
    {"NVLink TX, GB/s", nvlink, ""},
    {"of the limit", of_limit, " Limit: bus bandwidth of plain copies at that size."},
    {"NVLink RX, GB/s", received, " TX: what a rank sends; RX: what it receives."},
    {"DRAM, GB/s", dram, ""},
    {"of its peak", of_peak, ""},
    {"DRAM ÷ NVLink", per_nvlink, ""},
    {"model", model,
     " Model: DRAM bytes per byte sent over NVLink, for alltoall and sendrecv (staged 4: read, "
     "slot written, slot read, written; direct 2; alltoall's own part 2 ÷ (ranks − 1) more)."},
    {"from cache", cached,
     " From cache: by how much DRAM ÷ NVLink stays below the model; those reads presumably "
     "hit the L2 cache."},
    {"SMs busy", busy, ""},
    {"PCIe TX, GB/s", pcie, ""},
    {"copies per byte", copies,
     " Copies per byte: what workers copied for each byte that came from another rank."},
    {"model of copies", copies_model,
     " Model of copies, for alltoall and sendrecv: fifo 2 (into a slot, out of it), direct and "
     "shared 1; alltoall's own part 1 ÷ (ranks − 1) more."},
    {"cores issuing", issuing,
     " Cores issuing: CPU time of issuing calls by the time that it takes."},
};
#define NCOLUMNS (sizeof columns / sizeof *columns)

static bool has_column(const struct evidence *e, const struct column *column)
{
	char text[64];
	for (unsigned i = 0; i < e->nrows; i++) {
		column->text(&e->rows[i], text, sizeof text);
		if (strcmp(text, "-"))
			return true;
	}
	return false;
}

static void put_head(struct grid *table, const struct evidence *e)
{
	unsigned at = 2;
	grid_row(table);
	grid_put(table, 0, "cell");
	grid_put(table, 1, "variant");
	for (size_t c = 0; c < NCOLUMNS; c++)
		if (has_column(e, &columns[c]))
			grid_put(table, at++, "%s", columns[c].head);
}

static void put_row(struct grid *table, const struct summary *s, const struct evidence *e,
                    const struct evidence_row *row)
{
	const struct summary_group *g = &s->groups[row->group];
	char text[64];
	unsigned at = 2;
	coll_size_label(g->asked_bytes[row->size], text, sizeof text);
	grid_row(table);
	grid_put(table, 0, "%s %s", coll_info(g->cell.coll)->name, text);
	grid_put(table, 1, "%s", s->variants[row->variant].name);
	for (size_t c = 0; c < NCOLUMNS; c++) {
		if (!has_column(e, &columns[c]))
			continue;
		columns[c].text(row, text, sizeof text);
		grid_put(table, at++, "%s", text);
	}
}

/* Sessions without counters leave them to fewer blocks than the run has. */
static void put_medians(FILE *out, const struct evidence *e)
{
	unsigned least = UINT_MAX, most = 0;
	for (unsigned i = 0; i < e->nrows; i++) {
		least = e->rows[i].blocks < least ? e->rows[i].blocks : least;
		most = e->rows[i].blocks > most ? e->rows[i].blocks : most;
	}
	fprintf(out, "Counters per rank over a steady stretch, median over ");
	if (least < most)
		fprintf(out, "%u to ", least);
	fprintf(out, "%u block%s; read in a pass of their own.", most, bysize_plural(most));
}

static void put_counters(FILE *out, const struct summary *s, const struct evidence *e)
{
	unsigned n = 2;
	for (size_t c = 0; c < NCOLUMNS; c++)
		n += has_column(e, &columns[c]);
	struct grid *table = grid_new(n, 2);
	put_head(table, e);
	for (unsigned i = 0; i < e->nrows; i++)
		put_row(table, s, e, &e->rows[i]);
	markdown_table(out, table);
	put_medians(out, e);
	for (size_t c = 0; c < NCOLUMNS; c++)
		if (has_column(e, &columns[c]))
			fputs(columns[c].about, out);
	fprintf(out, " All of it, by rank: [evidence.csv](evidence.csv).\n\n");
	if (e->missing[0]) {
		fprintf(out, "Missing counters: ");
		grid_escape(out, e->missing);
		fprintf(out, ".\n\n");
	}
}

void markdown_evidence(FILE *out, const struct summary *s, const struct evidence *e)
{
	bool paths = has_paths(s, e);
	if (!paths && !e->nrows)
		return;
	fprintf(out, "## Evidence\n\n");
	if (paths)
		put_paths(out, s, e);
	if (e->nrows)
		put_counters(out, s, e);
}

/* Tables of links and pairs of ranks, and of the report on a machine. */
#include <math.h>

#include "../analysis/rank_evidence.h"
#include "../analysis/words.h"
#include "tables.h"

#define MOST_COLUMNS 16 /* ranks of a matrix */
#define MOST_EDGES   12

struct table *tables_link_matrix(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = table_new("link_matrix", "What joins the ranks");
	char text[64];
	if (p->nranks > MOST_COLUMNS)
		return t;
	table_column(t, "rank", "rank", "", TABLE_COUNT);
	for (unsigned r = 0; r < p->nranks; r++) {
		snprintf(text, sizeof text, "%u", r);
		table_column(t, text, text, "", TABLE_TEXT);
	}
	for (unsigned a = 0; a < p->nranks; a++) {
		TABLE_ROW(t, CELL(a));
		for (unsigned b = 0; b < p->nranks; b++) {
			const struct pairs_pair *pair = pairs_find(p, a, b);
			text[0] = '\0';
			if (pair)
				links_brief(&pair->link, text, sizeof text);
			TABLE_PUT(t, CELL(pair ? text : "X"));
		}
	}
	return t;
}

struct table *tables_link_ranks(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = TABLE_NEW(
	    "link_ranks", "Links of each rank's device", {"rank", "rank", "", TABLE_COUNT},
	    {"device", "device", "", TABLE_TEXT}, {"numa", "NUMA node", "", TABLE_COUNT},
	    {"nvlinks", "NVLinks up", "", TABLE_COUNT},
	    {"nvlink_gbs", "all, one way", "GB/s", TABLE_NUMBER},
	    {"pcie", "PCIe", "", TABLE_TEXT},
	    {"pcie_gbs", "at most, one way", "GB/s", TABLE_NUMBER},
	    {"remark", "short of", "", TABLE_TEXT});
	for (unsigned r = 0; r < p->nranks && p->n; r++) {
		const struct pairs_rank *rank = &p->ranks[r];
		bool gpu = rank->gpu >= 0;
		char pcie[64] = "";
		if (rank->width)
			snprintf(pcie, sizeof pcie, "%u ×%u of %u ×%u%s", rank->gen,
			         rank->width, rank->gen_max, rank->width_max,
			         rank->has_pcie ? "" : ", idle");
		TABLE_ROW(t, CELL(r), CELL(rank->device),
		          table_of_known(rank->numa >= 0, (unsigned)rank->numa),
		          table_of_known(gpu, rank->nvlinks), CELL(rank->nvlink_gbs),
		          CELL(pcie), CELL(rank->pcie_gbs), CELL(rank->remark));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_link_classes(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = TABLE_NEW(
	    "link_classes", "Classes of pairs", {"class", "class", "", TABLE_TEXT},
	    {"pairs", "pairs", "", TABLE_COUNT}, {"gbs", "alone, median", "GB/s", TABLE_NUMBER},
	    {"gbs_min", "least", "GB/s", TABLE_NUMBER},
	    {"gbs_max", "most", "GB/s", TABLE_NUMBER},
	    {"expected_gbs", "expected from", "GB/s", TABLE_NUMBER},
	    {"theoretical_gbs", "theoretical", "GB/s", TABLE_NUMBER},
	    {"share", "median of it", "", TABLE_SHARE},
	    {"p50_us", "p50, median", "µs", TABLE_NUMBER},
	    {"p50_us_min", "least", "µs", TABLE_NUMBER},
	    {"p50_us_max", "most", "µs", TABLE_NUMBER},
	    {"stated_latency", "latency of the hardware, as stated", "", TABLE_TEXT},
	    {"source", "source", "", TABLE_TEXT});
	for (unsigned i = 0; i < p->nclasses; i++) {
		const struct pairs_class *c = &p->classes[i];
		const struct links_info *info = links_info(c->class);
		double least = info->least_share * c->theoretical_gbs;
		TABLE_ROW(t, CELL(info->name), CELL(c->pairs), CELL(c->gbs_median),
		          CELL(c->gbs_min), CELL(c->gbs_max), CELL(least > 0 ? least : NAN),
		          CELL(c->theoretical_gbs), CELL(c->gbs_median / c->theoretical_gbs),
		          CELL(c->us_median), CELL(c->us_min), CELL(c->us_max),
		          CELL(info->latency), CELL(info->source));
	}
	table_drop_empty(t);
	return t;
}

/* For people, or as a file, which names a class and says it in short too. */
static struct table *pairs_of(const struct model *m, const char *name, const char *title,
                              bool file)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = TABLE_NEW(
	    name, title, {"from", "from", "", TABLE_COUNT}, {"to", "to", "", TABLE_COUNT},
	    {"class", "class", "", TABLE_TEXT}, {"brief", "in short", "", TABLE_TEXT},
	    {"via", "path, by the log", "", TABLE_TEXT},
	    {"small_bytes", "times of", "", TABLE_BYTES}, {"p50_us", "p50", "µs", TABLE_NUMBER},
	    {"p95_us", "p95", "µs", TABLE_SPREAD}, {"p99_us", "p99", "µs", TABLE_SPREAD},
	    {"bytes", "bandwidths of", "", TABLE_BYTES}, {"gbs", "alone", "GB/s", TABLE_SPREAD},
	    {"theoretical_gbs", "theoretical", "GB/s", TABLE_NUMBER},
	    {"share", "of the theoretical", "", TABLE_SHARE},
	    {"all_gbs", "all at once", "GB/s", TABLE_NUMBER},
	    {"remark", "remark", "", TABLE_TEXT});
	for (unsigned i = 0; i < p->nranks * p->nranks; i++) {
		const struct pairs_pair *pair = pairs_find(p, i / p->nranks, i % p->nranks);
		char brief[64];
		if (!pair)
			continue;
		links_brief(&pair->link, brief, sizeof brief);
		TABLE_ROW(t, CELL(pair->from), CELL(pair->to),
		          CELL(file ? links_info(pair->link.class)->name : brief), CELL(brief),
		          CELL(pair->via), CELL(p->small_bytes), CELL(pair->p50_us),
		          CELL(&pair->p95_us), CELL(&pair->p99_us), CELL(p->bytes),
		          CELL(&pair->gbs), CELL(pair->link.theoretical_gbs), CELL(pair->share),
		          CELL(pair->all_gbs), CELL(pair->remark));
	}
	if (file)
		return t;
	TABLE_DROP(t, "brief", "small_bytes", "bytes", "theoretical_gbs");
	table_drop_empty(t);
	return t;
}

struct table *tables_pairs(const struct model *m)
{
	return pairs_of(m, "pairs", "Pairs of ranks, each way", false);
}

struct table *tables_pair_figures(const struct model *m)
{
	return pairs_of(m, "pair_figures", "Pairs of ranks, as a file", true);
}

/* As a file, ranks and variant have a column each. */
static struct table *pingpong_of(const struct model *m, const char *name, bool file)
{
	const struct pingpong *p = &m->findings.pingpong;
	struct table *t = TABLE_NEW(
	    name, "Ping-pong, each pair in each variant", {"first", "", "", TABLE_COUNT},
	    {"second", "", "", TABLE_COUNT}, {"variant", "", "", TABLE_TEXT},
	    {"pair", "ranks, variant", "", TABLE_TEXT}, {"class", "class", "", TABLE_TEXT},
	    {"one_way_us", "one way", "µs", TABLE_NUMBER},
	    {"round_us", "there and back, p50", "µs", TABLE_NUMBER},
	    {"p95_us", "p95", "µs", TABLE_SPREAD}, {"p99_us", "p99", "µs", TABLE_SPREAD},
	    {"stream_us", "back to back", "µs", TABLE_NUMBER},
	    {"gbs", "one way", "GB/s", TABLE_SPREAD},
	    {"share", "of the theoretical", "", TABLE_SHARE});
	for (unsigned i = 0; i < p->n; i++) {
		const struct pingpong_row *row = &p->rows[i];
		const char *variant = m->summary.variants[row->variant].name;
		char class[64];
		links_brief(&row->link, class, sizeof class);
		TABLE_ROW(t, CELL(row->first), CELL(row->second), CELL(variant));
		table_text(t, "%u–%u %s", row->first, row->second, variant);
		TABLE_PUT(t, CELL(class), CELL(row->round_us / 2), CELL(row->round_us),
		          CELL(&row->p95_us), CELL(&row->p99_us), CELL(row->stream_us),
		          CELL(&row->gbs), CELL(row->gbs.estimate / row->link.theoretical_gbs));
	}
	if (file) {
		TABLE_DROP(t, "pair");
		return t;
	}
	TABLE_DROP(t, "first", "second", "variant");
	table_drop_empty(t);
	return t;
}

struct table *tables_pingpong(const struct model *m)
{
	return pingpong_of(m, "pingpong", false);
}

struct table *tables_pingpong_figures(const struct model *m)
{
	return pingpong_of(m, "pingpong_figures", true);
}

/* What is stated of machines that are not here. */
static const struct {
	const char *what, *source;
	double us_lo, us_hi, theoretical_gbs, all_reduce_lo, all_reduce_hi;
} stated[] = {
    {"T4, PCIe 3.0 ×16", "First steps with NCCL on T4 (experiments/README.md)", 50, 100, 16, 5, 10},
};

struct table *tables_pingpong_stated(const struct model *m)
{
	const struct pingpong *p = &m->findings.pingpong;
	struct table *t =
	    TABLE_NEW("pingpong_stated", "Ping-pong beside what is stated",
	              {"what", "links", "", TABLE_TEXT}, {"variant", "variant", "", TABLE_TEXT},
	              {"us_min", "there and back, from", "µs", TABLE_NUMBER},
	              {"us_max", "to", "µs", TABLE_NUMBER},
	              {"stated_latency", "latency of the hardware, as stated", "", TABLE_TEXT},
	              {"gbs_min", "one way, from", "GB/s", TABLE_NUMBER},
	              {"gbs_max", "to", "GB/s", TABLE_NUMBER},
	              {"expected_gbs", "expected from", "GB/s", TABLE_NUMBER},
	              {"theoretical_gbs", "theoretical", "GB/s", TABLE_NUMBER},
	              {"all_reduce_min", "all_reduce, from", "GB/s", TABLE_NUMBER},
	              {"all_reduce_max", "to", "GB/s", TABLE_NUMBER},
	              {"source", "source", "", TABLE_TEXT});
	for (unsigned i = 0; i < p->nclasses; i++) {
		const struct pingpong_class *c = &p->classes[i];
		const struct links_info *info = links_info(c->class);
		double least = info->least_share * c->theoretical_gbs;
		TABLE_ROW(t, CELL(info->name), CELL(m->summary.variants[c->variant].name),
		          CELL(c->us_min), CELL(c->us_max), CELL(info->latency),
		          CELL(c->gbs_min), CELL(c->gbs_max), CELL(least > 0 ? least : NAN),
		          CELL(c->theoretical_gbs), CELL(c->all_reduce_gbs),
		          CELL(c->all_reduce_gbs),
		          CELL(info->source[0] ? "measured; stated: see Classes of pairs"
		                               : "measured"));
	}
	for (unsigned i = 0; i < sizeof stated / sizeof *stated; i++)
		TABLE_ROW(t, CELL(stated[i].what), CELL(""), CELL(stated[i].us_lo),
		          CELL(stated[i].us_hi), CELL(""), CELL(NAN), CELL(NAN), CELL(NAN),
		          CELL(stated[i].theoretical_gbs), CELL(stated[i].all_reduce_lo),
		          CELL(stated[i].all_reduce_hi), CELL(stated[i].source));
	table_drop_empty(t);
	return t;
}

struct table *tables_balance(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = TABLE_NEW(
	    "balance", "Balance while all send to all", {"rank", "rank", "", TABLE_COUNT},
	    {"sent_bytes", "bytes sent a call", "", TABLE_BYTES},
	    {"sent_per_link", "of these on each NVLink", "", TABLE_BYTES},
	    {"received_gbs", "received", "GB/s", TABLE_NUMBER},
	    {"last", "ends last", "", TABLE_SHARE},
	    {"nvlink_tx_gbs", "NVLink TX", "GB/s", TABLE_NUMBER},
	    {"nvlink_rx_gbs", "NVLink RX", "GB/s", TABLE_NUMBER},
	    {"link_tx_gbs", "TX of each link", "GB/s", TABLE_NUMBER},
	    {"pcie_tx_gbs", "PCIe TX", "GB/s", TABLE_NUMBER},
	    {"pcie_rx_gbs", "PCIe RX", "GB/s", TABLE_NUMBER});
	for (unsigned r = 0; r < p->nranks && p->all_bytes; r++) {
		const struct pairs_rank *rank = &p->ranks[r];
		double links = rank->nvlinks ? rank->nvlinks : NAN;
		bool sent = !isnan(rank->sent_bytes);
		unsigned long long bytes = sent ? (unsigned long long)rank->sent_bytes : 0;
		TABLE_ROW(t, CELL(r), table_of_known(sent, bytes),
		          table_of_known(sent && rank->nvlinks,
		                         rank->nvlinks ? bytes / rank->nvlinks : 0),
		          CELL(rank->received_gbs), CELL(rank->last), CELL(rank->nvlink_tx_gbs),
		          CELL(rank->nvlink_rx_gbs), CELL(rank->nvlink_tx_gbs / links),
		          CELL(rank->pcie_tx_gbs), CELL(rank->pcie_rx_gbs));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_edges(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	struct table *t = TABLE_NEW("link_loads", "Load of links while all send to all",
	                            {"link", "link", "", TABLE_TEXT},
	                            {"pairs", "pairs that cross it", "", TABLE_COUNT},
	                            {"gbs", "one way", "GB/s", TABLE_NUMBER},
	                            {"pair_gbs", "for each pair", "GB/s", TABLE_NUMBER});
	for (unsigned i = 0; i < p->nedges && i < MOST_EDGES; i++)
		TABLE_ROW(t, CELL(p->edges[i].name), CELL(p->edges[i].pairs),
		          CELL(p->edges[i].gbs), CELL(p->edges[i].gbs / p->edges[i].pairs));
	table_drop_empty(t);
	return t;
}

struct table *tables_ranges(const struct model *m)
{
	const struct ranges *r = &m->findings.ranges;
	struct table *t = TABLE_NEW(
	    "ranges", "Ranges of sizes", {"collective", "collective", "", TABLE_TEXT},
	    {"variant", "variant", "", TABLE_TEXT}, {"peak_gbs", "peak", "GB/s", TABLE_NUMBER},
	    {"peak_bytes", "at", "", TABLE_BYTES},
	    {"mean_gbs", "mean over sizes", "GB/s", TABLE_NUMBER},
	    {"least_us", "smallest size", "µs", TABLE_NUMBER},
	    {"latency_bytes", "latency rules up to", "", TABLE_BYTES},
	    {"half_bytes", "half of the peak at", "", TABLE_BYTES},
	    {"plateau_bytes", "plateau from", "", TABLE_BYTES});
	for (unsigned i = 0; i < r->n; i++) {
		const struct ranges_row *row = &r->rows[i];
		const struct summary_group *g = &m->summary.groups[row->group];
		TABLE_ROW(t, CELL(coll_word(&g->cell, g->nranks).text),
		          CELL(m->summary.variants[row->variant].name), CELL(row->peak_gbs),
		          CELL(row->peak_bytes), CELL(row->mean_gbs), CELL(row->least_us),
		          CELL(row->latency_bytes), CELL(row->half_bytes),
		          table_of_known(row->plateau_bytes, row->plateau_bytes));
	}
	table_drop_empty(t);
	return t;
}

/* The largest size of each collective that counters were read at. */
static bool is_largest(const struct evidence *e, const struct evidence_row *row)
{
	for (unsigned i = 0; i < e->nrows; i++)
		if (e->rows[i].group == row->group && e->rows[i].variant == row->variant &&
		    e->rows[i].size > row->size)
			return false;
	return true;
}

struct table *tables_busy(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t = TABLE_NEW(
	    "busy", "How busy each device is", {"cell", "cell", "", TABLE_TEXT},
	    {"rank", "rank", "", TABLE_COUNT}, {"busy", "a kernel runs", "", TABLE_SHARE},
	    {"memory_busy", "memory is used", "", TABLE_SHARE},
	    {"sm", "SMs busy", "", TABLE_SHARE},
	    {"pcie_tx_gbs", "PCIe TX", "GB/s", TABLE_NUMBER},
	    {"pcie_rx_gbs", "PCIe RX", "GB/s", TABLE_NUMBER},
	    {"nvlink_tx_gbs", "NVLink TX", "GB/s", TABLE_NUMBER},
	    {"issue_cores", "cores issuing", "", TABLE_NUMBER});
	struct status ignored = {""};
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *row = &e->rows[i];
		const struct summary_group *g = &m->summary.groups[row->group];
		for (unsigned r = 0; r < g->nranks && is_largest(e, row); r++) {
			double x[RANK_FIGURES];
			unsigned blocks;
			if ((int)row->variant != m->summary.reference ||
			    rank_evidence_make(&m->summary, row, r, x, &blocks, &ignored) ||
			    (isnan(x[RANK_BUSY]) && isnan(x[RANK_ISSUE_CORES])))
				continue;
			table_row(t);
			table_text(t, "%s %s", coll_word(&g->cell, g->nranks).text,
			           words_size(g->asked_bytes[row->size]).text);
			TABLE_PUT(t, CELL(r), CELL(x[RANK_BUSY] / 100),
			          CELL(x[RANK_MEMORY_BUSY] / 100), CELL(x[RANK_SM] / 100),
			          CELL(x[RANK_PCIE_TX]), CELL(x[RANK_PCIE_RX]),
			          CELL(x[RANK_NVLINK_TX]), CELL(x[RANK_ISSUE_CORES]));
		}
	}
	table_drop_empty(t);
	return t;
}

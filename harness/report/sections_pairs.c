#include "sections_pairs.h"

#include "../analysis/words.h"
#include "tables.h"

bool sections_has_pairs(const struct model *m)
{
	const struct pairs *p = &m->findings.pairs;
	return p->bytes || p->small_bytes;
}

bool sections_has_links(const struct model *m)
{
	return m->findings.pairs.n && (m->findings.pairs.gpus || sections_has_pairs(m));
}

static void say_texts(struct page *page, const struct pairs *p)
{
	char judged[160];
	for (unsigned i = 0; i < p->ntexts; i++)
		page_item(page, "%s", p->texts[i].text);
	if (p->more)
		page_item(page, "%u more, in the remarks of the tables.", p->more);
	page_end_list(page);
	pairs_judged_say(p, judged, sizeof judged);
	page_say(page, "%s", judged);
}

void sections_write_pairs(struct page *page, const struct model *m)
{
	static const char *const files[] = {"pairs.csv"};
	const struct pairs *p = &m->findings.pairs;
	say_texts(page, p);
	if (page->kind == PAGE_MARKDOWN || page->whole)
		page_table(page, tables_link_classes(m));
	page_table(page, tables_pairs(m));
	page_say(page,
	         "Of %s. Alone: one rank sends to another, and nobody else sends%s%s; "
	         "latency of %s, launching included.",
	         m->summary.variants[p->variant].name, p->bytes ? ", " : "",
	         p->bytes ? words_size(p->bytes).text : "",
	         p->small_bytes ? words_size(p->small_bytes).text : "no size");
	if (p->all_bytes)
		page_say(page,
		         "All at once: alltoall of %s, what the receiver gets of one sender "
		         "until its own end.",
		         words_size(p->all_bytes).text);
	page_say(page,
	         "Slow: the upper quartile is below %.0f %% of the class's median (of %u "
	         "pairs or more) or of the way back, or below the class's range; or p50 is "
	         "more than %.2g times the class's.",
	         100 * PAIRS_SLOW, PAIRS_CLASS, PAIRS_LATE);
	page_table(page, tables_balance(m));
	if (page->kind == PAGE_MARKDOWN)
		page_files(page, "As a file", files, 1);
}

bool sections_has_pingpong(const struct model *m)
{
	return m->findings.pingpong.n > 0;
}

void sections_write_pingpong(struct page *page, const struct model *m)
{
	static const char *const files[] = {"pingpong.csv"};
	const struct pingpong *p = &m->findings.pingpong;
	page_table(page, tables_pingpong(m));
	page_say(page,
	         "One rank sends, the other sends the same back, and nobody else sends. There "
	         "and back: isolated calls of %s, launching included; one way is half of it. "
	         "Back to back: the same size without a pause between two calls, so that "
	         "launching is hidden where it is faster. GB/s: one way%s%s.",
	         p->small_bytes ? words_size(p->small_bytes).text : "no size",
	         p->bytes ? ", " : "", p->bytes ? words_size(p->bytes).text : "");
	if (page->kind == PAGE_TERMINAL && !page->whole)
		return;
	page_table(page, tables_pingpong_stated(m));
	page_say(page,
	         "Measured: least and most over the class's pairs. Expected: from the share of "
	         "the theoretical bandwidth that such links should carry. The hardware's "
	         "latency has no launching in it. Of the T4's ping-pong its source does not "
	         "say whether it is there and back or one way.");
	if (page->kind == PAGE_MARKDOWN)
		page_files(page, "As a file", files, 1);
}

void sections_write_links(struct page *page, const struct model *m)
{
	page_table(page, tables_link_matrix(m));
	page_say(page, "NV ×n: n NVLinks; NVS ×n: n to NVSwitches; PIX: one PCIe switch; NODE: "
	               "one NUMA node; SYS: across nodes; MEM: through host memory, for there "
	               "is no peer access; L3, CPU, QPI: cores with one last-level cache, of a "
	               "socket, across sockets.");
	page_table(page, tables_link_ranks(m));
	if (!sections_has_pairs(m))
		page_table(page, tables_link_classes(m));
	page_table(page, tables_edges(m));
	page_say(page, "%s", m->findings.pairs.why);
}

bool sections_has_ranges(const struct model *m)
{
	return m->findings.ranges.n > 0;
}

void sections_write_ranges(struct page *page, const struct model *m)
{
	const struct ranges *r = &m->findings.ranges;
	for (unsigned i = 0; i < r->ntexts; i++)
		page_item(page, "%s", r->texts[i]);
	page_end_list(page);
	page_table(page, tables_ranges(m));
	page_say(
	    page,
	    "Stream calls. Latency rules while a call takes less than %.2g times the "
	    "smallest size's time; on the plateau bandwidth stays at %.0f %% of the peak or "
	    "above. The mean is over sizes, as nccl-tests prints it: more small sizes, less "
	    "mean.",
	    RANGES_LATENCY, 100 * RANGES_PLATEAU);
	if (page->kind == PAGE_MARKDOWN || page->whole)
		page_table(page, tables_busy(m));
}

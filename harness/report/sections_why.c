#include "sections_why.h"

#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "tables.h"

bool sections_has_paths(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (e->paths[v].transport[0] || e->paths[v].data_path[0])
			return true;
	return false;
}

void sections_write_paths(struct page *p, const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	char common[512];
	struct table *table = tables_paths(m);
	table_drop_common(table, common, sizeof common);
	page_table(p, table);
	if (common[0])
		page_say(p, "Of all variants: %s.", common);
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (e->paths[v].pairs[0])
			page_item(p, "Mixed transport of %s: %s", m->summary.variants[v].name,
			          e->paths[v].pairs);
	page_end_list(p);
	page_say(p,
	         "Links: ordered pairs of ranks by transport, over all channels. The data path "
	         "is that of large sizes: below NCCL's threshold for the LL protocol "
	         "(NCCL_P2P_LL_THRESHOLD bytes for sends and receives) data is staged "
	         "whatever the path.");
	table = tables_acted(m);
	if (table_failed(table) || table_rows(table))
		page_table(p, table);
	else
		table_free(table);
}

bool sections_has_counters(const struct model *m)
{
	return m->findings.evidence.nrows > 0;
}

void sections_write_counters(struct page *p, const struct model *m)
{
	static const char *const files[] = {"evidence.csv"};
	const struct evidence *e = &m->findings.evidence;
	bool links = false, copies = false;
	for (unsigned i = 0; i < e->nrows; i++) {
		links |= isfinite(e->rows[i].dram_per_nvlink);
		copies |= isfinite(e->rows[i].copies);
	}
	page_table(p, tables_counters(m));
	page_say(p, "Per rank over a steady stretch in a pass of its own, median over blocks.");
	if (links)
		page_say(p,
		         "The model, in DRAM bytes per byte sent over NVLink: staged 4 (read, "
		         "slot written, slot read, written), direct 2; alltoall's own part "
		         "adds 2 ÷ (ranks − 1). NVLink bytes are payload, without the links' "
		         "headers. What stays below the model was presumably read from the "
		         "L2 cache.");
	if (copies)
		page_say(p,
		         "The model, in copies for each byte that came from another rank: fifo "
		         "2, direct and shared 1; alltoall's own part adds 1 ÷ (ranks − 1).");
	if (e->missing[0])
		page_say(p, "Missing counters: %s.", e->missing);
	if (p->kind == PAGE_MARKDOWN)
		page_files(p, "By rank", files, 1);
}

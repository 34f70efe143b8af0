/* The tables that say why: paths, counters. */
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "../coll/coll.h"

struct table *tables_paths(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t = TABLE_NEW(
	    "paths", "Path, from the library's own log", {"variant", "variant", "", TABLE_TEXT},
	    {"transport", "transport", "", TABLE_TEXT},
	    {"unexpected", "NOT as expected", "", TABLE_TEXT},
	    {"links", "links", "", TABLE_TEXT}, {"data_path", "data path", "", TABLE_TEXT},
	    {"registered", "registered", "", TABLE_TEXT},
	    {"copy_engine", "copy engine", "", TABLE_TEXT},
	    {"channels", "channels", "", TABLE_TEXT},
	    {"chunk_bytes", "chunk, bytes", "", TABLE_TEXT},
	    {"algorithms", "algorithms", "", TABLE_TEXT},
	    {"launched_ctas", "thread blocks launched", "", TABLE_TEXT},
	    {"why", "how it is known", "", TABLE_TEXT});
	for (unsigned v = 0; v < m->summary.nvariants; v++) {
		const struct evidence_path *p = &e->paths[v];
		if (!p->transport[0] && !p->data_path[0])
			continue;
		TABLE_ROW(t, CELL(m->summary.variants[v].name), CELL(p->transport),
		          CELL(p->unexpected), CELL(p->links), CELL(p->data_path),
		          CELL(p->registered), CELL(p->copy_engine), CELL(p->channels),
		          CELL(p->chunk), CELL(p->algorithms), CELL(p->launched), CELL(p->why));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_acted(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t = TABLE_NEW(
	    "acted", "What the library made of each setting, by its own log",
	    {"variant", "variant", "", TABLE_TEXT}, {"setting", "setting", "", TABLE_TEXT},
	    {"asked", "asked", "", TABLE_TEXT}, {"used", "used", "", TABLE_TEXT},
	    {"act", "what became of it", "", TABLE_TEXT}, {"why", "why", "", TABLE_TEXT});
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		for (unsigned i = 0; i < e->paths[v].nsettings; i++) {
			const struct path_setting *s = &e->paths[v].settings[i];
			TABLE_ROW(t, CELL(m->summary.variants[v].name), CELL(s->key),
			          CELL(s->asked), CELL(s->used), CELL(path_act_name(s->act)),
			          CELL(s->why));
		}
	table_drop_empty(t);
	return t;
}

struct table *tables_counters(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	const struct summary *s = &m->summary;
	struct table *t =
	    TABLE_NEW("counters", "Counters per rank", {"cell", "cell", "", TABLE_TEXT},
	              {"variant", "variant", "", TABLE_TEXT},
	              {"nvlink_tx_gbs", "NVLink TX", "GB/s", TABLE_NUMBER},
	              {"of_limit", "of the limit", "", TABLE_SHARE},
	              {"nvlink_rx_gbs", "NVLink RX", "GB/s", TABLE_NUMBER},
	              {"dram_gbs", "DRAM", "GB/s", TABLE_NUMBER},
	              {"dram_of_peak", "of its peak", "", TABLE_SHARE},
	              {"dram_per_nvlink", "DRAM bytes per NVLink byte", "", TABLE_NUMBER},
	              {"model", "by the model", "", TABLE_NUMBER},
	              {"model_direct", "model, direct", "", TABLE_NUMBER},
	              {"model_staged", "model, staged", "", TABLE_NUMBER},
	              {"cached", "below the model", "", TABLE_NUMBER},
	              {"sm_busy", "SMs busy", "", TABLE_SHARE},
	              {"pcie_tx_gbs", "PCIe TX", "GB/s", TABLE_NUMBER},
	              {"copies", "copies per byte", "", TABLE_NUMBER},
	              {"copies_model", "by the model", "", TABLE_NUMBER},
	              {"issue_cores", "cores issuing", "", TABLE_NUMBER},
	              {"blocks", "blocks", "", TABLE_COUNT});
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *row = &e->rows[i];
		const struct summary_group *g = &s->groups[row->group];
		/* One figure where the path is known, else both. */
		bool known = !isnan(row->model);
		const double numbers[] = {
		    row->nvlink_tx_gbs, row->limit_share,          row->nvlink_rx_gbs,
		    row->dram_gbs,      row->dram_share,           row->dram_per_nvlink,
		    row->model,         known ? NAN : row->direct, known ? NAN : row->staged,
		    row->cached,        row->sm_percent / 100,     row->pcie_tx_gbs,
		    row->copies,        row->copies_model,         row->issue_cores};
		table_row(t);
		table_text(t, "%s %s", coll_info(g->cell.coll)->name,
		           words_size(g->asked_bytes[row->size]).text);
		TABLE_PUT(t, CELL(s->variants[row->variant].name));
		for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
			TABLE_PUT(t, CELL(numbers[n]));
		TABLE_PUT(t, CELL(row->blocks));
	}
	table_drop_empty(t);
	return t;
}

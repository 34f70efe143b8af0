/* What bandwidth is compared with: the tables crossed and reached. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "../analysis/networks.h"
#include "../texts.h"
#include "figures.h"

/* What links carry in both directions as busbw's factors assume. */
static bool is_bounded(enum coll_kind coll)
{
	const unsigned others = COLL_PSEUDO | COLL_PAIRS | COLL_LOCAL | COLL_TRAINS | COLL_ROUTED |
	                        COLL_STEP_PART | COLL_RAW;
	return !(coll_info(coll)->is & others);
}

struct figures_joined figures_joined_of(struct db *db, struct arena *arena, struct status *st)
{
	static const struct db_source asked = {
	    .file = "harness/chapters/figures_bandwidth.c",
	    .sql = "WITH d AS (SELECT d.*, kind, "
	           "row_number() OVER (ORDER BY iif(kind = 'PCIe', pcie_gbs, nvlinks), rank) nth, "
	           "row_number() OVER (ORDER BY pcie_gbs, rank) narrow FROM device d, "
	           "(SELECT kind FROM ranks_joined)) "
	           "SELECT j.kind, all_gbs, next_gbs, j.pcie_gbs, d.gen_max, d.width_max, "
	           "d.nvlinks, d.nvlink_gbs, n.gen_max, n.width_max FROM ranks_joined j "
	           "LEFT JOIN d ON d.nth = 1 LEFT JOIN d n ON n.narrow = 1"};
	struct figures_joined out = {"", NAN, NAN, NAN, "", ""};
	struct db_rows *rows = db_ask(db, &asked, st);
	if (rows && db_next(rows)) {
		const double nvlinks = db_real(rows, 6), nvlink_gbs = db_real(rows, 7);
		const char *kind = out.kind = arena_copy(arena, db_text(rows, 0));
		const bool pcie = !strcmp(kind, "PCIe"), switches = !strcmp(kind, "NVSwitch");
		out.all_gbs = db_real(rows, 1);
		out.next_gbs = db_real(rows, 2);
		out.pcie_gbs = db_real(rows, 3);
		if (pcie && !isnan(out.pcie_gbs))
			out.text =
			    arena_text(arena, "PCIe %g ×%g", db_real(rows, 4), db_real(rows, 5));
		if ((switches || !strcmp(kind, "NVLink")) && !isnan(nvlink_gbs))
			out.text =
			    arena_text(arena, "%g NVLinks of %g GB/s%s", nvlinks,
			               nvlink_gbs / nvlinks, switches ? " to NVSwitches" : "");
		if (!isnan(db_real(rows, 3)))
			out.memory = arena_text(arena, "PCIe %g ×%g to the host's memory",
			                        db_real(rows, 8), db_real(rows, 9));
	}
	if (rows)
		db_end(rows, st);
	return out;
}

double figures_line_gbs(const struct figures_joined *of, enum coll_kind coll, unsigned nranks,
                        bool adds)
{
	const bool to_one = !(coll_info(coll)->is & (COLL_CHOSEN | COLL_PARTED)),
	           nvlink = !strcmp(of->kind, "NVLink");
	double gbs = NAN;
	if (!strcmp(of->kind, "PCIe"))
		gbs = of->pcie_gbs;
	else if (!strcmp(of->kind, "NVSwitch") || (nvlink && coll == COLL_SENDRECV))
		gbs = of->next_gbs;
	else if (nvlink && !to_one) /* which rank each of the others sends to is not known here */
		gbs = of->all_gbs;
	return adds && coll == COLL_ALL_REDUCE ? gbs * 2 * (nranks - 1) / nranks : gbs;
}

/* Of a row of `asked`. Within hosts data may go another way than between them. */
static void put_crossed(const struct figures *f, const struct figures_joined *links,
                        const struct db_rows *row)
{
	const unsigned v = (unsigned)db_real(row, 0);
	const struct record_variant *of = &f->run->variants[v];
	const char *by = db_text(row, 3), *net = strstr(db_text(row, 4), "NET/"),
	           *algorithm = db_text(row, 5), *text = links->text;
	const unsigned hosts = of->known ? settings_hosts(&of->settings) : 1;
	const enum coll_kind coll = (enum coll_kind)db_real(row, 2);
	struct networks cards = {.text = NULL};
	double gbs = NAN;
	if (hosts > 1) {
		cards = networks_of(f->run, of->name, net ? net : by, f->arena);
		gbs = networks_rate(&cards, coll, !strncasecmp(algorithm, "CollNet", 7));
		text = cards.text;
	} else if (!record_traits(f->run, of->name)->gpus || !strcmp(by, "mixed")) {
		text = NULL;
	} else if (!strncmp(by, "SHM", 3) || !strncmp(by, "NET", 3)) {
		gbs = links->pcie_gbs;
		text = links->memory;
	} else {
		gbs = figures_line_gbs(links, coll, (unsigned)db_real(row, 6),
		                       !strncasecmp(algorithm, "NVLS", 4));
	}
	db_add(f->db, "crossed", "iiittdt", v, (unsigned)db_real(row, 1),
	       cards.hosts ? cards.hosts : hosts, links->text, text, gbs, cards.why);
}

static int put_bandwidth(const struct figures *f, struct status *st)
{
	static const struct db_source asked = {
	    .file = "harness/chapters/figures_bandwidth.c",
	    .sql = "SELECT way.variant, p.id, coll_nth, transport, mixed, coalesce(algorithm, ''), "
	           "(SELECT ranks FROM place WHERE id = 0) FROM way CROSS JOIN place p CROSS JOIN "
	           "given LEFT JOIN choice c ON c.variant = way.variant AND c.place = p.id "
	           "WHERE data AND trouble IS NULL AND NOT is_limit AND pace = 'stream' AND whole "
	           "ORDER BY 1, 2"};
	const struct figures_joined links = figures_joined_of(f->db, f->arena, st);
	struct db_rows *rows = db_ask(f->db, &asked, st);
	while (rows && db_next(rows))
		if (is_bounded((enum coll_kind)db_real(rows, 2)))
			put_crossed(f, &links, rows);
	return rows ? db_end(rows, st) : -1;
}

/* Within a cell of the table a semicolon stands for a comma. */
static void put_reached(const struct figures *f)
{
	const char *table = texts_find("results/reference/bandwidth.csv");
	char *rest = ARENA_ARRAY(f->arena, char, strlen(table) + 1), *line;
	strcpy(rest, table);
	for (strsep(&rest, "\n"); (line = strsep(&rest, "\n")) && *line;) {
		const char *of[15];
		for (unsigned i = 0; i < 15; i++) {
			char *cell = strsep(&line, ","), *at = cell;
			while ((at = strchr(at, ';')))
				*at = ',';
			of[i] = cell;
		}
		db_add(f->db, "reached", "ttttttttttttttt", of[0], of[1], of[2], of[3], of[4],
		       of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13], of[14]);
	}
}

int figures_of_bandwidth(const struct figures *f, struct status *st)
{
	put_reached(f);
	return put_bandwidth(f, st);
}

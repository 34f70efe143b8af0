/* What bandwidth is compared with: the tables crossed and reached. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "../analysis/networks.h"
#include "../analysis/rank_links.h"
#include "../texts.h"
#include "figures.h"

/* What links carry in both directions as busbw's factors assume. */
static bool is_bounded(const struct summary *s, const struct summary_group *g)
{
	const unsigned others = COLL_PSEUDO | COLL_PAIRS | COLL_LOCAL | COLL_TRAINS | COLL_ROUTED |
	                        COLL_STEP_PART | COLL_RAW;
	return s->carries_data && !s->trouble.wrong && !g->limit && g->cell.pace == PACE_STREAM &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks) &&
	       !(coll_info(g->cell.coll)->is & others);
}

/* Of a row of `asked`. Within hosts data may go another way than between them. */
static void put_crossed(const struct figures *f, const struct rank_links *links,
                        const struct db_rows *row)
{
	const unsigned v = (unsigned)db_real(row, 0), group = (unsigned)db_real(row, 2);
	const struct summary_variant *of = &f->s->variants[v];
	const char *by = db_text(row, 3), *net = strstr(db_text(row, 4), "NET/"),
	           *algorithm = db_text(row, 5), *joined = rank_links_text(links, f->arena),
	           *text = joined;
	const unsigned hosts = of->settings ? settings_hosts(of->settings) : 1;
	const enum coll_kind coll = f->s->groups[group].cell.coll;
	struct networks cards = {.text = NULL};
	double gbs = NAN;
	if (hosts > 1) {
		cards = networks_of(f->s, v, net ? net : by, f->arena);
		gbs = networks_rate(&cards, coll, !strncasecmp(algorithm, "CollNet", 7));
		text = cards.text;
	} else if (!of->traits->gpus || !strcmp(by, "mixed")) {
		text = NULL;
	} else if (!strncmp(by, "SHM", 3) || !strncmp(by, "NET", 3)) {
		gbs = rank_links_memory_rate(links);
		text = rank_links_memory_text(links, f->arena);
	} else {
		gbs = rank_links_rate(links, coll, !strncasecmp(algorithm, "NVLS", 4));
	}
	db_add(f->db, "crossed", "iiittdt", v, (unsigned)db_real(row, 1), hosts, joined, text, gbs,
	       cards.why);
}

static int put_bandwidth(const struct figures *f, struct status *st)
{
	static const struct db_source asked = {
	    .file = "harness/chapters/figures_bandwidth.c",
	    .sql = "SELECT way.variant, place.id, grp, transport, mixed, coalesce(algorithm, '') "
	           "FROM way CROSS JOIN place LEFT JOIN choice c ON c.variant = way.variant "
	           "AND c.place = place.id ORDER BY 1, 2"};
	const struct rank_links links = rank_links_make(f->s, f->arena);
	struct db_rows *rows = db_ask(f->db, &asked, st);
	while (rows && db_next(rows))
		if (is_bounded(f->s, &f->s->groups[(unsigned)db_real(rows, 2)]))
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

/* The evidence on stdout, in short: a table per collective that was counted, a row per variant.
 * All of it is in report.md. */
#include <math.h>
#include <string.h>

#include "bysize.h"
#include "report_parts.h"

#define MOST_TABLES 3 /* beyond that counters are in report.md alone */

enum {
	VARIANT,
	CELL,
	TRANSPORT,
	EXPECTED,
	DATA_PATH,
	REGISTERED,
	NVLINK,
	PER_NVLINK,
	MODEL,
	NCOLUMNS
};

static const char *const heads[NCOLUMNS] = {"variant",     "cell",        "transport",
                                            "expected",    "data path",   "registered",
                                            "NVLink GB/s", "DRAM÷NVLink", "model"};

/* Texts of one row; "" where there is nothing to say. */
struct line {
	char text[NCOLUMNS][64];
};

/* Other counters, as the host's copies, are in report.md alone. */
static bool is_shown(const struct evidence_row *row)
{
	return isfinite(row->nvlink_tx_gbs) || isfinite(row->dram_per_nvlink);
}

/* The variant's row at the largest size with counters of a group, or NULL. */
static const struct evidence_row *largest(const struct evidence *e, unsigned variant, unsigned group)
{
	const struct evidence_row *found = NULL;
	for (unsigned i = 0; i < e->nrows; i++)
		if (e->rows[i].variant == variant && e->rows[i].group == group &&
		    is_shown(&e->rows[i]))
			found = &e->rows[i]; /* sizes ascend */
	return found;
}

static void put_number(double x, char *text, size_t bytes)
{
	if (isfinite(x))
		bysize_number(x, text, bytes);
}

static struct line line_of(const struct summary *s, const struct evidence *e, unsigned variant,
                           const struct evidence_row *row)
{
	const struct evidence_path *p = &e->paths[variant];
	struct line l = {0};
	size_t bytes = sizeof l.text[0];
	snprintf(l.text[VARIANT], bytes, "%s", s->variants[variant].name);
	snprintf(l.text[TRANSPORT], bytes, "%.63s", p->transport);
	if (p->astray[0])
		snprintf(l.text[EXPECTED], bytes, "NOT %.59s", p->astray);
	snprintf(l.text[DATA_PATH], bytes, "%s", p->data_path);
	/* Without the reason. */
	snprintf(l.text[REGISTERED], bytes, "%.*s", (int)strcspn(p->registered, ":"),
	         p->registered);
	if (!row)
		return l;
	const struct summary_group *g = &s->groups[row->group];
	char label[32];
	coll_size_label(g->asked_bytes[row->size], label, sizeof label);
	snprintf(l.text[CELL], bytes, "%s %s", coll_info(g->cell.coll)->name, label);
	put_number(row->nvlink_tx_gbs, l.text[NVLINK], bytes);
	put_number(row->dram_per_nvlink, l.text[PER_NVLINK], bytes);
	put_number(row->model, l.text[MODEL], bytes);
	return l;
}

/* Which lines there are: a function of each, in the order in which they are printed. */
typedef void line_fn(const struct line *line, void *context);

/* `group` is s->ngroups where no counters are shown. */
static void lines_each(const struct summary *s, const struct evidence *e, unsigned group,
                       line_fn *fn, void *context)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct evidence_row *row = largest(e, v, group);
		struct line l = line_of(s, e, v, row);
		if (s->variants[v].role != ROLE_LIMIT &&
		    (row || l.text[TRANSPORT][0] || l.text[DATA_PATH][0]))
			fn(&l, context);
	}
}

/* What the lines have between them: the columns that say something, and the one cell of all. */
struct shape {
	bool has[NCOLUMNS], cells_differ;
	char cell[64];
	unsigned lines;
	struct grid *table;
};

static void look(const struct line *l, void *context)
{
	struct shape *shape = context;
	const char *cell = l->text[CELL];
	shape->lines++;
	for (unsigned i = 0; i < NCOLUMNS; i++)
		shape->has[i] |= l->text[i][0] != '\0';
	if (cell[0] && !shape->cell[0])
		snprintf(shape->cell, sizeof shape->cell, "%s", cell);
	shape->cells_differ |= cell[0] && strcmp(cell, shape->cell);
}

static void put(const struct line *l, void *context)
{
	const struct shape *shape = context;
	unsigned column = 0;
	grid_row(shape->table);
	for (unsigned i = 0; i < NCOLUMNS; i++)
		if (shape->has[i])
			grid_put(shape->table, column++, "%s%s", i ? "" : "  ",
			          l->text[i][0] ? l->text[i] : "-");
}

static void print_one(const struct summary *s, const struct evidence *e, unsigned group)
{
	struct shape shape = {.lines = 0};
	struct line head = {0};
	unsigned columns = 0, left = 0;
	lines_each(s, e, group, look, &shape);
	if (!shape.lines)
		return;
	shape.has[CELL] = shape.cells_differ;
	for (unsigned i = 0; i < NCOLUMNS; i++) {
		columns += shape.has[i];
		left += i < NVLINK && shape.has[i];
		snprintf(head.text[i], sizeof head.text[i], "%s", heads[i]);
	}
	if (group < s->ngroups)
		printf("path and counters of %s (NVLink: what a rank sends):\n",
		       shape.cells_differ ? coll_info(s->groups[group].cell.coll)->name
		                          : shape.cell);
	else
		printf("path:\n");
	shape.table = grid_new(columns, left);
	put(&head, &shape);
	lines_each(s, e, group, put, &shape);
	grid_text(shape.table, stdout, PRINT_WIDTH);
	grid_free(shape.table);
	printf("\n");
}

/* Whether variants have counters there; the limit's own do not count. */
static bool has_counters(const struct summary *s, const struct evidence *e, unsigned group)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].role != ROLE_LIMIT && largest(e, v, group))
			return true;
	return false;
}

static void print_mixed(const struct summary *s, const struct evidence *e)
{
	char lead[TRIAL_NAME_BYTES + 16];
	bool any = false;
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!e->paths[v].pairs[0])
			continue;
		snprintf(lead, sizeof lead, "mixed path of %s: ", s->variants[v].name);
		print_wrapped(lead, e->paths[v].pairs);
		any = true;
	}
	fputs(any ? "\n" : "", stdout);
}

void print_evidence(const struct summary *s, const struct evidence *e)
{
	unsigned counted = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		counted += has_counters(s, e, g);
	if (!counted || counted > MOST_TABLES)
		print_one(s, e, s->ngroups);
	for (unsigned g = 0; g < s->ngroups && counted <= MOST_TABLES; g++)
		if (has_counters(s, e, g))
			print_one(s, e, g);
	print_mixed(s, e);
}

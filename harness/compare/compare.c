#include "compare.h"

#include "../arena.h"
#include "../report/export.h"
#include "../report/json.h"
#include "../report/output.h"
#include "../data/verdict_text.h"
#include "../texts.h"
#include "combine.h"
#include "side.h"
#include "unpaired.h"

/* --- the command line -------------------------------------------------------------------- */

static const char *const formats[] = {"text", "json", "markdown", NULL};

#define AT(MEMBER) offsetof(struct compare_request, MEMBER)

// clang-format off
static const struct field options[] = {
    {"--combine", FIELD_FLAG, AT(combine), .help = "two runs as repetitions too"},
    {"--threshold", FIELD_PERCENT, AT(margin), .hi = 10000, .value = "2%", .help = "what counts as a difference"},
    {"--variant", FIELD_OWN, AT(variant), TRIAL_NAME_BYTES, .read = options_borrow, .value = "NAME", .otherwise = "from their layout", .help = "the variant that nccl-tests' files are of"},
    {"--format", FIELD_WORD, AT(form), .words = formats, .otherwise = "text", .help = "json: every table as one JSON object (results/README.md); markdown: the page"},
    {"--junit", FIELD_OWN, AT(junit), .read = options_borrow, .value = "FILE", .help = "of two: a test case for each verdict and size, as JUnit's XML; slower is a failure"},
    {"--html", FIELD_OWN, AT(html), .read = options_borrow, .value = "FILE", .help = "the page, what differs first: one file, to send and print"},
};
// clang-format on

const struct fields compare_options = FIELDS_OF(options, struct compare_request);

static int check_request(const struct compare_request *r, struct status *st)
{
	if (r->npaths < 2)
		return status_set(st, "compare wants two results: folders of runs, or JSON of "
		                      "nccl-tests; with three or more runs it combines them");
	if (r->combine && r->junit)
		return status_set(st, "--junit is of two results; more runs are combined");
	if (r->combine && r->variant)
		return status_set(st, "--variant names nccl-tests' files; only runs are combined");
	return 0;
}

int compare_parse(int argc, char *argv[], struct compare_request *out, struct status *st)
{
	struct compare_request request = {.margin = COMPARE_MARGIN};
	for (int i = 2, taken; i < argc; i += taken) {
		taken = options_take(&compare_options, argv, i, &request, st);
		if (taken < 0)
			return -1;
		if (taken)
			continue;
		taken = 1;
		if (argv[i][0] == '-' || request.npaths == COMPARE_MOST) {
			struct suggestion guess = suggest_for(argv[i]);
			options_offer(&compare_options, &guess);
			return status_set(
			    st,
			    "compare: '%.200s' is not understood%s; allowed are two results or up "
			    "to %d, and options (`launchgap compare --help`)",
			    argv[i], suggestion_text(&guess).text, COMPARE_MOST);
		}
		request.paths[request.npaths++] = argv[i];
	}
	request.combine |= request.npaths > 2;
	if (check_request(&request, st))
		return -1;
	*out = request;
	return 0;
}

#define CHAPTER "harness/compare/compare.chapter"

struct comparison {
	struct arena *arena;
	struct side left, right;
	double margin;
	struct db *db;
	bool moved; /* the limit differs: the machine changed, and all else is undecided */
	bool worse; /* B is slower somewhere */
};

/* --- ratios and verdicts of cells -------------------------------------------------------- */

/* A pair over all of its sizes, nth 0, or at one: the logarithms of its times, one a trial. */
struct judged {
	unsigned pair, nth;
	size_t bytes;
	bool counted;
	double *logs[2]; /* of A and B */
	unsigned n[2];
};

/* Shift of log times, converted back to a ratio: time of A ÷ time of B, above 1 is faster. */
static struct stats_ratio ratio_of(struct arena *arena, const double *left, unsigned nleft,
                                   const double *right, unsigned nright)
{
	struct unpaired shift =
	    unpaired_shift(arena, left, nleft, right, nright, VERDICT_CONFIDENCE);
	/* With this many trials on each side the interval would be as wide. */
	double both = nleft + nright ? 2.0 * nleft * nright / (nleft + nright) : 0;
	return (struct stats_ratio){.estimate = exp(shift.shift),
	                            .lo = exp(shift.lo),
	                            .hi = exp(shift.hi),
	                            .blocks = both < 2 ? 2 : (unsigned)lround(both),
	                            .confidence = shift.confidence};
}

static void put_judged(struct comparison *c, const struct judged *j)
{
	const unsigned nleft = j->n[0], nright = j->n[1], nth = j->nth;
	const struct stats_ratio ratio = ratio_of(c->arena, j->logs[0], nleft, j->logs[1], nright);
	const bool open = c->moved && j->counted;
	struct verdict v = verdict_of(ratio, c->margin);
	const enum verdict_kind kind = open ? VERDICT_UNDECIDED : v.kind;
	char words[VERDICT_TEXT_BYTES];
	if (!nth) {
		v.kind = kind;
		if (isnan(ratio.lo))
			v.more_blocks = unpaired_lacks(c->arena, nleft, nright, VERDICT_CONFIDENCE);
		v.more_blocks = open ? 0 : v.more_blocks; /* none would help */
		c->moved |= !j->counted && verdict_effect(&v);
		c->worse |= j->counted && verdict_beyond(&v) < 0;
	}
	verdict_text(&v, words, sizeof words);
	db_add(c->db, "judged", "iilddrtttiddiii", j->pair, nth, j->bytes,
	       nth ? exp(stats_median(j->logs[0], nleft)) : NAN,
	       nth ? exp(stats_median(j->logs[1], nright)) : NAN, ratio, verdict_word(kind),
	       verdict_word(v.kind), words, v.more_blocks, v.detectable,
	       verdict_wide_margin(&ratio), verdict_scatters(&ratio, c->margin, VERDICT_BOTH_ENDS),
	       nleft, nright);
}

/* The limit's pairs first: if one of them differs, all others are undecided. */
static int judge_all(struct comparison *c, struct status *st)
{
	static const char query[] =
	    "SELECT pair, nth, asked_bytes, counted, side = 'B', x FROM log "
	    "ORDER BY counted, pair, nth, side, block";
	struct db_rows *rows = side_ask(c->arena, c->db, query);
	struct judged *all = NULL;
	unsigned n = 0;
	while (db_next(rows)) {
		const unsigned pair = (unsigned)db_real(rows, 0), nth = (unsigned)db_real(rows, 1),
		               side = db_real(rows, 4) > 0;
		if (!n || all[n - 1].pair != pair || all[n - 1].nth != nth) {
			all = arena_more(c->arena, all, n, sizeof *all);
			all[n++] = (struct judged){.pair = pair,
			                           .nth = nth,
			                           .bytes = (size_t)db_real(rows, 2),
			                           .counted = db_real(rows, 3) > 0};
		}
		struct judged *j = &all[n - 1];
		j->logs[side] =
		    arena_more(c->arena, j->logs[side], j->n[side], sizeof *j->logs[side]);
		j->logs[side][j->n[side]++] = db_real(rows, 5);
	}
	if (db_end(rows, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		put_judged(c, &all[i]);
	return 0;
}

/* --- what they say ----------------------------------------------------------------------- */

// clang-format off
static const struct compared_section sections[] = {
    {"Differences", "verdicts", "WHERE part = 'different' ORDER BY speed, rowid", "None is decided.", 12, .in_short = true},
    {NULL, "cells", "WHERE part = 'different' ORDER BY first, rowid", .kinds = true},
    {"Undecided", "verdicts", .where = "WHERE part = 'undecided'"},
    {NULL, "cells", "WHERE part = 'undecided' ORDER BY first, rowid", .kinds = true},
    {"The same", "verdicts", .where = "WHERE part = 'no difference'"},
    {NULL, "cells", "WHERE part = 'no difference' ORDER BY first, rowid", .kinds = true},
    {"The machine's limit, not counted", "verdicts", .where = "WHERE part = 'limit'"},
    {NULL, "cells", "WHERE part = 'limit' ORDER BY first, rowid", .kinds = true},
    {"Could not be compared", "notes", "WHERE part = 'apart'", .in_short = true, .items = true},
    {"The two sides", "sides", .where = "WHERE fact <> 'result'"},
    {NULL, "notes", "WHERE part = 'known'", .items = true},
    {.says = true},
    {.table = NULL}};
// clang-format on
static const char *const tables[] = {"answer", "verdicts", "cells", "sides", "notes", NULL};

static int tell(struct comparison *c, struct compared *t, struct status *st)
{
	t->db = c->db;
	t->title =
	    compared_text(t, "SELECT iif(a = b AND a <> '', a || ': ', '') || 'B compared with A' "
	                     "FROM fact WHERE name = 'experiment'");
	db_add(c->db, "given", "dtit", c->margin, arena_text(c->arena, "%.3g %%", c->margin * 100),
	       VERDICT_MOST_MORE, t->refused);
	t->links = true;
	t->sections = sections;
	t->tables = tables;
	return compared_tell(t, CHAPTER, texts_find(CHAPTER), st);
}

/* --- whether the two are comparable ------------------------------------------------------ */

static int check_comparable(const struct compared *t, struct status *st)
{
	const char *why = compared_text(t, "SELECT why FROM refused");
	return why ? status_set(st, "%s", why) : 0;
}

/* A variant that runs on one side and fails on the other is not equal, and must not pass as
 * equal. */
static const char failed[] =
    "SELECT variant || ' has no time in ' || side || ': all of its trials failed' || "
    "iif(why = '', '', ': ' || why) FROM absent a WHERE failed AND EXISTS "
    "(SELECT 1 FROM series s WHERE s.variant = a.variant AND s.side <> a.side) "
    "ORDER BY side, rowid";

static int conclude(const struct comparison *c, const struct compared *t, struct status *st)
{
	const char *why = c->worse ? NULL : compared_text(t, failed);
	if (why)
		status_set(st, "%s", why);
	return c->worse   ? COMPARE_WORSE
	       : why      ? COMPARE_NOT_DONE
	       : c->moved ? COMPARE_MOVED
	                  : COMPARE_NOT_WORSE;
}

/* --- what is written --------------------------------------------------------------------- */

/* If JSON cannot be written, the arena's work ends. */
static void print(const struct compare_request *r, const struct compared *t)
{
	FILE *out = r->out ? r->out : stdout;
	if (r->form != COMPARE_JSON) {
		compared_page(t, r->form == COMPARE_TEXT ? PAGE_TERMINAL : PAGE_MARKDOWN, true,
		              out);
		return;
	}
	json_t *all =
	    json_keep(t->arena, json_pack("{s:i, s:o}", "schema", 1, "tables", compared_tables(t)));
	arena_need(t->arena,
	           all && !json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF);
}

/* A file takes its name once it is complete. A summary that cannot be written is only said. */
static int write_files(const struct compare_request *r, const struct compared *t, struct status *st)
{
	const struct arena_stream *text = arena_stream(t->arena);
	compared_page(t, PAGE_MARKDOWN, false, text->out);
	if (r->summary && *r->summary)
		output_append(r->summary, arena_written(t->arena, text));
	if (r->junit &&
	    export_lines(t->arena, t->db, "SELECT line FROM junit ORDER BY rowid", r->junit, st))
		return -1;
	struct output *file = r->html ? output_open_named(t->arena, r->html, st) : NULL;
	if (file)
		compared_page(t, PAGE_HTML, true, file->out);
	return file ? output_close(file, 0, st) : r->html ? -1 : 0;
}

/* --- all of it --------------------------------------------------------------------------- */

struct comparing {
	const struct compare_request *request;
	struct status *st;
};

static int load(struct comparison *c, const struct compare_request *r, struct status *st)
{
	struct side *a = &c->left, *b = &c->right;
	*a = (struct side){.arena = c->arena, .db = c->db, .letter = "A", .path = r->paths[0]};
	*b = (struct side){.arena = c->arena, .db = c->db, .letter = "B", .path = r->paths[1]};
	const int rc = source_load(a, r->variant, st) || source_load(b, r->variant, st);
	side_end(a);
	side_end(b);
	if (rc)
		return -1;
	if (r->variant && a->is_record && b->is_record)
		return status_set(st, "--variant names nccl-tests' files; both results are runs");
	return judge_all(c, st);
}

/* A compare_code; -1: nothing can be said. */
static int compare_two(const struct compare_request *r, struct compared *t, struct status *st)
{
	struct comparison c = {.arena = t->arena, .margin = r->margin, .db = db_open(t->arena)};
	t->db = c.db;
	if (db_run_text(c.db, "harness/compare/sides.sql", st) ||
	    db_run_text(c.db, "harness/compare/compared.sql", st))
		return -1;
	if (load(&c, r, st) || check_comparable(t, st))
		t->refused = side_plain(t->arena, st->text); /* it may quote a file */
	if (tell(&c, t, st))
		return -1;
	return t->refused ? COMPARE_NOT_DONE : conclude(&c, t, st);
}

static int compare(struct arena *arena, void *of)
{
	const struct comparing *x = of;
	const struct compare_request *r = x->request;
	const char *paths[COMPARE_MOST];
	struct compared t = {.arena = arena, .paths = paths, .npaths = r->npaths};
	memcpy(paths, r->paths, sizeof paths);
	const int code =
	    r->combine ? combine_runs(&t, r->margin, x->st) : compare_two(r, &t, x->st);
	for (unsigned i = 0; i < t.npaths; i++)
		paths[i] = side_plain(arena, paths[i]);
	if (code < 0)
		return COMPARE_NOT_DONE;
	if (!t.refused)
		print(r, &t);
	return write_files(r, &t, x->st) || t.refused ? COMPARE_NOT_DONE : code;
}

int compare_run(const struct compare_request *request, struct status *st)
{
	struct comparing x = {request, st};
	const int code = arena_work(compare, &x, "the comparison", st);
	return code < 0 ? COMPARE_NOT_DONE : code;
}

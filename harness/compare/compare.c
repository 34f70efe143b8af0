#include "compare.h"

#include <stddef.h>
#include <string.h>

#include "../arena.h"
#include "../analysis/pooled.h"
#include "../report/export.h"
#include "../report/html.h"
#include "../report/json.h"
#include "../report/output.h"
#include "combine.h"
#include "comparison.h"

/* --- the command line -------------------------------------------------------------------- */

static const char *const formats[] = {"text", "json", "markdown", NULL};

#define AT(MEMBER) offsetof(struct compare_request, MEMBER)

// clang-format off
static const struct field rows[] = {
    {"--combine", FIELD_FLAG, AT(combine), .help = "two runs as repetitions too"},
    {"--threshold", FIELD_PERCENT, AT(margin), .hi = 10000, .value = "2%", .help = "what counts as a difference"},
    {"--variant", FIELD_OWN, AT(variant), TRIAL_NAME_BYTES, .read = options_borrow, .value = "NAME", .otherwise = "from their layout", .help = "the variant that nccl-tests' files are of"},
    {"--format", FIELD_WORD, AT(form), .words = formats, .otherwise = "text", .help = "json: every table as one JSON object (results/README.md); markdown: the page"},
    {"--junit", FIELD_OWN, AT(junit), .read = options_borrow, .value = "FILE", .help = "of two: a test case for each verdict and size, as JUnit's XML; slower is a failure"},
    {"--html", FIELD_OWN, AT(html), .read = options_borrow, .value = "FILE", .help = "the page, what differs first: one file, to send and print"},
};
// clang-format on

const struct fields compare_options = FIELDS_OF(rows, struct compare_request);

/* The next result; false: there are too many. */
static bool add_path(struct compare_request *r, const char *path)
{
	if (r->nothers == COMPARE_OTHERS)
		return false;
	*(!r->left ? &r->left : !r->right ? &r->right : &r->others[r->nothers++]) = path;
	return true;
}

static int check_request(const struct compare_request *r, struct status *st)
{
	if (!r->right)
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
		if (argv[i][0] == '-' || !add_path(&request, argv[i])) {
			struct suggestion guess = suggest_for(argv[i]);
			options_offer(&compare_options, &guess);
			return status_set(st,
			                  "compare: '%.200s' is not understood%s; allowed are "
			                  "two results or up to %d, and options (`launchgap "
			                  "compare --help`)",
			                  argv[i], suggestion_text(&guess).text,
			                  2 + COMPARE_OTHERS);
		}
	}
	request.combine |= request.nothers > 0;
	if (check_request(&request, st))
		return -1;
	*out = request;
	return 0;
}

/* --- whether the two are comparable ------------------------------------------------------ */

static int check_comparable(const struct comparison *c, const struct told *t, struct status *st)
{
	if (strcmp(c->left.manner, c->right.manner))
		return status_set(st,
		                  "not the same kind of call: nccl-tests' options are "
		                  "'%s' in A and '%s' in B, and calls back to back have "
		                  "none of -m, -z, -G, -I",
		                  c->left.manner, c->right.manner);
	return c->counted ? 0 : status_set(st, "%s", told_text(t, "SELECT why FROM refused"));
}

/* A variant that runs on one side and fails on the other is not equal, and must not pass as
 * equal. */
static const char failed[] =
    "SELECT variant || ' has no time in ' || side || ': all of its trials failed' || "
    "iif(why = '', '', ': ' || why) FROM absent a WHERE failed AND EXISTS "
    "(SELECT 1 FROM series s WHERE s.variant = a.variant AND s.side <> a.side) "
    "ORDER BY side, rowid";

static int conclude(const struct comparison *c, const struct told *t, struct status *st)
{
	const char *why = c->worse ? NULL : told_text(t, failed);
	if (why)
		status_set(st, "%s", why);
	return c->worse   ? COMPARE_WORSE
	       : why      ? COMPARE_NOT_DONE
	       : c->moved ? COMPARE_MOVED
	                  : COMPARE_NOT_WORSE;
}

/* --- what is written --------------------------------------------------------------------- */

/* If JSON cannot be written, the arena's work ends. */
static void print(const struct compare_request *r, const struct told *t)
{
	FILE *out = r->out ? r->out : stdout;
	if (r->form != COMPARE_JSON) {
		struct page page = {.kind = r->form == COMPARE_TEXT ? PAGE_TERMINAL : PAGE_MARKDOWN,
		                    .out = out,
		                    .arena = t->arena,
		                    .whole = true};
		told_page(&page, t);
		return;
	}
	json_t *all =
	    json_keep(t->arena, json_pack("{s:i, s:o}", "schema", 1, "tables", told_tables(t)));
	arena_need(t->arena,
	           all && !json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF);
}

static const char *page_of(const struct told *t, bool whole)
{
	const struct arena_stream *text = arena_stream(t->arena);
	struct page page = {
	    .kind = PAGE_MARKDOWN, .out = text->out, .arena = t->arena, .whole = whole};
	told_page(&page, t);
	return arena_written(t->arena, text);
}

/* A file takes its name once it is complete. A summary that cannot be written is only said. */
static int write_files(const struct compare_request *r, const struct told *t, struct status *st)
{
	struct output *file;
	if (r->summary && *r->summary)
		output_append(r->summary, page_of(t, false));
	if (r->junit &&
	    export_lines(t->arena, t->db, "SELECT line FROM junit ORDER BY rowid", r->junit, st))
		return -1;
	if (!r->html)
		return 0;
	file = output_open_named(t->arena, r->html, st);
	return file ? output_close(file, html_write(page_of(t, true), "", t->title, file->out, st),
	                           st)
	            : -1;
}

/* --- all of it --------------------------------------------------------------------------- */

struct comparing {
	const struct compare_request *request;
	struct status *st;
};

static int load(struct comparison *c, const struct compare_request *r, struct status *st)
{
	struct side *a = &c->left, *b = &c->right;
	*a = (struct side){.arena = c->arena, .db = c->db, .letter = "A", .path = r->left};
	*b = (struct side){.arena = c->arena, .db = c->db, .letter = "B", .path = r->right};
	const int rc = source_load(a, r->variant, st) || source_load(b, r->variant, st);
	side_end(a);
	side_end(b);
	if (rc)
		return -1;
	if (r->variant && a->is_record && b->is_record)
		return status_set(st, "--variant names nccl-tests' files; both results are runs");
	return comparison_judge(c, st);
}

/* A compare_code; -1: nothing can be told. */
static int compare_two(const struct compare_request *r, struct told *t, struct status *st)
{
	struct comparison c = {.arena = t->arena, .margin = r->margin, .db = db_open(t->arena)};
	t->db = c.db;
	if (db_run_text(c.db, "harness/compare/sides.sql", st) ||
	    db_run_text(c.db, "harness/compare/compared.sql", st))
		return -1;
	if (load(&c, r, st) || check_comparable(&c, t, st))
		t->refused = side_plain(t->arena, st->text); /* it may quote a file */
	if (comparison_tell(&c, t, st))
		return -1;
	return t->refused ? COMPARE_NOT_DONE : conclude(&c, t, st);
}

static int compare(struct arena *arena, void *of)
{
	const struct comparing *x = of;
	const struct compare_request *r = x->request;
	const char *paths[2 + COMPARE_OTHERS] = {r->left, r->right};
	_Static_assert(2 + COMPARE_OTHERS <= POOLED_MOST, "a letter for each");
	struct told t = {.arena = arena, .paths = paths, .npaths = 2 + r->nothers};
	memcpy(paths + 2, r->others, r->nothers * sizeof *paths);
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

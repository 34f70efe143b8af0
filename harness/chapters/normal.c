/* Is this bandwidth normal? Each collective from 1 MiB up in stream, compared with a line rate, with
 * plain copies of the same run, and with what reference records of the same GPUs reached
 * (analysis/reference.h). Outside of their range the record's own facts say what to check; a check is a
 * question, and names no cause.
 *
 * The line rate is that of what data crosses, by the library's log:
 *   P2P, or no log            the links between the GPUs (analysis/rank_links.h): NVLinks that are
 *                             up, PCIe's generation and width
 *   SHM, NET within a host    each GPU's PCIe, to the host's memory and back
 *   NET between hosts         the hosts' network cards (analysis/networks.h)
 * links.h and networks.h have the source of each. Where the record lacks it, a sentence says so. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/networks.h"
#include "../analysis/rank_links.h"
#include "../texts.h"
#include "../analysis/reference.h"
#include "chapters.h"
#include "run.h"

/* Bits of a row. */
enum {
	RANGE = 1,   /* of enough reference records */
	FEW = 2,     /* one or two have it */
	NO_CELL = 4, /* no record of these GPUs has it */
	NO_GPUS = 8, /* there is no record of these GPUs */
	ON_CPU = 16,
	ANSWERS = 32,
	CHECKS = 64,    /* less than in the records, and there is something to check */
	NO_CHECK = 128, /* less, and the record has no fact that could be why */
	NO_LINE = 256,
};

struct row {
	const char *variant, *mode, *what, *gpus;
	size_t bytes;
	struct stats_interval gbs; /* quartiles over blocks */
	double line_gbs, share, limit_share;
	const char *line, *links;        /* links: the same, where rows differ in it */
	const char *no_line;             /* why there is no line rate */
	struct stats_interval reference; /* its ends are the range */
	double of_reference, spread;
	unsigned records, boots;
	const char *few, *library, *reference_library, *verdict, *checks;
	/* What a reference record is chosen by (reference.h). */
	const char *gpu, *layout, *settings, *data_path, *names;
	unsigned blocks;
	double least, most;
	int plain;
	bool best;
	unsigned group, at, when; /* at: the variant */
	struct reference found;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, what, "collective", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, bytes, "size", "", BYTES),
    COLUMN(struct row, gbs, "bus bandwidth", "GB/s", SPREAD),
    COLUMN_AS(struct row, line_gbs, "line_gbs", "line rate", "GB/s", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, links, "links", "of", "", TEXT, ONLY_FILLED),
    COLUMN_AS(struct row, share, "share", "of the line rate", "", SHARE, ONLY_FILLED),
    COLUMN_AS(struct row, limit_share, "limit_share", "of plain copies", "", SHARE, ONLY_FILLED),
    COLUMN_AS(struct row, reference, "reference", "reference records", "GB/s", SPREAD, ONLY_FILLED),
    COLUMN_AS(struct row, of_reference, "of_reference", "of these", "", SHARE, ONLY_FILLED),
    COLUMN_AS(struct row, records, "records", "records", "", COUNT, ONLY_FILLED),
    COLUMN_AS(struct row, boots, "boots", "machines or boots", "", COUNT, ONLY_FILLED),
    COLUMN_AS(struct row, verdict, "verdict", "", "", TEXT, ONLY_FILLED),
    COLUMN_AS(struct row, checks, "checks", "what to check", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, gpus, "gpus", "GPUs", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, line, "line", "links", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, no_line, "no_line", "why no line rate", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, few, "few", "which records", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, spread, "spread", "records of one cell differ by", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct row, names, "names", "their names", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, library, "library", "library", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, reference_library, "reference_library", "the records' library", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, gpu, "gpu", "GPU", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, mode, "mode", "mode", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, layout, "layout", "layout", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, settings, "settings", "other settings", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, data_path, "data_path", "data path", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, blocks, "blocks", "blocks", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, least, "least", "least of them", "GB/s", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, most, "most", "most", "GB/s", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, plain, "plain", "may be a reference", "", FLAG, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "normal", .title = "Bandwidth, the links and reference records",
               .when = offsetof(struct row, when));
static const struct story_form cpu_form =
    STORY_FORM(struct row, columns, .name = "normal", .title = "Bandwidth and plain copies",
               .when = offsetof(struct row, when), .hidden = true);
static const struct story_form all_form =
    STORY_FORM(struct row, columns, .name = "normal_sizes", .title = "The same at every size",
               .when = STORY_NO_WHEN, .hidden = true);

#define BANDWIDTH "Bandwidth of {what} of {bytes} in {variant} is {gbs} GB/s"
#define LINE      "[, and {share} of the line rate of {line}, {line_gbs} GB/s]"
#define ONLY_LINE "[ Only the line rate is known: {gbs} GB/s in {what} of {bytes} ({variant}) are {share} of {line}, {line_gbs} GB/s.]"
#define TELL(bits, text) {STORY_BODY, (bits), text}, {STORY_ANSWER | STORY_NOTICE, (bits) | ANSWERS, text}

static const struct sentence sentences[] = {
    TELL(RANGE, BANDWIDTH ", {of_reference} of what {gpus} reached in {records} reference records (of {boots} machine{boots:s} or boot{boots:s}, NCCL {reference_library}; one more is expected at {reference:interval} GB/s)" LINE ": {verdict}."),
    TELL(FEW, BANDWIDTH ", {of_reference} of what {gpus} reached in {few} (NCCL {reference_library}[; two records of one cell differ by up to {spread}])" LINE ": {verdict}."),
    {STORY_BODY, NO_CELL, "There is no reference of {what:list} of {bytes} in {variant} on {gpus}[: only the line rate of {line} is known|]."},
    {STORY_BODY, NO_GPUS, "There is no reference of {gpus}[: only the line rate of {line} is known|]."},
    {STORY_ANSWER | STORY_NOTICE, NO_CELL | ANSWERS, "There is no reference of {what} of {bytes} in {variant} on {gpus}." ONLY_LINE},
    {STORY_ANSWER | STORY_NOTICE, NO_GPUS | ANSWERS, "There is no reference of {gpus}." ONLY_LINE},
    {STORY_BODY, NO_LINE, "No line rate is known for {variant:list}: {no_line}."},
    {STORY_BODY, ON_CPU, "Bandwidth in CPU memory has neither a line rate nor reference records[; of what plain copies reach in this run, {what} of {bytes} in {variant} reaches {limit_share}|, {what} {limit_share}]."},
    {STORY_ANSWER | STORY_NOTICE, ON_CPU | ANSWERS, "Bandwidth in CPU memory has neither a line rate nor reference records."},
    {STORY_ADVICE | STORY_NOTICE, CHECKS, "Find out why {what} of {bytes} in {variant} is slower than in reference records; the record shows: {checks}."},
    {STORY_ADVICE | STORY_NOTICE, NO_CHECK, "Find out why {what} of {bytes} in {variant} is slower than in reference records. Nothing in the record is conspicuous: measure each pair (`launchgap run topology`) and the links alone (`launchgap run links`)."},
};
// clang-format on

struct normal {
	const struct analysis *a;
	struct arena *arena;
	struct rank_links links;
	struct reference_table references;
	const char *gpu, *created, *line;
	bool on_gpus;
	bool shared; /* ranks share a GPU, and with it its links */
	unsigned ngpus;
	struct row *rows;
	unsigned n;
};

/* --- the rows ---------------------------------------------------------------------------- */

/* A setting that moves no bandwidth is no other setting: where the library lies, who starts the
 * processes, in which order communicators are made, and checks. */
static const char *other_settings(struct arena *arena, const struct settings *of, bool plain)
{
	struct settings *set = ARENA_NEW(arena, struct settings);
	struct settings *usual = ARENA_NEW(arena, struct settings);
	char text[1024] = "";
	settings_default(usual);
	*set = *of;
	memcpy(set->nccl, usual->nccl, sizeof set->nccl);
	memcpy(set->nccl_below, usual->nccl_below, sizeof set->nccl_below);
	memcpy(set->launcher, usual->launcher, sizeof set->launcher);
	memcpy(set->expect, usual->expect, sizeof set->expect);
	set->init = usual->init;
	set->force = usual->force;
	if (plain) {
		memcpy(set->api, usual->api, sizeof set->api);
		set->registration = usual->registration;
	}
	settings_text(set, text, sizeof text);
	return arena_copy(arena, text);
}

/* What links carry in both directions as busbw's factors assume. */
static bool is_asked(const struct summary_group *g)
{
	return g->cell.pace == PACE_STREAM && !g->limit &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks) &&
	       !(coll_info(g->cell.coll)->is &
	         (COLL_PSEUDO | COLL_PAIRS | COLL_LOCAL | COLL_TRAINS | COLL_ROUTED |
	          COLL_STEP_PART | COLL_RAW));
}

static double busbw_of(const struct summary_row *row, double time_ns)
{
	return coll_busbw(row->cell.coll, row->nranks, row->moved_bytes, time_ns * 1e-9);
}

/* name: of the algorithms whose switches add, its beginning. */
static bool takes(const struct normal *n, const struct row *row, unsigned size, const char *name)
{
	const struct path_choice *choice =
	    evidence_choice(n->a->s, &n->a->evidence, row->at, row->group, size);
	return choice && !strncasecmp(choice->algorithm, name, strlen(name));
}

static unsigned hosts_of(const struct summary_variant *v)
{
	return v->settings ? settings_hosts(v->settings) : 1;
}

/* What the row's data crosses, and the line rate of that; or why none is known. */
static void set_line(const struct normal *n, struct row *row, enum coll_kind coll, unsigned size)
{
	const struct summary_variant *v = &n->a->s->variants[row->at];
	const struct evidence_path *path = &n->a->evidence.paths[row->at];
	/* Within hosts data may go another way than between them. */
	const char *by = path->transport, *net = strstr(path->pairs, "NET/");
	const bool several = hosts_of(v) > 1;
	const bool memory = !strncmp(by, "SHM", 3) || !strncmp(by, "NET", 3);
	const char *why = "the record does not say what joins the GPUs";
	if (several) {
		const struct networks cards =
		    networks_of(n->a->s, row->at, net ? net : by, n->arena);
		row->line = cards.text;
		row->line_gbs = networks_rate(&cards, coll, takes(n, row, size, "CollNet"));
		why = cards.why;
	} else if (v->traits->gpus && strcmp(by, "mixed") != 0) {
		row->line = memory ? rank_links_memory_text(&n->links, n->arena) : n->line;
		row->line_gbs = memory
		                    ? rank_links_memory_rate(&n->links)
		                    : rank_links_rate(&n->links, coll, takes(n, row, size, "NVLS"));
	}
	if (!v->traits->gpus)
		why = arena_text(n->arena, "backend %s works in CPU memory", v->backend);
	else if (!several && !strcmp(by, "mixed"))
		why = "pairs of ranks take different transports";
	else if (row->line && *row->line)
		why = "which links its data crosses is not known";
	row->no_line = isnan(row->line_gbs) ? why : NULL;
}

static void set_measured(const struct normal *n, struct row *row, unsigned size)
{
	const struct summary *s = n->a->s;
	const struct summary_row *r = index_at(s, row->at, row->group, size);
	const struct summary_variant *v = &s->variants[row->at];
	row->variant = v->name;
	row->mode = v->mode;
	row->layout = v->layout;
	row->library = v->library;
	row->data_path = n->a->evidence.paths[row->at].data_path;
	row->what = run_collective(n->arena, &s->groups[row->group]);
	row->bytes = r->cell.bytes;
	row->gbs = summary_busbw(r);
	row->blocks = r->ntrials;
	for (unsigned i = 0; i < r->ntrials; i++) {
		const double gbs = busbw_of(r, r->trials[i].time_ns);
		row->least = i && row->least < gbs ? row->least : gbs;
		row->most = i && row->most > gbs ? row->most : gbs;
	}
	row->limit_share = row->gbs.estimate / summary_limit(s, row->bytes);
	if (!n->on_gpus)
		return;
	row->gpu = n->gpu;
	row->gpus = arena_text(n->arena, "%u × %s", r->nranks, n->gpu);
	set_line(n, row, r->cell.coll, size);
	row->share = row->gbs.estimate / row->line_gbs;
	row->settings = v->settings ? other_settings(n->arena, v->settings, false) : "?";
	row->plain = v->settings && !*other_settings(n->arena, v->settings, true) &&
	             v->role != ROLE_AGAIN && r->ntrials >= STATS_MIN_BLOCKS &&
	             n->ngpus != UINT_MAX && n->ngpus >= r->nranks &&
	             r->cell.coll != COLL_ALLTOALLV && *v->library;
}

/* --- the reference, and the verdict ------------------------------------------------------ */

/* No difference within the run's margin is one, and a run of fewer blocks scatters as the records'
 * blocks do. */
static void set_verdict(const struct normal *n, struct row *row)
{
	const struct reference *r = &row->found;
	const double margin = n->a->s->margin;
	const bool few = row->blocks < STATS_MIN_BLOCKS;
	const double lo = fmin(few ? fmin(r->lo, r->least) : r->lo, r->gbs / (1 + margin)),
	             hi = fmax(few ? fmax(r->hi, r->most) : r->hi, r->gbs * (1 + margin)),
	             gbs = row->gbs.estimate;
	const char *one = r->records == 1 ? "the one reference record" : "both reference records";
	row->reference = (struct stats_interval){r->gbs, lo, hi};
	row->of_reference = gbs / r->gbs;
	row->records = r->records;
	row->boots = r->boots;
	row->names = r->names;
	row->reference_library = r->library;
	row->few = r->predicted ? NULL : one;
	row->spread = r->predicted ? NAN : r->spread;
	row->when = r->predicted ? RANGE : FEW;
	if (r->predicted)
		row->verdict = gbs < lo   ? "below the range"
		               : gbs > hi ? "above the range"
		                          : "normal";
	else
		row->verdict = arena_text(n->arena, "%s %s",
		                          gbs < lo   ? "lower than"
		                          : gbs > hi ? "higher than"
		                                     : "as in",
		                          one);
}

static bool is_less(const struct row *row)
{
	return row->found.records && row->gbs.estimate < row->reference.lo;
}

static void set_reference(const struct normal *n, struct row *row)
{
	const struct reference_key key = {.gpu = row->gpu,
	                                  .layout = row->layout,
	                                  .what = row->what,
	                                  .settings = row->settings,
	                                  .bytes = row->bytes,
	                                  .library = row->library,
	                                  .data_path = row->data_path,
	                                  .created = n->created};
	bool known = false;
	for (unsigned i = 0; i < n->references.n; i++)
		known = known || !strcmp(n->references.rows[i].key.gpu, row->gpu);
	row->found = reference_find(&n->references, &key, n->arena);
	if (row->found.records)
		set_verdict(n, row);
	else
		row->when = known ? NO_CELL : NO_GPUS;
}

/* --- what to check ----------------------------------------------------------------------- */

struct checks {
	char text[900];
};

static void check(struct checks *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void check(struct checks *c, const char *format, ...)
{
	size_t used = strlen(c->text);
	va_list args;
	if (used)
		used += (size_t)snprintf(c->text + used, sizeof c->text - used, "; ");
	va_start(args, format);
	if (used < sizeof c->text)
		vsnprintf(c->text + used, sizeof c->text - used, format, args);
	va_end(args);
}

static void check_links(const struct normal *n, const struct row *row, struct checks *c)
{
	const struct rank_links *l = &n->links;
	for (unsigned r = 0; r < l->nranks; r++)
		if (*l->ranks[r].remark)
			check(c, "rank %u: %s", r, l->ranks[r].remark);
	for (unsigned r = 0; r < l->nranks; r++)
		if (l->ranks[r].numa >= 0 && l->ranks[r].core_numa >= 0 &&
		    l->ranks[r].numa != l->ranks[r].core_numa)
			check(c, "rank %u's GPU is on NUMA node %d, its worker on %d", r,
			      l->ranks[r].numa, l->ranks[r].core_numa);
	for (unsigned i = 0; i < l->nclasses; i++)
		if (l->classes[i].class == LINKS_MEMORY)
			check(c,
			      "%u pair%s of GPUs without peer access (nvidia-smi topo -p2p w; "
			      "IOMMU, ACS)",
			      l->classes[i].pairs, l->classes[i].pairs == 1 ? "" : "s");
	if (*row->found.link && *n->line && strcmp(row->found.link, n->line) != 0)
		check(c, "links are %s, in the records %s", n->line, row->found.link);
}

/* Transport, path and protocol, by the library's log. */
static void check_path(const struct normal *n, const struct row *row, struct checks *c)
{
	const struct evidence_path *path = &n->a->evidence.paths[row->at];
	const struct summary_group *g = &n->a->s->groups[row->group];
	if (!strcmp(path->transport, "mixed"))
		check(c, "some pairs of ranks do not use P2P (%.200s)", path->pairs);
	else if (strncmp(path->transport, "P2P", 3) && *path->transport &&
	         strcmp(path->transport, "none") != 0)
		check(c, "data goes by %s and not by P2P (NCCL_P2P_LEVEL, containers)",
		      path->transport);
	if (!strcmp(path->data_path, "staged") && !strcmp(row->found.data_path, "direct"))
		check(c, "the data path is staged, in the records direct");
	for (unsigned size = 0; size < g->nsizes; size++) {
		const struct path_choice *choice =
		    evidence_choice(n->a->s, &n->a->evidence, row->at, row->group, size);
		if (choice && g->bytes[size] == row->bytes && !strncmp(choice->protocol, "LL", 2) &&
		    row->bytes >= 16 * REFERENCE_BYTES)
			check(c, "protocol %s at this size (NCCL_PROTO)", choice->protocol);
	}
	if (strcmp(row->library, row->found.library) != 0)
		check(c, "NCCL is %s, in the records %s", row->library, row->found.library);
}

/* Variables that reach the library, other than what all reference records had. */
static void check_environment(const struct normal *n, struct checks *c)
{
	static const char *const harmless[] = {"NCCL_DEBUG", "NCCL_VERSION",     "NCCL_LEGACY",
	                                       "NCCL_LIBS",  "NCCL_NVLS_ENABLE", "NCCL_TESTS"};
	json_t *machine = json_object_get(n->a->s->run->environment, "machine"), *value;
	const char *key;
	json_object_foreach(json_object_get(machine, "environment"), key, value)
	{
		bool known = strncmp(key, "NCCL_", 5) || !json_is_string(value);
		for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
			known = known || !strncmp(key, harmless[i], strlen(harmless[i]));
		if (!known)
			check(c, "%.60s = %.60s is set", key, json_string_value(value));
	}
}

/* The devices' clocks, and what else the machine did. */
static void check_machine(const struct normal *n, const struct row *row, struct checks *c)
{
	const struct summary *s = n->a->s;
	const struct settings *set = s->variants[row->at].settings;
	const char *throttle = NULL;
	for (unsigned i = 0; i < s->run->ncells && !throttle; i++) {
		const struct record_cell *cell = &s->run->cells[i];
		const json_t *facts = json_array_get(json_object_get(cell->json, "facts"), 0);
		const char *text = json_string_value(json_object_get(facts, "throttle"));
		if (!strcmp(cell->variant, row->variant) && text && *text &&
		    strcmp(text, "none") != 0)
			throttle = text;
	}
	if (throttle)
		check(c, "GPU clocks were held down: %.80s (nvidia-smi -q -d PERFORMANCE)",
		      throttle);
	if (s->oversubscribed)
		check(c, "more ranks than cores");
	if (set && set->bind == BIND_NONE)
		check(c, "workers are bound to no core (bind = none)");
}

static void set_checks(const struct normal *n, struct row *row)
{
	struct checks c = {""};
	check_links(n, row, &c);
	check_path(n, row, &c);
	check_environment(n, &c);
	check_machine(n, row, &c);
	row->checks = arena_copy(n->arena, c.text);
}

/* --- telling ----------------------------------------------------------------------------- */

static void add_rows(struct normal *n, unsigned group, unsigned variant)
{
	const struct summary_group *g = &n->a->s->groups[group];
	const struct summary_variant *v = &n->a->s->variants[variant];
	for (unsigned size = 0; size < g->nsizes; size++) {
		const struct summary_row *r = index_at(n->a->s, variant, group, size);
		if (n->on_gpus && r && r->nranks > (size_t)n->ngpus * hosts_of(v)) {
			n->shared = true;
			continue;
		}
		if (!r || !r->ntrials || !(r->busbw_gbs > 0) || r->cell.bytes < REFERENCE_BYTES)
			continue;
		n->rows = arena_more(n->arena, n->rows, n->n, sizeof *n->rows);
		struct row *row = &n->rows[n->n++];
		story_clear(&form, row);
		row->group = group;
		row->at = variant;
		row->when = ON_CPU;
		row->found = (struct reference){.link = "", .data_path = ""};
		set_measured(n, row, size);
		if (n->on_gpus)
			set_reference(n, row);
		if (n->on_gpus && row->no_line)
			row->when |= NO_LINE;
		if (is_less(row))
			set_checks(n, row);
	}
}

/* Of a variant's sizes of a collective the largest that has a reference, or else the largest. */
static bool is_best(const struct normal *n, const struct row *row)
{
	const struct row *best = row;
	for (const struct row *r = n->rows; r < n->rows + n->n; r++)
		if (r->group == row->group && r->at == row->at &&
		    (!!r->found.records > !!best->found.records ||
		     (!!r->found.records == !!best->found.records && r->bytes > best->bytes)))
			best = r;
	return best == row;
}

/* The variant that sentences are about: the reference, or the first. */
static unsigned main_variant(const struct summary *s, unsigned *asked)
{
	unsigned first = INDEX_NONE;
	*asked = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!s->variants[v].measured || !summary_is_asked(s, v))
			continue;
		first = first == INDEX_NONE || (int)v == s->reference ? v : first;
		(*asked)++;
	}
	return first;
}

/* The row that answers, by the best sizes of a variant: the one that is furthest below its records;
 * else, in a run that compares nothing, the first with a reference, or the first. */
static struct row *answer_of(struct row *rows, unsigned n, unsigned variant, bool alone)
{
	struct row *worst = NULL, *first = NULL;
	for (struct row *row = rows; row < rows + n; row++) {
		if (row->at != variant || !row->best)
			continue;
		if (is_less(row) && (!worst || row->of_reference < worst->of_reference))
			worst = row;
		if (!first || (row->found.records && !first->found.records))
			first = row;
	}
	return worst || !alone ? worst : first;
}

/* What rows differ in is a column. */
static void name_links(struct row *rows, unsigned n)
{
	const char *first = NULL;
	bool differ = false;
	for (unsigned i = 0; i < n; i++) {
		const char *line = isnan(rows[i].line_gbs) ? NULL : rows[i].line;
		differ |= first && line && strcmp(line, first) != 0;
		first = line ? line : first;
	}
	for (unsigned i = 0; i < n && differ; i++)
		rows[i].links = isnan(rows[i].line_gbs) ? NULL : rows[i].line;
}

/* What the rows' figures are. */
static void note(struct story *story, const struct row *rows, unsigned n)
{
	bool lines = false, records = false;
	for (unsigned i = 0; i < n; i++) {
		lines |= !isnan(rows[i].line_gbs);
		records |= rows[i].records != ENTRY_NO_COUNT;
	}
	if (records)
		story_note(
		    story, STORY_BODY | STORY_MORE,
		    "Small sizes have no verdict: launching decides more there than links do.");
	if (lines)
		story_note(story, STORY_BODY | STORY_MORE,
		           "The line rate is what the links that data crosses carry one way, with "
		           "nothing around the data, so that no run reaches it.");
	if (records)
		story_note(story, STORY_BODY | STORY_MORE,
		           "Reference records are those in results/reference of the same GPUs, "
		           "layout, size and settings, without this one, with the nearest NCCL and "
		           "NVLink multicast off; they are of few machines.");
}

/* Those that people see, of the best sizes: with something to be compared with, or of the main variant;
 * and all that are below their records. */
static unsigned choose(const struct normal *n, unsigned about, bool alone, struct row *out)
{
	unsigned shown = 0;
	for (unsigned i = 0; i < n->n; i++) {
		const struct row *row = &n->rows[i];
		const bool best = is_best(n, row),
		           known = row->found.records || !isnan(row->line_gbs),
		           main = n->on_gpus && row->at == about;
		if (!is_less(row) && !(best && (known || alone || main)))
			continue;
		out[shown] = *row;
		out[shown].best = best;
		if (row->at != about)
			out[shown].when &= NO_LINE;
		shown++;
	}
	return shown;
}

static void say(struct normal *n, struct story *story)
{
	unsigned asked;
	const unsigned about = main_variant(n->a->s, &asked);
	struct row *rows = ARENA_ARRAY(n->arena, struct row, n->n + 1);
	const unsigned shown = choose(n, about, asked == 1, rows);
	struct row *answer = answer_of(rows, shown, about, asked == 1);
	name_links(rows, shown);
	if (answer)
		answer->when |= ANSWERS;
	if (answer && is_less(answer))
		answer->when |= *answer->checks ? CHECKS : NO_CHECK;
	const struct story_table *t =
	    story_table(story, n->on_gpus ? &form : &cpu_form, rows, shown);
	STORY_TELL(story, t, sentences);
	story_table(story, &all_form, n->rows, n->n);
	if (n->shared)
		story_note(story, STORY_BODY,
		           "Ranks share a GPU, and with it its links: their bandwidth has neither "
		           "a line rate nor a reference.");
	note(story, rows, n->on_gpus ? shown : 0);
}

/* The GPUs' name and number: the machine's list has them, else a worker of the first rank. */
static void set_gpus(struct normal *n)
{
	const struct summary *s = n->a->s;
	unsigned asked;
	n->on_gpus = record_traits(s->run, NULL)->gpus;
	n->ngpus = (unsigned)summary_gpus(s, &n->gpu);
	if (n->ngpus || !n->on_gpus)
		return;
	const char *device = summary_fact(s, main_variant(s, &asked), -1, "device_0"),
	           *at = device ? strstr(device, " at ") : NULL;
	n->ngpus = UINT_MAX; /* not known */
	n->gpu = at ? arena_text(n->arena, "%.*s", (int)(at - device), device) : "GPU";
}

static void tell(const struct analysis *a, struct story *story)
{
	struct normal n = {.a = a, .arena = story->arena};
	const json_t *created = json_object_get(a->s->run->environment, "created");
	if (!a->s->carries_data || a->s->trouble.kind)
		return;
	set_gpus(&n);
	n.links = rank_links_make(a->s, n.arena);
	n.line = n.on_gpus ? rank_links_text(&n.links, n.arena) : "";
	n.created = json_is_string(created) ? json_string_value(created) : "";
	n.references = reference_read(texts_find(REFERENCE_BANDWIDTH), n.arena);
	for (unsigned g = 0; g < a->s->ngroups; g++)
		for (unsigned v = 0; v < a->s->nvariants && is_asked(&a->s->groups[g]); v++)
			if (a->s->variants[v].measured && a->s->variants[v].role != ROLE_LIMIT &&
			    a->s->variants[v].role != ROLE_AGAIN)
				add_rows(&n, g, v);
	if (n.n || n.shared)
		say(&n, story);
}

const struct chapter chapter_normal = {"normal", "Is this bandwidth normal?", CHAPTER_BODY, tell};

/* The tables that people read. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/memory.h"
#include "../analysis/words.h"
#include "../coll/coll.h"
#include "../config/settings.h"

#define MOST_GROUPS 30
#define MOST_BESIDE 3 /* variants that stand beside each other; more stand below each other */
#define COLUMNS(...)                                                                           \
	(const struct table_column[])                                                          \
	{                                                                                      \
		__VA_ARGS__                                                                    \
	}
/* A table of constant columns. */
#define NEW(name, title, ...)                                                                  \
	new_table(name, title, COLUMNS(__VA_ARGS__),                                           \
	          sizeof(COLUMNS(__VA_ARGS__)) / sizeof(struct table_column))

static struct table *new_table(const char *name, const char *title,
                               const struct table_column *columns, unsigned n)
{
	struct table *t = table_new(name, title);
	table_columns(t, columns, n);
	return t;
}

static void put_range(struct table *t, struct claim_range range)
{
	TABLE_PUT(t, CELL(words_range(range).text));
}

static void put_verdict(struct table *t, const struct verdict *verdict)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(verdict, text, sizeof text);
	TABLE_PUT(t, CELL(text));
}

bool tables_too_many(const struct model *m)
{
	return m->summary.ngroups > MOST_GROUPS;
}

/* --- claims --- */

#define OLD "-old"

/* A claim of the old library and its counterpart of this one have one metric, and one name but
 * for its end. */
static size_t base_bytes(const struct claim *c)
{
	size_t n = strlen(c->name), end = sizeof OLD - 1;
	return n > end && !strcmp(c->name + n - end, OLD) ? n - end : n;
}

static bool same_base(const struct claim *a, const struct claim *b)
{
	size_t n = base_bytes(a);
	return n == base_bytes(b) && !strncmp(a->name, b->name, n) && a->metric == b->metric;
}

/* The version of the library that a claim is about, "" where it is not known. */
static const char *library_of(const struct summary *s, const struct claim *c)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (!strcmp(s->variants[v].name, c->left))
			return s->variants[v].library;
	return "";
}

/* Libraries that claims are about, the one of claims on old ones first. */
static unsigned libraries_of(const struct model *m, const char *out[2])
{
	unsigned n = 0;
	for (int old = 1; old >= 0; old--)
		for (unsigned i = 0; i < m->findings.asked.nclaims; i++) {
			const struct claim *c = m->findings.claims[i].claim;
			const char *library = library_of(&m->summary, c);
			bool is_old = base_bytes(c) < strlen(c->name);
			if (!*library || is_old != old || (n && !strcmp(out[n - 1], library)))
				continue;
			if (n == 2)
				return n;
			out[n++] = library;
			break;
		}
	return n;
}

/* What the claim says, less the words that name the old library. */
static const char *plain_text(const struct claim *c)
{
	static const char lead[] = "Old NCCL: ";
	return strncmp(c->text, lead, sizeof lead - 1) ? c->text : c->text + sizeof lead - 1;
}

/* marked: whether the table tells verdicts that are taken alone from others. */
static void put_claim_short(struct table *t, const struct claims_result *r, bool marked)
{
	struct claims_result shown;
	char verdict[VERDICT_TEXT_BYTES], unseen[64] = "";
	if (!r || r->outcome == CLAIMS_UNTESTED) {
		TABLE_PUT(t, table_of_none());
		return;
	}
	shown = *r;
	shown.alone = r->alone && marked;
	claims_verdict(&shown, verdict, sizeof verdict);
	/* How many blocks it would take stands in the full table. */
	if (r->outcome == CLAIMS_UNDECIDED)
		verdict_unseen_text(r->detectable, unseen, sizeof unseen);
	table_text(t, "%.*s, %.3f%s%s", (int)strcspn(verdict, ":"), verdict,
	           r->contrast.ratio.estimate, *unseen ? "; " : "", unseen);
}

struct table *tables_claims_short(const struct model *m)
{
	const struct findings *f = &m->findings;
	const char *libraries[2] = {"", ""};
	unsigned n = libraries_of(m, libraries);
	/* Where none is confirmed, the sentence below says so of all. */
	const bool marked = claims_family_confirms(f->claims, f->asked.nclaims);
	struct table *t = table_new("claims_short", "Claims");
	table_column(t, "claim", "the claim", "", TABLE_TEXT);
	for (unsigned k = 0; k < (n ? n : 1); k++) {
		char head[64] = "verdict";
		if (n > 1)
			snprintf(head, sizeof head, "NCCL %.32s", libraries[k]);
		table_column(t, k ? "verdict_new" : "verdict", head, "", TABLE_VERDICT);
	}
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *of[2] = {NULL, NULL};
		const struct claim *claim = f->claims[i].claim;
		bool first = true, tested = false;
		for (unsigned k = 0; k < f->asked.nclaims; k++) {
			const struct claims_result *r = &f->claims[k];
			if (!same_base(claim, r->claim))
				continue;
			first = first && k >= i;
			tested = tested || r->outcome != CLAIMS_UNTESTED;
			unsigned at =
			    n > 1 && !strcmp(library_of(&m->summary, r->claim), libraries[1]);
			if (r->outcome != CLAIMS_UNTESTED)
				of[at] = r;
		}
		if (!first || !tested)
			continue;
		table_row(t);
		table_text(t, "%c%s", plain_text(claim)[0] & ~0x20, plain_text(claim) + 1);
		for (unsigned k = 0; k < (n ? n : 1); k++)
			put_claim_short(t, of[k], marked);
	}
	return t;
}

struct table *tables_claims(const struct model *m)
{
	const struct findings *f = &m->findings;
	struct table *t =
	    NEW("claims", "Claims", {"claim", "claim", "", TABLE_TEXT},
	        {"text", "text", "", TABLE_TEXT}, {"test", "test", "", TABLE_TEXT},
	        {"left", "left", "", TABLE_TEXT}, {"right", "right", "", TABLE_TEXT},
	        {"metric", "metric", "", TABLE_TEXT}, {"unit", "unit", "", TABLE_TEXT},
	        {"left_value", "left", "", TABLE_NUMBER},
	        {"right_value", "right", "", TABLE_NUMBER},
	        {"ratio", "left ÷ right", "", TABLE_RATIO},
	        {"verdict", "verdict", "", TABLE_VERDICT}, {"p", "p", "", TABLE_NUMBER},
	        {"p_adjusted", "p, Holm", "", TABLE_NUMBER},
	        {"rests_on", "on what, or why", "", TABLE_TEXT});
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *r = &f->claims[i];
		const struct claim *c = r->claim;
		const struct metric_info *metric = metric_info(c->metric);
		bool tested = r->outcome != CLAIMS_UNTESTED, needs = c->test == CLAIM_NEEDS;
		double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
		char text[CONTRAST_WHY_BYTES];
		TABLE_ROW(t, CELL(c->name), CELL(c->text));
		if (needs)
			TABLE_PUT(t, table_of_none());
		else
			table_text(t, "%s%s %.3g %%", claim_test_name(c->test),
			           c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
		TABLE_PUT(t, CELL(needs ? "" : c->left), CELL(needs ? "" : c->right),
		          CELL(needs ? "" : metric->summary), CELL(needs ? "" : metric->unit),
		          CELL(tested ? r->contrast.left_side.value * scale : NAN),
		          CELL(tested ? r->contrast.right_side.value * scale : NAN),
		          CELL(&r->contrast.ratio));
		claims_verdict(r, text, sizeof text);
		TABLE_PUT(t, CELL(text), CELL(r->p), CELL(r->p_adjusted));
		claims_hint(&m->summary, &f->evidence, r, text, sizeof text);
		TABLE_PUT(t, CELL(text));
	}
	return t;
}

/* --- verdicts --- */

struct table *tables_regime(const struct model *m, const struct regime *g)
{
	const struct summary *s = &m->summary;
	char name[64], title[160], word[VERDICT_TEXT_BYTES];
	snprintf(name, sizeof name, "verdicts_%s", g->name);
	snprintf(title, sizeof title, "%s: %s", g->name, regime_about(g).text);
	struct table *t =
	    NEW(name, title, {"variant", "variant", "", TABLE_TEXT},
	        {"value", metric_info(g->metric)->unit, "", TABLE_NUMBER},
	        {"speed", "speed", "", TABLE_RATIO}, {"verdict", "verdict", "", TABLE_VERDICT});
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		double scale = contrast_is_time(g->metric) ? 1e-3 : 1;
		if (c->why[0] || isnan(c->ratio.estimate))
			continue;
		table_row(t);
		if ((int)v == g->twin)
			table_text(t, "A/A: %s again", s->variants[c->right].name);
		else
			TABLE_PUT(t, CELL(s->variants[v].name));
		TABLE_PUT(t, CELL(c->left_side.value * scale), CELL(&c->verdict.ratio));
		answer_verdict(g, v, word, sizeof word);
		TABLE_PUT(t, CELL((int)v == g->twin ? "" : word));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_components(const struct model *m, const struct components_regime *g)
{
	const struct summary *s = &m->summary;
	char name[64], title[160];
	snprintf(name, sizeof name, "scatter_%s", g->regime->name);
	snprintf(title, sizeof title, "%s: %s", g->regime->name, regime_about(g->regime).text);
	struct table *t =
	    NEW(name, title, {"variant", "variant", "", TABLE_TEXT},
	        {"jobs", "between jobs", "%", TABLE_NUMBER},
	        {"connections", "connections", "%", TABLE_NUMBER},
	        {"allocations", "allocations", "%", TABLE_NUMBER},
	        {"cycles", "cycles", "%", TABLE_NUMBER}, {"calls", "calls", "%", TABLE_NUMBER},
	        {"fast_us", "fast", "µs", TABLE_NUMBER},
	        {"slow_us", "slow", "µs", TABLE_NUMBER},
	        {"half_width", "interval ±", "%", TABLE_NUMBER},
	        {"half_width_blocks", "± with twice the blocks", "%", TABLE_NUMBER},
	        {"half_width_connections", "the connections", "%", TABLE_NUMBER},
	        {"half_width_calls", "the calls", "%", TABLE_NUMBER});
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct components_side *side = &g->sides[v];
		const double widths[] = {side->half, side->half_jobs, side->half_connections,
		                         side->half_calls};
		if (!side->nleaves)
			continue;
		TABLE_ROW(t, CELL(s->variants[v].name));
		for (int level = 0; level < COMPONENTS_LEVELS; level++)
			TABLE_PUT(t, CELL(100 * side->sd[level]));
		TABLE_PUT(t, CELL(g->states[v].fast_ns / 1e3),
		          CELL(g->states[v].slow_ns / 1e3));
		for (unsigned i = 0; i < 4; i++)
			TABLE_PUT(t, CELL(100 * widths[i]));
	}
	table_drop_empty(t);
	return t;
}

static bool has_gap(const struct summary *s, unsigned group, unsigned v)
{
	return summary_has_ratio(s, v) && !isnan(s->groups[group].gaps[v].estimate);
}

struct table *tables_gaps(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = NEW(
	    "gaps", "Speed against the reference over all sizes",
	    {"collective", "collective", "", TABLE_TEXT}, {"pace", "pace", "", TABLE_TEXT},
	    {"variant", "variant", "", TABLE_TEXT}, {"speed", "speed", "", TABLE_RATIO},
	    {"blocks", "blocks", "", TABLE_COUNT}, {"verdict", "verdict", "", TABLE_VERDICT});
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			if (!has_gap(s, g, v))
				continue;
			struct verdict verdict = verdict_of(s->groups[g].gaps[v], s->margin);
			TABLE_ROW(t,
			          CELL(coll_word(&s->groups[g].cell, s->groups[g].nranks).text),
			          CELL(coll_pace_name(s->groups[g].cell.pace)));
			table_text(t, "%s%s", s->variants[v].name,
			           s->variants[v].role == ROLE_AGAIN ? " (A/A)" : "");
			TABLE_PUT(t, CELL(&s->groups[g].gaps[v]),
			          CELL(s->groups[g].gaps[v].blocks));
			put_verdict(t, &verdict);
		}
	return t;
}

/* --- by size --- */

static bool shows_time(const struct summary *s, const struct summary_group *g)
{
	return g->cell.pace == PACE_ISOLATED || !s->carries_data;
}

static void put_peak(struct table *t, const struct summary *s, unsigned group, unsigned v)
{
	const struct summary_group *g = &s->groups[group];
	double best = NAN, sum = 0;
	unsigned n = 0, at = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = summary_find(s, v, group, g->bytes[i]);
		if (!row || isnan(row->busbw_gbs))
			continue;
		sum += row->busbw_gbs;
		n++;
		if (!(row->busbw_gbs <= best)) {
			best = row->busbw_gbs;
			at = i;
		}
	}
	if (!n)
		return;
	TABLE_ROW(t, CELL(coll_word(&g->cell, g->nranks).text), CELL(s->variants[v].name),
	          CELL(best), CELL(g->asked_bytes[at]), CELL(sum / n),
	          CELL(s->variants[v].role == ROLE_LIMIT
	                   ? NAN
	                   : best / summary_limit(s, g->bytes[at])));
}

struct table *tables_peaks(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = NEW("peaks", "Peak and mean bus bandwidth",
	                      {"collective", "collective", "", TABLE_TEXT},
	                      {"variant", "variant", "", TABLE_TEXT},
	                      {"peak_gbs", "peak", "GB/s", TABLE_NUMBER},
	                      {"asked_bytes", "at", "", TABLE_BYTES},
	                      {"mean_gbs", "mean over sizes", "GB/s", TABLE_NUMBER},
	                      {"of_limit", "of the limit there", "", TABLE_SHARE});
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->groups[g].cell.pace == PACE_STREAM && s->variants[v].measured)
				put_peak(t, s, g, v);
	return t;
}

struct what {
	const char *name, *head, *unit;
	enum table_kind kind;
};

static const struct what whats[TABLES_WHATS] = {
    [TABLES_VALUE] = {"value", "", "", TABLE_SPREAD},
    [TABLES_P50] = {"p50", "p50 latency", "µs", TABLE_NUMBER},
    [TABLES_P95] = {"p95", "p95 latency", "µs", TABLE_SPREAD},
    [TABLES_P99] = {"p99", "p99 latency", "µs", TABLE_SPREAD},
    [TABLES_RATIO] = {"speed", "speed against the reference", "", TABLE_RATIO},
};

static struct table_value value_of(const struct summary_row *row, enum tables_what what)
{
	if (!row || !row->ntrials)
		return table_of_none();
	double scale = row->busbw_gbs * row->time_us;
	switch (what) {
	case TABLES_RATIO:
		return CELL(&row->ratio);
	case TABLES_P50:
		return CELL(row->p50_us);
	case TABLES_P95:
		return CELL(&row->p95_us);
	case TABLES_P99:
		return CELL(&row->p99_us);
	default:
		return isnan(row->busbw_gbs)
		           ? table_of_spread(row->time_us, row->time_us_lo, row->time_us_hi)
		           : table_of_spread(row->busbw_gbs, scale / row->time_us_hi,
		                             scale / row->time_us_lo);
	}
}

static void by_size_title(const struct model *m, unsigned group, enum tables_what what,
                          char *text, size_t bytes)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	const char *head = whats[what].head, *unit = whats[what].unit;
	if (what == TABLES_VALUE) {
		head = shows_time(s, g) ? "time per call" : "bus bandwidth";
		unit = shows_time(s, g) ? "µs" : "GB/s";
	}
	snprintf(text, bytes, "%s, %s: %s%s%s", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace), head, *unit ? ", " : "", unit);
}

/* Whether the table has a line of the variant. */
static bool is_shown(const struct summary *s, unsigned group, unsigned v, enum tables_what what)
{
	if (!s->variants[v].measured || (what == TABLES_RATIO && !summary_has_ratio(s, v)))
		return false;
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].group == group && s->rows[i].variant == v)
			return what != TABLES_P99 || isfinite(s->rows[i].p99_us.estimate);
	return false;
}

static void line_name(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	bool twin = s->variants[v].role == ROLE_AGAIN && s->reference >= 0;
	if (twin)
		snprintf(text, bytes, "A/A: %s again", s->variants[s->reference].name);
	else
		snprintf(text, bytes, "%s", s->variants[v].name);
}

struct table *tables_by_size(const struct model *m, unsigned group, enum tables_what what)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	enum table_kind kind = whats[what].kind;
	char name[160], title[256], text[TRIAL_NAME_BYTES + 16];
	unsigned shown = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		shown += is_shown(s, group, v, what);
	snprintf(name, sizeof name, "%s_%s_%s", whats[what].name,
	         coll_word(&g->cell, g->nranks).text, coll_pace_name(g->cell.pace));
	by_size_title(m, group, what, title, sizeof title);
	struct table *t = table_new(name, title);
	if (!shown) /* as of the limit, which nothing is held against */
		return t;
	bool rows = shown > MOST_BESIDE; /* variants in rows */
	table_column(t, rows ? "variant" : "asked_bytes", rows ? "variant" : "size", "",
	             rows ? TABLE_TEXT : TABLE_BYTES);
	for (unsigned i = 0; i < g->nsizes && rows; i++) {
		char key[32];
		snprintf(key, sizeof key, "%zu", g->asked_bytes[i]);
		table_column(t, key, words_size(g->asked_bytes[i]).text, "", kind);
	}
	for (unsigned v = 0; v < s->nvariants && !rows; v++)
		if (is_shown(s, group, v, what)) {
			line_name(s, v, text, sizeof text);
			table_column(t, s->variants[v].name, text, "", kind);
		}
	for (unsigned v = 0; v < s->nvariants && rows; v++) {
		if (!is_shown(s, group, v, what))
			continue;
		table_row(t);
		line_name(s, v, text, sizeof text);
		TABLE_PUT(t, CELL(text));
		for (unsigned i = 0; i < g->nsizes; i++)
			TABLE_PUT(t, value_of(summary_find(s, v, group, g->bytes[i]), what));
	}
	for (unsigned i = 0; i < g->nsizes && !rows; i++) {
		TABLE_ROW(t, CELL(g->asked_bytes[i]));
		for (unsigned v = 0; v < s->nvariants; v++)
			if (is_shown(s, group, v, what))
				TABLE_PUT(
				    t, value_of(summary_find(s, v, group, g->bytes[i]), what));
	}
	return t;
}

struct table *tables_launch(const struct model *m, unsigned group)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	char name[160], title[256];
	snprintf(name, sizeof name, "launch_%s_%s", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace));
	snprintf(title, sizeof title, "%s, %s", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace));
	struct table *t = NEW(name, title, {"asked_bytes", "size", "", TABLE_BYTES},
	                      {"variant", "variant", "", TABLE_TEXT},
	                      {"launch_us", "launch cost", "µs", TABLE_NUMBER},
	                      {"skew_us", "skew at start", "µs", TABLE_NUMBER},
	                      {"resolution_us", "resolution", "µs", TABLE_NUMBER});
	unsigned step = g->nsizes > 1 ? g->nsizes - 1 : 1;
	for (unsigned i = 0; i < g->nsizes; i += step)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_row *row = summary_find(s, v, group, g->bytes[i]);
			if (s->variants[v].role == ROLE_LIMIT || !row || !row->ntrials)
				continue;
			TABLE_ROW(t, CELL(g->asked_bytes[i]), CELL(s->variants[v].name),
			          CELL(row->launch_us), CELL(row->skew_us),
			          CELL(row->resolution_us));
		}
	return t;
}

static void put_stragglers(struct table *t, const struct summary *s, unsigned group, unsigned v,
                           unsigned size)
{
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *row = summary_find(s, v, group, g->bytes[size]);
	if (!row || !row->ranks)
		return;
	double skew[2] = {INFINITY, 0}, launch[2] = {INFINITY, 0};
	bool launches = !isnan(row->launch_us);
	for (unsigned r = 0; r < row->nranks; r++) {
		skew[0] = fmin(skew[0], row->ranks[r].skew_us);
		skew[1] = fmax(skew[1], row->ranks[r].skew_us);
		launch[0] = fmin(launch[0], row->ranks[r].launch_us);
		launch[1] = fmax(launch[1], row->ranks[r].launch_us);
	}
	const struct summary_rank *last = &row->ranks[row->straggler];
	TABLE_ROW(t, CELL(g->asked_bytes[size]), CELL(s->variants[v].name),
	          CELL(skew[1] - skew[0]), CELL(launches ? launch[0] : NAN),
	          CELL(launches ? launch[1] : NAN),
	          CELL(row->straggler), CELL(last->last), CELL(last->last_by_us),
	          CELL(last->last_by_us / row->time_us));
}

struct table *tables_stragglers(const struct model *m, unsigned group)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	char name[160], title[256];
	snprintf(name, sizeof name, "stragglers_%s_%s", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace));
	snprintf(title, sizeof title, "%s, %s: %u ranks, each is last in %.3g %% by chance",
	         coll_word(&g->cell, g->nranks).text, coll_pace_name(g->cell.pace), g->nranks,
	         100.0 / g->nranks);
	struct table *t = NEW(name, title, {"asked_bytes", "size", "", TABLE_BYTES},
	                      {"variant", "variant", "", TABLE_TEXT},
	                      {"skew_us", "skew between ranks", "µs", TABLE_NUMBER},
	                      {"launch_least_us", "launch, least", "µs", TABLE_NUMBER},
	                      {"launch_most_us", "most", "µs", TABLE_NUMBER},
	                      {"straggler", "straggler", "", TABLE_COUNT},
	                      {"last", "last in", "", TABLE_SHARE},
	                      {"last_by_us", "late by", "µs", TABLE_NUMBER},
	                      {"last_by_share", "of the call", "", TABLE_SHARE});
	for (unsigned i = 0; i < g->nsizes; i++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if ((i == 0 || i == g->nsizes / 2 || i + 1 == g->nsizes) &&
			    s->variants[v].role != ROLE_LIMIT &&
			    s->variants[v].role != ROLE_AGAIN)
				put_stragglers(t, s, group, v, i);
	return t;
}

struct table *tables_cliffs(const struct model *m)
{
	static const char *const kinds[] = {[CLIFF_JUMP] = "jump", [CLIFF_FALL] = "fall"};
	const struct summary *s = &m->summary;
	struct table *t =
	    NEW("cliffs", "Cliffs", {"collective", "collective", "", TABLE_TEXT},
	        {"kind", "kind", "", TABLE_TEXT}, {"from_bytes", "from", "", TABLE_BYTES},
	        {"to_bytes", "to", "", TABLE_BYTES}, {"variant", "variant", "", TABLE_TEXT},
	        {"from_gbs", "there", "GB/s", TABLE_NUMBER},
	        {"to_gbs", "then", "GB/s", TABLE_NUMBER},
	        {"factor", "times what was to be expected", "", TABLE_NUMBER},
	        {"variants", "variants that show it", "", TABLE_COUNT},
	        {"measured", "of", "", TABLE_COUNT});
	for (unsigned i = 0; i < m->ncliffs; i++) {
		const struct cliff *c = &m->cliffs[i];
		const struct summary_group *g = &s->groups[c->group];
		TABLE_ROW(t, CELL(coll_word(&g->cell, g->nranks).text), CELL(kinds[c->kind]),
		          CELL(g->asked_bytes[c->from]), CELL(g->asked_bytes[c->to]),
		          CELL(s->variants[c->variant].name), CELL(c->from_gbs),
		          CELL(c->to_gbs), CELL(c->factor), CELL(c->variants),
		          CELL(c->measured));
	}
	return t;
}

struct table *tables_channels(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t =
	    NEW("channels", "Channels of a pair of ranks",
	        {"collective", "collective", "", TABLE_TEXT},
	        {"variant", "variant", "", TABLE_TEXT}, {"all", "channels", "", TABLE_COUNT},
	        {"chunk_bytes", "chunk", "", TABLE_BYTES}, {"before", "of a pair", "", TABLE_COUNT},
	        {"bound_bytes", "up to calls of", "", TABLE_BYTES},
	        {"after", "then", "", TABLE_COUNT}, {"to_bytes", "measured at", "", TABLE_BYTES},
	        {"from_gbs", "before", "GB/s", TABLE_NUMBER},
	        {"predicted_gbs", "predicted, up to", "GB/s", TABLE_NUMBER},
	        {"to_gbs", "measured", "GB/s", TABLE_NUMBER}, {"found", "found", "", TABLE_TEXT});
	for (unsigned i = 0; i < m->channels.n; i++) {
		const struct channels_step *c = &m->channels.list[i];
		const struct summary_group *g = &s->groups[c->group];
		TABLE_ROW(t, CELL(coll_word(&g->cell, g->nranks).text),
		          CELL(s->variants[c->variant].name), CELL(c->rule.all),
		          CELL(c->rule.chunk_bytes), CELL(c->before), CELL(c->bound_bytes),
		          CELL(c->after));
		if (c->to)
			TABLE_PUT(t, CELL(g->asked_bytes[c->to]));
		else
			TABLE_PUT(t, table_of_none());
		TABLE_PUT(t, CELL(c->from_gbs), CELL(c->predicted_gbs), CELL(c->to_gbs),
		          CELL(c->breaks ? "a jump" : c->to ? "no break" : "not measured"));
	}
	table_drop_empty(t);
	return t;
}

/* --- why --- */

static void put_effect(struct table *t, const struct factors_result *r, const struct verdict *v)
{
	char text[1024];
	TABLE_PUT(t, CELL(&v->ratio));
	factors_verdict(r, v, text, sizeof text);
	TABLE_PUT(t, CELL(strcmp(text, "-") ? text : ""));
}

struct table *tables_effects(const struct model *m)
{
	const struct findings *f = &m->findings;
	unsigned order[CLAIM_MAX];
	struct table *t =
	    NEW("effects", "What each factor does", {"factor", "factor", "", TABLE_TEXT},
	        {"text", "what", "", TABLE_TEXT}, {"variants", "variants", "", TABLE_TEXT},
	        {"setting", "setting", "", TABLE_TEXT}, {"sizes", "sizes", "", TABLE_TEXT},
	        {"bandwidth", "effect on bandwidth", "", TABLE_RATIO},
	        {"verdict", "verdict", "", TABLE_VERDICT},
	        {"latency", "effect on latency", "", TABLE_RATIO},
	        {"latency_verdict", "verdict of latency", "", TABLE_VERDICT});
	factors_order(f->factors, f->asked.nfactors, order);
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const struct factors_result *r = &f->factors[order[i]];
		const struct factor *factor = r->factor;
		if (r->why[0])
			continue;
		TABLE_ROW(t, CELL(factor->name),
		          CELL(factor->text[0]   ? factor->text
		               : factor->placebo ? "placebo"
		                                 : ""));
		table_text(t, "%s → %s", factor->from, factor->to);
		TABLE_PUT(t, CELL(factor->setting));
		put_range(t, r->sizes);
		put_effect(t, r, &r->bandwidth);
		put_effect(t, r, &r->latency);
	}
	table_drop_empty(t);
	return t;
}

static void put_step(struct table *t, const struct summary *s,
                     const struct waterfall_step *step)
{
	char verdict[VERDICT_TEXT_BYTES], more[32];
	verdict_text(&step->verdict, verdict, sizeof verdict);
	if (step->at_odds)
		snprintf(verdict, sizeof verdict, "undecided: mean and estimate disagree");
	table_row(t);
	table_text(t, "%s%s", step->rest ? "what is left" : step->name,
	           step->backwards ? " (taken back)" : "");
	snprintf(more, sizeof more, step->nsides > 1 ? ", and %u more" : "", step->nsides - 1);
	table_text(t, "%s → %s%s", s->variants[step->from].name, s->variants[step->to].name,
	           more);
	TABLE_PUT(t, CELL(step->from_gbs), CELL(step->to_gbs), CELL(&step->ratio),
	          CELL(step->share.estimate), CELL(step->share.lo), CELL(step->share.hi));
	table_text(t, "%s%s", step->rest ? "no factor" : verdict,
	           step->placebo ? ", a placebo" : "");
}

struct table *tables_waterfall(const struct model *m)
{
	const struct waterfall *w = &m->findings.waterfall;
	struct table *t = NEW(
	    "waterfall", "From one end of the gap to the other",
	    {"step", "step", "", TABLE_TEXT}, {"variants", "variants", "", TABLE_TEXT},
	    {"from_gbs", "from", "GB/s", TABLE_NUMBER}, {"to_gbs", "to", "GB/s", TABLE_NUMBER},
	    {"ratio", "ratio", "", TABLE_RATIO}, {"share", "share of the gap", "", TABLE_SHARE},
	    {"share_lo", "at least", "", TABLE_SHARE}, {"share_hi", "at most", "", TABLE_SHARE},
	    {"verdict", "verdict", "", TABLE_VERDICT});
	for (unsigned i = 0; i < w->nsteps; i++)
		put_step(t, &m->summary, &w->steps[i]);
	return t;
}

struct table *tables_version(const struct model *m, unsigned coll)
{
	const struct versions *v = &m->findings.versions;
	const struct versions_coll *c = &v->colls[coll];
	char name[96], title[160];
	const bool small = c->regime == REGIME_SMALL;
	snprintf(name, sizeof name, "version_%s%s", coll_info(c->coll)->name,
	         small ? "_latency" : "");
	snprintf(title, sizeof title, "%s, %u rank%s", versions_title(c).text, c->nranks,
	         words_plural(c->nranks));
	struct table *t = table_new(name, title);
	table_column(t, "version", "NCCL", "", TABLE_TEXT);
	for (unsigned mode = 0; mode < v->nmodes; mode++) {
		char key[32];
		const char *of = versions_mode_name((enum versions_mode)mode);
		snprintf(key, sizeof key, "%s_%s", of, small ? "us" : "gbs");
		table_column(t, key, of, small ? "µs" : "GB/s", TABLE_NUMBER);
	}
	table_column(t, "ratio", small ? "speed, processes ÷ threads" : "processes ÷ threads",
	             "", TABLE_RATIO);
	table_column(t, "verdict", "verdict", "", TABLE_VERDICT);
	for (unsigned mode = 0; mode <= VERSIONS_PROCESSES; mode++) {
		char key[64], head[64];
		const char *of = versions_mode_name((enum versions_mode)mode);
		snprintf(key, sizeof key, "%s_path", of);
		snprintf(head, sizeof head, "data path, %s", of);
		table_column(t, key, head, "", TABLE_TEXT);
		snprintf(key, sizeof key, "%s_dram_per_nvlink", of);
		snprintf(head, sizeof head, "DRAM bytes per NVLink byte, %s", of);
		table_column(t, key, head, "", TABLE_NUMBER);
	}
	for (unsigned i = 0; i < v->nrows; i++) {
		const struct versions_row *row = &c->rows[i];
		TABLE_ROW(t, CELL(row->version));
		for (unsigned mode = 0; mode < v->nmodes; mode++)
			TABLE_PUT(t, CELL(row->sides[mode].value));
		TABLE_PUT(t, CELL(&row->verdict.ratio));
		put_verdict(t, &row->verdict);
		for (unsigned mode = 0; mode <= VERSIONS_PROCESSES; mode++) {
			TABLE_PUT(t, CELL(row->sides[mode].data_path),
			          CELL(row->sides[mode].dram_per_nvlink));
		}
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_paths(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t = NEW(
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
		          CELL(p->chunk), CELL(p->algorithms), CELL(p->launched),
		          CELL(p->why));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_containers(const struct model *m)
{
	const struct containers *c = &m->findings.containers;
	const struct summary *s = &m->summary;
	struct table *t = NEW(
	    "containers", "Processes set apart", {"variant", "variant", "", TABLE_TEXT},
	    {"own", "each process has its own", "", TABLE_TEXT},
	    {"transport", "transport", "", TABLE_TEXT}, {"speed", "speed", "", TABLE_RATIO},
	    {"verdict", "verdict", "", TABLE_VERDICT}, {"remedy", "remedy", "", TABLE_TEXT});
	for (unsigned i = 0; i < c->n; i++) {
		const struct containers_row *row = &c->rows[i];
		char own[160], verdict[VERDICT_TEXT_BYTES];
		containers_own(s->variants[row->variant].settings, own, sizeof own);
		answer_verdict(c->regime, row->variant, verdict, sizeof verdict);
		if (row->fails)
			snprintf(verdict, sizeof verdict, "does not run");
		TABLE_ROW(t, CELL(s->variants[row->variant].name), CELL(own),
		          CELL(m->findings.evidence.paths[row->variant].transport),
		          CELL(&row->verdict->ratio), CELL(verdict),
		          CELL(row->remedy < 0 ? "" : s->variants[row->remedy].name));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_acted(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t =
	    NEW("acted", "What the library made of each setting, by its own log",
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
	    NEW("counters", "Counters per rank", {"cell", "cell", "", TABLE_TEXT},
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

/* --- the run --- */

struct table *tables_memory(const struct model *m)
{
	static const double mib = 1048576.0;
	const struct summary *s = &m->summary;
	struct table *t = NEW("memory", "Memory", {"variant", "variant", "", TABLE_TEXT},
	                      {"buffers_mib", "buffers", "MiB", TABLE_NUMBER},
	                      {"communicator_mib", "communicator", "MiB", TABLE_NUMBER},
	                      {"registration_mib", "registration", "MiB", TABLE_NUMBER},
	                      {"calls_mib", "first calls", "MiB", TABLE_NUMBER},
	                      {"rank_mib", "per rank", "MiB", TABLE_NUMBER},
	                      {"process_mib", "process", "MiB", TABLE_NUMBER});
	for (unsigned v = 0; v < s->nvariants; v++) {
		enum summary_role role = s->variants[v].role;
		struct memory_use use;
		/* The limit's buffers are all that it needs, and the twin's are the
		 * reference's. */
		if ((role != ROLE_VARIANT && role != ROLE_REFERENCE) || memory_of(s, v, &use) ||
		    !(isfinite(use.buffers) || isfinite(use.comm) || isfinite(use.calls)))
			continue;
		const double bytes[] = {use.buffers, use.comm, use.registering,
		                        use.calls,   use.rank, use.process};
		TABLE_ROW(t, CELL(s->variants[v].name));
		for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
			TABLE_PUT(t, CELL(bytes[i] / mib));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_checks(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = table_new("checks", "Cells that were checked");
	table_column(t, "collective", "collective", "", TABLE_TEXT);
	for (int d = 0; d < DTYPE_KINDS; d++)
		if (checks_count(s, -1, d).cells)
			table_column(t, coll_dtype_name((enum dtype)d),
			             coll_dtype_name((enum dtype)d), "", TABLE_TEXT);
	for (int c = 0; c < COLL_KINDS; c++) {
		if (!checks_count(s, c, -1).cells)
			continue;
		TABLE_ROW(t, CELL(coll_info((enum coll_kind)c)->name));
		for (int d = 0; d < DTYPE_KINDS; d++) {
			struct checks n = checks_count(s, c, d);
			if (!checks_count(s, -1, d).cells)
				continue;
			if (n.wrong_cells)
				table_text(t, "%u of %u WRONG", n.wrong_cells, n.cells);
			else if (n.cells)
				table_text(t, "%u", n.cells);
			else
				TABLE_PUT(t, table_of_none());
		}
	}
	return t;
}

/* "name=NVIDIA H200, pci=0000:00:06.0; …": lists and objects in a line. Empty texts, as of
 * variables that are set to nothing, are left out. */
static void add_value(char *text, size_t bytes, const json_t *value)
{
	size_t used = strlen(text), i;
	const char *key;
	json_t *member;
	if (json_is_array(value)) {
		json_array_foreach(value, i, member)
		{
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s", i ? "; " : "");
			add_value(text, bytes, member);
		}
	} else if (json_is_object(value)) {
		const char *comma = "";
		json_object_foreach((json_t *)(uintptr_t)value, key, member)
		{
			if (json_is_string(member) && !*json_string_value(member))
				continue;
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s%s=", comma, key);
			add_value(text, bytes, member);
			comma = ", ";
		}
	} else if (json_is_string(value)) {
		snprintf(text + used, bytes - used, "%s", json_string_value(value));
	} else {
		char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
		snprintf(text + used, bytes - used, "%s", dumped ? dumped : "?");
		free(dumped);
	}
}

/* What a fact of the machine is called to people; one without a row by its key. */
static const char *fact_word(const char *key)
{
	static const struct {
		const char *key, *word;
	} words[] = {{"host", "host name"},
	             {"boot", "boot id"},
	             {"cpu", "CPU"},
	             {"cores", "cores that may be used"},
	             {"online", "cores online"},
	             {"numa_nodes", "NUMA nodes"},
	             {"os", "operating system"},
	             {"clock", "kernel's clock source"},
	             {"driver", "NVIDIA driver"},
	             {"load1", "load in the minute before"},
	             {"gpus", "GPUs"},
	             {"environment", "environment variables"},
	             {"cuda", "CUDA runtime"},
	             {"cuda_of_driver", "newest CUDA that the driver takes"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].key, key))
			return words[i].word;
	return key;
}

/* "24684084 kB", as the kernel says it, in GiB. */
static void say_memory(char *text, size_t bytes)
{
	char unit[4];
	double kib;
	if (sscanf(text, "%lf %3s", &kib, unit) == 2 && !strcmp(unit, "kB"))
		snprintf(text, bytes, "%.1f GiB", kib / (1 << 20));
}

/* As the first worker that has CUDA said it. */
static void put_cuda(const struct model *m, struct table *t)
{
	static const char *const keys[] = {"cuda", "cuda_of_driver"};
	for (unsigned i = 0; i < m->run.ncells; i++) {
		const json_t *facts =
		    json_array_get(json_object_get(m->run.cells[i].json, "facts"), 0);
		if (!json_object_get(facts, keys[0]))
			continue;
		for (unsigned k = 0; k < 2; k++)
			TABLE_ROW(t, CELL(fact_word(keys[k])),
			          CELL(json_string_value(json_object_get(facts, keys[k]))));
		return;
	}
}

struct table *tables_machine(const struct model *m)
{
	json_t *machine = json_object_get(m->run.environment, "machine"), *value;
	const char *key;
	struct table *t = NEW("machine", "Machine", {"what", "what", "", TABLE_TEXT},
	                      {"value", "value", "", TABLE_TEXT});
	json_object_foreach(machine, key, value)
	{
		char text[1024] = "";
		add_value(text, sizeof text, value);
		if (!strcmp(key, "memory"))
			say_memory(text, sizeof text);
		TABLE_ROW(t, CELL(fact_word(key)), CELL(text));
	}
	put_cuda(m, t);
	return t;
}

/* --- what a variant sets --- */

#define SETTINGS_BYTES 1024

/* What has a column of its own; a library's path says less than its version, and so does what
 * that had to be. */
static bool has_column(const char *key)
{
	static const char *const keys[] = {"mode", "layout", "backend",
	                                   "bind", "nccl",   "nccl_below"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void add_setting(char *text, const char *key, const char *value)
{
	size_t n = strlen(text);
	snprintf(text + n, SETTINGS_BYTES - n, "%s%s = %s", n ? ", " : "", key, value);
}

static void add_json(char *text, const char *key, const json_t *value)
{
	char number[32];
	if (json_is_string(value)) {
		add_setting(text, key, json_string_value(value));
	} else if (json_is_boolean(value)) {
		add_setting(text, key, json_is_true(value) ? "yes" : "no");
	} else if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		add_setting(text, key, number);
	}
}

static void add_env(char *text, const json_t *env)
{
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *entry = json_string_value(json_array_get(env, i));
		char key[TRIAL_ENV_BYTES];
		if (!entry || !strchr(entry, '='))
			continue;
		snprintf(key, sizeof key, "env.%.*s", (int)strcspn(entry, "="), entry);
		add_setting(text, key, strchr(entry, '=') + 1);
	}
}

/* The default allocator was `nccl` before it was `auto`. A run in which no variant says `auto`
 * is of that time, or sets `nccl` in all of them: a setting of none either way. */
static void take_allocator(const json_t *variants, json_t *plain)
{
	for (size_t i = 0; i < json_array_size(variants); i++) {
		const json_t *v = json_array_get(variants, i);
		const char *own = json_string_value(json_object_get(v, "allocator"));
		if (own && !strcmp(own, "auto"))
			return;
	}
	json_object_set_new(plain, "allocator", json_string("nccl"));
}

/* What the record's variant sets beyond the defaults: "register = local, env.NCCL_X = 1". Older
 * records name fewer settings; what they do not name was the default then. */
static void settings_of(const struct model *m, unsigned variant, char text[SETTINGS_BYTES])
{
	const json_t *variants = json_object_get(m->run.environment, "variants");
	const json_t *given = json_array_get(variants, variant);
	bool logs_path = record_traits(&m->run, m->summary.variants[variant].name)->logs_path;
	struct settings none;
	settings_default(&none);
	json_t *plain = settings_to_json(&none), *value;
	const char *key;
	text[0] = '\0';
	take_allocator(variants, plain);
	json_object_foreach(plain, key, value)
	{
		const json_t *own = json_object_get(given, key);
		bool idle = !strcmp(key, "expect") && !logs_path;
		if (own && !has_column(key) && strcmp(key, "env") && !idle &&
		    !json_equal(own, value))
			add_json(text, key, own);
	}
	add_env(text, json_object_get(given, "env"));
	json_decref(plain);
}

struct table *tables_variants(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t =
	    NEW("variants", "Variants", {"variant", "variant", "", TABLE_TEXT},
	        {"role", "role", "", TABLE_TEXT}, {"mode", "mode", "", TABLE_TEXT},
	        {"layout", "layout", "", TABLE_TEXT}, {"backend", "backend", "", TABLE_TEXT},
	        {"bind", "binding", "", TABLE_TEXT}, {"library", "library", "", TABLE_TEXT},
	        {"settings", "settings", "", TABLE_TEXT},
	        {"data_path", "data path", "", TABLE_TEXT});
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct summary_variant *v = &s->variants[i];
		char settings[SETTINGS_BYTES];
		/* What was left out has settings of another machine; why, is a warning. */
		if (v->skip[0])
			continue;
		settings_of(m, i, settings);
		const char *const texts[] = {v->name,    summary_role_name(v->role),
		                             v->mode,    v->layout,
		                             v->backend, v->bind,
		                             v->library, settings,
		                             v->path};
		table_row(t);
		for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
			TABLE_PUT(t, CELL(texts[n]));
	}
	table_drop_empty(t);
	return t;
}

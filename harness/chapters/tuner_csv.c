/* tuner.csv: what is confirmed of algorithm, protocol and channels, size by size, as the example of
 * a tuner plugin in NCCL's repository reads it (plugins/tuner/example/plugin.c, ext-tuner before
 * 2.29.7; read up to 2.30.7). It knows five collectives and takes any other name for all_reduce. Its
 * lines end at 255 characters; what follows would be another row. Its bytes are those of the
 * larger of both buffers, and its channels are the most that a call gets. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "run.h"
#include "tuning.h"

/* A measured size. */
struct place {
	unsigned group, size;
	size_t asked_bytes, bytes;
};

struct row {
	enum coll_kind coll;
	const char *collective, *algorithm, *protocol; /* in the plugin's words */
	size_t asked_bytes, from_bytes, to_bytes;
	unsigned channels, nodes, ranks;
	const char *set;
	const char *with; /* what else was set, and no row can say */
	int finalist;     /* or -1: the default's choice */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, asked_bytes, "measured at", "", BYTES),
    COLUMN(struct row, from_bytes, "from", "", BYTES),
    COLUMN(struct row, to_bytes, "to", "", BYTES),
    COLUMN(struct row, algorithm, "algorithm", "", TEXT),
    COLUMN(struct row, protocol, "protocol", "", TEXT),
    COLUMN(struct row, channels, "channels", "", COUNT),
    COLUMN(struct row, nodes, "nodes", "", COUNT),
    COLUMN(struct row, ranks, "ranks", "", COUNT),
    COLUMN(struct row, set, "set", "", TEXT),
    COLUMN(struct row, with, "only with", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "tuner", .title = "Rows for NCCL's tuner plugin", .when = STORY_NO_WHEN, .hidden = true);

static const struct {
	enum coll_kind coll;
	const char *name;
} collectives[] = {
    {COLL_BROADCAST, "broadcast"},
    {COLL_REDUCE, "reduce"},
    {COLL_ALL_GATHER, "allgather"},
    {COLL_REDUCE_SCATTER, "reducescatter"},
    {COLL_ALL_REDUCE, "allreduce"},
};
static const char *const algorithms[] = {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", NULL};
static const char *const protocols[] = {"ll", "ll128", "simple", NULL};
/* Settings that a row says: what NCCL took with them. More channels than the communicator has by
 * itself take a setting beside the row. */
static const char *const keys[] = {"env.NCCL_ALGO", "env.NCCL_PROTO", "env.NCCL_MAX_NCHANNELS", "max_ctas", "call_ctas", NULL};
// clang-format on

#define NCOLLECTIVES (sizeof collectives / sizeof *collectives)

static bool is_among(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* "RING" as the plugin writes it; NULL if it does not know it. */
static const char *word_of(struct arena *arena, const char *const *known, const char *word)
{
	char lower[32] = "";
	for (size_t i = 0; word[i] && i + 1 < sizeof lower; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	return is_among(known, lower) ? arena_copy(arena, lower) : NULL;
}

/* Whether a row can say anything of a finalist; and its other settings, those without an effect
 * omitted. */
static bool is_said(const struct tuning *t, int finalist, const char **with)
{
	char others[160] = "";
	bool said = false;
	for (unsigned i = 0; i < t->nsettings; i++) {
		const struct tuning_setting *s = &t->settings[i];
		if ((int)s->finalist != finalist || s->when & SET_LEFT_OUT)
			continue;
		if (is_among(keys, s->key))
			said = true;
		else
			status_list(
			    others, sizeof others,
			    arena_text(t->arena, "%s=%s", s->name ? s->name : s->key, s->value));
	}
	*with = others[0] ? arena_copy(t->arena, others) : NULL;
	return said;
}

/* The finalist that gains most at a size and of which a row can say something, of those that lose
 * in no cell of this size: cells of several paces or datatypes have one row. -1: none. */
static int best_at(const struct tuning *t, enum coll_kind coll, size_t asked_bytes)
{
	double most = 0;
	int best = -1;
	for (unsigned f = 0; f < t->nfinalists; f++) {
		bool any = false, no_loss = true;
		double gain = 0;
		const char *with;
		for (unsigned c = 0; c < t->ncells; c++) {
			const struct tuned_test *test = &t->finalists[f].tests[c];
			if (t->s->groups[t->cells[c].group].cell.coll != coll ||
			    t->cells[c].asked_bytes != asked_bytes)
				continue;
			any = any || test->confirmed;
			no_loss = no_loss && test->no_loss;
			gain += log(test->ratio.estimate);
		}
		if (any && no_loss && gain > most && is_said(t, (int)f, &with)) {
			most = gain;
			best = (int)f;
		}
	}
	return best;
}

/* Sizes of a collective, ascending, each once. */
static unsigned places_of(const struct tuning *t, enum coll_kind coll, struct place *places)
{
	unsigned n = 0;
	for (unsigned g = 0; g < t->s->ngroups; g++) {
		const struct summary_group *group = &t->s->groups[g];
		for (unsigned i = 0; i < group->nsizes; i++) {
			const size_t asked = group->asked_bytes[i];
			unsigned at = 0;
			if (group->limit || group->cell.coll != coll)
				break;
			while (at < n && places[at].asked_bytes < asked)
				at++;
			if (at < n && places[at].asked_bytes == asked)
				continue;
			memmove(places + at + 1, places + at, (n++ - at) * sizeof *places);
			places[at] = (struct place){g, i, asked, group->bytes[i]};
		}
	}
	return n;
}

/* What a variant took at a place, by NCCL's log; false: the log or the plugin does not know it. */
static bool row_of(const struct tuning *t, const struct place *place, unsigned variant,
                   struct row *out)
{
	const struct path_choice *c =
	    evidence_choice(t->s, t->evidence, variant, place->group, place->size);
	const struct summary_group *g = &t->s->groups[place->group];
	if (!c)
		return false;
	out->algorithm = word_of(t->arena, algorithms, c->algorithm);
	out->protocol = word_of(t->arena, protocols, c->protocol);
	out->channels = c->channels;
	out->asked_bytes = place->asked_bytes;
	out->nodes = settings_hosts(&t->s->run->variants[variant].settings);
	out->ranks = g->cell.comm_ranks ? g->cell.comm_ranks : g->nranks;
	return out->algorithm && out->protocol;
}

static size_t middle(const struct place *a, const struct place *b)
{
	return (size_t)sqrt((double)a->bytes * (double)b->bytes);
}

/* Of each size what is confirmed, and the default's choice where that is nothing, or takes other
 * settings too. */
static unsigned rows_of(const struct tuning *t, unsigned collective, struct row *rows)
{
	struct place *places = ARENA_ARRAY(t->arena, struct place, t->ncells + 1);
	const enum coll_kind coll = collectives[collective].coll;
	const unsigned nplaces = places_of(t, coll, places);
	unsigned n = 0;
	for (unsigned i = 0; i < nplaces; i++) {
		const int best = best_at(t, coll, places[i].asked_bytes);
		const struct row common = {
		    .coll = coll,
		    .collective = collectives[collective].name,
		    .from_bytes = i ? middle(&places[i - 1], &places[i]) + 1 : places[i].bytes,
		    .to_bytes =
		        i + 1 < nplaces ? middle(&places[i], &places[i + 1]) : places[i].bytes,
		    .finalist = -1};
		struct row *row = &rows[n];
		if (best >= 0) {
			const struct tuning_finalist *f = &t->finalists[best];
			*row = common;
			row->finalist = best;
			row->set = f->set;
			is_said(t, best, &row->with);
			n += row_of(t, &places[i], f->variant, row);
		}
		if (row == &rows[n] || row->with) {
			rows[n] = common;
			n += row_of(t, &places[i], (unsigned)t->s->reference, &rows[n]);
		}
	}
	return n;
}

/* --- the file --- */

static const char head[] =
    "# tuner.csv, for the example of a tuner plugin in NCCL's repository, plugins/tuner/example:\n"
    "# NCCL_TUNER_PLUGIN=/path/of/libnccl-tuner-example.so NCCL_TUNER_CONFIG_FILE=/path/of/this\n"
    "# Build it from NCCL 2.30.3 or later, for NCCL 2.28.3 or later: before, a row that matches\n"
    "# makes it read a wrong address. What no row matches it limits to one channel, and a row "
    "with\n"
    "# -1 channels too (up to 2.30.7): set *nChannels = 0 at the beginning of\n"
    "# pluginGetCollInfo, instead of 1. Then NCCL chooses for all other collectives and sizes.\n"
    "# Algorithm, protocol and channels are those that NCCL's log named. Between two sizes that "
    "were\n"
    "# measured a row ends at their geometric mean.\n"
    "# collective,min bytes,max bytes,algorithm,protocol,channels,nodes,ranks\n";

/* A finalist's confirmed gains at a row's size. */
static void add_gains(struct phrase *p, const struct tuning *t, const struct row *row)
{
	for (unsigned c = 0; c < t->ncells && row->finalist >= 0; c++) {
		const struct tuning_test *test =
		    &t->tested[(unsigned)row->finalist * t->ncells + c];
		if (test->of.confirmed && test->asked_bytes == row->asked_bytes &&
		    t->s->groups[t->cells[c].group].cell.coll == row->coll)
			phrase_add_row(p, t->in.tested, test,
			               "# {collective}, {asked_bytes}: {expect} times the speed "
			               "({expect:interval}), {set}\n");
	}
}

static const char *line_of(struct arena *arena, const struct row *r)
{
	return arena_text(arena, "%s%s%s%s,%zu,%zu,%s,%s,%u,%u,%u\n", r->with ? "# only with " : "",
	                  r->with ? r->with : "", r->with ? ":\n# " : "", r->collective,
	                  r->from_bytes, r->to_bytes, r->algorithm, r->protocol, r->channels,
	                  r->nodes, r->ranks);
}

void tuner_csv_tell(const struct tuning *t, struct story *story)
{
	struct row *rows = ARENA_ARRAY(t->arena, struct row, 2 * t->ncells + 1);
	struct phrase p = phrase_begin(story), use = phrase_begin(story);
	unsigned n = 0, gains = 0;
	for (unsigned c = 0; c < NCOLLECTIVES && t->s->reference >= 0; c++)
		n += rows_of(t, c, rows + n);
	for (unsigned i = 0; i < n; i++)
		gains += rows[i].finalist >= 0;
	if (!gains)
		return;
	story_table(story, &form, rows, n);
	phrase_add_row(&p, t->in.found, t->found, head);
	for (unsigned i = 0; i < n; i++) {
		add_gains(&p, t, &rows[i]);
		phrase_words(&p, line_of(t->arena, &rows[i]));
	}
	story_file(story, "tuner.csv", p.text);
	phrase_add_row(&use, t->in.found, t->found,
	               "By size, for collectives that have algorithms, the same is in tuner.csv, "
	               "which the example of a tuner plugin in NCCL's repository reads: "
	               "NCCL_TUNER_PLUGIN=/path/of/libnccl-tuner-example.so "
	               "NCCL_TUNER_CONFIG_FILE={folder}/tuner.csv. The file says which version to "
	               "build it from, and what to change before.");
	phrase_end(&use, STORY_BODY);
}

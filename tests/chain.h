/* Whole runs that are made up, without a disk: from noise to the final words. For simulations,
 * and for a small one as a test; seeded, the same everywhere.
 *
 * A run has threads (the reference), its twin, processes that are slower by `effect`, and
 * single that is as fast as threads; alltoall at two small and two large sizes, at both paces.
 * A job has one luck for each pace, and each of its cells a little of its own. What is counted
 * are the words for every variant in every regime, of every claim, and of every factor. */
#ifndef LAUNCHGAP_TESTS_CHAIN_H
#define LAUNCHGAP_TESTS_CHAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/analysis/regime.h"
#include "../harness/analysis/findings.h"
#include "../harness/analysis/regime.h"
#include "../harness/analysis/summary.h"
#include "../harness/backend/table.h"
#include "../harness/run/stop.h"
#include "../harness/selftest/outcome.h"
#include "noise.h"

#define CHAIN_MOST     40 /* blocks */
#define CHAIN_VARIANTS 4
#define CHAIN_SIZES    4
#define CHAIN_CELLS    (CHAIN_VARIANTS * CHAIN_SIZES * 2) /* a block */

/* Beside a job's noise (noise.h): what happens to a whole run. */
enum chain_noise {
	CHAIN_DRIFT = NOISE_KINDS, /* each job is 0.1 % slower than the one before */
	CHAIN_BAD_BLOCK,           /* one block in ten: its jobs are off tenfold */
	CHAIN_COLD,                /* the first block's jobs are slower by 10 % and noisier */
	CHAIN_NOISES
};

enum chain_way { CHAIN_FIXED, CHAIN_AUTO, CHAIN_INVITED };

struct chain {
	enum chain_noise noise;
	enum chain_way way;
	unsigned blocks; /* CHAIN_INVITED: at first; CHAIN_AUTO: unused */
	double effect;   /* processes take 1 + this times as long */
	uint64_t seed;
};

/* What one run's report said. */
struct chain_words {
	unsigned verdicts, decided, wrong;
	bool found; /* large: processes are slower, in any degree */
	unsigned blocks, looks;
};

static const char *const chain_names[] = {"threads", "threads-again", "processes", "single"};

static inline const char *chain_noise_name(enum chain_noise noise)
{
	static const char *const names[] = {"drift", "bad block", "cold start"};
	return noise < CHAIN_DRIFT ? noise_name((enum noise)noise) : names[noise - CHAIN_DRIFT];
}

#define CHAIN_VARIANT(name, role, mode)                                                        \
	"{\"name\":\"" name "\",\"role\":\"" role "\",\"mode\":\"" mode                        \
	"\",\"layout\":\"1x2x1\",\"backend\":\"nccl\",\"nccl\":\"\",\"path\":\"auto\","        \
	"\"bind\":\"none\",\"env\":[],\"skip\":\"\"}"
#define CHAIN_CLAIM(name, is, left, right, metric)                                             \
	"{\"name\":\"" name "\",\"text\":\"\",\"is\":\"" is "\",\"left\":\"" left              \
	"\",\"right\":\"" right "\",\"metric\":\"" metric                                      \
	"\",\"by\":0.02,\"bytes\":[0,null],\"pace\":null,\"collective\":null}"
#define CHAIN_FACTOR(name, to)                                                                 \
	"{\"name\":\"" name "\",\"text\":\"\",\"from\":\"threads\",\"to\":\"" to               \
	"\",\"setting\":\"mode\",\"placebo\":false,\"bytes\":[0,null]}"

static const char
    chain_environment
        [] =
            "{\"schema\":1,\"kind\":\"environment\",\"experiment\":\"x\",\"title\":\"\","
            "\"question\":\"\",\"command\":[],\"created\":\"\",\"launchgap\":\"\",\"backend\":"
            "\"nccl\","
            "\"backend_why\":\"\",\"primary\":\"main\",\"ranks\":2,\"seed\":\"2a\","
            "\"reference\":\"threads\",\"warmup\":1,"
            "\"stretches\":1,\"calls\":1,\"isolated_calls\":1,\"machine\":{\"cores\":16},"
            "\"variants\":[" CHAIN_VARIANT("threads", "reference", "threads") "," CHAIN_VARIANT("threads-again", "again", "threads") "," CHAIN_VARIANT("processes", "variant", "processes") "," CHAIN_VARIANT(
                "single", "variant",
                "single") "],"
                          "\"claims\":[" CHAIN_CLAIM("main", "less", "processes", "threads", "busbw") "," CHAIN_CLAIM("latency", "more", "processes", "threads", "latency") "," CHAIN_CLAIM(
                              "other", "less", "processes", "single",
                              "busbw") "," CHAIN_CLAIM("alike", "within", "single", "threads",
                                                       "busbw") "," CHAIN_CLAIM("none", "less",
                                                                                "single",
                                                                                "threads",
                                                                                "busbw") "," CHAIN_CLAIM("quick",
                                                                                                         "more",
                                                                                                         "single",
                                                                                                         "threads",
                                                                                                         "latency") "],"
                                                                                                                    "\"factors\":[" CHAIN_FACTOR(
                                                                                                                        "mode",
                                                                                                                        "processes") "," CHAIN_FACTOR("one",
                                                                                                                                                      "single") "]}";

/* A run that grows block by block. */
struct chain_run {
	struct record_run record;
	struct sample samples[CHAIN_MOST * CHAIN_CELLS][2];
	struct record_resume resumes[CHAIN_MOST];
	json_t *line; /* of every resume */
	unsigned blocks;
};

static inline double chain_luck(const struct chain *c, unsigned variant, unsigned block,
                                unsigned order, bool bad, uint64_t *seed)
{
	enum noise noise = c->noise < CHAIN_DRIFT ? (enum noise)c->noise : NOISE_NORMAL;
	/* Lopsided: the reference lacks the tail. */
	double luck = noise != NOISE_LOPSIDED ? noise_side(noise, seed)
	              : variant > 1           ? noise_log_ratio(noise, seed)
	                                      : 0.3 * noise_normal(seed);
	if (c->noise == CHAIN_DRIFT)
		luck += 0.1 * order;
	if (c->noise == CHAIN_BAD_BLOCK && bad)
		luck *= 10;
	if (c->noise == CHAIN_COLD && block == 0)
		luck = 10 + 3 * luck;
	return luck;
}

static inline void chain_cell(struct chain_run *run, unsigned at, unsigned variant,
                              unsigned order, unsigned size, bool isolated, double log_time)
{
	static const size_t sizes[CHAIN_SIZES] = {4 << 10, 64 << 10, 16 << 20, 256 << 20};
	struct record_cell *cell = &run->record.cells[at];
	*cell = (struct record_cell){.block = at / CHAIN_CELLS,
	                             .order = order,
	                             .nranks = 2,
	                             .cell = {.coll = COLL_ALLTOALL,
	                                      .bytes = sizes[size],
	                                      .asked_bytes = sizes[size],
	                                      .op = OP_SUM,
	                                      .pace = isolated ? PACE_ISOLATED : PACE_STREAM,
	                                      .comm_ranks = 2},
	                             .rows = 1,
	                             .calls = 1,
	                             .samples = run->samples[at],
	                             .carries_data = true,
	                             .digest = "00000000000000aa",
	                             .traits = &run->record.backends[0].traits};
	strcpy(cell->variant, chain_names[variant]);
	for (unsigned r = 0; r < 2; r++)
		run->samples[at][r] = (struct sample){
		    .issued_ns = 100, .idle_ns = llround(1e8 * exp(log_time)), .poll_ns = 10};
}

/* One job of each variant, in shuffled order. A job's luck scatters by 1 % at the large sizes
 * and by 2 % at the small ones, its cells by a fifth of that. */
static inline void chain_block(struct chain_run *run, const struct chain *c, uint64_t *seed)
{
	unsigned order[CHAIN_VARIANTS] = {0, 1, 2, 3}, at = run->blocks * CHAIN_CELLS;
	bool bad = noise_uniform(seed) < 0.1;
	for (unsigned i = CHAIN_VARIANTS; i > 1; i--) {
		unsigned k = (unsigned)(noise_uniform(seed) * i), kept = order[i - 1];
		order[i - 1] = order[k];
		order[k] = kept;
	}
	for (unsigned i = 0; i < CHAIN_VARIANTS; i++)
		for (unsigned isolated = 0; isolated < 2; isolated++) {
			double scatter = isolated ? 0.02 : 0.01;
			double effect = order[i] == 2 ? log1p(c->effect) : 0;
			double luck = chain_luck(c, order[i], run->blocks,
			                         run->blocks * CHAIN_VARIANTS + i, bad, seed);
			for (unsigned size = 0; size < CHAIN_SIZES; size++)
				chain_cell(run, at++, order[i],
				           run->blocks * CHAIN_VARIANTS + i, size, isolated,
				           effect +
				               scatter * (luck + 0.2 * noise_normal(seed)));
		}
	run->record.ncells = at;
	run->blocks++;
}

static inline struct chain_run *chain_begin(const struct chain *c)
{
	struct chain_run *run = calloc(1, sizeof *run);
	struct record_cell *cells = calloc(CHAIN_MOST * CHAIN_CELLS, sizeof *cells);
	struct record_backend *backend = calloc(1, sizeof *backend);
	json_t *environment = json_loads(chain_environment, 0, NULL);
	run->line = json_object();
	if (!cells || !backend || !environment || !run->line)
		abort();
	json_object_set_new(environment, "blocks",
	                    json_integer(c->way == CHAIN_AUTO ? 0 : (int)c->blocks));
	strcpy(backend->name, "nccl");
	backend->traits = *traits_find("nccl");
	run->record = (struct record_run){.environment = environment,
	                                  .nbackends = 1,
	                                  .backends = backend,
	                                  .cells = cells,
	                                  .resumes = run->resumes};
	return run;
}

static inline void chain_end(struct chain_run *run)
{
	json_decref(run->record.environment);
	json_decref(run->line);
	free(run->record.backends);
	free(run->record.cells);
	free(run);
}

/* Whether a word is wrong of something whose log speed is `truth`. */
static inline bool chain_word_wrong(enum word word, double truth)
{
	const double edge = log1p(0.02), tiny = 1e-9;
	bool beyond = fabs(truth) > edge + tiny;
	switch (word) {
	case WORD_FASTER:
		return truth <= edge + tiny;
	case WORD_SLOWER:
		return truth >= -edge - tiny;
	case WORD_FASTER_LESS:
		return truth <= 0 || beyond;
	case WORD_SLOWER_LESS:
		return truth >= 0 || beyond;
	case WORD_NO_DIFFERENCE:
		return beyond;
	default:
		return false;
	}
}

static inline enum word chain_word_of(const struct verdict *v)
{
	static const enum word words[VERDICT_KINDS] = {
	    [VERDICT_FASTER] = WORD_FASTER,
	    [VERDICT_SLOWER] = WORD_SLOWER,
	    [VERDICT_LITTLE_FASTER] = WORD_FASTER_LESS,
	    [VERDICT_LITTLE_SLOWER] = WORD_SLOWER_LESS,
	    [VERDICT_NO_DIFFERENCE] = WORD_NO_DIFFERENCE,
	    [VERDICT_UNDECIDED] = WORD_UNDECIDED};
	return words[v->kind];
}

static inline void chain_count(struct chain_words *out, enum word word, double truth)
{
	out->verdicts++;
	out->decided += word != WORD_UNDECIDED && word != WORD_CANNOT_TELL;
	out->wrong += chain_word_wrong(word, truth);
}

static inline void chain_count_claim(struct chain_words *out, const struct claims_result *r,
                                     double truth)
{
	const double edge = log1p(r->claim->by), tiny = 1e-9;
	double toward = r->claim->test == CLAIM_LESS ? -truth : truth; /* what it says */
	bool within = fabs(truth) <= edge + tiny;
	out->verdicts++;
	/* "Taken alone" it is no verdict of the report. */
	if (!claims_decided(r) || r->alone)
		return;
	out->decided++;
	if (r->claim->test == CLAIM_WITHIN)
		out->wrong += r->outcome == CLAIMS_HOLD   ? !within
		              : r->outcome == CLAIMS_FAIL ? within
		                                          : 0;
	else
		out->wrong += r->outcome == CLAIMS_HOLD     ? toward <= edge + tiny
		              : r->outcome == CLAIMS_LITTLE ? toward <= 0 || !within
		              : r->outcome == CLAIMS_FAIL   ? toward > edge + tiny
		                                            : 0;
}

/* The log speed of a variant. */
static inline double chain_truth(const struct chain *c, const char *variant)
{
	return strcmp(variant, "processes") ? 0 : -log1p(c->effect);
}

/* All words of the report. `more`: the blocks that it invites to for its first claim. */
static inline struct chain_words chain_judge(const struct chain *c, struct chain_run *run,
                                             unsigned *more)
{
	struct chain_words out = {.blocks = run->blocks};
	struct summary s;
	struct regimes regimes;
	struct status st = {""};
	struct findings *f = malloc(sizeof *f);
	if (!f || summary_make(&run->record, &s, &st) || regimes_make(&s, &regimes, &st) ||
	    findings_make(&s, &regimes, f, &st)) {
		fprintf(stderr, "%s\n", st.text);
		abort();
	}
	for (unsigned i = 0; i < regimes.n; i++)
		for (unsigned v = 2; v < CHAIN_VARIANTS; v++) {
			const struct regime *r = &regimes.list[i];
			int at = index_variant(&s, chain_names[v]);
			char text[256];
			enum word word;
			regime_verdict_text(r, (unsigned)at, text, sizeof text);
			if (outcome_word(text, r->tells, &word, &st)) {
				fprintf(stderr, "%s\n", st.text);
				abort();
			}
			chain_count(&out, word, chain_truth(c, chain_names[v]));
			if (v == 2 && r->kind == REGIME_LARGE)
				out.found = word == WORD_SLOWER || word == WORD_SLOWER_LESS;
		}
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claim *claim = f->claims[i].claim;
		double speed = chain_truth(c, claim->left) - chain_truth(c, claim->right);
		chain_count_claim(&out, &f->claims[i],
		                  contrast_is_time(claim->metric) ? -speed : speed);
	}
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		double truth = chain_truth(c, f->asked.factors[i].to);
		chain_count(&out, chain_word_of(&f->factors[i].bandwidth), truth);
		chain_count(&out, chain_word_of(&f->factors[i].latency), truth);
	}
	*more = claims_decided(&f->claims[0]) ? 0 : f->claims[0].more_blocks;
	out.looks = s.looks.n;
	findings_free(f);
	free(f);
	regimes_free(&regimes);
	summary_free(&s);
	return out;
}

/* Whether `blocks = auto` has enough, at 1 %. */
static inline bool chain_precise(struct chain_run *run)
{
	const bool none[CHAIN_VARIANTS] = {false};
	struct stop_width width;
	struct summary s;
	struct status st = {""};
	if (summary_make(&run->record, &s, &st) || stop_widest(&s, none, &width, &st))
		abort();
	summary_free(&s);
	return stop_is_precise(&width, 0.01);
}

/* Someone sees what the report invites to and measures as much, until the claim is decided. */
static inline struct chain_words chain_follow(const struct chain *c, struct chain_run *run,
                                              uint64_t *seed)
{
	unsigned more;
	struct chain_words words = chain_judge(c, run, &more);
	while (more && run->blocks < CHAIN_MOST) {
		unsigned last =
		    run->blocks + more < CHAIN_MOST ? run->blocks + more : CHAIN_MOST;
		run->resumes[run->record.nresumes++] =
		    (struct record_resume){.first_block = run->blocks,
		                           .behind_end = true,
		                           .blocks = last - run->blocks,
		                           .created = "",
		                           .launchgap = "",
		                           .json = run->line};
		while (run->blocks < last)
			chain_block(run, c, seed);
		words = chain_judge(c, run, &more);
	}
	return words;
}

static inline struct chain_words chain_make(const struct chain *c)
{
	struct chain_run *run = chain_begin(c);
	struct chain_words words;
	uint64_t seed = c->seed;
	unsigned more, blocks = c->way == CHAIN_AUTO ? CHAIN_MOST : c->blocks;
	while (
	    run->blocks < blocks &&
	    !(c->way == CHAIN_AUTO && verdict_looks_after(run->blocks) && chain_precise(run)))
		chain_block(run, c, &seed);
	words =
	    c->way == CHAIN_INVITED ? chain_follow(c, run, &seed) : chain_judge(c, run, &more);
	chain_end(run);
	return words;
}

/* What the reports of several runs said, together. */
struct chain_sums {
	unsigned runs, verdicts, decided, wrong, wrong_runs, found, blocks, looks;
};

/* Of runs like `first`, each with the next seed. */
static inline struct chain_sums chain_sum(struct chain first, unsigned runs)
{
	struct chain_sums sums = {.runs = runs};
	for (unsigned i = 0; i < runs; i++, first.seed++) {
		struct chain_words words = chain_make(&first);
		sums.verdicts += words.verdicts;
		sums.decided += words.decided;
		sums.wrong += words.wrong;
		sums.wrong_runs += words.wrong > 0;
		sums.found += words.found;
		sums.blocks += words.blocks;
		sums.looks += words.looks;
	}
	return sums;
}

#endif

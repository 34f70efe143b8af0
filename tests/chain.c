#include "chain.h"

#include "../harness/backend/table.h"
#include "../harness/memory.h"
#include "../harness/record/record_search.h"
#include "../harness/analysis/verdict.h"
#include "made.h"
#include "query.h"

static const struct made_variant variants[CHAIN_VARIANTS] = {
    {.name = "threads", .role = "reference"},
    {.name = "threads-again", .role = "again"},
    {.name = "processes", .mode = "processes"},
    {.name = "single", .mode = "single"},
};

/* A run that grows block by block. */
struct chain_run {
	struct record_run record;
	struct sample samples[CHAIN_MOST * CHAIN_CELLS][2];
	struct record_resume resumes[CHAIN_MOST];
	json_t *line; /* of every resume */
	unsigned blocks;
};

const char *chain_noise_name(enum chain_noise noise)
{
	static const char *const names[] = {"drift", "bad block", "cold start"};
	return noise < CHAIN_DRIFT ? noise_name((enum noise)noise) : names[noise - CHAIN_DRIFT];
}

static double chain_luck(const struct chain *c, unsigned variant, unsigned block, unsigned order,
                         bool bad, uint64_t *seed)
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

static void chain_cell(struct chain_run *run, unsigned at, unsigned variant, unsigned order,
                       unsigned size, bool isolated, double log_time)
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
	                             .traits = &run->record.backends[0].traits};
	strcpy(cell->variant, variants[variant].name);
	for (unsigned r = 0; r < 2; r++)
		run->samples[at][r] = (struct sample){
		    .issued_ns = 100, .idle_ns = llround(1e8 * exp(log_time)), .poll_ns = 10};
}

/* One job of each variant, in shuffled order. A job's deviation scatters by 1 % at the large sizes
 * and by 7 % at the small ones, its cells by a fifth of that. */
static void chain_block(struct chain_run *run, const struct chain *c, uint64_t *seed)
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
			double scatter = isolated ? 0.07 : 0.01;
			double effect = order[i] == 2 ? log1p(c->effect) : 0;
			double luck = chain_luck(c, order[i], run->blocks,
			                         run->blocks * CHAIN_VARIANTS + i, bad, seed);
			for (unsigned size = 0; size < CHAIN_SIZES; size++)
				chain_cell(run, at++, order[i], run->blocks * CHAIN_VARIANTS + i,
				           size, isolated,
				           effect + scatter * (luck + 0.2 * noise_normal(seed)));
		}
	run->record.ncells = at;
	run->blocks++;
}

/* Six claims and two factors; the first claim is what the run is about. */
static json_t *environment_of(const struct chain *c)
{
	struct claim_list *asked = memory_take(1, sizeof *asked);
	made_claim(asked, METRIC_BUSBW, CLAIM_LESS, "processes", "threads");
	made_claim(asked, METRIC_LATENCY, CLAIM_MORE, "processes", "threads");
	made_claim(asked, METRIC_BUSBW, CLAIM_LESS, "processes", "single");
	made_claim(asked, METRIC_BUSBW, CLAIM_WITHIN, "single", "threads");
	made_claim(asked, METRIC_BUSBW, CLAIM_LESS, "single", "threads");
	made_claim(asked, METRIC_LATENCY, CLAIM_MORE, "single", "threads");
	made_factor(asked, "mode", "threads", "processes");
	made_factor(asked, "one", "threads", "single");
	strcpy(asked->primary, "c1");
	json_t *env = made_environment(&(struct made){.variants = variants,
	                                              .nvariants = CHAIN_VARIANTS,
	                                              .asked = asked,
	                                              .rows = 1,
	                                              .blocks = c->blocks});
	free(asked);
	json_object_set_new(env, "calls", json_integer(1));
	return env;
}

static struct chain_run *chain_begin(const struct chain *c)
{
	struct chain_run *run = memory_take(1, sizeof *run);
	struct record_cell *cells = memory_take(CHAIN_MOST * CHAIN_CELLS, sizeof *cells);
	struct record_backend *backend = memory_take(1, sizeof *backend);
	json_t *environment = environment_of(c), *list = json_object_get(environment, "variants");
	const unsigned n = (unsigned)json_array_size(list);
	struct record_variant *own = memory_take(n, sizeof *own);
	run->line = json_object();
	for (unsigned i = 0; i < n; i++)
		record_variant_take(json_array_get(list, i), &own[i]);
	strcpy(backend->name, "nccl");
	backend->traits = *traits_find("nccl");
	run->record = (struct record_run){.environment = environment,
	                                  .nvariants = n,
	                                  .variants = own,
	                                  .nbackends = 1,
	                                  .backends = backend,
	                                  .cells = cells,
	                                  .resumes = run->resumes};
	return run;
}

static void chain_end(struct chain_run *run)
{
	json_decref(run->record.environment);
	json_decref(run->line);
	free(run->record.backends);
	free(run->record.variants);
	free(run->record.cells);
	free(run);
}

/* Each word of the report with the true log speed of what it is about, and whether it is wrong: of
 * variants and of factors, and of claims, where "taken alone" is no word. */
static const char judged[] =
    "WITH truth AS (SELECT name, iif(name = 'processes', %.17g, 0.0) at, %.17g edge FROM variant), "
    "said AS ("
    "SELECT word, at, edge, name = 'processes' AND word LIKE 'slower%%' slower, regime "
    "FROM speed JOIN variant v ON v.id = variant JOIN truth USING (name) WHERE role <> 'again' "
    "UNION ALL SELECT coalesce(word, 'undecided'), at, edge, 0, 0 "
    "FROM asked_found JOIN variant v ON v.id = variant JOIN truth USING (name) "
    "WHERE finding = 'factors'), "
    "claim AS ("
    "SELECT kind, outcome, edge, x, iif(kind = 'less', -x, x) toward, "
    "outcome <> 'undecided' AND NOT alone decided "
    "FROM (SELECT c.*, l.edge, iif(unit = 'µs', -1, 1) * (l.at - r.at) x FROM claimed c "
    "JOIN truth l ON l.name = left_name JOIN truth r ON r.name = right_name)), "
    "word AS ("
    "SELECT word <> 'undecided' decided, slower AND regime = 1 found, "
    "slower AND regime = 0 found_small, CASE word WHEN 'faster' THEN at <= edge "
    "WHEN 'slower' THEN at >= -edge WHEN 'faster by little' THEN at <= 0 OR abs(at) > edge "
    "WHEN 'slower by little' THEN at >= 0 OR abs(at) > edge "
    "WHEN 'no difference' THEN abs(at) > edge ELSE 0 END wrong FROM said "
    "UNION ALL SELECT decided, 0, 0, decided AND CASE WHEN kind = 'within' THEN "
    "(abs(x) > edge) = (outcome = 'holds') WHEN outcome = 'holds' THEN toward <= edge "
    "WHEN outcome = 'fails' THEN toward > edge ELSE toward <= 0 OR abs(x) > edge END FROM claim) "
    "SELECT count(*), sum(decided), sum(wrong), max(found), max(found_small), "
    "(SELECT coalesce(max(more), 0) FROM claimed WHERE id = 0) FROM word";

/* All words of the report. `more`: the blocks that it asks for to decide its first claim. */
static struct chain_words chain_judge(const struct chain *c, struct chain_run *run, unsigned *more)
{
	struct chain_words out = {.blocks = run->blocks};
	const struct arena_mark mark = arena_mark(scratch());
	struct db *db = figures_load(&run->record, NULL, scratch(), WHY);
	const char *text =
	    db ? query(db, arena_text(scratch(), judged, -log1p(c->effect), log1p(0.02) + 1e-9))
	       : because();
	if (sscanf(text, "%u %u %u %u %u %u", &out.verdicts, &out.decided, &out.wrong, &out.found,
	           &out.found_small, more) != 6) {
		fprintf(stderr, "%s\n", text);
		abort();
	}
	out.looks = looks_count(&run->record).n;
	arena_undo(scratch(), db);
	arena_release(scratch(), mark);
	return out;
}

/* A reader measures as many blocks as the report asks for, until the claim is decided. */
static struct chain_words chain_follow(const struct chain *c, struct chain_run *run, uint64_t *seed)
{
	unsigned more;
	struct chain_words words = chain_judge(c, run, &more);
	while (more && run->blocks < CHAIN_MOST) {
		unsigned last = run->blocks + more < CHAIN_MOST ? run->blocks + more : CHAIN_MOST;
		run->resumes[run->record.nresumes++] =
		    (struct record_resume){.first_block = run->blocks,
		                           .after_end = true,
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

static struct chain_words chain_make(const struct chain *c)
{
	struct chain_run *run = chain_begin(c);
	struct chain_words words;
	uint64_t seed = c->seed;
	unsigned more;
	while (run->blocks < c->blocks)
		chain_block(run, c, &seed);
	words = c->way == CHAIN_INVITED ? chain_follow(c, run, &seed) : chain_judge(c, run, &more);
	chain_end(run);
	return words;
}

struct chain_sums chain_sum(struct chain first, unsigned runs)
{
	struct chain_sums sums = {.runs = runs};
	for (unsigned i = 0; i < runs; i++, first.seed++) {
		struct chain_words words = chain_make(&first);
		sums.verdicts += words.verdicts;
		sums.decided += words.decided;
		sums.wrong += words.wrong;
		sums.wrong_runs += words.wrong > 0;
		sums.found += words.found;
		sums.found_small += words.found_small;
		sums.blocks += words.blocks;
		sums.looks += words.looks;
	}
	return sums;
}

/* What the devices' counters saw of each variant, next to the model of DRAM traffic
 * (analysis/evidence.h): means over ranks. evidence.csv has them rank by rank. */
#include <limits.h>
#include <math.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_evidence.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

struct row {
	const char *cell, *variant;
	double model_direct, model_staged; /* if the path is not known */
	double sm_busy;
	struct evidence_row of;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, cell, "cell", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, of.nvlink_tx_gbs, "nvlink_tx_gbs", "NVLink TX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.limit_share, "of_limit", "of the limit", "", SHARE, 0),
    COLUMN_AS(struct row, of.nvlink_rx_gbs, "nvlink_rx_gbs", "NVLink RX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.dram_gbs, "dram_gbs", "DRAM", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.dram_share, "dram_of_peak", "of its peak", "", SHARE, 0),
    COLUMN_AS(struct row, of.dram_per_nvlink, "dram_per_nvlink", "DRAM bytes per NVLink byte", "", NUMBER, 0),
    COLUMN_AS(struct row, of.model, "model", "by the model", "", NUMBER, 0),
    COLUMN(struct row, model_direct, "model, direct", "", NUMBER),
    COLUMN(struct row, model_staged, "model, staged", "", NUMBER),
    COLUMN_AS(struct row, of.cached, "cached", "below the model", "", NUMBER, 0),
    COLUMN(struct row, sm_busy, "SMs busy", "", SHARE),
    COLUMN_AS(struct row, of.pcie_tx_gbs, "pcie_tx_gbs", "PCIe TX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.copies, "copies", "copies per byte", "", NUMBER, 0),
    COLUMN_AS(struct row, of.copies_model, "copies_model", "by the model", "", NUMBER, 0),
    COLUMN_AS(struct row, of.issue_cores, "issue_cores", "cores issuing", "", NUMBER, 0),
    COLUMN_AS(struct row, of.blocks, "blocks", "blocks", "", COUNT, 0),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "counters", .title = "Counters per rank", .when = STORY_NO_WHEN);

struct rank {
	const char *variant, *mode, *transport, *data_path, *what;
	unsigned ranks, rank, blocks;
	size_t bytes, asked_bytes;
	double x[RANK_FIGURES];
};

#define FIGURE(figure, key) COLUMN_AS(struct rank, x[figure], key, key, "", NUMBER, 0)
static const struct column rank_columns[] = {
    COLUMN(struct rank, variant, "variant", "", TEXT),
    COLUMN(struct rank, mode, "mode", "", TEXT),
    COLUMN(struct rank, transport, "transport", "", TEXT),
    COLUMN(struct rank, data_path, "data path", "", TEXT),
    COLUMN(struct rank, ranks, "ranks", "", COUNT),
    COLUMN(struct rank, what, "what", "", TEXT),
    COLUMN(struct rank, bytes, "size used", "", BYTES),
    COLUMN(struct rank, asked_bytes, "size", "", BYTES),
    COLUMN(struct rank, rank, "rank", "", COUNT),
    FIGURE(RANK_NVLINK_TX, "nvlink_tx_gbs"),
    FIGURE(RANK_NVLINK_RX, "nvlink_rx_gbs"),
    FIGURE(RANK_DRAM, "dram_gbs"),
    FIGURE(RANK_DRAM_LIMIT, "dram_limit_gbs"),
    FIGURE(RANK_DRAM_PER_NVLINK, "dram_per_nvlink"),
    FIGURE(RANK_SM, "sm_percent"),
    FIGURE(RANK_BUSY, "busy_percent"),
    FIGURE(RANK_MEMORY_BUSY, "memory_busy_percent"),
    FIGURE(RANK_PCIE_TX, "pcie_tx_gbs"),
    FIGURE(RANK_PCIE_RX, "pcie_rx_gbs"),
    FIGURE(RANK_COPIED, "copied_bytes"),
    FIGURE(RANK_DELIVERED, "delivered_bytes"),
    FIGURE(RANK_COPIES, "copies_per_byte"),
    FIGURE(RANK_ISSUE_CORES, "issue_cores"),
    FIGURE(RANK_SECONDS, "seconds"),
    COLUMN(struct rank, blocks, "blocks", "", COUNT),
};
static const struct story_form rank_form =
    STORY_FORM(struct rank, rank_columns, .name = "evidence", .title = "Counters, rank by rank",
               .when = STORY_NO_WHEN, .file = "evidence.csv", .hidden = true);

/* The model's cost of a byte, and which counters are missing. */
enum { LINKS = 1, COPIES = 2, MISSING = 4 };

struct model {
	unsigned staged, direct, own;                      /* DRAM bytes */
	unsigned fifo_copies, direct_copies, own_copies;
	const char *missing;
	unsigned when;
};

static const struct column model_columns[] = {
    COLUMN(struct model, staged, "DRAM bytes, staged", "", COUNT),
    COLUMN(struct model, direct, "direct", "", COUNT),
    COLUMN(struct model, own, "alltoall's own part, over ranks - 1", "", COUNT),
    COLUMN(struct model, fifo_copies, "copies, fifo", "", COUNT),
    COLUMN(struct model, direct_copies, "direct and shared", "", COUNT),
    COLUMN(struct model, own_copies, "alltoall's own part, over ranks - 1", "", COUNT),
    COLUMN(struct model, missing, "missing counters", "", TEXT),
};
static const struct story_form model_form =
    STORY_FORM(struct model, model_columns, .name = "counters_model", .title = "The model of counters",
               .when = offsetof(struct model, when), .hidden = true);

/* If counters were not read in all blocks. */
enum { ALL_IN_SO_MANY = 1, SOME_IN_FEWER = 2 };

struct read {
	unsigned fewest, most, blocks;
	unsigned when;
};

static const struct column read_columns[] = {
    COLUMN(struct read, fewest, "blocks with counters, fewest of a variant", "", COUNT),
    COLUMN(struct read, most, "most", "", COUNT),
    COLUMN(struct read, blocks, "of blocks", "", COUNT),
};
static const struct story_form read_form =
    STORY_FORM(struct read, read_columns, .name = "counters_read", .title = "Blocks with counters",
               .when = offsetof(struct read, when), .hidden = true);

static const struct sentence read_sentences[] = {
    {STORY_BODY, ALL_IN_SO_MANY, "Counters were read in {most} of {blocks} blocks."},
    {STORY_BODY, SOME_IN_FEWER, "Counters were read in {fewest} to {most} of {blocks} blocks; each row says in how many."},
};

static const struct sentence sentences[] = {
    {STORY_BODY, 0, "Per rank over a steady stretch in a separate pass, median over blocks."},
    {STORY_BODY, LINKS, "The model, in DRAM bytes per byte sent over NVLink: staged {staged} (read, slot written, slot read, "
                        "written), direct {direct}; alltoall's own part adds {own} ÷ (ranks − 1). NVLink bytes are payload, without "
                        "the links' headers. What stays below the model was presumably read from the L2 cache."},
    {STORY_BODY, COPIES, "The model, in copies for each byte that came from another rank: fifo {fifo_copies}, direct and shared "
                         "{direct_copies}; alltoall's own part adds {own_copies} ÷ (ranks − 1)."},
    {STORY_BODY, MISSING, "Missing counters: {missing}."},
};
// clang-format on

static struct row row_of(const struct summary *s, struct arena *arena, const struct evidence_row *e)
{
	const struct summary_group *g = &s->groups[e->group];
	const bool known = !isnan(e->model);
	return (struct row){.cell = arena_text(arena, "%s %s", coll_info(g->cell.coll)->name,
	                                       format_size(g->asked_bytes[e->size]).text),
	                    .variant = s->variants[e->variant].name,
	                    .model_direct = known ? NAN : e->direct,
	                    .model_staged = known ? NAN : e->staged,
	                    .sm_busy = e->sm_percent / 100,
	                    .of = *e};
}

static void tell_ranks(const struct summary *s, const struct evidence *e, struct story *story)
{
	struct rank *rows = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *row = &e->rows[i];
		const struct summary_group *g = &s->groups[row->group];
		const struct summary_variant *v = &s->variants[row->variant];
		const struct evidence_path *path = &e->paths[row->variant];
		const char *what = run_collective(story->arena, g);
		for (unsigned r = 0; r < g->nranks; r++) {
			struct rank one = {.variant = v->name,
			                   .mode = v->mode,
			                   .transport = path->transport,
			                   /* On host no log says it, but the workers do. */
			                   .data_path =
			                       path->data_path[0] ? path->data_path : v->path,
			                   .what = what,
			                   .ranks = g->nranks,
			                   .rank = r,
			                   .bytes = g->moved_bytes[row->size],
			                   .asked_bytes = g->asked_bytes[row->size]};
			one.blocks = rank_evidence_make(s, row, r, one.x);
			rows = arena_more(story->arena, rows, n, sizeof *rows);
			rows[n++] = one;
		}
	}
	story_table(story, &rank_form, rows, n);
}

/* Nothing where all blocks have them. */
static void tell_read(const struct summary *s, const struct evidence *e, struct story *story)
{
	struct read *read = ARENA_NEW(story->arena, struct read);
	*read = (struct read){.fewest = UINT_MAX, .blocks = s->nblocks};
	for (unsigned i = 0; i < e->nrows; i++) {
		const unsigned blocks = e->rows[i].blocks;
		read->fewest = blocks < read->fewest ? blocks : read->fewest;
		read->most = blocks > read->most ? blocks : read->most;
	}
	read->when = read->fewest < read->most ? SOME_IN_FEWER : ALL_IN_SO_MANY;
	if (read->most < s->nblocks)
		STORY_TELL(story, story_table(story, &read_form, read, 1), read_sentences);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct evidence *e = &a->evidence;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, e->nrows + 1);
	if (!e->nrows)
		return;
	struct model *model = ARENA_NEW(story->arena, struct model);
	*model = (struct model){.staged = 4,
	                        .direct = 2,
	                        .own = 2,
	                        .fifo_copies = 2,
	                        .direct_copies = 1,
	                        .own_copies = 1,
	                        .missing = e->missing,
	                        .when = e->missing[0] ? MISSING : 0};
	for (unsigned i = 0; i < e->nrows; i++) {
		rows[i] = row_of(a->s, story->arena, &e->rows[i]);
		model->when |= (isfinite(rows[i].of.dram_per_nvlink) ? LINKS : 0) |
		               (isfinite(rows[i].of.copies) ? COPIES : 0);
	}
	story_table(story, &form, rows, e->nrows);
	STORY_TELL(story, story_table(story, &model_form, model, 1), sentences);
	tell_read(a->s, e, story);
	tell_ranks(a->s, e, story);
	story_files(story, "By rank");
}

const struct chapter chapter_counters = {"counters", "Why: counters", CHAPTER_BODY, tell};

/* Records with claims, factors and a gap about them. What is true of them is decided here,
 * stamp by stamp. */
#pragma once

#include "made.h"

#include "../harness/analysis/claims.h"
#include "query.h"

/* nodirect, threads-old, processes-old: the speed of each as a multiple of threads-old's. */
static double speed[3];
static unsigned same_from; /* the first size, by its number, at which all have one speed */
static double isolated_speed; /* of processes-old's isolated calls, in addition */
static double noise, isolated_noise;
static bool no_stream, no_isolated; /* no such calls were measured */
static unsigned off;         /* a variant that takes four times the time in the first block */
static unsigned lacks_block; /* of processes-old; UINT_MAX: none */
static struct claim_list asked;
static double dram_per_byte[3];
static const char *missing;
static int64_t issue_ns;        /* of each row */
static int64_t preempted;       /* the first row takes so many ns more to issue */
static bool copies;             /* counters are those of host, the first variant's staged */
static unsigned uncounted;      /* a variant without counters */
static unsigned counted_blocks; /* counters were read in the first so many */
static bool apart;              /* no two variants have counters at one size */
static bool skips, alike;       /* alike: all variants the same noise in a block */

static const struct made_variant variants[MADE_VARIANTS] = {
    {.name = "nodirect", .mode = "single"},
    {.name = "threads-old", .role = "reference"},
    {.name = "processes-old", .mode = "processes"},
    {.name = "threads-old-again", .role = "again"},
    {.name = "limit", .role = "limit"},
};

static inline void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	if (p->size < same_from)
		ns /= p->variant < 3 ? speed[p->variant] : p->variant == MADE_AGAIN ? speed[1] : 1;
	ns /= p->isolated && p->variant == MADE_PROCESSES ? isolated_speed : 1;
	ns *= 1 + (p->isolated ? isolated_noise : noise) *
	              made_noise(alike ? 0 : p->variant, p->block, alike ? 0 : p->size);
	ns *= p->variant == off && p->block == 0 ? 4 : 1;
	out[1] = issue_ns + (p->row == 0 ? preempted : 0);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static inline void environment(json_t *env)
{
	if (skips)
		made_set(made_variant_of(env, MADE_PROCESSES), "{'skip':'NCCL_LEGACY is not set'}");
}

static inline void line(json_t *cell, const struct made_place *p)
{
	if (p->variant == MADE_PROCESSES && (p->block == lacks_block || skips))
		made_error(cell);
	if (copies && p->variant < 2)
		made_fact(cell, "path", p->variant ? "shared" : "fifo");
	if (p->isolated ? no_isolated : no_stream && !p->counters)
		json_object_set_new(cell, "pass", json_string("timeline"));
	if (!p->counters)
		return;
	if (p->block >= counted_blocks || p->variant == uncounted ||
	    (uncounted == MADE_THREADS && p->variant == MADE_AGAIN) ||
	    (apart && p->size % 2 == p->variant % 2)) {
		json_object_set_new(cell, "pass", json_string("timeline"));
		return;
	}
	json_t *list = json_array();
	for (unsigned r = 0; r < 2; r++) {
		struct counters c;
		counters_clear(&c);
		c.seconds = 1;
		if (missing) {
			strcpy(c.missing, missing);
		} else if (copies) {
			c.copied_bytes = p->variant == 0 ? 3000 : 2000;
			c.delivered_bytes = 1000;
		} else {
			c.nvlink_tx_gbs = 100 + 10 * r;
			c.nvlink_rx_gbs = 50 + 10 * r;
			c.dram_gbs =
			    c.nvlink_tx_gbs * (p->variant < 3 ? dram_per_byte[p->variant] : 2);
			c.dram_limit_gbs = 4800;
		}
		json_array_append_new(list, counters_to_json(&c));
	}
	json_object_set_new(cell, "counters", list);
	json_object_set_new(cell, "issue_cpu_ns", json_pack("[i, i]", 90000, 45000));
}

static struct made made = {.blocks = 10,
                           .sizes = 4,
                           .counters = true,
                           .variants = variants,
                           .asked = &asked,
                           .environment = environment,
                           .line = line,
                           .stamps = stamps};
static struct made_loaded loaded;
static struct db *found; /* its tables */

static inline void fresh(void)
{
	asked = (struct claim_list){.nclaims = 0};
	speed[0] = speed[1] = speed[2] = isolated_speed = 1;
	dram_per_byte[0] = dram_per_byte[1] = dram_per_byte[2] = 2;
	noise = isolated_noise = 0.002;
	no_stream = no_isolated = false;
	lacks_block = off = same_from = UINT_MAX;
	missing = NULL;
	issue_ns = 30000;
	preempted = 0;
	skips = alike = copies = apart = false;
	uncounted = counted_blocks = UINT_MAX;
	made.logs = NULL;
	made.backend = "nccl";
	made.blocks = 10;
	made.cores = 16;
	made.counters = true;
}

static inline struct claim *claim(enum metric metric, enum claim_test test, double by)
{
	struct claim *c = made_claim(&asked, metric, test, "processes-old", "threads-old");
	c->by = by;
	return c;
}

static inline struct factor *factor(const char *name, const char *from, const char *to)
{
	return made_factor(&asked, name, from, to);
}

static inline void gap(const char *from, const char *to)
{
	made_gap(&asked, from, to, 1);
}

/* Without a reference, so that no regime withholds what claims say alone. */
static inline void find_in(bool regimes)
{
	made_load(&made, &loaded);
	for (unsigned v = 0; v < loaded.run.nvariants && !regimes; v++)
		if (!strcmp(loaded.run.variants[v].role, "reference"))
			loaded.run.variants[v].role = "variant";
	found = figures_load(&loaded.run, NULL, scratch(), WHY);
	if (!found)
		fail_msg("%s", because());
}

static inline void find(void)
{
	find_in(false);
}

/* What a query says of what was found. */
static inline const char *says_sql(const char *sql)
{
	return query(found, sql);
}

/* Of the claim of that number, from 0 on. */
static inline const char *claim_says(unsigned id, const char *column)
{
	return says_sql(test_text("SELECT %s FROM claimed WHERE id = %u", column, id));
}

static inline double claim_number(unsigned id, const char *column)
{
	return query_number(found, test_text("SELECT %s FROM claimed WHERE id = %u", column, id));
}

static inline void claim_is(unsigned id, const char *outcome)
{
	assert_string_equal(claim_says(id, "outcome"), outcome);
}

static inline void done(void)
{
	arena_undo(scratch(), found);
	made_unload(&loaded);
}

/* The cell of a factor in the report's table of them. */
static inline const json_t *effect(const json_t *report, const char *name, const char *column)
{
	return json_cell(json_table(report, "effects"), JSON_IS("factor", name), column);
}

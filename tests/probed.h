/* Small messages that are made up: how busy a core is slows them down, and a probe beside each cell
 * sees that. To simulate what adjusting for the probe does to intervals, and what more connections
 * do. Scatter is that of the isolated calls of the reference record 2x-h200/h800_alltoall. */
#ifndef LAUNCHGAP_TESTS_PROBED_H
#define LAUNCHGAP_TESTS_PROBED_H

#include "../harness/analysis/verdict.h"
#include "noise.h"
#include "scratch.h"

#define PROBED_MOST_BLOCKS 40
#define PROBED_MOST        64 /* connections in a job */

/* Standard deviations in log time: of the core between jobs, and between a job's connections (it is
 * slow or fast); of the time whatever the core, between jobs and between connections. */
#define PROBED_JOB_CORE 0.13
#define PROBED_CORE     0.12
#define PROBED_JOB      0.016
#define PROBED_OWN      0.033
#define PROBED_SLOPE    0.2  /* of the time on the core, which the probe is */
#define PROBED_MORE     0.15 /* how much slower a mode may make its cores */

enum probed_world {
	PROBED_CORES, /* cores are slower and faster by chance */
	PROBED_DRIFT, /* the same; clocks also wander from block to block, and move time and probe */
	PROBED_UNRELATED, /* the probe sees cores that the time does not depend on */
	PROBED_TAILS,     /* what the probe does not see is t with 2 degrees of freedom */
	PROBED_MODE,      /* the left mode slows its cores, and so its calls */
	PROBED_SEEMS,     /* the same, but otherwise it is as much faster: no effect */
	PROBED_WORLDS
};

enum probed_way {
	PROBED_RAW,      /* the mean over connections */
	PROBED_ADJUSTED, /* as it would be at equal probes: analysis of covariance */
	PROBED_CENTRED,  /* less what the probe's deviation from its variant's own mean explains */
	PROBED_STRATA,   /* compared among slow and among fast cores, then the mean of both */
	PROBED_WAYS
};

/* A comparison. */
struct probed {
	enum probed_way way;
	enum probed_world world;
	unsigned blocks, connections;
};

/* A variant's jobs. */
struct probed_side {
	double time[PROBED_MOST_BLOCKS][PROBED_MOST], probe[PROBED_MOST_BLOCKS][PROBED_MOST];
};

static inline const char *probed_world_name(enum probed_world world)
{
	static const char *const names[] = {
	    "cores",       "and drifting clocks", "unrelated probe",
	    "heavy tails", "mode slows cores",    "and is faster otherwise",
	};
	return names[world];
}

/* The effect of the left mode on the time, all of it. */
static inline double probed_truth(enum probed_world world)
{
	return world == PROBED_MODE ? PROBED_SLOPE * PROBED_MORE : 0;
}

/* What the core makes of a connection: that of its job, slow or fast. */
static inline double probed_core(double job, uint64_t *seed)
{
	return job + (noise_uniform(seed) < 0.5 ? PROBED_CORE : -PROBED_CORE);
}

static inline void probed_draw(const struct probed *p, bool left, const double *clocks,
                               struct probed_side *out, uint64_t *seed)
{
	const bool slows = left && (p->world == PROBED_MODE || p->world == PROBED_SEEMS);
	const enum noise noise = p->world == PROBED_TAILS ? NOISE_T2 : NOISE_NORMAL;
	for (unsigned b = 0; b < p->blocks; b++) {
		const double job_core = PROBED_JOB_CORE * noise_normal(seed);
		const double other = PROBED_JOB_CORE * noise_normal(seed);
		const double more = slows ? PROBED_MORE : 0;
		double job = clocks[b] + PROBED_JOB * noise_side(noise, seed);
		job -= p->world == PROBED_SEEMS ? PROBED_SLOPE * more : 0;
		for (unsigned c = 0; c < p->connections; c++) {
			const double core = probed_core(job_core + more, seed);
			const double seen =
			    p->world == PROBED_UNRELATED ? probed_core(other, seed) : core;
			out->time[b][c] =
			    job + PROBED_SLOPE * core + PROBED_OWN * noise_side(noise, seed);
			out->probe[b][c] = clocks[b] + seen;
		}
	}
}

static inline double probed_mean(const double *x, unsigned n)
{
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Of the time on the probe, over both variants' connections, each less its variant's mean; without
 * the block that it is for. */
static inline double probed_slope(const struct probed *p, const struct probed_side sides[2],
                                  unsigned without)
{
	double both = 0, probe = 0;
	for (unsigned s = 0; s < 2; s++) {
		double time_mean = 0, probe_mean = 0;
		for (unsigned b = 0; b < p->blocks; b++) {
			if (b == without)
				continue;
			time_mean += probed_mean(sides[s].time[b], p->connections);
			probe_mean += probed_mean(sides[s].probe[b], p->connections);
		}
		time_mean /= p->blocks - 1;
		probe_mean /= p->blocks - 1;
		for (unsigned b = 0; b < p->blocks; b++)
			for (unsigned c = 0; b != without && c < p->connections; c++) {
				const double x = sides[s].probe[b][c] - probe_mean;
				both += x * (sides[s].time[b][c] - time_mean);
				probe += x * x;
			}
	}
	return probe > 0 ? both / probe : 0;
}

/* The mean time of a job's slow or fast connections; NaN where it has none. */
static inline double probed_stratum(const struct probed_side *side, unsigned block,
                                    unsigned connections, bool slow)
{
	double sum = 0;
	unsigned n = 0;
	for (unsigned c = 0; c < connections; c++) {
		if ((side->probe[block][c] > 0) != slow)
			continue;
		sum += side->time[block][c];
		n++;
	}
	return n ? sum / n : NAN;
}

/* A block's number: ln(left ÷ right). NaN: it has none. */
static inline double probed_block(const struct probed *p, const struct probed_side sides[2],
                                  unsigned block)
{
	const unsigned n = p->connections;
	const double raw =
	    probed_mean(sides[0].time[block], n) - probed_mean(sides[1].time[block], n);
	double probe =
	    probed_mean(sides[0].probe[block], n) - probed_mean(sides[1].probe[block], n);
	if (p->way == PROBED_RAW)
		return raw;
	if (p->way == PROBED_STRATA)
		return (probed_stratum(&sides[0], block, n, false) -
		        probed_stratum(&sides[1], block, n, false) +
		        probed_stratum(&sides[0], block, n, true) -
		        probed_stratum(&sides[1], block, n, true)) /
		       2;
	for (unsigned b = 0; p->way == PROBED_CENTRED && b < p->blocks; b++)
		probe -= (probed_mean(sides[0].probe[b], n) - probed_mean(sides[1].probe[b], n)) /
		         p->blocks;
	return raw - probed_slope(p, sides, block) * probe;
}

/* Its interval. */
static inline struct stats_ratio probed_ratio(const struct probed *p, uint64_t *seed)
{
	static struct probed_side sides[2];
	double logs[PROBED_MOST_BLOCKS], clocks[PROBED_MOST_BLOCKS] = {0};
	unsigned n = 0;
	for (unsigned b = 1; p->world == PROBED_DRIFT && b < p->blocks; b++)
		clocks[b] = clocks[b - 1] + 0.03 * noise_normal(seed);
	probed_draw(p, true, clocks, &sides[0], seed);
	probed_draw(p, false, clocks, &sides[1], seed);
	for (unsigned b = 0; b < p->blocks; b++) {
		logs[n] = probed_block(p, sides, b);
		n += !isnan(logs[n]);
	}
	return stats_ratio_of_logs(scratch(), logs, n, VERDICT_CONFIDENCE);
}

#endif

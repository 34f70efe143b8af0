/* The findings of a search, as rows: tuning.c makes them; nccl_conf.c and tuner_csv.c write them as
 * files. */
#ifndef LAUNCHGAP_TUNING_H
#define LAUNCHGAP_TUNING_H

#include "../analysis/analysis.h"
#include "../story/story.h"

/* The findings in one row, for sentences. */
struct tuning_found {
	unsigned keys, sets, finalists, cells;
	unsigned gains;         /* cells in which some finalist is confirmed */
	unsigned blocks, wants; /* wants: blocks needed to confirm any finalist */
	const char *settings;   /* for all sizes: of the finalist that gains and loses nowhere */
	unsigned confirmed;     /* cells, of that finalist; its largest gain: */
	struct stats_ratio expect;
	const char *collective;
	size_t asked_bytes;
	const char *limits; /* why the best set is not one for all sizes */
	const char *folder;
	double margin; /* a share of 1 */
	unsigned when;
};

/* A cell, with the finalist that gains most in it. */
struct tuning_cell {
	const char *cell;
	size_t asked_bytes;
	const char *set, *settings;
	struct stats_ratio gain, all_gain;
	const char *all_verdict;
	struct stats_ratio aa, over_all; /* over_all: the best set compared with the one for all */
	unsigned group;
	int best; /* of those that are confirmed, or -1 */
};

struct tuning_finalist {
	const char *set, *settings; /* those that did nothing (evidence_idle) are omitted */
	unsigned confirmed;         /* cells */
	int no_loss;                /* in any cell */
	double memory_mib;          /* NCCL makes the buffers of sends with their first call */
	const char *channels, *default_channels, *called;
	struct search_set levels;
	unsigned variant;
	double gain;                    /* mean log over the cells */
	const struct tuned_test *tests; /* per cell */
};

/* A finalist in a cell. */
struct tuning_test {
	const char *set, *collective, *pace;
	size_t asked_bytes;
	struct tuned_test of;
	int for_all, best;
};

/* A setting of a finalist. */
enum { SET_LINE = 1, SET_LEFT_OUT = 2, SET_CODE = 4, SET_FIRST = 8 };
struct tuning_setting {
	const char *set, *key, *name, *value; /* name: as NCCL reads it from a file */
	const char *help;
	const char *left_out; /* why it did nothing */
	const char *not_as_asked;
	unsigned when, finalist;
};

struct tuning {
	const struct summary *s;
	const struct evidence *evidence;
	const struct regimes *regimes;
	const struct candidates_seen *seen;
	const struct search_space *space;
	struct arena *arena;
	struct tuning_found *found;
	struct tuning_cell *cells;
	struct tuning_finalist *finalists;
	unsigned ncells, nfinalists, nsettings;
	struct tuned_test *tests;        /* [finalist * ncells + cell] */
	struct tuning_test *tested;      /* as rows */
	struct tuning_setting *settings; /* key by key */
	int all;                         /* the finalist that gains and loses nowhere, or -1 */
	struct {
		const struct story_table *found, *cells, *finalists, *tested, *settings;
	} in;
};

/* Whether NCCL reads a setting of a finalist from a file. */
bool tuning_in_file(const struct tuning *tuning, unsigned finalist);
/* Whether a variant of the file is unknown to the search. */
bool tuning_is_beside(const struct tuning *tuning, unsigned variant);

/* nccl.conf: the confirmed settings, as NCCL reads them (NCCL_CONF_FILE): lines KEY=value, and
 * comments that begin with '#'. What a file cannot express is in comments, with its gain. */
const char *nccl_conf_text(const struct tuning *tuning, struct story *story);
/* Whether the file has a line that NCCL reads, perhaps only for some sizes. */
bool nccl_conf_sets(const struct tuning *tuning);

/* Adds tuner.csv, if what is confirmed has algorithm, protocol or channels in it and NCCL's log names
 * them: rows that NCCL's example of a tuner plugin reads, and a sentence on their use. */
void tuner_csv_tell(const struct tuning *tuning, struct story *story);

#endif

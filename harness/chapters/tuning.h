/* The findings of a search, as rows: tuning.c makes them; nccl_conf.c and tuner_csv.c write them as
 * files. */
#ifndef LAUNCHGAP_TUNING_H
#define LAUNCHGAP_TUNING_H

#include "../analysis/analysis.h"
#include "../story/story.h"

/* The search in one row, for sentences. */
struct tuning_found {
	unsigned keys, sets, finalists, cells;
	unsigned gains;         /* cells in which some finalist is confirmed */
	unsigned blocks, wants; /* wants: blocks needed to confirm any finalist */
	const char *folder;
	double margin; /* a share of 1 */
	unsigned when;
};

/* A cell, with the finalist that gains most in it. */
struct tuning_cell {
	const char *cell;
	size_t asked_bytes;
	const char *set;
	struct stats_ratio gain, all_gain; /* all_gain: of the set that loses nowhere */
	const char *all_verdict;
	struct stats_ratio aa;
	unsigned group;
	int best; /* of those that are confirmed, or -1 */
};

struct tuning_finalist {
	const char *set, *settings; /* those that did nothing (evidence_idle) are omitted */
	const char *files, *file;   /* that have it; the one that says what it is best for */
	unsigned confirmed;         /* cells; the largest gain: */
	struct stats_ratio expect;
	const char *collective;
	size_t asked_bytes;
	double mean;       /* over all cells, times the speed */
	const char *price; /* "alltoall of 4 MiB 14 %"; NULL: it is shown to lose nowhere */
	const char *open;  /* "alltoall of 4 MiB": it may lose there */
	int no_loss;       /* in any cell */
	double memory_mib; /* NCCL makes the buffers of sends with their first call */
	const char *channels, *default_channels;
	struct search_set levels;
	unsigned variant;
	const struct tuned_test *tests; /* per cell */
};

/* A file for NCCL_CONF_FILE: the best finalist for its purpose. */
struct tuning_file {
	const char *name, *purpose;
	int coll;     /* of its cells; -1: all */
	bool safe;    /* of sets that lose nowhere */
	int finalist; /* or -1 */
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
	struct tuning_file *files; /* the first: nccl.conf */
	unsigned ncells, nfinalists, nsettings, nfiles;
	struct tuned_test *tests;        /* [finalist * ncells + cell] */
	struct tuning_test *tested;      /* as rows */
	struct tuning_setting *settings; /* key by key */
	struct {
		const struct story_table *found, *cells, *finalists, *tested, *settings;
	} in;
};

/* Whether a finalist's interval in a cell lies beyond the margin, on the slow side. */
bool tuning_loses(const struct tuning *tuning, const struct tuned_test *test);
/* Whether a variant of the file is unknown to the search. */
bool tuning_is_beside(const struct tuning *tuning, unsigned variant);

/* The files for NCCL_CONF_FILE, as NCCL reads them: lines KEY=value, and comments that begin with '#'.
 * What a file cannot express is in comments, with its gain. nccl.conf is always there. */
void nccl_conf_tell(const struct tuning *tuning, struct story *story);

/* Adds tuner.csv, if what is confirmed has algorithm, protocol or channels in it and NCCL's log names
 * them: rows that NCCL's example of a tuner plugin reads, and a sentence on their use. */
void tuner_csv_tell(const struct tuning *tuning, struct story *story);

#endif

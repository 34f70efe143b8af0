/* Evidence: which path each variant's data took, as logs show it. Pure. */
#ifndef LAUNCHGAP_ANALYSIS_EVIDENCE_H
#define LAUNCHGAP_ANALYSIS_EVIDENCE_H

#include "../trial/path.h"
#include "../config/claim.h"
#include "summary.h"

/* A setting that did nothing, or something else than it asks for, by the logs of two variants. */
struct evidence_setting {
	enum evidence_act {
		ACT_AS_ASKED, /* or the logs do not say: there is nothing to report */

		/* A variant that is the same as another. */
		ACT_IGNORED,
		ACT_CAPPED,
		ACT_CAPPED_AS_DEFAULT, /* the other one does not set it */
		ACT_ANYHOW,            /* the other one has the same figure */

		/* A factor's setting. */
		ACT_NOT_AS_ASKED,
		ACT_NOTHING,
		ACT_NOTHING_SAME, /* and the other variant has the same figure */
		ACT_LAUNCHED,     /* the same thread blocks with and without it */

		/* A variant's, compared with the reference. */
		ACT_UNREAD,
		ACT_AS_DEFAULT,
		ACT_BY_ANOTHER,   /* which makes the figure */
		ACT_CAPPED_BELOW, /* the default's figure, which would be capped too */
		ACTS
	} act;
	struct path_setting set;
	char another[64];         /* setting */
	unsigned long long usual; /* the default's figure */
	const char *launched;     /* the thread blocks; borrowed, as both below */
	const char *factor;       /* its setting */
	const char *library;      /* the variant's version */
};
#define EVIDENCE_IDLE 8 /* settings in which two variants differ; with more nothing is said */

/* What a variant's log proves, in words; all "" where it says nothing. */
struct evidence_path {
	char transport[64];   /* "P2P/CUMEM" */
	char links[32];       /* "12" */
	char pairs[512];      /* of a mixed transport: which pairs of ranks use which */
	char registered[288]; /* "yes", or "no: why" */
	char copy_engine[16]; /* "yes" or "no" */
	char data_path[32];   /* "direct", "staged", "unknown": which model it is compared with */
	char why[384];        /* how it is known */
	char unexpected[80];  /* what was expected if the path is another one, else "" */
	char channels[64];    /* "32 for sends, 16 a peer", as the log says, or "" */
	char chunk[24];       /* bytes of a chunk of sends and receives, or "" */
	char algorithms[PATH_WHY_BYTES];
	char launched[128]; /* thread blocks by collective, as the device's trace has them; or ""
	                    */
	/* Why it is the same as another variant: no setting acted in which the two differ. */
	struct evidence_setting idle[EVIDENCE_IDLE];
	unsigned nidle;   /* 0: it may differ from all */
	unsigned idle_as; /* that variant */
	unsigned nchoices;
	struct path_choice *choices; /* of algorithm and protocol, as the library logged them */
	unsigned nsettings;
	struct path_setting *settings; /* what the library used for those asked for */
};

struct evidence {
	unsigned nvariants;
	struct evidence_path *paths; /* per variant */
};

/* If a path cannot be read, its `why` says so. */
struct evidence evidence_make(const struct summary *summary);

/* Whether a factor's setting cannot have done what it asks for: the library capped it, never read
 * it, or does the same without it, by the logs of both variants. */
struct evidence_setting evidence_acted(const struct summary *summary, const struct factor *factor);

/* Whether a variant's setting cannot have changed anything compared with the reference: it was not
 * read, its figure is the reference's, or another setting of the variant alone makes the figure. */
struct evidence_setting evidence_idle(const struct summary *summary, const char *variant,
                                      const char *key);

/* The algorithm, protocol and channels that the library chose for a variant's calls of a group's
 * size, by its log; or NULL. */
const struct path_choice *evidence_choice(const struct summary *summary,
                                          const struct evidence *evidence, unsigned variant,
                                          unsigned group, unsigned size);

#endif

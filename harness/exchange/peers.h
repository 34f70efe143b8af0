/* How processes find each other and swap a few kilobytes: by MPI, or by a connection with the first
 * of them. All call the same in the same order: letters have their sender's step. What broke stays
 * so, with the first cause. */
#pragma once

#include <stdatomic.h>

#include "../mpi/mpi_load.h"
#include "aligned.h"
#include "door.h"

#define PEERS_NAME_BYTES 64
#define PEERS_MOST_BYTES ((size_t)16 << 20) /* of all in one call of peers_all or peers_first */

enum letter_kind {
	LETTER_FAILED = 1, /* why follows */
	LETTER_PART,
	LETTER_ARRIVED,
	LETTER_GO,
};

/* All have one order of bytes: where it is another, no kind is known. */
struct letter {
	uint32_t kind, step;
	uint64_t bytes; /* that follow */
	int64_t at_ns, margin_ns;
	int64_t heard_ns, said_ns;  /* of LETTER_GO: by the first one's clock */
	struct aligned_point point; /* of the sender's line, where rtt_ns is not 0 */
	uint64_t meets, late;       /* of the sender */
	int64_t last_late_ns, late_ns;
};

/* A place in a world that meets through a door of rank 0. */
struct peers_seat {
	unsigned rank, size;
	int door;            /* rank 0: a listening socket; or -1: it opens one while all come */
	const char *address; /* of the door */
	const char *secret;
	unsigned timeout_s; /* for the meeting, and for each wait afterwards */
	const char *why;    /* of door.h */
	const char *peer;   /* "host"; NULL: "rank" */
};

struct peers {
	unsigned me, size;
	const struct mpi_calls *mpi; /* with it only peers_all and peers_first are called */
	char secret[CONNECTION_SECRET_BYTES]; /* that they share; "": none */
	char (*names)[PEERS_NAME_BYTES];      /* "rank 3" */
	struct connection *connections;       /* by number; of the others only the first one's */
	struct letter *inboxes;               /* the last one of each */
	struct letter own;                    /* what each of this one's letters says */
	bool yield, gathers;                  /* it waits for all */
	int64_t limit_ns, until_ns;           /* for each wait; of this one */
	bool watched;     /* others say who is lost: waits are as long as all live */
	const char *lost; /* is said of a connection that ended; NULL: how it ended */
	/* Called once, when it breaks other than by a failure here; may be NULL. */
	void (*fail)(void *of, const char *text);
	void *of;
	atomic_int state;
	char broken[sizeof(struct status)];
};

/* Blocks until all have come. Rank 0 without a door listens at all its host's addresses, at
 * loopback alone if `address` is. Sets all of *out, which peers_close frees, after an error too. */
int peers_open(const struct peers_seat *seat, struct peers *out, struct status *st);
/* The processes that MPI's launcher started together, once in a process. Closing it ends MPI. */
int peers_open_mpi(struct peers *out, struct status *st);
/* Does not wait for the others. All zero is allowed. */
void peers_close(struct peers *p);

/* `all` has a part of so many bytes of each: each brings its own to all; to the first one alone. */
int peers_share(struct peers *p, void *all, size_t bytes, struct status *st);
int peers_collect(struct peers *p, void *all, size_t bytes, struct status *st);

/* Each gives `bytes`, and all get those of all, in order; or all get the first one's. */
int peers_all(struct peers *p, const void *mine, void *all, size_t bytes, struct status *st);
int peers_first(struct peers *p, void *data, size_t bytes, struct status *st);

/* All below: -1: broken. */
void peers_step(struct peers *p);
struct letter peers_letter(const struct peers *p, enum letter_kind kind);
int peers_put(struct peers *p, unsigned who, const struct letter *letter);
/* A letter of that kind and of this step. 1: it is in the inbox; 0: not yet. */
int peers_look(struct peers *p, unsigned who, enum letter_kind kind);
void peers_pause(const struct peers *p);
/* The first cause stays. say: fail() hears of it. */
void peers_break(struct peers *p, const char *text, bool say);
bool peers_broken(const struct peers *p);

/* Connections of the hosts' first processes in a star, two for each host but 0: one for letters, which
 * this is about, and one for the heartbeat. Of between.c alone.
 *
 * Every letter has the number of the step that its sender is at. A star that broke stays so, with the
 * first cause. */
#ifndef LAUNCHGAP_STAR_H
#define LAUNCHGAP_STAR_H

#include <stdatomic.h>
#include <sys/types.h>

#include "aligned.h"
#include "heartbeat.h"

enum letter_kind {
	LETTER_WELCOME = 1,
	LETTER_TURNED_AWAY,
	LETTER_PING,
	LETTER_PONG,
	LETTER_POINT,
	LETTER_ARRIVED,
	LETTER_GO,
	LETTER_PART,
	LETTER_KINDS
};

/* Hosts have one order of bytes: where it is another, no kind is known. */
struct letter {
	uint32_t kind, step;
	uint64_t bytes; /* that follow */
	int64_t at_ns, margin_ns;
	int64_t heard_ns, said_ns;  /* of LETTER_GO: by host 0's clock */
	struct aligned_point point; /* of the host's line, where rtt_ns is not 0 */
	uint64_t meets, late;       /* of the sender */
	int64_t last_late_ns, late_ns;
};

struct star {
	unsigned host, nhosts;
	char (
	    *names)[HEARTBEAT_NAME_BYTES]; /* "host b"; elsewhere than on host 0 its own and [0] */
	struct wire *wires, *beats;        /* by host; elsewhere than on host 0 [0] */
	struct letter *inboxes;
	uint32_t step;
	bool yield;
	unsigned silence_ms;
	bool watched; /* the heartbeat says who is lost, and waits are as long as all live */
	/* Called once, when the star breaks other than by a failure here; may be NULL. */
	void (*fail)(void *of, const char *text);
	void *of;
	atomic_int state;
	char broken[sizeof(struct status)];
};

/* What star_open needs. */
struct star_place {
	unsigned host, nhosts;
	const char *name; /* NULL: its number */
	int door;         /* of host 0 */
	const char *address, *secret;
	unsigned silence_ms;
	bool yield;
};
/* Sets all of *out, which star_close frees, also after an error. */
int star_open(const struct star_place *place, int64_t deadline_ns, struct star *out,
              struct status *st);
void star_close(struct star *s);

/* Sends or takes (POLLOUT, POLLIN) bytes. Spins for a moment, then sleeps. All below: -1: broken. */
int star_move(struct star *s, unsigned host, short way, void *data, size_t bytes);
int star_put(struct star *s, unsigned host, const struct letter *letter, const void *data);
/* A letter of that kind and of this step; what follows it is the caller's to take. */
int star_take(struct star *s, unsigned host, enum letter_kind kind, struct letter *out);
/* The same without waiting. 1: it is in the inbox; 0: not yet. */
int star_look(struct star *s, unsigned host, enum letter_kind kind);
/* 0: it is of that kind and of this step. */
int star_check(struct star *s, unsigned host, const struct letter *letter, enum letter_kind kind);
/* One turn of a wait. */
void star_pause(const struct star *s);

/* "host b: <how>". Returns -1. */
int star_blame(struct star *s, unsigned host, const char *how);
/* The first cause stays. say: fail() hears of it. */
void star_break(struct star *s, const char *text, bool say);
bool star_is_broken(const struct star *s);

#endif

#include "peers.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "../clock.h"
#include "../memory.h"
#include "../sanitize.h"

#define MS       ((int64_t)1000000)
#define SPIN_NS  MS          /* then a wait sleeps */
#define WORD_NS  (1000 * MS) /* for a last word to all */
#define GRACE_NS (2000 * MS) /* to say who is late, or why a peer left */

#define OTHERS ": do all run the same launchgap?"

enum { WHOLE, BREAKING, BROKEN };

/* --- failures ------------------------------------------------------------------------------ */

void peers_break(struct peers *p, const char *text, bool say)
{
	int whole = WHOLE;
	if (!atomic_compare_exchange_strong(&p->state, &whole, BREAKING)) {
		while (!peers_broken(p)) /* another thread is about to have said why */
			sched_yield();
		return;
	}
	snprintf(p->broken, sizeof p->broken, "%s", text);
	/* Who sees that it is broken may rely on it that fail() heard why. */
	if (say && p->fail)
		p->fail(p->of, p->broken);
	atomic_store_explicit(&p->state, BROKEN, memory_order_release);
}

bool peers_broken(const struct peers *p)
{
	return atomic_load_explicit(&p->state, memory_order_acquire) == BROKEN;
}

/* "rank 3" + how. A watched peer that left may say why in a moment. */
static int blame(struct peers *p, unsigned who, const char *how)
{
	const int64_t until = clock_now_ns() + GRACE_NS;
	char text[sizeof p->broken];
	while (p->watched && !peers_broken(p) && clock_now_ns() < until)
		clock_sleep_until(clock_now_ns() + MS);
	snprintf(text, sizeof text, "%s%s", p->names[who], how);
	peers_break(p, text, true);
	return -1;
}

/* It; of a wait for all also those of the rest of which nothing has come. */
static int say_late(struct peers *p, unsigned who)
{
	char text[sizeof p->broken] = "";
	for (unsigned i = who; i < (p->gathers ? p->size : who + 1); i++)
		if (i == who || connection_wait(p->connections[i].fd, POLLIN, 0))
			status_list(text, sizeof text, p->names[i]);
	status_add(text, sizeof text, " did not answer within %.3g s", (double)p->limit_ns / 1e9);
	peers_break(p, text, true);
	return -1;
}

static int hear(struct peers *p, unsigned who);
static int check(struct peers *p, unsigned who, enum letter_kind kind);

/* A connection is of no more use. The first one may have said why it leaves. */
static int lose(struct peers *p, unsigned who, short way, const struct status *why)
{
	char how[sizeof why->text + 1];
	if (p->me && way == POLLOUT && !hear(p, who))
		return check(p, who, LETTER_FAILED);
	snprintf(how, sizeof how, " %s", why->text);
	return blame(p, who, p->lost ? p->lost : how);
}

/* --- letters ------------------------------------------------------------------------------- */

void peers_pause(const struct peers *p)
{
	if (p->yield)
		sched_yield();
	else
		clock_relax();
}

/* Sends or takes (POLLOUT, POLLIN) bytes. */
static int move(struct peers *p, unsigned who, short way, void *data, size_t bytes)
{
	struct pollfd polled = {p->connections[who].fd, way, 0};
	const int64_t begin = clock_now_ns();
	while (!peers_broken(p)) {
		struct status why = {""};
		const int moved = connection_move(&p->connections[who], way, data, bytes, &why);
		if (moved)
			return moved < 0 ? lose(p, who, way, &why) : 0;
		const int64_t now = clock_now_ns();
		if (!p->watched && now > p->until_ns)
			return say_late(p, who);
		if (now - begin < SPIN_NS)
			peers_pause(p);
		else
			poll(&polled, 1, 100);
	}
	return -1;
}

/* The first one says who is late before the others give up. */
static void wait_anew(struct peers *p)
{
	p->until_ns = clock_now_ns() + p->limit_ns + (p->me ? GRACE_NS : 0);
}

void peers_step(struct peers *p)
{
	p->own.step++;
	wait_anew(p);
}

struct letter peers_letter(const struct peers *p, enum letter_kind kind)
{
	struct letter letter = p->own;
	letter.kind = kind;
	return letter;
}

int peers_put(struct peers *p, unsigned who, const struct letter *letter)
{
	wait_anew(p);
	return move(p, who, POLLOUT, (void *)(uintptr_t)letter, sizeof *letter);
}

/* What follows a letter of LETTER_FAILED. */
static int hear_why(struct peers *p, unsigned who)
{
	const size_t n = p->inboxes[who].bytes;
	char text[sizeof p->broken] = "";
	if (n < sizeof text && move(p, who, POLLIN, text, n))
		return -1;
	sanitize_text(text);
	if (!text[strspn(text, " \t\n")])
		return blame(p, who, " failed, and does not say why");
	peers_break(p, text, true);
	return -1;
}

static int check(struct peers *p, unsigned who, enum letter_kind kind)
{
	const struct letter *is = &p->inboxes[who];
	char how[256];
	if (is->kind == LETTER_FAILED)
		return hear_why(p, who);
	if (is->kind == kind && is->step == p->own.step)
		return 0;
	snprintf(how, sizeof how, ": it is at step %u, and %s at step %u" OTHERS, is->step,
	         p->names[p->me], p->own.step);
	return blame(p, who, how);
}

static int hear(struct peers *p, unsigned who)
{
	return move(p, who, POLLIN, &p->inboxes[who], sizeof *p->inboxes);
}

int peers_look(struct peers *p, unsigned who, enum letter_kind kind)
{
	struct status why = {""};
	const int moved = connection_move(&p->connections[who], POLLIN, &p->inboxes[who],
	                                  sizeof *p->inboxes, &why);
	if (moved < 0)
		return lose(p, who, POLLIN, &why);
	if (!moved && !p->watched && clock_now_ns() > p->until_ns)
		return say_late(p, who);
	return moved && check(p, who, kind) ? -1 : moved;
}

/* --- bytes of all -------------------------------------------------------------------------- */

static int put_part(struct peers *p, unsigned who, size_t bytes, size_t all)
{
	struct letter part = peers_letter(p, LETTER_PART);
	part.bytes = bytes;
	part.at_ns = (int64_t)all;
	return peers_put(p, who, &part);
}

static int take_part(struct peers *p, unsigned who, size_t bytes, size_t all)
{
	const struct letter *part = &p->inboxes[who];
	char how[160];
	if (hear(p, who) || check(p, who, LETTER_PART))
		return -1;
	if (part->bytes == bytes && part->at_ns == (int64_t)all)
		return 0;
	snprintf(how, sizeof how,
	         ": it shares %llu of %lld bytes, where %zu of %zu are expected" OTHERS,
	         (unsigned long long)part->bytes, (long long)part->at_ns, bytes, all);
	return blame(p, who, how);
}

/* What is shared: so many bytes of each, or of the first one. No bytes need no data. */
struct shared {
	char *base;
	size_t bytes;
	bool of_first;
};

static size_t at(const struct shared *s, unsigned who)
{
	return (s->of_first ? who > 0 : who) * s->bytes;
}

static char *data_at(const struct shared *s, unsigned who)
{
	return s->base ? s->base + at(s, who) : NULL;
}

static int gather(struct peers *p, const struct shared *s)
{
	const size_t all = at(s, p->size), own = at(s, p->me + 1) - at(s, p->me);
	peers_step(p);
	if (p->me)
		return put_part(p, 0, own, all) || move(p, 0, POLLOUT, data_at(s, p->me), own);
	p->gathers = true;
	for (unsigned i = 1; i < p->size; i++) {
		const size_t its = at(s, i + 1) - at(s, i);
		if (take_part(p, i, its, all) || move(p, i, POLLIN, data_at(s, i), its))
			return -1;
	}
	p->gathers = false;
	return 0;
}

/* From the first one, to each what is not its own. */
static int spread(struct peers *p, const struct shared *s, unsigned own, unsigned with)
{
	const size_t before = at(s, own), all = at(s, p->size), after = all - at(s, own + 1);
	const short way = p->me ? POLLIN : POLLOUT;
	return (p->me ? take_part : put_part)(p, with, before + after, all) ||
	       move(p, with, way, data_at(s, 0), before) ||
	       move(p, with, way, data_at(s, own + 1), after);
}

/* To all that are still there; nothing more goes to whom a part of a message went. */
static void tell_all(struct peers *p)
{
	const int64_t soon = clock_now_ns() + WORD_NS;
	struct letter failed = peers_letter(p, LETTER_FAILED);
	failed.bytes = strlen(p->broken);
	for (unsigned i = 1; i < p->size; i++) {
		struct connection *to = &p->connections[i];
		struct status ignored = {""};
		if (to->fd >= 0 && !to->out.moved &&
		    !connection_send(to, &failed, sizeof failed, soon, &ignored))
			connection_send(to, p->broken, failed.bytes, soon, &ignored);
	}
}

static int end(struct peers *p, int failed, struct status *st)
{
	if (failed && !p->me && !p->watched)
		tell_all(p);
	return failed ? status_set(st, "%s", p->broken) : 0;
}

int peers_collect(struct peers *p, void *all, size_t bytes, struct status *st)
{
	return end(p, gather(p, &(struct shared){all, bytes, false}), st);
}

static int share(struct peers *p, const struct shared *s, struct status *st)
{
	int failed = gather(p, s);
	if (p->me && !failed)
		failed = spread(p, s, p->me, 0);
	for (unsigned i = 1; !p->me && i < p->size && !failed; i++)
		failed = spread(p, s, i, i);
	return end(p, failed, st);
}

int peers_share(struct peers *p, void *all, size_t bytes, struct status *st)
{
	return share(p, &(struct shared){all, bytes, false}, st);
}

/* By MPI, or by a connection. */
static int swap(struct peers *p, const struct shared *s, struct status *st)
{
	char why[MPI_CALLS_WHY] = "";
	if (s->bytes > PEERS_MOST_BYTES / (s->of_first ? 1 : p->size))
		return status_set(st, "%zu bytes of each of %u ranks are too many for an exchange",
		                  s->bytes, p->size);
	if (!p->mpi)
		return share(p, s, st);
	return (s->of_first ? p->mpi->first : p->mpi->gather)(s->base, s->bytes, why)
	           ? status_set(st, "%s", why)
	           : 0;
}

int peers_all(struct peers *p, const void *mine, void *all, size_t bytes, struct status *st)
{
	if (bytes <= PEERS_MOST_BYTES / p->size)
		memmove((char *)all + p->me * bytes, mine, bytes);
	return swap(p, &(struct shared){all, bytes, false}, st);
}

int peers_first(struct peers *p, void *data, size_t bytes, struct status *st)
{
	return swap(p, &(struct shared){data, bytes, true}, st);
}

/* --- opening ------------------------------------------------------------------------------- */

void peers_close(struct peers *p)
{
	if (p->mpi)
		p->mpi->end();
	for (unsigned i = 0; p->connections && i < p->size; i++)
		if (p->connections[i].fd >= 0)
			close(p->connections[i].fd);
	free(p->connections);
	free(p->names);
	free(p->inboxes);
}

static int let_in(struct peers *p, const struct peers_seat *seat, const struct door_world *world,
                  struct status *st)
{
	struct door_place own = {.fd = seat->door};
	char listen[ADDRESS_BYTES];
	if (seat->door < 0 &&
	    (address_to_listen(seat->address, listen, st) || door_open(listen, &own, st)))
		return -1;
	int failed = door_gather(own.fd, world, clock_now_ns() + p->limit_ns, p->connections, st);
	if (seat->door < 0)
		close(own.fd);
	if (failed) {
		peers_break(p, st->text, false);
		tell_all(p);
	}
	return failed;
}

int peers_open(const struct peers_seat *seat, struct peers *out, struct status *st)
{
	const char *peer = seat->peer ? seat->peer : "rank";
	const struct door_world world = {seat->secret, peer, seat->size, seat->why};
	*out = (struct peers){.me = seat->rank,
	                      .size = seat->size,
	                      .yield = true,
	                      .limit_ns = seat->timeout_s * 1000 * MS,
	                      .names = memory_take(seat->size, sizeof *out->names),
	                      .connections = memory_take(seat->size, sizeof *out->connections),
	                      .inboxes = memory_take(seat->size, sizeof *out->inboxes)};
	for (unsigned i = 0; i < seat->size; i++)
		out->connections[i].fd = -1;
	snprintf(out->secret, sizeof out->secret, "%s", seat->secret ? seat->secret : "");
	if (seat->rank >= seat->size)
		return status_set(st, "this process is %s %u of a world of %u: %ss begin with 0",
		                  peer, seat->rank, seat->size, peer);
	for (unsigned i = 0; i < seat->size; i++)
		snprintf(out->names[i], sizeof *out->names, "%s %u", peer, i);
	if (seat->size == 1)
		return 0;
	if (seat->rank ? door_connect(seat->address, &world, seat->rank,
	                              clock_now_ns() + out->limit_ns, &out->connections[0], st)
	               : let_in(out, seat, &world, st))
		return -1;
	return peers_share(out, NULL, 0, st); /* nothing: all are there */
}

int peers_open_mpi(struct peers *out, struct status *st)
{
	char why[MPI_CALLS_WHY] = "";
	const struct mpi_calls *mpi = mpi_load(st);
	*out = (struct peers){.me = 0};
	if (!mpi || mpi->start(&out->me, &out->size, why))
		return status_set(st, "%s", why);
	out->mpi = mpi;
	return connection_secret(out->secret, st) ||
	               peers_first(out, out->secret, sizeof out->secret, st)
	           ? -1
	           : 0;
}

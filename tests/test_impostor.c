/* Who has not the secret where processes meet: he listens, repeats, poses as either side, sits
 * between, claims a number. None of them is let in, nothing of the secret is heard, and those who
 * have it still meet. */
#include <poll.h>
#include <sys/socket.h>

#include "../harness/exchange/peers.h"
#include "door_rig.h"

#define HELLO 48 /* of a peer: who it is, and a nonce */
#define PROOF 32 /* which follows */
#define FIRST 72 /* of the door: its nonce and proof */
#define HEARD 1024

/* What one way of a connection said. */
struct heard {
	uint8_t bytes[HEARD];
	size_t n;
};

/* Six digits of it together are no accident. */
static void assert_knows_nothing(const struct heard *heard)
{
	for (size_t i = 0; i + 6 <= heard->n; i++)
		for (size_t k = 0; k + 6 < sizeof secret; k++)
			assert_true(memcmp(heard->bytes + i, secret + k, 6) != 0);
}

static int wait_for_a_call(int door_fd)
{
	struct pollfd one = {door_fd, POLLIN, 0};
	poll(&one, 1, -1);
	return accept(door_fd, NULL, NULL);
}

static void hear(int fd, size_t bytes, struct heard *to)
{
	ssize_t n = recv(fd, to->bytes + to->n, bytes, MSG_WAITALL);
	to->n += n > 0 ? (size_t)n : 0;
}

/* Before rank 0 is there: answers as the door does, with a proof of his own. */
static void pose(const struct heard *as, struct heard *of_peer, const char *says)
{
	struct peer early;
	peer_start(&early, world_of(2), door.address, 1, 60000);
	int fd = wait_for_a_call(door.fd);
	hear(fd, HELLO, of_peer);
	send(fd, as->bytes, as->n, MSG_NOSIGNAL);
	hear(fd, HEARD - HELLO, of_peer); /* until it leaves */
	close(fd);
	pthread_join(early.thread, NULL);
	assert_int_equal(early.failed, -1);
	assert_says(early.st.text, says);
}

TEST(who_listens_before_rank_0_hears_nothing)
{
	struct heard of_peer = {.n = 0}, as = {"lganswr", FIRST};
	pose(&as, &of_peer, "another world or a stranger answers");
	assert_int_equal(of_peer.n, HELLO); /* no proof goes to whom has none */
	assert_knows_nothing(&of_peer);
}

TEST(who_calls_rank_0_hears_nothing)
{
	struct opened g;
	struct heard of_door = {.n = 0};
	uint8_t hello[HELLO] = "lgcall2\0\1\0\0\0\2";
	opened_start(&g, 2);
	/* Twice as the rank that is still to come; the second time with the door's own proof. */
	for (unsigned i = 0; i < 2; i++) {
		int fd = door_rig_call();
		const size_t from = of_door.n;
		assert_int_equal(send(fd, hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
		hear(fd, FIRST, &of_door);
		assert_int_equal(of_door.n - from, FIRST);
		send(fd, of_door.bytes + (i ? from + FIRST - PROOF : from), PROOF, MSG_NOSIGNAL);
		hear(fd, HEARD - of_door.n, &of_door);
		assert_int_equal(of_door.n - from, FIRST); /* and then it hung up */
		close(fd);
	}
	opened_end(&g);
	assert_knows_nothing(&of_door);
}

/* --- who sits between --- */

/* Takes rank 1's call at a door of his own, calls rank 0, and carries what they say. */
struct relay {
	pthread_t thread;
	struct door_place door;
	struct heard of_peer, of_door;
	/* May change the n-th byte of a way. NULL: he only listens. */
	void (*changes)(bool of_peer, size_t n, uint8_t *byte);
};

static bool carry(struct relay *r, int from, int to, bool of_peer)
{
	struct heard *heard = of_peer ? &r->of_peer : &r->of_door;
	uint8_t byte;
	if (recv(from, &byte, 1, 0) != 1)
		return false;
	const size_t n = heard->n++;
	assert_true(n < HEARD);
	if (r->changes)
		r->changes(of_peer, n, &byte);
	heard->bytes[n] = byte;
	send(to, &byte, 1, MSG_NOSIGNAL);
	return true;
}

static void *sit_between(void *of)
{
	struct relay *r = of;
	int peer = wait_for_a_call(r->door.fd), first = door_rig_call();
	bool on = true;
	while (on) {
		struct pollfd polls[] = {{peer, POLLIN, 0}, {first, POLLIN, 0}};
		poll(polls, 2, -1);
		if (polls[0].revents)
			on = carry(r, peer, first, true);
		if (on && polls[1].revents)
			on = carry(r, first, peer, false);
	}
	close(peer);
	close(first);
	return NULL;
}

struct rank {
	pthread_t thread;
	struct peers_seat seat;
	int failed;
	struct status st;
};

static void *swap(void *of)
{
	struct rank *r = of;
	struct peers x;
	uint32_t mine = 7 + r->seat.rank, all[2] = {0, 0};
	r->failed = peers_open(&r->seat, &x, &r->st) ||
	            peers_all(&x, &mine, all, sizeof mine, &r->st) ||
	            peers_all(&x, &mine, all, sizeof mine, &r->st);
	if (!r->failed && (all[0] != 7 || all[1] != 8))
		r->failed = status_set(&r->st, "wrong data");
	peers_close(&x);
	if (r->seat.door >= 0)
		close(r->seat.door);
	return NULL;
}

static void swap_through(struct relay *r, struct rank ranks[2])
{
	assert_works(door_open("127.0.0.1:0", &r->door, WHY));
	for (unsigned i = 0; i < 2; i++) {
		ranks[i] = (struct rank){.seat = {.rank = i,
		                                  .size = 2,
		                                  .door = i ? -1 : dup(door.fd),
		                                  .address = r->door.address,
		                                  .secret = secret,
		                                  .timeout_s = 60}};
		assert_int_equal(pthread_create(&ranks[i].thread, NULL, swap, &ranks[i]), 0);
	}
	assert_int_equal(pthread_create(&r->thread, NULL, sit_between, r), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(ranks[i].thread, NULL);
	pthread_join(r->thread, NULL);
	close(r->door.fd);
}

/* He may carry all of it, in pieces; then what he heard is of no use, to either side. */
TEST(what_was_heard_proves_nothing_again)
{
	struct relay r = {.changes = NULL};
	struct rank ranks[2];
	struct opened g;
	struct heard of_peer = {.n = 0};
	swap_through(&r, ranks);
	for (unsigned i = 0; i < 2; i++)
		assert_worked(ranks[i].failed, ranks[i].st);
	assert_true(r.of_peer.n > HELLO + PROOF && r.of_door.n > FIRST);
	assert_knows_nothing(&r.of_peer);
	assert_knows_nothing(&r.of_door);
	pose(&r.of_door, &of_peer, "another world or a stranger answers");
	opened_start(&g, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct heard of_door = {.n = 0};
		int fd = door_rig_call();
		send(fd, r.of_peer.bytes, r.of_peer.n, MSG_NOSIGNAL);
		hear(fd, HEARD, &of_door);
		assert_int_equal(of_door.n, FIRST);
		close(fd);
	}
	opened_end(&g);
}

/* Messages of rank 1 after its proof: a letter, then for each exchange a letter and 4 bytes of
 * data, each with its code. */
#define HEADS (sizeof(struct letter) + CONNECTION_TAG_BYTES)
#define EACH  (HEADS + 20)
static bool is_in(size_t n, size_t from, size_t bytes)
{
	from += HELLO + PROOF + HEADS;
	return n >= from && n < from + bytes;
}

static void flip_a_bit(bool of_peer, size_t n, uint8_t *byte)
{
	*byte ^= of_peer && is_in(n, HEADS + 2, 1);
}

static void flip_the_code(bool of_peer, size_t n, uint8_t *byte)
{
	*byte ^= of_peer && is_in(n, HEADS + 6, 1);
}

/* The first round again in place of the second: it was right there. */
static void repeat(bool of_peer, size_t n, uint8_t *byte)
{
	static uint8_t first[EACH];
	if (of_peer && is_in(n, 0, EACH))
		first[(n - HELLO - PROOF - HEADS) % EACH] = *byte;
	if (of_peer && is_in(n, EACH, EACH))
		*byte = first[(n - HELLO - PROOF - HEADS) % EACH];
}

TEST(who_sits_between_changes_nothing)
{
	static void (*const all[])(bool, size_t, uint8_t *) = {flip_a_bit, flip_the_code, repeat};
	for (unsigned i = 0; i < 3; i++) {
		struct relay r = {.changes = all[i]};
		struct rank ranks[2];
		swap_through(&r, ranks);
		assert_true(ranks[0].failed && ranks[1].failed);
		assert_string_equal(ranks[0].st.text, "rank 1 sent what does not prove the secret");
		assert_string_equal(ranks[1].st.text, ranks[0].st.text);
	}
}

TESTS(.before = door_rig_open, .after = door_rig_close);

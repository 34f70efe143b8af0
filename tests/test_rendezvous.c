/* Processes of one world swap bytes; what each says if one fails. Ranks are threads. */
#include <sys/socket.h>

#include "../harness/clock.h"
#include "../harness/exchange/peers.h"
#include "test.h"

#define MOST 8

struct world;
struct rank {
	struct world *world;
	struct peers_seat seat;
	pthread_t thread;
	struct peers x;
	int failed;
	struct status st;
	unsigned all[MOST], first[4];
	char rounds[256];
};
struct world {
	struct door_place door;
	char secret[CONNECTION_SECRET_BYTES];
	unsigned size;
	void (*act)(struct rank *rank); /* once it is open; NULL: swap */
	struct rank ranks[MOST];
};
static struct world world;

static void swap(struct rank *r)
{
	for (unsigned round = 0; round < 3 && !r->failed; round++) {
		const unsigned mine = 100 * round + r->seat.rank;
		if (!r->seat.rank)
			r->first[0] = 7 + round;
		r->failed = peers_all(&r->x, &mine, r->all, sizeof mine, &r->st) ||
		            peers_first(&r->x, r->first, sizeof r->first, &r->st);
		for (unsigned i = 0; i < r->world->size && !r->failed; i++)
			if (r->all[i] != 100 * round + i || r->first[0] != 7 + round)
				r->failed = status_set(&r->st, "round %u: wrong data", round);
	}
}

static void *take_part(void *of)
{
	struct rank *r = of;
	r->failed = peers_open(&r->seat, &r->x, &r->st);
	if (r->seat.door >= 0)
		close(r->seat.door);
	if (!r->failed)
		(r->world->act ? r->world->act : swap)(r);
	peers_close(&r->x);
	return NULL;
}

/* All ranks but those that `absent` names by its bits. */
static void run_without(unsigned absent)
{
	for (unsigned i = 0; i < world.size; i++)
		if (!(absent >> i & 1))
			assert_int_equal(pthread_create(&world.ranks[i].thread, NULL, take_part,
			                                &world.ranks[i]),
			                 0);
	for (unsigned i = 0; i < world.size; i++)
		if (!(absent >> i & 1))
			pthread_join(world.ranks[i].thread, NULL);
}

static void world_make(unsigned size, unsigned timeout_s)
{
	memset(&world, 0, sizeof world);
	assert_works(connection_secret(world.secret, WHY));
	assert_works(door_open("127.0.0.1:0", &world.door, WHY));
	world.size = size;
	for (unsigned i = 0; i < size; i++)
		world.ranks[i] = (struct rank){.world = &world,
		                               .seat = {.rank = i,
		                                        .size = size,
		                                        .door = i ? -1 : world.door.fd,
		                                        .address = world.door.address,
		                                        .secret = world.secret,
		                                        .timeout_s = timeout_s}};
}

TEST(all_get_what_all_gave)
{
	world_make(8, 10);
	run_without(0);
	for (unsigned i = 0; i < 8; i++)
		assert_worked(world.ranks[i].failed, world.ranks[i].st);
}

TEST(a_rank_that_never_comes_is_named_by_all)
{
	world_make(5, 1);
	run_without(1u << 2 | 1u << 4);
	for (unsigned i = 0; i < 5; i++)
		if (i != 2 && i != 4)
			assert_string_equal(world.ranks[i].st.text,
			                    "ranks 2, 4 did not come within 1 s");
}

static void leave_early(struct rank *r)
{
	if (r->seat.rank != 3)
		swap(r);
}

TEST(a_rank_that_leaves_is_named_by_all)
{
	world_make(5, 5);
	world.act = leave_early;
	run_without(0);
	for (unsigned i = 0; i < 5; i++)
		if (i != 3)
			assert_says(world.ranks[i].st.text, "rank 3 has left");
}

static void fail_by_bytes(struct rank *r)
{
	char much[256] = "", all[MOST * 256];
	r->failed = peers_all(&r->x, much, all, r->seat.rank == 2 ? 24 : 16, &r->st);
}

TEST(ranks_that_give_unequal_bytes_are_named_by_all)
{
	world_make(3, 60);
	world.act = fail_by_bytes;
	run_without(0);
	for (unsigned i = 0; i < 3; i++)
		assert_says(world.ranks[i].st.text,
		            "rank 2: it shares 24 of 72 bytes, where 16 of 48 are expected");
}

/* A rank of another start at the door of this one; the words that it gets. */
static const char *say_other(unsigned rank, unsigned size, const char *secret, struct status *st)
{
	struct peers x;
	const struct peers_seat other = {.rank = rank,
	                                 .size = size,
	                                 .door = -1,
	                                 .address = world.door.address,
	                                 .secret = secret,
	                                 .timeout_s = 60};
	st->text[0] = '\0';
	assert_int_equal(peers_open(&other, &x, st), -1);
	peers_close(&x);
	return st->text;
}

TEST(a_second_world_at_one_port_leaves_the_first_alone)
{
	char secret[CONNECTION_SECRET_BYTES];
	world_make(2, 60);
	assert_works(connection_secret(secret, WHY));
	assert_int_equal(pthread_create(&world.ranks[0].thread, NULL, take_part, &world.ranks[0]),
	                 0);
	assert_says(say_other(0, 2, secret, WHY), " is taken by another process");
	assert_says(say_other(1, 2, secret, WHY), "another world or a stranger answers");
	assert_says(say_other(1, 3, world.secret, WHY), "rank 1 was started in one of 3");
	assert_says(say_other(5, 2, world.secret, WHY),
	            "this process is rank 5 of a world of 2: ranks begin with 0");
	take_part(&world.ranks[1]);
	pthread_join(world.ranks[0].thread, NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_worked(world.ranks[i].failed, world.ranks[i].st);
}

/* The second of them hears it at once; all others who is missing, and why that may be. */
TEST(two_that_claim_one_rank_are_named)
{
	unsigned said = 0;
	world_make(4, 1);
	world.ranks[3].seat.rank = 2;
	run_without(0);
	for (unsigned i = 0; i < 4; i++) {
		const char *text = world.ranks[i].st.text;
		assert_int_equal(world.ranks[i].failed, -1);
		if (strstr(text, "already")) {
			said++;
			continue;
		}
		assert_begins(text, "rank 3 did not come within 1 s; ");
		assert_says(text, "two processes say that they are rank 2 of 4: from ");
	}
	assert_int_equal(said, 1);
}

TEST(rank_0_that_never_comes_is_named)
{
	world_make(3, 1);
	close(world.door.fd);
	run_without(1);
	for (unsigned i = 1; i < 3; i++) {
		assert_begins(world.ranks[i].st.text, "rank 0 did not answer at 127.0.0.1:");
		assert_says(world.ranks[i].st.text, " within 1 s: Connection refused");
	}
}

/* join's way: rank 0 opens the door itself, when the others already knock. */
TEST(rank_0_opens_a_door_where_it_was_given_none)
{
	static const char *const hosts[] = {"127.0.0.1", "localhost", ""};
	for (unsigned i = 0; i < 3; i++) {
		world_make(3, 60);
		char *address = test_text("%s%s", hosts[i], strrchr(world.door.address, ':'));
		close(world.door.fd);
		world.ranks[0].seat.door = -1;
		for (unsigned r = 0; r < 3; r++)
			world.ranks[r].seat.address = address;
		run_without(0);
		for (unsigned r = 0; r < 3; r++)
			assert_worked(world.ranks[r].failed, world.ranks[r].st);
	}
}

TESTS();

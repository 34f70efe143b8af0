/* Processes of one world swap bytes; what each says if one fails. Ranks are threads. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/rendezvous.h"
#include "../harness/exchange/door.h"
#include "test.h"

#define MOST 8

struct world;
struct rank {
	struct world *world;
	struct rendezvous_seat seat;
	pthread_t thread;
	struct rendezvous *x;
	int failed;
	struct status st;
	unsigned all[MOST], first[4];
	char rounds[256];
};
struct world {
	struct door_place door;
	char secret[WIRE_SECRET_BYTES];
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
		r->failed = rendezvous_all(r->x, &mine, r->all, sizeof mine, &r->st) ||
		            rendezvous_first(r->x, r->first, sizeof r->first, &r->st);
		for (unsigned i = 0; i < r->world->size && !r->failed; i++)
			if (r->all[i] != 100 * round + i || r->first[0] != 7 + round)
				r->failed = status_set(&r->st, "round %u: wrong data", round);
	}
}

static void *take_part(void *of)
{
	struct rank *r = of;
	r->failed = rendezvous_open_tcp(&r->seat, &r->x, &r->st);
	if (!r->failed)
		(r->world->act ? r->world->act : swap)(r);
	rendezvous_close(r->x);
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
	struct status st = {""};
	memset(&world, 0, sizeof world);
	assert_works(wire_secret(world.secret, &st), st);
	assert_works(door_open("127.0.0.1:0", &world.door, &st), st);
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
		assert_works(world.ranks[i].failed, world.ranks[i].st);
}

TEST(a_rank_that_never_comes_is_named_by_all)
{
	world_make(5, 3);
	run_without(1u << 2 | 1u << 4);
	for (unsigned i = 0; i < 5; i++)
		if (i != 2 && i != 4)
			assert_string_equal(world.ranks[i].st.text,
			                    "ranks 2, 4 did not come within 3 s");
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

static void look(struct rank *r)
{
	unsigned mine = 5, all = 0;
	r->failed = r->x->rank != 0 || r->x->size != 1 ||
	            rendezvous_all(r->x, &mine, &all, sizeof mine, &r->st) || all != 5 ||
	            rendezvous_first(r->x, &mine, sizeof mine, &r->st);
}

TEST(a_world_of_one_needs_nobody)
{
	world_make(1, 1);
	world.act = look;
	run_without(0);
	assert_works(world.ranks[0].failed, world.ranks[0].st);
}

static void fail_by_bytes(struct rank *r)
{
	char much[256] = "", all[MOST * 256];
	r->failed = rendezvous_all(r->x, much, all, r->seat.rank == 2 ? 24 : 16, &r->st);
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

static void fail_by_call(struct rank *r)
{
	char data[16] = "", all[MOST * 16];
	r->failed = r->seat.rank ? rendezvous_all(r->x, data, all, sizeof data, &r->st)
	                         : rendezvous_first(r->x, data, sizeof data, &r->st);
}

TEST(ranks_at_another_call_notice)
{
	world_make(2, 60);
	world.act = fail_by_call;
	run_without(0);
	assert_says(world.ranks[1].st.text, "do all run the same launchgap?");
}

/* Ranks 1 and 3 come, and say nothing until the others gave up. */
static void be_silent(struct rank *r)
{
	static const unsigned until[4][2] = {[1] = {0, 1}, [3] = {1, 3}};
	unsigned mine = 0, all[MOST];
	if (r->seat.rank % 2 == 0)
		r->failed = rendezvous_all(r->x, &mine, all, sizeof mine, &r->st);
	for (unsigned i = until[r->seat.rank][0]; i < until[r->seat.rank][1]; i++)
		pthread_join(r->world->ranks[i].thread, NULL);
}

TEST(ranks_that_are_silent_are_named_by_all)
{
	world_make(4, 3);
	world.act = be_silent;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&world.ranks[i].thread, NULL, take_part, &world.ranks[i]), 0);
	pthread_join(world.ranks[3].thread, NULL);
	for (unsigned i = 0; i < 3; i += 2)
		assert_string_equal(world.ranks[i].st.text,
		                    "rank 1, rank 3 did not answer within 3 s");
}

static void leave_first(struct rank *r)
{
	if (r->seat.rank)
		swap(r);
}

TEST(all_hear_that_rank_0_has_left)
{
	world_make(3, 60);
	world.act = leave_first;
	run_without(0);
	for (unsigned i = 1; i < 3; i++)
		assert_begins(world.ranks[i].st.text, "rank 0 has left");
}

/* After an error there is no further exchange. */
static void go_on(struct rank *r)
{
	struct status again = {""};
	unsigned mine = 0;
	leave_early(r);
	if (r->seat.rank != 3 &&
	    (!rendezvous_first(r->x, &mine, sizeof mine, &again) || strcmp(again.text, r->st.text)))
		snprintf(r->st.text, sizeof r->st.text, "went on: %.900s", again.text);
}

TEST(an_error_is_for_good)
{
	world_make(4, 60);
	world.act = go_on;
	run_without(0);
	for (unsigned i = 0; i < 3; i++)
		assert_begins(world.ranks[i].st.text, "rank 3 has left");
}

static char big[MOST][MOST][1 << 20];

static void swap_much(struct rank *r)
{
	char(*all)[1 << 20] = big[r->seat.rank];
	const size_t bytes = sizeof *all;
	memset(all[r->seat.rank], 'a' + (int)r->seat.rank, bytes);
	r->failed = rendezvous_all(r->x, all[r->seat.rank], all, bytes, &r->st);
	for (unsigned i = 0; i < r->world->size; i++)
		if (all[i][0] != 'a' + (char)i || memcmp(all[i], all[i] + 1, bytes - 1))
			r->failed = status_set(&r->st, "wrong data of rank %u", i);
}

TEST(a_megabyte_of_each_arrives)
{
	world_make(4, 60);
	world.act = swap_much;
	run_without(0);
	for (unsigned i = 0; i < 4; i++)
		assert_works(world.ranks[i].failed, world.ranks[i].st);
}

static void swap_too_much(struct rank *r)
{
	r->failed = rendezvous_all(r->x, big, big, RENDEZVOUS_MOST_BYTES / 2 + 1, &r->st);
}

TEST(too_many_bytes_are_refused)
{
	world_make(2, 60);
	world.act = swap_too_much;
	run_without(0);
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(world.ranks[i].st.text, "8388609 bytes of each of 2 ranks are "
		                                            "too many for an exchange");
}

/* A rank of another start at the door of this one; the words that it gets. */
static const char *say_other(unsigned rank, unsigned size, const char *secret, struct status *st)
{
	struct rendezvous *x = NULL;
	const struct rendezvous_seat other = {.rank = rank,
	                                      .size = size,
	                                      .door = -1,
	                                      .address = world.door.address,
	                                      .secret = secret,
	                                      .timeout_s = 60};
	st->text[0] = '\0';
	assert_int_equal(rendezvous_open_tcp(&other, &x, st), -1);
	assert_null(x);
	return st->text;
}

TEST(a_second_world_at_one_port_leaves_the_first_alone)
{
	char secret[WIRE_SECRET_BYTES];
	struct status st = {""};
	world_make(2, 60);
	assert_works(wire_secret(secret, &st), st);
	assert_int_equal(pthread_create(&world.ranks[0].thread, NULL, take_part, &world.ranks[0]),
	                 0);
	assert_says(say_other(0, 2, secret, &st), " is taken by another process");
	assert_says(say_other(1, 2, secret, &st), "another world or a stranger answers");
	assert_says(say_other(1, 3, world.secret, &st), "rank 1 was started in one of 3");
	assert_says(say_other(5, 2, world.secret, &st),
	            "this process is rank 5 of a world of 2: ranks begin with 0");
	take_part(&world.ranks[1]);
	pthread_join(world.ranks[0].thread, NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_works(world.ranks[i].failed, world.ranks[i].st);
}

/* The second of them hears it at once; all others who is missing, and why that may be. */
TEST(two_that_claim_one_rank_are_named)
{
	unsigned said = 0;
	world_make(4, 3);
	world.ranks[3].seat.rank = 2;
	run_without(0);
	for (unsigned i = 0; i < 4; i++) {
		const char *text = world.ranks[i].st.text;
		assert_int_equal(world.ranks[i].failed, -1);
		if (strstr(text, "already")) {
			said++;
			continue;
		}
		assert_begins(text, "rank 3 did not come within 3 s; ");
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

/* Processes that die without a word, at any point: the kernel closes what they had. */
TEST(a_process_that_is_killed_half_way_is_named)
{
	static const struct letter heads[2] = {{.kind = LETTER_PART, .step = 1}};
	static const size_t said[] = {0, 5, sizeof *heads, sizeof *heads + 2};
	for (unsigned i = 0; i < sizeof said / sizeof *said; i++) {
		world_make(2, 60);
		pid_t child = fork();
		if (!child) {
			const struct door_world of = {world.secret, "rank", 2, NULL};
			const int64_t soon = clock_now_ns() + 60000000000;
			struct status st = {""};
			struct letter began;
			struct wire w;
			if (!door_connect(world.door.address, &of, 1, soon, &w, &st) &&
			    !wire_send(&w, heads, sizeof *heads, soon, &st) &&
			    !wire_recv(&w, &began, sizeof began, soon, &st) &&
			    send(w.fd, heads, said[i], MSG_NOSIGNAL) == (ssize_t)said[i])
				raise(SIGKILL);
			_exit(1);
		}
		run_without(2);
		int how = 0;
		assert_int_equal(waitpid(child, &how, 0), child);
		assert_true(WIFSIGNALED(how));
		assert_begins(world.ranks[0].st.text, "rank 1 has left");
	}
}

/* join's way: rank 0 opens the door itself, when the others already knock. */
TEST(rank_0_opens_a_door_where_it_was_given_none)
{
	static const char *const hosts[] = {"127.0.0.1", "localhost", ""};
	for (unsigned i = 0; i < 3; i++) {
		char address[ADDRESS_BYTES];
		world_make(3, 60);
		snprintf(address, sizeof address, "%s%s", hosts[i],
		         strrchr(world.door.address, ':'));
		close(world.door.fd);
		world.ranks[0].seat.door = -1;
		for (unsigned r = 0; r < 3; r++)
			world.ranks[r].seat.address = address;
		run_without(0);
		for (unsigned r = 0; r < 3; r++)
			assert_works(world.ranks[r].failed, world.ranks[r].st);
	}
}

TESTS();

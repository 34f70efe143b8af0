/* The heartbeat against a peer that this test plays: what it sends, and what it says of bytes that no
 * heartbeat sends. */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../harness/exchange/heartbeat.h"
#include "test.h"

struct ends {
	struct heartbeat *heart;
	int here, there; /* the heartbeat's, the test's */
	char told[sizeof(struct status)];
	atomic_bool is_told;
};

static const char *no_failure(void *of)
{
	(void)of;
	return NULL;
}

static void fail_end(void *of, const char *text)
{
	struct ends *e = of;
	assert(!atomic_load(&e->is_told));
	snprintf(e->told, sizeof e->told, "%s", text);
	atomic_store(&e->is_told, true);
}

static void begin(struct ends *e, unsigned silence_ms)
{
	int fds[2];
	struct status st = {""};
	const struct timeval most = {20, 0}; /* for what is to come; else the test fails */
	*e = (struct ends){.told = ""};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	e->here = fds[0];
	e->there = fds[1];
	setsockopt(e->there, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	const struct heartbeat_peer peer = {e->here, "host b"};
	const struct heartbeat_place place = {"host a",   &peer,    1, silence_ms,
	                                      no_failure, fail_end, e};
	assert_works(heartbeat_start(&place, &e->heart, &st), st);
}

static void end(struct ends *e)
{
	heartbeat_stop(e->heart);
	close(e->here);
	if (e->there >= 0)
		close(e->there);
}

static void expect_told(struct ends *e, const char *text)
{
	while (!atomic_load(&e->is_told))
		usleep(1000);
	assert_string_equal(e->told, text);
}

/* A word without text has 8 bytes. */
static void expect_word(const struct ends *e, uint32_t word)
{
	uint32_t got[2];
	assert_int_equal(recv(e->there, got, sizeof got, MSG_WAITALL), sizeof got);
	assert_int_equal(got[0], word);
	assert_int_equal(got[1], 0);
}

static void say(const struct ends *e, uint32_t word, uint32_t bytes, const char *text)
{
	uint32_t head[2] = {word, bytes};
	assert_int_equal(send(e->there, head, sizeof head, MSG_NOSIGNAL), sizeof head);
	for (; *text; text++) /* in many pieces */
		assert_int_equal(send(e->there, text, 1, MSG_NOSIGNAL), 1);
}

TEST(it_beats_and_says_goodbye)
{
	struct ends e;
	begin(&e, 2000);
	expect_word(&e, 1);
	expect_word(&e, 1);
	expect_word(&e, 1);
	heartbeat_stop(e.heart);
	e.heart = NULL;
	shutdown(e.here, SHUT_WR);
	/* Beats may be under way; then the goodbye is the last. */
	uint32_t got[2], last = 0;
	while (recv(e.there, got, sizeof got, MSG_WAITALL) == sizeof got)
		last = got[0];
	assert_int_equal(last, 3);
	assert_false(e.is_told);
	end(&e);
}

TEST(a_failure_comes_whole_in_pieces)
{
	struct ends e;
	begin(&e, 20000);
	say(&e, 1, 0, "");
	say(&e, 2, 13, "rank 5: wrong");
	expect_told(&e, "rank 5: wrong");
	say(&e, 2, 5, "again"); /* the first one counts */
	end(&e);
	assert_string_equal(e.told, "rank 5: wrong");
}

TEST(what_no_heartbeat_sends_is_a_loss)
{
	static const struct {
		uint32_t word, bytes;
	} odd[] = {{0, 0}, {4, 0}, {1, 1024}, {2, 0xffffffff}, {0x54534f50, 0x20}};
	for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct ends e;
		begin(&e, 20000);
		say(&e, odd[i].word, odd[i].bytes, "");
		expect_told(&e, "host b: connection lost: it sends what is no message");
		end(&e);
	}
}

TEST(an_end_without_goodbye_is_a_loss)
{
	for (unsigned bye = 0; bye < 2; bye++) {
		struct ends e;
		begin(&e, 20000);
		if (bye)
			say(&e, 3, 0, "");
		close(e.there);
		e.there = -1;
		if (!bye)
			expect_told(&e, "host b: connection lost");
		end(&e);
		assert_int_equal(e.is_told, !bye);
	}
}

TESTS();

/* The heartbeat against a peer that this test plays: what it sends, and what it says of bytes that
 * no heartbeat sends. */
#include <assert.h>
#include <sys/socket.h>

#include "../harness/clock.h"
#include "../harness/exchange/heartbeat.h"
#include "test.h"

static struct ends {
	struct heartbeat *heart;
	struct peers here;                       /* the heartbeat's */
	struct connection connections[2], there; /* there: the test's */
	char names[2][PEERS_NAME_BYTES];
	char told[sizeof(struct status)];
	atomic_bool is_told;
} e;

static const char *no_failure(void *of)
{
	(void)of;
	return NULL;
}

static void fail_end(void *of, const char *text)
{
	(void)of;
	assert(!atomic_load(&e.is_told));
	snprintf(e.told, sizeof e.told, "%s", text);
	atomic_store(&e.is_told, true);
}

FIXTURE(begin)
{
	int fds[2];
	e = (struct ends){.names = {"host a", "host b"}, .connections = {{.fd = -1}}};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	e.connections[1].fd = fds[0];
	e.there.fd = fds[1];
	e.here = (struct peers){
	    .size = 2, .names = e.names, .connections = e.connections, .fail = fail_end, .of = &e};
	assert_works(heartbeat_start(&e.here, &e.here, 20000, no_failure, &e.heart, WHY));
}

FIXTURE(end)
{
	heartbeat_stop(e.heart);
	close(e.connections[1].fd);
	if (e.there.fd >= 0)
		close(e.there.fd);
}

static void expect_told(const char *text)
{
	while (!atomic_load(&e.is_told))
		usleep(1000);
	assert_string_equal(e.told, text);
}

/* As the heartbeat's. */
struct message {
	uint32_t word;
	char text[sizeof(struct status)];
};

static bool hear(struct message *out)
{
	return !connection_recv(&e.there, out, sizeof *out, clock_now_ns() + 20000000000, WHY);
}

static void say(uint32_t word, const char *text)
{
	struct message out = {word, ""};
	snprintf(out.text, sizeof out.text, "%s", text);
	assert_works(connection_send(&e.there, &out, sizeof out, 0, WHY));
}

TEST(it_beats_and_says_goodbye)
{
	struct message got;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(hear(&got));
		assert_int_equal(got.word, 1);
		assert_string_equal(got.text, "");
	}
	heartbeat_stop(e.heart);
	e.heart = NULL;
	shutdown(e.connections[1].fd, SHUT_WR);
	/* Beats may be under way; then the goodbye is the last. */
	uint32_t last = 0;
	while (hear(&got))
		last = got.word;
	assert_int_equal(last, 3);
	assert_false(e.is_told);
}

TEST(the_first_failure_counts)
{
	say(1, "");
	say(2, "rank 5: wrong");
	expect_told("rank 5: wrong");
	say(2, "again");
	heartbeat_stop(e.heart);
	e.heart = NULL;
	assert_string_equal(e.told, "rank 5: wrong");
}

TEST(what_no_heartbeat_sends_is_a_loss)
{
	static const uint32_t odd[] = {0, 4, 0xffffffff, 0x54534f50};
	for (unsigned i = 0; i < LENGTH(odd); i++) {
		end();
		begin();
		say(odd[i], "");
		expect_told("host b: connection lost: it sends what is no message");
	}
}

/* A stranger among the connection's bytes. */
TEST(what_is_not_authentic_is_a_loss)
{
	static const char noise[sizeof(struct message) + CONNECTION_TAG_BYTES] = "\1";
	assert_int_equal(send(e.there.fd, noise, sizeof noise, MSG_NOSIGNAL), sizeof noise);
	expect_told("host b: connection lost");
}

TEST(an_end_without_goodbye_is_a_loss)
{
	for (unsigned bye = 0; bye < 2; bye++) {
		end();
		begin();
		if (bye)
			say(3, "");
		close(e.there.fd);
		e.there.fd = -1;
		if (!bye)
			expect_told("host b: connection lost");
		heartbeat_stop(e.heart);
		e.heart = NULL;
		assert_int_equal(e.is_told, !bye);
	}
}

TESTS(.before = begin, .after = end);

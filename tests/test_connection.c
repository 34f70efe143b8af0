/* The door of a world: who comes in, who is turned away, who is missing. */
#include <sys/resource.h>
#include <sys/socket.h>

#include "door_rig.h"

#define MOST    8
#define LONG_MS 3000 /* for peers that are there to come in, on a machine that has other work */

static struct connection connections[MOST];

static void peer_join(struct peer *p)
{
	pthread_join(p->thread, NULL);
	if (p->connection.fd >= 0)
		close(p->connection.fd);
}

static void peer_came(struct peer *p)
{
	peer_join(p);
	assert_worked(p->failed, p->st);
}

/* All of a world come to the door. */
static void all_come(struct door_world world)
{
	assert_works(door_gather(door.fd, &world, in_ms(60000), connections, WHY));
}

static unsigned open_fds(void)
{
	unsigned n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

FIXTURE(fresh)
{
	for (unsigned i = 0; i < MOST; i++)
		connections[i].fd = -1;
	door_rig_open();
}

static void close_connections(void)
{
	for (unsigned i = 0; i < MOST; i++) {
		if (connections[i].fd >= 0)
			close(connections[i].fd);
		connections[i].fd = -1;
	}
}

FIXTURE(clear)
{
	close_connections();
	door_rig_close();
}

TEST(all_come_in_and_talk)
{
	struct peer peers[4];
	for (unsigned i = 1; i < 4; i++)
		peer_start(&peers[i], world_of(4), door.address, i, 60000);
	all_come(world_of(4));
	for (unsigned i = 1; i < 4; i++) {
		unsigned said = 40 + i, heard = 0;
		pthread_join(peers[i].thread, NULL);
		assert_worked(peers[i].failed, peers[i].st);
		assert_works(
		    connection_send(&peers[i].connection, &said, sizeof said, in_ms(1000), WHY));
		assert_works(
		    connection_recv(&connections[i], &heard, sizeof heard, in_ms(1000), WHY));
		assert_int_equal(heard, said);
		assert_true(fcntl(peers[i].connection.fd, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(connections[i].fd, F_GETFD) & FD_CLOEXEC);
		close(peers[i].connection.fd);
	}
	assert_int_equal(connections[0].fd, -1);
}

/* Who, and what else is known; for how long is a moment less than was asked for. */
static void assert_missing(const char *who, const char *rest)
{
	const char *at = strstr(because(), " within ");
	assert_begins(because(), test_text("%s did not come within ", who));
	assert_string_equal(strstr(at, " s") + strlen(" s"), rest);
}

TEST(many_that_are_missing_are_counted)
{
	static struct connection many[100];
	const struct door_world world = {secret, "host", 100, NULL};
	assert_int_equal(door_gather(door.fd, &world, in_ms(10), many, WHY), -1);
	assert_missing("hosts 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 83 others",
	               "");
}

/* Strangers before, among and after the peers; the first hold their connection and are silent, and
 * the last peer comes when all have knocked. */
struct crowd {
	pthread_t thread;
	struct peer last;
	int held[100];
};

static void *crowd_knocks(void *of)
{
	static const char *const words[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "lgcall2",
	                                    "SSH-2.0-OpenSSH_9.2p1\r\n", "\x16\x03\x01\x02"};
	struct crowd *c = of;
	for (unsigned i = 0; i < 10000; i++) {
		const char *said = i < 100 ? "" : words[i % 5];
		int fd = door_rig_call();
		assert_int_equal(send(fd, said, strlen(said), MSG_NOSIGNAL), strlen(said));
		if (i < 100)
			c->held[i] = fd;
		else
			close(fd);
	}
	peer_start(&c->last, world_of(4), door.address, 3, 60000);
	return NULL;
}

TEST(ten_thousand_strangers_keep_nobody_out)
{
	struct crowd crowd;
	struct peer peers[3];
	const unsigned were = open_fds();
	assert_int_equal(pthread_create(&crowd.thread, NULL, crowd_knocks, &crowd), 0);
	for (unsigned i = 1; i < 3; i++)
		peer_start(&peers[i], world_of(4), door.address, i, 60000);
	all_come(world_of(4));
	pthread_join(crowd.thread, NULL);
	peer_came(&crowd.last);
	for (unsigned i = 1; i < 3; i++)
		peer_came(&peers[i]);
	for (unsigned i = 0; i < 100; i++)
		close(crowd.held[i]);
	close_connections();
	assert_int_equal(open_fds(), were);
}

/* Numbers that the world has not; a secret whose first, middle or last digit is wrong; another
 * size. Each ends at once, and those of this world still come in; who waits says who else came. */
TEST(who_is_of_another_world_is_turned_away_and_said)
{
	static const char place[] = "there is no place for rank ",
	                  proof[] = "another world or a stranger answers",
	                  size[] = " a world of 4 meets; rank 1 was started in one of 8: start all "
	                           "with one size";
	char others[3][CONNECTION_SECRET_BYTES];
	const struct {
		struct door_world as;
		unsigned who;
		const char *refused;
	} guests[] = {{world_of(4), 0, place},
	              {world_of(4), 4, place},
	              {world_of(4), 4000000000, place},
	              {{others[0], "rank", 4, NULL}, 1, proof},
	              {{others[1], "rank", 4, NULL}, 1, proof},
	              {{others[2], "rank", 4, NULL}, 1, proof},
	              {world_of(8), 1, size}};
	const struct door_world world = world_of(4);
	struct peer peers[LENGTH(guests)];
	struct opened opened;
	struct connection none;
	for (unsigned i = 0; i < 3; i++) {
		char *digit = &others[i][i * 31 / 2];
		memcpy(others[i], secret, sizeof secret);
		*digit = *digit == '0' ? '1' : '0';
	}
	opened_start(&opened, 4);
	for (unsigned i = 0; i < LENGTH(guests); i++)
		assert_refused(door_connect(door.address, &guests[i].as, guests[i].who,
		                            in_ms(60000), &none, WHY),
		               guests[i].refused);
	opened_end(&opened);
	for (unsigned i = 0; i < LENGTH(guests); i++)
		peer_start(&peers[i], guests[i].as, door.address, guests[i].who, 60000);
	assert_int_equal(door_gather(door.fd, &world, in_ms(LONG_MS), connections, WHY), -1);
	for (unsigned i = 0; i < LENGTH(guests); i++) {
		peer_join(&peers[i]);
		assert_says(peers[i].st.text, guests[i].refused);
	}
	assert_missing("ranks 1, 2, 3",
	               "; 3 turned away without a proof of the secret; one came that expects a "
	               "world of 8, not of 4; 3 strangers turned away");
}

/* Hosts may have an address in common, of a bridge, and at it each its own world. */
TEST(another_world_at_one_of_several_addresses_is_passed_by)
{
	char other[CONNECTION_SECRET_BYTES];
	struct door_place beside;
	struct door_world world = {other, "rank", 2, NULL};
	struct opened opened;
	struct peer peer;
	assert_works(connection_secret(other, WHY));
	assert_works(door_open("127.0.0.1:0", &beside, WHY));
	char *list = test_text("%s,%s", door.address, beside.address);
	opened_start(&opened, 2);
	peer_start(&peer, world, list, 1, 60000);
	struct connection in[2];
	assert_works(door_gather(beside.fd, &world, in_ms(60000), in, WHY));
	close(in[1].fd);
	peer_came(&peer);
	opened_end(&opened);
	close(beside.fd);
}

/* The second one is refused, and only it. */
TEST(two_of_one_number_leave_the_first_in)
{
	const struct door_world world = world_of(3);
	struct opened opened;
	struct peer peers[2];
	struct connection last;
	opened_start(&opened, 3);
	for (unsigned i = 0; i < 2; i++)
		peer_start(&peers[i], world, door.address, 2, 60000);
	/* None has left by then: both have an answer. */
	for (unsigned i = 0; i < 2; i++)
		pthread_join(peers[i].thread, NULL);
	assert_works(door_connect(door.address, &world, 1, in_ms(60000), &last, WHY));
	opened_join(&opened);
	assert_int_equal(peers[0].failed + peers[1].failed, -1);
	assert_says(peers[peers[1].failed ? 1 : 0].st.text, "as rank 2 of 3 already");
	close(peers[peers[1].failed ? 0 : 1].connection.fd);
	close(last.fd);
}

TEST(who_leaves_may_come_again)
{
	struct opened opened;
	struct connection connection;
	opened_start(&opened, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_works(
		    door_connect(door.address, &opened.world, 2, in_ms(60000), &connection, WHY));
		close(connection.fd);
	}
	opened_end(&opened);
}

/* Answers as another program does: twice, after which the door opens in its place; or for ever. */
struct listener {
	pthread_t thread;
	int fd;
	unsigned n;
};

static void *listener_answers(void *of)
{
	const struct listener *l = of;
	for (unsigned i = 0; i < l->n; i++) {
		int fd = accept(l->fd, NULL, NULL);
		if (fd < 0)
			break;
		send(fd, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", 40, MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

static void listener_start(struct listener *l, unsigned n)
{
	*l = (struct listener){.fd = door.fd, .n = n};
	fcntl(door.fd, F_SETFL, 0);
	assert_int_equal(pthread_create(&l->thread, NULL, listener_answers, l), 0);
}

TEST(what_is_not_launchgap_is_said)
{
	const struct door_world world = world_of(2);
	struct listener other;
	struct connection none;
	listener_start(&other, UINT_MAX);
	assert_refused(door_connect(door.address, &world, 1, in_ms(500), &none, WHY),
	               " s: what answers there is not launchgap");
	shutdown(door.fd, SHUT_RDWR);
	pthread_join(other.thread, NULL);
}

TEST(a_door_that_opens_late_is_found)
{
	struct peer peer;
	char *address = test_text("%s", door.address);
	close(door.fd);
	peer_start(&peer, world_of(2), address, 1, 60000);
	clock_sleep_until(in_ms(50));
	assert_works(door_open(address, &door, WHY));
	all_come(world_of(2));
	peer_came(&peer);
}

/* A peer comes through the address as the door says it, and as a user would. */
static void meet_at(const char *listen, const char *ask)
{
	const struct door_world world = world_of(2);
	struct door_place at;
	struct peer peer;
	assert_works(door_open(listen, &at, WHY));
	char *address =
	    test_text("%s%s", ask ? ask : at.address, ask ? strrchr(at.address, ':') : "");
	peer_start(&peer, world, address, 1, 60000);
	int failed = door_gather(at.fd, &world, in_ms(60000), connections, WHY);
	peer_came(&peer);
	assert_works(failed);
	close_connections();
	close(at.fd);
}

TEST(names_and_all_addresses_lead_to_the_door)
{
	struct door_place six;
	meet_at("127.0.0.1:0", NULL);
	meet_at(":0", NULL);
	meet_at("*:0", "localhost");
	meet_at("localhost:0", "localhost");
	/* The first of a list is nobody's. */
	meet_at("127.0.0.1:0", "127.0.0.1:1,127.0.0.1");
	if (door_open("[::1]:0", &six, WHY)) {
		print_message("no IPv6 here: %s\n", because());
		return;
	}
	close(six.fd);
	meet_at("[::1]:0", NULL);
	meet_at(":0", "[::1]");
}

static void is_no_door(const char *address, const char *said)
{
	struct door_place at;
	assert_refused(door_open(address, &at, WHY), said);
}

TEST(an_odd_address_gets_a_sentence)
{
	const char *port = strrchr(door.address, ':');
	is_no_door("127.0.0.1:x", "127.0.0.1:x has the port x; allowed are 0 to 65535");
	is_no_door("127.0.0.1:65536", "has the port 65536");
	is_no_door("127.0.0.1:", "has the port ;");
	is_no_door("[::1", "[::1 is no address: [IPv6]:port or host:port");
	is_no_door("[::1]x", "is no address");
	is_no_door("no.such.host.invalid:1", "no.such.host.invalid: ");
	is_no_door("192.0.2.1:0", "192.0.2.1:0 cannot be listened at: ");
	is_no_door(door.address, " is taken by another process, which may be of another world");
	is_no_door(test_text("*%.6s", port), test_text("port %.5s is taken", port + 1));
}

TEST(a_port_that_is_not_said_is_ours)
{
	static const char *const hosts[] = {"127.0.0.1", "[::1]", "::1"};
	for (unsigned i = 0; i < 3; i++) {
		const char *list = hosts[i];
		struct addrinfo *found;
		char port[8];
		assert_works(address_resolve(&list, &found, WHY));
		getnameinfo(found->ai_addr, found->ai_addrlen, NULL, 0, port, sizeof port,
		            NI_NUMERICSERV);
		freeaddrinfo(found);
		assert_int_equal(atoi(port), ADDRESS_PORT);
	}
}

TEST(a_secret_that_is_none_is_refused)
{
	static const char *const none[] = {NULL, "", "abc", "0123456789abcdef0123456789abcdeX"};
	for (unsigned i = 0; i < 4; i++) {
		const struct door_world world = {none[i], "rank", 2, NULL};
		struct connection connection;
		assert_int_equal(door_gather(door.fd, &world, in_ms(60000), connections, WHY), -1);
		assert_begins(because(), "the secret of this world has ");
		assert_int_equal(
		    door_connect(door.address, &world, 1, in_ms(60000), &connection, WHY), -1);
		assert_begins(because(), "the secret of this world has ");
	}
}

TEST(without_descriptors_there_is_a_sentence)
{
	const struct door_world world = world_of(2);
	struct rlimit were, few;
	int fd = door_rig_call(), free_fd = dup(fd);
	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &were), 0);
	few = were;
	few.rlim_cur = (rlim_t)free_fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int failed = door_gather(door.fd, &world, in_ms(60000), connections, WHY);
	setrlimit(RLIMIT_NOFILE, &were);
	close(fd);
	assert_int_equal(failed, -1);
	assert_string_equal(because(), "the door takes no more connections after 0: Too many open "
	                               "files (ulimit -n)");
}

TEST(a_message_that_does_not_end_is_late_and_one_that_breaks_is_left)
{
	int fds[2];
	char text[8];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	struct connection ends[] = {{.fd = fds[0]}, {.fd = fds[1]}};
	assert_int_equal(send(fds[0], "1234", 4, 0), 4);
	assert_int_equal(connection_recv(&ends[1], text, sizeof text, in_ms(30), WHY), -1);
	assert_string_equal(because(), "said nothing in time");
	/* No reader. */
	static char much[4 << 20];
	assert_int_equal(connection_send(&ends[0], much, sizeof much, in_ms(30), WHY), -1);
	assert_string_equal(because(), "took nothing in time");
	close(fds[1]);
	assert_int_equal(connection_send(&ends[0], much, sizeof much, in_ms(30), WHY), -1);
	assert_begins(because(), "has left");
	assert_int_equal(connection_recv(&ends[0], text, sizeof text, in_ms(30), WHY), -1);
	assert_begins(because(), "has left");
	close(fds[0]);
}

/* No later try mends it, so there is none. */
TEST(what_cannot_be_an_address_is_said_at_once)
{
	static const char *const odd[][2] = {
	    {"", "the address is empty; wanted is HOST or HOST:PORT"},
	    {"http://hosta:1", "is no address; wanted is HOST or HOST:PORT"},
	    {"hosta:x", "has the port x; allowed are 0 to 65535"},
	    {"hosta:0", "hosta:0 has the port 0"},
	    {"host a", "host a is no address"},
	    {"::::", ":::: is no address"},
	    {"127.0.0.1:1,[::1", "[::1 is no address"},
	};
	const struct door_world world = world_of(2);
	for (size_t i = 0; i < LENGTH(odd); i++) {
		struct connection none;
		assert_refused(door_connect(odd[i][0], &world, 1, INT64_MAX, &none, WHY),
		               odd[i][1]);
	}
}

TESTS(.before = fresh, .after = clear);

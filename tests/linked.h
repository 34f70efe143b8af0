/* Hosts for tests of the link between them. They are threads, or processes where one dies, each with a
 * clock of its own that is seconds off and drifts: the truth is the machine's clock. */
#ifndef LAUNCHGAP_TEST_LINKED_H
#define LAUNCHGAP_TEST_LINKED_H

#include "../harness/exchange/hosts_link.h"

#define LINKED_SECOND 1000000000ll
#define LINKED_HOSTS  8
#define LINKED_MEETS  20
#define LINKED_BYTES  4000000 /* more than sockets keep */

struct linked_release {
	int64_t at_ns, late_ns;
	double bound_ns; /* how far from host 0's true time */
};

struct host {
	unsigned number, nhosts;
	char name[8], address[ADDRESS_BYTES];
	struct door_place door; /* of host 0 */
	const char *secret;
	unsigned silence_ms, limit_s;
	int64_t begin_ns;
	_Atomic int64_t offset_ns; /* of its clock, at begin_ns */
	double drift;
	struct hosts_link *link;
	struct linked_release release; /* of the last meeting */
	struct status status;          /* of the last call that failed */
	char told[sizeof(struct status)];
	atomic_bool is_told, has_failed;
	struct linked_release releases[LINKED_MEETS];
	int64_t entered_ns[LINKED_MEETS]; /* true */
	unsigned char bytes[LINKED_BYTES];
};

/* Of this process, in memory that forked ones share; and a number that hosts wait for. */
struct linked {
	struct host hosts[LINKED_HOSTS];
	atomic_uint stage;
};

/* Fixtures: *all is new for each test, and closed after it. */
int linked_begin(struct linked **all);
int linked_end(struct linked *all);

/* The true time when its clock showed this. */
double linked_truth(const struct host *h, int64_t ns);
/* What its clock shows. */
int64_t linked_now(void *host);
/* A door and the hosts' places. */
void linked_set(struct linked *all, unsigned n);
int linked_open(struct host *h);
int linked_watch(struct host *h);
int linked_open_and_watch(struct host *h);
/* Until a failure here or elsewhere. */
int linked_meet(struct host *h);
void linked_reach(struct linked *all, unsigned stage);
/* A job for each host, or one for all, in threads. */
void linked_run(struct linked *all, void *(*const jobs[])(void *host), unsigned n);
void linked_run_all(struct linked *all, void *(*job)(void *host), unsigned n);
void linked_assert_worked(const struct linked *all, unsigned n);

#endif

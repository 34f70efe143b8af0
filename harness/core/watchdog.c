#include "watchdog.h"
#include "../memory.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"

struct watchdog {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	struct team *team;
	const struct trial *trial;
	unsigned grace_s;
	void (*keep)(void *arg);
	void *arg;
	bool over;          /* the workers of this process are done */
	bool leaving;       /* and what they measured is kept */
	struct status said; /* the failure */
};

/* Where all have come, another host's watchdog says who has not: it is before this one. */
static bool is_late(const struct watchdog *dog, unsigned *cell)
{
	unsigned rank;
	const bool waits = team_here(dog->team) < team_shape(dog->team)->nworkers &&
	                   !team_missing(dog->team, &rank);
	const int64_t deadline = team_deadline(dog->team, cell);
	return deadline &&
	       clock_now_ns() > deadline + (1 + waits) * dog->grace_s * (int64_t)1000000000;
}

/* Under the lock. false: `seconds` have passed, and the workers are not done. */
static bool wait_for_workers(struct watchdog *dog, unsigned seconds)
{
	int64_t at = clock_now_ns() + seconds * (int64_t)1000000000;
	struct timespec until = {at / 1000000000, at % 1000000000};
	while (!dog->over)
		if (pthread_cond_timedwait(&dog->wake, &dog->lock, &until) == ETIMEDOUT)
			break;
	return dog->over;
}

/* Workers that wait in our loops have seen the deadline: who is missing is in a call. */
static void fail_missing(const struct watchdog *dog, unsigned cell)
{
	struct status why = {""}, text = {""}, said = {""};
	unsigned rank = 0, nworkers = team_here(dog->team);
	unsigned missing = team_missing(dog->team, &rank);
	bool all = missing == 0 || missing == nworkers; /* 0: the last one just arrived */
	trial_late(dog->trial, &dog->trial->cells[cell], &why);
	status_set(&text, "%s, in a call that does not return", why.text);
	if (!all)
		status_set(&said, "%s (%u of %u workers)", text.text, missing, nworkers);
	team_fail(dog->team, all ? TEAM_ALL_RANKS : rank, all ? text.text : said.text);
}

static void *watch(void *arg)
{
	struct watchdog *dog = arg;
	pthread_mutex_lock(&dog->lock);
	while (!wait_for_workers(dog, 1) && !team_failure(dog->team)) {
		unsigned cell;
		if (is_late(dog, &cell))
			fail_missing(dog, cell);
	}
	if (!dog->over) {
		status_set(&dog->said, "%s", team_failure(dog->team));
		if (!wait_for_workers(dog, dog->grace_s)) {
			dog->keep(dog->arg);
			status_complain(&dog->said);
			_exit(1);
		}
	}
	bool failed = dog->said.text[0];
	while (failed && !dog->leaving)
		pthread_cond_wait(&dog->wake, &dog->lock);
	pthread_mutex_unlock(&dog->lock);
	if (failed) {
		sleep(dog->grace_s);
		status_complain(&dog->said);
		_exit(1);
	}
	return NULL;
}

/* By the monotonic clock: the other one may be set back. */
static int wake_init(pthread_cond_t *wake)
{
	pthread_condattr_t by;
	if (pthread_condattr_init(&by))
		return -1;
	int error = pthread_condattr_setclock(&by, CLOCK_MONOTONIC) || pthread_cond_init(wake, &by);
	pthread_condattr_destroy(&by);
	return error ? -1 : 0;
}

struct watchdog *watchdog_start(const struct trial *trial, struct team *team, unsigned grace_s,
                                void (*keep)(void *arg), void *arg)
{
	struct watchdog *dog = memory_take(1, sizeof *dog);
	*dog = (struct watchdog){.lock = PTHREAD_MUTEX_INITIALIZER,
	                         .team = team,
	                         .trial = trial,
	                         .grace_s = grace_s,
	                         .keep = keep,
	                         .arg = arg};
	if (wake_init(&dog->wake)) {
		free(dog);
		return NULL;
	}
	if (pthread_create(&dog->thread, NULL, watch, dog)) {
		pthread_cond_destroy(&dog->wake);
		free(dog);
		return NULL;
	}
	return dog;
}

void watchdog_over(struct watchdog *dog)
{
	if (!dog)
		return;
	pthread_mutex_lock(&dog->lock);
	const char *failure = team_failure(dog->team);
	if (failure && !dog->said.text[0])
		status_set(&dog->said, "%s", failure);
	dog->over = true;
	pthread_cond_signal(&dog->wake);
	pthread_mutex_unlock(&dog->lock);
}

void watchdog_leave(struct watchdog *dog)
{
	if (!dog)
		return;
	pthread_mutex_lock(&dog->lock);
	bool failed = dog->said.text[0];
	dog->leaving = true;
	pthread_cond_signal(&dog->wake);
	pthread_mutex_unlock(&dog->lock);
	if (failed) { /* it outlives this call, and so does what it looks at */
		pthread_detach(dog->thread);
		return;
	}
	pthread_join(dog->thread, NULL);
	pthread_cond_destroy(&dog->wake);
	free(dog);
}

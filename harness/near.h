/* "Did you mean …?": the one of what is allowed that a wrong word was likely meant to be. Pure.
 */
#ifndef LAUNCHGAP_NEAR_H
#define LAUNCHGAP_NEAR_H

#define NEAR_BYTES 64

/* `best` is "" while nothing that was offered is near. */
struct near {
	const char *word; /* borrowed */
	char best[NEAR_BYTES];
	unsigned distance;
};

struct near near_to(const char *word);
/* Offers what is allowed, one by one; the first of equally near ones stays. NULL is none. */
void near_offer(struct near *near, const char *allowed);

struct near_text {
	char text[NEAR_BYTES + 24];
};
/* " (did you mean 'BEST'?)", or "". */
struct near_text near_say(const struct near *near);

struct near_theirs {
	char text[192];
};
/* Of an option or a program of nccl-tests: ": nccl-tests' option is the key 'bytes' here (…)";
 * else "". Its words for what has a key or a value here are near to ours. */
struct near_theirs near_theirs(const char *word);

#endif

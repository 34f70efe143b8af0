/* "Did you mean …?": the one of what is allowed that a wrong word was likely meant to be. Pure.
 */
#ifndef LAUNCHGAP_SUGGEST_H
#define LAUNCHGAP_SUGGEST_H

#define SUGGEST_BYTES 64

/* `best` is "" while nothing that was offered is near. */
struct suggestion {
	const char *word; /* borrowed */
	char best[SUGGEST_BYTES];
	unsigned distance;
};

struct suggestion suggest_for(const char *word);
/* Offers what is allowed, one by one; the first of equally near ones stays. NULL is none. */
void suggest_offer(struct suggestion *guess, const char *allowed);

struct suggestion_text {
	char text[SUGGEST_BYTES + 24];
};
/* " (did you mean 'BEST'?)", or "". */
struct suggestion_text suggestion_text(const struct suggestion *guess);

struct suggestion_nccl_tests {
	char text[192];
};
/* Of an option or a program of nccl-tests: ": nccl-tests' option is the key 'bytes' here (…)";
 * else "". Its words for what has a key or a value here are near to ours. */
struct suggestion_nccl_tests suggest_nccl_tests(const char *word);

#endif

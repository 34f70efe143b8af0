/* "Did you mean …?": the allowed word that a wrong word was likely meant to be. Pure. */
#pragma once

#define SUGGEST_BYTES 64

/* `best` is "" while no offered word is similar. */
struct suggestion {
	const char *word; /* borrowed */
	char best[SUGGEST_BYTES];
	unsigned distance;
	char allowed[512]; /* all that is offered, "a, b" */
};

struct suggestion suggest_for(const char *word);
/* Offers an allowed word; the first of equally similar ones stays. NULL is ignored. */
void suggest_offer(struct suggestion *guess, const char *allowed);

struct suggestion_text {
	char text[SUGGEST_BYTES + 24];
};
/* " (did you mean 'BEST'?)", or "". */
struct suggestion_text suggestion_text(const struct suggestion *guess);

struct suggestion_nccl_tests {
	char text[192];
};
/* For an option or a program of nccl-tests: ": nccl-tests' option is the key 'bytes' here (…)";
 * else "". suggest_offer too takes a word of nccl-tests for our key or value. */
struct suggestion_nccl_tests suggest_nccl_tests(const char *word);

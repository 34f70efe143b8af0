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

#endif

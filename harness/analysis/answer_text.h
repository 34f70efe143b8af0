/* The sentences of an answer. */
#ifndef LAUNCHGAP_ANSWER_TEXT_H
#define LAUNCHGAP_ANSWER_TEXT_H

#define ANSWER_MOST       16 /* sentences: of four collectives by version some three each */
#define ANSWER_TEXT_BYTES 768

struct answer {
	unsigned n; /* sentences, the most important first */
	char text[ANSWER_MOST][ANSWER_TEXT_BYTES];
	/* "A/A: large 1.000 ±0.4 %, small 0.98 ±7.0 %; 1128 cells right; 6 blocks." */
	char trust[ANSWER_TEXT_BYTES];
};

/* One sentence more, while there is room. */
void answer_say(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

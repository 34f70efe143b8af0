/* What each picture shows, in a sentence of figures and verdicts that the analysis gives: it
 * is the picture's title, as far as its first clauses go, and stands in the report. "" where
 * nothing can be said. Texts are cut to fit. */
#ifndef LAUNCHGAP_CAPTION_H
#define LAUNCHGAP_CAPTION_H

#include "calls.h"
#include "regime.h"
#include "drawn.h"

#define CAPTION_BYTES 512

/* Whether a size belongs to those of which bandwidth counts: from 16 MiB up on GPUs, from
 * 256 KiB up else. */
bool caption_is_large(const struct summary *summary, size_t asked_bytes);
/* How the variants compare to the reference: large sizes of streams, small ones of isolated
 * calls, or why that cannot be told; where nothing is compared, the largest size's figures. -1
 * only when memory is out. */
int caption_group(const struct summary *summary, const struct regimes *regimes,
                  const struct drawn_order *order, unsigned group, char *text, size_t bytes,
                  struct status *st);
/* What launching takes at the smallest size, and what 95 % of its calls take at most. */
void caption_launch(const struct summary *summary, const struct drawn_order *order,
                    unsigned group, char *text, size_t bytes);
void caption_tail(const struct summary *summary, const struct drawn_order *order,
                  unsigned group, char *text, size_t bytes);
/* The rank that ends farthest from the mean. */
void caption_ranks(const struct summary *summary, const struct drawn_order *order,
                   unsigned group, char *text, size_t bytes);
/* In how many collectives each variant is as fast as the reference. */
void caption_overview(const struct summary *summary, const struct drawn_order *order,
                      char *text, size_t bytes);
/* Appends a call of the timeline: what of it is launching. */
void caption_call(const struct summary *summary, unsigned variant,
                  const struct calls_line *line, bool first, char *text, size_t bytes);

#endif

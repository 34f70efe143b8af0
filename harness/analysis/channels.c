#include "channels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define CHUNKS_OF_PART 32 /* the most that one channel takes of a message on one node, */
#define LEAST_OF_CHUNK 8  /* and the least, a chunk's eighth */

/* Beyond these a record is damaged. */
#define MOST_CHANNELS 1024
#define MOST_CHUNK    ((size_t)1 << 40)

bool channels_rule(const struct path *path, unsigned nranks, struct channels *out)
{
	struct channels c = {.all = path->p2p_channels,
	                     .start = path->p2p_channels_per_peer,
	                     .most = path->p2p_channels_per_peer,
	                     .chunk_bytes = (size_t)path->p2p_chunk_bytes};
	bool here = !strncmp(path->transport, "P2P/", 4) || !strncmp(path->transport, "SHM/", 4);
	if (!c.all || !c.start || c.all > MOST_CHANNELS || c.most > MOST_CHANNELS ||
	    c.chunk_bytes < LEAST_OF_CHUNK || c.chunk_bytes > MOST_CHUNK || !here ||
	    path->copy_engine || path->symmetric)
		return false;
	while (c.start > 1 && (unsigned long long)c.start * nranks > c.all)
		c.start /= 2;
	*out = c;
	return true;
}

static size_t rounded_up(size_t bytes, size_t parts)
{
	return bytes / parts + (bytes % parts > 0);
}

unsigned channels_of(const struct channels *rule, size_t message)
{
	size_t least = rounded_up(message, rule->chunk_bytes / LEAST_OF_CHUNK);
	unsigned n = least < rule->start ? (unsigned)least : rule->start;
	while (n && rounded_up(message, n) > CHUNKS_OF_PART * rule->chunk_bytes &&
	       n <= rule->most / 2)
		n *= 2;
	return n ? n : 1;
}

size_t channels_bound(const struct channels *rule, size_t message)
{
	unsigned n = channels_of(rule, message);
	n = n < rule->start ? rule->start : n;
	return n <= rule->most / 2 ? n * CHUNKS_OF_PART * rule->chunk_bytes : 0;
}

unsigned channels_parts(enum coll_kind coll, unsigned nranks)
{
	switch (coll) {
	case COLL_SENDRECV:
	case COLL_SENDRECV_PAIRS:
		return 1;
	case COLL_SENDRECV_BOTH:
		return 2;
	case COLL_ALLTOALL:
	case COLL_GATHER:
	case COLL_SCATTER:
		return nranks;
	default:
		return 0;
	}
}

/* By a variant's own log. The twin has none. */
static bool rule_of(const struct summary *s, unsigned variant, unsigned nranks,
                    struct channels *out)
{
	for (unsigned i = 0; i < s->run->npaths; i++) {
		struct path path;
		struct status why = {""};
		if (strcmp(s->run->paths[i].variant, s->variants[variant].name) ||
		    path_from_json(s->run->paths[i].path, &path, &why))
			continue;
		bool known = channels_rule(&path, nranks, out);
		path_free(&path);
		return known;
	}
	return false;
}

static double bandwidth(const struct summary *s, unsigned variant, unsigned group,
                        unsigned size)
{
	const struct summary_row *row = index_at(s, variant, group, size);
	return row && row->ntrials ? row->busbw_gbs : NAN;
}

/* Of one variant in one group: every size at which its pairs have more than at the one before,
 * and where that would be behind the last. */
static unsigned steps_of(const struct summary *s, unsigned group, unsigned variant,
                         const struct channels *rule, struct channels_step *out)
{
	const struct summary_group *g = &s->groups[group];
	const unsigned parts = channels_parts(g->cell.coll, g->cell.comm_ranks);
	unsigned n = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const bool last = i + 1 == g->nsizes;
		const size_t here = g->bytes[i] / parts, bound = channels_bound(rule, here);
		struct channels_step step = {.variant = variant,
		                             .group = group,
		                             .rule = *rule,
		                             .bound_bytes = bound * parts,
		                             .before = channels_of(rule, here),
		                             .to = last ? 0 : i + 1};
		enum cliff_kind kind;
		double factor, limit;
		if (!bound || (!last && g->bytes[i + 1] / parts <= bound))
			continue;
		step.after = channels_of(rule, last ? bound + 1 : g->bytes[i + 1] / parts);
		step.from_gbs = bandwidth(s, variant, group, i);
		step.to_gbs = last ? NAN : bandwidth(s, variant, group, i + 1);
		limit = last ? NAN : summary_limit(s, g->bytes[i + 1]);
		step.predicted_gbs =
		    last ? NAN : fmin(step.from_gbs * step.after / step.before, limit);
		step.breaks = !last &&
		              cliffs_leaves(s, group, variant, i + 1, &kind, &factor) &&
		              kind == CLIFF_JUMP;
		out[n++] = step;
	}
	return n;
}

int channels_make(const struct summary *s, struct channels_steps *out, struct status *st)
{
	struct channels_steps steps = {0};
	size_t most = 1;
	for (unsigned g = 0; g < s->ngroups; g++)
		most += (size_t)s->groups[g].nsizes * s->nvariants;
	steps.list = calloc(most, sizeof *steps.list);
	if (!steps.list)
		return status_set(st, "out of memory for the channels");
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_group *group = &s->groups[g];
			struct channels rule;
			if (group->cell.pace == PACE_STREAM && !group->limit &&
			    s->variants[v].measured &&
			    channels_parts(group->cell.coll, group->cell.comm_ranks) &&
			    rule_of(s, v, group->cell.comm_ranks, &rule))
				steps.n += steps_of(s, g, v, &rule, &steps.list[steps.n]);
		}
	*out = steps;
	return 0;
}

/* The step that a cliff lies on, of its own variant, or NULL. */
static const struct channels_step *step_of(const struct channels_steps *steps,
                                          const struct cliff *c)
{
	for (unsigned i = 0; i < steps->n; i++)
		if (steps->list[i].group == c->group && steps->list[i].variant == c->variant &&
		    steps->list[i].to == c->to && c->kind == CLIFF_JUMP)
			return &steps->list[i];
	return NULL;
}

/* The next one behind it, or NULL: a pair has all of its channels. */
static const struct channels_step *step_behind(const struct channels_steps *steps,
                                          const struct channels_step *step)
{
	const struct channels_step *next = step + 1;
	return next < steps->list + steps->n && next->group == step->group &&
	               next->variant == step->variant
	           ? next
	           : NULL;
}

/* Whether the cliff's variant has a rule at all, though none of its steps is here. */
static bool has_rule(const struct summary *s, const struct cliff *c)
{
	const struct cell *cell = &s->groups[c->group].cell;
	struct channels rule;
	return channels_parts(cell->coll, cell->comm_ranks) &&
	       rule_of(s, c->variant, cell->comm_ranks, &rule);
}

void channels_say(const struct summary *s, const struct channels_steps *steps,
                  const struct cliff *c, char *text, size_t bytes)
{
	const struct channels_step *step = step_of(steps, c), *next;
	text[0] = '\0';
	if (!step) {
		if (c->kind == CLIFF_JUMP && has_rule(s, c))
			snprintf(text, bytes, "Channels do not explain it: by the library's log "
			                      "a pair of ranks has as many at both sizes.");
		return;
	}
	snprintf(text, bytes,
	         "Its cause is the number of channels: a pair of ranks has %u of %u up to %s, "
	         "and %u at %s (chunks of %s, by the library's log).",
	         step->before, step->rule.all, words_size(step->bound_bytes).text, step->after,
	         words_size(s->groups[c->group].asked_bytes[c->to]).text,
	         words_size(step->rule.chunk_bytes).text);
	next = step_behind(steps, step);
	if (next)
		words_add(text, bytes, " The next step is behind %s, to %u channels.",
		          words_size(next->bound_bytes).text, next->after);
	else
		words_add(text, bytes, " There is no further step: %u are all that a pair gets.",
		          step->after);
	if (s->variants[c->variant].traits->channels_advice)
		words_add(text, bytes, " %s", s->variants[c->variant].traits->channels_advice);
}

void channels_cliff_say(const struct summary *s, const struct channels_steps *steps,
                        const struct cliff *c, char *text, size_t bytes)
{
	char cause[CHANNELS_SAY_BYTES / 2] = "";
	/* Where plain copies show it too, the library is not its cause. */
	if (c->limit != 1)
		channels_say(s, steps, c, cause, sizeof cause);
	cliffs_say(s, c, cause, text, bytes);
}

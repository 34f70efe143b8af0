#include "unfinished.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sessions.h"

#define NAMED 4 /* variants in a sentence */

void unfinished_command(const struct summary *s, char *text, size_t bytes)
{
	const struct record_run *run = s->run;
	const long long asked = record_blocks_asked(run), has = s->nblocks;
	const bool few = asked && asked < STATS_MIN_BLOCKS;
	const long long wanted = few || !asked ? STATS_MIN_BLOCKS : asked;
	const char *folder = run->folder[0] ? run->folder : "DIR",
	           *quote = strpbrk(folder, " \t'\"$\\&;()*?") ? "\"" : "";
	const double block_s = session_block_s(run),
	             s_left = block_s * ((double)(wanted - has) -
	                                 (double)record_begun(run) / record_block_trials(run));
	snprintf(text, bytes, "To go on");
	if (s_left >= 120)
		words_add(text, bytes, " (about %.2g min)", s_left / 60);
	else if (s_left > 0)
		words_add(text, bytes, " (about %.0f s)", ceil(s_left));
	words_add(text, bytes, ": launchgap resume %s%s%s", quote, folder, quote);
	if (few && !json_object_get(run->environment, "search"))
		words_add(text, bytes, " blocks=%lld", wanted - has);
}

/* "0.790 to 0.810": the least and the most of left ÷ right over the blocks that have both, of
 * times turned round where it is of speeds. "" where no block has. */
static int say_blocks(const struct summary *s, const struct contrast *c, bool speed, char *text,
                      size_t bytes, struct status *st)
{
	const unsigned sides[] = {c->left, c->right};
	struct contrast_select select = c->select;
	double *levels, lo = INFINITY, hi = 0;
	unsigned n;
	select.with = sides;
	select.nwith = 2;
	text[0] = '\0';
	if (contrast_levels(s, c->metric, &select, &levels, &n, st))
		return -1;
	for (unsigned b = 0; b < n; b++) {
		const double log = levels[2 * b] - levels[2 * b + 1],
		             ratio = exp(speed && contrast_is_time(c->metric) ? -log : log);
		lo = fmin(lo, ratio);
		hi = fmax(hi, ratio);
	}
	free(levels);
	if (n == 1)
		snprintf(text, bytes, "%s", words_estimate(lo).text);
	else if (n)
		snprintf(text, bytes, "%.40s to %.40s", words_estimate(lo).text,
		         words_estimate(hi).text);
	return 0;
}

/* "in each of the 4 blocks" */
static struct words each_block(const struct summary *s)
{
	struct words w = {"in the one whole block"};
	if (s->nblocks > 1)
		snprintf(w.text, sizeof w.text, "in each of the %u blocks", s->nblocks);
	return w;
}

static int say_regime(const struct summary *s, const struct regime *g, struct unfinished *out,
                      struct status *st)
{
	char *text = out->text[out->n], one[96];
	unsigned n = 0;
	text[0] = '\0';
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		if ((int)v == g->twin || isnan(c->ratio.estimate))
			continue;
		if (say_blocks(s, c, true, one, sizeof one, st))
			return -1;
		if (!one[0] || n++ >= NAMED)
			continue;
		if (n == 1)
			words_add(text, sizeof *out->text,
			          "At %s sizes (%s), times the speed of %s %s:", g->label,
			          regime_about(g).text, s->variants[s->reference].name,
			          each_block(s).text);
		words_add(text, sizeof *out->text, "%s %s %s", n > 1 ? "," : "",
		          s->variants[v].name, one);
	}
	if (n > NAMED)
		words_add(text, sizeof *out->text, ", and %u more variants", n - NAMED);
	words_add(text, sizeof *out->text, ".");
	out->n += n > 0;
	return 0;
}

/* False: there is no primary claim that these blocks say something of. */
static bool say_primary(const struct summary *s, const struct claim_list *asked,
                        struct unfinished *out, int *rc, struct status *st)
{
	char one[96];
	for (unsigned i = 0; i < asked->nclaims && asked->primary.n; i++) {
		const struct claim *claim = &asked->claims[i];
		const int left = index_variant(s, claim->left),
		          right = index_variant(s, claim->right);
		if (strcmp(claim->name, asked->primary.names[0]) || left < 0 || right < 0 ||
		    metric_info(claim->metric)->counters)
			continue;
		struct contrast c =
		    contrast_none((unsigned)left, (unsigned)right, claim->metric, "");
		c.select = (struct contrast_select){
		    .bytes = claim->bytes, .pace = claim->pace, .coll = claim->coll};
		*rc = say_blocks(s, &c, false, one, sizeof one, st);
		if (*rc || !one[0])
			return *rc;
		snprintf(out->text[out->n++], sizeof *out->text,
		         "%c%s of %s %s: %s times that of %s.",
		         metric_info(claim->metric)->summary[0] & ~0x20,
		         metric_info(claim->metric)->summary + 1, claim->left,
		         each_block(s).text, one, claim->right);
		return true;
	}
	return false;
}

int unfinished_make(const struct summary *s, const struct regimes *regimes,
                    const struct claim_list *asked, struct unfinished *out, struct status *st)
{
	const unsigned begun = record_begun(s->run);
	const long long wanted = record_blocks_asked(s->run);
	char command[UNFINISHED_TEXT_BYTES - 64];
	int rc = 0;
	*out = (struct unfinished){.n = 0};
	if (s->nblocks >= STATS_MIN_BLOCKS || !regimes || !(regimes->n || asked->primary.n) ||
	    !s->measured || s->uncompared[0] || json_object_get(s->run->environment, "search"))
		return 0;
	out->cut = begun || s->nblocks < wanted;
	if (out->cut) {
		char *text = out->text[out->n++];
		words_add(text, sizeof *out->text, "Not finished: %u", s->nblocks);
		if (wanted)
			words_add(text, sizeof *out->text, " of %lld", wanted);
		words_add(text, sizeof *out->text, " block%s",
		          words_plural(wanted ? (unsigned long long)wanted : s->nblocks));
		if (begun)
			words_add(text, sizeof *out->text,
			          ", and %u of the %u trials of the %s", begun,
			          record_block_trials(s->run), s->nblocks ? "next" : "first");
		words_add(text, sizeof *out->text, ".");
	}
	if (s->nblocks && !say_primary(s, asked, out, &rc, st))
		for (unsigned i = regimes->n; i-- > 0 && !rc && out->n + 1 < UNFINISHED_MOST;)
			rc = say_regime(s, &regimes->list[i], out, st);
	unfinished_command(s, command, sizeof command);
	if (!rc)
		snprintf(out->text[out->n++], sizeof *out->text,
		         "A verdict needs %d blocks. %s", STATS_MIN_BLOCKS, command);
	return rc;
}

#include "nccl_conf.h"

#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "gnuplot.h"

bool nccl_conf_wanted(const struct model *m)
{
	return m->findings.tuned.searched;
}

bool nccl_conf_sets(const struct model *m)
{
	const struct tuned *u = &m->findings.tuned;
	for (unsigned f = 0; f < u->nfinalists; f++) {
		bool told = (int)f == u->all;
		for (unsigned c = 0; c < u->ncells; c++)
			told |= u->cells[c].best == (int)f;
		if (told && tuned_in_file(&m->summary, u, &u->finalists[f]))
			return true;
	}
	return false;
}

/* The lines of a set that NCCL reads, `mark` in front of each; those that did nothing are left
 * out. */
static void write_set(const struct model *m, const struct tuned_finalist *f, const char *mark,
                      FILE *out)
{
	const struct tuned *u = &m->findings.tuned;
	char idle[256];
	for (unsigned k = 0; k < u->space.nkeys; k++) {
		const struct search_key *key = &u->space.keys[k];
		if (tuned_line(&m->summary, u, f, k, idle, sizeof idle))
			fprintf(out, "%s%s=%s%s%s\n", idle[0] ? "#   left out: " : mark,
			        key->key + 4, key->values[f->set.level[k]], idle[0] ? ": " : "",
			        idle);
	}
	for (unsigned k = 0; k < u->space.nkeys; k++) {
		const struct search_key *key = &u->space.keys[k];
		if (f->set.level[k] && !tuned_line(&m->summary, u, f, k, idle, sizeof idle))
			fprintf(out, "# and, which no file can say: %s = %s\n", key->key,
			        key->values[f->set.level[k]]);
	}
}

static void write_gains(const struct model *m, const struct tuned_finalist *f, FILE *out)
{
	const struct tuned *u = &m->findings.tuned;
	for (unsigned c = 0; c < u->ncells; c++) {
		const struct summary_group *g = &m->summary.groups[u->cells[c].group];
		const struct tuned_test *t = &f->tests[c];
		fprintf(out, "#   %s, %s: ", coll_word(&g->cell, g->nranks).text,
		        words_size(g->asked_bytes[u->cells[c].size]).text);
		if (t->confirmed)
			fprintf(out, "%.3f times the speed (%.3f to %.3f)\n",
			        t->expect.estimate, t->expect.lo, t->expect.hi);
		else
			fprintf(out, "no gain is confirmed (%.3f, %.3f to %.3f)\n",
			        t->ratio.estimate, t->ratio.lo, t->ratio.hi);
	}
}

/* What it takes of the GPU: memory of the communicators, and channels: a thread block each, so
 * an SM while a call runs. And what the library's log says of its settings. */
static void write_cost(const struct model *m, const struct tuned_finalist *f, FILE *out)
{
	const struct evidence *e = &m->findings.evidence;
	const struct evidence_path *own = &e->paths[m->summary.reference],
	                           *with = &e->paths[f->variant];
	if (isfinite(f->memory_bytes))
		fprintf(out, "#   cost: %+.0f MiB of memory a rank\n",
		        f->memory_bytes / (1 << 20));
	if (with->channels[0])
		fprintf(out,
		        "#   channels, an SM each while a call runs: %s; the default: %s\n",
		        with->channels, own->channels[0] ? own->channels : "not known");
	for (unsigned i = 0; i < with->nsettings; i++) {
		char text[512];
		if (with->settings[i].act == PATH_ACTED)
			continue;
		path_setting_text(&with->settings[i], text, sizeof text);
		fprintf(out, "#   not as asked: %s: %s\n", with->settings[i].key, text);
	}
}

/* Other variants of the file, where they are faster than the default beyond the margin. */
static void write_code(const struct model *m, FILE *out)
{
	const struct summary *s = &m->summary;
	bool said = false;
	for (unsigned i = 0; i < m->regimes.n; i++)
		for (unsigned v = 0; v < m->regimes.list[i].nvariants; v++) {
			const struct regime *g = &m->regimes.list[i];
			char keys[256], verdict[VERDICT_TEXT_BYTES];
			bool finalist = false;
			for (unsigned f = 0; f < m->findings.tuned.nfinalists; f++)
				finalist |= m->findings.tuned.finalists[f].variant == v;
			if (finalist || s->variants[v].role != ROLE_VARIANT ||
			    !s->variants[v].measured)
				continue;
			answer_verdict(g, v, verdict, sizeof verdict);
			if (strcmp(verdict, "faster"))
				continue;
			settings_differ(&s->settings[s->reference], &s->settings[v], keys,
			                sizeof keys);
			fprintf(out, "%s#   %s (%s), %s: %.3f times the speed\n",
			        said ? "" : "\n# In the program, which no file can say:\n",
			        s->variants[v].name, keys, regime_about(g).text,
			        g->contrasts[v].verdict.ratio.estimate);
			said = true;
		}
}

void nccl_conf_write(const struct model *m, FILE *out)
{
	const struct summary *s = &m->summary;
	const struct tuned *u = &m->findings.tuned;
	const struct tuned_finalist *all = u->all < 0 ? NULL : &u->finalists[u->all];
	char machine[256];
	gnuplot_machine(s, machine, sizeof machine);
	fprintf(
	    out,
	    "# nccl.conf: NCCL_CONF_FILE=/path/of/this, or copy it to ~/.nccl.conf\n"
	    "# Of a search by launchgap, %s: %u sets of %u settings, the best confirmed in %u\n"
	    "# fresh jobs each against the default (95 %%, corrected for all that was "
	    "tested).\n"
	    "# %s; %s ranks in mode %s; NCCL %s.\n",
	    model_text(m, "created"), u->nsets, u->space.nkeys, s->nblocks, machine,
	    s->variants[s->reference].layout, s->variants[s->reference].mode,
	    s->variants[s->reference].library[0] ? s->variants[s->reference].library
	                                         : "not measured");
	if (all) {
		fprintf(out, "\n# For all sizes: loses more than %g %% at none.\n",
		        100 * s->margin);
		write_gains(m, all, out);
		write_cost(m, all, out);
		write_set(m, all, "", out);
	} else if (s->nblocks < u->wants) {
		fprintf(
		    out,
		    "\n# Not finished: with fewer than %u blocks no gain can be confirmed, and "
		    "there are %u.\n",
		    u->wants, s->nblocks);
	} else {
		fprintf(out, "\n# No set that gains is shown to lose nowhere: NCCL's defaults "
		             "stand.\n");
	}
	for (unsigned f = 0; f < u->nfinalists; f++) {
		const struct tuned_finalist *one = &u->finalists[f];
		bool best = false;
		for (unsigned c = 0; c < u->ncells; c++)
			best |= u->cells[c].best == (int)f;
		if ((int)f == u->all || !best)
			continue;
		fprintf(out, "\n# In its place, best at:");
		for (unsigned c = 0; c < u->ncells; c++) {
			const struct summary_group *g = &s->groups[u->cells[c].group];
			if (u->cells[c].best == (int)f)
				fprintf(out, " %s %s;", coll_word(&g->cell, g->nranks).text,
				        words_size(g->asked_bytes[u->cells[c].size]).text);
		}
		fprintf(out, "\n");
		write_gains(m, one, out);
		write_cost(m, one, out);
		write_set(m, one, "# ", out);
	}
	write_code(m, out);
}

#include <math.h>
#include <string.h>

#include "../story/verdict_text.h"
#include "run.h"
#include "tuning.h"

static bool is_best(const struct tuning *t, unsigned finalist)
{
	for (unsigned c = 0; c < t->ncells; c++)
		if (t->cells[c].best == (int)finalist)
			return true;
	return false;
}

bool nccl_conf_sets(const struct tuning *t)
{
	for (unsigned f = 0; f < t->nfinalists; f++)
		if ((t->all == (int)f || is_best(t, f)) && tuning_in_file(t, f))
			return true;
	return false;
}

static const char *line_of(const struct tuning_setting *set, bool commented)
{
	return set->when & SET_CODE       ? "# and, which no file can say: {key} = {value}\n"
	       : set->when & SET_LEFT_OUT ? "#   left out: {name}={value}: {left_out}\n"
	       : commented                ? "# {name}={value}\n"
	                                  : "{name}={value}\n";
}

/* A finalist's gains, its cost, and its lines; what no file can say comes last. */
static void add_set(struct phrase *p, const struct tuning *t, unsigned f, bool commented)
{
	const struct tuning_finalist *one = &t->finalists[f];
	for (unsigned c = 0; c < t->ncells; c++)
		phrase_add_row(p, t->in.tested, &t->tested[f * t->ncells + c],
		               one->tests[c].confirmed
		                   ? "#   {collective}, {asked_bytes}: {expect} times the speed "
		                     "({expect:interval})\n"
		                   : "#   {collective}, {asked_bytes}: no gain is confirmed "
		                     "({ratio}, {ratio:interval})\n");
	if (isfinite(one->memory_mib))
		phrase_words(p, arena_text(t->arena, "#   cost: %+.0f MiB of memory a rank\n",
		                           one->memory_mib));
	phrase_add_row(p, t->in.finalists, one,
	               "[#   channels, an SM each while a call runs: {channels}[; the default: "
	               "{default_channels}]\n]");
	for (unsigned i = 0; i < t->nsettings; i++)
		if (t->settings[i].finalist == f)
			phrase_add_row(p, t->in.settings, &t->settings[i],
			               "[#   not as asked: {key}: {not_as_asked}\n]");
	for (unsigned code = 0; code <= SET_CODE; code += SET_CODE)
		for (unsigned i = 0; i < t->nsettings; i++)
			if (t->settings[i].finalist == f &&
			    (t->settings[i].when & SET_CODE) == code)
				phrase_add_row(p, t->in.settings, &t->settings[i],
				               line_of(&t->settings[i], commented));
}

/* Other variants of the file, if they are faster than the default beyond the margin. */
static void add_code(struct phrase *p, const struct tuning *t)
{
	const struct summary *s = t->s;
	bool said = false;
	for (unsigned i = 0; i < t->regimes->n; i++)
		for (unsigned v = 0; v < t->regimes->list[i].nvariants; v++) {
			const struct regime *g = &t->regimes->list[i];
			char keys[256], verdict[VERDICT_TEXT_BYTES];
			regime_verdict_text(g, v, verdict, sizeof verdict);
			if (!tuning_is_beside(t, v) || strcmp(verdict, "faster"))
				continue;
			settings_differ(&s->run->variants[s->reference].settings,
			                &s->run->variants[v].settings, keys, sizeof keys);
			phrase_words(p, said ? "" : "\n# In the program, which no file can say:\n");
			phrase_words(p,
			             arena_text(t->arena, "#   %s (%s), %s: %.3f times the speed\n",
			                        s->variants[v].name, keys, regime_about(g).text,
			                        g->contrasts[v].verdict.ratio.estimate));
			said = true;
		}
}

/* "# In its place, best at: alltoall 64 KiB; sendrecv 1 MiB;" */
static void add_alternative(struct phrase *p, const struct tuning *t, unsigned f)
{
	phrase_words(p, "\n# In its place, best at:");
	for (unsigned c = 0; c < t->ncells; c++)
		if (t->cells[c].best == (int)f)
			phrase_add_row(p, t->in.tested, &t->tested[f * t->ncells + c],
			               " {collective} {asked_bytes};");
	phrase_words(p, "\n");
	add_set(p, t, f, true);
}

/* The run that the file comes from: follows its first line. */
static const char *head_of(const struct tuning *t)
{
	const struct summary_variant *of =
	    &t->s->variants[t->s->reference < 0 ? 0 : t->s->reference];
	const char *created = json_string_value(json_object_get(t->s->run->environment, "created"));
	char machine[256];
	run_machine(t->s, machine, sizeof machine);
	return arena_text(
	    t->arena,
	    "# Of a search by launchgap, %s: %u sets of %u settings, the best confirmed in %u\n"
	    "# fresh jobs each against the default (95 %%, corrected for all that was "
	    "tested).\n"
	    "# %s; %s ranks in mode %s; NCCL %s.\n",
	    created ? created : "", t->found->sets, t->found->keys, t->found->blocks, machine,
	    of->layout, of->mode, of->library[0] ? of->library : "not measured");
}

const char *nccl_conf_text(const struct tuning *t, struct story *story)
{
	struct phrase p = phrase_begin(story);
	phrase_add_row(&p, t->in.found, t->found,
	               "# nccl.conf: NCCL_CONF_FILE=/path/of/this, or copy it to ~/.nccl.conf\n");
	phrase_words(&p, head_of(t));
	phrase_add_row(&p, t->in.found, t->found,
	               t->all >= 0 ? "\n# For all sizes: loses more than {margin} at none.\n"
	               : t->found->blocks < t->found->wants
	                   ? "\n# Not finished: with fewer than {wants} blocks no gain can be "
	                     "confirmed, and there are {blocks}.\n"
	                   : "\n# No set that gains is shown to lose nowhere: NCCL's defaults "
	                     "stand.\n");
	if (t->all >= 0)
		add_set(&p, t, (unsigned)t->all, false);
	for (unsigned f = 0; f < t->nfinalists; f++)
		if ((int)f != t->all && is_best(t, f))
			add_alternative(&p, t, f);
	add_code(&p, t);
	return p.text;
}

#include <math.h>
#include <string.h>

#include "../story/verdict_text.h"
#include "run.h"
#include "tuning.h"

static const char *line_of(const struct tuning_setting *set)
{
	return set->when & SET_CODE       ? "# and, which no file can say: {key} = {value}\n"
	       : set->when & SET_LEFT_OUT ? "#   left out: {name}={value}: {left_out}\n"
	                                  : "{name}={value}\n";
}

/* A finalist's gains, its price, and its lines; what no file can say comes last. */
static void add_set(struct phrase *p, const struct tuning *t, unsigned f)
{
	const struct tuning_finalist *one = &t->finalists[f];
	phrase_add_row(p, t->in.finalists, one,
	               "#   price: [it costs {price}; ][it may cost {open}; ]"
	               "[{memory_mib} MiB more of GPU memory a rank; ]"
	               "[channels, an SM each while a call runs: {channels}[; the default: "
	               "{default_channels}]]\n");
	for (unsigned c = 0; c < t->ncells; c++)
		phrase_add_row(p, t->in.tested, &t->tested[f * t->ncells + c],
		               one->tests[c].confirmed
		                   ? "#   {collective}, {asked_bytes}: {expect} times the speed "
		                     "({expect:interval})\n"
		               : tuning_loses(t, &one->tests[c])
		                   ? "#   {collective}, {asked_bytes}: slower, {ratio} times the "
		                     "speed ({ratio:interval})\n"
		                   : "#   {collective}, {asked_bytes}: no gain is confirmed "
		                     "({ratio}, {ratio:interval})\n");
	for (unsigned i = 0; i < t->nsettings; i++)
		if (t->settings[i].finalist == f)
			phrase_add_row(p, t->in.settings, &t->settings[i],
			               "[#   not as asked: {key}: {not_as_asked}\n]");
	for (unsigned code = 0; code <= SET_CODE; code += SET_CODE)
		for (unsigned i = 0; i < t->nsettings; i++)
			if (t->settings[i].finalist == f &&
			    (t->settings[i].when & SET_CODE) == code)
				phrase_add_row(p, t->in.settings, &t->settings[i],
				               line_of(&t->settings[i]));
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

/* Why there is no set that is safe. */
static const char *nothing_of(const struct tuning *t)
{
	return t->found->blocks < t->found->wants
	           ? "# Not finished: with fewer than {wants} blocks no gain can be confirmed, and "
	             "there are {blocks}.\n"
	       : t->found->gains ? "# Empty: no set that gains is shown to lose nowhere. The files "
	                           "nccl.*.conf beside this one gain, at a price.\n"
	                         : "# Empty: no set is confirmed to gain. NCCL's defaults stand.\n";
}

void nccl_conf_tell(const struct tuning *t, struct story *story)
{
	for (unsigned i = 0; i < t->nfiles; i++) {
		const struct tuning_file *file = &t->files[i];
		struct phrase p = phrase_begin(story);
		if (i && file->finalist < 0)
			continue;
		phrase_add_row(&p, t->in.found, t->found, "# ");
		phrase_words(&p, arena_text(t->arena,
		                            "%s, %s: NCCL_CONF_FILE=/path/of/this, or copy it to "
		                            "~/.nccl.conf\n",
		                            file->name, file->purpose));
		phrase_words(&p, head_of(t));
		phrase_words(&p, "\n");
		if (file->finalist >= 0)
			add_set(&p, t, (unsigned)file->finalist);
		else
			phrase_add_row(&p, t->in.found, t->found, nothing_of(t));
		if (!i)
			add_code(&p, t);
		story_file(story, file->name, p.text);
	}
}

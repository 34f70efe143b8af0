#include "run.h"

#include <math.h>
#include <string.h>

#include "../analysis/sessions.h"
#include "../record/member.h"
#include "../sanitize.h"
#include "../status.h"
#include "../data/format.h"

const char *run_text(const struct record_run *run, const char *key)
{
	return member_or_empty(run->environment, key);
}

long long run_number(const struct record_run *run, const char *key)
{
	return (long long)json_integer_value(json_object_get(run->environment, key));
}

const char *run_collective(struct arena *arena, const struct summary_group *g)
{
	return arena_copy(arena, coll_word(&g->cell, g->nranks).text);
}

void run_machine(const struct summary *s, char *text, size_t bytes)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	const char *name, *cpu = json_string_value(json_object_get(machine, "cpu"));
	const size_t gpus = summary_gpus(s, &name);
	text[0] = '\0';
	if (gpus)
		status_add(text, bytes, "%zu × %.80s, ", gpus, name);
	status_add(text, bytes, "%.100s, %u core%s", cpu && *cpu ? cpu : "unknown processor",
	           s->ncores, format_plural(s->ncores));
}

const char *run_command(const struct summary *s, struct arena *arena)
{
	const struct record_run *run = s->run;
	const long long asked = record_blocks_asked(run), has = s->nblocks;
	const bool few = asked && asked < STATS_MIN_BLOCKS;
	const long long wanted = few || !asked ? STATS_MIN_BLOCKS : asked;
	const char *folder = run->folder[0] ? run->folder : "DIR", *about = "", *more = "";
	const size_t bytes = SANITIZE_WORD(strlen(folder));
	char *word = arena_take(arena, bytes);
	sanitize_word(folder, word, bytes);
	const double s_left =
	    session_block_s(run) *
	    ((double)(wanted - has) - (double)record_begun(run) / record_block_trials(run));
	if (s_left >= 120)
		about = arena_text(arena, " (about %.2g min)", s_left / 60);
	else if (s_left > 0)
		about = arena_text(arena, " (about %.0f s)", ceil(s_left));
	if (few && !json_object_get(run->environment, "search"))
		more = arena_text(arena, " blocks=%lld", wanted - has);
	return arena_text(arena, "To go on%s: launchgap resume %s%s", about, word, more);
}

static long long number_at(const json_t *at, const char *key)
{
	return (long long)json_integer_value(json_object_get(at, key));
}

static const char *bits_at(const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));
	return text ? text : "?";
}

const char *trouble_text(struct arena *arena, const struct trouble *t)
{
	const char *where = arena_text(arena, "%s of %zu bytes: %s (block %u)", t->collective,
	                               t->bytes, t->variant, t->block);
	if (!t->wrong)
		return "";
	const char *delivered = arena_text(arena, "%s delivered %llu wrong element%s", where,
	                                   t->wrong, format_plural(t->wrong));
	return !t->at ? delivered
	              : arena_text(arena,
	                           "%s, the first on rank %lld at element %lld (byte %lld): "
	                           "expected %.24s, got %.24s",
	                           delivered, number_at(t->at, "rank"), number_at(t->at, "element"),
	                           number_at(t->at, "byte"), bits_at(t->at, "expected"),
	                           bits_at(t->at, "got"));
}

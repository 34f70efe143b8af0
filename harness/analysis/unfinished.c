#include "unfinished.h"

#include <math.h>
#include <string.h>

#include "sessions.h"
#include "words.h"

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

/* The path of each variant's data, and the effect of each setting, by the library's own log. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"

struct row {
	const char *variant, *transport, *unexpected, *links, *data_path, *registered, *copy_engine,
	    *channels, *chunk, *algorithms, *launched, *why;
	const char *mixed; /* of a mixed transport: which pairs of ranks use which */
	bool asked;        /* no twin, no limit */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, transport, "transport", "", TEXT),
    COLUMN(struct row, unexpected, "NOT as expected", "", TEXT),
    COLUMN(struct row, links, "links", "", TEXT),
    COLUMN(struct row, data_path, "data path", "", TEXT),
    COLUMN(struct row, registered, "registered", "", TEXT),
    COLUMN(struct row, copy_engine, "copy engine", "", TEXT),
    COLUMN(struct row, channels, "channels", "", TEXT),
    COLUMN_AS(struct row, chunk, "chunk_bytes", "chunk, bytes", "", TEXT, 0),
    COLUMN(struct row, algorithms, "algorithms", "", TEXT),
    COLUMN_AS(struct row, launched, "launched_ctas", "thread blocks launched", "", TEXT, 0),
    COLUMN(struct row, why, "how it is known", "", TEXT),
    COLUMN_AS(struct row, mixed, "mixed", "pairs by transport", "", TEXT, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "paths", .title = "Path, from the library's own log", .when = STORY_NO_WHEN, .common = "Of all variants");

/* What the library did with a setting. */
struct acted {
	const char *variant, *setting, *asked, *used, *act, *why;
};

static const struct column acted_columns[] = {
    COLUMN(struct acted, variant, "variant", "", TEXT),
    COLUMN(struct acted, setting, "setting", "", TEXT),
    COLUMN(struct acted, asked, "asked", "", TEXT),
    COLUMN(struct acted, used, "used", "", TEXT),
    COLUMN(struct acted, act, "what became of it", "", TEXT),
    COLUMN(struct acted, why, "why", "", TEXT),
};
static const struct story_form acted_form =
    STORY_FORM(struct acted, acted_columns, .name = "acted", .title = "What the library made of each setting, by its own log", .when = STORY_NO_WHEN);
// clang-format on

/* Copy engines, a kernel of our own and plain copies take no link that the library logs. */
#define NO_LINK "none"

/* "By the library's log data goes by P2P in a and b; SHM in c; of the others it names no link." */
static void say_transports(struct story *story, const struct story_table *t)
{
	const struct row *rows = t->rows;
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, t->nrows + 1);
	unsigned *without = ARENA_ARRAY(story->arena, unsigned, t->nrows + 1), nwithout = 0;
	struct phrase p = phrase_begin(story);
	for (unsigned v = 0; v < t->nrows; v++) {
		unsigned n = 0;
		if (rows[v].asked && !strcmp(rows[v].transport, NO_LINK))
			without[nwithout++] = v;
		bool first = rows[v].transport[0] && rows[v].asked;
		for (unsigned u = 0; u < v && first; u++)
			first = !rows[u].asked || strcmp(rows[u].transport, rows[v].transport);
		for (unsigned u = v; u < t->nrows && first; u++)
			if (rows[u].asked && !strcmp(rows[u].transport, rows[v].transport))
				of[n++] = u;
		if (n && strcmp(rows[v].transport, NO_LINK) != 0)
			phrase_add(&p, t, of, n,
			           p.used ? "; {0.transport} in {variant:list}"
			                  : "By the library's log data goes by {0.transport} in "
			                    "{variant:list}");
	}
	if (nwithout && !p.used)
		phrase_add(&p, t, without, nwithout,
		           "The library's log names no link of {variant:list}");
	else if (nwithout)
		phrase_words(&p, "; of the others it names no link");
	phrase_words(&p, ".");
	phrase_end(&p, STORY_INSTEAD);
}

static struct row row_of(const struct summary *s, const struct evidence_path *p, unsigned v)
{
	return (struct row){.variant = s->variants[v].name,
	                    .transport = p->transport,
	                    .unexpected = p->unexpected,
	                    .links = p->links,
	                    .data_path = p->data_path,
	                    .registered = p->registered,
	                    .copy_engine = p->copy_engine,
	                    .channels = p->channels,
	                    .chunk = p->chunk,
	                    .algorithms = p->algorithms,
	                    .launched = p->launched,
	                    .why = p->why,
	                    .mixed = p->pairs,
	                    .asked = summary_is_asked(s, v)};
}

/* What the library moved up is not capped. */
static const char *act_of(const struct path_setting *set)
{
	char *end;
	const double asked = strtod(set->asked, &end), used = strtod(set->used, NULL);
	return set->act == PATH_CAPPED && !*end && used > asked ? "raised"
	                                                        : path_act_name(set->act);
}

static void tell_acted(const struct summary *s, const struct evidence *e, struct story *story)
{
	struct acted *rows = NULL;
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned i = 0; i < e->paths[v].nsettings; i++) {
			const struct path_setting *set = &e->paths[v].settings[i];
			rows = arena_more(story->arena, rows, n, sizeof *rows);
			rows[n++] = (struct acted){.variant = s->variants[v].name,
			                           .setting = set->key,
			                           .asked = set->asked,
			                           .used = set->used,
			                           .act = act_of(set),
			                           .why = set->why};
		}
	story_table(story, &acted_form, rows, n);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct evidence *e = &a->evidence;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, a->s->nvariants + 1);
	unsigned n = 0;
	for (unsigned v = 0; v < a->s->nvariants; v++)
		if (e->paths[v].transport[0] || e->paths[v].data_path[0])
			rows[n++] = row_of(a->s, &e->paths[v], v);
	if (!n)
		return;
	const struct story_table *t = story_table(story, &form, rows, n);
	for (unsigned i = 0; i < n; i++)
		if (rows[i].mixed[0])
			story_say_row(story, STORY_ITEM, t, &rows[i],
			              "Mixed transport of {variant}: {mixed}");
	/* If no speed may be compared, paths still can. */
	if (a->s->uncompared.kind && !a->s->trouble.kind)
		say_transports(story, t);
	story_note(story, STORY_BODY,
	           "Links: ordered pairs of ranks by transport, over all channels. The data path "
	           "is that of large sizes: below NCCL's threshold for the LL protocol "
	           "(NCCL_P2P_LL_THRESHOLD bytes for sends and receives) data is staged "
	           "whatever the path.");
	tell_acted(a->s, e, story);
}

const struct chapter chapter_path = {"paths", "Why: the path, by NCCL's own log", CHAPTER_BODY,
                                     tell};

/* What each variant is, and what it sets beyond the defaults. */
#include "../analysis/analysis.h"
#include "../trial/settings.h"
#include "chapters.h"

struct row {
	const char *variant, *role, *mode, *layout, *backend, *bind, *library, *settings,
	    *data_path;
};

static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, role, "role", "", TEXT),
    COLUMN(struct row, mode, "mode", "", TEXT),
    COLUMN(struct row, layout, "layout", "", TEXT),
    COLUMN(struct row, backend, "backend", "", TEXT),
    COLUMN(struct row, bind, "binding", "", TEXT),
    COLUMN(struct row, library, "library", "", TEXT),
    COLUMN(struct row, settings, "settings", "", TEXT),
    COLUMN(struct row, data_path, "data path", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "variants", .title = "Variants", .when = STORY_NO_WHEN,
               .common = "All variants");

struct left_out {
	const char *variant;
};

static const struct column left_columns[] = {COLUMN(struct left_out, variant, "variant", "", TEXT)};
static const struct story_form left_form =
    STORY_FORM(struct left_out, left_columns, .name = "left_out", .title = "Left out",
               .when = STORY_NO_WHEN, .hidden = true);

/* The default allocator was `nccl` before it was `auto`. A run in which no variant says `auto` is
 * from that time, or sets `nccl` in all of them: either way it is no variant's own setting. */
static bool has_auto(const struct summary *s)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->run->variants[v].settings.allocator == ALLOCATOR_AUTO)
			return true;
	return false;
}

/* What a variant sets beyond the defaults, less what has its own column. A library's path says less
 * than its version; so does the version that was required. */
static const char *settings_of(const struct summary *s, struct arena *arena, unsigned v)
{
	struct settings *shown = ARENA_NEW(arena, struct settings),
	                *none = ARENA_NEW(arena, struct settings);
	char text[4096];
	settings_default(none);
	*shown = s->run->variants[v].settings;
	shown->bind = none->bind;
	shown->nccl[0] = shown->nccl_below[0] = '\0';
	if (!has_auto(s) && shown->allocator == ALLOCATOR_NCCL)
		shown->allocator = none->allocator;
	if (!s->variants[v].traits->logs_path)
		shown->expect[0] = '\0';
	settings_text(shown, text, sizeof text);
	return arena_copy(arena, text);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct arena *arena = story->arena;
	struct row *rows = ARENA_ARRAY(arena, struct row, s->nvariants);
	struct left_out *left = ARENA_ARRAY(arena, struct left_out, s->nvariants);
	unsigned n = 0, nleft = 0;
	bool again = false, limit = false;
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct summary_variant *v = &s->variants[i];
		/* An omitted variant has settings of another machine; a warning says why. */
		again |= !v->skip[0] && v->role == ROLE_AGAIN;
		limit |= !v->skip[0] && v->role == ROLE_LIMIT;
		if (v->skip[0])
			left[nleft++].variant = v->name;
		else
			rows[n++] = (struct row){v->name,    summary_role_name(v->role),
			                         v->mode,    v->layout,
			                         v->backend, v->bind,
			                         v->library, settings_of(s, arena, i),
			                         v->path};
	}
	story_table(story, &form, rows, n);
	if (nleft)
		story_say(story, STORY_BODY, story_table(story, &left_form, left, nleft), NULL, 0,
		          "Left out, for the reasons among the warnings: {variant:list}.");
	story_note(story, STORY_BODY,
	           arena_text(arena,
	                      "Layout: processes × threads × ranks per thread. Settings: what a "
	                      "variant sets beyond the defaults.%s%s",
	                      again ? " again: the reference a second time in every block, the "
	                              "A/A line."
	                            : "",
	                      limit ? " limit: plain copies without a handshake." : ""));
}

const struct chapter chapter_variants = {"variants", "Variants", CHAPTER_APPENDIX, tell};

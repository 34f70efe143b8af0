/* What each variant is, and what it sets beyond the defaults. */
#include <string.h>

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

/* Settings with their own column. A library's path says less than its version; so does the version
 * that was required. */
static bool has_column(const char *key)
{
	static const char *const keys[] = {"mode", "layout", "backend",
	                                   "bind", "nccl",   "nccl_below"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* "register = local, env.NCCL_X = 1" */
static const char *add_setting(struct arena *arena, const char *text, const char *key,
                               const char *value)
{
	return arena_text(arena, "%s%s%s = %s", text, *text ? ", " : "", key, value);
}

static const char *add_json(struct arena *arena, const char *text, const char *key,
                            const json_t *value)
{
	if (json_is_string(value))
		return add_setting(arena, text, key, json_string_value(value));
	if (json_is_boolean(value))
		return add_setting(arena, text, key, json_is_true(value) ? "yes" : "no");
	if (json_is_integer(value))
		return add_setting(arena, text, key,
		                   arena_text(arena, "%lld", (long long)json_integer_value(value)));
	return text;
}

static const char *add_env(struct arena *arena, const char *text, const json_t *env)
{
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *entry = json_string_value(json_array_get(env, i)),
		           *value = entry ? strchr(entry, '=') : NULL;
		if (value)
			text = add_setting(
			    arena, text, arena_text(arena, "env.%.*s", (int)(value - entry), entry),
			    value + 1);
	}
	return text;
}

/* The default allocator was `nccl` before it was `auto`. A run in which no variant says `auto` is
 * from that time, or sets `nccl` in all of them: either way it is no variant's own setting. */
static void take_allocator(const json_t *variants, json_t *plain)
{
	for (size_t i = 0; i < json_array_size(variants); i++) {
		const json_t *v = json_array_get(variants, i);
		const char *own = json_string_value(json_object_get(v, "allocator"));
		if (own && !strcmp(own, "auto"))
			return;
	}
	json_object_set_new(plain, "allocator", json_string("nccl"));
}

static void drop_json(void *json)
{
	json_decref(json);
}

/* The settings of a variant that sets nothing, as this run knew them. */
static json_t *defaults_of(struct arena *arena, const json_t *variants)
{
	struct settings none;
	settings_default(&none);
	json_t *plain = settings_to_json(&none);
	arena_need(arena, plain);
	arena_defer(arena, drop_json, plain);
	take_allocator(variants, plain);
	return plain;
}

/* What the record's variant sets beyond the defaults. Older records name fewer settings; what
 * they do not name was the default then. */
static const char *settings_of(const struct summary *s, struct arena *arena, json_t *plain,
                               const json_t *given, const char *name)
{
	const bool logs_path = record_traits(s->run, name)->logs_path;
	const char *text = "", *key;
	json_t *value;
	json_object_foreach(plain, key, value)
	{
		const json_t *own = json_object_get(given, key);
		const bool idle = !strcmp(key, "expect") && !logs_path;
		if (own && !has_column(key) && strcmp(key, "env") && !idle &&
		    !json_equal(own, value))
			text = add_json(arena, text, key, own);
	}
	return add_env(arena, text, json_object_get(given, "env"));
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const json_t *variants = json_object_get(s->run->environment, "variants");
	struct arena *arena = story->arena;
	json_t *plain = defaults_of(arena, variants);
	struct row *rows = ARENA_ARRAY(arena, struct row, s->nvariants);
	struct left_out *left = ARENA_ARRAY(arena, struct left_out, s->nvariants);
	unsigned n = 0, nleft = 0;
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct summary_variant *v = &s->variants[i];
		/* An omitted variant has settings of another machine; a warning says why. */
		if (v->skip[0])
			left[nleft++].variant = v->name;
		else
			rows[n++] = (struct row){
			    v->name,
			    summary_role_name(v->role),
			    v->mode,
			    v->layout,
			    v->backend,
			    v->bind,
			    v->library,
			    settings_of(s, arena, plain, json_array_get(variants, i), v->name),
			    v->path};
	}
	story_table(story, &form, rows, n);
	if (nleft)
		story_say(story, STORY_BODY, story_table(story, &left_form, left, nleft), NULL, 0,
		          "Left out, for the reasons among the warnings: {variant:list}.");
	story_note(story, STORY_BODY,
	           "Layout: processes × threads × ranks per thread. Settings: what a variant "
	           "sets beyond the defaults. again: the reference a second time in every "
	           "block, the A/A line. limit: plain copies without a handshake.");
}

const struct chapter chapter_variants = {"variants", "Variants", CHAPTER_APPENDIX, tell};

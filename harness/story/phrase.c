/* Templates over rows: {key}, {key:word}, {0.key}, {key:list}, {key:range}, [part],
 * [first|next|last]. */
#include <ctype.h>
#include <math.h>

#include "story.h"

#define KEY_BYTES 64

/* The rows that a template uses. */
struct scope {
	const struct story_table *table;
	const unsigned *rows;
	unsigned n;
	bool common; /* omit what differs between rows that share a sentence */
};

struct placeholder {
	unsigned row; /* of the scope's */
	char key[KEY_BYTES], how[KEY_BYTES];
};

struct phrase phrase_begin(struct story *story)
{
	return (struct phrase){.story = story};
}

static void put(struct phrase *p, const char *text, size_t bytes)
{
	if (p->used + bytes + 1 > p->room) {
		const size_t room = 2 * (p->used + bytes + 64);
		char *more = arena_take(p->story->arena, room);
		if (p->used)
			memcpy(more, p->text, p->used);
		p->text = more;
		p->room = room;
	}
	memcpy(p->text + p->used, text, bytes);
	p->used += bytes;
	p->text[p->used] = '\0';
}

static const struct entry *row_of(const struct scope *scope, unsigned i)
{
	return story_row(scope->table, scope->rows[i]);
}

/* Parses "{1.key:how}" at text, which begins after the brace. Returns its end, or NULL. */
static const char *placeholder_read(const char *text, struct placeholder *out)
{
	const size_t bytes = strcspn(text, "{}");
	char inside[2 * KEY_BYTES];
	if (text[bytes] != '}' || bytes >= sizeof inside)
		return NULL;
	snprintf(inside, sizeof inside, "%.*s", (int)bytes, text);
	*out = (struct placeholder){.row = 0};
	char *key = inside, *end, *how = strchr(inside, ':');
	if (how)
		*how++ = '\0';
	if (isdigit((unsigned char)*key)) {
		out->row = (unsigned)strtoul(key, &end, 10);
		key = end + (*end == '.');
	}
	snprintf(out->key, sizeof out->key, "%.*s", KEY_BYTES - 1, key);
	snprintf(out->how, sizeof out->how, "%.*s", KEY_BYTES - 1, how ? how : "");
	return text + bytes + 1;
}

/* "a, b and c", each once. */
static void put_list(struct phrase *p, const struct scope *scope, const struct column *column)
{
	char(*texts)[ENTRY_TEXT_BYTES] = arena_array(p->story->arena, scope->n, sizeof *texts);
	unsigned n = 0;
	for (unsigned i = 0; i < scope->n; i++) {
		const struct entry entry = row_of(scope, i)[column->at];
		unsigned known = 0;
		entry_say(&entry, NULL, texts[n], sizeof *texts);
		while (strcmp(texts[known], texts[n]))
			known++;
		n += known == n;
	}
	for (unsigned i = 0; i < n; i++) {
		const char *before = !i ? "" : i + 1 == n ? " and " : ", ";
		put(p, before, strlen(before));
		put(p, texts[i], strlen(texts[i]));
	}
}

static double size_of(const struct entry *c)
{
	const bool counts = c->kind == KIND_COUNT || c->kind == KIND_BYTES;
	return !c->has ? NAN : counts ? (double)c->count : c->x;
}

/* Of a spread its lower or upper end, with three digits: below 0.1 a factor is a fraction, and what
 * has a unit a number. Of others the entry. */
static struct entry end_of(const struct column *column, struct entry of, bool upper)
{
	if (of.kind == KIND_SPREAD && isfinite(of.lo))
		of.x = upper ? of.hi : of.lo;
	if (of.kind == KIND_SPREAD && fabs(of.x) < 0.0995) {
		of.kind = *column->unit ? KIND_NUMBER : KIND_RATIO;
		of.lo = of.hi = NAN;
	}
	return of;
}

/* "2.29 to 2.55", or the one number that all share, as it is written; of spreads from the least
 * lower to the greatest upper end. how: in which manner, NULL as it is; a unit that both ends have
 * is said once. */
static void put_range(struct phrase *p, const struct scope *scope, const struct column *column,
                      const char *how)
{
	struct entry least = entry_none(column->kind), most = least;
	char lo[ENTRY_TEXT_BYTES], hi[ENTRY_TEXT_BYTES];
	for (unsigned i = 0; i < scope->n; i++) {
		const struct entry entry = row_of(scope, i)[column->at],
		                   lower = end_of(column, entry, false),
		                   upper = end_of(column, entry, true);
		if (!isnan(size_of(&lower)) && (!least.has || size_of(&lower) < size_of(&least)))
			least = lower;
		if (!isnan(size_of(&upper)) && (!most.has || size_of(&upper) > size_of(&most)))
			most = upper;
	}
	if (!how && scope->n == 1 && row_of(scope, 0)[column->at].kind == KIND_RATIO)
		how = "full";
	entry_say(&least, how, lo, sizeof lo); /* a kind that can be said so: chapter_check */
	entry_say(&most, how, hi, sizeof hi);
	const char *unit = how && !strcmp(how, "percent") ? strstr(lo, " %") : NULL;
	if (strcmp(lo, hi) != 0) {
		put(p, lo, unit ? (size_t)(unit - lo) : strlen(lo));
		put(p, " to ", 4);
	}
	put(p, hi, strlen(hi));
}

static void put_placeholder(struct phrase *p, const struct scope *scope,
                            const struct placeholder *of)
{
	const struct column *column = story_column(scope->table, of->key);
	const bool list = !strcmp(of->how, "list"),
	           range = !strcmp(of->how, "range") || !strncmp(of->how, "range ", 6);
	char text[ENTRY_TEXT_BYTES];
	if (scope->common && (list || range))
		return;
	if (column && list) {
		put_list(p, scope, column);
	} else if (column && range) {
		put_range(p, scope, column, of->how[5] ? of->how + 6 : NULL);
	} else if (column && of->row < scope->n &&
	           entry_say(&row_of(scope, of->row)[column->at], *of->how ? of->how : NULL, text,
	                     sizeof text)) {
		put(p, text, strlen(text));
	} else {
		snprintf(text, sizeof text, "<<%s:%s>>", of->key, of->how);
		put(p, text, strlen(text));
	}
}

/* The end of a part, which begins after "[", and its bar or else its end; NULL: it has no end. */
static const char *part_end(const char *text, const char **bar)
{
	unsigned within = 0;
	*bar = NULL;
	for (; *text && (within || *text != ']'); text++) {
		within += *text == '[';
		within -= *text == ']';
		if (*text == '|' && !within && !*bar)
			*bar = text;
	}
	*bar = *bar ? *bar : text;
	return *text ? text : NULL;
}

/* Whether a row has a value for each key of a part, those of parts within it aside. */
static bool fills(const struct scope *row, const char *part)
{
	struct placeholder of;
	for (const char *at = part, *after, *bar; (at = strpbrk(at, "{[")); at = after) {
		after = *at == '[' ? part_end(at + 1, &bar) : placeholder_read(at + 1, &of);
		const struct column *column =
		    after && *at == '{' ? story_column(row->table, of.key) : NULL;
		const struct entry entry =
		    column ? row_of(row, 0)[column->at] : (struct entry){.has = true};
		if (!entry.has || (column && !strcmp(of.how, "interval") && isnan(entry.lo)))
			return false;
		after = after ? after : at + 1;
	}
	return true;
}

static void expand(struct phrase *p, const struct scope *scope, const char *text);

/* What a part says after its first row: words alone go before what that says. */
static const char *after_first(struct arena *arena, const char *words, size_t bytes,
                               const char *first)
{
	const char *own = arena_text(arena, "%.*s", (int)bytes, words);
	return *own && !strchr(own, '{') ? arena_text(arena, "%s%s", own, first) : own;
}

static void put_part(struct phrase *p, const struct scope *scope, const char *text, const char *bar,
                     const char *end)
{
	struct arena *arena = p->story->arena;
	const char *first = arena_text(arena, "%.*s", (int)(bar - text), text),
	           *next = after_first(arena, ", ", 2, first), *last = next;
	unsigned *rows = ARENA_ARRAY(arena, unsigned, scope->n + 1), n = 0, given = 0;
	for (const char *from = bar + 1; bar < end; from = bar + 1) {
		part_end(from, &bar);
		last = after_first(arena, from, (size_t)(bar - from), first);
		next = given++ ? next : last;
	}
	for (unsigned i = 0; i < scope->n && !scope->common; i++) {
		rows[n] = scope->rows[i];
		n += fills(&(struct scope){scope->table, &rows[n], 1, false}, first);
	}
	for (unsigned i = 0; i < n; i++)
		expand(p, &(struct scope){scope->table, &rows[i], 1, false},
		       !i          ? first
		       : i + 1 < n ? next
		                   : last);
}

static void expand(struct phrase *p, const struct scope *scope, const char *text)
{
	while (*text) {
		struct placeholder of;
		const size_t plain = strcspn(text, "{[");
		put(p, text, plain);
		text += plain;
		if (!*text)
			return;
		const bool part = *text == '[', brace = text[1] == '{';
		const char *bar, *after = part    ? part_end(text + 1, &bar)
		                          : brace ? NULL
		                                  : placeholder_read(text + 1, &of);
		if (after && part)
			put_part(p, scope, text + 1, bar, after++);
		else if (after)
			put_placeholder(p, scope, &of);
		else
			put(p, text, 1);
		text = after ? after : text + 1 + (!part && brace);
	}
}

void phrase_add(struct phrase *p, const struct story_table *t, const unsigned *rows, unsigned n,
                const char *text)
{
	struct arena *arena = p->story->arena;
	unsigned *kept = ARENA_ARRAY(arena, unsigned, n);
	if (n)
		memcpy(kept, rows, n * sizeof *kept);
	expand(p, &(struct scope){t, kept, n, false}, text);
	p->bases = arena_more(arena, p->bases, p->nbases, sizeof *p->bases);
	p->bases[p->nbases++] = (struct story_basis){t, kept, n};
}

void phrase_words(struct phrase *p, const char *words)
{
	if (p->used)
		put(p, words, strlen(words));
}

const char *phrase_row(struct arena *arena, const struct story_table *t, unsigned row,
                       const char *text)
{
	struct story alone = {.arena = arena};
	struct phrase p = phrase_begin(&alone);
	const struct scope scope = {t, &row, 1, false};
	expand(&p, &scope, text);
	return p.text ? p.text : "";
}

const char *phrase_common(struct story *story, const struct story_table *t, unsigned row,
                          const char *text)
{
	struct phrase p = phrase_begin(story);
	const struct scope scope = {t, &row, 1, true};
	expand(&p, &scope, text);
	return p.text ? p.text : "";
}

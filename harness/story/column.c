#include "column.h"

#include "../status.h"
#include "../coll/coll.h"
#include "../analysis/stats.h"
#include "../data/format.h"

struct entry entry_none(enum column_kind kind)
{
	return (struct entry){.kind = kind, .x = NAN, .lo = NAN, .hi = NAN, .text = ""};
}

static void spread_write(const struct entry *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", format_number(c->x).text);
	if (isfinite(c->lo))
		status_add(text, bytes, " (%s to %s)", format_number(c->lo).text,
		           format_number(c->hi).text);
}

static struct stats_ratio ratio_of(const struct entry *c)
{
	return (struct stats_ratio){c->x, c->lo, c->hi, c->blocks, NAN};
}

static struct formatted number_words(const struct entry *c)
{
	const struct stats_ratio ratio = ratio_of(c);
	return c->kind == KIND_RATIO ? format_ratio(&ratio) : format_number(c->x);
}

void entry_write(const struct entry *c, char *text, size_t bytes)
{
	if (!c->has)
		snprintf(text, bytes, "-");
	else if (c->kind == KIND_COUNT)
		snprintf(text, bytes, "%lld", c->count);
	else if (c->kind == KIND_BYTES)
		coll_size_label((size_t)c->count, text, bytes);
	else if (c->kind == KIND_FLAG)
		snprintf(text, bytes, "%s", c->count ? "yes" : "-");
	else if (c->kind == KIND_SHARE)
		snprintf(text, bytes, "%.0f %%", round(100 * c->x) + 0.0); /* no -0 */
	else if (c->kind == KIND_SPREAD)
		spread_write(c, text, bytes);
	else
		snprintf(text, bytes, "%s",
		         c->kind == KIND_TEXT || c->kind == KIND_WORD ? c->text
		                                                      : number_words(c).text);
}

/* --- in sentences --- */

enum how {
	HOW_SHORT,
	HOW_FULL,
	HOW_INTERVAL,
	HOW_PERCENT,
	HOW_PERCENTS,
	HOW_LESS,
	HOW_MORE,
	HOW_TIMES,
	HOW_EFFECT,
	HOW_DURATION,
	HOWS
};

static const char *const how_names[HOWS] = {"short", "full", "interval", "percent", "percents",
                                            "less",  "more", "times",    "effect",  "duration"};

static void ratio_write(const struct entry *c, enum how how, char *text, size_t bytes)
{
	const struct stats_ratio ratio = ratio_of(c);
	if (how == HOW_INTERVAL)
		snprintf(text, bytes, "%s", format_interval(&ratio).text);
	else if (how == HOW_PERCENT || how == HOW_PERCENTS)
		snprintf(text, bytes, "%.1f %%", 100 * c->x);
	else if (how == HOW_LESS || how == HOW_MORE)
		snprintf(text, bytes, "%s %%",
		         format_percent(how == HOW_LESS ? 1 - c->x : c->x - 1).text);
	else if (how == HOW_TIMES)
		snprintf(text, bytes, "%.2f", c->x);
	else if (how == HOW_EFFECT)
		snprintf(text, bytes, "%s", format_effect(c->x).text);
	else if (how == HOW_DURATION)
		snprintf(text, bytes, "%s", format_duration(c->x).text);
	else
		snprintf(text, bytes, "%s", format_estimate(c->x).text);
	if (how == HOW_PERCENTS && isfinite(c->lo))
		status_add(text, bytes, " (%.1f to %.1f %%)", 100 * c->lo, 100 * c->hi);
}

/* The words after a number of things: "1 call was", "2 calls were". */
static bool plural_write(const struct entry *c, const char *how, char *text, size_t bytes)
{
	static const struct {
		const char *how, *one, *more;
	} words[] = {{"s", "", "s"},
	             {"es", "", "es"},
	             {"is", "is", "are"},
	             {"was", "was", "were"},
	             {"has", "has", "have"}};
	for (size_t i = 0; how && i < sizeof words / sizeof *words; i++)
		if (c->kind == KIND_COUNT && !strcmp(how, words[i].how)) {
			snprintf(text, bytes, "%s", c->count == 1 ? words[i].one : words[i].more);
			return true;
		}
	return false;
}

bool entry_say(const struct entry *c, const char *how, char *text, size_t bytes)
{
	if (plural_write(c, how, text, bytes))
		return true;
	unsigned h = HOW_SHORT;
	while (how && h < HOWS && strcmp(how_names[h], how))
		h++;
	const bool number = c->kind == KIND_NUMBER || c->kind == KIND_SHARE,
	           figure = number || c->kind == KIND_RATIO || c->kind == KIND_SPREAD;
	if (h == HOWS || (h > HOW_FULL && !figure))
		return false;
	if (!c->has || !figure || h == HOW_FULL || (h == HOW_SHORT && c->kind == KIND_SHARE))
		entry_write(c, text, bytes);
	else if (h == HOW_SHORT && c->kind != KIND_RATIO)
		snprintf(text, bytes, "%s", format_number(c->x).text);
	else
		ratio_write(c, (enum how)h, text, bytes);
	return true;
}

bool entry_decided(const char *verdict)
{
	static const char *const words[] = {"holds",      "does not hold", "less",
	                                    "more",       "faster",        "slower",
	                                    "reproduced", "refuted",       "no longer so"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(verdict, words[i], strlen(words[i])))
			return !strstr(verdict, "(taken alone)");
	return false;
}

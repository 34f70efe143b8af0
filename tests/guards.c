#include "guards.h"

#include "guards_text.h"
#include "told.h"

/* A report as it is walked through. */
struct guarded {
	const json_t *report, *chapters;
	double edge; /* 1 and the margin */
	char *why;
	size_t bytes;
};

/* A sentence of it. */
struct said {
	const char *chapter, *role, *text; /* the first role */
	size_t roles;
	const json_t *of;
};

static bool wrong(const struct guarded *g, const char *what, const char *text)
{
	snprintf(g->why, g->bytes, "%s: %s", what, text);
	return false;
}

/* A sentence with a range of sizes and a ratio says how far that goes from cell to cell: of each row,
 * or of all that it is of in one. Titles of curves have the ends of several variants in one. */
static bool basis_right(const struct guarded *g, const json_t *basis, const char *text,
                        struct range *all, bool *each, bool *known)
{
	const json_t *rows = json_object_get(basis, "rows");
	const char *name = json_string_value(json_object_get(basis, "table"));
	const json_t *table = told_table(g->chapters, name);
	const bool title = !strcmp(name, "caption_verdicts");
	struct range own = {INFINITY, -INFINITY};
	for (size_t r = 0; r < json_array_size(rows); r++) {
		const size_t at = (size_t)json_integer_value(json_array_get(rows, r));
		const json_t *row = json_array_get(json_object_get(table, "rows"), at);
		*each = ends_told(table, row, text, known) && *each;
		*all = with(*all, table, row, "each");
		*known |= title && json_is_object(cell(table, row, "speed"));
		if (title && json_integer_value(cell(table, row, "kind")) <= 1)
			own = with(own, table, row, "speed");
	}
	return own.lo > own.hi || (has_range(text, own.lo, own.hi) &&
	                           (json_array_size(rows) < 2 || is_near(own.lo, own.hi) ||
	                            strstr(text, "by variant")));
}

/* Whether it is a part of other sentences alone; of titles it is the whole. */
static bool is_part_of_others(const struct said *s)
{
	return strcmp(s->chapter, "captions") != 0 && s->roles == 1 && !strcmp(s->role, "row");
}

static bool range_right(const struct guarded *g, const struct said *s)
{
	struct range all = {INFINITY, -INFINITY};
	bool known = is_part_of_others(s), each = true;
	for (size_t i = 0; i < json_array_size(s->of) && !is_part_of_others(s); i++)
		if (!basis_right(g, json_array_get(s->of, i), s->text, &all, &each, &known))
			return wrong(g, "a title without its range", s->text);
	if (!each && has_figure(s->text) && !strstr(s->text, " of the gap") &&
	    !has_range(s->text, all.lo, all.hi))
		return wrong(g, "a mean without its range over cells", s->text);
	if (!place_told(s->role, s->text))
		return wrong(g, "a ratio without its size", s->text);
	return known || !has_ratio_over_sizes(s->text) ||
	       wrong(g, "a ratio over sizes, whose range no row has", s->text);
}

/* A regime's verdict on a variant, by the results at each of its sizes. */
struct seen {
	double least, most;  /* the ends of their ratios */
	bool slower, faster; /* one is so beyond the margin */
};

static struct seen seen_at_sizes(const struct guarded *g, const json_t *regime, const char *variant)
{
	const json_t *table = told_table(g->chapters, "summary"), *row,
	             *bytes = json_object_get(regime, "bytes");
	const json_int_t from = json_integer_value(json_array_get(bytes, 0)),
	                 to = json_integer_value(json_array_get(bytes, 1));
	struct seen seen = {INFINITY, -INFINITY, false, false};
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		const json_int_t asked = json_integer_value(cell(table, row, "asked_bytes"));
		if (strcmp(text_at(table, row, "variant"), variant) != 0 || asked < from ||
		    asked > to ||
		    strcmp(text_at(table, row, "pace"),
		           json_string_value(json_object_get(regime, "pace"))) != 0)
			continue;
		seen.least = fmin(seen.least, number_at(table, row, "ratio", "estimate"));
		seen.most = fmax(seen.most, number_at(table, row, "ratio", "estimate"));
		seen.slower |= number_at(table, row, "ratio", "hi") * g->edge < 1;
		seen.faster |= number_at(table, row, "ratio", "lo") > g->edge;
	}
	return seen;
}

/* The ends of a mean are those of its sizes, and there is none of sizes that go both ways. Parts of a
 * training step are among the results, and not in the mean. */
static bool means_right(const struct guarded *g, const json_t *regime, const json_t *table)
{
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		const char *name = text_at(table, row, "name");
		const struct seen seen = seen_at_sizes(g, regime, name);
		const double lo = number_at(table, row, "each", "lo"),
		             hi = number_at(table, row, "each", "hi");
		const bool step = told_table(g->chapters, "training") != NULL;
		if (!isnan(lo) && !step && !(is_near(lo, seen.least) && is_near(hi, seen.most)))
			return wrong(g, "its cells have other ends", name);
		if (seen.slower && seen.faster && !step &&
		    !isnan(number_at(table, row, "speed", "estimate")))
			return wrong(g, "a mean of cells that go both ways", name);
	}
	return true;
}

/* A verdict is beyond the A/A line of what it is of: a line that is not within the margin allows no
 * smaller one, and one that excludes 1 none below the margin. Where there is none (NaN) nothing is asked. */
static bool line_right(const struct guarded *g, const char *verdict, struct range speed,
                       struct range line)
{
	const double far = far_of(line);
	const bool faster = !strcmp(verdict, "faster"), slower = !strcmp(verdict, "slower"),
	           same = begins(verdict, "no difference"), little = strstr(verdict, ", by under");
	const bool right = faster   ? speed.lo > far
	                   : slower ? speed.hi < 1 / far
	                   : same   ? far <= g->edge + ROUNDING
	                   : little ? far <= g->edge + ROUNDING && line.lo <= 1 && line.hi >= 1
	                            : true;
	return right || isnan(far) ||
	       wrong(g, "a verdict that its A/A line does not allow", verdict);
}

/* Of a table whose A/A lines, of each collective and pace or of all, are in one of its own or another. */
static bool verdicts_right(const struct guarded *g, const json_t *table, const char *verdict,
                           const char *speed, const json_t *lines)
{
	const json_t *row, *line;
	size_t i, k;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		struct range twin = {NAN, NAN};
		json_array_foreach(
		    json_object_get(lines, "rows"), k,
		    line) if (strstr(text_at(lines, line, "variant"), "A/A") &&
		              (lines != table || (!strcmp(text_at(table, line, "collective"),
		                                          text_at(table, row, "collective")) &&
		                                  !strcmp(text_at(table, line, "pace"),
		                                          text_at(table, row, "pace"))))) twin =
		    interval(lines, line, "speed");
		if (!line_right(g, text_at(table, row, verdict), interval(table, row, speed), twin))
			return false;
	}
	return true;
}

static bool regimes_right(const struct guarded *g)
{
	const json_t *regimes = json_object_get(g->report, "regimes"), *regime,
	             *gaps = told_table(g->chapters, "gaps");
	const json_t *factors = told_table(g->chapters, "factors"),
	             *large = told_table(g->chapters, "verdicts_large"),
	             *small = told_table(g->chapters, "verdicts_small");
	size_t i;
	json_array_foreach(regimes, i, regime)
	{
		const json_t *table =
		    begins(json_string_value(json_object_get(regime, "name")), "large") ? large
		                                                                        : small;
		if (table && !(verdicts_right(g, table, "verdict", "speed", table) &&
		               means_right(g, regime, table)))
			return false;
	}
	return verdicts_right(g, gaps, "verdict", "speed", gaps) &&
	       verdicts_right(g, factors, "verdict", "effect", large) &&
	       verdicts_right(g, factors, "latency_verdict", "latency", small) &&
	       verdicts_right(g, told_table(g->chapters, "versions"), "verdict", "ratio", large);
}

/* The reference against itself where a result is. */
static const json_t *line_of(const json_t *table, const json_t *of)
{
	static const char *const same[] = {"what", "ranks", "root", "pace", "bytes"};
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		size_t n = 0;
		for (size_t k = 0; k < sizeof same / sizeof *same; k++)
			n += json_equal(cell(table, row, same[k]), cell(table, of, same[k]));
		if (n == sizeof same / sizeof *same &&
		    !strcmp(text_at(table, row, "role"), "again"))
			return row;
	}
	return NULL;
}

static bool is_effect(const struct guarded *g, const json_t *table, const json_t *row)
{
	const struct range of = interval(table, row, "ratio");
	if (!(of.lo > g->edge || of.hi * g->edge < 1)) /* the line is not asked for */
		return false;
	const double far = far_of(interval(table, line_of(table, row), "ratio"));
	return of.lo > far || of.hi * far < 1;
}

/* What the strip calls faster or slower is so among the results, at one pace at least. */
static bool strip_right(const struct guarded *g)
{
	const json_t *strip = told_table(g->chapters, "strip"), *row, *of,
	             *all = told_table(g->chapters, "summary");
	size_t i, k;
	json_array_foreach(json_object_get(strip, "rows"), i, row)
	{
		const char *verdict = text_at(strip, row, "verdict");
		bool is = !strstr(verdict, " faster") && !strstr(verdict, " slower");
		json_array_foreach(json_object_get(all, "rows"), k, of) is |=
		    json_equal(cell(all, of, "variant"), cell(strip, row, "variant")) &&
		    json_equal(cell(all, of, "collective"), cell(strip, row, "coll")) &&
		    json_equal(cell(all, of, "asked_bytes"), cell(strip, row, "bytes")) &&
		    is_effect(g, all, of);
		if (!is)
			return wrong(g, "a verdict beyond no A/A line", verdict);
	}
	return true;
}

/* How the picture of all collectives sums up: no effect that its A/A line does not allow. */
static bool overview_right(const struct guarded *g)
{
	const json_t *table = told_table(g->chapters, "overview"),
	             *all = told_table(g->chapters, "summary"), *row, *of;
	size_t i, k;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		const char *variant = text_at(table, row, "variant");
		json_int_t effects = json_integer_value(cell(table, row, "faster")) +
		                     json_integer_value(cell(table, row, "slower"));
		json_array_foreach(json_object_get(all, "rows"), k, of) effects -=
		    effects > 0 && !strcmp(text_at(all, of, "variant"), variant) &&
		    !strcmp(text_at(all, of, "pace"), "stream") && is_effect(g, all, of);
		if (effects > 0)
			return wrong(g, "the overview has effects that no A/A line allows",
			             variant);
	}
	return true;
}

/* What a regime's A/A line shows beyond the margin, or is off by unless a claim is within. */
static double shown(const struct guarded *g, const char *regime, bool within)
{
	const json_t *noise = told_table(g->chapters, "noise"), *row;
	size_t i;
	json_array_foreach(json_object_get(noise, "rows"), i, row)
	{
		const json_t *means = cell(noise, row, "means"), *least = cell(noise, row, "least");
		const double shows = 1 + json_number_value(json_is_number(means) ? means : least);
		const struct range twin = interval(noise, row, "twin");
		if (strcmp(text_at(noise, row, "label"), regime) != 0)
			continue;
		return shows > g->edge                            ? shows
		       : within || (twin.lo <= 1 && twin.hi >= 1) ? 1
		                                                  : far_of(twin);
	}
	return 1;
}

/* 1: the bounds are within these ratios, by more than a line; -1: the outer ends beyond; 0: open. */
static int side_of(struct range bounds, struct range outer, struct range at, double far)
{
	return bounds.lo / far > at.lo && bounds.hi * far < at.hi                  ? 1
	       : outer.lo / far >= at.hi || (at.lo > 0 && outer.hi * far <= at.lo) ? -1
	                                                                           : 0;
}

/* Whether something is recommended of the variants of a claim, in its metric. */
static bool is_advised(const struct guarded *g, const json_t *claims, const json_t *of)
{
	const json_t *advice = told_table(g->chapters, "advice"), *row;
	bool is = false;
	size_t i;
	json_array_foreach(json_object_get(advice, "rows"), i, row) for (unsigned k = 0; k < 2; k++)
	    is |= json_equal(cell(claims, of, "metric_name"), cell(advice, row, "metric")) &&
	          json_equal(cell(claims, of, "left"), cell(advice, row, k ? "from" : "to")) &&
	          json_equal(cell(claims, of, "right"), cell(advice, row, k ? "to" : "from"));
	return is;
}

/* A claim is decided as its bounds (of one within that fails, both ends) decide beyond the A/A line. */
static bool decided_right(const struct guarded *g)
{
	const json_t *table = told_table(g->chapters, "claims"), *row;
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		const char *verdict = text_at(table, row, "verdict");
		struct range at;
		const bool holds = begins(verdict, "holds");
		if (begins(verdict, "undecided") && is_advised(g, table, row))
			return wrong(g, "advice on what a claim leaves open",
			             text_at(table, row, "claim"));
		if (!limits_of(text_at(table, row, "test"), &at) ||
		    !(holds || begins(verdict, "does not") || strstr(verdict, ", but not ")))
			continue;
		const bool within = at.lo > 0 && isfinite(at.hi);
		const struct range bounds = interval(table, row, "bounds"),
		                   outer = within ? interval(table, row, "ratio") : bounds;
		const double far = shown(g, text_at(table, row, "regime"), within);
		at = exact(at, json_number_value(cell(table, row, "by")));
		const int alone = side_of(bounds, outer, at, 1),
		          is = alone < 0 && (outer.lo > far || outer.hi * far < 1)
		                   ? alone
		                   : side_of(bounds, outer, at, far);
		if (is != (holds ? 1 : -1) ||
		    json_number_value(cell(table, row, "p")) > 0.05 + 1e-6)
			return wrong(g, "a verdict that its figures do not give",
			             text_at(table, row, "claim"));
	}
	return true;
}

/* Whether a claim of this ratio, as it is written, comes out so: it holds, or it does not. */
static bool has_outcome(const struct guarded *g, const char *ratio, const char *of, bool holds)
{
	const json_t *table = told_table(g->chapters, "claims"), *row;
	const char *point = strchr(ratio, '.');
	const double ulp = 1.001 * pow(10, point ? -(double)strlen(point + 1) : 0);
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		const char *verdict = text_at(table, row, "verdict");
		char sides[256];
		snprintf(sides, sizeof sides, "%s ÷ %s", text_at(table, row, "left"),
		         text_at(table, row, "right"));
		if (fabs(number_at(table, row, "ratio", "estimate") - atof(ratio)) <= ulp / 2 &&
		    (!*of || strstr(of, sides)) && !begins(verdict, "undecided") &&
		    begins(verdict, "holds") == holds)
			return true;
	}
	return false;
}

/* A source's line, and a claim in brief, come out as the claim does; that shows its limits. */
static bool lines_right(const struct guarded *g)
{
	static const char *const keys[][3] = {{"source_lines", "outcome", "ratio"},
	                                      {"source_lines", "outcome_new", "ratio_new"},
	                                      {"claims_short", "verdict", NULL},
	                                      {"claims_short", "verdict_new", NULL}};
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		const json_t *table = told_table(g->chapters, keys[k][0]), *row;
		size_t i;
		json_array_foreach(json_object_get(table, "rows"), i, row)
		{
			const char *out = text_at(table, row, keys[k][1]);
			const bool holds = begins(out, "reproduced") || begins(out, "holds");
			char ratio[16] = "";
			sscanf(out, "%*[^,], %15[0-9.]", ratio);
			if ((holds || begins(out, "refuted") || begins(out, "no longer") ||
			     begins(out, "does not")) &&
			    !has_outcome(g, keys[k][2] ? text_at(table, row, keys[k][2]) : ratio,
			                 text_at(table, row, k == 1 ? "of" : "-"), holds))
				return wrong(g, "a line that no claim decides so", out);
			if (k > 1 && *out && !*text_at(table, row, "test"))
				return wrong(g, "a claim without limits", out);
		}
	}
	return true;
}

/* Where a page says that it cannot distinguish variants, it calls none faster or slower. */
static bool doubts_right(const struct guarded *g)
{
	char doubt[64] = "", at[64] = "At ";
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < json_array_size(g->chapters); i++) {
			const json_t *sentence,
			    *sentences =
			        json_object_get(json_array_get(g->chapters, i), "sentences");
			size_t s;
			json_array_foreach(sentences, s, sentence)
			{
				const char *text =
				    json_string_value(json_object_get(sentence, "text"));
				const char *no = strstr(text, "it cannot distinguish the variants");
				if (!pass && begins(text, "This run cannot distinguish"))
					snprintf(doubt, sizeof doubt, "%s", at);
				else if (!pass && no && !*doubt && no - text < 60)
					snprintf(doubt, sizeof doubt, "%.*s", (int)(no - text),
					         text);
				else if (pass && *doubt && begins(text, doubt) &&
				         (strstr(text, "faster than") ||
				          strstr(text, "slower than")))
					return wrong(g, "what it cannot distinguish", text);
			}
		}
	return true;
}

/* A setting that should change nothing. */
static bool is_placebo(const struct guarded *g, const char *variant)
{
	const json_t *factors = told_table(g->chapters, "factors"), *row;
	size_t i;
	json_array_foreach(json_object_get(factors, "rows"), i, row)
	{
		if (json_is_true(cell(factors, row, "placebo")) &&
		    !strcmp(text_at(factors, row, "to"), variant))
			return true;
	}
	return false;
}

/* A headline that calls its size equal or undecided names an effect of another one, if there is any,
 * and the collectives of its size where that was not shown; parts of a training step have no verdict, a
 * disturbed run has none, and placebos have a warning. */
static bool headline_right(const struct guarded *g, const struct said *s)
{
	const json_t *all = told_table(g->chapters, "summary"), *row,
	             *strip = told_table(g->chapters, "strip"),
	             *first = json_array_get(json_object_get(strip, "rows"), 1);
	const bool same = strstr(s->text, " matched "),
	           other = strstr(s->text, " times the speed in ");
	size_t r;
	if (strcmp(s->chapter, "strip") != 0 || told_table(g->chapters, "training") ||
	    json_is_null(json_object_get(json_array_get(json_object_get(g->report, "regimes"), 0),
	                                 "least_effect")) ||
	    (!same && !strstr(s->text, "no variant was shown")))
		return true;
	json_array_foreach(json_object_get(all, "rows"), r, row)
	{
		const char *variant = text_at(all, row, "variant");
		if (!other && !strcmp(text_at(all, row, "role"), "variant") &&
		    !is_placebo(g, variant) && is_effect(g, all, row))
			return wrong(g, "a headline that hides an effect", s->text);
		if (same && !strcmp(text_at(all, row, "pace"), "stream") &&
		    (number_at(all, row, "ratio", "lo") * g->edge < 1 ||
		     number_at(all, row, "ratio", "hi") > g->edge) &&
		    !strcmp(variant, text_at(strip, first, "variant")) &&
		    json_equal(cell(all, row, "bytes"), cell(strip, first, "bytes")) &&
		    !strstr(s->text, " others") &&
		    !strstr(s->text, text_at(all, row, "collective")))
			return wrong(g, "a headline without its exceptions", s->text);
	}
	return true;
}

/* What moves a jump comes before where it is, and a search advises settings alone. */
static bool cause_right(const struct guarded *g, const struct said *s)
{
	const json_t *moved = json_object_get(told_table(g->chapters, "channels_moved"), "rows");
	if (strcmp(s->chapter, "cliffs") != 0)
		return true;
	if (!strcmp(s->role, "headline") && json_array_size(moved) &&
	    !strstr(s->text, " moves the jump: "))
		return wrong(g, "a headline without the cause", s->text);
	return strcmp(s->role, "advice") != 0 || !told_table(g->chapters, "finalists") ||
	       wrong(g, "what settings make moot", s->text);
}

/* Whether a recommendation of several collectives has one, as a row or in words. */
static bool is_covered(const json_t *table, const json_t *of, const json_t *coll, const char *text)
{
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		if (json_equal(cell(table, row, "what"), cell(table, of, "what")) &&
		    json_equal(cell(table, row, "library"), cell(table, of, "library")) &&
		    json_equal(cell(table, row, "collective"), coll))
			return true;
	}
	return strstr(text, json_string_value(coll)) != NULL;
}

/* What is recommended for a range of sizes names the collectives in which it was not shown. */
static bool advice_right(const struct guarded *g, const struct said *s)
{
	const json_t *all = told_table(g->chapters, "summary"), *row,
	             *advice = told_table(g->chapters, "advice"),
	             *rows = json_object_get(json_array_get(s->of, 0), "rows"),
	             *of = json_array_get(json_object_get(advice, "rows"),
	                                  (size_t)json_integer_value(json_array_get(rows, 0)));
	const json_int_t from = json_integer_value(cell(advice, of, "from_bytes")),
	                 to = json_integer_value(cell(advice, of, "to_bytes"));
	size_t i;
	json_array_foreach(json_object_get(all, "rows"), i, row)
	{
		const json_int_t asked = json_integer_value(cell(all, row, "asked_bytes"));
		if (!strcmp(s->chapter, "advice") && !strcmp(s->role, "advice") && asked >= from &&
		    (!to || asked <= to) &&
		    json_equal(cell(all, row, "variant"), cell(advice, of, "to")) &&
		    !is_covered(advice, of, cell(all, row, "collective"), s->text))
			return wrong(g, "advice without its exceptions", s->text);
	}
	return true;
}

/* The farthest end of the A/A lines of a regime's cells. */
static double noisiest(const struct guarded *g, const json_t *regime)
{
	const json_t *all = told_table(g->chapters, "summary"), *row,
	             *bytes = json_object_get(regime, "bytes");
	double far = 1;
	size_t i;
	json_array_foreach(json_object_get(all, "rows"), i, row)
	{
		const json_int_t asked = json_integer_value(cell(all, row, "asked_bytes"));
		if (!strcmp(text_at(all, row, "role"), "again") &&
		    asked >= json_integer_value(json_array_get(bytes, 0)) &&
		    asked <= json_integer_value(json_array_get(bytes, 1)) &&
		    json_equal(cell(all, row, "pace"), json_object_get(regime, "pace")))
			far = fmax(far, far_of(interval(all, row, "ratio")));
	}
	return far;
}

/* Trust says which differences can be believed, wherever the reference was compared with itself, at
 * each size; parts of a training step are not compared. */
static bool trust_right(const struct guarded *g)
{
	const json_t *noise = told_table(g->chapters, "noise"), *row,
	             *regimes = json_object_get(g->report, "regimes"); /* the other way round */
	const char *trust = json_string_value(json_object_get(g->report, "trust"));
	const bool step = told_table(g->chapters, "training") != NULL;
	size_t i;
	json_array_foreach(json_object_get(noise, "rows"), i, row)
	{
		const char *believes = text_at(noise, row, "believes");
		char *at = (char *)believes + strcspn(believes, "0123456789");
		const double far = noisiest(
		                 g, json_array_get(regimes, json_array_size(regimes) - 1 - i)),
		             said = strtod(at, &at);
		if (!isnan(number_at(noise, row, "twin", "estimate")) &&
		    !strstr(trust, " can be believed"))
			return wrong(g, "an A/A line without its meaning", trust);
		const double bound = begins(at, " %") ? said / 100 : said - 1;
		if (!step && *at && bound < 0.95 * (far - 1)) /* two digits */
			return wrong(g, "a bound that a size exceeds", trust);
	}
	return true;
}

/* A file for a collective is shown by what it gains in that. */
static bool files_right(const struct guarded *g)
{
	const json_t *sets = told_table(g->chapters, "finalists"), *row;
	size_t i;
	json_array_foreach(json_object_get(sets, "rows"), i, row)
	{
		const char *file = text_at(sets, row, "best_file");
		char of[64];
		if (sscanf(file, "nccl.%63[^.]", of) == 1 && !strstr("most conf", of) &&
		    !begins(text_at(sets, row, "collective"), of))
			return wrong(g, "a file shown by another collective's gain", file);
	}
	return true;
}

/* A set is slower where its whole interval is beyond the margin and its cell's A/A line, and nowhere
 * else; its price has that interval. Rows are set by set, each cell by cell. */
static bool prices_right(const struct guarded *g)
{
	const json_t *tests = told_table(g->chapters, "confirmation"), *row,
	             *tuned = told_table(g->chapters, "tuned"),
	             *cells = json_object_get(tuned, "rows"),
	             *sets = told_table(g->chapters, "finalists");
	size_t i;
	json_array_foreach(json_object_get(tests, "rows"), i, row)
	{
		const json_t *line = json_array_get(cells, i % json_array_size(cells)),
		             *set = json_array_get(json_object_get(sets, "rows"),
		                                   i / json_array_size(cells));
		const double lo = number_at(tests, row, "ratio", "lo"),
		             hi = number_at(tests, row, "ratio", "hi"),
		             far = fmax(g->edge, far_of(interval(tuned, line, "aa")));
		const char *price = text_at(sets, set, "price");
		if (hi * far < 1 ? !has_range(price, lo, hi) : *text_at(tests, row, "slower"))
			return wrong(g, "a price that its interval does not give", price);
	}
	return true;
}

/* How many collectives a variant has at a size and a pace. */
static unsigned cells_of(const struct guarded *g, const char *variant, const json_t *bytes,
                         const json_t *pace)
{
	const json_t *all = told_table(g->chapters, "summary"), *row;
	unsigned n = 0;
	size_t i;
	json_array_foreach(json_object_get(all, "rows"), i, row) n +=
	    !strcmp(text_at(all, row, "variant"), variant) &&
	    json_equal(cell(all, row, "bytes"), bytes) && json_equal(cell(all, row, "pace"), pace);
	return n;
}

/* The strip's value of a cell is that of the results, if that is of this cell alone. */
static bool values_right(const struct guarded *g)
{
	const json_t *strip = told_table(g->chapters, "strip"), *row, *regime, *result;
	size_t i, r, k;
	json_array_foreach(json_object_get(g->report, "regimes"), r, regime)
	{
		const json_t *bytes = json_object_get(regime, "bytes");
		char name[64];
		snprintf(name, sizeof name, "verdicts_%s",
		         json_string_value(json_object_get(regime, "name")));
		const json_t *table = told_table(g->chapters, name);
		json_array_foreach(json_object_get(strip, "rows"), i, row)
		    json_array_foreach(json_object_get(table, "rows"), k, result)
		{
			const char *variant = text_at(strip, row, "variant");
			if (strcmp(variant, text_at(table, result, "variant")) != 0 ||
			    !json_equal(json_array_get(bytes, 0), json_array_get(bytes, 1)) ||
			    !json_equal(json_array_get(bytes, 0), cell(strip, row, "bytes")) ||
			    cells_of(g, variant, json_array_get(bytes, 0),
			             json_object_get(regime, "pace")) > 1 ||
			    number_at(strip, row, "speed", "estimate") !=
			        number_at(table, result, "speed", "estimate"))
				continue;
			if (!json_equal(cell(strip, row, "value"), cell(table, result, "value")))
				return wrong(g, "a cell with two values", variant);
		}
	}
	return true;
}

bool guards_right(const json_t *report, char *why, size_t bytes)
{
	static bool (*const guards[])(const struct guarded *g) = {
	    regimes_right, strip_right, overview_right, decided_right, lines_right,
	    doubts_right,  trust_right, values_right,   files_right,   prices_right};
	static bool (*const each[])(const struct guarded *g, const struct said *s) = {
	    range_right, headline_right, cause_right, advice_right};
	const struct guarded g = {report, json_object_get(report, "chapters"),
	                          1 + json_number_value(json_object_get(report, "margin")), why,
	                          bytes};
	const json_t *chapter, *one;
	size_t k, n;
	for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
		if (!guards[i](&g))
			return false;
	json_array_foreach(g.chapters, k, chapter)
	    json_array_foreach(json_object_get(chapter, "sentences"), n, one)
	{
		const json_t *roles = json_object_get(one, "roles");
		const struct said s = {json_string_value(json_object_get(chapter, "name")),
		                       json_string_value(json_array_get(roles, 0)),
		                       json_string_value(json_object_get(one, "text")),
		                       json_array_size(roles), json_object_get(one, "of")};
		for (size_t i = 0; i < sizeof each / sizeof *each; i++)
			if (!each[i](&g, &s))
				return false;
	}
	return true;
}

/* Several hosts: how far apart they begin a call, by what is known of their clocks and by how often and
 * how much one of them heard of the release too late. */
#include "../analysis/hosts.h"
#include "../analysis/analysis.h"
#include "chapters.h"

/* A host of a variant. */
struct host {
	const char *variant;
	struct hosts_host of;
};

// clang-format off
static const struct column host_columns[] = {
    COLUMN(struct host, variant, "variant", "", TEXT),
    COLUMN_AS(struct host, of.name, "host", "host", "", TEXT, 0),
    COLUMN_AS(struct host, of.ranks, "ranks", "ranks", "", COUNT, 0),
    COLUMN_AS(struct host, of.offset_s, "offset_s", "clock off", "s", NUMBER, 0),
    COLUMN_AS(struct host, of.drift_ppm, "drift_ppm", "drift", "ppm", NUMBER, 0),
    COLUMN_AS(struct host, of.bound_us, "bound_us", "bound", "µs", NUMBER, 0),
    COLUMN_AS(struct host, of.round_trip_us, "round_trip_us", "round trip", "µs", NUMBER, 0),
    COLUMN_AS(struct host, of.meets, "meets", "meetings", "", COUNT, 0),
    COLUMN_AS(struct host, of.late_share, "late", "late in", "", SHARE, 0),
    COLUMN_AS(struct host, of.late_us, "late_us", "late by, most", "µs", NUMBER, 0),
    COLUMN_AS(struct host, of.margin_us, "margin_us", "margin", "µs", NUMBER, 0),
};
static const struct story_form host_form =
    STORY_FORM(struct host, host_columns, .name = "hosts", .title = "Hosts", .when = STORY_NO_WHEN);

/* A variant: when its hosts go on. */
struct release {
	const char *variant;
	unsigned hosts;
	double skew_us, late_share, late_us;
};

static const struct column release_columns[] = {
    COLUMN(struct release, variant, "variant", "", TEXT),
    COLUMN(struct release, hosts, "hosts", "", COUNT),
    COLUMN(struct release, skew_us, "go on within", "µs", NUMBER),
    COLUMN_AS(struct release, late_share, "late", "a host late in", "", SHARE, 0),
    COLUMN(struct release, late_us, "late by, most", "µs", NUMBER),
};
static const struct story_form release_form =
    STORY_FORM(struct release, release_columns, .name = "releases", .title = "When hosts go on",
               .when = STORY_NO_WHEN, .hidden = true);

// clang-format on

static void say_release(struct story *story, const struct story_table *table,
                        const struct release *rows, unsigned n)
{
	unsigned *late = ARENA_ARRAY(story->arena, unsigned, n), nlate = 0;
	for (unsigned i = 0; i < n; i++)
		if (rows[i].late_share > 0)
			late[nlate++] = i;
	struct phrase p = phrase_begin(story);
	phrase_add(&p, table, NULL, 0,
	           "Hosts began each call within {skew_us:range} µs of each other, by what is "
	           "known of their clocks");
	if (nlate)
		phrase_add(&p, table, late, nlate,
		           "; in {late:range percent} of the meetings of {variant:list} one was "
		           "later, by up to {late_us:range} µs");
	phrase_words(&p, ".");
	phrase_end(&p, STORY_TRUST | STORY_BODY);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct release *releases = ARENA_ARRAY(story->arena, struct release, s->nvariants);
	struct host *hosts = NULL;
	unsigned n = 0, nhosts = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct hosts_use use = hosts_of(s, v);
		if (!use.n || !summary_is_asked(s, v))
			continue;
		releases[n++] = (struct release){.variant = s->variants[v].name,
		                                 .hosts = use.n,
		                                 .skew_us = use.skew_us,
		                                 .late_share = use.late_share,
		                                 .late_us = use.late_us};
		for (unsigned h = 0; h < use.n; h++) {
			hosts = arena_more(story->arena, hosts, nhosts, sizeof *hosts);
			hosts[nhosts++] = (struct host){s->variants[v].name, use.hosts[h]};
		}
	}
	if (!n)
		return;
	say_release(story, story_table(story, &release_form, releases, n), releases, n);
	story_table(story, &host_form, hosts, nhosts);
	story_note(
	    story, STORY_BODY,
	    "All hosts meet before a call, and go on at one time that each reads from its own "
	    "clock. "
	    "They begin apart by what is not known of the clocks, the sum of two bounds, and by "
	    "how "
	    "late a host heard of that time: what a timed call of several hosts cannot resolve. "
	    "Offset and drift are against the first host's clock, medians over trials; the bound "
	    "is "
	    "the most, the round trip the least. Margin: from the decision to the time; a late "
	    "meeting makes it longer.");
}

const struct chapter chapter_hosts = {"hosts", "Several hosts", CHAPTER_BODY, tell};

/* The links between the ranks' devices, their theoretical bandwidth, and where all traffic
 * meets. */
#include <math.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_links.h"
#include "chapters.h"

#define MOST_ACROSS 16 /* ranks of a matrix */
#define MOST_EDGES  12

/* Every two ranks; for one rank an X. */
struct pair {
	unsigned rank, to, nvlinks;
	const char *class, *brief;
};

// clang-format off
static const struct column pair_columns[] = {
    COLUMN(struct pair, rank, "rank", "", COUNT),
    COLUMN(struct pair, to, "to", "", COUNT),
    COLUMN(struct pair, class, "class", "", TEXT),
    COLUMN(struct pair, brief, "in short", "", TEXT),
    COLUMN(struct pair, nvlinks, "NVLinks between the two", "", COUNT),
};
static const struct story_form pair_form =
    STORY_FORM(struct pair, pair_columns, .name = "link_matrix", .title = "What joins the ranks",
               .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);

struct rank {
	unsigned rank, numa, nvlinks;
	const char *pcie, *pcie_now;
	unsigned at, node, bridge; /* drawn; node and bridge from 1, 0: none */
	struct rank_links_rank of;
};

static const struct column rank_columns[] = {
    COLUMN(struct rank, rank, "rank", "", COUNT),
    COLUMN_AS(struct rank, of.device, "device", "device", "", TEXT, 0),
    COLUMN(struct rank, numa, "NUMA node", "", COUNT),
    COLUMN(struct rank, nvlinks, "NVLinks up", "", COUNT),
    COLUMN_AS(struct rank, of.nvlink_gbs, "nvlink_gbs", "all, one way", "GB/s", NUMBER, 0),
    COLUMN(struct rank, pcie, "PCIe", "", TEXT),
    COLUMN_AS(struct rank, of.pcie_gbs, "pcie_gbs", "at most, one way", "GB/s", NUMBER, 0),
    COLUMN_AS(struct rank, of.remark, "remark", "short of", "", TEXT, 0),
    COLUMN_AS(struct rank, at, "at", "place in the picture", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct rank, node, "node", "NUMA node, from 1", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct rank, bridge, "bridge", "first rank at its PCIe switch, from 1", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct rank, of.to_switch, "to_switch", "NVLinks to NVSwitches", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct rank, of.name, "name", "address", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct rank, pcie_now, "pcie_now", "PCIe as read", "", TEXT, ONLY_FILES),
};
static const struct story_form rank_form =
    STORY_FORM(struct rank, rank_columns, .name = "link_ranks", .title = "Links of each rank's device",
               .when = STORY_NO_WHEN, .drawn = STORY_ARRAYS);

static const struct column class_columns[] = {
    COLUMN_AS(struct rank_links_class, name, "class", "class", "", TEXT, 0),
    COLUMN(struct rank_links_class, pairs, "pairs", "", COUNT),
    COLUMN(struct rank_links_class, expected_gbs, "expected, at least", "GB/s", NUMBER),
    COLUMN(struct rank_links_class, theoretical_gbs, "theoretical", "GB/s", NUMBER),
    COLUMN(struct rank_links_class, source, "source", "", TEXT),
};
static const struct story_form class_form =
    STORY_FORM(struct rank_links_class, class_columns, .name = "link_classes", .title = "Classes of pairs", .when = STORY_NO_WHEN);

struct load {
	const char *link;
	unsigned pairs;
	double gbs, pair_gbs;
};

static const struct column load_columns[] = {
    COLUMN(struct load, link, "link", "", TEXT),
    COLUMN(struct load, pairs, "pairs that cross it", "", COUNT),
    COLUMN(struct load, gbs, "one way", "GB/s", NUMBER),
    COLUMN(struct load, pair_gbs, "for each pair", "GB/s", NUMBER),
};
static const struct story_form load_form =
    STORY_FORM(struct load, load_columns, .name = "link_loads", .title = "Load of links while all send to all", .when = STORY_NO_WHEN);
// clang-format on

/* What the matrix abbreviates. */
static const char *const in_words[LINKS_CLASSES] = {
    [LINKS_UNKNOWN] = "?: not known",
    [LINKS_NVLINK] = "NV ×n: n NVLinks",
    [LINKS_NVSWITCH] = "NVS ×n: n NVLinks to NVSwitches",
    [LINKS_PCIE_SWITCH] = "PIX: PCIe, one switch",
    [LINKS_SOCKET] = "NODE: PCIe, one NUMA node",
    [LINKS_ACROSS] = "SYS: PCIe, across NUMA nodes",
    [LINKS_MEMORY] = "MEM: through host memory, as there is no peer access",
    [LINKS_CORE] = "CORE: one core",
    [LINKS_CACHE] = "L3: cores with one last-level cache",
    [LINKS_CPU_SOCKET] = "CPU: cores of one socket",
    [LINKS_CPU_ACROSS] = "QPI: cores of two sockets",
};

static void tell_matrix(const struct rank_links *l, struct story *story)
{
	const unsigned n = l->nranks * l->nranks;
	const char *words = "";
	struct pair *rows = ARENA_ARRAY(story->arena, struct pair, n);
	unsigned *all = ARENA_ARRAY(story->arena, unsigned, n);
	for (unsigned i = 0; i < n; i++) {
		const struct links_pair *pair = &l->pairs[i];
		const unsigned from = i / l->nranks, to = i % l->nranks;
		char brief[64];
		links_brief(pair, brief, sizeof brief);
		all[i] = i;
		rows[i] = (struct pair){
		    .rank = from,
		    .to = to,
		    .class = from == to ? NULL : links_info(pair->class)->name,
		    .brief = from == to ? "X" : arena_copy(story->arena, brief),
		    .nvlinks = from != to && pair->class == LINKS_NVLINK ? pair->nvlinks : 0};
	}
	const struct story_table *t = story_table(story, &pair_form, rows, n);
	if (l->nranks <= MOST_ACROSS)
		story_pivot(story, t, all, n, "rank", "to", "brief");
	for (unsigned i = 0; i < l->nclasses; i++)
		words = arena_text(story->arena, "%s%s%s", words, *words ? "; " : "",
		                   in_words[l->classes[i].class]);
	if (*words)
		story_note(story, STORY_BODY, arena_text(story->arena, "%s.", words));
}

/* Ranks from left to right: those of a NUMA node side by side. */
static unsigned place_of(const struct rank_links *l, unsigned rank)
{
	unsigned before = 0;
	for (unsigned r = 0; r < l->nranks; r++)
		before += l->ranks[r].numa < l->ranks[rank].numa ||
		          (r < rank && l->ranks[r].numa == l->ranks[rank].numa);
	return before + 1;
}

static void tell_ranks(const struct rank_links *l, struct story *story)
{
	struct rank *rows = ARENA_ARRAY(story->arena, struct rank, l->nranks);
	for (unsigned i = 0; i < l->nranks; i++) {
		const struct rank_links_rank *r = &l->ranks[i];
		rows[i] = (struct rank){.rank = i,
		                        .numa = r->numa < 0 ? ENTRY_NO_COUNT : (unsigned)r->numa,
		                        .nvlinks = r->gpu < 0 ? ENTRY_NO_COUNT : r->nvlinks,
		                        .at = place_of(l, i),
		                        .node = (unsigned)(r->numa + 1),
		                        .bridge = (unsigned)(r->bridge + 1),
		                        .of = *r};
		if (!r->width)
			continue;
		rows[i].pcie_now = arena_text(story->arena, "PCIe %u ×%u", r->gen, r->width);
		rows[i].pcie = arena_text(story->arena, "%u ×%u of %u ×%u%s", r->gen, r->width,
		                          r->gen_max, r->width_max, r->busy ? "" : ", idle");
	}
	story_table(story, &rank_form, rows, l->nranks);
}

static void tell_loads(const struct rank_links *l, struct story *story)
{
	const unsigned n = l->nedges < MOST_EDGES ? l->nedges : MOST_EDGES;
	struct load *rows = ARENA_ARRAY(story->arena, struct load, n + 1);
	for (unsigned i = 0; i < n; i++)
		rows[i] = (struct load){.link = l->edges[i].name,
		                        .pairs = l->edges[i].pairs,
		                        .gbs = l->edges[i].gbs,
		                        .pair_gbs = l->edges[i].gbs / l->edges[i].pairs};
	story_table(story, &load_form, rows, n);
}

/* Whether pairs of ranks were measured one by one. */
static bool has_pairs(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == COLL_PAIR)
			return true;
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct rank_links l = rank_links_make(a->s, story->arena);
	/* Cores only if pairs of them were measured. */
	if (!l.nranks || (!l.gpus && !has_pairs(a->s)))
		return;
	tell_matrix(&l, story);
	tell_ranks(&l, story);
	story_table(story, &class_form, l.classes, l.nclasses);
	tell_loads(&l, story);
}

const struct chapter chapter_topology = {"topology", "Topology", CHAPTER_APPENDIX, tell};

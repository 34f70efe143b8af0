/* A chapter can be deleted: each of the others prints alone, with the run's own facts, what it
 * prints among all, on records of every sort. */
#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/report/model.h"
#include "../harness/report/section.h"
#include "scratch.h"
#include "test.h"

#define ANSWERS_LAST "ran" /* where no other does */

/* Each has a chapter that the others lack. */
static const char *const records[] = {"2x-h200/ddp_step_bert_large",
                                      "2x-h200/h800_sendrecv",
                                      "2x-h200/isolation",
                                      "2x-h200/pingpong",
                                      "2x-h200/topology",
                                      "2x-h200/tuning_2.32.3",
                                      "2x-h200/access_pattern",
                                      "2x-h200/nccl_versions",
                                      "4x-h200/scaling"};

/* The output of all chapters, or of one; `tell` is called by arena_run. */
struct telling {
	const struct model *model;
	struct db *db;
	const char *const *all;
	unsigned n, only; /* 0: all */
	unsigned half;    /* 1 or 2: every second one is gone, from the first or the second on */
	struct story story;
};

static void tell(struct arena *arena, void *of)
{
	struct telling *t = of;
	/* The run's own facts come first, and others' sentences name them. */
	const char *some[64] = {t->all[0], t->all[t->only]};
	unsigned n = t->only ? 2 : 0;
	for (unsigned i = 0; !t->only && i < t->n; i++)
		if (!t->half || i % 2 != t->half - 1)
			some[n++] = t->all[i];
	story_make(t->db, some, n, arena, &t->story);
}

static bool has(const json_t *sentences, const json_t *one)
{
	const json_t *other;
	size_t i;
	json_array_foreach(sentences, i, other) if (json_equal(other, one)) return true;
	return false;
}

/* A chapter's output; without what is at the top here alone, and not in `among`. */
static json_t *told(const struct story_chapter *chapter, const json_t *among)
{
	json_t *json = section_to_json(chapter), *sentences = json_object_get(json, "sentences");
	for (size_t i = json_array_size(sentences); i-- > 0;) {
		const json_t *one = json_array_get(sentences, i);
		const char *role =
		    json_string_value(json_array_get(json_object_get(one, "roles"), 0));
		if (among && (!strcmp(role, "answer") || !strcmp(role, "headline")) &&
		    !has(json_object_get(among, "sentences"), one))
			json_array_remove(sentences, i);
	}
	return json;
}

/* Of a chapter, among all and alone. Only where one has said how variants compare may another
 * answer if that is gone. */
static void compare(const struct story *all, const struct story *alone, const char *name,
                    const char *how)
{
	const struct story_chapter *among = story_find(all, name), *other = story_find(alone, name);
	if (!among != !other)
		fail_msg("%s is silent %s", name, among ? how : "among all");
	if (!among)
		return;
	json_t *was = told(among, NULL), *is = told(other, all->settled ? was : NULL);
	if (!json_equal(was, is))
		fail_msg("%s tells otherwise %s", name, how);
	json_decref(was);
	json_decref(is);
}

/* A record's chapters, all told; whole.story is in arenas[0]. */
static struct telling tell_whole(const char *record, struct arena **arena)
{
	char *path = test_text("results/reference/%s", record);
	struct telling whole = {.model = model_make(scratch(), path, NULL, WHY)};
	if (!whole.model)
		fail_msg("%s: %s", path, because());
	whole.db = figures_load(&whole.model->run, NULL, scratch(), WHY);
	whole.all = chapters_all(&whole.n);
	assert_int_equal(arena_run(tell, &whole, arena), 0);
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_said(&whole.story, STORY_WARNING, i)); i++)
		if (strstr(one->text, ".chapter:"))
			fail_msg("%s", one->text);
	return whole;
}

/* Columns whose interval is not of quartiles: 95 %, or a range that their words name. */
static const char *const others[] = {"p95_us",     "p99_us",           "step_ms",   "compute_ms",
                                     "exposed_ms", "communication_ms", "reference", "each",
                                     "speed",      "overlap_percent",  "bounds",    "expected",
                                     "launch"};

/* Of a pivot its heading says so. */
static void name_quartiles(const struct story_form *form, const char *heading)
{
	for (unsigned i = 0; i < form->ncolumns; i++) {
		const struct column *c = &form->columns[i];
		const char *head = heading ? heading : c->head;
		bool other = c->kind != KIND_SPREAD || (heading && strstr(heading, "latency"));
		for (unsigned k = 0; k < LENGTH(others); k++)
			other |= !strcmp(c->key, others[k]);
		if (!other && !(head && strstr(head, "(quartiles)")))
			fail_msg("%s: %s does not name its quartiles", form->name, c->key);
	}
}

/* In the page's notation an interval that is not named is one of 95 %. */
static void name_all_quartiles(const struct story *story)
{
	for (unsigned k = 0; k < story->nchapters; k++) {
		const char *part = NULL;
		const struct story_block *block = story->chapters[k].blocks;
		for (unsigned b = 0; b < story->chapters[k].nblocks; b++, block++) {
			part = block->kind == STORY_PART ? block->text : part;
			if (block->table)
				name_quartiles(block->table->form,
				               block->kind == STORY_PIVOT ? part : NULL);
		}
	}
}

static void tell_again(struct telling again, const struct telling *whole, const char *how)
{
	struct arena *arena = NULL;
	assert_int_equal(arena_run(tell, &again, &arena), 0);
	for (unsigned i = 0; i < whole->n; i++) {
		const char *name = whole->all[i];
		if (again.only ? i == again.only && strcmp(name, ANSWERS_LAST) != 0
		               : i % 2 != again.half - 1)
			compare(&whole->story, &again.story, name, how);
	}
	arena_free(arena);
}

/* Without half of the others too, and the run's own facts among these; one that is silent among
 * all is compared there only. */
TEST(each_tells_alone_what_it_tells_among_all)
{
	for (unsigned i = 0; i < LENGTH(records); i++) {
		struct arena *arena = NULL;
		const struct arena_mark mark = arena_mark(scratch());
		const struct telling whole = tell_whole(records[i], &arena);
		struct telling again = whole;
		name_all_quartiles(&whole.story);
		for (again.only = 1; again.only < whole.n; again.only++)
			if (story_find(&whole.story, whole.all[again.only]))
				tell_again(again, &whole, "alone");
		again.only = 0;
		for (again.half = 1; again.half <= 2; again.half++)
			tell_again(again, &whole, "without every second one");
		arena_free(arena);
		arena_release(scratch(), mark);
	}
}

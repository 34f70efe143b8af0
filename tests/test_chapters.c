/* A chapter can be deleted: without it each of the others prints the same as before, on records of
 * every sort. */
#include <stdio.h>
#include <string.h>

#include "../harness/analysis/analysis.h"
#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/report/model.h"
#include "../harness/report/section.h"
#include "../harness/story/tell.h"
#include "scratch.h"
#include "test.h"

#define MOST            64
#define COUNTS_VERDICTS "method" /* those of the whole report, in any chapter */

static const char *const records[] = {
    "1x-h100/one_gpu",       "2x-h200/cpus",          "2x-h200/ddp_step_bert_large",
    "2x-h200/h800_sendrecv", "2x-h200/isolation",     "2x-h200/nccl_versions",
    "2x-h200/pingpong",      "2x-h200/states",        "2x-h200/topology",
    "2x-h200/tuning_2.32.3", "2x-h200/access_pattern"};

/* The output of all chapters but one; `tell` is called by arena_run. */
struct telling {
	const struct model *model;
	struct db *db;
	const struct chapter *const *all;
	unsigned n, without;
	struct story story;
};

static void tell(struct arena *arena, void *of)
{
	struct telling *t = of;
	const struct chapter *list[MOST];
	unsigned n = 0;
	for (unsigned i = 0; i < t->n; i++)
		if (i != t->without)
			list[n++] = t->all[i];
	story_make(t->model->analysis, t->db, list, n, arena, &t->story);
}

/* A chapter's output except its sentence at the top: if the chapter that answers is gone, another
 * may answer instead. */
static json_t *told(const struct story_chapter *chapter)
{
	json_t *json = section_to_json(chapter), *sentences = json_object_get(json, "sentences");
	for (size_t i = json_array_size(sentences); i-- > 0;) {
		const json_t *roles = json_object_get(json_array_get(sentences, i), "roles");
		if (!strcmp(json_string_value(json_array_get(roles, 0)), "answer"))
			json_array_remove(sentences, i);
	}
	return json;
}

/* Chapters of `one` that `other` has otherwise. */
static void compare(const struct telling *one, const struct telling *other)
{
	const char *without = one->all[other->without]->name;
	for (unsigned i = 0; i < one->story.nchapters; i++) {
		const struct story_chapter *chapter = &one->story.chapters[i];
		const char *name = chapter->chapter->name;
		if (!strcmp(name, without) || !strcmp(name, COUNTS_VERDICTS))
			continue;
		const struct story_chapter *left = story_find(&other->story, name);
		if (!left)
			fail_msg("without %s, %s is silent", without, name);
		json_t *was = told(chapter), *is = told(left);
		if (!json_equal(was, is))
			fail_msg("without %s, %s tells otherwise", without, name);
		json_decref(was);
		json_decref(is);
	}
}

static void leave_out_each(const char *record)
{
	char path[512];
	struct status st = {""};
	snprintf(path, sizeof path, "results/reference/%s", record);
	const struct arena_mark mark = arena_mark(scratch());
	const struct model *model = model_make(scratch(), path, NULL, &st);
	if (!model)
		fail_msg("%s: %s", path, st.text);
	struct telling whole = {.model = model, .without = MOST};
	whole.db = figures_load(model->analysis, scratch(), &st);
	whole.all = chapters_all(&whole.n);
	struct arena *arenas[2] = {NULL, NULL};
	assert_int_equal(arena_run(tell, &whole, &arenas[0]), 0);
	/* The run's own facts come first, and others' sentences name them. */
	for (unsigned i = 1; i < whole.n; i++) {
		struct telling part = whole;
		part.without = i;
		assert_int_equal(arena_run(tell, &part, &arenas[1]), 0);
		compare(&whole, &part);
		arena_free(arenas[1]);
	}
	arena_free(arenas[0]);
	arena_release(scratch(), mark);
}

TEST(each_left_out_in_turn_leaves_the_others_as_they_were)
{
	for (unsigned i = 0; i < sizeof records / sizeof *records; i++)
		leave_out_each(records[i]);
}

/* A chapter can be deleted: each of the others prints alone, with the run's own facts, what it prints
 * among all, on records of every sort. */
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

/* Counts the verdicts of the whole report; answers where no other does. */
#define COUNTS_ALL   "method"
#define ANSWERS_LAST "ran"

/* Each has a chapter that the others lack. */
static const char *const records[] = {"2x-h200/ddp_step_bert_large",
                                      "2x-h200/h800_sendrecv",
                                      "2x-h200/isolation",
                                      "2x-h200/pingpong",
                                      "2x-h200/topology",
                                      "2x-h200/tuning_2.32.3",
                                      "2x-h200/access_pattern",
                                      "4x-h200/scaling"};

/* The output of all chapters, or of one; `tell` is called by arena_run. */
struct telling {
	const struct model *model;
	struct db *db;
	const struct chapter *const *all;
	unsigned n, only; /* 0: all */
	struct story story;
};

static void tell(struct arena *arena, void *of)
{
	struct telling *t = of;
	/* The run's own facts come first, and others' sentences name them. */
	const struct chapter *const two[] = {t->all[0], t->all[t->only]};
	story_make(t->model->analysis, t->db, t->only ? two : t->all, t->only ? 2 : t->n, arena,
	           &t->story);
}

/* A chapter's output except its sentence at the top: if the chapter that answers is gone, another
 * may answer instead. */
static json_t *told(const struct story_chapter *chapter)
{
	json_t *json = section_to_json(chapter), *sentences = json_object_get(json, "sentences");
	for (size_t i = json_array_size(sentences); i-- > 0;) {
		const json_t *roles = json_object_get(json_array_get(sentences, i), "roles");
		const char *role = json_string_value(json_array_get(roles, 0));
		if (!strcmp(role, "answer") || !strcmp(role, "headline"))
			json_array_remove(sentences, i);
	}
	return json;
}

/* Of a chapter, among all and alone. */
static void compare(const struct story *all, const struct story *alone, const char *name)
{
	const struct story_chapter *among = story_find(all, name), *other = story_find(alone, name);
	if (!among != !other)
		fail_msg("%s is silent, %s", name, among ? "alone" : "among all");
	if (!among)
		return;
	json_t *was = told(among), *is = told(other);
	if (!json_equal(was, is))
		fail_msg("%s tells otherwise alone", name);
	json_decref(was);
	json_decref(is);
}

static void tell_each_alone(const char *record)
{
	char path[512];
	struct status st = {""};
	snprintf(path, sizeof path, "results/reference/%s", record);
	const struct arena_mark mark = arena_mark(scratch());
	const struct model *model = model_make(scratch(), path, NULL, &st);
	if (!model)
		fail_msg("%s: %s", path, st.text);
	struct telling whole = {.model = model};
	whole.db = figures_load(model->analysis, scratch(), &st);
	whole.all = chapters_all(&whole.n);
	struct arena *arenas[2] = {NULL, NULL};
	assert_int_equal(arena_run(tell, &whole, &arenas[0]), 0);
	for (unsigned i = 1; i < whole.n; i++) {
		struct telling alone = whole;
		alone.only = i;
		assert_int_equal(arena_run(tell, &alone, &arenas[1]), 0);
		const char *name = whole.all[i]->name;
		if (strcmp(name, COUNTS_ALL) && strcmp(name, ANSWERS_LAST))
			compare(&whole.story, &alone.story, name);
		arena_free(arenas[1]);
	}
	arena_free(arenas[0]);
	arena_release(scratch(), mark);
}

TEST(each_tells_alone_what_it_tells_among_all)
{
	for (unsigned i = 0; i < sizeof records / sizeof *records; i++)
		tell_each_alone(records[i]);
}

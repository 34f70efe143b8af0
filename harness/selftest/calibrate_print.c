#include "calibrate.h"

#include <math.h>

#include "../report/json.h"
#include "../report/page.h"
#include "../report/table.h"
#include "../story/tell.h"
#include "../terminal.h"
#include "../texts.h"

#define CHAPTER "harness/selftest/calibrate.chapter"

static const char *const tables[] = {"sources", "pieces", "steady", "control", "readings"};

struct shown {
	const struct calibrate *c;
	struct arena *arena;
	FILE *out, *json; /* json: NULL: for people alone; else the tables go there too */
	struct story story;
	struct status *st;
};

static void put_cell(struct db *db, const struct calibrate *c, unsigned i)
{
	static const char *const directions[] = {"forth", "back", "both"};
	static const char *const ways[] = {"CE push", "SM push", "CE pull", "SM pull"};
	const struct copies_order *o = &c->cells[i].order;
	db_add(db, "cell", "ittlii", i, o->pieces ? ways[o->sm + 2u * o->pull] : "none",
	       directions[o->direction], o->piece_bytes, c->cells[i].steady, !o->pieces);
	for (unsigned k = 0; k < 2 * METER_SOURCES * c->repeats; k++) {
		const unsigned gpu = k % 2, source = k / 2 % METER_SOURCES,
		               repeat = k / 2 / METER_SOURCES;
		const struct calibrate_reading *r = &c->readings[i][repeat][source];
		const struct meter_count *at = &r->at[gpu];
		db_add(db, "reading", "iiiiddddt", i, repeat + 1, source, gpu, r->bytes[gpu],
		       at->seconds, at->tx, at->rx, *at->why ? at->why : NULL);
	}
}

static void fill(struct db *db, const struct calibrate *c)
{
	for (unsigned i = 0; i < METER_SOURCES; i++) {
		const struct meter_info *info = meter_info(i);
		db_add(db, "source", "ittdd", i, info->name, info->unit, info->unit_bytes,
		       info->other_bytes);
	}
	for (unsigned i = 0; i < c->ncells; i++)
		put_cell(db, c, i);
	db_seal(db);
}

static double number(const struct story_table *t, unsigned row, const char *key)
{
	return column_entry(story_column(t, key), story_row(t, row)).x;
}

static const char *word(const struct story_table *t, unsigned row, const char *key)
{
	return column_entry(story_column(t, key), story_row(t, row)).text;
}

static void say_answer(const struct shown *s)
{
	const struct story_table *t = story_find_table(&s->story, "answer");
	for (unsigned i = 0; i < t->nrows; i++)
		if (isfinite(number(t, i, "least")))
			fprintf(s->out,
			        "%s counts %s: %.4f to %.4f times what was sent,\n  its unit %.0f "
			        "bytes.\n",
			        word(t, i, "name"), word(t, i, "what"), number(t, i, "least"),
			        number(t, i, "most"), number(t, i, "bytes"));
		else
			fprintf(s->out, "%s: not known here (%s).\n", word(t, i, "name"),
			        word(t, i, "missing"));
	fprintf(s->out,
	        "DATA and RAW are NVML's fields NVLINK_THROUGHPUT_*, COUNT its NVLINK_COUNT_*.\n"
	        "CE: copy engine; SM: a kernel; push: the sender copies; pull: the receiver "
	        "does.\nextra: the share of RAW that is not DATA, in %%; packet: bytes copied per "
	        "packet.\nMedians of %u repeats; the spread is from the least of them to the "
	        "most.\n",
	        s->c->repeats);
}

static void put_table(const struct shown *s, const struct story_table *told)
{
	struct table shown;
	table_less(told, 0, &shown);
	table_drop_empty(&shown);
	if (told->form->hidden || !told->nrows)
		return;
	fputc('\n', s->out);
	page_wrap(s->out, "", 0, told->form->title);
	table_write_text(s->arena, &shown.told, s->out, 0, terminal_columns());
}

static int show(struct arena *arena, void *of)
{
	struct shown *s = of;
	struct db *db = db_open(arena);
	s->arena = arena;
	arena_need(arena, !db_run_text(db, "harness/selftest/calibrate.sql", s->st));
	fill(db, s->c);
	story_make(db, NULL, 0, arena, &s->story);
	story_add(&s->story, db, CHAPTER, texts_find(CHAPTER));
	arena_need(arena, story_find_table(&s->story, "readings") != NULL);
	say_answer(s);
	json_t *object = json_keep(arena, json_pack("{s:i, s:[]}", "schema", 1, "tables"));
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const struct story_table *told = story_find_table(&s->story, tables[i]);
		if (told)
			put_table(s, told);
		if (told)
			json_array_append_new(json_object_get(object, "tables"),
			                      table_to_json(told));
	}
	return s->json && (!object || json_dumpf(object, s->json, JSON_INDENT(1)))
	           ? status_set(s->st, "the tables could not be written as JSON")
	           : 0;
}

int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st)
{
	struct shown s = {.c = c, .out = out, .json = json, .st = st};
	return arena_work(show, &s, "the tables", st);
}

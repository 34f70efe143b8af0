/* Every view and every chapter on a run without a trial: form, names, placeholders. `make` and
 * `make test` run it once it is linked. What a value is needs rows: test_chapters. */
#include <stdio.h>
#include <string.h>

#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/data/words.h"
#include "../harness/story/story.h"
#include "../harness/texts.h"

static unsigned defects;

static bool is_chapter(const char *path, const char *name)
{
	char file[256];
	snprintf(file, sizeof file, "harness/chapters/%s.chapter", name);
	return !strcmp(path, file);
}

static void check_names(const char *const *all, unsigned n)
{
	const char *path;
	for (unsigned i = 0; i < n; i++) {
		size_t t = 0;
		while ((path = texts_path(t)) && !is_chapter(path, all[i]))
			t++;
		if (!path && ++defects)
			fprintf(stderr, "harness/chapters/chapters.c names %s, which has no file\n",
			        all[i]);
	}
	for (size_t t = 0; (path = texts_path(t)); t++) {
		unsigned i = 0;
		while (i < n && !is_chapter(path, all[i]))
			i++;
		if (i == n && strstr(path, "chapters/") && strstr(path, ".chapter") && ++defects)
			fprintf(stderr, "%s: harness/chapters/chapters.c does not name it\n", path);
	}
}

/* It is compiled where it is asked: a wrong one would show in each chapter that asks it. */
static void check_view(struct db *db, const char *name)
{
	char begin[256], query[256];
	const char *path = NULL, *at = NULL;
	struct status why = {""}, st = {""};
	snprintf(begin, sizeof begin, "CREATE VIEW %s ", name);
	snprintf(query, sizeof query, "SELECT * FROM %s", name);
	const struct db_source source = {.file = name, .sql = query, .line = 1};
	struct db_rows *rows = db_ask(db, &source, &why);
	if (rows) {
		db_end(rows, &why);
		return;
	}
	for (size_t t = 0; !at && (path = texts_path(t)); t++)
		at = strstr(texts_find(path), begin);
	unsigned line = 1;
	for (const char *c = at ? texts_find(path) : NULL; c && c < at; c++)
		line += *c == '\n';
	const char *word = strrchr(why.text, ' '), *said = strstr(why.text, ": ");
	const char *dot = strrchr(word, '.');
	word = dot ? dot : word;
	snprintf(query, sizeof query, "view %s%s", name, said);
	words_refuse(at ? path : name, at ? texts_find(path) : "", line, word + 1, query, "", &st);
	fprintf(stderr, "%s\n", st.text);
	defects++;
}

static void check_views(struct db *db)
{
	static const struct db_source query = {
	    .file = "views",
	    .sql = "SELECT name FROM main.sqlite_master WHERE type = 'view' ORDER BY rowid",
	    .line = 1};
	struct status st = {""};
	struct db_rows *rows = db_ask(db, &query, &st);
	while (rows && db_next(rows))
		check_view(db, db_text(rows, 0));
	if ((!rows || db_end(rows, &st)) && ++defects)
		fprintf(stderr, "%s\n", st.text);
}

static void check(struct arena *arena, void *none)
{
	struct record_run run = {.environment = json_object()};
	struct status st = {""};
	struct story story;
	unsigned n;
	const char *const *all = chapters_all(&n);
	struct db *db = figures_load(&run, NULL, arena, &st);
	(void)none;
	check_names(all, n);
	if (!db && ++defects)
		fprintf(stderr, "%s\n", st.text);
	else
		check_views(db);
	if (!defects)
		story_make(db, all, n, arena, &story);
	const struct story_sentence *one;
	const unsigned before = defects;
	for (unsigned i = 0; !before && (one = story_said(&story, STORY_WARNING, i)); i++)
		if (strstr(one->text, ".chapter:") && ++defects)
			fprintf(stderr, "%s\n", one->text);
	json_decref(run.environment);
}

int main(void)
{
	struct arena *arena = NULL;
	if (arena_run(check, NULL, &arena)) {
		fprintf(stderr, "no memory to check chapters\n");
		return 1;
	}
	arena_free(arena);
	return defects > 0;
}

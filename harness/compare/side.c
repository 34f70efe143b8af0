#include "side.h"

#include "../arena.h"
#include "../sanitize.h"

struct db_rows *side_ask(struct arena *arena, struct db *db, const char *sql)
{
	struct db_source *query = ARENA_NEW(arena, struct db_source);
	struct status st = {""};
	*query = (struct db_source){.file = "harness/compare/side.c", .sql = sql};
	struct db_rows *rows = db_ask(db, query, &st);
	arena_need(arena, rows != NULL);
	return rows;
}

const char *side_plain(struct arena *arena, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *plain = memcpy(ARENA_ARRAY(arena, char, bytes), text, bytes);
	sanitize_text(plain);
	return plain;
}

void side_clean(const char *text, char *out, size_t bytes)
{
	size_t n = 0;
	for (; text[n] && n + 1 < bytes; n++)
		out[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7F ? '?' : text[n];
	out[n] = '\0';
	sanitize_end(out);
	sanitize_text(out);
}

/* The same text for all cells that differ in size alone. */
static const char *side_kind(struct arena *arena, const struct cell *c)
{
	return arena_text(arena, "%d %d %d %d %d %u", c->coll, c->pace, c->dtype, c->op,
	                  c->in_place, c->root);
}

void side_add(const struct side *side, const char *variant, const struct cell *c, unsigned nranks,
              bool limit, unsigned block, double time_us)
{
	const struct coll_info *info = coll_info(c->coll);
	const char *kind = side_kind(side->arena, c);
	char name[TRIAL_NAME_BYTES];
	side_clean(variant, name, sizeof name);
	db_add(side->db, "series", "itttillttttttiii", DB_NONE, side->letter, kind, name, !limit,
	       c->bytes, c->asked_bytes, coll_title(c, nranks).text, coll_word(c, nranks).text,
	       coll_pace_name(c->pace), info->name, coll_dtype_name(c->dtype),
	       info->is & COLL_REDUCES ? coll_op_name(c->op) : NULL,
	       info->is & COLL_ROOTED ? (unsigned)c->root : DB_NONE, c->in_place, c->root);
	db_add(side->db, "time", "tttlid", side->letter, kind, name, c->bytes, block, time_us);
}

void side_says(const struct side *side, const char *fact, const char *text)
{
	char clean[SIDE_FACT_BYTES];
	side_clean(text, clean, sizeof clean);
	if (*clean)
		db_add(side->db, "says", "ttt", side->letter, fact, clean);
}

void side_variable(struct side *side, const char *name, const char *value)
{
	char clean[SIDE_FACT_BYTES], text[SIDE_FACT_BYTES];
	side_clean(name, clean, sizeof clean);
	side_clean(value, text, sizeof text);
	side->knows = true;
	if (!strncmp(clean, "NCCL_", 5) && strcmp(clean, "NCCL_VERSION"))
		db_add(side->db, "variable", "ttt", side->letter, clean, text);
}

void side_end(const struct side *s)
{
	db_add(s->db, "result", "ttiiii", s->letter, side_plain(s->arena, s->path), s->knows,
	       s->nfiles, s->torn, s->failed);
}

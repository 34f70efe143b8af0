#include "run.h"

#include "../data/format.h"
#include "../record/member.h"

const char *run_text(const struct record_run *run, const char *key)
{
	return member_or_empty(run->environment, key);
}

long long run_number(const struct record_run *run, const char *key)
{
	return (long long)json_integer_value(json_object_get(run->environment, key));
}

unsigned run_variant(const struct record_run *run, const char *name)
{
	unsigned v = 0;
	while (v < run->nvariants && strcmp(run->variants[v].name, name))
		v++;
	return v;
}

static const json_t *machine_of(const struct record_run *run)
{
	return json_object_get(run->environment, "machine");
}

static unsigned cores_of(const struct record_run *run)
{
	return (unsigned)json_integer_value(json_object_get(machine_of(run), "cores"));
}

bool run_shares_cores(const struct record_run *run, unsigned nranks)
{
	return cores_of(run) && nranks > cores_of(run);
}

const char *run_machine(const struct record_run *run, struct arena *arena)
{
	const json_t *gpus = json_object_get(machine_of(run), "gpus"),
	             *gpu = json_array_get(gpus, 0);
	const char *cpu = json_string_value(json_object_get(machine_of(run), "cpu")),
	           *name =
	               json_is_string(gpu) ? json_string_value(gpu) : member_or_empty(gpu, "name"),
	           *before = "";
	if (record_traits(run, NULL)->gpus && json_array_size(gpus))
		before = arena_text(arena, "%zu × %.80s, ", json_array_size(gpus), name);
	return arena_text(arena, "%s%.100s, %u core%s", before,
	                  cpu && *cpu ? cpu : "unknown processor", cores_of(run),
	                  format_plural(cores_of(run)));
}

static long long number_at(const json_t *at, const char *key)
{
	return (long long)json_integer_value(json_object_get(at, key));
}

static const char *bits_at(const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));
	return text ? text : "?";
}

const char *run_trouble(const struct record_run *run, struct arena *arena)
{
	unsigned i = 0;
	while (i < run->ncells && !run->cells[i].wrong)
		i++;
	if (i == run->ncells)
		return NULL;
	const struct record_cell *c = &run->cells[i];
	const json_t *at = json_object_get(c->json, "wrong_at");
	const char *delivered =
	    arena_text(arena, "%s of %zu bytes: %s (block %u) delivered %llu wrong element%s",
	               coll_info(c->cell.coll)->name, c->cell.bytes, c->variant, c->block + 1,
	               (unsigned long long)c->wrong, format_plural(c->wrong));
	return !json_is_object(at)
	           ? delivered
	           : arena_text(arena,
	                        "%s, the first on rank %lld at element %lld (byte %lld): expected "
	                        "%.24s, got %.24s",
	                        delivered, number_at(at, "rank"), number_at(at, "element"),
	                        number_at(at, "byte"), bits_at(at, "expected"), bits_at(at, "got"));
}

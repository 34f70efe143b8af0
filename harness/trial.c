#include "trial.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const bind_names[BIND_KINDS] = {
    [BIND_NONE] = "none",
    [BIND_CORE] = "core",
    [BIND_NUMA] = "numa",
    [BIND_NEAR_GPU] = "near-gpu",
};

const char *trial_bind_name(enum bind bind)
{
	return bind_names[bind];
}

int trial_find_bind(const char *name)
{
	for (int i = 0; i < BIND_KINDS; i++)
		if (!strcmp(bind_names[i], name))
			return i;
	return -1;
}

static const char *const start_names[START_KINDS] = {
    [START_FREE] = "free", [START_GATED] = "gated"};

const char *trial_start_name(enum start start)
{
	return start_names[start];
}

int trial_find_start(const char *name)
{
	for (int i = 0; i < START_KINDS; i++)
		if (!strcmp(name, start_names[i]))
			return i;
	return -1;
}

unsigned trial_rows(const struct trial *trial, const struct cell *cell)
{
	if (cell->pass == PASS_TIMELINE)
		return TRIAL_TIMELINE_ROWS;
	return cell->pace == PACE_STREAM ? trial->stretches : trial->isolated_calls;
}

unsigned trial_slots(const struct trial *trial, const struct cell *cell)
{
	size_t timed =
	    (size_t)trial_rows(trial, cell) * (cell->pace == PACE_STREAM ? trial->calls : 1);
	size_t all = 1 + trial->warmup + timed; /* 1: the cell's first call */
	size_t fit = cell->bytes ? trial->arena_bytes / cell->bytes : 1;
	size_t slots = fit < all ? fit : all;
	if (slots > UINT_MAX)
		return UINT_MAX;
	return slots ? (unsigned)slots : 1;
}

static json_t *settings_pack(const struct settings *s)
{
	json_t *env = json_array();
	for (unsigned i = 0; env && i < s->nenv; i++) {
		if (json_array_append_new(env, json_string(s->env[i]))) {
			json_decref(env);
			return NULL;
		}
	}
	return json_pack("{s:s, s:[i, i, i], s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:o}",
	                 "mode", s->mode, "layout", (int)s->layout.processes,
	                 (int)s->layout.threads, (int)s->layout.ranks_per_thread, "backend",
	                 s->backend, "nccl", s->nccl, "path", s->path, "api", s->api, "bind",
	                 trial_bind_name(s->bind), "start", trial_start_name(s->start),
	                 "delay_ns", (json_int_t)s->delay_ns, "delay_rank", s->delay_rank,
	                 "extra_ns", (json_int_t)s->extra_ns, "env", env);
}

static json_t *cell_pack(const struct cell *c)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:i, s:I, s:I}", "collective",
	                 coll_info(c->coll)->name, "dtype", coll_dtype_name(c->dtype), "op",
	                 coll_op_name(c->op), "pace", coll_pace_name(c->pace), "pass",
	                 coll_pass_name(c->pass), "spared", (int)c->spared, "in_place",
	                 (int)c->in_place, "root", (int)c->root, "asked_bytes",
	                 (json_int_t)c->asked_bytes, "bytes", (json_int_t)c->bytes);
}

static json_t *trial_pack(const struct trial *t)
{
	json_t *cells = json_array();
	for (unsigned i = 0; cells && i < t->ncells; i++) {
		if (json_array_append_new(cells, cell_pack(&t->cells[i]))) {
			json_decref(cells);
			return NULL;
		}
	}
	/* jansson has no unsigned integers: a seed goes through its signed twin and back. */
	return json_pack(
	    "{s:s, s:s, s:i, s:i, s:o, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:o}", "experiment",
	    t->experiment, "variant", t->variant, "block", (int)t->block, "order",
	    (int)t->order, "settings", settings_pack(&t->settings), "yield", (int)t->yield,
	    "warmup", (int)t->warmup, "stretches", (int)t->stretches, "calls", (int)t->calls,
	    "isolated_calls", (int)t->isolated_calls, "arena_bytes", (json_int_t)t->arena_bytes,
	    "seed", (json_int_t)t->seed, "cells", cells);
}

int trial_save(const struct trial *trial, const char *file, struct status *st)
{
	json_t *json = trial_pack(trial);
	if (!json)
		return status_set(
		    st,
		    "%s: the trial cannot be written: text that is not UTF-8, or out of "
		    "memory",
		    file);
	errno = 0;
	int rc = json_dump_file(json, file, JSON_INDENT(1));
	if (rc)
		status_set(st, "%s: cannot be written: %s", file, strerror(errno));
	json_decref(json);
	return rc ? -1 : 0;
}

/* What jansson borrowed, checked and copied in the next step. */
struct reading {
	const char *file;
	struct status *st;
};

static int reading_fail(const struct reading *r, const char *what)
{
	return status_set(r->st, "%s: not a trial's order: %s", r->file, what);
}

static int text_copy(const struct reading *r, const char *text, char *out, size_t bytes)
{
	if (strlen(text) >= bytes)
		return reading_fail(r, "a text is too long");
	strcpy(out, text);
	return 0;
}

static int env_unpack(const struct reading *r, json_t *env, struct settings *s)
{
	if (!json_is_array(env) || json_array_size(env) > TRIAL_MAX_ENV)
		return reading_fail(r, "env is no list, or too long");
	s->nenv = (unsigned)json_array_size(env);
	for (unsigned i = 0; i < s->nenv; i++) {
		const char *text = json_string_value(json_array_get(env, i));
		if (!text || !strchr(text, '='))
			return reading_fail(r, "an entry of env is no KEY=value");
		if (text_copy(r, text, s->env[i], sizeof s->env[i]))
			return -1;
	}
	return 0;
}

static int settings_unpack(const struct reading *r, json_t *json, struct settings *s)
{
	const char *mode, *backend, *nccl, *path, *api, *bind, *start;
	int processes, threads, ranks;
	json_int_t delay_ns, extra_ns;
	json_t *env;
	json_error_t error;
	if (json_unpack_ex(
	        json, &error, JSON_STRICT,
	        "{s:s, s:[i, i, i], s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:o}", "mode",
	        &mode, "layout", &processes, &threads, &ranks, "backend", &backend, "nccl",
	        &nccl, "path", &path, "api", &api, "bind", &bind, "start", &start, "delay_ns",
	        &delay_ns, "delay_rank", &s->delay_rank, "extra_ns", &extra_ns, "env", &env))
		return reading_fail(r, error.text);
	if (processes < 1 || threads < 1 || ranks < 1 || processes > 65536 || threads > 65536 ||
	    ranks > 65536 || (uint64_t)processes * (uint64_t)threads * (uint64_t)ranks > 65536)
		return reading_fail(r, "the layout is not possible");
	if (trial_find_bind(bind) < 0)
		return reading_fail(r, "bind is unknown");
	s->layout = (struct layout){(unsigned)processes, (unsigned)threads, (unsigned)ranks};
	s->bind = (enum bind)trial_find_bind(bind);
	if (trial_find_start(start) < 0)
		return reading_fail(r, "start is unknown");
	s->start = (enum start)trial_find_start(start);
	s->delay_ns = delay_ns;
	s->extra_ns = extra_ns;
	if (text_copy(r, mode, s->mode, sizeof s->mode) ||
	    text_copy(r, backend, s->backend, sizeof s->backend) ||
	    text_copy(r, nccl, s->nccl, sizeof s->nccl) ||
	    text_copy(r, path, s->path, sizeof s->path) ||
	    text_copy(r, api, s->api, sizeof s->api))
		return -1;
	return env_unpack(r, env, s);
}

static int cell_unpack(const struct reading *r, json_t *json, struct cell *c)
{
	const char *coll, *dtype, *op, *pace, *pass;
	int in_place, spared, root;
	json_int_t asked, bytes;
	json_error_t error;
	if (json_unpack_ex(json, &error, JSON_STRICT,
	                   "{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:i, s:I, s:I}", "collective",
	                   &coll, "dtype", &dtype, "op", &op, "pace", &pace, "pass", &pass,
	                   "spared", &spared, "in_place", &in_place, "root", &root,
	                   "asked_bytes", &asked, "bytes", &bytes))
		return reading_fail(r, error.text);
	if (coll_find(coll) < 0 || coll_find_dtype(dtype) < 0 || coll_find_op(op) < 0 ||
	    coll_find_pace(pace) < 0 || coll_find_pass(pass) < 0)
		return reading_fail(r,
		                    "a cell's collective, dtype, op, pace or pass is unknown");
	if (root < 0 || asked < 1 || bytes < 1)
		return reading_fail(r, "a cell's root or size is not possible");
	*c = (struct cell){
	    .coll = (enum coll_kind)coll_find(coll),
	    .dtype = (enum dtype)coll_find_dtype(dtype),
	    .op = (enum op)coll_find_op(op),
	    .pace = (enum pace)coll_find_pace(pace),
	    .pass = (enum pass)coll_find_pass(pass),
	    .spared = spared,
	    .in_place = in_place,
	    .root = (unsigned)root,
	    .asked_bytes = (size_t)asked,
	    .bytes = (size_t)bytes,
	};
	return 0;
}

static int cells_unpack(const struct reading *r, json_t *json, struct trial *t)
{
	if (!json_is_array(json) || json_array_size(json) == 0)
		return reading_fail(r, "cells is no list, or empty");
	t->cells = calloc(json_array_size(json), sizeof t->cells[0]);
	if (!t->cells)
		return reading_fail(r, "out of memory");
	t->ncells = (unsigned)json_array_size(json);
	for (unsigned i = 0; i < t->ncells; i++)
		if (cell_unpack(r, json_array_get(json, i), &t->cells[i]))
			return -1;
	for (unsigned i = 0; i < t->ncells; i++)
		if (t->cells[i].bytes > t->arena_bytes)
			return reading_fail(r, "a cell is larger than the arena");
	return 0;
}

static int trial_unpack(const struct reading *r, json_t *json, struct trial *t)
{
	const char *experiment, *variant;
	int block, order, yield, warmup, stretches, calls, isolated_calls;
	json_int_t arena_bytes, seed;
	json_t *settings, *cells;
	json_error_t error;
	if (json_unpack_ex(json, &error, JSON_STRICT,
	                   "{s:s, s:s, s:i, s:i, s:o, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:o}",
	                   "experiment", &experiment, "variant", &variant, "block", &block,
	                   "order", &order, "settings", &settings, "yield", &yield, "warmup",
	                   &warmup, "stretches", &stretches, "calls", &calls, "isolated_calls",
	                   &isolated_calls, "arena_bytes", &arena_bytes, "seed", &seed, "cells",
	                   &cells))
		return reading_fail(r, error.text);
	if (block < 0 || order < 0 || warmup < 0 || stretches < 1 || calls < 1 ||
	    isolated_calls < 1 || arena_bytes < 1)
		return reading_fail(r, "a number is out of range");
	t->block = (unsigned)block;
	t->order = (unsigned)order;
	t->yield = yield;
	t->warmup = (unsigned)warmup;
	t->stretches = (unsigned)stretches;
	t->calls = (unsigned)calls;
	t->isolated_calls = (unsigned)isolated_calls;
	t->arena_bytes = (size_t)arena_bytes;
	t->seed = (uint64_t)seed;
	if (text_copy(r, experiment, t->experiment, sizeof t->experiment) ||
	    text_copy(r, variant, t->variant, sizeof t->variant) ||
	    settings_unpack(r, settings, &t->settings))
		return -1;
	return cells_unpack(r, cells, t);
}

int trial_load(const char *file, struct trial **out, struct status *st)
{
	const struct reading r = {file, st};
	json_error_t error;
	json_t *json = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return status_set(st, "%s: cannot be read: %s", file, error.text);
	struct trial *trial = calloc(1, sizeof *trial);
	int rc = trial ? trial_unpack(&r, json, trial) : status_set(st, "out of memory");
	json_decref(json);
	if (rc) {
		trial_free(trial);
		return -1;
	}
	*out = trial;
	return 0;
}

void trial_free(struct trial *trial)
{
	if (!trial)
		return;
	free(trial->cells);
	free(trial);
}

/* The host backend's steps, as algebra: every output is covered exactly once, both sides of a
 * pair agree, no buffer has two readers in a turn, and carrying the steps out gives the right
 * answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../harness/backend/host_step.h"

#define MAX_RANKS 9
#define SEED      7

static const size_t multiples[] = {1, 2, 3, 16, 100};

struct world {
	enum coll_kind coll;
	unsigned n;
	size_t bytes;
};

typedef void world_fn(const struct world *w);

static void each_world(world_fn *check)
{
	for (int coll = 0; coll < COLL_KINDS; coll++)
		for (unsigned n = 1; n <= MAX_RANKS; n++)
			for (size_t m = 0; m < sizeof multiples / sizeof *multiples; m++) {
				struct world w = {(enum coll_kind)coll, n,
				                  multiples[m] * n * 4};

				check(&w);
			}
}

static struct host_move *moves_of(const struct world *w, unsigned rank, bool pull,
                                  unsigned *count)
{
	struct host_move *moves = calloc(host_step_phases(w->coll) * w->n, sizeof *moves);

	assert_non_null(moves);
	*count =
	    (pull ? host_step_pulls : host_step_pushes)(w->coll, w->n, w->bytes, rank, moves);
	return moves;
}

/* Every byte of the output is copied to exactly once, and reduced into only after that. */
static void check_cover(const struct world *w)
{
	for (unsigned rank = 0; rank < w->n; rank++) {
		unsigned count, *copies = calloc(w->bytes, sizeof *copies);
		unsigned *reductions = calloc(w->bytes, sizeof *reductions);
		struct host_move *moves = moves_of(w, rank, true, &count);

		assert_true(copies && reductions);
		for (unsigned m = 0; m < count; m++) {
			const struct host_step *s = &moves[m].step;

			assert_true(s->bytes > 0 && s->to + s->bytes <= w->bytes);
			assert_true(s->from + s->bytes <= w->bytes);
			for (size_t b = s->to; b < s->to + s->bytes; b++) {
				assert_true(!s->reduce || copies[b] == 1);
				s->reduce ? reductions[b]++ : copies[b]++;
			}
		}
		for (size_t b = 0; b < w->bytes; b++) {
			bool own = w->coll == COLL_ALL_REDUCE && b / (w->bytes / w->n) == rank;

			assert_int_equal(copies[b], 1);
			assert_int_equal(reductions[b], own ? w->n - 1 : 0);
		}
		free(moves);
		free(reductions);
		free(copies);
	}
}

static void steps_cover_each_output_once(void **state)
{
	(void)state;
	each_world(check_cover);
}

static bool same(const struct host_step *a, const struct host_step *b)
{
	return a->bytes == b->bytes && a->from == b->from && a->to == b->to &&
	       a->side == b->side && a->reduce == b->reduce;
}

/* What a sender pushes to a receiver is what that one pulls from it: same pieces, same order.
 */
static void check_sides(const struct world *w)
{
	for (unsigned from = 0; from < w->n; from++)
		for (unsigned to = 0; to < w->n; to++) {
			unsigned pulls, pushes, matched = 0, p = 0;
			struct host_move *pull = moves_of(w, to, true, &pulls);
			struct host_move *push = moves_of(w, from, false, &pushes);

			for (unsigned m = 0; m < pulls; m++) {
				if (pull[m].peer != from || from == to)
					continue;
				while (p < pushes && push[p].peer != to)
					p++;
				assert_true(p < pushes);
				assert_int_equal(push[p].phase, pull[m].phase);
				assert_true(same(&push[p].step, &pull[m].step));
				p++;
				matched++;
			}
			for (p = 0; p < pushes; p++)
				matched -= push[p].peer == to;
			assert_int_equal(matched, 0);
			free(push);
			free(pull);
		}
}

static void sides_of_a_pair_agree(void **state)
{
	(void)state;
	each_world(check_sides);
}

/* Where all ranks have as many moves, the m-th of all of them reads each rank once. */
static void check_hot_spots(const struct world *w)
{
	unsigned count, first;
	bool read[MAX_RANKS * 2][MAX_RANKS] = {{false}};

	free(moves_of(w, 0, true, &first));
	for (unsigned rank = 0; rank < w->n; rank++) {
		struct host_move *moves = moves_of(w, rank, true, &count);

		assert_int_equal(count, first);
		for (unsigned m = 0; m < count; m++) {
			assert_false(read[m][moves[m].peer]);
			read[m][moves[m].peer] = true;
			assert_true(m == 0 || moves[m].phase >= moves[m - 1].phase);
		}
		free(moves);
	}
}

static void no_buffer_is_a_hot_spot(void **state)
{
	(void)state;
	each_world(check_hot_spots);
}

/* Phase by phase, rank by rank, on plain arrays. */
static void check_answer(const struct world *w)
{
	size_t count = w->bytes / sizeof(float), base = 5 * count;
	float *send = calloc(w->n, w->bytes), *recv = calloc(w->n, w->bytes);

	assert_true(send && recv);
	for (unsigned r = 0; r < w->n; r++)
		for (size_t i = 0; i < count; i++)
			send[r * count + i] = value_input(SEED, r, base + i);
	for (unsigned phase = 0; phase < host_step_phases(w->coll); phase++)
		for (unsigned r = 0; r < w->n; r++) {
			unsigned moves;
			struct host_move *move = moves_of(w, r, true, &moves);

			for (unsigned m = 0; m < moves; m++) {
				const struct host_step *s = &move[m].step;
				float *to = recv + r * count + s->to / sizeof(float);
				float *from = (s->side == HOST_SEND ? send : recv) +
				              move[m].peer * count + s->from / sizeof(float);

				if (move[m].phase != phase)
					continue;
				for (size_t i = 0; i < s->bytes / sizeof(float); i++)
					to[i] = s->reduce ? to[i] + from[i] : from[i];
			}
			free(move);
		}
	for (unsigned r = 0; r < w->n; r++)
		for (size_t i = 0; i < count; i++)
			assert_true(recv[r * count + i] ==
			            value_expected(w->coll, w->n, r, SEED, base, count, i));
	free(recv);
	free(send);
}

static void carried_out_they_give_the_right_answer(void **state)
{
	(void)state;
	each_world(check_answer);
}

static void sizes_that_cannot_be_cut_are_refused(void **state)
{
	(void)state;
	assert_null(host_step_refuses(3, 48, 4));
	assert_null(host_step_refuses(1, 4, 4));
	assert_non_null(host_step_refuses(3, 0, 4));
	assert_non_null(host_step_refuses(3, 16, 4));
	assert_non_null(host_step_refuses(2, 12, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(steps_cover_each_output_once),
	    cmocka_unit_test(sides_of_a_pair_agree),
	    cmocka_unit_test(no_buffer_is_a_hot_spot),
	    cmocka_unit_test(carried_out_they_give_the_right_answer),
	    cmocka_unit_test(sizes_that_cannot_be_cut_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "calibrate.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define PLAIN_BYTES   (4ull << 30) /* copied in a cell, at most */
#define ENGINE_PIECES 50000        /* each is a call */
#define KERNEL_PIECES (4ull << 20)
#define STEADY_PIECES 900 /* fewer than a stream takes before it blocks the caller */
#define LARGE         ((size_t)16 << 20)

static void add_cell(struct calibrate *c, unsigned way, size_t piece,
                     enum copies_direction direction, bool steady)
{
	unsigned long long most = way & 1 ? KERNEL_PIECES : ENGINE_PIECES;
	unsigned long long wanted = piece ? PLAIN_BYTES / piece : 0;
	c->cells[c->ncells++] = (struct calibrate_cell){
	    .order = {.sm = way & 1,
	              .pull = way & 2,
	              .direction = direction,
	              .piece_bytes = piece,
	              .pieces = wanted < most ? wanted : most},
	    .steady = steady,
	};
}

void calibrate_default(struct calibrate *c)
{
	static const size_t pieces[] = {LARGE, LARGE - 1, 64 << 10, 1 << 10, 1001, 256, 32};
	c->ncells = 0;
	c->repeats = 3;
	c->settle_ms = 150;
	c->steady_ms = 600;
	add_cell(c, 0, 0, COPIES_FORTH, false);
	for (unsigned way = 0; way < 4; way++) {
		for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
			add_cell(c, way, pieces[i], COPIES_FORTH, false);
		add_cell(c, way, LARGE, COPIES_BACK, false);
		add_cell(c, way, LARGE, COPIES_BOTH, false);
		add_cell(c, way, COPIES_ARENA_BYTES, COPIES_FORTH, true);
		add_cell(c, way, COPIES_ARENA_BYTES, COPIES_BOTH, true);
	}
}

/* --- running ----------------------------------------------------------------------------- */

struct bench {
	struct calibrate *c;
	struct meter *const *meter;
	struct copier copier;
};

static void rest(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

static double bytes_of(const struct copies_order *order)
{
	return (double)order->pieces * (double)order->piece_bytes;
}

/* seconds: what the copies took, where they went on beyond the readings; else 0. */
static void keep(struct bench *b, unsigned cell, unsigned repeat, double bytes, double seconds)
{
	for (unsigned s = 0; s < METER_SOURCES; s++) {
		struct calibrate_reading *r = &b->c->readings[cell][repeat][s];
		for (unsigned gpu = 0; gpu < 2; gpu++) {
			meter_count(b->meter[gpu], s, &r->at[gpu]);
			r->bytes[gpu] = seconds > 0 ? bytes / seconds * r->at[gpu].seconds : bytes;
		}
	}
}

static void keep_nothing(struct calibrate *c, unsigned cell, unsigned repeat, const char *why)
{
	for (unsigned s = 0; s < METER_SOURCES; s++) {
		struct calibrate_reading *r = &c->readings[cell][repeat][s];
		*r = (struct calibrate_reading){.bytes = {NAN, NAN}};
		for (unsigned gpu = 0; gpu < 2; gpu++) {
			r->at[gpu].tx = r->at[gpu].rx = r->at[gpu].seconds = NAN;
			snprintf(r->at[gpu].why, sizeof r->at[gpu].why, "%s", why);
		}
	}
}

static int run_between(struct bench *b, unsigned cell, unsigned repeat, struct status *st)
{
	const struct copies_order *order = &b->c->cells[cell].order;
	for (unsigned gpu = 0; gpu < 2; gpu++)
		meter_begin(b->meter[gpu]);
	if (order->pieces &&
	    (b->copier.begin(b->copier.of, order, st) || b->copier.end(b->copier.of, NULL, st)))
		return -1;
	rest(b->c->settle_ms);
	for (unsigned gpu = 0; gpu < 2; gpu++)
		meter_end(b->meter[gpu]);
	keep(b, cell, repeat, bytes_of(order), 0);
	return 0;
}

/* How many pieces keep the GPUs busy for the stretch and what lies around it. */
static int fill_steady(struct bench *b, struct copies_order *order, struct status *st)
{
	double seconds = 0, wanted = (b->c->steady_ms + 2.0 * b->c->settle_ms) / 1e3 * 1.2;
	order->pieces = 4;
	if (b->copier.begin(b->copier.of, order, st) || b->copier.end(b->copier.of, &seconds, st))
		return -1;
	if (seconds <= 0)
		return status_set(st, "a copy took no time");
	double pieces = ceil(wanted / seconds * 4);
	order->pieces = pieces < STEADY_PIECES ? (unsigned long long)pieces : STEADY_PIECES;
	return 0;
}

static int run_steady(struct bench *b, unsigned cell, unsigned repeat, struct status *st)
{
	struct copies_order order = b->c->cells[cell].order;
	double seconds = 0;
	bool lasted;
	if (fill_steady(b, &order, st) || b->copier.begin(b->copier.of, &order, st))
		return -1;
	rest(b->c->settle_ms);
	for (unsigned gpu = 0; gpu < 2; gpu++)
		meter_begin(b->meter[gpu]);
	rest(b->c->steady_ms);
	for (unsigned gpu = 0; gpu < 2; gpu++)
		meter_end(b->meter[gpu]);
	lasted = b->copier.busy(b->copier.of);
	if (b->copier.end(b->copier.of, &seconds, st))
		return -1;
	b->c->cells[cell].order.pieces = order.pieces;
	if (lasted && seconds > 0)
		keep(b, cell, repeat, bytes_of(&order), seconds);
	else
		keep_nothing(b->c, cell, repeat, "the copies ended too early");
	rest(b->c->settle_ms);
	return 0;
}

int calibrate_run(struct calibrate *c, struct meter *const meter[2], struct copier copier,
                  void (*say)(unsigned done, unsigned total), struct status *st)
{
	struct bench b = {c, meter, copier};
	unsigned done = 0;
	/* Repeat by repeat, so that what drifts does not lie in one cell. */
	for (unsigned r = 0; r < c->repeats; r++)
		for (unsigned i = 0; i < c->ncells; i++) {
			if (say)
				say(done++, c->repeats * c->ncells);
			if (c->cells[i].steady ? run_steady(&b, i, r, st)
			                       : run_between(&b, i, r, st))
				return -1;
		}
	return 0;
}

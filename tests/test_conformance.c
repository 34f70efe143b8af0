/* Every mode × layout × backend × collective that this machine can run: the data of every call
 * is right, and the digest of a cell is the same whoever computed it. New rows of the tables of
 * modes, backends and collectives are picked up by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../harness/backend/backend.h"
#include "../harness/record/record.h"
#include "cli.h"

#define RANKS "4"

static const char *const layouts[] = {"1x1x4", "1x4x1", "4x1x1", "1x2x2", "2x1x2", "2x2x1"};
static const char *const paths[] = {"auto", "direct", "fifo", "shared"};

/* One variant per layout, and on host per layout and data path. */
static void write_experiment(const char *folder, const struct backend *backend)
{
	char text[16384];
	int at =
	    snprintf(text, sizeof text,
	             "; Does every layout move the same data?\n[experiment]\nbackend = %s\n"
	             "ranks = " RANKS "\nlimit = no\nblocks = 1\nwarmup = 1\nstretches = 2\n"
	             "calls = 3\nisolated_calls = 4\nbytes = 64, 4K, 1000K\ncollective = ",
	             backend->name);
	bool host = !strcmp(backend->name, "host");
	const char *comma = "";
	for (int c = 0; c < COLL_KINDS; c++) {
		if (c == COLL_COPY)
			continue; /* the limit, which has no handshake across processes */
		at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", comma,
		               coll_info(c)->name);
		comma = ", ";
	}
	at += snprintf(text + at, sizeof text - (size_t)at, "\n");
	for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++)
		for (unsigned p = 0; p < (host ? sizeof paths / sizeof *paths : 1); p++) {
			bool apart = layouts[l][0] != '1';
			if (!strcmp(paths[p], "direct") && apart)
				continue;
			at += snprintf(text + at, sizeof text - (size_t)at,
			               "[variant %s-%s]\nlayout = %s\npath = %s\n", layouts[l],
			               paths[p], layouts[l], paths[p]);
		}
	cli_write(folder, "conformance.exp", text);
}

static const struct record_cell *find_twin(const struct record_run *run, unsigned before)
{
	const struct record_cell *cell = &run->cells[before];
	for (unsigned i = 0; i < before; i++)
		if (run->cells[i].cell.coll == cell->cell.coll &&
		    run->cells[i].cell.bytes == cell->cell.bytes)
			return &run->cells[i];
	return NULL;
}

static void check_cells(const struct record_run *run, bool carries_data)
{
	unsigned compared = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *cell = &run->cells[i], *twin = find_twin(run, i);
		if (cell->error[0] || cell->wrong)
			print_error("%s, %s, %zu bytes: %llu wrong, %s\n", cell->variant,
			            coll_info(cell->cell.coll)->name, cell->cell.bytes,
			            (unsigned long long)cell->wrong, cell->error);
		assert_string_equal(cell->error, "");
		assert_int_equal(cell->wrong, 0);
		assert_int_equal(cell->carries_data, carries_data);
		if (twin)
			assert_string_equal(cell->digest, twin->digest);
		compared += twin != NULL;
	}
	/* 3 collectives × 3 sizes × 2 paces × at least 6 layouts, less the first of each pair.
	 */
	assert_true(compared >= 3 * 3 * 2 * 6 - 3 * 3);
	assert_int_equal(run->nfailures, 0);
}

static void conform(const struct backend *backend)
{
	char folder[64], file[128], results[128], path[256];
	struct record_run run;
	struct status st = {0};
	bool torn;
	cli_folder(folder);
	write_experiment(folder, backend);
	snprintf(file, sizeof file, "%s/conformance.exp", folder);
	snprintf(results, sizeof results, "%s/results", folder);
	struct cli cli = cli_run(folder, (const char *[]){"run", "--file", file, "--results",
	                                                  results, "--no-report", NULL});
	if (cli.code)
		print_error("%s\n", cli.out);
	assert_int_equal(cli.code, 0);
	free(cli.out);
	cli_result(folder, "conformance", "trials.jsonl", path, sizeof path);
	assert_int_equal(record_load(path, &run, &torn, &st), 0);
	assert_false(torn);
	check_cells(&run, backend->carries_data);
	record_free(&run);
	cli_clean(folder);
}

static void every_backend_conforms_in_every_layout(void **state)
{
	unsigned conformed = 0;
	(void)state;
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		unsigned capacity = (*b)->capacity(&why);
		if (capacity < 4) {
			print_message("%s: not here: %s\n", (*b)->name, why.text);
			continue;
		}
		conform(*b);
		conformed++;
	}
	assert_true(conformed >= 2); /* host and null run anywhere */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_backend_conforms_in_every_layout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The report's section about memory, on records that are made up. */
#include "made.h"

#include "query.h"

static const struct made plain = {.blocks = 3, .sizes = 2, .rows = 2, .cores = 8};

/* A variant's row has these figures; NAN: none. */
static void memory_is(const json_t *report, const char *variant, const double mib[6])
{
	static const char *const columns[] = {"buffers_mib", "communicator_mib", "registration_mib",
	                                      "calls_mib",   "rank_mib",         "process_mib"};
	const json_t *table = json_table(report, "memory");
	for (unsigned i = 0; i < 6; i++)
		if (!isnan(mib[i]))
			json_assert_number(
			    json_cell(table, JSON_IS("variant", variant), columns[i]), "", mib[i],
			    1e-9);
		else if (json_has_column(table, columns[i]))
			json_assert_null(json_cell(table, JSON_IS("variant", variant), columns[i]),
			                 "");
}

/* Not a number, or a part of one, is no figure; what else is said still counts. */
#define HALF_SAID                                                                                  \
	"{'facts':[{'memory_buffers_bytes':'4194304','memory_comm_bytes':'12 apples',"             \
	"'memory_calls_bytes':''}]}"

TEST(a_fact_that_is_no_number_is_left_out)
{
	struct made m = plain;
	m.more_of_cells = HALF_SAID;
	m.backend = "host";
	const json_t *report = made_report(&m);
	memory_is(report, "single", (double[]){4, NAN, NAN, NAN, NAN, NAN});
	/* No GPU's memory on host. */
	json_lacks(report, "memory", "A GPU's free memory");
}

TEST(what_no_worker_says_has_no_figure)
{
	static struct claim_list asked;
	struct made m = plain;
	made_claim(&asked, METRIC_INIT, CLAIM_LESS, "processes", "threads");
	m.more_of_cells = HALF_SAID;
	m.asked = &asked;
	struct db *db = made_tables(&m, NULL);
	query_gives(db, "SELECT ratio, why FROM claimed",
	            "- the record does not have it of each of the variants: making "
	            "the communicators of a fresh job");
}

TESTS(.begin = made_begin, .end = made_end);

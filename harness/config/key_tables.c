#include "key_tables.h"

#include <string.h>

#include "../backend/table.h"
#include "../trial/settings.h"
#include "claim.h"
#include "keys.h"
#include "search.h"

/* What no row reads. */
// clang-format off
static const struct field like_file[] = {
    {"like", FIELD_OWN, .otherwise = "none", .help = "NAME of another file NAME.exp, which this one starts from", .more = "Not on the command line"},
};
static const struct field like_variant[] = {
    {"like", FIELD_OWN, .otherwise = "none", .help = "a variant above, whose settings this one starts from"},
};
static const struct field variables[] = {
    {"env.NAME", FIELD_OWN, .otherwise = "none", .help = "a variable of the job's environment: NCCL_…, CUDA_…, UCX_…, and of OMPI_MCA_… what tunes",
     .more = "Those are `btl`, `pml`, `mpi_yield_when_idle` …; a refusal names them all; 32 at most"},
};
static const struct field searched[] = {
    {"KEY", FIELD_OWN, .otherwise = "none", .help = "up to 8 values with commas between, besides the reference's: of any key of a variant but mode, layout, backend, nccl, each, expect, nccl_below, force, flip; up to 16 keys"},
};
// clang-format on

#define OWN(ROWS)                                                                                  \
	static const struct field *ROWS##_rows(size_t *n)                                          \
	{                                                                                          \
		*n = sizeof ROWS / sizeof *ROWS;                                                   \
		return ROWS;                                                                       \
	}
OWN(like_file)
OWN(like_variant)
OWN(variables)
OWN(searched)

static const struct field *factor_rows(size_t *n)
{
	return claim_fields(CLAIM_SECTION_FACTOR, n);
}

static const struct field *claim_rows(size_t *n)
{
	return claim_fields(CLAIM_SECTION_CLAIM, n);
}

static const struct field *source_rows(size_t *n)
{
	return claim_fields(CLAIM_SECTION_SOURCE, n);
}

static const struct key_table tables[] = {
    {"experiment", "[experiment]", false}, {"variant", "[variant NAME]", true},
    {"factor", "[factor NAME]", false},    {"claim", "[claim NAME]", false},
    {"source", "[source NAME]", false},    {"search", "[search]", false},
};

/* In the order of tables. */
static const struct field *(*const rows_of[][4])(size_t *n) = {
    {like_file_rows, keys_fields},
    {like_variant_rows, settings_fields, keys_variant_fields, variables_rows},
    {factor_rows},
    {claim_rows},
    {source_rows},
    {search_fields, searched_rows},
};

const struct key_table *key_table_at(unsigned i)
{
	return i < sizeof tables / sizeof *tables ? &tables[i] : NULL;
}

void key_table_each(const struct key_table *table, void (*use)(const struct field *row, void *arg),
                    void *arg)
{
	for (unsigned k = 0; k < 4 && rows_of[table - tables][k]; k++) {
		size_t n;
		const struct field *rows = rows_of[table - tables][k](&n);
		for (size_t i = 0; i < n; i++)
			if (rows[i].help && !rows[i].record)
				use(&rows[i], arg);
	}
}

void key_backends(const struct field *row, char *names, size_t bytes)
{
	names[0] = '\0';
	for (const struct backend *const *b = backend_table; row->special && *b; b++)
		for (unsigned i = 0; (*b)->uses && (*b)->uses[i]; i++)
			if (!strcmp((*b)->uses[i], row->key))
				status_list(names, bytes, (*b)->name);
}

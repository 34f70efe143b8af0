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
    {"env.NAME", FIELD_OWN, .otherwise = "none", .help = "a variable of the job's environment",
     .more = "Any but `PATH`, `LD_…` and `LAUNCHGAP_…`, which would replace what is measured; 32 at most"},
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

#define OF_CLAIMS(WHAT, SECTION)                                                                   \
	static const struct field *WHAT##_rows(size_t *n)                                          \
	{                                                                                          \
		return claim_fields(SECTION, n);                                                   \
	}
OF_CLAIMS(factor, CLAIM_SECTION_FACTOR)
OF_CLAIMS(claim, CLAIM_SECTION_CLAIM)
OF_CLAIMS(source, CLAIM_SECTION_SOURCE)

static const struct key_table tables[] = {
    {"experiment", "[experiment]", false, {like_file_rows, keys_fields}},
    {"variant",
     "[variant NAME]",
     true,
     {like_variant_rows, settings_fields, keys_variant_fields, variables_rows}},
    {"factor", "[factor NAME]", false, {factor_rows}},
    {"claim", "[claim NAME]", false, {claim_rows}},
    {"source", "[source NAME]", false, {source_rows}},
    {"search", "[search]", false, {search_fields, searched_rows}},
};

const struct key_table *key_table_at(unsigned i)
{
	return i < sizeof tables / sizeof *tables ? &tables[i] : NULL;
}

void key_table_each(const struct key_table *table, void (*use)(const struct field *row, void *arg),
                    void *arg)
{
	for (unsigned k = 0; k < KEY_TABLE_PARTS && table->parts[k]; k++) {
		size_t n;
		const struct field *rows = table->parts[k](&n);
		for (size_t i = 0; i < n; i++)
			if (rows[i].help && !rows[i].record)
				use(&rows[i], arg);
	}
}

void key_backends(const struct field *row, char *names, size_t bytes)
{
	names[0] = '\0';
	for (const struct backend *const *b = backend_table; row->special && *b; b++)
		if (backend_uses(*b, row->key))
			status_list(names, bytes, (*b)->name);
}

#include "key_tables.h"

#include <string.h>

#include "../backend/table.h"
#include "../trial/settings.h"
#include "build.h"
#include "search.h"

/* What no row reads. */
// clang-format off
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

static FIELD_ROWS(like_variant_rows, like_variant)
static FIELD_ROWS(variables_rows, variables)
static FIELD_ROWS(searched_rows, searched)

static const struct key_table tables[] = {
    {"experiment", "[experiment]", false, experiment_apply, {keys_fields}},
    {"variant", "[variant NAME]", true, variant_apply, {like_variant_rows, settings_fields, keys_variant_fields, variables_rows}},
    {"factor", "[factor NAME]", false, asked_factor, {claim_factor_fields}},
    {"claim", "[claim NAME]", false, asked_claim, {claim_fields}},
    {"source", "[source NAME]", false, asked_source, {claim_source_fields}},
    {"search", "[search]", false, search_apply, {search_fields, searched_rows}},
};
// clang-format on

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

#include "traits.h"

#include "../trial/field.h"

// clang-format off
#define ROW(NAME) {#NAME, FIELD_FLAG, .at = offsetof(struct backend_traits, NAME), .optional = true}
static const struct field rows[] = {
    ROW(carries_data),
    ROW(connects),
    ROW(launches),
    ROW(blocks),
    ROW(helpers),
    ROW(traffics),
    ROW(messages),
    ROW(gpus),
    ROW(analogue),
    ROW(library),
    ROW(logs_path),
    ROW(counts_copies),
};
// clang-format on
static const struct fields fields = FIELDS_OF(rows, struct backend_traits);

json_t *traits_to_json(const struct backend_traits *traits)
{
	return field_object(&fields, traits);
}

int traits_from_json(const json_t *from, struct backend_traits *traits, struct status *st)
{
	return field_object_take(&fields, from, traits, st);
}

#include "traits.h"

#include <stddef.h>

// clang-format off
#define FIELD(name) {#name, offsetof(struct backend_traits, name)}
static const struct {
	const char *key;
	size_t offset;
} fields[] = {
    FIELD(carries_data),
    FIELD(connects),
    FIELD(launches),
    FIELD(blocks),
    FIELD(helpers),
    FIELD(traffics),
    FIELD(messages),
    FIELD(gpus),
    FIELD(analogue),
    FIELD(library),
    FIELD(logs_path),
    FIELD(counts_copies),
    FIELD(injects),
};
// clang-format on

json_t *traits_to_json(const struct backend_traits *traits)
{
	json_t *out = json_object();
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const bool *field = (const bool *)((const char *)traits + fields[i].offset);
		json_object_set_new(out, fields[i].key, json_boolean(*field));
	}
	return out;
}

const char *traits_from_json(const json_t *from, struct backend_traits *traits)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const json_t *value = json_object_get(from, fields[i].key);
		if (value && !json_is_boolean(value))
			return fields[i].key;
		if (value)
			*(bool *)((char *)traits + fields[i].offset) = json_is_true(value);
	}
	return NULL;
}

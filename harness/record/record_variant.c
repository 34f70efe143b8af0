#include "record_variant.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

int record_variant_take(const struct member_place *at, json_t *json, struct record_variant *out)
{
	struct status ignored = {""};
	*out = (struct record_variant){.name = text_of(json, "name"),
	                               .role = text_of(json, "role"),
	                               .mode = text_of(json, "mode"),
	                               .layout = text_of(json, "layout"),
	                               .backend = text_of(json, "backend"),
	                               .bind = text_of(json, "bind"),
	                               .skip = text_of(json, "skip"),
	                               .json = json};
	settings_default(&out->settings);
	json_t *all = settings_to_json(&out->settings);
	if (!all)
		return member_bad(at, "out of memory for the record");
	json_object_update_existing(all, json);
	out->known = !settings_from_json(all, &out->settings, &ignored);
	json_decref(all);
	return 0;
}

/* Settings as a file says them. */
#pragma once

#include "../harness/trial/settings.h"
#include "test.h"

static inline void settings_read(struct settings *settings, const char *key, const char *value)
{
	assert_works(field_read(field_find(&settings_fields, key), value, settings, WHY));
}

/* "key=value …" */
static inline void settings_of_text(struct settings *settings, const char *said)
{
	char *text = test_text("%s", said), *value;
	while ((value = strsep(&text, " ")) && *value) {
		const char *key = strsep(&value, "=");
		settings_read(settings, key, value);
	}
}

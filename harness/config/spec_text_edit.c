/* The parts of a text: found, added, dropped. */
#include "spec_text.h"

#include <stdlib.h>
#include <string.h>

unsigned spec_text_find(const struct spec_text *text, const struct spec_section *like)
{
	unsigned i = 0;
	while (i < text->nsections && (strcmp(text->sections[i].kind, like->kind) ||
	                               strcmp(text->sections[i].name, like->name)))
		i++;
	return i;
}

int spec_text_add_section(struct spec_text *text, const struct spec_section *section)
{
	struct spec_section *grown =
	    realloc(text->sections, (text->nsections + 1) * sizeof *grown);
	if (!grown)
		return -1;
	text->sections = grown;
	text->sections[text->nsections++] = *section;
	return 0;
}

int spec_text_add(struct spec_text *text, unsigned section, struct spec_place at,
                  const char *key, const char *value)
{
	struct spec_entry *grown =
	    realloc(text->entries, (text->nentries + 1) * sizeof text->entries[0]);
	if (!grown)
		return -1;
	text->entries = grown;
	struct spec_entry new = {section, at, strdup(key), strdup(value)};
	if (!new.key || !new.value) {
		free(new.key);
		free(new.value);
		return -1;
	}
	text->entries[text->nentries++] = new;
	return 0;
}

void spec_text_drop(struct spec_text *text, unsigned entry)
{
	free(text->entries[entry].key);
	free(text->entries[entry].value);
	memmove(&text->entries[entry], &text->entries[entry + 1],
	        (--text->nentries - entry) * sizeof text->entries[0]);
}

void spec_text_free(struct spec_text *text)
{
	for (unsigned i = 0; i < text->nentries; i++) {
		free(text->entries[i].key);
		free(text->entries[i].value);
	}
	free(text->entries);
	free(text->sections);
	*text = (struct spec_text){0};
}

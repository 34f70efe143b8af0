/* The machine, as recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"

struct row {
	const char *what, *value;
};

static const struct column columns[] = {COLUMN(struct row, what, "what", "", TEXT),
                                        COLUMN(struct row, value, "value", "", TEXT)};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "machine", .title = "Machine", .when = STORY_NO_WHEN);

/* "name=NVIDIA H200, pci=0000:00:06.0; …": lists and objects in a line. Empty texts, such as
 * variables that are set to nothing, are omitted. */
static void add_value(char *text, size_t bytes, const json_t *value)
{
	size_t used = strlen(text), i;
	const char *key;
	json_t *member;
	if (json_is_array(value)) {
		json_array_foreach(value, i, member)
		{
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s", i ? "; " : "");
			add_value(text, bytes, member);
		}
	} else if (json_is_object(value)) {
		const char *comma = "";
		json_object_foreach((json_t *)(uintptr_t)value, key, member)
		{
			if (json_is_string(member) && !*json_string_value(member))
				continue;
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s%s=", comma, key);
			add_value(text, bytes, member);
			comma = ", ";
		}
	} else if (json_is_string(value)) {
		snprintf(text + used, bytes - used, "%s", json_string_value(value));
	} else {
		char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
		snprintf(text + used, bytes - used, "%s", dumped ? dumped : "?");
		free(dumped);
	}
}

/* A fact's name for people; one without a row goes by its key. */
static const char *fact_word(const char *key)
{
	static const struct {
		const char *key, *word;
	} words[] = {{"host", "host name"},
	             {"boot", "boot id"},
	             {"cpu", "CPU"},
	             {"cores", "cores that may be used"},
	             {"online", "cores online"},
	             {"numa_nodes", "NUMA nodes"},
	             {"os", "operating system"},
	             {"clock", "kernel's clock source"},
	             {"driver", "NVIDIA driver"},
	             {"networks", "network cards, Mb/s"},
	             {"load1", "load in the minute before"},
	             {"gpus", "GPUs"},
	             {"environment", "environment variables"},
	             {"cuda", "CUDA runtime"},
	             {"cuda_of_driver", "newest CUDA that the driver takes"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].key, key))
			return words[i].word;
	return key;
}

/* "24684084 kB", as the kernel prints it, in GiB. */
static void say_memory(char *text, size_t bytes)
{
	char unit[4];
	double kib;
	if (sscanf(text, "%lf %3s", &kib, unit) == 2 && !strcmp(unit, "kB"))
		snprintf(text, bytes, "%.1f GiB", kib / (1 << 20));
}

/* As the first worker that has CUDA reported it. */
static unsigned add_cuda(const struct record_run *run, struct row *rows)
{
	static const char *const keys[] = {"cuda", "cuda_of_driver"};
	for (unsigned i = 0; i < run->ncells; i++) {
		const json_t *facts =
		    json_array_get(json_object_get(run->cells[i].json, "facts"), 0);
		if (!json_object_get(facts, keys[0]))
			continue;
		for (unsigned k = 0; k < 2; k++)
			rows[k] = (struct row){fact_word(keys[k]),
			                       json_string_value(json_object_get(facts, keys[k]))};
		return 2;
	}
	return 0;
}

static void tell(const struct analysis *a, struct story *story)
{
	json_t *machine = json_object_get(a->s->run->environment, "machine"), *value;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, json_object_size(machine) + 2);
	const char *key;
	unsigned n = 0;
	json_object_foreach(machine, key, value)
	{
		char text[1024] = "";
		add_value(text, sizeof text, value);
		if (!strcmp(key, "memory"))
			say_memory(text, sizeof text);
		rows[n++] = (struct row){fact_word(key), arena_copy(story->arena, text)};
	}
	n += add_cuda(a->s->run, &rows[n]);
	story_table(story, &form, rows, n);
}

const struct chapter chapter_system = {"system", "System", CHAPTER_APPENDIX, tell};

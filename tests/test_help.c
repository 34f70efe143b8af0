/* One table makes the command line and its help. */
#include "../harness/config/keys.h"
#include "../harness/texts.h"
#include "../harness/verbs/verbs.h"
#include "here.h"

TESTS(.undrawn = true, .before = set_up, .after = tear_down, .slow = true);

static void each_is_in(const struct field *row, void *text)
{
	char name[64];
	for (unsigned i = 0; *options_name(row, i, name); i++)
		assert_says(text, name);
	assert_non_null(row->help);
}

TEST(help_names_every_option)
{
	const struct verb *verb;
	for (size_t i = 0; (verb = verb_at(i)); i++) {
		char *arguments = test_text("help %s", verb->name);
		struct cli cli = here_call(arguments);
		assert_narrow(cli.out);
		verb_each_option(verb, each_is_in, cli.out);
	}
}

/* Sentences beside the rows are of keys. */
TEST(sentences_of_keys_are_of_keys)
{
	const char *at = texts_find("harness/config/keys.txt");
	while ((at = strchr(at, '\n')) && *++at) {
		const struct key_table *table;
		bool found = false;
		for (unsigned t = 0; (table = key_table_at(t)); t++)
			for (unsigned p = 0; p < KEY_TABLE_PARTS && table->parts[p]; p++)
				for (size_t i = 0; i < table->parts[p]->n; i++) {
					const char *more =
					    key_more(table, table->parts[p]->rows[i].key);
					found |= more > at && more < at + strcspn(at, "\n");
				}
		if (!found)
			fail_msg("no key: %.40s", at);
	}
}

/* But for verbs that begin with something else: a folder, an experiment. */
TEST(an_option_without_its_row_is_refused)
{
	const struct verb *verb;
	for (size_t i = 0; (verb = verb_at(i)); i++) {
		if (!verb->form || verb->name[0] == '-' || verb->as)
			continue;
		cli_expect(here_call(test_text("%s --no-such-option", verb->name)), CLI_FAILS,
		           test_text("'--no-such-option' is no"));
	}
}

/* One table makes help, man pages and completion: what they say of every verb and option, and that the
 * shells take what completion offers. */
#include <ctype.h>

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

/* Without what roff writes another way. */
static char *plain(char *text)
{
	char *to = text;
	for (const char *c = text; *c; c++)
		if (c[0] != '\\' || c[1] != '-')
			*to++ = *c;
	*to = '\0';
	return text;
}

TEST(help_and_man_page_name_every_option)
{
	const struct verb *verb;
	struct cli man = here_call("help --format man");
	plain(man.out);
	for (size_t i = 0; (verb = verb_at(i)); i++) {
		char *arguments = test_text("help %s", verb->name);
		struct cli cli = here_call(arguments);
		assert_narrow(cli.out);
		verb_each_option(verb, each_is_in, cli.out);
		if (verb->form)
			assert_says(man.out, verb->summary + 1); /* its first letter is a capital */
		verb_each_option(verb, each_is_in, man.out);
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

/* What experiments/README.md has of them is tests/documents'. */
TEST(the_page_of_experiments_names_every_key)
{
	const struct key_table *table;
	struct cli man = here_call("help --format man-experiment");
	plain(man.out);
	for (unsigned i = 0; (table = key_table_at(i)); i++) {
		assert_says(man.out, table->head);
		key_table_each(table, each_is_in, man.out);
	}
}

static bool machine_has(const char *program)
{
	struct cli cli = here_shell("command -v %s", program);
	return !cli.code;
}

static const char *const formats[] = {"man", "man-experiment"};

TEST(man_pages_are_right_for_those_that_print_them)
{
	if (!machine_has("mandoc") || !machine_has("man"))
		skip();
	for (unsigned i = 0; i < LENGTH(formats); i++)
		cli_expect(
		    here_shell("cd $HERE && $LAUNCHGAP help --format %s >page && mandoc -Tlint "
		               "-Wstyle page && LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l page "
		               "2>said >text && cat said && test ! -s said && echo fine",
		               formats[i]),
		    0, "fine");
}

/* --- completion -------------------------------------------------------------------------- */

static const struct {
	const char *line;     /* of which the end is completed */
	const char *words[4]; /* that are offered */
	const char * not ;    /* that is not */
} typed[] = {
    {"launchgap r", {"run", "resume", "report"}, "join"},
    {"launchgap wor", {NULL}, "worker"},
    {"launchgap all_", {"all_reduce_perf", "all_gather_perf"}, "alltoall_perf"},
    {"launchgap run smo", {"smoke"}, "tour"},
    {"launchgap run smoke --q", {"--quick"}, "--only"},
    {"launchgap run smoke --fo", {"--format"}, "--file"},
    {"launchgap run --results folder smo", {"smoke"}, "tour"},
    {"launchgap run smoke --only ", {"single", "threads", "processes"}, "alltoall"},
    {"launchgap run smoke --only single,pro", {"processes"}, "threads"},
    {"launchgap run --file own.exp --only ", {"mine"}, "threads"},
    {"launchgap run smoke --format nc", {"nccl-tests"}, "tables"},
    {"launchgap run smoke iso", {"isolate=", "isolated_calls="}, "mode="},
    {"launchgap run smoke mode=", {"single", "threads", "processes"}, "mpirun"},
    {"launchgap run smoke launcher=mp", {"mpirun"}, "exec"},
    {"launchgap run smoke backend=nu", {"null"}, "host"},
    {"launchgap run smoke collective=all_r", {"all_reduce"}, "alltoall"},
    {"launchgap run smoke collective=all_reduce,all_g", {"all_gather"}, "alltoall"},
    {"launchgap run smoke dtype=float3", {"float32"}, "float64"},
    {"launchgap resume folder --on", {"--only"}, "--quick"},
    {"launchgap join smoke --w", {"--wait"}, "--quick"},
    {"launchgap new smo", {NULL}, "smoke"},
    {"launchgap list ke", {"keys"}, "modes"},
    {"launchgap help comp", {"compare"}, "complete"},
    {"launchgap compare f", {"folder", "file"}, "own.exp"},
    {"launchgap report f", {"folder"}, "file"},
    {"launchgap run --file fi", {"file"}, "folder"},
    {"launchgap all_reduce_perf -d bf", {"bfloat16"}, "float"},
    {"launchgap all_reduce_perf --step", {"--stepbytes", "--stepfactor"}, "--minbytes"},
};

/* Whether a line of the output is the word; "" and a shell's mark around it do not count. */
static bool offers(const char *out, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = out; (at = strstr(at, word)); at++) {
		const char *before = at == out ? "\n" : at - 1;
		if ((isspace((unsigned char)*before) || *before == '=' || *before == ',') &&
		    (isspace((unsigned char)at[n]) || !at[n] || at[n] == '/'))
			return true;
	}
	return false;
}

/* Each so many-th line: zsh starts once for each. */
static void is_completed_by(const char *shell, size_t nth)
{
	for (size_t i = 0; i < LENGTH(typed); i += nth) {
		struct cli cli = here_shell(shell, typed[i].line);
		for (unsigned w = 0; w < 4 && typed[i].words[w]; w++)
			if (!offers(cli.out, typed[i].words[w]))
				fail_msg("%s: no %s in: %s", typed[i].line, typed[i].words[w],
				         cli.out);
		if (offers(cli.out, typed[i].not ))
			fail_msg("%s: %s in: %s", typed[i].line, typed[i].not, cli.out);
	}
}

#define SOURCES "harness/verbs/complete"

static void prepare(const char *shell)
{
	if (!machine_has(shell))
		skip();
	cli_expect(here_shell("cp " SOURCES
	                      ".%s $HERE/_launchgap && cd $HERE && ln -s $LAUNCHGAP launchgap && "
	                      "mkdir -p folder && touch file && "
	                      "printf '[experiment]\n[variant mine]\n' >own.exp",
	                      shell),
	           0, NULL);
}

/* As readline calls it: the line's words, taken apart at COMP_WORDBREAKS too. */
TEST(bash_completes_what_the_tables_have)
{
	prepare("bash");
	cli_write(folder, "ask.bash",
	          "source ./_launchgap\n"
	          "COMP_LINE=$1 COMP_POINT=${#1}\n"
	          "read -ra COMP_WORDS <<<\"${1//=/ = }\"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
	          "$(complete -p launchgap | sed 's/.*-F \\([^ ]*\\) .*/\\1/') launchgap "
	          "\"${COMP_WORDS[COMP_CWORD]}\"\n"
	          "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
	is_completed_by("cd $HERE && PATH=$HERE:$PATH bash ask.bash '%s'", 1);
}

/* In a terminal of its own. What compadd is given and takes for a match goes to a file. */
TEST(zsh_completes_what_the_tables_have)
{
	prepare("zsh");
	cli_write(
	    folder, "rc",
	    "fpath=($PWD $fpath)\n"
	    "autoload -U compinit\n"
	    "compinit -u -D\n"
	    "compadd() {\n"
	    "\tlocal -a hits\n"
	    "\t[[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] && { builtin compadd \"$@\"; return }\n"
	    "\tbuiltin compadd -A hits \"$@\"\n"
	    "\tprint -rl -- $hits >>hits\n"
	    "\tbuiltin compadd \"$@\"\n"
	    "}\n"
	    "ends() { print the end; exit }\n"
	    "zle -N ends\n"
	    "bindkey '^G' ends\n"); /* begins no longer key, which zsh would wait for */
	cli_write(folder, "ask.zsh",
	          "zmodload zsh/zpty\n"
	          "rm -f hits\n"
	          "zpty z zsh -f -i\n"
	          "zpty -w z 'source ./rc; print rea''dy'\n"
	          "zpty -r z all '*ready*'\n"
	          "zpty -w -n z \"$1\"$'\\t\\x07'\n"
	          "zpty -r z all '*the end*'\n"
	          "cat hits\n");
	is_completed_by("cd $HERE && PATH=$HERE:$PATH timeout 60 zsh -f ask.zsh '%s'", 4);
}

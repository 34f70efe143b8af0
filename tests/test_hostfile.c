/* hosts = …: lists and host files, as Open MPI and PBS read them. */
#include "here.h"

TEST(lists_and_files_have_a_host_once)
{
	static const struct {
		const char *file, *list; /* file: NULL: the list is said itself */
	} cases[] = {
	    {"a slots=8\nb slots=8\n", "a:8,b:8"},
	    {"a max_slots=16 slots=8\n", "a:8"},
	    {"a slots=8 max_slots=16\n", "a:8"},
	    {"a max_slots=16\n", "a"},
	    {"a slots = 2 # two\n\n# none\nb\tslots= 3\r\n", "a:2,b:3"},
	    {"a cpu=2\nb cpus = 4\nc count=1\n", "a:2,b:4,c:1"},
	    {"a\nb\na\na\n", "a:3,b"},
	    {"a slots=2\na slots=3\na\n", "a:6"},
	    {"node1\nnode10\nnode1\n", "node1:2,node10"}, /* PBS_NODEFILE */
	    {"a:4\nb:4\n", "a:4,b:4"},                    /* MPICH */
	    {NULL, "a:8,b:8"},
	    {NULL, "a,b"},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		char out[HOSTS_BYTES], from[300];
		snprintf(from, sizeof from, "%s", cases[i].list);
		if (cases[i].file) {
			cli_write(folder, "hostfile", cases[i].file);
			snprintf(from, sizeof from, "@%s/hostfile", folder);
		}
		assert_works(hosts_read(from, out, WHY));
		assert_string_equal(out, cases[i].list);
	}
}

TEST(a_host_that_is_named_twice_has_two_slots)
{
	char out[HOSTS_BYTES];
	assert_works(hosts_read("a,b:2,a,b:3", out, WHY));
	assert_string_equal(out, "a:2,b:5");
	assert_int_equal(hosts_count(out), 2);
}

TEST(slots_that_are_no_number_are_refused)
{
	char out[HOSTS_BYTES] = "before", from[300];
	cli_write(folder, "hostfile", "a slots=x\n");
	snprintf(from, sizeof from, "@%s/hostfile", folder);
	assert_int_equal(hosts_read(from, out, WHY), -1);
	assert_begins(because(), "hosts = ");
	assert_string_equal(out, "before");
}

TESTS(.before = set_up, .after = tear_down);

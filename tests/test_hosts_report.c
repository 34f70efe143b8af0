/* What a report says of several hosts, on records that are made up. */
#include "made.h"
#include "scratch.h"

static void stamps(const struct made_place *place, int64_t out[6])
{
	(void)place;
	out[2] = 100000; /* 100 µs */
}

static const struct made_variant two_hosts[] = {
    {.name = "across", .role = "reference", .mode = "processes", .layout = "4x1x1"},
    {.name = "here", .mode = "threads", .layout = "1x4x1"},
};
static const struct made plain = {.ranks = 4,
                                  .blocks = 3,
                                  .sizes = 2,
                                  .rows = 2,
                                  .variants = two_hosts,
                                  .nvariants = 2,
                                  .no_limit = true,
                                  .stamps = stamps};

static double bound_ns;
static long long late, late_ns;

static json_t *host(unsigned h, unsigned block)
{
	json_t *json = json_object();
	made_set(json,
	         "{'clock_offset_ns':%.1f,'clock_drift_ppm':%.1f,'clock_bound_ns':%.17g,"
	         "'clock_residual_ns':%.1f,'round_trip_ns':%.1f,'pings':%u,'clock_steps':0,"
	         "'meets':100,'late':%lld,'late_ns':%lld,'margin_ns':%u}",
	         h ? 1e12 + 1e9 * block : 0, h ? 2.0 + block : 0,
	         h ? bound_ns * (block + 1) / 3 : 0, h ? 100.0 : 0, h ? 9000 - 1000.0 * block : 0,
	         h ? 320 : 0, h ? late : 0, h && late_ns ? late_ns - block : 0,
	         h ? 0 : 20000 + 1000 * block);
	return json;
}

/* As a run writes it: in a trial's first cell. */
static void on_two_hosts(json_t *line, const struct made_place *place)
{
	if (place->variant || place->size || place->isolated)
		return;
	made_set(line, "{'facts':[{'host':'hosta 0-1'},{'host':'hosta 0-1'},{'host':'hostb 0-1'},"
	               "{'host':'hostb 0-1'}]}");
	json_object_set_new(line, "hosts",
	                    json_pack("[o, o]", host(0, place->block), host(1, place->block)));
}

static const json_t *reported(double bound, long long lates, long long late_by_ns)
{
	struct made m = plain;
	bound_ns = bound;
	late = lates;
	late_ns = late_by_ns;
	m.line = on_two_hosts;
	return made_report(&m);
}

/* Beyond 5 % of a call's 100 µs; or what is late in more than 5 % of the meetings. */
TEST(what_calls_cannot_resolve_is_a_warning)
{
	static const char says[] = "hosts begin a call apart by up to more than 5 % of the time";
	json_lacks(reported(4000, 0, 0), "warnings", says);
	json_says(reported(6000, 0, 0), "warnings", says);
	json_lacks(reported(1000, 5, 50000), "warnings", says);
	json_says(reported(1000, 6, 50000), "warnings", "by 51.0 of 100 µs");
}

/* --- records that are not so --- */

TEST(damaged_hosts_are_refused)
{
	static const char *const cases[][3] = {
	    {"},{'clock_offset_ns'", "}],'x':[{'clock_offset_ns'",
	     "\"hosts\" is no list of several hosts"},
	    {"'clock_bound_ns'", "'bound_ns'", "\"clock_bound_ns\" is missing; it is a number"},
	    {"'meets':100", "'meets':-1", "\"meets\""}};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct record_run run;
		reported(1000, 0, 0);
		cli_replace(made_path("trials.jsonl"), test_quotes(cases[i][0]),
		            test_quotes(cases[i][1]));
		assert_refused(record_load(made_folder, &run, WHY), cases[i][2]);
	}
}

/* --- what the network between them carries --- */

static const char *boots[2], *cards[2];

static void with_cards(json_t *line, const struct made_place *place)
{
	json_t *worker;
	size_t w;
	on_two_hosts(line, place);
	json_array_foreach(json_object_get(line, "facts"), w, worker)
	{
		made_set(worker, "{'host':'%s'}", boots[w / 2]);
		if (cards[w / 2] && w % 2 == 0)
			made_set(worker, "{'host_networks':'%s'}", cards[w / 2]);
	}
}

/* Within hosts data goes by NVLink, as with more than one GPU a host. */
static void two_gpus_a_host(json_t *env)
{
	made_set(json_object_get(env, "machine"),
	         "{'gpus':[{'name':'NVIDIA H200'},{'name':'NVIDIA H200'}]}");
	made_set(made_variant_of(env, 0), "{'hosts':'hosta:2,hostb:2'}");
}

static struct made between(void (*line)(json_t *line, const struct made_place *place),
                           const char *a, const char *b, const char *via)
{
	static const struct made_call call = {.bytes = 64 << 20};
	struct made m = plain;
	m.line = line;
	m.sizes = 1;
	m.calls = &call;
	m.logs = test_text("{'across':{'transport':'mixed','links':["
	                   "{'from':0,'to':1,'via':'P2P/CUMEM','channels':2},"
	                   "{'from':1,'to':2,'via':'%s','channels':2}]}}",
	                   via);
	m.environment = two_gpus_a_host;
	boots[0] = "hosta 0-1";
	boots[1] = boots[1] ? boots[1] : "hostb 0-2";
	cards[0] = a;
	cards[1] = b;
	return m;
}

static const char *db_words(struct db *db, const char *sql)
{
	const struct db_source query = {.file = "test", .sql = sql, .line = 1};
	struct db_rows *rows = db_ask(db, &query, WHY);
	const char *text =
	    rows && db_next(rows) ? arena_copy(scratch(), db_text(rows, 0)) : because();
	return test_text("%s", text);
}

/* What the record's tables say of it, "hosts: links gbs" or why there is none. */
static const char *crossed_by(const char *a, const char *b, const char *via)
{
	const struct made m = between(with_cards, a, b, via);
	return db_words(made_tables(&m, NULL),
	                "SELECT hosts || ': ' || coalesce(why, links || ' ' || gbs) FROM crossed "
	                "WHERE variant = 0");
}

/* Of the 6 parts that a host's 2 ranks send to others, 4 leave it: busbw is 3/4 of what the cards
 * carry. */
TEST(the_network_is_that_of_the_host_with_the_least)
{
	const char *two = "eth0 10000, IB mlx5_0:1 200000, IB mlx5_1:1 200000",
	           *one = "eth0 25000, eth1 25000, IB mlx5_0:1 100000";
	assert_string_equal(crossed_by(two, two, "NET/IB/0/GDRDMA"),
	                    "2: 2 IB cards a host (50 GB/s together) 37.5");
	assert_string_equal(crossed_by(two, one, "NET/IB"),
	                    "2: 1 IB card a host (12.5 GB/s) 9.375");
	assert_string_equal(crossed_by(one, two, "NET/Socket/0"),
	                    "2: 1 network card a host (1.25 GB/s) 0.9375");
	assert_says(crossed_by(two, NULL, "NET/IB"), "no rates of its hosts' network cards");
	assert_says(crossed_by(two, two, "NET/Other"), "names no network");
	assert_says(crossed_by(NULL, two, "NET/IB"), "no rates of its hosts' network cards");
	/* Of one boot: a machine that pretends. */
	boots[1] = "hostb 0-1";
	assert_says(crossed_by(two, two, "NET/IB"), "1: its hosts are one machine");
	boots[1] = NULL;
}

/* Page 1 says that hosts are one machine: of one boot, or, in older records, of none. */
TEST(hosts_of_one_machine_are_simulated)
{
	static const struct {
		const char *a, *b;
		bool simulated;
	} rows[] = {{"hosta 0-1", "hostb 0-1", true},
	            {"pretended0", "pretended1", true},
	            {"hosta 0-1", "hostb 0-2", false}};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		struct made m = between(with_cards, NULL, NULL, "NET/IB");
		boots[0] = rows[i].a;
		boots[1] = rows[i].b;
		const json_t *report = made_report(&m);
		(rows[i].simulated ? json_says : json_lacks)(report, "trust", "2 simulated hosts");
		boots[1] = NULL;
	}
}

/* A job that failed has no facts of the other hosts. */
static void after_a_failure(json_t *line, const struct made_place *place)
{
	with_cards(line, place);
	if (place->block || !json_object_get(line, "facts"))
		return;
	made_error(line);
	made_set(line, "{'facts':[{},{},{},{}]}");
}

static const json_t *normal_of(void (*line)(json_t *line, const struct made_place *place))
{
	const char *ib = "IB mlx5_0:1 200000, IB mlx5_1:1 200000";
	const struct made m = between(line, ib, ib, "NET/IB/0/GDRDMA");
	return json_table(made_report(&m), "normal_sizes");
}

TEST(the_line_rate_between_hosts_is_that_of_their_cards)
{
	void (*const lines[])(json_t *, const struct made_place *) = {with_cards, after_a_failure};
	for (unsigned i = 0; i < 2; i++) {
		const json_t *table = normal_of(lines[i]);
		json_keys row = {"variant", "across", NULL};
		json_assert_text(json_cell(table, row, "line"), "",
		                 "2 IB cards a host (50 GB/s together)");
		/* Of the 6 parts that a host's 2 ranks send to others, 4 leave it. */
		json_assert_number(json_cell(table, row, "line_gbs"), "", 50 * 3 / 4.0, 1e-9);
		assert_true(json_is_null(json_cell(table, row, "no_line")));
	}
	boots[1] = NULL;
}

/* Each rank is a host. */
static void on_four_hosts(json_t *line, const struct made_place *place)
{
	static const char *const names[] = {"a 1", "b 2", "c 3", "d 4"};
	json_t *worker, *hosts = json_array();
	size_t w;
	on_two_hosts(line, place);
	json_array_foreach(json_object_get(line, "facts"), w, worker)
	{
		made_set(worker, "{'host':'%s','host_networks':'IB x 400000'}", names[w]);
		json_array_append_new(hosts, host(w > 0, place->block));
	}
	if (json_object_get(line, "hosts"))
		json_object_set(line, "hosts", hosts);
	json_decref(hosts);
}

/* By hand, of hosts with 50 GB/s each: what has to cross for a rank's bytes of busbw. */
TEST(the_bus_bandwidth_that_a_network_allows)
{
	static const char all[] =
	    "SELECT group_concat(coalesce(gbs, '-'), ' ') FROM (SELECT * FROM "
	    "network_rate WHERE variant = 0 AND (NOT adds OR coll = "
	    "'all_reduce') AND coll IN ('all_reduce', 'all_gather', "
	    "'alltoall', 'broadcast', 'sendrecv_pairs') ORDER BY coll, adds)";
	const char *ib = "IB mlx5_0:1 200000, IB mlx5_1:1 200000";
	/* A host of two ranks gets 2 of the 3 parts that a rank gets of others, and sends 4 where a
	 * rank sends 3. */
	const struct made two = between(with_cards, ib, ib, "NET/IB");
	assert_string_equal(db_words(made_tables(&two, NULL), all), "75.0 75.0 75.0 37.5 50.0 -");
	boots[1] = NULL;
	/* One rank a host: the card itself. Switches that add carry it once. */
	const struct made four = between(on_four_hosts, ib, ib, "NET/IB");
	assert_string_equal(db_words(made_tables(&four, NULL), all), "50.0 50.0 75.0 50.0 50.0 -");
	boots[1] = NULL;
}

TESTS(.begin = made_begin, .end = made_end);

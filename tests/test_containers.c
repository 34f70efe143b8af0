/* Isolated processes: what is no remedy, though it seems to be one. */
#include "made.h"

/* Two variants beside the reference and its twin. */
enum { REFERENCE, TWIN, FIRST_APART };
static struct apart {
	const char *name, *isolate, *visible, *env;
	double speed;
} apart[2];

static const struct apart *apart_of(unsigned variant)
{
	return variant < FIRST_APART ? NULL : &apart[variant - FIRST_APART];
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	if (apart_of(p->variant))
		ns /= apart_of(p->variant)->speed;
	ns *= 1 + 0.003 * made_noise(p->variant, p->block, p->size + 8 * p->isolated);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static void environment(json_t *env)
{
	for (unsigned i = 0; i < 2; i++) {
		json_t *v = made_variant_of(env, FIRST_APART + i);
		if (apart[i].isolate)
			json_object_set_new(v, "isolate", json_string(apart[i].isolate));
		if (apart[i].visible)
			json_object_set_new(v, "visible", json_string(apart[i].visible));
	}
}

static const json_t *report(struct apart one, struct apart two)
{
	const struct made_variant variants[FIRST_APART + 2] = {
	    [REFERENCE] = {.name = "plain", .role = "reference", .mode = "processes"},
	    [TWIN] = {.name = "plain-again", .role = "again", .mode = "processes"},
	    [FIRST_APART] = {.name = one.name, .mode = "processes", .env = one.env},
	    {.name = two.name, .mode = "processes", .env = two.env}};
	const struct made made = {.blocks = 10,
	                          .sizes = 7,
	                          .variants = variants,
	                          .nvariants = LENGTH(variants),
	                          .environment = environment,
	                          .stamps = stamps};
	apart[0] = one;
	apart[1] = two;
	return made_report(&made);
}

static const char *cell(const json_t *json, const char *variant, const char *column)
{
	const char *text = json_string_value(
	    json_cell(json_table(json, "containers"), JSON_IS("variant", variant), column));
	return text ? text : "";
}

/* No remedies: a variant that loses as well, one that has more isolated, and one that is less
 * isolated and differs in another setting. */
TEST(what_is_no_remedy_is_not_named)
{
	static const struct apart others[] = {
	    {"id", "uts, shm", NULL, "NCCL_HOSTID=same", 0.01},
	    {"more", "uts, shm, pid", NULL, NULL, 1},
	    {"plain-too", "none", NULL, NULL, 1},
	    {"gpu", "uts", "own", NULL, 1},
	};
	for (unsigned i = 0; i < LENGTH(others); i++) {
		const json_t *json =
		    report((struct apart){"pod", "uts, shm", NULL, NULL, 0.01}, others[i]);
		assert_string_equal(cell(json, "pod", "verdict"), "slower");
		assert_string_equal(cell(json, "pod", "remedy"), "");
		assert_string_equal(cell(json, "pod", "gives"), "no variant here");
	}
}

TESTS(.begin = made_begin, .end = made_end);

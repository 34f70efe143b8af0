#include "run_gp.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "drawn.h"
#include "output.h"
#include "run_gp_groups.h"

void run_gp_quote(const char *text, char *out, size_t bytes)
{
	size_t n = 0;
	out[n++] = '\'';
	for (; *text && n + 3 < bytes; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '\'')
			out[n++] = '\'';
		out[n++] = c < ' ' || c == 0x7F ? ' ' : (char)c;
	}
	/* Cut between characters, not within one. */
	while (*text && ((unsigned char)*text & 0xC0) == 0x80 && n > 1) {
		text--;
		n--;
	}
	out[n++] = '\'';
	out[n] = 0;
}

static void put_text(FILE *out, const char *name, const char *text)
{
	char quoted[1024];
	run_gp_quote(text, quoted, sizeof quoted);
	fprintf(out, "%s = %s\n", name, quoted);
}

static void put_number(FILE *out, const char *name, double x)
{
	if (isfinite(x))
		fprintf(out, "%s = %.8g\n", name, x);
	else
		fprintf(out, "%s = NaN\n", name);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

void run_gp_machine(const struct summary *s, char *text, size_t bytes)
{
	const json_t *env = s->run->environment, *machine = json_object_get(env, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	const char *backend = text_of(env, "backend");
	bool cpu_only = !strcmp(backend, "host") || !strcmp(backend, "null");
	size_t n = 0;
	text[0] = 0;
	if (!cpu_only && json_array_size(gpus)) {
		const json_t *gpu = json_array_get(gpus, 0);
		const char *name =
		    json_is_string(gpu) ? json_string_value(gpu) : text_of(gpu, "name");
		n +=
		    (size_t)snprintf(text, bytes, "%zu × %.80s, ", json_array_size(gpus), name);
	}
	const char *cpu = text_of(machine, "cpu");
	snprintf(text + n, bytes - n, "%.100s, %u core%s", *cpu ? cpu : "unknown processor",
	         s->ncores, s->ncores == 1 ? "" : "s");
}

bool run_gp_drawable(const struct summary *s)
{
	return drawn_count(s) > 0;
}

/* Which variant of its mode it is, from 1: further ones get another dash. */
static unsigned nth_of_mode(const struct summary *s, unsigned variant)
{
	unsigned n = 1;
	for (unsigned v = 0; v < variant; v++)
		if (drawn_is(s, v) && s->variants[v].role != ROLE_AGAIN &&
		    !strcmp(s->variants[v].mode, s->variants[variant].mode))
			n++;
	return n;
}

/* An array of what `field` says of each drawn variant. */
static void put_variants(FILE *out, const struct summary *s, const char *name,
                         void (*field)(const struct summary *, unsigned, char *, size_t))
{
	const char *sep = "";
	fprintf(out, "array %s[%u] = [", name, drawn_count(s));
	for (unsigned v = 0; v < s->nvariants; v++) {
		char text[256];
		if (!drawn_is(s, v))
			continue;
		field(s, v, text, sizeof text);
		fprintf(out, "%s%s", sep, text);
		sep = ", ";
	}
	fprintf(out, "]\n");
}

static void field_name(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	run_gp_quote(s->variants[v].name, text, bytes);
}

static void field_label(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	char label[160];
	if (s->variants[v].role == ROLE_AGAIN && s->reference >= 0)
		snprintf(label, sizeof label, "%s again (A/A)", s->variants[s->reference].name);
	else
		snprintf(label, sizeof label, "%s", s->variants[v].name);
	run_gp_quote(label, text, bytes);
}

static void field_mode(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	run_gp_quote(s->variants[v].mode, text, bytes);
}

static void field_role(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	run_gp_quote(summary_role_name(s->variants[v].role), text, bytes);
}

static void field_nth(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u", nth_of_mode(s, v));
}

static void put_limit(FILE *out, const struct summary *s)
{
	unsigned sizes = 0;
	const char *name = "", *coll = "";
	double best = summary_limit(s, 0);
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role != ROLE_LIMIT || isnan(row->busbw_gbs) ||
		    row->cell.pace != PACE_STREAM)
			continue;
		name = s->variants[row->variant].name;
		coll = coll_info(row->cell.coll)->name;
		sizes++;
	}
	fprintf(out, "\n# the measured limit; sizes = 0: none\n");
	put_text(out, "limit_name", name);
	put_text(out, "limit_coll", coll);
	fprintf(out, "limit_sizes = %u\n", sizes);
	put_number(out, "limit_best", best);
}

/* The library versions of the drawn variants, each once. */
static void list_libraries(const struct summary *s, char *text, size_t bytes)
{
	text[0] = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *library = s->variants[v].library;
		size_t n = strlen(text);
		if (drawn_is(s, v) && *library && !strstr(text, library))
			snprintf(text + n, bytes - n, "%s%.60s", n ? ", " : "", library);
	}
}

/* A file name's part out of any text. */
static void put_prefix(FILE *out, const char *backend)
{
	char safe[TRIAL_NAME_BYTES];
	size_t n = 0;
	for (; *backend && n + 1 < sizeof safe; backend++)
		safe[n++] = isalnum((unsigned char)*backend) ? *backend : '-';
	safe[n] = 0;
	put_text(out, "prefix", safe);
}

static void put_run(FILE *out, const struct summary *s)
{
	const json_t *env = s->run->environment;
	char text[512];
	fprintf(out,
	        "# Made by launchgap report from trials.jsonl; read by the files of plot/.\n");
	put_text(out, "title", text_of(env, "title"));
	put_text(out, "backend", text_of(env, "backend"));
	put_prefix(out, text_of(env, "backend"));
	run_gp_machine(s, text, sizeof text);
	put_text(out, "machine", text);
	list_libraries(s, text, sizeof text);
	put_text(out, "library", text);
	put_text(out, "reference", s->reference < 0 ? "" : s->variants[s->reference].name);
	fprintf(out, "blocks = %u\n", s->nblocks);
	fprintf(out, "stretches = %lld\ncalls = %lld\nisolated_calls = %lld\n",
	        (long long)json_integer_value(json_object_get(env, "stretches")),
	        (long long)json_integer_value(json_object_get(env, "calls")),
	        (long long)json_integer_value(json_object_get(env, "isolated_calls")));
	put_number(out, "margin_percent", 100 * s->margin);
	fprintf(out, "carries_data = %d\n", s->carries_data);
	fprintf(out, "comparable = %d\n", !s->trouble[0] && s->reference >= 0);
	fprintf(out, "crowded = %d\n", summary_oversubscribed(s));
	fprintf(out,
	        "\n# the variants; nth: of its mode, from 1; left out: measured, but "
	        "too many for the pictures\nvariants = %u\nleft_out = %u\n",
	        drawn_count(s), drawn_left_out(s));
}

int run_gp_write(const struct summary *s, const struct findings *findings, const char *file,
                 struct status *st)
{
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	put_run(out, s);
	if (run_gp_drawable(s)) {
		put_variants(out, s, "V_name", field_name);
		put_variants(out, s, "V_label", field_label);
		put_variants(out, s, "V_mode", field_mode);
		put_variants(out, s, "V_role", field_role);
		put_variants(out, s, "V_nth", field_nth);
		run_gp_groups(out, s);
		run_gp_calls(out, s);
		run_gp_lines(out, s);
	}
	put_limit(out, s);
	run_gp_waterfall(out, s, &findings->waterfall);
	run_gp_factors(out, findings);
	run_gp_versions(out, &findings->versions);
	return output_close(out, file, st);
}

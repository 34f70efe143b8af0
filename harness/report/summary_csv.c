#include "csv.h"

#include <math.h>
#include <string.h>

#include "output.h"

static const char header[] =
    "variant,role,mode,layout,backend,library,ranks,collective,what,bytes,asked_bytes,dtype,op,"
    "root,"
    "in_place,pace,blocks,failed,time_us,time_us_lo,time_us_hi,time_rank0_us,time_mean_us,"
    "time_min_us,time_max_us,algbw_gbs,busbw_gbs,p50_us,p95_"
    "us,"
    "p99_us,launch_us,skew_us,resolution_us,ratio,ratio_lo,ratio_hi,wrong,faults,switches,"
    "digest_ok,straggler,straggler_share,straggler_us,data_path\n";

void summary_put_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fprintf(out, "%s,", text);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputs("\",", out);
}

void summary_put_number(FILE *out, double x)
{
	if (isfinite(x))
		fprintf(out, "%.6g", x);
	fputc(',', out);
}

static void put_straggler(FILE *out, const struct summary_row *row)
{
	if (row->ranks && row->nranks > 1)
		fprintf(out, "%u,%.4g,%.6g,", row->straggler, row->ranks[row->straggler].last,
		        row->ranks[row->straggler].last_by_us);
	else
		fputs(",,,", out);
}

/* As the variant's workers said, or the library's log; "" where neither did. */
static const char *data_path(const struct summary *s, const struct summary_variant *v)
{
	const char *word = *v->path ? v->path : NULL;
	for (unsigned i = 0; i < s->run->npaths && !word; i++)
		if (!strcmp(s->run->paths[i].variant, v->name))
			word = json_string_value(
			    json_object_get(s->run->paths[i].path, "data_path"));
	/* A word of ours; what else a record holds could break the line. */
	return word && !strpbrk(word, ",\"\r\n") ? word : "";
}

static void put_row(FILE *out, const struct summary *s, const struct summary_row *row)
{
	const struct summary_variant *v = &s->variants[row->variant];
	const struct cell *c = &row->cell;
	const char *const texts[] = {
	    v->name, summary_role_name(v->role), v->mode, v->layout, v->backend, v->library};
	const double numbers[] = {row->time_us,        row->time_us_lo,   row->time_us_hi,
	                          row->time_rank0_us,  row->time_mean_us, row->time_min_us,
	                          row->time_max_us,    row->algbw_gbs,    row->busbw_gbs,
	                          row->p50_us,         row->p95_us,       row->p99_us,
	                          row->launch_us,      row->skew_us,      row->resolution_us,
	                          row->ratio.estimate, row->ratio.lo,     row->ratio.hi};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		summary_put_text(out, texts[i]);
	fprintf(out, "%u,%s,%s,%zu,%zu,%s,%s,%u,%d,%s,%u,%u,", row->nranks,
	        coll_info(c->coll)->name, coll_word(c, row->nranks).text, c->bytes,
	        c->asked_bytes, coll_dtype_name(c->dtype), coll_op_name(c->op), c->root,
	        c->in_place, coll_pace_name(c->pace), row->ntrials, row->failed);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		summary_put_number(out, numbers[i]);
	if (row->carries_data)
		fprintf(out, "%llu", (unsigned long long)row->wrong);
	fprintf(out, ",%llu,%llu,%s,", (unsigned long long)row->faults,
	        (unsigned long long)row->switches,
	        !row->carries_data ? ""
	        : row->digest_ok   ? "1"
	                           : "0");
	put_straggler(out, row);
	fprintf(out, "%s\n", data_path(s, v));
}

int summary_write_csv(const struct summary *s, const char *file, struct status *st)
{
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs(header, out);
	for (unsigned i = 0; i < s->nrows; i++)
		put_row(out, s, &s->rows[i]);
	return output_close(out, file, st);
}

/* The place of a row's size in its group, from 1. */
static unsigned nth_size(const struct summary *s, const struct summary_row *row)
{
	const struct summary_group *g = &s->groups[row->group];
	unsigned i = 0;
	while (i < g->nsizes && g->bytes[i] != row->cell.bytes)
		i++;
	return i + 1;
}

static void put_rank(FILE *out, const struct summary *s, const struct summary_row *row,
                     unsigned rank)
{
	const struct summary_rank *r = &row->ranks[rank];
	const struct summary_variant *v = &s->variants[row->variant];
	const double numbers[] = {
	    r->skew_us, r->launch_us, r->finish_us, r->late_us, 100 * r->late_us / row->time_us,
	    r->last,    r->last_by_us};
	summary_put_text(out, v->name);
	summary_put_text(out, v->mode);
	fprintf(out, "%u,%s,%zu,%u,%s,%u,", row->nranks,
	        coll_word(&row->cell, row->nranks).text, row->cell.bytes, nth_size(s, row),
	        coll_pace_name(row->cell.pace), rank);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		summary_put_number(out, numbers[i]);
	fprintf(out, "%u\n", row->ntrials);
}

int summary_write_ranks(const struct summary *s, const char *file, struct status *st)
{
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs("variant,mode,ranks,what,bytes,nth_size,pace,rank,skew_us,launch_us,"
	      "finish_us,late_us,late_percent,last,last_by_us,blocks\n",
	      out);
	for (unsigned i = 0; i < s->nrows; i++)
		for (unsigned r = 0; s->rows[i].ranks && r < s->rows[i].nranks; r++)
			put_rank(out, s, &s->rows[i], r);
	return output_close(out, file, st);
}

/* What a cell's samples say, into its line: the raw stamps, and what its pass has beside. */
#include "record_parts.h"

/* Whether the stamps of a cell are in the order in which they were taken. */
bool record_stamps_in_order(const struct trial *trial, void *area, unsigned cell)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	int64_t begin = sample_tally(trial, area, cell, 0)->begin_ns;
	for (unsigned r = 0; r < nranks; r++) {
		const struct sample *s = sample_rows(trial, area, cell, r);
		for (unsigned i = 0; i < rows; i++)
			if (s[i].start_ns < begin || s[i].issued_ns < s[i].start_ns ||
			    s[i].idle_ns < s[i].issued_ns || s[i].poll_ns < 0)
				return false;
	}
	return true;
}

static int64_t stamp(const struct sample *s, unsigned field, int64_t begin)
{
	const int64_t stamps[] = {s->start_ns - begin,        s->issued_ns - begin,
	                          s->idle_ns - begin,         s->poll_ns,
	                          s->device_start_ns - begin, s->device_end_ns - begin};
	return stamps[field];
}

static void set_stamps(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	static const char *const fields[] = {"start_ns", "issued_ns",       "idle_ns",
	                                     "poll_ns",  "device_start_ns", "device_end_ns"};
	bool device = sample_rows(trial, area, cell, 0)->device_end_ns != 0;
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	int64_t begin = sample_tally(trial, area, cell, 0)->begin_ns;
	for (unsigned f = 0; f < (device ? 6u : 4u); f++) {
		json_t *ranks = json_array();
		for (unsigned r = 0; r < nranks; r++) {
			const struct sample *s = sample_rows(trial, area, cell, r);
			json_t *list = json_array();
			for (unsigned i = 0; i < rows; i++)
				json_array_append_new(list,
				                      json_integer(stamp(&s[i], f, begin)));
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, fields[f], ranks);
	}
}

/* How far the device's clock, brought into ours, is seen to be off: nothing runs before it is
 * issued or ends after it is seen to have ended. */
static void set_residual(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	json_t *list = json_array();
	for (unsigned r = 0; r < nranks; r++) {
		const struct sample *s = sample_rows(trial, area, cell, r);
		int64_t worst = 0;
		for (unsigned i = 0; i < rows && s[i].device_end_ns; i++) {
			int64_t early = s[i].start_ns - s[i].device_start_ns;
			int64_t late = s[i].device_end_ns - s[i].idle_ns;
			worst = early > worst ? early : worst;
			worst = late > worst ? late : worst;
		}
		json_array_append_new(list, json_integer(worst));
	}
	json_object_set_new(line, "clock_residual_ns", list);
}

/* The counters' pass: what they said, and what issuing cost the CPUs. */
static void set_counters(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	json_t *counters = json_array(), *cpu = json_array();
	for (unsigned r = 0; r < nranks; r++) {
		const struct tally *t = sample_tally(trial, area, cell, r);
		json_array_append_new(counters, t->watched ? counters_to_json(&t->counters)
		                                           : json_null());
		json_array_append_new(cpu, json_integer(t->issue_cpu_ns));
	}
	json_object_set_new(line, "counters", counters);
	json_object_set_new(line, "issue_cpu_ns", cpu);
}

void record_put_stamps(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	set_stamps(line, trial, area, cell);
	if (trial->cells[cell].pass == PASS_TIMELINE)
		set_residual(line, trial, area, cell);
	if (trial->cells[cell].pass == PASS_COUNTERS)
		set_counters(line, trial, area, cell);
}

#include "counters.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
	bool later; /* older records do not have it */
} fields[] = {
#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct counters, name), false                                      \
	}
#define LATER(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct counters, name), true                                       \
	}
    FIELD(seconds),
    FIELD(nvlink_tx_gbs),
    FIELD(nvlink_rx_gbs),
    FIELD(dram_gbs),
    FIELD(dram_limit_gbs),
    FIELD(sm_percent),
    FIELD(pcie_tx_gbs),
    FIELD(pcie_rx_gbs),
    FIELD(copied_bytes),
    FIELD(delivered_bytes),
    FIELD(nvlink_unit_bytes),
    LATER(busy_percent),
    LATER(memory_busy_percent),
#undef FIELD
#undef LATER
};
#define NFIELDS (sizeof fields / sizeof *fields)

static double field_get(const struct counters *counters, unsigned i)
{
	double value;
	memcpy(&value, (const char *)counters + fields[i].offset, sizeof value);
	return value;
}

static void field_set(struct counters *counters, unsigned i, double value)
{
	memcpy((char *)counters + fields[i].offset, &value, sizeof value);
}

void counters_clear(struct counters *out)
{
	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < NFIELDS; i++)
		field_set(out, i, NAN);
}

double counters_model_copies(bool staged, bool alltoall, unsigned nranks)
{
	if (nranks < 2)
		return NAN;
	return (staged ? 2 : 1) + (alltoall ? 1.0 / (nranks - 1) : 0);
}

double counters_model(bool staged, bool alltoall, unsigned nranks)
{
	return 2 * counters_model_copies(staged, alltoall, nranks);
}

double counters_dram_per_nvlink(const struct counters *counters)
{
	/* NaN > 0 is false. */
	return counters->nvlink_tx_gbs > 0 ? counters->dram_gbs / counters->nvlink_tx_gbs : NAN;
}

json_t *counters_to_json(const struct counters *counters)
{
	json_t *object = json_object();
	int bad = 0;
	for (unsigned i = 0; i < NFIELDS; i++) {
		double value = field_get(counters, i);
		bad |= json_object_set_new(object, fields[i].name,
		                           isfinite(value) ? json_real(value) : json_null());
	}
	bad |= json_object_set_new(object, "missing", json_string(counters->missing));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

/* Gives NVLink's figures their unit if the record of an older program has none. */
static void mend_unit(struct counters *c)
{
	bool gpm = !isnan(c->dram_gbs) || !isnan(c->sm_percent) || !isnan(c->pcie_tx_gbs);
	if (isnan(c->nvlink_tx_gbs) && isnan(c->nvlink_rx_gbs))
		return;
	c->nvlink_unit_bytes = gpm ? COUNTERS_GPM_NVLINK_BYTES : COUNTERS_LINK_BYTES;
	if (!gpm)
		return;
	c->nvlink_tx_gbs *= COUNTERS_GPM_NVLINK_BYTES / (1024 * 1024.0);
	c->nvlink_rx_gbs *= COUNTERS_GPM_NVLINK_BYTES / (1024 * 1024.0);
}

int counters_from_json(const json_t *from, struct counters *out, struct status *st)
{
	struct counters counters;
	bool has_unit = json_object_get(from, "nvlink_unit_bytes");
	const char *missing = json_string_value(json_object_get(from, "missing"));
	counters_clear(&counters);
	for (unsigned i = 0; i < NFIELDS; i++) {
		const json_t *value = json_object_get(from, fields[i].name);
		if (json_is_null(value) || (!value && fields[i].later) ||
		    (!has_unit && fields[i].offset == offsetof(struct counters, nvlink_unit_bytes)))
			continue;
		if (!json_is_number(value) || json_number_value(value) < 0)
			return status_set(st, "counters: \"%s\" has to be a number from 0, or null",
			                  fields[i].name);
		field_set(&counters, i, json_number_value(value));
	}
	if (!missing || strlen(missing) >= sizeof counters.missing)
		return status_set(st, "counters: \"missing\" has to be a text of up to %zu bytes",
		                  sizeof counters.missing - 1);
	strcpy(counters.missing, missing);
	if (!has_unit)
		mend_unit(&counters);
	*out = counters;
	return 0;
}

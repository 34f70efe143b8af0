#include "counters.h"

#include <math.h>

#include "../trial/field.h"

// clang-format off
#define RATE(NAME)  {#NAME, FIELD_RATE, .at = offsetof(struct counters, NAME)}
#define LATER(NAME) {#NAME, FIELD_RATE, .at = offsetof(struct counters, NAME), .optional = true}
/* Older records lack the later ones. */
static const struct field rows[] = {
    RATE(seconds),
    RATE(nvlink_tx_gbs),
    RATE(nvlink_rx_gbs),
    RATE(dram_gbs),
    RATE(dram_limit_gbs),
    RATE(sm_percent),
    RATE(pcie_tx_gbs),
    RATE(pcie_rx_gbs),
    RATE(copied_bytes),
    RATE(delivered_bytes),
    LATER(nvlink_unit_bytes),
    LATER(busy_percent),
    LATER(memory_busy_percent),
    {"missing", FIELD_TEXT, .at = offsetof(struct counters, missing), .bytes = sizeof((struct counters *)0)->missing},
};
// clang-format on
static const struct fields fields = FIELDS_OF(rows, struct counters);

void counters_clear(struct counters *out)
{
	const double none = NAN;
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < fields.n; i++)
		if (rows[i].kind == FIELD_RATE)
			memcpy((char *)out + rows[i].at, &none, sizeof none);
}

json_t *counters_to_json(const struct counters *counters)
{
	return field_object(&fields, counters);
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
	struct status why = {""};
	counters_clear(&counters);
	if (field_object_take(&fields, from, &counters, &why))
		return status_set(st, "counters: %s", why.text);
	if (!json_object_get(from, "nvlink_unit_bytes"))
		mend_unit(&counters);
	*out = counters;
	return 0;
}

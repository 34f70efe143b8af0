/* Sizes, numbers, ratios and ranges as sentences of a report print them. Pure. */
#pragma once

#include "../config/claim.h"
#include "../analysis/stats.h"

struct formatted {
	char text[96];
};

/* "16 MiB to 256 MiB", or "16 MiB" where that is all; without an end "from
 * 16 MiB up" (SIZE_MAX), "up to 16 MiB" (0), or "all sizes". */
struct formatted format_range(struct claim_range range);
/* Three digits, or "-" for NaN. */
struct formatted format_number(double x);
/* How large an effect is, as a share of 1: "19 %", "a factor of 4.7". */
struct formatted format_effect(double effect);
/* Two digits of a share in per cent, without the sign: "7.5" of 0.0749, "120" of 1.198. */
struct formatted format_percent(double share);
/* Time that something takes, in s: "80 s", "5 min", "2.5 h". */
struct formatted format_duration(double seconds);
/* What a noun of n things ends with: "" or "s". */
const char *format_plural(unsigned long long n);
/* A ratio to three digits or more: "1/39.4", "0.812", "37.9", "393". */
struct formatted format_estimate(double ratio);
/* With its interval, "0.941 (0.935 to 0.948)". */
struct formatted format_ratio(const struct stats_ratio *ratio);
/* Its interval alone: "0.935 to 0.948". */
struct formatted format_interval(const struct stats_ratio *ratio);
/* "60 to 75 %" of 0.6 and 0.75; with a tenth of a per cent if they are close. */
struct formatted format_shares(double lo, double hi);

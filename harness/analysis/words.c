#include "words.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void words_add(char *text, size_t text_bytes, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + used, text_bytes - used, format, args);
	va_end(args);
}

void words_range(struct claim_range range, char *text, size_t text_bytes)
{
	char lo[32], hi[32];
	coll_size_label(range.lo, lo, sizeof lo);
	coll_size_label(range.hi, hi, sizeof hi);
	if (range.hi == SIZE_MAX)
		snprintf(text, text_bytes, range.lo ? "from %s up" : "all sizes", lo);
	else if (!range.lo && range.hi)
		snprintf(text, text_bytes, "up to %s", hi);
	else
		snprintf(text, text_bytes, range.lo == range.hi ? "%s" : "%s to %s", lo, hi);
}

void words_number(double x, char *text, size_t text_bytes)
{
	if (!isfinite(x))
		snprintf(text, text_bytes, "-");
	else
		snprintf(text, text_bytes,
		         x < 0.9995  ? "%.3f"
		         : x < 9.995 ? "%.2f"
		         : x < 99.95 ? "%.1f"
		                     : "%.0f",
		         x);
}

const char *words_plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

void words_ratio(const struct stats_ratio *r, bool full, char *text, size_t text_bytes)
{
	double off = fmax(r->hi - r->estimate, r->estimate - r->lo) / r->estimate;
	if (isnan(r->estimate))
		snprintf(text, text_bytes, "-");
	else if (isnan(r->lo))
		snprintf(text, text_bytes, "%.3f", r->estimate);
	else if (full)
		snprintf(text, text_bytes, "%.3f (%.3f to %.3f)", r->estimate, r->lo, r->hi);
	else if (off <= 0.5)
		snprintf(text, text_bytes, "%.3f ±%.1f%%", r->estimate, 100 * off);
	else /* to either side it would reach below 0 */
		snprintf(text, text_bytes,
		         r->hi < 100 ? "%.3f (%.2g to %.2g)" : "%.3f (%.2g to %.0f)",
		         r->estimate, r->lo, r->hi);
}

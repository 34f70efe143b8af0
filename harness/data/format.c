#include "format.h"

#include <stdarg.h>

/* No text here is longer than struct formatted. */
static struct formatted __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	struct formatted words;
	va_list args;
	va_start(args, format);
	vsnprintf(words.text, sizeof words.text, format, args);
	va_end(args);
	return words;
}

struct formatted format_range(struct claim_range range)
{
	struct formatted words = {""};
	coll_range_label(range.lo, range.hi, words.text, sizeof words.text);
	return words;
}

struct formatted format_number(double x)
{
	if (!isfinite(x))
		return say("-");
	const double size = fabs(x);
	return say("%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, x);
}

/* Two digits, and no power of ten. */
static double two_digits(double x)
{
	const double unit = pow(10, floor(log10(x)) - 1);
	return unit * round(x / unit);
}

struct formatted format_percent(double share)
{
	return share < 0.995 ? say("%.2g", 100 * share) : say("%.0f", two_digits(100 * share));
}

struct formatted format_effect(double effect)
{
	const double factor = 1 + effect;
	if (effect < 1)
		return say("%s %%", format_percent(effect).text);
	if (factor < 99.5)
		return say("a factor of %.2g", factor);
	return say("a factor of %.0f", fmin(two_digits(factor), 1e6));
}

/* In minutes from 10 on: rounding is to change nothing by more than a tenth. */
struct formatted format_duration(double seconds)
{
	if (seconds < 600)
		return say("%.0f s", ceil(seconds));
	return seconds < 7200 ? say("%.0f min", ceil(seconds / 60)) : say("%.1f h", seconds / 3600);
}

const char *format_plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

static int places_of(double x)
{
	return x < 9.995 ? 3 : x < 99.95 ? 1 : 0;
}

/* A small factor is a fraction: 1/398 is read more easily than 0.00251. */
static bool is_fraction(double x)
{
	return x > 0 && x < 0.0995;
}

/* A number of an interval: as many places as the estimate, fewer where it is large itself. None
 * is rounded to 0. */
static struct formatted one_of(double x, double estimate)
{
	if (is_fraction(x) && is_fraction(estimate))
		return say("1/%.20s", one_of(1 / x, 1 / estimate).text);
	const int places = places_of(estimate), own = places_of(x);
	if (x > 0 && x * 2 < pow(10, -places))
		return say("%.1g", x);
	return say("%.*f", own < places ? own : places, x);
}

struct formatted format_estimate(double ratio)
{
	return one_of(ratio, ratio);
}

struct formatted format_interval(const struct stats_ratio *r)
{
	struct formatted lo = one_of(r->lo, r->estimate), hi = one_of(r->hi, r->estimate);
	return say("%.30s to %.30s", lo.text, hi.text);
}

struct formatted format_ratio(const struct stats_ratio *r)
{
	if (isnan(r->estimate))
		return say("-");
	if (isnan(r->lo))
		return format_estimate(r->estimate);
	return say("%.20s (%.70s)", format_estimate(r->estimate).text, format_interval(r).text);
}

struct formatted format_shares(double lo, double hi)
{
	/* A narrow one would end where it begins; no -0. */
	double unit = hi - lo < 0.03 ? 10 : 1;
	int digits = unit > 1;
	lo = round(100 * unit * lo) / unit + 0.0;
	hi = round(100 * unit * hi) / unit + 0.0;
	return lo == hi ? say("%.*f %%", digits, lo)
	                : say("%.*f to %.*f %%", digits, lo, digits, hi);
}

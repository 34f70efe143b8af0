/* How many blocks, or until when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec_keys.h"

int spec_number_blocks(const struct spec_key *key, const struct spec_value *v, void *field,
                       struct status *st)
{
	struct spec *spec = field;
	struct status why = {""};
	unsigned blocks = SPEC_MAX_BLOCKS;
	bool is_auto = !strcmp(v->text, "auto");
	if (!is_auto && spec_number_unsigned(key, v, &blocks, &why))
		return status_set(st, "%s, or auto", why.text);
	spec->blocks = blocks;
	spec->blocks_auto = is_auto;
	return 0;
}

/* Digits, perhaps a point and more, and %: without the sign, 0.5 could be meant as a half. */
int spec_number_percent(const struct spec_key *key, const struct spec_value *v, void *field,
                        struct status *st)
{
	size_t whole = strspn(v->text, "0123456789");
	const char *rest = v->text + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
	bool good = whole > 0 && (*rest != '.' || part > 0);
	rest += part ? part + 1 : 0;
	rest += strspn(rest, " ");
	double hundredths = 100 * strtod(v->text, NULL);
	if (!good || strcmp(rest, "%") || hundredths < (double)key->lo ||
	    hundredths > (double)key->hi)
		return status_set(st, "%s = '%s' is not allowed; allowed is %g%% to %g%%",
		                  key->name, v->text, (double)key->lo / 100,
		                  (double)key->hi / 100);
	*(double *)field = hundredths / 10000;
	return 0;
}

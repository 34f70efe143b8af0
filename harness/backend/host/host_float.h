/* Conversion between float and floats of 16 and 8 bits. Pure.
 *
 * Rounds to nearest, ties to even. The 8-bit formats are OCP's (OFP8, 2023): E4M3 has no
 * infinities, its largest value is 448, and larger ones become NaN; E5M2 is float16 with a
 * shorter mantissa. */
#ifndef LAUNCHGAP_HOST_FLOAT_H
#define LAUNCHGAP_HOST_FLOAT_H

#include "../../coll/value.h"

/* dtype: a float of 16 or 8 bits. */
float host_float_widen(enum dtype dtype, uint16_t bits);
uint16_t host_float_narrow(enum dtype dtype, float value);

#endif

/* What the terminal has room for, and what of a text fits. Its width is COLUMNS, else the window's,
 * else 80 (a pipe, a file), within 40 and 200. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Of stdout, for tables; and for sentences, which are hard to read in longer lines. */
unsigned terminal_columns(void);
unsigned terminal_prose_columns(void);
/* Of stderr's window itself, for a line that may not wrap: one less than it has. */
unsigned terminal_line_columns(void);
/* Whether a line on stderr can be redrawn: on a terminal that is not dumb. */
bool terminal_redraws(void);
/* Whether it is said to show UTF-8. */
bool terminal_has_utf8(void);

/* Columns of the character that begins there; 0: none, or it joins the one before. */
unsigned terminal_width_at(const char *text);
/* Columns of a text's first line. */
unsigned terminal_width(const char *text);
/* Bytes of the first characters that fit. */
size_t terminal_fits(const char *text, unsigned columns);

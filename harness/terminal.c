#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS       80
#define LEAST_COLUMNS 40
#define MOST_COLUMNS  200
#define PROSE_COLUMNS 100

static unsigned window_of(int fd)
{
	struct winsize window = {0};
	return !ioctl(fd, TIOCGWINSZ, &window) ? window.ws_col : 0;
}

unsigned terminal_columns(void)
{
	const char *columns = getenv("COLUMNS");
	const unsigned given = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;
	const unsigned has = given ? given : window_of(STDOUT_FILENO);
	return !has                  ? COLUMNS
	       : has < LEAST_COLUMNS ? LEAST_COLUMNS
	       : has > MOST_COLUMNS  ? MOST_COLUMNS
	                             : has;
}

unsigned terminal_prose_columns(void)
{
	const unsigned has = terminal_columns();
	return has < PROSE_COLUMNS ? has : PROSE_COLUMNS;
}

unsigned terminal_line_columns(void)
{
	const unsigned has = window_of(STDERR_FILENO);
	return (has > 1 ? has : COLUMNS) - 1;
}

bool terminal_redraws(void)
{
	const char *name = getenv("TERM");
	return isatty(STDERR_FILENO) && name && *name && strcmp(name, "dumb") != 0;
}

/* As the C library chooses: the first of these that is set. */
bool terminal_has_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;
	for (size_t i = 0; (!locale || !*locale) && i < sizeof names / sizeof *names; i++)
		locale = getenv(names[i]);
	return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8"));
}

/* 0xFFFD: none that UTF-8 knows. */
static unsigned code_point(const unsigned char *c)
{
	const unsigned bytes = c[0] < 0x80 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
	unsigned point = bytes == 1 ? c[0] : c[0] & (0x7Fu >> bytes);
	for (unsigned i = 1; i < bytes; i++) {
		if ((c[i] & 0xC0) != 0x80)
			return 0xFFFD;
		point = point << 6 | (c[i] & 0x3Fu);
	}
	return point;
}

/* Chinese, Japanese and Korean characters and emoji are twice as wide: Unicode's East Asian Width,
 * the blocks that are wide as a whole. */
unsigned terminal_width_at(const char *text)
{
	static const unsigned ranges[][3] = {
	    {0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},
	    {0x2E80, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},
	    {0xFE00, 0xFE0F, 0},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},
	    {0xFFE0, 0xFFE6, 2},   {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2},
	    {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}};
	const unsigned char *c = (const unsigned char *)text;
	if ((c[0] & 0xC0) == 0x80)
		return 0;
	const unsigned point = code_point(c);
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (point >= ranges[i][0] && point <= ranges[i][1])
			return ranges[i][2];
	return 1;
}

unsigned terminal_width(const char *text)
{
	unsigned columns = 0;
	for (; *text && *text != '\n'; text++)
		columns += terminal_width_at(text);
	return columns;
}

size_t terminal_fits(const char *text, unsigned columns)
{
	size_t bytes = 0;
	for (unsigned used = 0; text[bytes]; bytes++) {
		used += terminal_width_at(text + bytes);
		if (used > columns)
			break;
	}
	return bytes;
}

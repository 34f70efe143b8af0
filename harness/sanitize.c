#include "sanitize.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the character at `text`; 0 if it is not UTF-8. */
static size_t letter(const char *text)
{
	const unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];
	const size_t n = c < 0x80   ? 1
	                 : c < 0xC2 ? 0
	                 : c < 0xE0 ? 2
	                 : c < 0xF0 ? 3
	                 : c < 0xF5 ? 4
	                            : 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)text[i] & 0xC0) != 0x80)
			return 0;
	/* Longer than needed, surrogates, beyond U+10FFFF. */
	if ((c == 0xE0 && next < 0xA0) || (c == 0xED && next >= 0xA0) ||
	    (c == 0xF0 && next < 0x90) || (c == 0xF4 && next >= 0x90))
		return 0;
	return n;
}

/* Bytes of the character at `text` if it must not be shown; else 0. */
static size_t hidden(const char *text)
{
	/* U+061C, U+200E and F, U+202A to E, U+2066 to 9. */
	static const char *const marks[] = {"\xD8\x9C",     "\xE2\x80\x8E", "\xE2\x80\x8F",
	                                    "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC",
	                                    "\xE2\x80\xAD", "\xE2\x80\xAE", "\xE2\x81\xA6",
	                                    "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9"};
	unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];
	if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7F || !letter(text))
		return 1;
	if (c == 0xC2 && next < 0xA0)
		return 2;
	/* Most text needs no further check. */
	for (size_t i = 0; (c == 0xD8 || c == 0xE2) && i < sizeof marks / sizeof *marks; i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return strlen(marks[i]);
	return 0;
}

/* Nearly all text is printable ASCII. */
static bool shows(char c)
{
	return (c >= ' ' && c <= '~') || c == '\n';
}

bool sanitize_is_clean(const char *text)
{
	while (shows(*text) || (*text && !hidden(text)))
		text += shows(*text) ? 1 : letter(text);
	return !*text;
}

void sanitize_text(char *text)
{
	char *to = text;
	while (*text) {
		size_t n = hidden(text);
		if (n) {
			*to++ = ' ';
		} else {
			n = letter(text);
			memmove(to, text, n);
			to += n;
		}
		text += n;
	}
	*to = '\0';
}

void sanitize_end(char *text)
{
	char *last = text + strlen(text);
	while (last > text && ((unsigned char)*--last & 0xC0) == 0x80)
		continue;
	if ((unsigned char)*last >= 0xC0 && !letter(last))
		*last = '\0';
}

void sanitize_word(const char *word, char *out, size_t bytes)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	static const char part[] = "'\\''";
	const bool quote = !*word || strspn(word, plain) != strlen(word);
	const char *const end = out + bytes - sizeof part - 1;
	if (quote)
		*out++ = '\'';
	for (; *word && out < end; word++) {
		const size_t n = *word == '\'' ? strlen(part) : 1;
		memcpy(out, n > 1 ? part : (unsigned char)*word < ' ' ? " " : word, n);
		out += n;
	}
	if (quote)
		*out++ = '\'';
	*out = '\0';
}

int sanitize_open(const char *file, off_t most, const char **why)
{
	struct stat about;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &about)) {
		*why = strerror(errno);
	} else if (!S_ISREG(about.st_mode)) {
		*why = S_ISDIR(about.st_mode) ? strerror(EISDIR)
		                              : "it is not a regular file, but a pipe or a device";
	} else if (most && about.st_size > most) {
		*why = "it is too long";
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

FILE *sanitize_stream(const char *file, off_t most, const char **why)
{
	const int fd = sanitize_open(file, most, why);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !in) {
		*why = "out of memory";
		close(fd);
	}
	return in;
}

#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <time.h>

#include "sanitize.h"
#include "terminal.h"

int status_set(struct status *st, const char *format, ...)
{
	if (!st->text[0]) {
		va_list args;
		va_start(args, format);
		vsnprintf(st->text, sizeof st->text, format, args);
		va_end(args);
		sanitize_end(st->text);
	}
	return -1;
}

int status_at(struct status *st, const char *file, unsigned line, const char *format, ...)
{
	char what[sizeof st->text], at[16] = "";
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (line)
		snprintf(at, sizeof at, ":%u", line);
	return status_set(st, "%s%s: %s", file, at, what);
}

void status_list(char *list, size_t bytes, const char *name)
{
	status_add(list, bytes, "%s%s", *list ? ", " : "", name);
}

void status_add(char *text, size_t text_bytes, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + used, text_bytes - used, format, args);
	va_end(args);
	sanitize_end(text + used);
}

const char *status_unstarted(int error)
{
	return error == EAGAIN
	           ? "Resource temporarily unavailable (ulimit -u, or the cgroup's pids.max)"
	           : strerror(error);
}

void status_complain(const struct status *st)
{
	status_say("launchgap: %s", st->text);
}

/* The text may quote a record, or the output of a library. */
void status_say(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	sanitize_text(text);
	fprintf(stderr, "%s\n", text);
	free(text);
}

void status_utc(const char *form, char text[32])
{
	const time_t now = time(NULL);
	struct tm utc;
	strftime(text, 32, form, gmtime_r(&now, &utc));
}

void status_span(int64_t ns, char *text, size_t bytes)
{
	long s = (long)(ns / 1000000000);
	if (s < 60)
		snprintf(text, bytes, "%lds", s);
	else if (s < 3600)
		snprintf(text, bytes, "%ldm%02lds", s / 60, s % 60);
	else
		snprintf(text, bytes, "%ldh%02ldm", s / 3600, s % 3600 / 60);
}

void status_progress(const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!terminal_redraws()) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	/* A longer line would wrap, and could not be redrawn. */
	text[terminal_fits(text, terminal_line_columns())] = '\0';
	fprintf(stderr, "\r\033[K%s", text);
}

void status_progress_end(void)
{
	if (terminal_redraws())
		fputs("\r\033[K", stderr);
}

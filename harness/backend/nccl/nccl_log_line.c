#include "nccl_log_line.h"

#include <string.h>

#include "../../trial/path.h"

/* NCCL's MAXCHANNELS; 32 before 2.23. */
#define MAX_CHANNELS 64

/* A form is NCCL's own text. In it stand:
 *   <a|b|>  one of these words, or none where the last one is empty
 *   ~       anything, up to the text that follows
 *   $       the line's end
 *   %c      channel          %k  "/0", "/1": its connection; or nothing
 *   %f %t   from, to: a rank %d  "[1]": its device, a PCI bus in hex before 2.18
 *   %g      how it is registered
 *   %n      numbers[0] and on  %b  bytes, of no interest
 *   %e      a variable's name  %V  a version
 *   %v      a transport, to the line's end
 *   %( %)   begin and end of words; without an end, what "~" skips, or all of the line
 * The first form that fits counts. tests/nccl_forms compares them with what a library can write. */
// clang-format off
static const struct form {
	enum nccl_log_kind kind;
	const char *text;
} forms[] = {
    /* SHM names no connection, and before 2.12 nothing does. Rings are listed without "via". */
    {LOG_LINK, "Channel %c%k : %f%d -> %t%d <[send] |[receive] |>via %v"},
    {LOG_LINK, "Ring %c : %f%d -> %t%d via %v"}, /* 2.4 */
    {LOG_LINK, "Ring %c : %f -> %t <[send]|[receive]> via %v"},
    {LOG_UNREAD, "<Channel |Ring >~ via "},
    /* "local" and "graph" in 2.23, "registered" in 2.26; "registering" is only the attempt. The
     * address after the peer shows that the peer's number is complete. */
    {LOG_OPENED, "rank %f - IPC <local |graph |><register|reuse><ed|> buffer ~ to peer %t regAddr "},
    {LOG_UNREAD, "rank %f - IPC <local |graph |><register|reuse><ed|> buffer "},
    {LOG_OPENED, "rank %f - %g <register userbuff |reuse >"},
    {LOG_OPENED, "rank %f <successfully |reuse ><local-|>registered %g sendbuff "},
    {LOG_OPENED, "rank %f <successfully |reuse >%g sendbuff "},
    /* NCCL says no more about the cause than what follows the size. A warning in 2.24 and 2.25. */
    {LOG_FAILED, "rank %f failed to %g register ~ buffSize %b<, | >%("},
    {LOG_FAILED, "rank %f failed to %g register "},
    {LOG_FAILED, "rank %f - %g failed to register userbuff ~ buffSize %b<, | >%("},
    {LOG_FAILED, "rank %f - %g failed to register userbuff "},
    {LOG_ASKED, "register comm "},
    {LOG_SKIPPED, "Skipping <graph |>registration ~(%(~)"}, /* since 2.28.9 */
    {LOG_SKIPPED, "Skipping <graph |>registration "},
    {LOG_VERSION, "NCCL version <v|>%V"},
    {LOG_CHUNK, "P2P Chunksize set to %n$"},
    {LOG_CHANNELS, "%n coll channels, %n p2p channels, %n p2p channels per peer"},
    {LOG_CHANNELS, "%n coll channels, %b nvls channels, %n p2p channels, %n p2p channels per peer"},
    {LOG_CHANNELS, "%n coll channels, %b collnet channels, %b nvls channels, %n p2p channels, "
                   "%n p2p channels per peer"}, /* since 2.21 */
    /* Since 2.24. Earlier lines have numbers for words and no channels, and before 2.23 no
     * collective. The bytes are those of the call's count: of AllGather and ReduceScatter one
     * rank's part. */
    {LOG_ALGORITHM, "%(~: %n Bytes -> Algo ~ proto ~ channel{Lo..Hi}={%)%n..%n}"},
    /* Values from a file (NCCL_CONF_FILE) are in the environment by then. */
    {LOG_SET, "%(%e set by environment to "},
    {LOG_REFUSED, "Invalid value ~ for %(%e, using default "},
    {LOG_COPY_ENGINE, "Init CE, rank "},     /* with the first such collective, since 2.28.3 */
    {LOG_COPY_ENGINE, "~ [Copy Engine]: "},  /* each one, since 2.29.2 */
    {LOG_SYMMETRIC, "~ [Symmetric]: ~ -> Kernel %(~ "},
};

/* The whole rest must be a name that NCCL gives: half a name may be a prefix of another one. A plugin
 * names its network itself, maybe with spaces. The rank whose proxy sends is in parentheses;
 * "(PCI)" since 2.26. */
static const struct via {
	const char *text, *name; /* NULL: as the log has it */
} vias[] = {
    {"P2P/<direct pointer|CUMEM|MNNVL|IPC></read|></CE|>$", NULL},
    {"P2P/indirect/%t%d</read|></CE|>$", NULL},
    {"SHM/<direct|CE></direct|/CE>$", NULL},
    {"SHM/direct$", NULL}, /* since 2.30 */
    {"direct shared memory$", "SHM/direct"}, /* before 2.11 */
    {"NET/%w/%b</GDRDMA|><(PCI)|></Shared|>$", NULL},
    {"NET/%w/%b(%b)</GDRDMA|><(PCI)|></Shared|>$", NULL},
};
// clang-format on

struct cursor {
	const char *at, *end;
	unsigned numbers;
};

static bool take(struct cursor *c, const char *word, size_t n)
{
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n))
		return false;
	c->at += n;
	return true;
}

/* Skips up to the end of the first `word`. */
static bool skip_past(struct cursor *c, const char *word, size_t n)
{
	const char *found = memmem(c->at, (size_t)(c->end - c->at), word, n);
	if (found)
		c->at = found + n;
	return found;
}

static bool take_any(struct cursor *c, const char *allowed)
{
	const char *from = c->at;
	while (c->at < c->end && *c->at && strchr(allowed, *c->at))
		c->at++;
	return c->at > from;
}

static bool take_number(struct cursor *c, unsigned most, unsigned long long *out)
{
	const char *from = c->at;
	*out = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - from <= most; c->at++)
		*out = *out * 10 + (unsigned)(*c->at - '0');
	return c->at > from && c->at - from <= most;
}

/* Up to 7 digits: no job has more ranks. */
static bool take_rank(struct cursor *c, unsigned *out)
{
	unsigned long long n;
	bool taken = take_number(c, 7, &n);
	*out = (unsigned)n;
	return taken;
}

static bool take_reg(struct cursor *c, enum nccl_reg *out)
{
	static const struct {
		const char *name;
		enum nccl_reg reg;
	} names[] = {{"IPC", NCCL_REG_IPC},         {"NET", NCCL_REG_NET},
	             {"NVLS", NCCL_REG_NVLS},       {"graph-registered", NCCL_REG_NVLS},
	             {"COLLNET", NCCL_REG_COLLNET}, {"collNet", NCCL_REG_COLLNET}};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		*out = names[i].reg;
		if (take(c, names[i].name, strlen(names[i].name)))
			return true;
	}
	return false;
}

static bool take_network(struct cursor *c)
{
	while (c->at < c->end && *c->at != '/' && *c->at != ':' && *c->at >= ' ' && *c->at <= '~')
		c->at++;
	return c->at < c->end && *c->at == '/';
}

static bool take_version(struct cursor *c, struct nccl_log_line *out)
{
	struct cursor digit = *c;
	out->words = c->at;
	while (c->at < c->end && *c->at != '+' && *c->at != ' ')
		c->at++;
	out->words_bytes = (size_t)(c->at - out->words);
	return take_any(&digit, "0123456789");
}

static bool fits(const char *form, struct cursor *c, struct nccl_log_line *out);

static bool take_via(struct cursor *c, struct nccl_log_line *out)
{
	const size_t bytes = (size_t)(c->end - c->at);
	for (unsigned i = 0; bytes < PATH_VIA_BYTES && i < sizeof vias / sizeof *vias; i++) {
		struct cursor from = *c;
		struct nccl_log_line unused;
		if (!fits(vias[i].text, &from, &unused))
			continue;
		out->words = vias[i].name ? vias[i].name : c->at;
		out->words_bytes = vias[i].name ? strlen(vias[i].name) : bytes;
		return true;
	}
	return false;
}

static bool take_field(char letter, struct cursor *c, struct nccl_log_line *out)
{
	switch (letter) {
	case 'c':
		return take_rank(c, &out->channel) && out->channel < MAX_CHANNELS;
	case 'k':
		out->connection = take(c, "/0", 2) ? 0 : take(c, "/1", 2) ? 1 : -1;
		return true;
	case 'f':
		return take_rank(c, &out->from);
	case 't':
		return out->has_peer = take_rank(c, &out->to);
	case 'd':
		return take(c, "[", 1) && take_any(c, "0123456789abcdef") && take(c, "]", 1);
	case 'g':
		return take_reg(c, &out->reg);
	case 'n':
		return take_number(c, 18, &out->numbers[c->numbers++]);
	case 'b':
		return take_any(c, "0123456789");
	case 'e':
		return take_any(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	case 'w':
		return take_network(c);
	case 'V':
		return take_version(c, out);
	case 'v':
		return take_via(c, out);
	case '(':
		out->words = c->at;
		out->words_bytes = (size_t)(c->end - c->at);
		return true;
	default: /* ')' */
		out->words_bytes = (size_t)(c->at - out->words);
		return true;
	}
}

/* One of the words at `form`, which begins after '<'. */
static bool take_one(const char *form, struct cursor *c)
{
	for (;; form++) {
		size_t n = strcspn(form, "|>");
		if (take(c, form, n))
			return true;
		form += n;
		if (*form == '>')
			return false;
	}
}

static bool fits(const char *form, struct cursor *c, struct nccl_log_line *out)
{
	bool fit = true;
	while (fit && *form) {
		if (*form == '%') {
			fit = take_field(form[1], c, out);
			form += 2;
		} else if (*form == '<') {
			fit = take_one(form + 1, c);
			form = strchr(form, '>') + 1;
		} else if (*form == '$') {
			fit = c->at == c->end;
			form++;
		} else {
			const bool skips = *form == '~';
			form += skips;
			const size_t n = strcspn(form, "%<~$");
			const bool words = skips && c->at == out->words;
			fit = skips ? skip_past(c, form, n) : take(c, form, n);
			if (fit && words)
				out->words_bytes = (size_t)(c->at - out->words) - n;
			form += n;
		}
	}
	return fit;
}

/* Parses what follows the last "NCCL INFO " or "NCCL WARN ": a line may be torn, with another one after
 * its first half. The version line may have no head, or only a time in brackets. */
void nccl_log_line_read(const char *text, size_t bytes, struct nccl_log_line *out)
{
	static const char info[] = " NCCL INFO ", warn[] = " NCCL WARN ";
	struct cursor message = {text, text + bytes, 0}, c;
	bool headed = false;
	if (bytes && text[bytes - 1] == '\r')
		message.end--;
	while (skip_past(&message, info, strlen(info)) || skip_past(&message, warn, strlen(warn)))
		headed = true;
	if (!headed && take(&message, "[", 1))
		skip_past(&message, "] ", 2);
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		*out = (struct nccl_log_line){.kind = forms[i].kind};
		c = message;
		if (fits(forms[i].text, &c, out) && (headed || out->kind == LOG_VERSION))
			return;
	}
	*out = (struct nccl_log_line){.kind = LOG_OTHER};
}

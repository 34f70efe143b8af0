#include "nccl_log_line.h"

#include <string.h>

#include "../../trial/path.h"

/* NCCL's MAXCHANNELS; 32 before 2.23. */
#define MAX_CHANNELS 64

struct cursor {
	const char *at, *end;
};

static bool take(struct cursor *c, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n))
		return false;
	c->at += n;
	return true;
}

/* Up to 7 digits: no job has more ranks. */
static bool take_number(struct cursor *c, unsigned *out)
{
	unsigned n = 0, digits = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, digits++)
		if (digits < 7)
			n = n * 10 + (unsigned)(*c->at - '0');
	if (digits < 1 || digits > 7)
		return false;
	*out = n;
	return true;
}

/* Any number of bytes. */
static bool take_wide(struct cursor *c, unsigned long long *out)
{
	unsigned long long n = 0;
	unsigned digits = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, digits++)
		if (digits < 18)
			n = n * 10 + (unsigned)(*c->at - '0');
	*out = n;
	return digits >= 1 && digits <= 18;
}

static bool take_any(struct cursor *c, const char *allowed)
{
	const char *from = c->at;
	while (c->at < c->end && *c->at && strchr(allowed, *c->at))
		c->at++;
	return c->at > from;
}

/* Skips up to the end of the first `word`. */
static bool skip_past(struct cursor *c, const char *word)
{
	const char *found = memmem(c->at, (size_t)(c->end - c->at), word, strlen(word));
	if (found)
		c->at = found + strlen(word);
	return found;
}

static bool has(struct cursor c, const char *word)
{
	return skip_past(&c, word);
}

/* "3[1]": a rank and its device, decimal since 2.18, a PCI bus number in hex before. */
static bool take_rank(struct cursor *c, unsigned *rank)
{
	return take_number(c, rank) && take(c, "[") && take_any(c, "0123456789abcdef") &&
	       take(c, "]");
}

static bool take_p2p(struct cursor *c)
{
	unsigned n;
	bool known = take(c, "direct pointer") || take(c, "CUMEM") || take(c, "MNNVL") ||
	             take(c, "IPC") || (take(c, "indirect/") && take_rank(c, &n));
	(void)(known && take(c, "/read"));
	(void)(known && take(c, "/CE"));
	return known;
}

static bool take_shm(struct cursor *c)
{
	return (take(c, "direct") || take(c, "CE")) && take(c, "/") &&
	       (take(c, "direct") || take(c, "CE"));
}

/* A plugin names its network itself, maybe with spaces. The rank whose proxy sends is in parentheses;
 * "(PCI)" since 2.26. */
static bool take_net(struct cursor *c)
{
	unsigned n;
	while (c->at < c->end && *c->at != '/' && *c->at != ':' && *c->at >= ' ' && *c->at <= '~')
		c->at++;
	if (!take(c, "/") || !take_number(c, &n))
		return false;
	if (take(c, "(") && !(take_number(c, &n) && take(c, ")")))
		return false;
	if (take(c, "/GDRDMA"))
		take(c, "(PCI)");
	take(c, "/Shared");
	return true;
}

/* The whole rest must be a name that NCCL gives: half a name may be a prefix of another one. */
static bool take_via(struct cursor *c)
{
	if (take(c, "P2P/"))
		return take_p2p(c) && c->at == c->end;
	if (take(c, "SHM/"))
		return take_shm(c) && c->at == c->end;
	return take(c, "NET/") && take_net(c) && c->at == c->end;
}

/* "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM"; SHM's line has no connection. Rings are listed
 * as "Channel 00/24 : 0 1 2 3". */
static void read_channel(struct cursor c, struct nccl_log_line *out)
{
	unsigned connection = 0;
	bool ok;
	if (!has(c, " via "))
		return;
	out->kind = LOG_UNREAD;
	out->connection = -1;
	if (!take_number(&c, &out->channel) || out->channel >= MAX_CHANNELS)
		return;
	if (take(&c, "/")) {
		if (!take_number(&c, &connection) || connection > 1)
			return;
		out->connection = (int)connection;
	}
	ok = take(&c, " : ") && take_rank(&c, &out->from) && take(&c, " -> ") &&
	     take_rank(&c, &out->to);
	(void)(ok && (take(&c, " [send]") || take(&c, " [receive]")));
	if (!ok || !take(&c, " via "))
		return;
	out->words = c.at;
	out->words_bytes = (size_t)(c.end - c.at);
	if (out->words_bytes < PATH_VIA_BYTES && take_via(&c))
		out->kind = LOG_LINK;
}

static bool take_reg(struct cursor *c, enum nccl_reg *out)
{
	static const char *const names[NCCL_REG_KINDS] = {"IPC ", "NET ", "NVLS ", "COLLNET "};
	for (int k = 0; k < NCCL_REG_KINDS; k++) {
		if (!take(c, names[k]))
			continue;
		*out = (enum nccl_reg)k;
		return true;
	}
	return false;
}

/* "failed to IPC register userbuff 0x… buffSize 4096 nPeers 1 isLegacyIpc 0 type POSIX_FD": NCCL says
 * no more about the cause than what follows the size. A warning in 2.24 and 2.25. */
static void read_failure(struct cursor c, struct nccl_log_line *out)
{
	if (skip_past(&c, " buffSize ") && take_any(&c, "0123456789") && take_any(&c, ", ")) {
		out->words = c.at;
		out->words_bytes = (size_t)(c.end - c.at);
	}
	out->kind = LOG_FAILED;
}

/* "rank 3 - IPC register buffer 0x… size 4096 (…) to peer 5 regAddr 0x…": "local register" and
 * "graph register" in 2.23, "registered" in 2.26; "registering" is only the attempt. The
 * address after the peer shows that the peer's number is complete. */
static void read_opening(struct cursor c, struct nccl_log_line *out)
{
	if (out->reg == NCCL_REG_IPC) {
		if (!take(&c, "local "))
			take(&c, "graph ");
		if (!take(&c, "register buffer ") && !take(&c, "registered buffer ") &&
		    !take(&c, "reuse buffer "))
			return;
		out->has_peer = skip_past(&c, " to peer ") && take_number(&c, &out->to) &&
		                take(&c, " regAddr ");
		out->kind = out->has_peer ? LOG_OPENED : LOG_UNREAD;
	} else if (out->reg == NCCL_REG_NET || out->reg == NCCL_REG_COLLNET) {
		if (take(&c, "register userbuff ") || take(&c, "reuse "))
			out->kind = LOG_OPENED;
	}
}

static void read_rank(struct cursor c, struct nccl_log_line *out)
{
	if (!take_number(&c, &out->from) || !take(&c, " "))
		return;
	if (take(&c, "- ")) {
		if (!take_reg(&c, &out->reg))
			return;
		if (take(&c, "failed to register userbuff ")) /* COLLNET */
			read_failure(c, out);
		else
			read_opening(c, out);
	} else if (take(&c, "failed to ")) {
		if (take_reg(&c, &out->reg) && take(&c, "register "))
			read_failure(c, out);
	} else if (take(&c, "successfully registered collNet ")) {
		out->reg = NCCL_REG_COLLNET;
		out->kind = LOG_OPENED;
	} else if ((take(&c, "successfully ") || take(&c, "reuse ")) &&
	           (take(&c, "local-registered NVLS ") || take(&c, "registered NVLS ") ||
	            take(&c, "graph-registered sendbuff "))) {
		out->reg = NCCL_REG_NVLS;
		out->kind = LOG_OPENED;
	}
}

/* "(LocalRegister=0, P2pUsesMemcpy=0)", since 2.28.9. */
static void read_skipped(struct cursor c, struct nccl_log_line *out)
{
	out->kind = LOG_SKIPPED;
	if (!skip_past(&c, "("))
		return;
	out->words = c.at;
	while (c.at < c.end && *c.at != ')')
		c.at++;
	out->words_bytes = (size_t)(c.at - out->words);
}

/* "NCCL version 2.28.3+cuda13.0"; other lines contain the words too, but do not begin with them. */
static void read_version(struct cursor c, struct nccl_log_line *out)
{
	out->words = c.at;
	if (!take_any(&c, "0123456789."))
		return;
	out->words_bytes = (size_t)(c.at - out->words);
	out->kind = LOG_VERSION;
}

/* "16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 16 p2p channels per
 * peer"; no collnet before 2.21. */
static void read_channels(struct cursor c, struct nccl_log_line *out)
{
	static const char *const names[] = {" coll channels", " p2p channels per peer",
	                                    " p2p channels"};
	static const unsigned places[] = {0, 2, 1};
	unsigned long long n;
	while (take_wide(&c, &n)) {
		unsigned i = 0;
		while (i < 3 && !take(&c, names[i]))
			i++;
		if (i < 3)
			out->numbers[places[i]] = n;
		if (!skip_past(&c, ", "))
			break;
	}
	if (out->numbers[1] && c.at <= c.end)
		out->kind = LOG_CHANNELS;
}

/* "AllReduce: 67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}", since 2.24;
 * nccl_log.c joins its words. Earlier lines have numbers for words and no channels, and before 2.23
 * no collective. The bytes are those of the call's count: of AllGather and ReduceScatter one rank's
 * part. */
static void read_algorithm(struct cursor c, struct nccl_log_line *out)
{
	out->words = c.at;
	if (!skip_past(&c, ": ") || !take_wide(&c, &out->numbers[2]) || !take(&c, " Bytes"))
		return;
	if (!skip_past(&c, " -> Algo ") || !skip_past(&c, " proto ") ||
	    !skip_past(&c, " channel{Lo..Hi}={"))
		return;
	out->words_bytes = (size_t)(c.at - out->words);
	if (take_wide(&c, &out->numbers[0]) && take(&c, "..") && take_wide(&c, &out->numbers[1]) &&
	    take(&c, "}"))
		out->kind = LOG_ALGORITHM;
}

/* "NCCL_BUFFSIZE set by environment to 16777216.": values from a file (NCCL_CONF_FILE) are in
 * the environment by then. */
static void read_set(struct cursor c, struct nccl_log_line *out)
{
	static const char is[] = " set by environment to ";
	out->words = c.at;
	if (!take_any(&c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") || !take(&c, is))
		return;
	out->words_bytes = (size_t)(c.at - out->words);
	out->kind = LOG_SET;
}

static void read_message(struct cursor c, struct nccl_log_line *out)
{
	if (take(&c, "Channel "))
		read_channel(c, out);
	else if (take(&c, "rank "))
		read_rank(c, out);
	else if (take(&c, "register comm "))
		out->kind = LOG_ASKED;
	else if (take(&c, "Skipping registration ") || take(&c, "Skipping graph registration "))
		read_skipped(c, out);
	else if (take(&c, "NCCL version "))
		read_version(c, out);
	else if (take(&c, "P2P Chunksize set to ")) {
		if (take_wide(&c, &out->numbers[0]) && c.at == c.end)
			out->kind = LOG_CHUNK;
	} else if (has(c, " coll channels, "))
		read_channels(c, out);
	else if (has(c, " -> Algo "))
		read_algorithm(c, out);
	else if (has(c, " set by environment to "))
		read_set(c, out);
	else if (take(&c, "Init CE, rank ")) /* with the first such collective, since 2.28.3 */
		out->kind = LOG_COPY_ENGINE;
	else if (has(c, " [Copy Engine]: ")) /* each one, since 2.29.2 */
		out->kind = LOG_COPY_ENGINE;
	else if (has(c, " [Symmetric]: ") && skip_past(&c, " -> Kernel ")) {
		out->words = c.at;
		while (c.at < c.end && *c.at != ' ')
			c.at++;
		out->words_bytes = (size_t)(c.at - out->words);
		out->kind = LOG_SYMMETRIC;
	}
}

/* Parses what follows the last "NCCL INFO " or "NCCL WARN ": a line may be torn, with another one after
 * its first half. The version line may have no head, or only a time in brackets. */
void nccl_log_line_read(const char *text, size_t bytes, struct nccl_log_line *out)
{
	struct cursor c = {text, text + bytes}, message;
	bool headed = false;
	*out = (struct nccl_log_line){.kind = LOG_OTHER, .connection = -1};
	if (bytes && text[bytes - 1] == '\r')
		c.end--;
	message = c;
	while (skip_past(&message, " NCCL INFO ") || skip_past(&message, " NCCL WARN ")) {
		c = message;
		headed = true;
	}
	if (!headed) {
		if (take(&c, "[") && !skip_past(&c, "] "))
			return;
		if (!take(&c, "NCCL version "))
			return;
		read_version(c, out);
		return;
	}
	read_message(c, out);
}

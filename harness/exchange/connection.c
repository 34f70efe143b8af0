#include "connection.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <sys/socket.h>

#include "../clock.h"

#define MS_NS ((int64_t)1000000)

/* --- bytes in time ------------------------------------------------------------------------- */

int connection_wait(int fd, short events, int64_t deadline_ns)
{
	struct pollfd one = {.fd = fd, .events = events};
	for (;;) {
		const int64_t left = deadline_ns - clock_now_ns();
		const int64_t ms = left > 0 ? left / MS_NS + 1 : 0;
		int n = poll(&one, 1, ms > INT_MAX ? INT_MAX : (int)ms);
		if (n > 0 || (n < 0 && errno != EINTR))
			return 0; /* the call itself says what is wrong */
		if (left <= 0)
			return -1;
	}
}

bool connection_is_later(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static void authenticate(const struct connection_way *way, const void *data, size_t bytes,
                         uint8_t tag[CONNECTION_TAG_BYTES])
{
	const uint64_t place = htole64(way->messages);
	crypto_generichash_state state;
	crypto_generichash_init(&state, way->key, sizeof way->key, CONNECTION_TAG_BYTES);
	crypto_generichash_update(&state, (const uint8_t *)&place, sizeof place);
	crypto_generichash_update(&state, data, bytes);
	crypto_generichash_final(&state, tag, CONNECTION_TAG_BYTES);
}

int connection_move(struct connection *w, short way, void *data, size_t bytes, struct status *st)
{
	struct connection_way *at = way == POLLIN ? &w->in : &w->out;
	uint8_t tag[CONNECTION_TAG_BYTES];
	if (!bytes)
		return 1;
	if (way == POLLOUT && !at->moved)
		authenticate(at, data, bytes, at->tag);
	while (at->moved < bytes + sizeof tag) {
		const size_t left = at->moved < bytes ? bytes - at->moved : 0;
		const size_t of_tag = left ? 0 : at->moved - bytes;
		struct iovec parts[] = {{left ? (char *)data + at->moved : NULL, left},
		                        {at->tag + of_tag, sizeof tag - of_tag}};
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
		ssize_t n = way == POLLIN ? recvmsg(w->fd, &message, MSG_DONTWAIT)
		                          : sendmsg(w->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && connection_is_later(errno))
			return 0;
		if (n <= 0)
			return status_set(st, n ? "has left (%s)" : "has left", strerror(errno));
		at->moved += (size_t)n;
	}
	if (way == POLLIN) {
		authenticate(at, data, bytes, tag);
		if (sodium_memcmp(tag, at->tag, sizeof tag))
			return status_set(st, "sent what does not prove the secret");
	}
	at->moved = 0;
	at->messages++;
	return 1;
}

static int move_all(struct connection *w, short way, void *data, size_t bytes, int64_t deadline_ns,
                    struct status *st)
{
	int moved;
	while (!(moved = connection_move(w, way, data, bytes, st)))
		if (connection_wait(w->fd, way, deadline_ns))
			return status_set(st, way == POLLIN ? "said nothing in time"
			                                    : "took nothing in time");
	return moved < 0 ? -1 : 0;
}

int connection_send(struct connection *w, const void *data, size_t bytes, int64_t deadline_ns,
                    struct status *st)
{
	return move_all(w, POLLOUT, (void *)(uintptr_t)data, bytes, deadline_ns, st);
}

int connection_recv(struct connection *w, void *data, size_t bytes, int64_t deadline_ns,
                    struct status *st)
{
	return move_all(w, POLLIN, data, bytes, deadline_ns, st);
}

/* --- secrets -------------------------------------------------------------------------------- */

int connection_secret(char out[CONNECTION_SECRET_BYTES], struct status *st)
{
	uint8_t random[(CONNECTION_SECRET_BYTES - 1) / 2];
	if (sodium_init() < 0)
		return status_set(st, "the kernel gives no random numbers");
	randombytes_buf(random, sizeof random);
	sodium_bin2hex(out, CONNECTION_SECRET_BYTES, random, sizeof random);
	return 0;
}

void connection_prove(const char *secret, const void *said, size_t bytes, uint8_t *out,
                      size_t length)
{
	crypto_generichash(out, length, said, bytes, (const uint8_t *)secret, strlen(secret));
}

void connection_derive(const char *secret, const char *purpose, char out[CONNECTION_SECRET_BYTES])
{
	uint8_t made[(CONNECTION_SECRET_BYTES - 1) / 2];
	connection_prove(secret, purpose, strlen(purpose), made, sizeof made);
	sodium_bin2hex(out, CONNECTION_SECRET_BYTES, made, sizeof made);
}

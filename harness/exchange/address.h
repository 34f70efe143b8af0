/* "host:port", "[IPv6]:port", or the host alone, with the port below; several with commas between.
 * "" and "*" are all addresses of this host. */
#pragma once

#include <netdb.h>

#include "../status.h"

#define ADDRESS_BYTES 256 /* of a text with its 0 */
#define ADDRESS_PORT  29417

/* Whether a list has the form of one where somebody is reached. */
int address_check(const char *list, struct status *st);
/* The next of a list; moves *list past it. May block as long as name servers do. */
int address_resolve(const char **list, struct addrinfo **out, struct status *st);
/* Whether the text names all addresses of this host, and then at which port. */
bool address_is_any(const char *text, char port[8]);
/* The same port at all addresses of this host; or at loopback alone, if the text names that. */
int address_to_listen(const char *text, char out[ADDRESS_BYTES], struct status *st);
/* "ip:port"; "?" if the kernel does not know it. Of the socket itself, or of its peer. */
void address_of(int fd, bool peer, char text[ADDRESS_BYTES]);
/* Where others reach a socket that listens everywhere: containers' bridges last, then loopback. */
void address_list(int fd, char text[ADDRESS_BYTES]);

/* SPDX-License-Identifier: Apache-2.0 */
/* Redirects a program's connections from OSDs to relays; used with LD_PRELOAD.
 *
 * CEPH_RELAY_MAP is a comma-separated list of OSD=RELAY, each an IPv4 address and a port:
 * 127.0.0.1:6801=127.0.0.1:7801. A Ceph client gets the address of an OSD from the monitor's map,
 * and its peer must announce the same address. The relay passes on the OSD's announcement, so it
 * cannot be configured in Ceph, but it can be inserted here. Other connections are unchanged. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Reads one ADDRESS:PORT at `text` that ends at one of `ends`. Returns the end of the address, or
 * NULL. */
static const char* read_address(const char* text, const char* ends, struct sockaddr_in* address) {
  char host[INET_ADDRSTRLEN];
  const size_t length = strcspn(text, ends);
  const char* const colon = memchr(text, ':', length);
  char* end;
  if (colon == NULL || (size_t)(colon - text) >= sizeof host) return NULL;
  memcpy(host, text, (size_t)(colon - text));
  host[colon - text] = '\0';
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  const unsigned long port = strtoul(colon + 1, &end, 10);
  if (end != text + length || end == colon + 1 || port > 65535) return NULL;
  address->sin_port = htons((in_port_t)port);
  return inet_pton(AF_INET, host, &address->sin_addr) == 1 ? end : NULL;
}

/* Finds `wanted` in the map. The search ends at the first malformed entry. */
static int find_relay(const struct sockaddr_in* wanted, struct sockaddr_in* relay) {
  const char* rest = getenv("CEPH_RELAY_MAP");
  while (rest != NULL && *rest != '\0') {
    struct sockaddr_in osd;
    rest = read_address(rest, "=", &osd);
    if (rest == NULL || *rest != '=') return 0;
    rest = read_address(rest + 1, ",", relay);
    if (rest == NULL) return 0;
    if (osd.sin_port == wanted->sin_port && osd.sin_addr.s_addr == wanted->sin_addr.s_addr)
      return 1;
    if (*rest == ',') ++rest;
  }
  return 0;
}

__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr* address,
                                                   socklen_t length) {
  int (*const real)(int, const struct sockaddr*, socklen_t) =
      (int (*)(int, const struct sockaddr*, socklen_t))dlsym(RTLD_NEXT, "connect");
  struct sockaddr_in relay;
  if (real == NULL) {
    errno = ENOSYS;
    return -1;
  }
  if (address != NULL && address->sa_family == AF_INET && length >= sizeof relay &&
      find_relay((const struct sockaddr_in*)address, &relay)) {
    return real(fd, (const struct sockaddr*)&relay, sizeof relay);
  }
  return real(fd, address, length);
}

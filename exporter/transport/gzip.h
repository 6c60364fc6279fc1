// SPDX-License-Identifier: Apache-2.0
// Compresses the bodies of requests (gzip: RFC 1952), fast rather than small.
//
// Not synchronised. Owns some 300 KB, and a buffer that grows to the largest body seen.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_GZIP_H
#define TRACEKIN_EXPORTER_TRANSPORT_GZIP_H

#include <zlib.h>

#include <string>
#include <string_view>

namespace tracekin {

class Gzip {
 public:
  /// Throws std::bad_alloc.
  Gzip();
  ~Gzip();

  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Valid until the next call. Throws std::bad_alloc. REQUIRES: less than 4 GiB.
  const std::string& Compress(std::string_view body);

 private:
  z_stream stream_{};
  std::string compressed_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_GZIP_H

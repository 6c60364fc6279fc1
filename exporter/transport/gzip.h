// SPDX-License-Identifier: Apache-2.0
// Compresses request bodies (gzip: RFC 1952), for speed rather than size.
//
// Thread-safety: none. Owns about 300 KB, and a buffer that grows to the size of the largest body.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_GZIP_H
#define TRACEKIN_EXPORTER_TRANSPORT_GZIP_H

#include <zlib.h>

#include <string>
#include <string_view>

namespace tracekin::exporter {

class Gzip {
 public:
  /// Throws std::bad_alloc.
  Gzip();
  ~Gzip();

  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Returns the compressed body, which is valid until the next call. Throws std::bad_alloc.
  /// REQUIRES: `body` is smaller than 4 GiB.
  const std::string& Compress(std::string_view body);

 private:
  z_stream stream_{};
  std::string compressed_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_GZIP_H

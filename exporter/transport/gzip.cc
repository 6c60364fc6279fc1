// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/gzip.h"

#include <new>

namespace tracekin::exporter {

namespace {

constexpr int kLevel = 1;
constexpr int kGzipHeader = 16;  // added to the window bits to get a gzip header
constexpr int kMemoryLevel = 8;  // zlib's default

}  // namespace

Gzip::Gzip() {
  if (deflateInit2(&stream_, kLevel, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gzip::~Gzip() { deflateEnd(&stream_); }

const std::string& Gzip::Compress(std::string_view body) {
  deflateReset(&stream_);
  compressed_.resize(deflateBound(&stream_, body.size()));
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream_.avail_in = static_cast<uInt>(body.size());
  stream_.next_out = reinterpret_cast<Bytef*>(compressed_.data());
  stream_.avail_out = static_cast<uInt>(compressed_.size());
  deflate(&stream_, Z_FINISH);  // cannot fail: deflateBound() leaves enough room
  compressed_.resize(stream_.total_out);
  return compressed_;
}

}  // namespace tracekin::exporter

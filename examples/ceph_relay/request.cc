// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace {

constexpr std::size_t kTraceEnd = 87;  // in MOSDOp: the part before it has a fixed length
constexpr std::size_t kClientIncarnationAndTime = 12;
constexpr std::size_t kOperation = 38;  // struct ceph_osd_op
constexpr unsigned kMaxNamed = 4;
constexpr std::size_t kMaxObjectName = 256;

// The sizes of fields that follow the object's name in MOSDOpReply.
constexpr std::size_t kPg = 17;
constexpr std::size_t kFlags = 8;

// Takes little-endian fields from the front. Past the end it returns zeros.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  bool whole() const { return whole_; }

  std::string_view Take(std::uint64_t size) {
    if (size > rest_.size()) {
      whole_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::uint64_t Integer(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = Take(size);
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  std::string_view Struct() {
    Take(2);
    return Take(Integer(4));
  }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

// The operations that clients use most, from Ceph 16, src/include/rados.h.
struct Name {
  unsigned code;
  const char* name;
};
constexpr Name kNames[] = {
    {0x1201, "read"},
    {0x1202, "stat"},
    {0x1205, "sparse-read"},
    {0x1206, "notify"},
    {0x1207, "notify-ack"},
    {0x1211, "omap-get-keys"},
    {0x1212, "omap-get-vals"},
    {0x1213, "omap-get-header"},
    {0x1214, "omap-get-vals-by-key"},
    {0x1301, "getxattr"},
    {0x1302, "getxattrs"},
    {0x1401, "call"},
    {0x1501, "pgls"},
    {0x1505, "pgnls"},
    {0x2201, "write"},
    {0x2202, "writefull"},
    {0x2203, "truncate"},
    {0x2204, "zero"},
    {0x2205, "delete"},
    {0x2206, "append"},
    {0x220d, "create"},
    {0x220f, "watch"},
    {0x2215, "omap-set-vals"},
    {0x2216, "omap-set-header"},
    {0x2301, "setxattr"},
    {0x2223, "set-alloc-hint"},
    {0x2226, "writesame"},
};

void AppendName(unsigned code, std::string* names) {
  if (!names->empty()) *names += ',';
  const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                  [code](const Name& name) { return name.code == code; });
  if (known != std::end(kNames)) {
    *names += known->name;
    return;
  }
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%04x", code & 0xffff);
  *names += hex;
}

}  // namespace

bool ReadRequest(std::uint16_t version, std::string_view front, Request* request) {
  if (version != 8 && version != 9) return false;
  Fields fields(front);
  fields.Take(kTraceEnd);
  if (version == 9) fields.Struct();  // the OpenTelemetry block
  fields.Take(kClientIncarnationAndTime);
  Fields locator(fields.Struct());
  request->pool = static_cast<std::int64_t>(locator.Integer(8));
  request->object = fields.Take(fields.Integer(4)).substr(0, kMaxObjectName);
  const std::uint64_t operations = fields.Integer(2);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(operations, kMaxNamed); ++i) {
    const std::string_view operation = fields.Take(kOperation);
    if (!fields.whole()) return false;
    AppendName(static_cast<unsigned>(Fields(operation).Integer(2)), &request->operations);
  }
  if (operations > kMaxNamed) request->operations += ",...";
  return fields.whole() && locator.whole();
}

bool ReadResult(std::string_view front, std::int32_t* result) {
  Fields fields(front);
  fields.Take(fields.Integer(4));
  fields.Take(kPg + kFlags);
  *result = static_cast<std::int32_t>(fields.Integer(4));
  return fields.whole();
}

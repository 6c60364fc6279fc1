// SPDX-License-Identifier: Apache-2.0
// Fronts of messages that a real cluster sent, without a context.
#ifndef TRACEKIN_TESTS_PROPAGATION_CEPH_FRONTS_H
#define TRACEKIN_TESTS_PROPAGATION_CEPH_FRONTS_H

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/propagation/heap_bytes.h"
#include "tracekin/ceph.h"

namespace tracekin {

struct CephFront {
  CephMessageHeader header;
  std::string front;
};

/// Returns the fronts of ceph_fronts.txt, with all eight types. The first one belongs to a MOSDOp
/// of version 8.
inline std::vector<CephFront> RealCephFronts() {
  std::ifstream file(TRACEKIN_CEPH_FRONTS);
  std::vector<CephFront> fronts;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    CephFront message;
    std::string hex;
    fields >> message.header.type >> message.header.version >> hex;
    message.front = FromHex(hex);
    fronts.push_back(message);
  }
  return fronts;
}

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_PROPAGATION_CEPH_FRONTS_H

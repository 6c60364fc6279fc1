// SPDX-License-Identifier: Apache-2.0
// Reads traces with libbabeltrace2; see source.h.
#ifndef TRACEKIN_CTF_BABELTRACE_SOURCE_H
#define TRACEKIN_CTF_BABELTRACE_SOURCE_H

#include <memory>
#include <string>
#include <vector>

#include "ctf/source.h"

namespace tracekin::ctf {

/// Opens the traces in `folders`, which FindTraces() returned. Stores `why` in Found::why. Throws
/// ReadError.
std::unique_ptr<Source> OpenBabeltrace2(const std::vector<std::string>& folders,
                                        const std::string& why);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_SOURCE_H

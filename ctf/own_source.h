// SPDX-License-Identifier: Apache-2.0
// Reads traces with the project's own reader; see source.h.
#ifndef TRACEKIN_CTF_OWN_SOURCE_H
#define TRACEKIN_CTF_OWN_SOURCE_H

#include <memory>
#include <string>
#include <vector>

#include "ctf/source.h"

namespace tracekin::ctf {

/// Opens the traces in `folders`, which FindTraces() returned. Throws ReadError. Throws
/// NotUnderstood, naming the folder, if the reader does not understand all of a trace's metadata.
std::unique_ptr<Source> OpenOwn(const std::vector<std::string>& folders);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_OWN_SOURCE_H

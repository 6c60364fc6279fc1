// SPDX-License-Identifier: Apache-2.0
// Our own way of reading traces: see source.h.
#ifndef TRACEKIN_CTF_OWN_SOURCE_H
#define TRACEKIN_CTF_OWN_SOURCE_H

#include <memory>
#include <string>
#include <vector>

#include "ctf/source.h"

namespace tracekin::ctf {

/// For the traces in `folders`, as FindTraces() gives them. Throws NotUnderstood, with the folder,
/// if the metadata of one has anything that our reader does not know; ReadError.
std::unique_ptr<Source> OpenOwn(const std::vector<std::string>& folders);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_OWN_SOURCE_H

// SPDX-License-Identifier: Apache-2.0
// Reads metadata in the Trace Stream Description Language (Common Trace Format 1.8.3, section 7 and
// appendix C), as far as LTTng and babeltrace2 use it.
//
// Everything that affects the layout of a trace is either understood or rejected, so a trace is
// never read with a guessed layout.
//
// Thread-safety: the function is pure. Any thread may call it.
#ifndef TRACEKIN_CTF_TSDL_H
#define TRACEKIN_CTF_TSDL_H

#include <string_view>

#include "ctf/type.h"

namespace tracekin::ctf {

/// Parses metadata. Throws NotUnderstood, naming the line, if `text` is not valid or not supported.
/// Does not support big-endian traces, definitions that hide others, fields that are selected by
/// dotted paths, and arrays of arrays.
Metadata ParseMetadata(std::string_view text);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TSDL_H

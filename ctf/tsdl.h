// SPDX-License-Identifier: Apache-2.0
// Reads metadata in the Trace Stream Description Language (Common Trace Format 1.8.3, section 7 and
// appendix C), as far as LTTng and babeltrace2 use it.
//
// Everything that changes the layout of a trace is either understood or refused. So a trace is
// never read with a layout that was guessed.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_CTF_TSDL_H
#define TRACEKIN_CTF_TSDL_H

#include <string_view>

#include "ctf/type.h"

namespace tracekin::ctf {

/// Throws NotUnderstood, with the line, for what is wrong and for what is outside of the subset:
/// big-endian traces, definitions that hide others, fields that are chosen by dotted paths, arrays
/// of arrays.
Metadata ParseMetadata(std::string_view text);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TSDL_H

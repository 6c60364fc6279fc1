// SPDX-License-Identifier: Apache-2.0
// Reads the file `metadata` of a trace. It contains text in the Trace Stream Description Language,
// which LTTng divides into packets (Common Trace Format 1.8.3, section 7.1).
//
// Thread-safety: the functions only access their arguments and the file.
#ifndef TRACEKIN_CTF_METADATA_FILE_H
#define TRACEKIN_CTF_METADATA_FILE_H

#include <string>
#include <string_view>

namespace tracekin::ctf {

/// Returns the text in `bytes`, and removes the packet headers if there are any. Throws
/// NotUnderstood if the packets are compressed, encrypted or inconsistent, or if their byte order
/// is not that of this machine.
std::string MetadataText(std::string_view bytes);

/// Returns the text of the metadata in `folder`. Throws the same as MetadataText, and ReadError if
/// the file cannot be read.
std::string ReadMetadata(const std::string& folder);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_METADATA_FILE_H

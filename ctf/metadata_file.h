// SPDX-License-Identifier: Apache-2.0
// The file `metadata` of a trace: text in the Trace Stream Description Language, which LTTng puts
// into packets (Common Trace Format 1.8.3, section 7.1).
//
// Thread-safety: functions of their arguments and the file.
#ifndef TRACEKIN_CTF_METADATA_FILE_H
#define TRACEKIN_CTF_METADATA_FILE_H

#include <string>
#include <string_view>

namespace tracekin::ctf {

/// The text in `bytes`, out of its packets if there are any. Throws NotUnderstood if the packets
/// are of another byte order than this machine's, are compressed or encrypted, or do not fit
/// together.
std::string MetadataText(std::string_view bytes);

/// The text of the metadata in `folder`. Throws as MetadataText does; ReadError if it cannot be
/// read.
std::string ReadMetadata(const std::string& folder);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_METADATA_FILE_H

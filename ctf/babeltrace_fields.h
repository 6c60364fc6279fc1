// SPDX-License-Identifier: Apache-2.0
// Extracts the wanted fields from the events of libbabeltrace2.
//
// The path of members that leads to a field is looked up once per class of events.
//
// Thread-safety: one thread at a time, like the objects of libbabeltrace2.
#ifndef TRACEKIN_CTF_BABELTRACE_FIELDS_H
#define TRACEKIN_CTF_BABELTRACE_FIELDS_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "ctf/babeltrace.h"
#include "ctf/program.h"

namespace tracekin::ctf {

class BabeltraceFields {
 public:
  BabeltraceFields() = default;
  /// `type` is a struct, or null. Ignores wanted fields that the struct does not have.
  BabeltraceFields(const bt_field_class* type, const std::vector<Wanted>& wanted);

  /// Stores the values of `field`, which is a struct of that class, in the same way as Run() of
  /// program.h.
  void Take(const bt_field* field, Values* values) const;

 private:
  // The members of structs and options of variants that lead to a field, from the outermost
  // inwards.
  struct Getter {
    std::vector<std::uint64_t> path;
    Wanted wanted;
    bool always;  // true if the path contains no variant
  };
  std::vector<Getter> getters_;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_FIELDS_H

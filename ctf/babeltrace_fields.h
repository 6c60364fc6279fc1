// SPDX-License-Identifier: Apache-2.0
// Takes the wanted fields out of libbabeltrace2's events.
//
// Which members lead to a field is found once for each class of events.
//
// Thread-safety: one thread at a time, as libbabeltrace2's objects.
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
  /// `type` is a struct, or null. Of `wanted`, what the struct does not have is left out.
  BabeltraceFields(const bt_field_class* type, const std::vector<Wanted>& wanted);

  /// Puts the values of `field`, a struct of that class, where Run() of program.h would.
  void Take(const bt_field* field, Values* values) const;

 private:
  // Members of structs and options of variants, from the outermost inwards.
  struct Getter {
    std::vector<std::uint64_t> path;
    Wanted wanted;
    bool always;  // no variant is on the way
  };
  std::vector<Getter> getters_;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_FIELDS_H

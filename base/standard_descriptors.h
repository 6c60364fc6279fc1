// SPDX-License-Identifier: Apache-2.0
// Keeps the exporter's descriptors away from the numbers 0, 1 and 2.
//
// A daemon may have closed its standard input, output and error. The next descriptors that are
// opened then get these numbers. Any code that writes to standard error would write to a collector
// or into a file of spans.
//
// Thread-safety: any thread may use these functions and objects, and several objects may exist at
// the same time.
#ifndef TRACEKIN_BASE_STANDARD_DESCRIPTORS_H
#define TRACEKIN_BASE_STANDARD_DESCRIPTORS_H

namespace tracekin {

/// Takes ownership of the result of open() or socket(), with close-on-exec set. Returns it, or a
/// copy with a higher number if it is 0, 1 or 2. Returns -1 and sets errno if it is -1 or cannot be
/// copied.
int AboveStandardDescriptors(int descriptor) noexcept;

/// Occupies those of the three numbers that are closed, during its lifetime. Use it around calls of
/// libraries that open descriptors. The occupied descriptors lead nowhere: reading fails with
/// EAGAIN, and writing with ENOTCONN. If the host opens its own standard descriptors during that
/// time, by closing the number first, it keeps them. The last of several concurrent objects closes
/// the descriptors.
class StandardDescriptorsTaken {
 public:
  StandardDescriptorsTaken() noexcept;
  ~StandardDescriptorsTaken();
  StandardDescriptorsTaken(const StandardDescriptorsTaken&) = delete;
  StandardDescriptorsTaken& operator=(const StandardDescriptorsTaken&) = delete;
};

/// Closes the descriptors that threads of the parent had occupied. REQUIRES: called in the child of
/// a fork while it has one thread.
void GiveBackStandardDescriptorsAfterFork() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_STANDARD_DESCRIPTORS_H

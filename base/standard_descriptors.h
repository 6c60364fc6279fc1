// SPDX-License-Identifier: Apache-2.0
// Keeps what the exporter opens away from the numbers 0, 1 and 2.
//
// A daemon may have closed its standard input, output and error. The next descriptors that are
// opened get their numbers, and whatever in the process writes to standard error would write to a
// collector or into a file of spans.
//
// Thread-safety: any thread, and any number of them at once.
#ifndef TRACEKIN_BASE_STANDARD_DESCRIPTORS_H
#define TRACEKIN_BASE_STANDARD_DESCRIPTORS_H

namespace tracekin {

/// Takes what open() or socket() has returned, with close-on-exec set. Returns it, or a copy with
/// another number in place of 0, 1 or 2. Returns -1, with errno set, if it is -1 or cannot be copied.
int AboveStandardDescriptors(int descriptor) noexcept;

/// For the time of a call of a library that opens descriptors by itself: those of the three that are
/// closed are taken. They lead nowhere: reading fails with EAGAIN, and writing with ENOTCONN. A host
/// that opens its own standard descriptors meanwhile, by closing the number first, keeps them. What
/// several threads take is given back by the last of them.
class StandardDescriptorsTaken {
 public:
  StandardDescriptorsTaken() noexcept;
  ~StandardDescriptorsTaken();
  StandardDescriptorsTaken(const StandardDescriptorsTaken&) = delete;
  StandardDescriptorsTaken& operator=(const StandardDescriptorsTaken&) = delete;
};

/// Gives back what threads of the parent had taken. REQUIRES: called in the child of a fork, while it
/// has one thread.
void GiveBackStandardDescriptorsAfterFork() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_STANDARD_DESCRIPTORS_H

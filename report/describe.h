// SPDX-License-Identifier: Apache-2.0
// Describes a part of a span's time as a phrase, which names the thread's activity or the cause of
// its wait.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_REPORT_DESCRIBE_H
#define TRACEKIN_REPORT_DESCRIBE_H

#include <string>

#include "analysis/engine.h"

namespace tracekin::report {

/// Returns a phrase such as "waited for the futex 0x55d0c0 of shop/4711 (shop: order 68557226)".
/// Parts with the same phrase can be added up.
std::string Describe(const analysis::Engine& engine, const analysis::Part& part);

/// Returns a phrase for all parts of the same kind. It names threads and operations, but neither
/// thread ids nor spans nor the temporary ports of clients.
std::string DescribeKind(const analysis::Engine& engine, const analysis::Part& part);

/// Returns the kernel's name of the disk, or its numbers, such as "254:0", if the name is unknown.
std::string DiskName(const analysis::Engine& engine, const analysis::Part& part);

/// Returns the sender's address, such as "192.0.2.1:80", or "" if the packet is unknown.
std::string PeerName(const analysis::Engine& engine, const analysis::Part& part);

/// Returns the name of an interruption, such as "irq eth0", "softirq NET_RX", "timer" or "vector
/// local_timer".
std::string InterruptName(const analysis::Engine& engine, const analysis::Part& part);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_DESCRIBE_H

// SPDX-License-Identifier: Apache-2.0
// A part of a span's time as a phrase: what the thread did, or what it waited for.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_REPORT_DESCRIBE_H
#define TRACEKIN_REPORT_DESCRIBE_H

#include <string>

#include "analysis/engine.h"

namespace tracekin::report {

/// Such as "waited for the futex 0x55d0c0 of shop/4711 (shop: order 68557226)". Parts with the same
/// phrase can be added up.
std::string Describe(const analysis::Engine& engine, const analysis::Part& part);

/// A disk as the kernel names it, or "254:0".
std::string DiskName(const analysis::Engine& engine, const analysis::Part& part);

/// "192.0.2.1:80", or "" if the packet is not known.
std::string PeerName(const analysis::Engine& engine, const analysis::Part& part);

/// "irq eth0", "softirq NET_RX", "timer" or "vector local_timer".
std::string InterruptName(const analysis::Engine& engine, const analysis::Part& part);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_DESCRIBE_H

// SPDX-License-Identifier: Apache-2.0
// BlkKin's C++ API in Ceph's dialect (ceph/blkin, the version that Ceph's releases pin). Its values
// borrow their text unless they are told to copy it.
//
// Header only, built on <zipkin_c.h>. Thread-safety: any thread may use an endpoint or record to a
// trace as long as no other thread changes it.
#ifndef TRACEKIN_BLKIN_CEPH_ZTRACER_HPP
#define TRACEKIN_BLKIN_CEPH_ZTRACER_HPP

#include <string>

#include "zipkin_c.h"

namespace ZTracer {

using std::string;

using ::CLIENT_RECV;
using ::CLIENT_RECV_FRAGMENT;
using ::CLIENT_SEND;
using ::CLIENT_SEND_FRAGMENT;
using ::SERVER_RECV;
using ::SERVER_RECV_FRAGMENT;
using ::SERVER_SEND;
using ::SERVER_SEND_FRAGMENT;
using ::WIRE_RECV;
using ::WIRE_SEND;

/// See blkin_init.
static inline int ztrace_init() { return blkin_init(); }

/// The place of an event. Must outlive the traces that refer to it.
class Endpoint : private blkin_endpoint {
 public:
  /// Address 0.0.0.0, port 0. Borrows the name.
  Endpoint(const char* endpoint_name) { blkin_init_endpoint(this, "0.0.0.0", 0, endpoint_name); }

  /// Borrows ip and name.
  Endpoint(const char* endpoint_ip, int endpoint_port, const char* endpoint_name) {
    blkin_init_endpoint(this, endpoint_ip, static_cast<int16_t>(endpoint_port), endpoint_name);
  }

  Endpoint(const Endpoint& other) : blkin_endpoint(other), ip_(other.ip_), name_(other.name_) {
    UseCopies(other);
  }
  const Endpoint& operator=(const Endpoint& other) {
    blkin_endpoint::operator=(other);
    ip_ = other.ip_;
    name_ = other.name_;
    UseCopies(other);
    return *this;
  }

  void copy_ip(const string& new_ip) {
    ip_ = new_ip;
    ip = ip_.c_str();
  }
  void copy_name(const string& new_name) {
    name_ = new_name;
    name = name_.c_str();
  }
  /// Copies the ip and port of another endpoint, which may be destroyed afterwards.
  void copy_address_from(const Endpoint* endpoint) {
    copy_ip(endpoint->ip);
    port = endpoint->port;
  }
  /// Same as copy_address_from, but borrows the ip.
  void share_address_from(const Endpoint* endpoint) {
    ip = endpoint->ip;
    port = endpoint->port;
  }
  void set_port(int new_port) { port = static_cast<int16_t>(new_port); }

 private:
  friend class Trace;

  // After a copy, points to this object's copies of the text that the other endpoint owns.
  void UseCopies(const Endpoint& other) {
    if (other.ip == other.ip_.c_str()) ip = ip_.c_str();
    if (other.name == other.name_.c_str()) name = name_.c_str();
  }

  string ip_;    // in use if ip is a copy
  string name_;  // in use if name is a copy
};

/// A span. It is invalid and records nothing if it has no ids (after the default constructor) or a
/// trace_id of 0.
class Trace : private blkin_trace {
 public:
  Trace() : blkin_trace() {}

  /// See init().
  Trace(const char* trace_name, const Endpoint* ep, const Trace* parent = NULL) : blkin_trace() {
    init(trace_name, ep, parent);
  }
  Trace(const char* trace_name, const Endpoint* ep, const blkin_trace_info* i, bool child = false)
      : blkin_trace() {
    init(trace_name, ep, i, child);
  }

  Trace(const Trace& other) : blkin_trace(other), name_(other.name_) { UseCopy(other); }
  const Trace& operator=(const Trace& other) {
    blkin_trace::operator=(other);
    name_ = other.name_;
    UseCopy(other);
    return *this;
  }

  bool valid() const { return info.trace_id != 0; }
  operator bool() const { return valid(); }

  /// Starts a child of `parent`, or a root if that is NULL or was never given ids. A child of a
  /// trace that was not sampled is not sampled. Borrows name and endpoint.
  int init(const char* trace_name, const Endpoint* ep, const Trace* parent = NULL) {
    if (parent != NULL && parent->has_ids()) {
      return blkin_init_child(this, parent, ep != NULL ? ep : parent->endpoint, trace_name);
    }
    return blkin_init_new_trace(this, trace_name, ep);
  }

  /// Starts a child of the span with these ids, or represents that same span if `child` is false.
  /// Borrows the endpoint. Copies the name because Ceph's implementation ignored it, so callers may
  /// free it.
  int init(const char* trace_name, const Endpoint* ep, const blkin_trace_info* i,
           bool child = false) {
    copy_name(trace_name != NULL ? trace_name : "");
    if (child) return blkin_init_child_info(this, i, ep, name_.c_str());
    return blkin_set_trace_properties(this, i, name_.c_str(), ep);
  }

  void copy_name(const string& new_name) {
    name_ = new_name;
    name = name_.c_str();
  }

  const blkin_trace_info* get_info() const { return &info; }
  void set_info(const blkin_trace_info* i) { info = *i; }

  void keyval(const char* key, const char* val) const { keyval(key, val, NULL); }
  void keyval(const char* key, int64_t val) const { keyval(key, val, NULL); }
  void keyval(const char* key, const char* val, const Endpoint* ep) const {
    if (valid()) BLKIN_KEYVAL_STRING(this, ep, key, val)
  }
  void keyval(const char* key, int64_t val, const Endpoint* ep) const {
    if (valid()) BLKIN_KEYVAL_INTEGER(this, ep, key, val)
  }
  void event(const char* event) const { this->event(event, NULL); }
  void event(const char* event, const Endpoint* ep) const {
    if (valid()) BLKIN_TIMESTAMP(this, ep, event)
  }

 private:
  // An unsampled span has a span id but no trace id.
  bool has_ids() const { return valid() || info.span_id != 0; }

  void UseCopy(const Trace& other) {
    if (other.name == other.name_.c_str()) name = name_.c_str();
  }

  string name_;  // in use if name is a copy
};

}  // namespace ZTracer

#endif  // TRACEKIN_BLKIN_CEPH_ZTRACER_HPP

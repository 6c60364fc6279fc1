// SPDX-License-Identifier: Apache-2.0
// BlkKin's C++ API as its author published it (marioskogias/blkin, branch master). Traces and
// endpoints own their text and are held by boost::shared_ptr.
//
// Header only, built on <blkin-front.h>. Thread-safety: any thread may record to a trace as long as
// no other thread sets its ids.
#ifndef TRACEKIN_BLKIN_ORIGINAL_ZTRACER_HPP
#define TRACEKIN_BLKIN_ORIGINAL_ZTRACER_HPP

#include <boost/smart_ptr.hpp>
#include <sstream>
#include <string>

#include "blkin-front.h"

namespace ZTracer {

using std::string;

class ZTraceEndpoint;
class ZTrace;
typedef boost::shared_ptr<ZTraceEndpoint> ZTraceEndpointRef;
typedef boost::shared_ptr<ZTrace> ZTraceRef;

/// See blkin_init.
inline int ztrace_init() { return blkin_init(); }

class ZTraceEndpoint {
 public:
  ZTraceEndpoint(const string& ip, int port, const string& endpoint_name)
      : ip_(ip), name_(endpoint_name) {
    blkin_init_endpoint(&endpoint_, ip_.c_str(), port, name_.c_str());
  }

 private:
  friend class ZTrace;

  // This class is not copyable, because endpoint_ points to the text of this object.
  ZTraceEndpoint(const ZTraceEndpoint&);
  ZTraceEndpoint& operator=(const ZTraceEndpoint&);

  string ip_;
  string name_;
  blkin_endpoint endpoint_;
};

class ZTrace {
 public:
  /// Starts a root span.
  ZTrace(const string& name, ZTraceEndpointRef ep) : endpoint_(ep), name_(name) {
    blkin_init_new_trace(&trace_, name_.c_str(), Get(endpoint_));
  }

  /// Starts a child at the parent's endpoint.
  ZTrace(const string& name, ZTraceRef parent) : endpoint_(parent->endpoint_), name_(name) {
    blkin_init_child(&trace_, &parent->trace_, Get(endpoint_), name_.c_str());
  }

  /// Starts a child at another endpoint.
  ZTrace(const string& name, ZTraceRef parent, ZTraceEndpointRef ep) : endpoint_(ep), name_(name) {
    blkin_init_child(&trace_, &parent->trace_, Get(endpoint_), name_.c_str());
  }

  /// Starts a child of the span with these ids, or represents that same span if `child` is false.
  ZTrace(const string& name, ZTraceEndpointRef ep, struct blkin_trace_info* info,
         bool child = false)
      : trace_(), endpoint_(ep), name_(name) {
    trace_.name = name_.c_str();
    trace_.trace_endpoint = Get(endpoint_);
    if (child) {
      blkin_init_child_info(&trace_, info, Get(endpoint_), name_.c_str());
    } else {
      blkin_set_trace_info(&trace_, info);
    }
  }

  ZTraceEndpointRef get_endpoint() { return endpoint_; }

  /// Copies the ids of this trace to `info`.
  int get_trace_info(struct blkin_trace_info* info) { return blkin_get_trace_info(&trace_, info); }
  /// Sets the ids of this trace to those in `info`.
  int set_trace_info(struct blkin_trace_info* info) { return blkin_set_trace_info(&trace_, info); }

  // These return 0 even if nothing was recorded.
  int keyval(const char* key, const char* val) { return Keyval(key, val, endpoint_); }
  int keyval(const char* key, const char* val, ZTraceEndpointRef ep) {
    return Keyval(key, val, ep);
  }
  int keyval(const string& key, const string& val) {
    return Keyval(key.c_str(), val.c_str(), endpoint_);
  }
  int keyval(const string& key, const string& val, ZTraceEndpointRef ep) {
    return Keyval(key.c_str(), val.c_str(), ep);
  }
  int event(const char* event) { return Event(event, endpoint_); }
  int event(const char* event, ZTraceEndpointRef ep) { return Event(event, ep); }
  int event(const string& event) { return Event(event.c_str(), endpoint_); }
  int event(const string& event, ZTraceEndpointRef ep) { return Event(event.c_str(), ep); }

 private:
  ZTrace(const ZTrace&);
  ZTrace& operator=(const ZTrace&);

  static blkin_endpoint* Get(const ZTraceEndpointRef& ep) { return ep ? &ep->endpoint_ : NULL; }

  int Keyval(const char* key, const char* val, const ZTraceEndpointRef& ep) {
    BLKIN_KEYVAL(&trace_, Get(ep), key, val)
    return 0;
  }
  int Event(const char* event, const ZTraceEndpointRef& ep) {
    BLKIN_TIMESTAMP(&trace_, Get(ep), event)
    return 0;
  }

  blkin_trace trace_;
  ZTraceEndpointRef endpoint_;
  string name_;
};

inline ZTraceEndpointRef create_ZTraceEndpoint(const string& ip, int port, const string& name) {
  return ZTraceEndpointRef(new ZTraceEndpoint(ip, port, name));
}

inline ZTraceRef create_ZTrace(const string& name, ZTraceEndpointRef ep) {
  return ZTraceRef(new ZTrace(name, ep));
}

inline ZTraceRef create_ZTrace(const string& name, ZTraceRef parent) {
  return ZTraceRef(new ZTrace(name, parent));
}

inline ZTraceRef create_ZTrace(const string& name, ZTraceRef parent, ZTraceEndpointRef ep) {
  return ZTraceRef(new ZTrace(name, parent, ep));
}

inline ZTraceRef create_ZTrace(const string& name, ZTraceEndpointRef ep,
                               struct blkin_trace_info* info, bool child = false) {
  return ZTraceRef(new ZTrace(name, ep, info, child));
}

}  // namespace ZTracer

#endif  // TRACEKIN_BLKIN_ORIGINAL_ZTRACER_HPP

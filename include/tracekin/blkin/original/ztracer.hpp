// SPDX-License-Identifier: Apache-2.0
// BlkKin's C++ API as its author published it (marioskogias/blkin, branch master): traces and
// endpoints that own their text, behind boost::shared_ptr.
//
// Header only, over <blkin-front.h>. Thread-safety: any thread may record to a trace while no other
// sets its ids.
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

  // The endpoint's text is this object's own.
  ZTraceEndpoint(const ZTraceEndpoint&);
  ZTraceEndpoint& operator=(const ZTraceEndpoint&);

  string ip_;
  string name_;
  blkin_endpoint endpoint_;
};

class ZTrace {
 public:
  /// A root.
  ZTrace(const string& name, ZTraceEndpointRef ep) : endpoint_(ep), name_(name) {
    blkin_init_new_trace(&trace_, name_.c_str(), Get(endpoint_));
  }

  /// A child, at the parent's endpoint.
  ZTrace(const string& name, ZTraceRef parent) : endpoint_(parent->endpoint_), name_(name) {
    blkin_init_child(&trace_, &parent->trace_, Get(endpoint_), name_.c_str());
  }

  /// A child, at an endpoint of its own.
  ZTrace(const string& name, ZTraceRef parent, ZTraceEndpointRef ep) : endpoint_(ep), name_(name) {
    blkin_init_child(&trace_, &parent->trace_, Get(endpoint_), name_.c_str());
  }

  /// A child of the span whose ids these are; or, unless `child`, that very span.
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
  /// Gives this trace the ids in `info`.
  int set_trace_info(struct blkin_trace_info* info) { return blkin_set_trace_info(&trace_, info); }

  // These return 0, recorded or not.
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

// SPDX-License-Identifier: Apache-2.0
// Lists the destinations of spans in one table. For each type of exporter, the table contains its
// formats, the URL schemes that select it, the keys and the module that it needs, and the functions
// that make its encoders and its transport. The configuration and the tracer use this table, and
// docs/configuration.md is compared with it.
//
// To add a destination or a format, write its encoder and its transport, and add a row in
// destination.cc.
//
// Thread-safety: the table is constant. Any thread may call the functions.
#ifndef TRACEKIN_EXPORTER_DESTINATION_H
#define TRACEKIN_EXPORTER_DESTINATION_H

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "exporter/pipeline/exporter.h"
#include "tracekin/options.h"
#include "tracekin/span_record.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// A borrowed array, which must outlive this view.
template <typename T>
class Rows {
 public:
  constexpr Rows() = default;
  template <std::size_t N>
  constexpr Rows(const T (&array)[N]) : begin_(array), end_(array + N) {}

  constexpr const T* begin() const { return begin_; }
  constexpr const T* end() const { return end_; }
  constexpr bool empty() const { return begin_ == end_; }

 private:
  const T* begin_ = nullptr;
  const T* end_ = nullptr;
};

/// A string option that must not be empty.
struct RequiredKey {
  std::string ExporterOptions::*value;
  std::string_view path;  // the key's path in the configuration
};

/// A format in which a destination accepts spans.
struct Format {
  std::string_view name;  // the value of exporter.format
  std::string_view body;  // describes the encoded batch for docs/configuration.md
  // The end of the URL path at which a collector accepts this format, or empty if any path is
  // allowed. An endpoint that ends with the path of another format is rejected.
  std::string_view path;
  std::string_view module;  // libtracekin_MODULE.so contains the encoder; empty if it is built in
  std::unique_ptr<Encoder> (*make_encoder)(const ExporterOptions& options);  // null: see module
  // Interprets an HTTP response of the collector; see HttpTransport::Judge. Null without HTTP.
  SendResult (*judge)(long status, std::string_view text, std::chrono::seconds retry_after);
  Rows<RequiredKey> required = {};
};

/// The transport of a destination and its requirements for the exporter.
struct Connection {
  Exporter::MakeTransport make_transport;
  std::optional<Exporter::HelperThread> helper = {};
  bool eager = false;  // make the transport together with the tracer, not for the first batch
};

struct Destination {
  std::string_view type;                // the value of exporter.type
  Rows<Format> formats;                 // the first is the default
  Rows<std::string_view> schemes = {};  // URL schemes of exporter.endpoint; empty: no endpoint
  std::string_view example = {};        // an example of such a URL
  bool bare_endpoint = false;           // true if the URL consists of scheme, host and port only
  std::string_view module = {};         // like Format::module, but for the transport
  Rows<RequiredKey> required = {};
  bool network = false;  // true if the transport uses libcurl, or uses OpenSSL without libcurl
  // Makes the transport for bodies of type `content_type`. Loads the module. Throws
  // std::runtime_error if loading fails or the module rejects the options. Null if the destination
  // discards all spans.
  Connection (*connect)(const ExporterOptions& options, const Format& format,
                        const std::string& content_type) = nullptr;
  // Reads the data that the transport needs from the host's file system; see Preload(). May be
  // null.
  std::string (*preload)(const ExporterOptions& options) = nullptr;

  bool sends() const { return connect != nullptr; }
  bool HasScheme(std::string_view scheme) const;
};

/// Returns all destinations. If several have the same scheme, an endpoint selects the first one.
Rows<Destination> Destinations();

/// Returns the allowed values of exporter.type and of exporter.format, without duplicates.
std::vector<std::string_view> DestinationTypes();
std::vector<std::string_view> FormatNames();

/// Returns the destination that the scheme of `url` selects, or null.
const Destination* DestinationOfUrl(std::string_view url);

/// Returns the destination that exporter.type names. If it is not set, returns the destination that
/// the endpoint's scheme selects, or the file if there is no endpoint. An unknown type counts as
/// not set. An endpoint with an unknown scheme selects zipkin.
const Destination& DestinationOf(const ExporterOptions& options);

/// Returns the format that exporter.format names, or the destination's default format if it is not
/// set. Returns null if the destination does not accept that format. A transport that the program
/// provides accepts every format.
const Format* FormatOf(const ExporterOptions& options);

/// Returns the service name and the tags of the tracer. Their text is borrowed from `options`.
/// Throws std::bad_alloc.
Resource ResourceOf(const Options& options);

/// Makes the exporter that the options describe. Throws std::runtime_error if a module is missing
/// or rejects the options.
/// REQUIRES: the options are valid and their paths are absolute; `logger` is not empty.
std::shared_ptr<Exporter> MakeExporter(ExporterOptions options, const Resource& resource,
                                       const Logger& logger);

/// Reads the files that a connection to the collector needs and resolves the collector's name, for
/// tracers that this process and its children make later, possibly in another root folder or as
/// another user. Returns an error message or "". May block for as long as getaddrinfo() does.
/// Throws std::bad_alloc. REQUIRES: the options are valid and their paths are absolute.
std::string Preload(const ExporterOptions& options);

/// Lists the types and formats that do not need a module, for an error message.
std::string WithoutModule();

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_DESTINATION_H

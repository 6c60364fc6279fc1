// SPDX-License-Identifier: Apache-2.0
// Where spans can go, said once: each type of exporter with its formats, the URLs that name it, the keys
// and the module that it needs, and what makes its encoders and its transport. The configuration, the
// tracer and docs/configuration.md read this table.
//
// To add a destination or a format, write its encoder and its transport, and add a row in destination.cc.
//
// Thread-safety: the table is constant; any thread may call the functions.
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

/// A view of some array's elements, which outlive it.
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

/// A text of the options that must not be empty.
struct RequiredKey {
  std::string ExporterOptions::*value;
  std::string_view path;  // in the configuration
};

/// How spans are encoded for some destination.
struct Format {
  std::string_view name;  // the value of exporter.format
  std::string_view body;  // what a batch becomes, for docs/configuration.md
  // At the end of the endpoint's path, where a collector takes this format; empty if it takes it
  // anywhere. An endpoint that ends with another format's path is refused.
  std::string_view path;
  std::string_view module;  // what libtracekin_MODULE.so has the encoder; empty for our own
  std::unique_ptr<Encoder> (*make_encoder)(const ExporterOptions& options);  // null: the module's
  // Judges a collector's answer over HTTP, see HttpTransport::Judge. Null if there is no HTTP.
  SendResult (*judge)(long status, std::string_view text, std::chrono::seconds retry_after);
  Rows<RequiredKey> required = {};
};

/// What a transport needs of the exporter that uses it.
struct Connection {
  Exporter::MakeTransport make_transport;
  std::optional<Exporter::HelperThread> helper = {};
  bool eager =
      false;  // whether the transport is made with the tracer rather than for the first batch
};

struct Destination {
  std::string_view type;                // the value of exporter.type
  Rows<Format> formats;                 // the first is the default
  Rows<std::string_view> schemes = {};  // of exporter.endpoint's URL; none if there is no endpoint
  std::string_view example = {};        // of such a URL
  bool bare_endpoint = false;           // whether that URL has nothing but a host and a port
  std::string_view module = {};         // as in Format, of the transport
  Rows<RequiredKey> required = {};
  bool network = false;  // whether the transport uses libcurl, or OpenSSL otherwise
  // `content_type` is the encoder's. Loads the module. Throws std::runtime_error if that fails or the
  // options are refused. Null if spans go nowhere.
  Connection (*connect)(const ExporterOptions& options, const Format& format,
                        const std::string& content_type) = nullptr;

  bool sends() const { return connect != nullptr; }
  bool HasScheme(std::string_view scheme) const;
};

/// All of them. Where several have a scheme, an endpoint means the first.
Rows<Destination> Destinations();

/// The allowed values of exporter.type and of exporter.format, each once.
std::vector<std::string_view> DestinationTypes();
std::vector<std::string_view> FormatNames();

/// The destination whose URLs `url` is one of; null if there is none.
const Destination* DestinationOfUrl(std::string_view url);

/// Where the options send spans: to what exporter.type names; if it is not set, to what the endpoint's
/// scheme names, or to a file if there is no endpoint. Undefined names count as not set.
const Destination& DestinationOf(const ExporterOptions& options);

/// How the options encode spans: as exporter.format says, else in the destination's default format. Null
/// if the destination does not take that format. A transport of the program's own takes each.
const Format* FormatOf(const ExporterOptions& options);

/// Returns the service and the tracer's own tags. They are borrowed from `options`. Throws
/// std::bad_alloc.
Resource ResourceOf(const Options& options);

/// Makes the exporter that the options describe. Throws std::runtime_error if a module is missing or
/// refuses the options. REQUIRES: the options are valid, with absolute paths; `logger` is not empty.
std::shared_ptr<Exporter> MakeExporter(ExporterOptions options, const Resource& resource,
                                       const Logger& logger);

/// What needs no module, for an error message.
std::string WithoutModule();

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_DESTINATION_H

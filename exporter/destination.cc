// SPDX-License-Identifier: Apache-2.0
#include "exporter/destination.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "exporter/encoding/zipkin_answer.h"
#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/encoding/zipkin_proto3_encoder.h"
#include "exporter/module.h"
#include "exporter/span_receiver.h"
#include "exporter/transport/curl.h"
#include "exporter/transport/file_transport.h"
#include "exporter/transport/http_files.h"
#include "exporter/transport/http_transport.h"
#include "exporter/transport/proxy.h"
#include "exporter/transport/resolver.h"

namespace tracekin::exporter {

namespace {

// Zipkin 3.6.1 reads a compressed body and a message from Kafka in pieces of 8 KiB. It garbles a
// character whose bytes are in two pieces. Therefore such bodies contain only ASCII.
std::unique_ptr<Encoder> MakeJsonArray(const ExporterOptions& options) {
  const bool in_pieces = options.compression == "gzip" || DestinationOf(options).type == "kafka";
  return std::make_unique<ZipkinJsonEncoder>(ZipkinJsonEncoder::Framing::kArray,
                                             in_pieces ? NonAscii::kEscape : NonAscii::kKeep);
}

std::unique_ptr<Encoder> MakeJsonLines(const ExporterOptions& /*options*/) {
  return std::make_unique<ZipkinJsonEncoder>(ZipkinJsonEncoder::Framing::kLines);
}

std::unique_ptr<Encoder> MakeProto3(const ExporterOptions& /*options*/) {
  return std::make_unique<ZipkinProto3Encoder>();
}

// Returns the module that contains the destination's transport. Loads it while the tracer is made,
// so that making the tracer fails if the module is missing.
const ExporterModule& TransportModule(const ExporterOptions& options) {
  const Destination& destination = DestinationOf(options);
  return LoadExporterModule(std::string(destination.module),
                            "exporter.type \"" + std::string(destination.type) + '"');
}

std::optional<Exporter::HelperThread> HooksOf(const std::shared_ptr<Resolver>& resolver) {
  if (resolver == nullptr) return std::nullopt;
  return Exporter::HelperThread{
      [resolver] { resolver->Start(); }, [resolver] { resolver->Stop(); },
      [resolver](Exporter::Clock::time_point deadline) { resolver->AwaitFirst(deadline); },
      [resolver] { resolver->AfterForkInChild(); }};
}

// libcurl resolves the name if some hosts bypass the proxy, because only libcurl knows whether it
// will connect to the proxy or to the endpoint.
bool LibcurlResolves(const Proxy& proxy) { return !proxy.url.empty() && !proxy.exempt.empty(); }

Connection ConnectHttp(const ExporterOptions& options, const Format& format,
                       const std::string& content_type) {
  const Proxy proxy = ProxyFromEnvironment(options.endpoint);
  const auto resolver = LibcurlResolves(proxy) ? nullptr : Resolver::For(options, proxy.url);
  return {
      [options, content_type, judge = format.judge, proxy, resolver, files = HttpFiles(options)] {
        return std::make_unique<HttpTransport>(options, content_type, judge, proxy, resolver,
                                               files);
      },
      HooksOf(resolver)};
}

std::string PreloadHttp(const ExporterOptions& options) {
  const Proxy proxy = ProxyFromEnvironment(options.endpoint);
  const std::string unread = PreloadHttpFiles(options);
  const std::string unresolved =
      LibcurlResolves(proxy) ? "" : Resolver::Preload(options, proxy.url);
  return unread.empty() ? unresolved : unread;
}

Connection ConnectScribe(const ExporterOptions& options, const Format& /*format*/,
                         const std::string& /*content_type*/) {
  const auto resolver = Resolver::For(options);
  const auto make = TransportModule(options).make_transport;
  return {[options, resolver, make] { return make(options, resolver); }, HooksOf(resolver)};
}

std::string PreloadScribe(const ExporterOptions& options) { return Resolver::Preload(options); }

// Passes no resolver, because librdkafka resolves names itself. The transport is eager, because
// librdkafka starts threads when it is made.
Connection ConnectKafka(const ExporterOptions& options, const Format& /*format*/,
                        const std::string& /*content_type*/) {
  const ExporterModule& kafka = TransportModule(options);
  kafka.check(options);
  return {[options, make = kafka.make_transport] { return make(options, nullptr); }, std::nullopt,
          /*eager=*/true};
}

Connection ConnectFile(const ExporterOptions& options, const Format& /*format*/,
                       const std::string& /*content_type*/) {
  return {[options] {
    return std::make_unique<FileTransport>(options.path, options.rotate_bytes,
                                           options.rotate_files);
  }};
}

constexpr RequiredKey kEndpoint[] = {{&ExporterOptions::endpoint, "exporter.endpoint"}};
constexpr RequiredKey kPath[] = {{&ExporterOptions::path, "exporter.path"}};
constexpr RequiredKey kScribeCategory[] = {
    {&ExporterOptions::scribe_category, "exporter.scribe_category"}};
constexpr RequiredKey kKafkaKeys[] = {{&ExporterOptions::kafka_brokers, "exporter.kafka_brokers"},
                                      {&ExporterOptions::kafka_topic, "exporter.kafka_topic"}};

// name, body, path, module, make_encoder, judge, required
constexpr Format kZipkinFormats[] = {
    {"json", "a JSON array, `application/json`", "/api/v2/spans", "", MakeJsonArray,
     JudgeZipkinAnswer},
    {"proto3", "a `ListOfSpans`, `application/x-protobuf`", "/api/v2/spans", "", MakeProto3,
     JudgeZipkinAnswer},
    {"thrift", "a list of Zipkin's v1 spans, `application/x-thrift`", "/api/v1/spans", "thrift",
     nullptr, JudgeZipkinAnswer},
};
constexpr Format kScribeFormats[] = {
    {"thrift", "a call of Scribe's `Log`, one Base64 span per entry", "", "thrift", nullptr,
     nullptr, kScribeCategory},
};
constexpr Format kFileFormats[] = {
    {"json", "one JSON object per line", "", "", MakeJsonLines, nullptr},
};

constexpr std::string_view kHttp[] = {"http", "https"};
constexpr std::string_view kScribe[] = {"scribe"};

// type, formats, schemes, example, bare_endpoint, module, required, network, connect, preload
constexpr Destination kDestinations[] = {
    {"zipkin", kZipkinFormats, kHttp, "http://127.0.0.1:9411/api/v2/spans", false, "", kEndpoint,
     true, ConnectHttp, PreloadHttp},
    {"scribe", kScribeFormats, kScribe, "scribe://127.0.0.1:9410", true, "thrift", kEndpoint, true,
     ConnectScribe, PreloadScribe},
    {"kafka", kZipkinFormats, {}, "", false, "kafka", kKafkaKeys, true, ConnectKafka},
    {"file", kFileFormats, {}, "", false, "", kPath, false, ConnectFile},
    {"none", kZipkinFormats},
};

constexpr std::string_view kWithoutEndpoint = "file";

const Destination* FindType(std::string_view type) {
  for (const Destination& destination : kDestinations) {
    if (destination.type == type) return &destination;
  }
  return nullptr;
}

const Format* FindFormat(const Destination& destination, std::string_view name) {
  for (const Format& format : destination.formats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

// Returns a function that makes encoders. Loads the encoder's module while the tracer is made, like
// TransportModule.
Exporter::MakeEncoder EncoderMaker(const ExporterOptions& options, const Format& format) {
  auto make = format.make_encoder;
  if (make == nullptr) {
    const bool as_transport = format.module == DestinationOf(options).module;
    make = as_transport ? TransportModule(options).make_encoder
                        : LoadExporterModule(std::string(format.module),
                                             "exporter.format \"" + std::string(format.name) + '"')
                              .make_encoder;
  }
  return [options, make] { return make(options); };
}

std::string WithoutUser(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = url.find('/', host);
  const std::size_t at = url.substr(0, end).rfind('@');
  return at == std::string::npos ? url : url.substr(0, host) + url.substr(at + 1);
}

// Returns the endpoint and the file of its credential, for log messages.
std::string PlaceOf(const ExporterOptions& options) {
  if (DestinationOf(options).schemes.empty()) return {};
  std::string place = WithoutUser(options.endpoint);
  for (const std::string* file : {&options.bearer_file, &options.basic_file}) {
    if (!file->empty()) place += ", credential from " + *file;
  }
  return place;
}

Connection Connect(const ExporterOptions& options, const Format& format,
                   const std::string& content_type) {
  if (options.make_transport) return {options.make_transport};
  const Destination& destination = DestinationOf(options);
  return destination.sends() ? destination.connect(options, format, content_type) : Connection{};
}

}  // namespace

bool Destination::HasScheme(std::string_view scheme) const {
  return std::any_of(schemes.begin(), schemes.end(),
                     [scheme](std::string_view own) { return EqualsIgnoringCase(scheme, own); });
}

Rows<Destination> Destinations() { return kDestinations; }

std::vector<std::string_view> DestinationTypes() {
  std::vector<std::string_view> types;
  for (const Destination& destination : kDestinations) types.push_back(destination.type);
  return types;
}

std::vector<std::string_view> FormatNames() {
  std::vector<std::string_view> names;
  for (const Destination& destination : kDestinations) {
    for (const Format& format : destination.formats) {
      if (std::find(names.begin(), names.end(), format.name) == names.end()) {
        names.push_back(format.name);
      }
    }
  }
  return names;
}

const Destination* DestinationOfUrl(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos) return nullptr;
  for (const Destination& destination : kDestinations) {
    if (destination.HasScheme(url.substr(0, end))) return &destination;
  }
  return nullptr;
}

const Destination& DestinationOf(const ExporterOptions& options) {
  if (const Destination* named = FindType(options.type)) return *named;
  if (const Destination* named = DestinationOfUrl(options.endpoint)) return *named;
  return options.endpoint.empty() ? *FindType(kWithoutEndpoint) : kDestinations[0];
}

const Format* FormatOf(const ExporterOptions& options) {
  const Destination& destination = DestinationOf(options);
  if (options.format.empty() || !destination.sends()) return destination.formats.begin();
  const Format* found = FindFormat(destination, options.format);
  if (found != nullptr || !options.make_transport) return found;
  for (const Destination& other : kDestinations) {
    if (const Format* format = FindFormat(other, options.format)) return format;
  }
  return nullptr;
}

Resource ResourceOf(const Options& options) {
  Resource resource{options.service_name, {}};
  for (const auto& [key, value] : options.tags) resource.tags.push_back({key, value});
  return resource;
}

std::shared_ptr<Exporter> MakeExporter(ExporterOptions options, const Resource& resource,
                                       const Logger& logger) {
  if (options.on_span) {
    return std::make_shared<Exporter>(
        options, resource, [on_span = options.on_span] { return MakeReceivingEncoder(on_span); },
        MakeAcceptingTransport, logger);
  }
  const Destination& destination = DestinationOf(options);
  const Format& format = *FormatOf(options);
  options.type = destination.type;
  options.format = format.name;
  // This must come first, because the modules use OpenSSL, which libcurl initializes.
  if (destination.network && !options.make_transport) InitialiseCurl();
  const Exporter::MakeEncoder make_encoder = EncoderMaker(options, format);
  Connection connection = Connect(options, format, std::string(make_encoder()->content_type()));
  auto exporter = std::make_shared<Exporter>(options, resource, make_encoder,
                                             std::move(connection.make_transport), logger);
  if (connection.helper) exporter->set_helper(std::move(*connection.helper));
  exporter->set_eager_transport(connection.eager);
  if (!options.make_transport) exporter->set_place(PlaceOf(options));
  return exporter;
}

std::string Preload(const ExporterOptions& options) {
  const Destination& destination = DestinationOf(options);
  if (destination.preload == nullptr) return {};
  InitialiseCurl();
  return destination.preload(options);
}

std::string WithoutModule() {
  std::vector<std::string> found;
  for (const Destination& destination : kDestinations) {
    if (!destination.module.empty() || !destination.sends()) continue;
    std::vector<std::string_view> formats;
    for (const Format& format : destination.formats) {
      if (format.module.empty()) formats.push_back(format.name);
    }
    found.push_back(std::string(destination.type) + " with " + Joined(formats, " or "));
  }
  return Joined(found, ", ");
}

}  // namespace tracekin::exporter

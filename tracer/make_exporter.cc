// SPDX-License-Identifier: Apache-2.0
#include "tracer/make_exporter.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "configuration/check.h"
#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/encoding/zipkin_proto3_encoder.h"
#include "exporter/module.h"
#include "exporter/transport/curl.h"
#include "exporter/transport/file_transport.h"
#include "exporter/transport/http_transport.h"
#include "exporter/transport/proxy.h"
#include "exporter/transport/resolver.h"

namespace tracekin {

namespace {

// A relative path is one from the working folder of now, for the host may change that, and the file is
// opened later, by each process of a fork.
std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path
               : absolute.string();  // no working folder: the exporter will say what is wrong
}

// Modules are loaded here, while the tracer is made, so that one that is missing is an error of that.

const ExporterModule& ThriftModule(const ExporterOptions& options) {
  return LoadExporterModule("thrift", options.type == "scribe" ? "exporter.type \"scribe\""
                                                               : "exporter.format \"thrift\"");
}

// By libcurl, or by librdkafka, which uses the OpenSSL that libcurl initialises.
bool UsesNetwork(const ExporterOptions& options) {
  return !options.make_transport && options.type != "file" && options.type != "none";
}

Exporter::MakeEncoder ChooseEncoder(const ExporterOptions& options) {
  if (options.format == "thrift") {
    return [options, make = ThriftModule(options).make_encoder] { return make(options); };
  }
  if (options.format == "proto3") return [] { return std::make_unique<ZipkinProto3Encoder>(); };
  const auto framing = options.type == "file" ? ZipkinJsonEncoder::Framing::kLines
                                              : ZipkinJsonEncoder::Framing::kArray;
  return [framing] { return std::make_unique<ZipkinJsonEncoder>(framing); };
}

// Null where libcurl resolves: with a proxy that some hosts are exempt from, only libcurl knows to which
// of the two names it will connect.
std::shared_ptr<Resolver> ChooseResolver(const ExporterOptions& options, const Proxy& proxy) {
  const bool ours = options.type == "zipkin" || options.type == "scribe";
  if (!ours || options.make_transport) return nullptr;
  if (!proxy.url.empty() && !proxy.exempt.empty()) return nullptr;
  return Resolver::For(options, proxy.url);
}

Exporter::HelperThread HooksOf(const std::shared_ptr<Resolver>& resolver) {
  return {[resolver] { resolver->Start(); }, [resolver] { resolver->Stop(); },
          [resolver](Exporter::Clock::time_point deadline) { resolver->AwaitFirst(deadline); },
          [resolver] { resolver->AfterForkInChild(); }};
}

Exporter::MakeTransport ChooseTransport(const ExporterOptions& options,
                                        const Exporter::MakeEncoder& make_encoder,
                                        const Proxy& proxy,
                                        const std::shared_ptr<Resolver>& resolver) {
  if (options.make_transport) return options.make_transport;
  if (options.type == "file") {
    return [options] {
      return std::make_unique<FileTransport>(options.path, options.rotate_bytes,
                                             options.rotate_files);
    };
  }
  if (options.type == "scribe") {
    return [options, resolver, make = ThriftModule(options).make_transport] {
      return make(options, resolver);
    };
  }
  if (options.type == "kafka") {
    const ExporterModule& kafka = LoadExporterModule("kafka", "exporter.type \"kafka\"");
    kafka.check(options);
    return [options, make = kafka.make_transport] { return make(options, nullptr); };
  }
  return [options, proxy, resolver, content_type = std::string(make_encoder()->content_type())] {
    return std::make_unique<HttpTransport>(options, content_type, proxy, resolver);
  };
}

}  // namespace

void MakePathsAbsolute(ExporterOptions* options) {
  for (std::string* path :
       {&options->path, &options->spool_path, &options->metrics_path, &options->bearer_file,
        &options->basic_file, &options->ca_file, &options->client_certificate, &options->client_key,
        &options->unix_socket, &options->kafka_config_file}) {
    if (!path->empty()) *path = AbsolutePath(*path);
  }
}

std::shared_ptr<Exporter> MakeExporter(const Options& options) {
  ExporterOptions exporter = options.exporter;
  exporter.type = ExporterType(options.exporter);
  if (UsesNetwork(exporter)) InitialiseCurl();
  // No module is loaded for what is never sent.
  exporter.format = exporter.type == "none" ? "json" : ExporterFormat(options.exporter);
  const Exporter::MakeEncoder make_encoder = ChooseEncoder(exporter);
  const Proxy proxy = exporter.type == "zipkin" ? ProxyFromEnvironment(exporter.endpoint) : Proxy{};
  const std::shared_ptr<Resolver> resolver = ChooseResolver(exporter, proxy);
  auto made = std::make_shared<Exporter>(exporter, options.service_name, make_encoder,
                                         ChooseTransport(exporter, make_encoder, proxy, resolver),
                                         options.logger);
  if (resolver != nullptr) made->set_helper(HooksOf(resolver));
  return made;
}

}  // namespace tracekin

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "configuration/table.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Options in which no setting has its default value.
Options Changed() {
  Options options;
  options.service_name = "caf\xc3\xa9 \"1\"";
  options.tags = {{"env", "test"}, {"empty", ""}, {"control", "\x01\n"}};
  options.trace_id_bits = 64;
  options.print_configuration = true;
  options.sampler = {"probabilistic", 0.1, 2.5, false};
  options.propagation.inject = {"tracecontext"};
  options.propagation.extract = {};
  ExporterOptions& exporter = options.exporter;
  exporter.type = "file";
  exporter.format = "thrift";
  exporter.endpoint = "http://a/";
  exporter.scribe_category = "spans";
  exporter.scribe_strict = true;
  exporter.path = "/tmp/spans";
  exporter.queue_spans = 100;
  exporter.queue_bytes = 300'000;
  exporter.flush_interval_ms = 7;
  exporter.batch_spans = 8;
  exporter.connect_timeout_ms = 9;
  exporter.timeout_ms = 10;
  exporter.close_timeout_ms = 11;
  exporter.retry_backoff_ms = 12;
  exporter.retry_max_backoff_ms = 13;
  exporter.retry_max_age_ms = 14;
  exporter.retry_max_tries = 15;
  exporter.spool_path = "/tmp/spool";
  exporter.spool_bytes = 1 << 23;
  exporter.spool_replay_spans_per_second = 16;
  exporter.metrics_path = "/tmp/metrics";
  exporter.metrics_interval_ms = 170;
  exporter.rotate_bytes = 12;
  exporter.rotate_files = 13;
  exporter.compression = "gzip";
  exporter.headers = {{"X-Key", "***"}};  // every value is printed like this
  exporter.bearer_file = "/run/token";
  exporter.basic_file = "/run/password";
  exporter.ca_file = "/run/ca.pem";
  exporter.client_certificate = "/run/certificate.pem";
  exporter.client_key = "/run/key.pem";
  exporter.unix_socket = "/run/collector";
  exporter.kafka_brokers = "a:9092,b:9092";
  exporter.kafka_topic = "spans";
  exporter.kafka_config_file = "/etc/kafka.properties";
  options.ust = {true, "sampled", true};
  options.log.target = "syslog";
  return options;
}

bool SameValue(const Setting& setting, const Options& a, const Options& b) {
  return std::visit([&](const auto& value) { return value.In(a) == value.In(b); }, setting.value);
}

TEST(PrintConfiguration, IsReadBackAsTheSameOptions) {
  Options emptied;
  emptied.service_name = "a";
  emptied.exporter.endpoint = "http://a/";
  emptied.exporter.path = "";
  for (const Options& options : {Options(), Changed(), emptied}) {
    const std::string printed = PrintConfiguration(options);
    Options read;
    std::string error;
    ASSERT_TRUE(ParseConfiguration(printed, &read, &error)) << error << "\n" << printed;
    for (const Setting& setting : Settings()) {
      EXPECT_TRUE(SameValue(setting, options, read)) << setting.path << "\n" << printed;
    }
  }
}

TEST(PrintConfiguration, KnowsEveryFieldOfOptions) {
  const Options defaults;
  const Options changed = Changed();
  for (const Setting& setting : Settings()) {
    EXPECT_FALSE(SameValue(setting, defaults, changed)) << setting.path;
  }
  // A field that is added to Options must also be added to the table and to Changed(). These sizes
  // include only the fields that the tests above cover.
  EXPECT_EQ(sizeof(SamplerOptions), sizeof(std::string) + 2 * sizeof(double) + 8);
  EXPECT_EQ(sizeof(PropagationOptions), 2 * sizeof(StringList));
  EXPECT_EQ(sizeof(ExporterOptions),
            17 * sizeof(std::string) + 8 + 16 * sizeof(std::uint64_t) + sizeof(StringMap) +
                sizeof(ExporterOptions::make_transport) + sizeof(ExporterOptions::on_span));
  EXPECT_EQ(sizeof(LogOptions), sizeof(std::string));
  EXPECT_EQ(sizeof(UstOptions), 8 + sizeof(std::string) + 8);
  EXPECT_EQ(Settings().size(), 4u + 4u + 2u + 35u + 1u + 3u);
}

TEST(PrintConfiguration, MasksPasswordsInUrls) {
  Options options;
  options.exporter.endpoint = "https://me:secret@zipkin.example/api";
  options.tags = {{"upstream", "http://you:secret@a/"}};
  const std::string printed = PrintConfiguration(options);
  EXPECT_THAT(printed, Not(HasSubstr("secret")));
  EXPECT_THAT(printed, HasSubstr("https://me:***@zipkin.example/api"));
  EXPECT_THAT(printed, HasSubstr("http://you:***@a/"));
}

TEST(PrintConfiguration, MasksTheValuesOfHeaders) {
  Options options;
  options.exporter.headers = {{"X-Key", "secret"}, {"X-Tenant", "secret, too"}};
  EXPECT_THAT(PrintConfiguration(options),
              HasSubstr(R"("headers":{"X-Key":"***","X-Tenant":"***"})"));
}

TEST(PrintConfiguration, IsOneLineAndLeavesOutWhatIsNotSet) {
  const std::string printed = PrintConfiguration(Options());
  EXPECT_THAT(printed, Not(HasSubstr("\n")));
  EXPECT_THAT(printed, HasSubstr(R"("sampler":{"rate":1.0,)"));
  EXPECT_THAT(printed, HasSubstr(R"("inject":["b3","tracecontext","baggage"])"));
  EXPECT_THAT(printed, Not(HasSubstr("endpoint")));
  EXPECT_THAT(printed, Not(HasSubstr("service_name")));
}

}  // namespace
}  // namespace tracekin::configuration

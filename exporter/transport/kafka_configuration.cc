// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/kafka_configuration.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/one_line.h"
#include "base/regular_file.h"

namespace tracekin::exporter {

namespace {

// Larger than any batch, so that the topic's own limit applies.
constexpr int kMaxMessageBytes = 64 << 20;

constexpr std::size_t kMaxFileBytes = 1 << 20;

// Properties that an operator must not set, because with other values delivery reports might not
// arrive.
constexpr std::string_view kReserved[] = {"bootstrap.servers", "metadata.broker.list",
                                          "delivery.report.only.error", "transactional.id"};

void Set(rd_kafka_conf_t* configuration, const std::string& property, const std::string& value) {
  std::array<char, 512> words{};
  if (rd_kafka_conf_set(configuration, property.c_str(), value.c_str(), words.data(),
                        words.size()) != RD_KAFKA_CONF_OK) {
    throw std::runtime_error(OneLine(words.data()));
  }
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

void SetLine(rd_kafka_conf_t* configuration, std::string_view line) {
  line = Trimmed(line);
  if (line.empty() || line.front() == '#') return;
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) throw std::runtime_error("expected property=value");
  const std::string property(Trimmed(line.substr(0, equals)));
  if (std::find(std::begin(kReserved), std::end(kReserved), property) != std::end(kReserved)) {
    throw std::runtime_error("the property \"" + property + "\" must not be set here");
  }
  Set(configuration, property, std::string(Trimmed(line.substr(equals + 1))));
}

void SetFile(rd_kafka_conf_t* configuration, const std::string& path) {
  const auto fail = [&path](const std::string& what) {
    throw std::runtime_error("exporter.kafka_config_file: " + path + what);
  };
  std::string content;
  const std::string error = ReadRegularFile(path, kMaxFileBytes, &content);
  if (!error.empty()) fail(": " + error);
  std::istringstream lines(content);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      SetLine(configuration, line);
    } catch (const std::runtime_error& wrong) {
      fail(", line " + std::to_string(number) + ": " + wrong.what());
    }
  }
}

}  // namespace

KafkaConfiguration MakeKafkaConfiguration(const ExporterOptions& options) {
  KafkaConfiguration configuration(rd_kafka_conf_new());
  const std::pair<const char*, std::string> settings[] = {
      {"bootstrap.servers", options.kafka_brokers},
      {"client.id", "tracekin"},
      {"acks", "all"},
      {"enable.idempotence", "true"},
      {"compression.codec", options.compression},
      {"message.max.bytes", std::to_string(kMaxMessageBytes)},
      {"linger.ms", "0"},  // each batch is one message
      {"socket.nagle.disable", "true"},
      {"message.timeout.ms", std::to_string(options.timeout_ms)},
      // Distinguishes a topic that does not exist from a broker that does not answer.
      {"topic.metadata.propagation.max.ms", std::to_string(options.timeout_ms / 2)},
      {"socket.connection.setup.timeout.ms",
       std::to_string(std::max<std::uint64_t>(options.connect_timeout_ms, 1000))},  // the minimum
      {"reconnect.backoff.max.ms", "2000"},
  };
  for (const auto& [property, value] : settings) Set(configuration.get(), property, value);
  if (!options.kafka_config_file.empty()) SetFile(configuration.get(), options.kafka_config_file);
  return configuration;
}

}  // namespace tracekin::exporter

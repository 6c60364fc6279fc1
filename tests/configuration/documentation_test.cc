// SPDX-License-Identifier: Apache-2.0
// docs/configuration.md contains a table that is generated from the table in the code. To update
// it:
//
//   TRACEKIN_UPDATE_DOCUMENTATION=1 configuration_test --gtest_filter='Documentation.*'

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/strings.h"
#include "configuration/table.h"
#include "configuration/text.h"
#include "exporter/destination.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

std::string Code(const std::string& text) { return "`" + text + "`"; }

std::string Default(const Value& setting) {
  const Options options;
  const auto text = [&](const auto& v) { return v.In(options).empty() ? "" : Code(v.In(options)); };
  return std::visit(
      Overloaded{[&](const Boolean& v) { return Code(v.In(options) ? "true" : "false"); },
                 [&](const Integer& v) { return Code(Decimal(v.In(options))); },
                 [&](const Number& v) { return Code(Decimal(v.In(options))); },
                 [&](const Text& v) { return text(v); }, [&](const Url& v) { return text(v); },
                 [&](const TextList& v) {
                   std::string list;
                   for (const std::string& item : v.In(options)) {
                     list += (list.empty() ? "" : ", ") + Code(item);
                   }
                   return list;
                 },
                 [&](const TextMap&) { return std::string(); },
                 [&](const HeaderMap&) { return std::string(); }},
      setting);
}

std::string SettingsTable() {
  std::string table = "| Key | Meaning | Values | Default | Variable |\n|---|---|---|---|---|\n";
  for (const Setting& setting : Settings()) {
    table += "| " + Code(std::string(setting.path)) + " | " + std::string(setting.description) +
             " | " + Allowed(setting.value) + " | " + Default(setting.value) + " | " +
             Code(EnvironmentName(setting)) + " |\n";
  }
  return table;
}

std::string EndpointsOf(const exporter::Destination& destination, const exporter::Format& format) {
  std::string text;
  for (const std::string_view scheme : destination.schemes) {
    text += (text.empty() ? "" : ", ") +
            Code(std::string(scheme) + "://HOST:PORT" + std::string(format.path));
  }
  return text;
}

std::string ModulesOf(const exporter::Destination& destination, const exporter::Format& format) {
  std::vector<std::string> modules;
  for (const std::string_view module : {destination.module, format.module}) {
    const std::string package = Code("libtracekin-" + std::string(module) + "0");
    if (!module.empty() && (modules.empty() || modules[0] != package)) modules.push_back(package);
  }
  return Joined(modules, ", ");
}

std::string DestinationsTable() {
  std::string table =
      "| type | format | endpoint | a batch is | Debian package |\n|---|---|---|---|---|\n";
  for (const exporter::Destination& destination : exporter::Destinations()) {
    const std::string type = Code(std::string(destination.type));
    if (!destination.sends()) table += "| " + type + " | | | nothing | |\n";
    for (const exporter::Format& format : destination.formats) {
      if (!destination.sends()) break;
      table += "| " + type + " | " + Code(std::string(format.name)) + " | " +
               EndpointsOf(destination, format) + " | " + std::string(format.body) + " | " +
               ModulesOf(destination, format) + " |\n";
    }
  }
  return table;
}

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Compares the part of the document between the marks of `name` with `expected`.
void ExpectDocumented(const std::string& name, const std::string& expected) {
  const char* const path = TRACEKIN_CONFIGURATION_MD;
  const std::string begin_mark = "<!-- begin: " + name + ", written by configuration_test -->\n";
  const std::string end_mark = "<!-- end: " + name + " -->\n";
  std::string text = ReadFile(path);
  const std::size_t begin = text.find(begin_mark);
  const std::size_t end = text.find(end_mark);
  ASSERT_TRUE(begin < end && end != std::string::npos) << path << " lacks the marks of " << name;
  const std::size_t table_begin = begin + begin_mark.size();
  const std::string documented = text.substr(table_begin, end - table_begin);
  if (std::getenv("TRACEKIN_UPDATE_DOCUMENTATION") != nullptr && documented != expected) {
    text.replace(table_begin, end - table_begin, expected);
    ASSERT_TRUE(std::ofstream(path) << text) << path;
    return;
  }
  EXPECT_EQ(documented, expected) << "Run: TRACEKIN_UPDATE_DOCUMENTATION=1 configuration_test "
                                     "--gtest_filter='Documentation.*'";
}

TEST(Documentation, TablesAreThoseInTheCode) {
  ExpectDocumented("settings", SettingsTable());
  ExpectDocumented("types and formats", DestinationsTable());
}

TEST(Documentation, ExamplesAreAccepted) {
  const std::string text = ReadFile(TRACEKIN_CONFIGURATION_MD);
  constexpr std::string_view kFence = "```json\n";
  int examples = 0;
  for (std::size_t at = text.find(kFence); at != std::string::npos; at = text.find(kFence, at)) {
    at += kFence.size();
    Options options;
    std::string error;
    const std::string json = text.substr(at, text.find("```", at) - at);
    EXPECT_TRUE(ParseConfiguration(json, &options, &error)) << error << "\n" << json;
    EXPECT_TRUE(ValidateOptions(options, &error)) << error << "\n" << json;
    ++examples;
  }
  EXPECT_GE(examples, 2);
}

TEST(Documentation, DescriptionsAreSentencesThatFitIntoATable) {
  for (const Setting& setting : Settings()) {
    EXPECT_EQ(setting.description.back(), '.') << setting.path;
    EXPECT_EQ(setting.description.find('|'), std::string_view::npos) << setting.path;
  }
}

}  // namespace
}  // namespace tracekin::configuration

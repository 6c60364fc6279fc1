// SPDX-License-Identifier: Apache-2.0
#include "configuration/describe.h"

#include <gtest/gtest.h>

#include <string>

namespace tracekin::configuration {
namespace {

TEST(DescribeDestination, NamesTypeFormatAndPlace) {
  ExporterOptions exporter;
  EXPECT_EQ(DescribeDestination(exporter), "file, as json to tracekin-spans.json");
  exporter.endpoint = "http://me:secret@a/api/v2/spans";
  EXPECT_EQ(DescribeDestination(exporter), "zipkin, as json to http://me:***@a/api/v2/spans");
  exporter.format = "proto3";
  exporter.unix_socket = "/run/zipkin.sock";
  EXPECT_EQ(DescribeDestination(exporter),
            "zipkin, as proto3 to http://me:***@a/api/v2/spans over /run/zipkin.sock");
  exporter = {};
  exporter.endpoint = "scribe://a";
  EXPECT_EQ(DescribeDestination(exporter), "scribe, as thrift to scribe://a");
  exporter = {};
  exporter.type = "kafka";
  exporter.kafka_brokers = "a:9092,b:9092";
  EXPECT_EQ(DescribeDestination(exporter), "kafka, as json to topic zipkin at a:9092,b:9092");
  exporter.type = "none";
  EXPECT_EQ(DescribeDestination(exporter), "nowhere (exporter.type is none)");
}

TEST(DescribeDestination, IsOnOneLine) {
  ExporterOptions exporter;
  exporter.path = "a\nb\x1b[2J";
  EXPECT_EQ(DescribeDestination(exporter), "file, as json to a\\nb\\u001b[2J");
}

TEST(DescribeSampler, SaysWhatIsSampled) {
  SamplerOptions sampler;
  EXPECT_EQ(DescribeSampler(sampler), "always; keeps a parent's decision");
  sampler.parent_based = false;
  EXPECT_EQ(DescribeSampler(sampler), "always");
  sampler.rate = 0.07;
  EXPECT_EQ(DescribeSampler(sampler), "7 % of traces");
  sampler = {};
  sampler.parent_based = false;
  sampler.per_second = 0.5;
  EXPECT_EQ(DescribeSampler(sampler), "at most 0.5 traces per second");
  sampler.type = "never";
  EXPECT_EQ(DescribeSampler(sampler), "never");
}

}  // namespace
}  // namespace tracekin::configuration

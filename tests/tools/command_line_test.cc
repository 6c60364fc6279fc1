// SPDX-License-Identifier: Apache-2.0
#include "tools/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tracekin::tools {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::function<int()> AddShow(CLI::App* app) {
  const auto found = std::make_shared<bool>(false);
  app->add_flag("-f,--found", *found, "Find something");
  app->add_option("--format", "How to print it")
      ->type_name("NAME")
      ->check(CLI::IsMember({"json", "text"}));
  app->add_option("--html", "Where to write it")->type_name("FILE");
  app->add_option("TRACE", "What to show")->type_name("");
  return [found]() -> int { return *found ? kFound : kNothingFound; };
}

std::function<int()> AddRun(CLI::App* app) {
  app->add_option("-o,--output", "Where to")->type_name("FOLDER");
  app->add_option("COMMAND", "What to run")
      ->type_name("")
      ->expected(CLI::detail::expected_max_vector_size);
  app->positionals_at_end();
  return []() -> int { throw std::runtime_error("it cannot be done."); };
}

const std::vector<Subcommand> kSubcommands = {{"show", "Show something", AddShow},
                                              {"run", "Run something", AddRun}};

struct Ended {
  int status;
  std::string out;
  std::string err;
};

using Words = std::vector<const char*>;

Ended Type(Words words) {
  words.insert(words.begin(), "tracekin");
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ended ended{};
  ended.status = RunCommandLine(kSubcommands, static_cast<int>(words.size()), words.data());
  ended.out = ::testing::internal::GetCapturedStdout();
  ended.err = ::testing::internal::GetCapturedStderr();
  return ended;
}

TEST(CommandLine, EndsWithTheStatusOfTheSubcommand) {
  EXPECT_EQ(Type({"show", "--found"}).status, 0);
  EXPECT_EQ(Type({"show"}).status, 1);
}

TEST(CommandLine, PrintsHelpAndVersionToStandardOutput) {
  for (const auto& words :
       std::vector<Words>{{"--help"}, {"-h"}, {"show", "--help"}, {"--version"}}) {
    const Ended ended = Type(words);
    EXPECT_EQ(ended.status, 0);
    EXPECT_THAT(ended.out, Not(IsEmpty()));
    EXPECT_THAT(ended.err, IsEmpty());
  }
}

TEST(CommandLine, SaysHowItIsUsedWhenNothingIsAskedFor) {
  const Ended ended = Type({});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, HasSubstr("Show something"));
}

TEST(CommandLine, SuggestsTheNearestSubcommand) {
  for (const char* word : {"shwo", "sho", "shows", "how", "sh"}) {
    const Ended ended = Type({word});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, EndsWith("; did you mean show?\n"));
  }
}

TEST(CommandLine, SuggestsNothingForWhatResemblesNothing) {
  for (const char* word : {"x", "ls", "export", ""}) {
    const Ended ended = Type({word});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, Not(HasSubstr("did you mean")));
  }
}

TEST(CommandLine, NamesTheSubcommandOfAWrongOption) {
  const Ended ended = Type({"show", "--nonsense"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, HasSubstr("tracekin show: "));
  EXPECT_THAT(ended.err, HasSubstr("--nonsense"));
}

TEST(CommandLine, LetsNoWordCommandTheTerminal) {
  for (const auto& words : std::vector<Words>{{"\x1b[2J"}, {"--\x1b[2J"}, {"show", "--\x1b[2J"}}) {
    const Ended ended = Type(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
  }
}

TEST(CommandLine, SaysWhyASubcommandFailed) {
  const Ended ended = Type({"run"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "run: it cannot be done.\n");
}

// Returns the completions of the last word that the shell receives.
std::string Completed(Words words) {
  words.insert(words.begin(), "__complete");
  return Type(words).out;
}

TEST(Completion, OffersSubcommands) {
  EXPECT_EQ(Completed({""}), "show\tShow something\nrun\tRun something\n");
  EXPECT_EQ(Completed({"s"}), "show\tShow something\n");
  EXPECT_EQ(Completed({"x"}), "");
}

TEST(Completion, OffersTheOptionsOfTheSubcommand) {
  EXPECT_EQ(Completed({"show", "--f"}), "--found\tFind something\n--format\tHow to print it\n");
  EXPECT_EQ(Completed({"run", "-o"}), "-o\tWhere to\n");
  EXPECT_THAT(Completed({"show", "-"}), HasSubstr("--help\t"));
}

TEST(Completion, OffersTheValuesOfAnOption) {
  EXPECT_EQ(Completed({"show", "--format", ""}), "json\t\ntext\t\n");
  EXPECT_EQ(Completed({"show", "--format", "j"}), "json\t\n");
  EXPECT_EQ(Completed({"show", "--format=t"}), "--format=text\t\n");
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_EQ(Completed({"show", "--html", ""}), ":file\n");
  EXPECT_EQ(Completed({"show", "--html=x"}), ":file\n");
  EXPECT_EQ(Completed({"run", "-o", "x"}), ":folder\n");
  EXPECT_EQ(Completed({"show", "x"}), ":folder\n");
}

TEST(Completion, OffersNoMoreArgumentsThanThereAre) {
  EXPECT_EQ(Completed({"show", "--found", "trace", ""}), "");
}

TEST(Completion, LeavesACommandWithItsArgumentsToTheShell) {
  EXPECT_EQ(Completed({"run", ""}), ":command\n");
  EXPECT_EQ(Completed({"run", "--", "-"}), ":command\n");
  EXPECT_EQ(Completed({"run", "-o", "x", "ls", "--o"}), ":command\n");
}

}  // namespace
}  // namespace tracekin::tools

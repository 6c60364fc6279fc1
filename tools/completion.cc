// SPDX-License-Identifier: Apache-2.0
#include "tools/completion.h"

#include <CLI/CLI.hpp>
#include <cstddef>

namespace tracekin::tools {

namespace {

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_min() != 0; }

bool StartsWith(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// The position in the command line of the word to complete.
struct Place {
  const CLI::App* app;
  const CLI::Option* value_of = nullptr;  // the word is the value of that option
  bool only_arguments = false;            // true after "--"
  std::size_t arguments = 0;              // number of arguments before the word

  void Pass(const std::string& word) {
    if (value_of != nullptr) {
      value_of = nullptr;
    } else if (only_arguments) {
      ++arguments;
    } else if (word == "--") {
      only_arguments = true;
    } else if (StartsWith(word, "-")) {
      const CLI::Option* option = app->get_option_no_throw(word);
      if (option != nullptr && TakesValue(*option)) value_of = option;
    } else if (const CLI::App* subcommand = Subcommand(word)) {
      *this = Place{subcommand};
    } else {
      ++arguments;
      only_arguments = app->get_positionals_at_end();
    }
  }

  const CLI::App* Subcommand(const std::string& name) const {
    const auto is_it = [&](const CLI::App* each) { return each->get_name() == name; };
    const auto found = app->get_subcommands(is_it);
    return found.empty() ? nullptr : found.front();
  }

  // Returns the argument at this position, or null. If the last argument accepts several words, it
  // is also used for all words that follow.
  const CLI::Option* Argument() const {
    const CLI::Option* last = nullptr;
    std::size_t at = 0;
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* each) { return each->get_positional(); })) {
      last = option;
      if (at++ == arguments) return option;
    }
    const bool takes_all =
        last != nullptr && last->get_expected_max() == CLI::detail::expected_max_vector_size;
    return takes_all ? last : nullptr;
  }
};

void Offer(const std::string& word, const std::string& meaning, const std::string& typed,
           std::string* lines) {
  if (StartsWith(word, typed)) *lines += word + '\t' + meaning + '\n';
}

// Adds the possible values of an option or an argument, which its type name lists. `before` is the
// part of the word before the value, such as "--format=".
void OfferValues(const CLI::Option& option, const std::string& before, const std::string& typed,
                 std::string* lines) {
  const std::string type = option.get_type_name();
  const std::string name = type.empty() ? option.get_name(true) : type;
  if (name == "FOLDER" || name == "TRACE") *lines += ":folder\n";
  if (name == "FILE") *lines += ":file\n";
  if (name == "COMMAND") *lines += ":command\n";
  // The type name of CLI::IsMember contains its set: {one,two}.
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return;
  for (const std::string& word : CLI::detail::split(type.substr(open + 1, close - open - 1), ',')) {
    Offer(before + word, "", typed, lines);
  }
}

void OfferOptions(const CLI::App& app, const std::string& typed, std::string* lines) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) {
      Offer('-' + name, option->get_description(), typed, lines);
    }
    for (const std::string& name : option->get_lnames()) {
      Offer("--" + name, option->get_description(), typed, lines);
    }
  }
}

}  // namespace

std::string Complete(const CLI::App& app, const std::vector<std::string>& words) {
  std::string lines;
  if (words.empty()) return lines;
  Place place{&app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) place.Pass(words[i]);
  const std::string& typed = words.back();
  const std::size_t equals = typed.find('=');
  if (place.value_of != nullptr) {
    OfferValues(*place.value_of, "", typed, &lines);
  } else if (!place.only_arguments && StartsWith(typed, "--") && equals != std::string::npos) {
    const CLI::Option* option = place.app->get_option_no_throw(typed.substr(0, equals));
    if (option != nullptr) OfferValues(*option, typed.substr(0, equals + 1), typed, &lines);
  } else if (!place.only_arguments && StartsWith(typed, "-")) {
    OfferOptions(*place.app, typed, &lines);
  } else {
    for (const CLI::App* subcommand :
         place.app->get_subcommands([](const CLI::App*) { return true; })) {
      Offer(subcommand->get_name(), subcommand->get_description(), typed, &lines);
    }
    if (const CLI::Option* argument = place.Argument()) OfferValues(*argument, "", typed, &lines);
  }
  return lines;
}

}  // namespace tracekin::tools

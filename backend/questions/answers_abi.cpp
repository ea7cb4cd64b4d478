// SPDX-License-Identifier: Apache-2.0
// Questions over the C ABI, and what an answer is.
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "backend/questions/answers.hpp"
#include "golden/explain/question.hpp"
#include "golden/names/config_file.hpp"
#include "golden/names/names.hpp"
#include "golden/questions/diff.hpp"
#include "golden/questions/expanded.hpp"
#include "golden/questions/facts.hpp"
#include "golden/questions/identification.hpp"
#include "golden/questions/profile_facts.hpp"
#include "golden/text/filled.hpp"
#include "reference/parallel/threads.hpp"
#include "reference/profiles/profile.hpp"

namespace {

using mx::abi::answered;
using mx::abi::Message;
using mx::golden::filled;
using mx::golden::Refusal;

/// "te,torchao-0.18" as its parts.
std::vector<std::string> parts_of_list(std::string_view list, char separator = ',') {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = list.find(separator);
    parts.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

std::uint64_t whole_number(std::string_view name, std::string_view text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    throw Refusal(filled("{} {}: give a whole number of {} to {}", name,
                         mx::golden::printable(text), least, most));
  }
  return number;
}

/// A profile, its variant and whose block rules it takes, as one name.
struct ProfileName {
  std::string profile;
  std::string variant;
  std::string blocks_as;

  [[nodiscard]] std::string text() const {
    if (profile.empty() && !(variant.empty() && blocks_as.empty())) {
      throw Refusal("a variant or blocks_as needs a profile");
    }
    const std::string name = variant.empty() ? profile : profile + ":" + variant;
    return blocks_as.empty() ? name : mx::with_blocks_as(name, blocks_as);
  }
};

/// What options of mxgold_explain() come to.
struct Explained {
  mx::golden::ExplainQuestion question;
  ProfileName profile;
};

struct ExplainOption {
  std::string_view name;
  void (*take)(Explained& asked, std::string_view text);
};

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::array kExplainOptions = {
    ExplainOption{"profile", [](auto& asked, auto text) { asked.profile.profile = text; }},
    ExplainOption{"variant", [](auto& asked, auto text) { asked.profile.variant = text; }},
    ExplainOption{"blocks_as", [](auto& asked, auto text) { asked.profile.blocks_as = text; }},
    ExplainOption{"profiles",
                  [](auto& asked, auto text) { asked.question.profiles = parts_of_list(text); }},
    ExplainOption{"block_size",
                  [](auto& asked, auto text) {
                    asked.question.block_size =
                        static_cast<int>(whole_number("block_size", text, 1, 1024));
                  }},
    ExplainOption{"seed",
                  [](auto& asked, auto text) {
                    asked.question.random.seed = whole_number("seed", text, 0, kMost);
                  }},
    ExplainOption{"random",
                  [](auto& asked, auto text) {
                    for (const std::string& each : parts_of_list(text)) {
                      asked.question.random.random.push_back(
                          whole_number("random", each, 0, kMost));
                    }
                  }},
    ExplainOption{"random_source",
                  [](auto& asked, auto text) { asked.question.random.source = text; }},
    ExplainOption{
        "rbits", [](auto& asked, auto text) { asked.question.random.rbits = parts_of_list(text); }},
    ExplainOption{"tensor_amax", [](auto& asked, auto text) { asked.question.level.amax = text; }},
    ExplainOption{"tensor_scale",
                  [](auto& asked, auto text) { asked.question.level.scale = text; }},
    ExplainOption{"scale", [](auto& asked, auto text) { asked.question.scale = text; }},
    ExplainOption{"result", [](auto& asked, auto text) { asked.question.result = text; }}};

/// Options that are none of these are policies.
void take(std::span<const mxgold_option> options, Explained& asked) {
  for (const mxgold_option& each : options) {
    const auto* const known = std::ranges::find(kExplainOptions, each.name, &ExplainOption::name);
    if (known != kExplainOptions.end()) {
      known->take(asked, each.value);
    } else {
      asked.question.settings.emplace_back(each.name, each.value);
    }
  }
  const std::string one = asked.profile.text();
  if (!one.empty()) asked.question.profiles = {one};
}

/// Options of a profile, its changes and a block size, which are those of mxgold_explain() too.
mx::golden::ExpandedQuestion expanded_question(std::span<const mxgold_option> options) {
  constexpr std::array<std::string_view, 4> kTaken = {"profile", "variant", "blocks_as",
                                                      "block_size"};
  for (const mxgold_option& each : options) {
    const bool is_policy = std::ranges::find(kExplainOptions, std::string_view(each.name),
                                             &ExplainOption::name) == kExplainOptions.end();
    if (is_policy || std::ranges::find(kTaken, each.name) != kTaken.end()) continue;
    throw Refusal(filled("unknown option '{}'", each.name), Refusal::Kind::kName);
  }
  Explained asked{};
  take(options, asked);
  return {.format = {},
          .profile = asked.question.profiles.front(),
          .settings = asked.question.settings,
          .block_size = asked.question.block_size};
}

/// Formats in a list; definitions, which have commas, have semicolons between them.
std::vector<std::string> formats_of_list(std::string_view list) {
  return parts_of_list(list, list.find_first_of(";=") == std::string_view::npos ? ',' : ';');
}

mx::golden::DiffQuestion diff_question(const char* a, const char* b,
                                       std::span<const mxgold_option> options) {
  mx::golden::DiffQuestion question{.a = a, .b = b, .threads = mx::machine_threads()};
  for (const mxgold_option& each : options) {
    const std::string_view name = each.name;
    if (name == "format") {
      question.formats = formats_of_list(each.value);
    } else if (name == "source") {
      question.sources = formats_of_list(each.value);
    } else {
      throw Refusal(filled("unknown option '{}'; format and source are known", name),
                    Refusal::Kind::kName);
    }
  }
  return question;
}

bool has_null(const mxgold_option* options, std::size_t count) {
  if (options == nullptr) return count > 0;
  return std::any_of(options, options + count, [](const mxgold_option& each) {
    return each.name == nullptr || each.value == nullptr;
  });
}

bool has_null(const char* const* texts, std::size_t count) {
  if (texts == nullptr) return count > 0;
  return std::find(texts, texts + count, nullptr) != texts + count;
}

}  // namespace

extern "C" {

const char* mxgold_answer_json(const mxgold_answer* answer) noexcept {
  return answer == nullptr ? nullptr : answer->json.c_str();
}

const char* mxgold_answer_text(const mxgold_answer* answer) noexcept {
  return answer == nullptr ? nullptr : answer->text.c_str();
}

int mxgold_answer_holds(const mxgold_answer* answer) noexcept {
  return answer != nullptr && answer->holds ? 1 : 0;
}

void mxgold_answer_destroy(mxgold_answer* answer) noexcept { delete answer; }

mxgold_status mxgold_explain(const char* source, const char* format, const mxgold_option* options,
                             size_t option_count, const char* const* inputs, size_t input_count,
                             mxgold_answer** out, char* message, size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (format == nullptr || has_null(options, option_count) || has_null(inputs, input_count)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  if (input_count == 0) return MXGOLD_BAD_SIZE;
  return answered(__func__, out, Message(message, message_size), [&] {
    Explained asked{{.inputs = {inputs, inputs + input_count}, .format = format}, {}};
    if (source != nullptr) asked.question.source = source;
    take({options, option_count}, asked);
    mx::FormatCatalog catalog;
    return mx::golden::explain(asked.question, catalog);
  });
}

mxgold_status mxgold_facts(const char* list, const char* name, mxgold_answer** out, char* message,
                           size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (list == nullptr || name == nullptr) return MXGOLD_NULL_ARGUMENT;
  return answered(__func__, out, Message(message, message_size), [&] {
    const std::string_view of = list;
    if (of == "profiles") {
      return mx::golden::profile_facts(name, mx::golden::Spelling::kNames);
    }
    const bool has_codes = of == "codes";
    if (of != "formats" && of != "blocks" && !has_codes) {
      throw Refusal(
          filled("'{}' is no list with facts; formats, blocks, codes and profiles are", of));
    }
    mx::FormatCatalog catalog;
    return mx::golden::facts(name, has_codes ? mx::golden::Codes::kEach : mx::golden::Codes::kNone,
                             catalog, mx::golden::Spelling::kNames);
  });
}

mxgold_status mxgold_expanded(const char* source, const char* format, const mxgold_option* options,
                              size_t option_count, mxgold_answer** out, char* message,
                              size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (source == nullptr || format == nullptr || has_null(options, option_count)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  return answered(__func__, out, Message(message, message_size), [&] {
    mx::golden::ExpandedQuestion question = expanded_question({options, option_count});
    question.source = source;
    question.format = format;
    mx::FormatCatalog catalog;
    return mx::golden::expanded(question, catalog);
  });
}

mxgold_status mxgold_diff(const char* a, const char* b, const mxgold_option* options,
                          size_t option_count, mxgold_answer** out, char* message,
                          size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (a == nullptr || b == nullptr || has_null(options, option_count)) return MXGOLD_NULL_ARGUMENT;
  return answered(__func__, out, Message(message, message_size), [&] {
    mx::FormatCatalog catalog;
    return mx::golden::diff(diff_question(a, b, {options, option_count}), catalog);
  });
}

mxgold_status mxgold_identify(const char* log, mxgold_answer** out, char* message,
                              size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (log == nullptr) return MXGOLD_NULL_ARGUMENT;
  return answered(__func__, out, Message(message, message_size), [&] {
    mx::FormatCatalog catalog;
    return mx::golden::identified(mx::golden::parse_log("log", log, catalog), mx::machine_threads(),
                                  mx::golden::Spelling::kNames);
  });
}

mxgold_status mxgold_telling_inputs(const char* source, const char* format, size_t count,
                                    int stochastic, mxgold_answer** out, char* message,
                                    size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (source == nullptr || format == nullptr) return MXGOLD_NULL_ARGUMENT;
  if (count == 0 || count > 100000) {
    Message(message, message_size).write({"count: give 1 to 100000"});
    return MXGOLD_BAD_SIZE;
  }
  return answered(__func__, out, Message(message, message_size), [&] {
    mx::FormatCatalog catalog;
    return mx::golden::telling_inputs(
        {.source = source, .format = format, .count = count, .is_stochastic = stochastic != 0},
        catalog);
  });
}

mxgold_status mxgold_configuration(const char* path, mxgold_answer** out, char* message,
                                   size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (path == nullptr) return MXGOLD_NULL_ARGUMENT;
  return answered(__func__, out, Message(message, message_size), [&] {
    return mx::golden::config_answer(mx::golden::ConfigFile::read_config(path));
  });
}

}  // extern "C"

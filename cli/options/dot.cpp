#include "cli/options/dot.hpp"

#include <algorithm>

#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr const char* kAccumulator = "Accumulator (--mode accumulator)";

}  // namespace

std::vector<AccumulatorText> accumulator_texts() {
  std::vector<AccumulatorText> texts;
  const AccumulatorModel model;
  visit_fields(model, [&]<typename Member>(const AccumulatorField& field, const Member& member) {
    std::string option = "--" + std::string(field.name);
    std::ranges::replace(option, '_', '-');
    if constexpr (std::is_same_v<Member, int>) {
      texts.push_back({field, option, member});
    } else {
      texts.push_back({field, option, member_text(member)});
    }
  });
  return texts;
}

void add_dot_options(const Command& command, DotText& text) {
  command
      .add_option(
          "--mode", text.mode,
          "Dot: exact_once | fp32_seq | fp32_tree | block_exact_fp32_seq | accumulator; casts of "
          "systems: strict (their default) | compat")
      .capture_default_str();
  command.add_option("--result", text.result, "Dot, dequantize, mma: format of the results")
      .capture_default_str();
  const auto add = [&](const AccumulatorText& each, auto& value) {
    return command.add_option(each.option, value, std::string(each.field.summary))
        .capture_default_str()
        .group(kAccumulator);
  };
  for (AccumulatorText& each : text.accumulator) {
    if (int* const number = std::get_if<int>(&each.value)) {
      add(each, *number).range(each.field.least, each.field.most);
    } else {
      add(each, std::get<std::string>(each.value));
    }
  }
}

void refuse_unused_accumulator(const Command& command, const DotText& text) {
  if (text.mode == "accumulator") return;
  for (const Option option : command.get_options()) {
    if (option.get_group() != kAccumulator || option.count() == 0) continue;
    fail(Exit::kUsage, "{}: goes with --mode accumulator, not {}", option.get_name(),
         printable(text.mode));
  }
}

namespace {

AccumulatorModel accumulator_of(const DotText& text, FormatBook& book) {
  AccumulatorModel model;
  auto each = text.accumulator.begin();
  visit_fields(model, [&]<typename Member>(const AccumulatorField&, Member& member) {
    if constexpr (std::is_same_v<Member, int>) {
      member = std::get<int>(each->value);
    } else {
      const std::string kind = "value of " + each->option;
      const auto& word = std::get<std::string>(each->value);
      if constexpr (std::is_same_v<Member, ElementFormat>) {
        member = book.require_element(kind, word);
      } else {
        member = require_token<Member>(kind, word);
      }
    }
    ++each;
  });
  return model;
}

}  // namespace

DotConfig dot_config(const DotText& text, FormatBook& book, const BlockFormat& a,
                     const BlockFormat& b) {
  return {.a = a,
          .b = b,
          .mode = require_token<DotMode>("value of --mode", text.mode),
          .result = book.require_element("value of --result", text.result),
          .accumulator = accumulator_of(text, book)};
}

}  // namespace mx::cli

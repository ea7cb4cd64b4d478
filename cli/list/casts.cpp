#include "cli/list/casts.hpp"

#include <array>
#include <cstddef>

#include "cli/base/made.hpp"
#include "cli/systems/known_casts.hpp"
#include "emulators/casts/casts.hpp"
#include "reference/casts/cast.hpp"

namespace mx::cli {
namespace {

using casts::CastPointer;
using golden::Tree;

CastPointer cast_of(const std::string& text, SystemMode mode) {
  return made(emulators::make_cast(text, {.mode = mode}));
}

/// Does the cast draw for a row of binary32 elements?
bool cast_draws(const casts::Cast& cast) {
  constexpr std::size_t kElements = 128;
  const std::array<std::byte, 4 * kElements> zeros{};
  const casts::CastInput input{
      .tensor = {"values", TensorType::kFp32, {1, kElements}, std::span(zeros)}};
  const Checked<std::size_t> words = cast.random_words(input);
  return words && *words != 0;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Tree properties_json(const casts::Cast& cast) {
  Tree list = Tree::record();
  for (const casts::Property& each : cast.properties()) {
    list[each.name] = each.problem.empty() ? each.text : each.problem;
  }
  return list;
}

std::vector<std::string> listed() {
  std::vector<std::string> texts;
  for (const auto& some : {known_casts(), further_casts()}) {
    for (const std::string_view text : some) texts.emplace_back(text);
  }
  return texts;
}

}  // namespace

golden::ListTable casts_table(FormatBook&) {
  golden::ListTable table{
      "Casts of the emulated systems (docs/systems.md; any other text of their grammars)",
      {"cast", "takes as data", "random words"},
      {}};
  for (const std::string& text : listed()) {
    const CastPointer cast = cast_of(text, SystemMode::kCompat);
    table.rows.push_back(
        {text, joined_names(cast->row_operands()), cast_draws(*cast) ? "yes" : ""});
  }
  return table;
}

Tree casts_json(FormatBook&) {
  Tree list = Tree::list();
  for (const std::string& text : listed()) list.push_back(one_cast_json(text));
  return list;
}

Tree one_cast_json(const std::string& text) {
  const std::string system = text.substr(0, text.find(':'));
  const CastPointer strict = cast_of(text, SystemMode::kStrict);
  const CastPointer compat = cast_of(text, SystemMode::kCompat);
  return {
      {"cast", system + ":" + compat->text()},   {"system", system},
      {"takes_as_data", compat->row_operands()}, {"draws_random_words", cast_draws(*compat)},
      {"properties", properties_json(*compat)},  {"properties_strict", properties_json(*strict)}};
}

}  // namespace mx::cli

// SPDX-License-Identifier: Apache-2.0
#include "sim/causes/constant_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "golden/answers/verdict.hpp"

namespace mx::sim {
namespace {

using golden::AnswerAt;
using golden::Field;

constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

/// The fields of an answer but for one, as --observe takes them.
std::string others_of(const golden::RecordBatch& batch, Field field) {
  std::string text;
  for (const Field each : kResults) {
    if (each == field || !batch.has(each)) continue;
    text += text.empty() ? "" : ",";
    text += token_of(each);
  }
  return text;
}

/// Words of a field, over all answers that are compared in it.
struct Words {
  std::optional<std::uint64_t> given, right;  ///< the first one of each
  bool is_one = true;                         ///< given: the same everywhere
  bool are_many = false;                      ///< right: some other one, too
  std::size_t answers = 0;
};

void look_at(const AnswerAt& at, Field field, Words& words) {
  if (!at.expected.has(field)) return;
  const auto right = at.expected.of(field, at.i);
  const auto given = at.actual.of(field, at.i);
  bool is_any = false;
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    if (!golden::is_compared(at.open, field, lane) || !at.open.takes_part(lane)) continue;
    is_any = true;
    words.is_one = words.is_one && words.given.value_or(given[lane]) == given[lane];
    words.are_many = words.are_many || words.right.value_or(right[lane]) != right[lane];
    words.given = given[lane];
    words.right = right[lane];
  }
  words.answers += is_any ? 1 : 0;
}

}  // namespace

std::vector<ConstantField> constant_fields(std::span<const AnswerAt> wrong,
                                           std::span<const AnswerAt> right) {
  constexpr std::size_t kFewest = 8;
  std::vector<ConstantField> found;
  for (const Field field : kResults) {
    Words words;
    for (const AnswerAt& at : wrong) look_at(at, field, words);
    for (const AnswerAt& at : right) look_at(at, field, words);
    if (!words.is_one || !words.are_many || words.answers < kFewest) continue;
    const AnswerAt& first = wrong.front();
    std::string text =
        fmt::format("{} {:02X} in every answer, as of a device that does not compute it",
                    token_of(field), *words.given);
    const std::string others = others_of(first.expected, field);
    if (!others.empty()) text += "; to leave it out: --observe " + others;
    found.push_back({field, *words.given, std::move(text)});
  }
  return found;
}

std::uint64_t flags_never_set(std::span<const AnswerAt> wrong, std::span<const AnswerAt> right) {
  std::uint64_t expected = 0, given = 0;
  const auto look = [&](const AnswerAt& at) {
    if (!at.expected.has(Field::kFlags) || !golden::is_compared(at.open, Field::kFlags, 0)) return;
    expected |= at.expected.word(Field::kFlags, at.i);
    given |= at.actual.word(Field::kFlags, at.i);
  };
  for (const AnswerAt& at : wrong) look(at);
  for (const AnswerAt& at : right) look(at);
  return expected & ~given;
}

}  // namespace mx::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/answers/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "golden/vectors/result_bits.hpp"

namespace mx::sim {
namespace {

using golden::FieldShape;

std::vector<FieldShape> result_shapes(const golden::VectorHeader& header) {
  std::vector<FieldShape> shapes;
  for (const FieldShape& each : header.shape().fields) {
    if (golden::is_result(each.field)) shapes.push_back(each);
  }
  return shapes;
}

/// Bits of a word of the field, the same in every configuration; 0 where they differ.
unsigned bits_of(const FieldShape& shape, const golden::VectorHeader& header) {
  unsigned bits = 0;
  for (const golden::Configuration& each : header.configs) {
    const unsigned own = golden::result_bits(each, shape);
    if (bits != 0 && bits != own) return 0;
    bits = own;
  }
  return bits;
}

/// The lane that follows the name of a field: 3 of "[3]", "_3" and "3"; -1 for anything else.
int lane_of(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  } else if (text.starts_with('_')) {
    text.remove_prefix(1);
  }
  int lane = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lane);
  return error == std::errc{} && end == text.data() + text.size() ? lane : -1;
}

std::string names_of(std::span<const FieldShape> shapes) {
  std::vector<std::string_view> names;
  for (const FieldShape& each : shapes) names.push_back(token_of(each.field));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::size_t AnswerColumns::words() const {
  std::size_t sum = 0;
  for (const AnswerColumn& each : columns) sum += each.words();
  return sum;
}

bool AnswerColumns::may_be_packed() const {
  const auto is_wide = [](const AnswerColumn& each) { return each.words() > 1; };
  const auto has_bits = [&](const AnswerColumn& each) { return !is_wide(each) || each.bits != 0; };
  return std::ranges::any_of(columns, is_wide) && std::ranges::all_of(columns, has_bits);
}

std::string AnswerColumns::text() const {
  std::vector<std::string> names;
  for (const AnswerColumn& each : columns) {
    const std::string_view name = token_of(each.shape.field);
    names.push_back(each.is_skipped ? "-"
                    : each.lane >= 0 || each.words() > 1
                        ? fmt::format("{}[{}]", name, each.lane >= 0 ? each.lane : each.shape.lanes)
                        : std::string(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Checked<AnswerColumns> answer_columns(std::span<const std::string> names,
                                      const golden::VectorHeader& header) {
  const std::vector<FieldShape> shapes = result_shapes(header);
  AnswerColumns all;
  std::set<std::pair<golden::Field, int>> seen;
  const auto add = [&](const FieldShape& shape, int lane) {
    all.columns.push_back({shape, lane, false, bits_of(shape, header)});
    bool is_new = true;
    for (int l = 0; l < shape.lanes; ++l) {
      if (lane < 0 || l == lane) is_new = seen.emplace(shape.field, l).second && is_new;
    }
    return is_new;
  };
  for (const std::string& name : names) {
    if (name == "-") {
      all.columns.push_back({{}, -1, true, 0});
      continue;
    }
    const auto shape = std::ranges::find_if(shapes, [&](const FieldShape& each) {
      return std::string_view(name).starts_with(token_of(each.field));
    });
    int lane = -1;
    bool is_known = shape != shapes.end();
    if (is_known && name.size() != token_of(shape->field).size()) {
      lane = lane_of(std::string_view(name).substr(token_of(shape->field).size()));
      is_known = lane >= 0 && lane < shape->lanes;
    }
    if (!is_known) {
      return Problem{
          fmt::format("'{}' is no result field of these records ({}); '-' skips a column", name,
                      names_of(shapes))};
    }
    if (!add(*shape, lane)) return Problem{fmt::format("'{}' comes twice", name)};
  }
  if (names.empty()) {
    for (const FieldShape& each : shapes) static_cast<void>(add(each, -1));
  }
  for (const FieldShape& each : shapes) {
    const auto lanes =
        std::ranges::count_if(seen, [&](const auto& word) { return word.first == each.field; });
    if (lanes == 0) continue;
    if (lanes != each.lanes) {
      return Problem{fmt::format("{} of {} lanes of {}: name all of them", lanes, each.lanes,
                                 token_of(each.field))};
    }
    all.fields.emplace_back(token_of(each.field));
  }
  if (all.fields.empty()) {
    return Problem{fmt::format("no result field of these records ({})", names_of(shapes))};
  }
  return all;
}

}  // namespace mx::sim

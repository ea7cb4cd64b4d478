// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "golden/structure/families.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// Has a record one scale that is an exponent, for a whole block?
bool has_one_scale(const Configuration& configuration) {
  const auto* const block = std::get_if<QuantizerConfig>(&configuration.what);
  if (block == nullptr || !Elements::are_in(configuration)) return false;
  const ScaleFormat& scale = block->format.scale;
  return scale.kind == FormatKind::kFloat && scale.man_bits == 0 && !scale.is_signed &&
         block->format.sublevels == std::array{0, 0};
}

/// What the maximum makes of the source code of a lane, of n.
using Sees = std::function<std::uint64_t(const ElementFormat&, std::size_t lane, std::size_t n,
                                         std::uint64_t code)>;

/// Chooses the scale of other codes; infinities and NaN stay what they are.
void choose_scale(const Elements& elements, RecordBatch& record, const Sees& sees) {
  const ElementFormat& f = elements.quantizer().config().source;
  const std::size_t n = record.elements(Field::kSource, 0);
  std::vector<std::uint64_t> seen(n);
  for (std::size_t lane = 0; lane < n; ++lane) {
    const std::uint64_t code = record.of(Field::kSource, 0)[lane];
    const ValueClass cls = decode(f, code & f.code_mask()).cls;
    const bool is_number = cls == ValueClass::kFinite || cls == ValueClass::kZero;
    seen[lane] = is_number ? sees(f, lane, n, code) : code;
  }
  const ScaleFormat& scale = elements.quantizer().config().format.scale;
  const std::uint64_t own = record.word(Field::kScale, 0);
  const Elements::Scale other = elements.scale_of(record, seen);
  const bool is_nan =
      scale.has_nan() && (own == scale.canonical_nan || other.code == scale.canonical_nan);
  if (is_nan || own == other.code) return;
  record.word(Field::kFlags, 0) = other.flags;
  elements.recode(record, other.code);
}

Structure of_maximum(std::string_view name, std::string value, std::string text, Sees sees) {
  return {.name = name,
          .value = std::move(value),
          .text = std::move(text),
          .is_of = has_one_scale,
          .answer = [sees = std::move(sees)](const Elements& elements, RecordBatch& record) {
            choose_scale(elements, record, sees);
          }};
}

void add_maximum_lanes(std::vector<Structure>& list) {
  struct Lanes {
    const char* value;
    const char* text;
    bool (*has)(std::size_t lane, std::size_t n);
  };
  constexpr std::array kLanes = {
      Lanes{"all_but_last", "all lanes but the last",
            [](std::size_t lane, std::size_t n) { return lane + 1 != n; }},
      Lanes{"all_but_first", "all lanes but the first",
            [](std::size_t lane, std::size_t) { return lane != 0; }},
      Lanes{"first_half", "the first half of the lanes",
            [](std::size_t lane, std::size_t n) { return lane < n / 2; }},
      Lanes{"second_half", "the second half of the lanes",
            [](std::size_t lane, std::size_t n) { return lane >= n / 2; }},
      Lanes{"even_lanes", "the even lanes",
            [](std::size_t lane, std::size_t) { return lane % 2 == 0; }},
      Lanes{"odd_lanes", "the odd lanes",
            [](std::size_t lane, std::size_t) { return lane % 2 != 0; }},
      Lanes{"first_lane", "the first lane",
            [](std::size_t lane, std::size_t) { return lane == 0; }}};
  for (const Lanes& each : kLanes) {
    list.push_back(of_maximum(
        "maximum_of", each.value, filled("the maximum of {} alone (spec F11)", each.text),
        [has = each.has](const ElementFormat&, std::size_t lane, std::size_t n,
                         std::uint64_t code) { return has(lane, n) ? code : std::uint64_t{0}; }));
  }
}

/// The rule does not see fraction bits `first` to `last` below the leading one.
void add_unseen_bits(std::vector<Structure>& list, int first, int last) {
  list.push_back(of_maximum(
      "maximum_without_bits", first == last ? std::to_string(first) : filled("{}-{}", first, last),
      filled("a scale rule that does not see fraction bits {} to {} of the maximum, from the "
             "top (spec F11)",
             first, last),
      [first, last](const ElementFormat& f, std::size_t, std::size_t, std::uint64_t code) {
        for (int bit = first; bit <= last && bit <= f.man_bits; ++bit) {
          code &= ~(std::uint64_t{1} << (f.man_bits - bit));
        }
        return code;
      }));
}

/// A block of two halves, each under a scale of its own.
void split(const Elements& elements, RecordBatch& record, bool shows_second) {
  RecordBatch first = record;
  RecordBatch second = record;
  const auto of_half = [&](RecordBatch& half, bool is_second) {
    choose_scale(
        elements, half,
        [is_second](const ElementFormat&, std::size_t lane, std::size_t n, std::uint64_t code) {
          return (lane >= n / 2) == is_second ? code : std::uint64_t{0};
        });
  };
  of_half(first, false);
  of_half(second, true);
  const std::size_t n = record.elements(Field::kSource, 0);
  for (std::size_t lane = 0; lane < n; ++lane) {
    record.of(Field::kCode, 0)[lane] = (lane < n / 2 ? first : second).of(Field::kCode, 0)[lane];
  }
  const RecordBatch& shown = shows_second ? second : first;
  record.word(Field::kScale, 0) = shown.word(Field::kScale, 0);
  record.word(Field::kFlags, 0) = first.word(Field::kFlags, 0) | second.word(Field::kFlags, 0);
}

}  // namespace

void add_scale_structures(std::vector<Structure>& list) {
  add_maximum_lanes(list);
  constexpr int kBits = 7;
  for (int bit = 1; bit <= kBits; ++bit) {
    add_unseen_bits(list, bit, bit);
    if (bit < kBits) add_unseen_bits(list, bit, bit + 1);
  }
  for (const bool shows_second : {false, true}) {
    list.push_back({.name = "halves",
                    .value = shows_second ? "second_scale_shown" : "first_scale_shown",
                    .text = filled("each half under a scale of its own, that of the {} half "
                                   "shown (spec F11)",
                                   shows_second ? "second" : "first"),
                    .is_of = has_one_scale,
                    .answer = [shows_second](const Elements& elements, RecordBatch& record) {
                      split(elements, record, shows_second);
                    }});
  }
}

}  // namespace mx::golden

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "golden/bytes/reversed.hpp"
#include "golden/structure/families.hpp"
#include "golden/structure/orders.hpp"
#include "golden/text/filled.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

/// The field that holds what is converted; nothing where operations have several operands.
struct Source {
  Field field = Field::kSource;
  const ElementFormat* format = nullptr;
};
Source source_in(const Configuration& configuration) {
  if (const auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    return {Field::kSource, &block->source};
  }
  if (const auto* const cvt = std::get_if<ConversionConfig>(&configuration.what)) {
    return {Field::kSource, &cvt->source};
  }
  if (const auto* const blocks = std::get_if<DequantizeCase>(&configuration.what)) {
    return {Field::kA, &blocks->format.element};
  }
  return {};
}

/// Changes each source code by itself.
Structure of_sources(std::string_view name, std::string value, std::string text,
                     std::function<bool(const ElementFormat&)> is_of,
                     std::function<std::uint64_t(const ElementFormat&, std::uint64_t)> change) {
  const auto is_of_case = [is_of = std::move(is_of)](const Configuration& configuration) {
    const Source source = source_in(configuration);
    return source.format != nullptr && is_of(*source.format);
  };
  return {.name = name,
          .value = std::move(value),
          .text = std::move(text),
          .is_of = is_of_case,
          .operands = [change = std::move(change), is_of_case](const Configuration& configuration,
                                                               RecordBatch& record) {
            if (!is_of_case(configuration)) return;
            const Source source = source_in(configuration);
            for (std::uint64_t& code : record.of(source.field, 0)) {
              code = change(*source.format, code);
            }
          }};
}

void add_bits(std::vector<Structure>& list) {
  constexpr int kMost = 22;
  for (int bits = 1; bits <= kMost; ++bits) {
    list.push_back(of_sources(
        "source_bits_dropped", std::to_string(bits),
        filled("the lowest {} of the source dropped (spec F7)",
               bits == 1 ? std::string("bit") : filled("{} bits", bits)),
        [bits](const ElementFormat& f) {
          return f.kind == FormatKind::kFloat && f.man_bits > bits;
        },
        [bits](const ElementFormat& f, std::uint64_t code) {
          const ValueClass cls = decode(f, code & f.code_mask()).cls;
          const bool is_number = cls == ValueClass::kFinite || cls == ValueClass::kZero;
          return is_number ? code >> bits << bits : code;
        }));
  }
  struct Parts {
    const char* value;
    const char* text;
    int part;
  };
  constexpr std::array kParts = {Parts{"bytes", "bytes", 8}, Parts{"halves", "16-bit halves", 16},
                                 Parts{"nibbles", "nibbles", 4}};
  for (const Parts& each : kParts) {
    list.push_back(of_sources(
        "source_order", each.value,
        filled("{} of source codes in the opposite order (spec F7)", each.text),
        [part = each.part](const ElementFormat& f) {
          return f.bits == f.storage_bits && f.bits > part && f.bits % part == 0;
        },
        [part = each.part](const ElementFormat& f, std::uint64_t code) {
          return reversed_parts(code, f.bits, part);
        }));
  }
}

void add_lane_orders(std::vector<Structure>& list) {
  for (const LaneOrder& order : lane_orders()) {
    const auto add = [&](std::string_view name, const char* what, Field field) {
      list.push_back({.name = name,
                      .value = order.value,
                      .text = filled("{} {} (spec F12)", what, order.text),
                      .is_of =
                          [field](const Configuration& configuration) {
                            if (field == Field::kRandom) return takes_random(configuration);
                            const Operation op = configuration.operation();
                            const bool is_quantized =
                                op == Operation::kBlock || op == Operation::kCast;
                            const bool has_rows = op == Operation::kDot || op == Operation::kMma ||
                                                  op == Operation::kDequantize;
                            return field == Field::kSource ? is_quantized : has_rows;
                          },
                      .operands =
                          [field, apply = order.apply](const Configuration&, RecordBatch& record) {
                            if (!record.has(field)) return;
                            apply(record.of(field, 0).first(record.elements(field, 0)));
                          }});
    };
    add("source_lanes", "sources", Field::kSource);
    add("a_lanes", "codes of A", Field::kA);
    add("random_lanes", "random words", Field::kRandom);
    list.push_back({.name = "scale_lanes",
                    .value = order.value,
                    .text = filled("scales {} (spec F12)", order.text),
                    .is_of =
                        [](const Configuration& configuration) {
                          const Operation op = configuration.operation();
                          return op == Operation::kDot || op == Operation::kMma;
                        },
                    .operands =
                        [apply = order.apply](const Configuration&, RecordBatch& record) {
                          for (const Field field : {Field::kAScale, Field::kBScale}) {
                            if (record.has(field)) apply(record.of(field, 0));
                          }
                        }});
  }
}

void add_random_words(std::vector<Structure>& list) {
  struct WordChange {
    const char* value;
    const char* text;
    std::uint64_t (*apply)(std::uint64_t word, std::uint64_t end);
  };
  constexpr std::array kChanges = {
      WordChange{"negated", "negated", [](std::uint64_t r, std::uint64_t end) { return end - r; }},
      WordChange{"inverted", "inverted",
                 [](std::uint64_t r, std::uint64_t end) { return end - 1 - r; }},
      WordChange{"plus_one", "one too large", [](std::uint64_t r, std::uint64_t) { return r + 1; }},
      WordChange{"lowest_bit_lost", "without their lowest bit",
                 [](std::uint64_t r, std::uint64_t) { return r & ~std::uint64_t{1}; }},
      WordChange{"zero", "not used",
                 [](std::uint64_t, std::uint64_t) { return std::uint64_t{0}; }}};
  for (const WordChange& each : kChanges) {
    list.push_back(
        {.name = "random_words",
         .value = each.value,
         .text = filled("random words {} (spec F9.1)", each.text),
         .is_of = takes_random,
         .operands = [apply = each.apply](const Configuration& configuration, RecordBatch& record) {
           const std::uint64_t end = std::uint64_t{1} << random_bits_of(configuration);
           for (std::uint64_t& word : record.of(Field::kRandom, 0)) {
             word = apply(word, end);
           }
         }});
  }
}

/// Source codes read in another format of as many bits: another bias, another split.
void add_source_formats(std::vector<Structure>& list) {
  for (const ElementFormat& other : all_formats()) {
    if (other.kind != FormatKind::kFloat) continue;
    const auto fits = [other](const ElementFormat& f) {
      return f.bits == other.bits && f.storage_bits == other.storage_bits && f != other;
    };
    list.push_back({.name = "source_format",
                    .value = std::string(other.name),
                    .text = filled("source codes read as {} (spec F7)", other.name),
                    .is_of =
                        [fits](const Configuration& configuration) {
                          const Source source = source_in(configuration);
                          return source.format != nullptr && fits(*source.format);
                        },
                    .configure =
                        [other](Configuration& configuration) {
                          auto& what = configuration.what;
                          if (auto* const block = std::get_if<QuantizerConfig>(&what)) {
                            block->source = other;
                          } else if (auto* const cvt = std::get_if<ConversionConfig>(&what)) {
                            cvt->source = other;
                          } else if (auto* const blocks = std::get_if<DequantizeCase>(&what)) {
                            blocks->format.element = other;
                          }
                        }});
  }
}

}  // namespace

void add_operand_structures(std::vector<Structure>& list) {
  add_bits(list);
  add_lane_orders(list);
  add_random_words(list);
  add_source_formats(list);
}

}  // namespace mx::golden

#include "cli/vectors/check_text.hpp"

#include <fmt/format.h>

#include <array>

#include "golden/answers/verdict.hpp"
#include "golden/config_word/table.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/text/exact.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kMaxLanesShown = 8;

std::string status_text(std::uint64_t status) {
  std::string bits;
  for (const golden::StatusBit& bit : golden::kStatusBits) {
    if ((status << 8 >> bit.bit & 1) == 0) continue;
    bits += bits.empty() ? "" : " ";
    bits += bit.name;
  }
  return fmt::format("{:02x} ({})", status, bits.empty() ? "none" : bits);
}

std::string flags_text(std::uint64_t flags) {
  constexpr std::string_view kNames[] = {"inexact", "overflow", "saturated",     "underflow",
                                         "invalid", "to_zero",  "divide_by_zero"};
  std::string names;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((flags >> i & 1) == 0) continue;
    names += names.empty() ? "" : " ";
    names += kNames[i];
  }
  return fmt::format("{:02x} ({})", flags, names.empty() ? "none" : names);
}

}  // namespace

std::string code_text(const ElementFormat& format, std::uint64_t code) {
  if (code == golden::kNoCode && format.bits < 64) return fmt::format("no {} code", format.name);
  if ((code & ~format.code_mask()) != 0) return fmt::format("{:x} (no {} code)", code, format.name);
  return fmt::format("{} ({})", golden::hex_code(format, code),
                     golden::short_decimal(decode(format, code)));
}

std::string part_text(const golden::VectorHeader& header) {
  std::string text;
  if (header.shards != 1) text += fmt::format("; shard {}/{}", header.shard, header.shards);
  if (header.seed != 0 || header.drawn != 0) {
    text += fmt::format("{} seed {}", text.empty() ? ";" : ",", header.seed);
  }
  return text;
}

namespace {

using golden::Field;
using golden::RecordBatch;

std::string flags_difference(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                             const golden::OpenAnswer& open, std::string (*text)(std::uint64_t)) {
  if (open.flags || !open.observed.has(Field::kFlags) || !expected.has(Field::kFlags)) return {};
  const std::uint64_t want = expected.word(Field::kFlags, i);
  const std::uint64_t got = actual.word(Field::kFlags, i);
  if (want == got) return {};
  return fmt::format("  flags: expected {}, got {}\n", text(want), text(got));
}

/// A result of one code and flags.
std::string single_difference(const ElementFormat& format, const RecordBatch& expected,
                              const RecordBatch& actual, std::size_t i,
                              const golden::OpenAnswer& open) {
  const std::string flags = flags_difference(expected, actual, i, open, flags_text);
  const std::uint64_t want = expected.word(Field::kCode, i);
  const std::uint64_t got = actual.word(Field::kCode, i);
  if (!golden::is_wrong(open, Field::kCode, 0, want, got)) return flags;
  return fmt::format("  code: expected {}, got {}\n", code_text(format, want),
                     code_text(format, got)) +
         flags;
}

std::string conversion_difference(const ConversionConfig& conversion, const RecordBatch& expected,
                                  const RecordBatch& actual, std::size_t i,
                                  const golden::OpenAnswer& open) {
  std::string text =
      fmt::format("  source {}", code_text(conversion.source, expected.word(Field::kSource, i)));
  if (expected.has(Field::kRandom)) {
    text += fmt::format(", random {:x}", expected.word(Field::kRandom, i));
  }
  return text + "\n" + single_difference(conversion.destination, expected, actual, i, open);
}

/// The scale of a block with sublevels is shown as its bits.
std::string scale_text(const BlockFormat& format, std::uint64_t code) {
  return format.scale_bits() == format.scale.bits ? code_text(format.scale, code)
                                                  : fmt::format("{:x}", code);
}

std::string block_difference(const QuantizerConfig& config, const RecordBatch& expected,
                             const RecordBatch& actual, std::size_t i,
                             const golden::OpenAnswer& open) {
  std::string text = fmt::format("  {} to {}, {}, {}, {} elements\n", config.source.name,
                                 config.format.name, token_of(config.element.rounding),
                                 token_of(config.block.rule), expected.elements(Field::kSource, i));
  const std::uint64_t want = expected.word(Field::kScale, i);
  const std::uint64_t got = actual.word(Field::kScale, i);
  if (want != got && !open.scale && open.observed.has(Field::kScale)) {
    text += fmt::format("  scale: expected {}, got {}\n", scale_text(config.format, want),
                        scale_text(config.format, got));
  }
  text += flags_difference(expected, actual, i, open, status_text);
  if (!open.observed.has(Field::kCode)) return text;
  std::size_t shown = 0;
  const auto right = expected.of(Field::kCode, i);
  const auto wrong = actual.of(Field::kCode, i);
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    const bool exists = lane < open.lanes.size();
    if (right[lane] == wrong[lane] || (exists && open.code(lane))) continue;
    if (shown++ == kMaxLanesShown) return text + "  ...\n";
    text += fmt::format("  lane {}: source {}", lane,
                        code_text(config.source, expected.of(Field::kSource, i)[lane]));
    if (is_stochastic(config.element.rounding) && expected.has(Field::kRandom)) {
      text += fmt::format(", random {:x}", expected.of(Field::kRandom, i)[lane]);
    }
    text += fmt::format(": expected {}, got {}\n", code_text(config.format.element, right[lane]),
                        code_text(config.format.element, wrong[lane]));
  }
  return text;
}

std::string arithmetic_difference(const golden::ArithmeticCase& what, const RecordBatch& expected,
                                  const RecordBatch& actual, std::size_t i,
                                  const golden::OpenAnswer& open) {
  std::string text = fmt::format("  {}", token_of(what.operation));
  constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
  for (std::size_t k = 0; k < operands_of(what.operation); ++k) {
    text += fmt::format("{} {}", k == 0 ? "" : ",",
                        code_text(what.operand(), expected.word(kOperands[k], i)));
  }
  return text + "\n" + single_difference(what.result(), expected, actual, i, open);
}

std::string dequantize_difference(const golden::DequantizeCase& what, const RecordBatch& expected,
                                  const RecordBatch& actual, std::size_t i) {
  std::string text =
      fmt::format("  {} to {}, {}, {} elements, scale {}\n", what.format.name, what.result.name,
                  token_of(what.how.rounding), expected.elements(Field::kA, i),
                  scale_text(what.format, expected.word(Field::kAScale, i)));
  std::size_t shown = 0;
  const auto right = expected.of(Field::kCode, i);
  const auto wrong = actual.of(Field::kCode, i);
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    if (right[lane] == wrong[lane]) continue;
    if (shown++ == kMaxLanesShown) return text + "  ...\n";
    text += fmt::format("  lane {}: {}: expected {}, got {}\n", lane,
                        code_text(what.format.element, expected.of(Field::kA, i)[lane]),
                        code_text(what.result, right[lane]), code_text(what.result, wrong[lane]));
  }
  return text;
}

/// The words of a row that differ.
std::string row_difference(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                           const golden::OpenAnswer& open) {
  std::string text;
  std::size_t shown = 0;
  for (const Field field : {Field::kScale, Field::kCode}) {
    if (!open.observed.has(field)) continue;
    const auto right = expected.of(field, i);
    const auto wrong = actual.of(field, i);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (right[lane] == wrong[lane] || ++shown > kMaxLanesShown) continue;
      text += fmt::format("  {}[{}]", token_of(field), lane);
      const auto source = expected.of(Field::kSource, i);
      if (field == Field::kCode && lane < source.size()) {
        text += fmt::format(", source {:x}", source[lane]);
      }
      text += fmt::format(": expected {:x}, got {:x}\n", right[lane], wrong[lane]);
    }
  }
  return text;
}

}  // namespace

std::string difference(const golden::VectorHeader& header, const RecordBatch& expected,
                       const RecordBatch& actual, std::size_t i, const golden::OpenAnswer& open) {
  const golden::Computation& what = header.configs[expected.config(i)].what;
  if (const auto* const conversion = std::get_if<ConversionConfig>(&what)) {
    return conversion_difference(*conversion, expected, actual, i, open);
  }
  if (const auto* const config = std::get_if<QuantizerConfig>(&what)) {
    return block_difference(*config, expected, actual, i, open);
  }
  if (const auto* const arithmetic = std::get_if<golden::ArithmeticCase>(&what)) {
    return arithmetic_difference(*arithmetic, expected, actual, i, open);
  }
  if (std::holds_alternative<golden::CastCase>(what)) {
    return row_difference(expected, actual, i, open);
  }
  if (const auto* const dequantizing = std::get_if<golden::DequantizeCase>(&what)) {
    return dequantize_difference(*dequantizing, expected, actual, i);
  }
  if (const auto* const unit = std::get_if<golden::UnitCase>(&what)) {
    const UnitConfig& on = unit->on;
    return fmt::format("  {} elements of {} and {} on {}, C {}\n", expected.elements(Field::kA, i),
                       on.a.element.name, on.b.element.name, on.unit.name,
                       code_text(on.result, expected.word(Field::kC, i))) +
           single_difference(on.result, expected, actual, i, open);
  }
  const DotConfig& dot = std::get<golden::DotCase>(what).dot;
  return fmt::format("  {} elements of {} and {}, {}\n", expected.elements(Field::kA, i),
                     dot.a.name, dot.b.name, token_of(dot.mode)) +
         single_difference(dot.result, expected, actual, i, open);
}

}  // namespace mx::cli

#include "cli/vectors/check_text.hpp"

#include <fmt/format.h>

#include "cli/text/exact.hpp"
#include "golden/answers/expected.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "golden/files/vector_file.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kMaxLanesShown = 8;

std::string status_text(std::uint16_t status) {
  std::string bits;
  for (const golden::StatusBit& bit : golden::kStatusBits) {
    if ((status >> bit.bit & 1) == 0) continue;
    bits += bits.empty() ? "" : " ";
    bits += bit.name;
  }
  return fmt::format("{:02x} ({})", status >> 8, bits.empty() ? "none" : bits);
}

std::string flags_text(std::uint8_t flags) {
  constexpr std::string_view kNames[] = {"inexact",   "overflow", "saturated",
                                         "underflow", "invalid",  "to_zero"};
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
  if ((code & ~format.code_mask()) != 0) return fmt::format("{:x} (no {} code)", code, format.name);
  return fmt::format("{} ({})", hex_code(format, code), short_decimal(decode(format, code)));
}

std::string difference(const golden::VectorHeader& header, const golden::CvtBatch& expected,
                       const golden::CvtBatch& actual, std::size_t i) {
  std::string text = fmt::format("  source {}", code_text(header.source, expected.source[i]));
  if (!expected.random.empty()) text += fmt::format(", random {:x}", expected.random[i]);
  text += fmt::format("\n  code: expected {}, got {}\n",
                      code_text(header.destination, expected.code[i]),
                      code_text(header.destination, actual.code[i]));
  if (expected.flags[i] != actual.flags[i]) {
    text += fmt::format("  flags: expected {}, got {}\n", flags_text(expected.flags[i]),
                        flags_text(actual.flags[i]));
  }
  return text;
}

std::string difference(const golden::VectorHeader& header, const golden::BlockBatch& expected,
                       const golden::BlockBatch& actual, std::size_t i) {
  const QuantizerConfig config = golden::config_of(expected.config_word[i], header.context).value();
  const ElementFormat& element = config.format.element;
  std::string text =
      fmt::format("  tuser {:08x}: {} to {}, {}, {}\n", expected.config_word[i], config.source.name,
                  element.name, token_of(config.element.rounding), token_of(config.block.rule));
  const std::uint16_t want = expected.status[i];
  const std::uint16_t got = actual.status[i];
  if ((want & 0xFFU) != (got & 0xFFU)) {
    text +=
        fmt::format("  scale: expected {}, got {}\n", code_text(config.format.scale, want & 0xFFU),
                    code_text(config.format.scale, got & 0xFFU));
  }
  if (want >> 8 != got >> 8) {
    text += fmt::format("  flags: expected {}, got {}\n", status_text(want), status_text(got));
  }
  if (golden::codes_masked(expected.config_word[i], want)) return text;
  std::size_t shown = 0;
  for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
    const std::uint64_t right = expected.codes_of(i)[lane];
    const std::uint64_t wrong = actual.codes_of(i)[lane];
    if (right == wrong) continue;
    if (shown++ == kMaxLanesShown) return text + "  ...\n";
    text += fmt::format("  lane {}: source {}", lane,
                        code_text(config.source, expected.source_of(i)[lane]));
    if (is_stochastic(config.element.rounding)) {
      text += fmt::format(", random {:x}", expected.random_of(i)[lane]);
    }
    text += fmt::format(": expected {}, got {}\n", code_text(element, right),
                        code_text(element, wrong));
  }
  return text;
}

}  // namespace mx::cli

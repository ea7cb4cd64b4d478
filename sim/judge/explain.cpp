#include "sim/judge/explain.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "reference/policy/fields.hpp"

namespace mx::sim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string status_text(std::uint16_t status) {
  std::string text;
  for (const golden::StatusBit& bit : golden::kStatusBits) {
    if ((status >> bit.bit & 1) == 0) continue;
    if (!text.empty()) text += ' ';
    text += bit.name;
  }
  return text.empty() ? "none" : text;
}

std::string scale_text(std::uint8_t scale) {
  return scale == 0xFF ? "FF (NaN)" : fmt::format("{:02X} (2^{})", scale, int{scale} - 127);
}

std::string hex_row(std::span<const std::uint32_t> words, int digits) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i % 8 == 0 ? "\n             " : " ";
    fmt::format_to(Out(text), "{:0{}x}", words[i], digits);
  }
  return text;
}

std::string hex_row(std::span<const std::uint8_t> codes) {
  std::string text;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    fmt::format_to(Out(text), "{}{:02x}", i == 0 ? "" : " ", codes[i]);
  }
  return text;
}

void add_answer(std::string& text, std::string_view who, const BlockOut& answer) {
  fmt::format_to(Out(text), "  {:<9}  scale {}, status {:04x} ({}), keep {:08x}, last {}\n", who,
                 scale_text(answer.scale()), answer.status, status_text(answer.status), answer.keep,
                 answer.last ? 1 : 0);
  fmt::format_to(Out(text), "             {}\n", hex_row(answer.codes));
}

// The parts of the answer that do not count: what the device does not give, what is left open or
// waived.
void add_not_compared(std::string& text, const Mismatch& m) {
  const Observes& observed = m.open.observed;
  std::vector<std::string> parts;
  if (!observed.scale || m.open.scale) parts.emplace_back("scale");
  if (!observed.flags || m.open.flags) parts.emplace_back("status");
  if (!observed.keep) parts.emplace_back("keep");
  if (!observed.last) parts.emplace_back("last");
  const std::uint32_t lanes = m.block.keep & ~compared_lanes(m.compare, m.open);
  if (lanes != 0) parts.push_back(fmt::format("{} codes", std::popcount(lanes)));
  if (parts.empty()) return;
  fmt::format_to(Out(text), "             not compared: {}\n", fmt::join(parts, ", "));
}

// The element's own value and, with a scale that is no NaN, the dequantized one.
std::string code_text(const ElementFormat& format, std::uint64_t code, std::uint8_t scale) {
  if ((code & ~format.code_mask()) != 0) {
    return fmt::format("{:02X} (no code of {})", code, format.name);
  }
  const Unpacked value = decode(format, code);
  std::string text = fmt::format("{:02X} = {}", code, value_text(value));
  if (value.cls == ValueClass::kFinite && scale != 0xFF && scale != 127) {
    Unpacked scaled = value;
    scaled.exponent += int{scale} - 127;
    text += fmt::format(" ({} with the scale)", value_text(scaled));
  }
  return text;
}

std::string rounding_text(const Trace& trace, const QuantizerConfig& config, std::uint32_t random) {
  const ElementFormat& format = config.format.element;
  const auto neighbour = [&](std::uint64_t code) {
    return code > format.max_code
               ? fmt::format("{:02X} = beyond the largest", code)
               : fmt::format("{:02X} = {}", code, value_text(decode(format, code)));
  };
  std::string text;
  if (trace.discarded.exact()) {
    text = fmt::format("is exactly {}", neighbour(trace.lower));
  } else {
    text = fmt::format("in magnitude lies between {} and {}: lsb {}, guard {}, sticky {}",
                       neighbour(trace.lower), neighbour(trace.upper), trace.odd ? 1 : 0,
                       trace.discarded.guard() ? 1 : 0, trace.discarded.sticky() ? 1 : 0);
    if (is_stochastic(config.element.rounding)) {
      const int n = config.element.random_bits;
      text += fmt::format(", top {} discarded bits {:x}, R {:x}", n,
                          trace.discarded.fraction >> (64 - n), random);
    }
    text += fmt::format("; {} goes {}", token_of(config.element.rounding),
                        trace.rounded_up ? "up" : "down");
  }
  if (trace.step == Trace::Step::kOverflowed) {
    text += fmt::format("; beyond the largest value, {}", token_of(config.element.overflow));
  }
  return text;
}

std::string step_text(const Trace& trace, const QuantizerConfig& config, std::uint32_t random) {
  if (trace.has_neighbours) return rounding_text(trace, config, random);
  switch (trace.step) {
    case Trace::Step::kNan:
      return fmt::format("is NaN: nan = {}", token_of(config.element.nan));
    case Trace::Step::kInfinity:
      return fmt::format("is infinite: overflow = {}", token_of(config.element.overflow));
    case Trace::Step::kZero:
      return fmt::format("is zero: zero_sign = {}", token_of(config.element.zero_sign));
    case Trace::Step::kOverflowed:
      return fmt::format("lies beyond the largest value: overflow = {}",
                         token_of(config.element.overflow));
    default:
      return "is rounded";
  }
}

void add_scale_reason(std::string& text, const Mismatch& m, const Quantizer& quantizer,
                      std::span<const std::uint64_t> source) {
  const QuantizerConfig& config = quantizer.config();
  const ScaleTrace trace = quantizer.explain_scale(source);
  text += "  scale      ";
  if (!trace.rule_applied) {
    fmt::format_to(Out(text), "no rule applies: a special block ({}), {} by policy\n",
                   status_text(m.expected.status & 0x0E00), scale_text(m.expected.scale()));
    return;
  }
  fmt::format_to(Out(text),
                 "largest magnitude {} (lane {}), floor(log2) = {}; rule {}, emax {}: scale code "
                 "{}{}\n",
                 value_text(trace.amax), trace.argmax, trace.amax.exponent,
                 token_of(config.block.rule), config.format.element.emax(), trace.unclamped,
                 trace.unclamped == m.expected.scale()
                     ? ""
                     : fmt::format(", stored as {}", scale_text(m.expected.scale())));
}

void add_lane(std::string& text, const Mismatch& m, const Quantizer& quantizer, std::size_t lane,
              std::uint64_t source) {
  const QuantizerConfig& config = quantizer.config();
  const ElementFormat& format = config.format.element;
  fmt::format_to(Out(text), "  lane {:<2}    source {:0{}x} = {}", lane, source,
                 config.source.bits / 4, value_text(decode(config.source, source)));
  if ((m.block.keep >> lane & 1) == 0) {
    text += "; not kept, so its code is 0\n";
  } else if (m.expected.scale() == 0xFF) {
    text += fmt::format("; the scale is NaN: nan_scale_codes = {}\n",
                        token_of(config.block.nan_scale_codes));
  } else {
    Trace trace;
    const Encoded encoded =
        quantizer.explain_element(source, m.expected.scale(), m.block.random[lane], trace);
    text += fmt::format("; over 2^{} it {}\n", int{m.expected.scale()} - 127,
                        step_text(trace, config, m.block.random[lane]));
    if (encoded.code != m.expected.codes[lane]) {
      // Only goldens from a file can differ from what the reference computes now.
      text +=
          fmt::format("             but the file expects another code than the reference's {}\n",
                      code_text(format, encoded.code, m.expected.scale()));
    }
  }
  fmt::format_to(Out(text), "             expected {}; device gave {}\n",
                 code_text(format, m.expected.codes[lane], m.expected.scale()),
                 code_text(format, m.actual.codes[lane], m.actual.scale()));
}

}  // namespace

std::string configuration_text(const QuantizerConfig& c) {
  std::string text = fmt::format("{} -> {}, {}, {}", c.source.name, c.format.element.name,
                                 token_of(c.element.rounding), token_of(c.block.rule));
  if (is_stochastic(c.element.rounding)) text += fmt::format(", N={}", c.element.random_bits);
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "rounding" || field.name == "rule" || field.name == "random_bits") continue;
    const std::string value = field.read({c.element, c.block});
    if (value != field.read({})) fmt::format_to(Out(text), ", {}={}", field.name, value);
  }
  return text;
}

std::string value_text(const Unpacked& value) {
  switch (value.cls) {
    case ValueClass::kNan:
      return value.negative ? "-nan" : "nan";
    case ValueClass::kInf:
      return value.negative ? "-inf" : "inf";
    case ValueClass::kZero:
      return value.negative ? "-0" : "0";
    case ValueClass::kFinite:
      break;
  }
  const double magnitude = std::ldexp(static_cast<double>(value.significand), value.exponent - 63);
  return fmt::format("{:.9g}", value.negative ? -magnitude : magnitude);
}

/// Codes that are left out of every comparison are no differences.
bool is_compared(const Mismatch& m, std::size_t lane) {
  return (compared_lanes(m.compare, m.open) >> lane & 1) != 0;
}

std::string explain(const Mismatch& m, ReferenceModel& model, int lanes) {
  const Quantizer* const quantizer = &model.quantizer(m.block.config);
  const QuantizerConfig& config = quantizer->config();
  const golden::ConfigWord word = golden::config_word_of(config);
  std::array<std::uint64_t, kLanes> source;
  source_codes(m.block, config.source, source);
  std::string text =
      fmt::format("  config     {}{}\n", configuration_text(config),
                  word.holds() ? fmt::format(" (tuser {:08x})", word.word) : std::string());
  fmt::format_to(Out(text), "  source     {}\n",
                 hex_row(m.block.source, config.source.bits == 32 ? 8 : 4));
  if (is_stochastic(config.element.rounding)) {
    fmt::format_to(Out(text), "  random     {}\n",
                   hex_row(m.block.random, (config.element.random_bits + 3) / 4));
  }
  add_answer(text, "expected", m.expected);
  add_answer(text, "device", m.actual);
  add_not_compared(text, m);
  add_scale_reason(text, m, *quantizer, source);
  int shown = 0;
  int differing = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (m.expected.codes[lane] == m.actual.codes[lane] || !is_compared(m, lane)) continue;
    if (++differing > lanes) continue;
    ++shown;
    add_lane(text, m, *quantizer, lane, source[lane]);
  }
  if (differing > shown) {
    fmt::format_to(Out(text), "  and {} more differing lanes\n", differing - shown);
  }
  return text;
}

}  // namespace mx::sim

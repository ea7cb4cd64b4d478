#include <cassert>

#include "reference/element/encode_kernel.hpp"
#include "reference/format/table.hpp"

namespace mx {
namespace {

/// Does the destination's quirk (spec F11.5) send x to code 01, where rounding might not?
bool lifts_to_code_1(const ConversionConfig& c, const Unpacked& x) {
  const ElementFormat& f = c.destination;
  if (c.policy.e8m0_quirk == E8m0Quirk::kNone || f.zero != ZeroKind::kNone || f.man_bits != 0 ||
      x.cls != ValueClass::kFinite || x.exponent > f.emin() ||
      (x.negative && c.policy.unsigned_negative != UnsignedNegative::kMagnitude)) {
    return false;
  }
  if (c.policy.e8m0_quirk == E8m0Quirk::kOnnxUp) return true;
  return x.exponent == f.emin() && (x.significand << 1 != 0 || x.sticky);
}

Encoded with_quirk(const ConversionConfig& c, const Unpacked& x, Encoded encoded) {
  if (!lifts_to_code_1(c, x)) return encoded;
  return {1, static_cast<std::uint8_t>(encoded.flags | kFlagInexact)};
}

Encoded convert(const ConversionConfig& c, std::uint64_t source_code, std::uint32_t random) {
  assert(c.source.takes(source_code) && is_drawn(c.policy, random));
  const Unpacked x = kernel::seen_source(c, source_code);
  return with_quirk(c, x,
                    kernel::encode_with(x, c.destination, c.policy, random, kernel::NoTrace{}));
}

}  // namespace

Encoded encode(const Unpacked& x, const ElementFormat& format, const ElementPolicy& policy,
               std::uint32_t random) {
  assert(is_drawn(policy, random));
  return kernel::encode_with(x, format, policy, random, kernel::NoTrace{});
}

Encoded encode(const Unpacked& x, const ElementFormat& format, const ElementPolicy& policy,
               std::uint32_t random, Trace& trace) {
  assert(is_drawn(policy, random));
  trace = Trace{};
  return kernel::encode_with(x, format, policy, random, kernel::WriteTrace{trace});
}

Unpacked decode_flushed(const ElementFormat& source, const ElementPolicy& policy,
                        std::uint64_t code) {
  assert(source.takes(code));
  return kernel::decode_flushed(source, policy, code);
}

Unpacked staged(const Unpacked& x, const ElementPolicy& policy, const ElementFormat& destination) {
  return kernel::staged(x, policy, destination);
}

Unpacked seen_source(const ConversionConfig& conversion, std::uint64_t code) {
  assert(conversion.source.takes(code));
  return kernel::seen_source(conversion, code);
}

std::string_view Conversion::problem(const ConversionConfig& c) {
  for (const ElementFormat* format : {&c.source, &c.destination}) {
    if (const std::string_view reason = invalid_reason(*format); !reason.empty()) return reason;
  }
  return problem_of(c.policy);
}

Checked<Conversion> Conversion::make(const ConversionConfig& config) {
  if (const std::string_view reason = problem(config); !reason.empty()) {
    return Problem{std::string(reason)};
  }
  return Conversion(config);
}

Encoded Conversion::operator()(std::uint64_t source_code, std::uint32_t random) const {
  return convert(config_, source_code, random);
}

Encoded Conversion::of(const Unpacked& x, std::uint32_t random) const {
  const Unpacked value = staged(x, config_.policy, config_.destination);
  return with_quirk(config_, value, encode(value, config_.destination, config_.policy, random));
}

// Flattened: a call for each element, and for each of its steps, costs a third of the time.
[[gnu::flatten]] void Conversion::each(std::span<const std::uint64_t> source_codes,
                                       std::span<const std::uint64_t> random,
                                       std::span<std::uint64_t> codes,
                                       std::span<std::uint64_t> flags) const {
  assert(codes.size() == source_codes.size() && flags.size() == source_codes.size());
  assert(random.empty() || random.size() == source_codes.size());
  const ConversionConfig c = config_;  // a value, so that stores cannot be taken to change it
  for (std::size_t i = 0; i < source_codes.size(); ++i) {
    const auto word = random.empty() ? 0 : static_cast<std::uint32_t>(random[i]);
    const Encoded encoded = convert(c, source_codes[i], word);
    codes[i] = encoded.code;
    flags[i] = encoded.flags;
  }
}

Encoded Conversion::operator()(std::uint64_t source_code, std::uint32_t random,
                               Trace& trace) const {
  const ConversionConfig& c = config_;
  const Unpacked x = seen_source(c, source_code);
  return with_quirk(c, x, encode(x, c.destination, c.policy, random, trace));
}

}  // namespace mx

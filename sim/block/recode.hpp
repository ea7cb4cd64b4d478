// Answers made wrong lane by lane: what faults have in common.
#pragma once

#include <array>
#include <cstdint>

#include "golden/config_word/table.hpp"
#include "sim/block/model.hpp"

namespace mx::sim {

/// A lane of a block, and what the reference makes of it under the answer's scale.
struct LaneAnswer {
  std::size_t lane = 0;
  std::uint64_t source = 0;
  std::uint32_t random = 0;
  Encoded encoded;
  Trace trace;
};

/// Gives every kept lane's answer to `change`, and puts what that returns in its place, the status
/// bits of elements with it. Nothing under a NaN scale.
template <typename Change>
void change_elements(const BlockIn& block, const Quantizer& quantizer, BlockOut& out,
                     Change change) {
  if (out.scale() == 0xFF) return;
  std::array<std::uint64_t, kLanes> source;
  source_codes(block, quantizer.config().source, source);
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((block.keep >> i & 1) == 0) continue;
    LaneAnswer lane{i, source[i], block.random[i], {}, {}};
    lane.encoded = quantizer.explain_element(lane.source, out.scale(), lane.random, lane.trace);
    const Encoded changed = change(lane);
    out.codes[i] = static_cast<std::uint8_t>(changed.code);
    flags |= changed.flags;
  }
  constexpr unsigned kUnderflow = 1U << 12, kSaturated = 1U << 13;
  const unsigned bits = ((flags & kFlagToZero) != 0 ? kUnderflow : 0U) |
                        ((flags & kFlagOverflow) != 0 ? kSaturated : 0U);
  out.status = static_cast<std::uint16_t>((out.status & ~(kUnderflow | kSaturated)) | bits);
}

/// The same with a code for each lane; status bits stay.
template <typename Change>
void change_codes(const BlockIn& block, const Quantizer& quantizer, BlockOut& out, Change change) {
  const std::uint16_t status = out.status;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    return Encoded{change(lane), lane.encoded.flags};
  });
  out.status = status;
}

/// An element under another scale.
inline Encoded element_under(const Quantizer& quantizer, const LaneAnswer& lane,
                             std::uint64_t scale) {
  Trace ignored;
  return quantizer.explain_element(lane.source, scale, lane.random, ignored);
}

/// The block under another scale than the reference's choice: its codes, and what they say of
/// themselves.
inline void recode(const BlockIn& block, const Quantizer& quantizer, std::uint64_t scale,
                   BlockOut& out) {
  out.status = static_cast<std::uint16_t>((out.status & 0xFF00) | scale);
  change_elements(block, quantizer, out, [](const LaneAnswer& lane) { return lane.encoded; });
}

/// The same under a scale that a rule chose before clamping, with the status bit of clamping.
/// Nothing where that scale lies above the largest.
inline void recode_unclamped(const BlockIn& block, const Quantizer& quantizer, int unclamped,
                             BlockOut& out) {
  constexpr unsigned kClamped = 1U << 8, kZeroBlock = 1U << 9;
  if (unclamped > 0xFE) return;
  const unsigned heads = (out.status & ~(kClamped | kZeroBlock)) | (unclamped < 0 ? kClamped : 0U);
  out.status = static_cast<std::uint16_t>(heads);
  recode(block, quantizer, unclamped < 0 ? 0U : static_cast<std::uint64_t>(unclamped), out);
}

/// The sign bit of a source code.
inline bool is_negative(const Quantizer& quantizer, const LaneAnswer& lane) {
  return (lane.source & quantizer.config().source.sign_bit()) != 0;
}

}  // namespace mx::sim

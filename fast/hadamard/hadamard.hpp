// Random Hadamard transforms (spec F25) on the CPU by vectors, bit-identical to the reference:
// binary32 sums of the machine itself, in the order of the spec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/constants.hpp"
#include "reference/policy/checked.hpp"

namespace mx::fast {

/// Elements that are transformed together.
inline constexpr std::size_t kHadamardGroup = 16;

/// Where elements change their signs: before the sums, or behind them.
enum class HadamardOrder : std::uint8_t { kSignsFirst, kSignsLast };

/// Bit i of the mask is the sign of element i.
struct HadamardJob {
  ElementFormat source;
  std::uint16_t mask = 0;
  HadamardOrder order = HadamardOrder::kSignsFirst;
};

/// Groups of 16 of one source under one mask. A value type; the calls are const and may run side by
/// side.
class HadamardPlan {
 public:
  /// The plan, or why there is no fast path: sources are fp32, bf16 and fp16.
  [[nodiscard]] static Checked<HadamardPlan> make(const HadamardJob& job);

  /// Little-endian words of the source to binary32 words of the same places; groups lie along the
  /// layout's length. Spans may be unaligned, and the same memory where the source is fp32. False,
  /// and nothing is written, where the length is no multiple of 16 or a span does not fit the
  /// layout. `threads` share the work; neither they nor the rounding mode and flushing of the
  /// caller's floating point change a bit.
  [[nodiscard]] bool transform(const BlockLayout& layout, std::span<const std::byte> words,
                               std::span<std::byte> values, int threads = 1) const;

  /// Bits that change the sign of elements, before the sums and behind them.
  struct Constants {
    cpu::Source source = cpu::Source::kFp32;
    std::array<std::uint32_t, kHadamardGroup> first{};
    std::array<std::uint32_t, kHadamardGroup> last{};
  };

 private:
  explicit HadamardPlan(const Constants& constants) : constants_(constants) {}
  Constants constants_;
};

}  // namespace mx::fast

#include <algorithm>

#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/block_layout.hpp"
#include "emulators/qtorch/kernels/block_table.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
namespace {

/// A finite block that is not all zero.
class Block {
 public:
  Block(const BlockCall& call, Bits largest)
      : bits_(call.wl < 23 ? 23 - static_cast<int>(call.wl) : 31),
        word_mask_((std::uint32_t{1} << bits_) - 1),
        limit_(call.wl < 26 ? (std::int64_t{1} << (call.wl - 1)) - 1 : kNoLimit) {
    // e + 127: of a subnormal too.
    const int leading = exponent_field(largest) != 0
                            ? exponent_field(largest)
                            : static_cast<int>(std::bit_width(largest)) - 23;
    field_ = leading + 25 - static_cast<int>(std::min<std::int64_t>(call.wl, 400));
  }

  [[nodiscard]] Bits nearest(Bits x) const {
    const Parts parts = parts_of(magnitude_of(x));
    const int shift = field_ - parts.field;
    if (shift <= 0) return exact(x);
    const std::int64_t count = shifted_to_even(parts.significand, shift);
    return assemble(sign_of(x) != 0 ? -count : count);
  }

  [[nodiscard]] Bits stochastic(Bits x, std::uint32_t random) const {
    const Parts parts = parts_of(magnitude_of(x));
    const int shift = field_ - parts.field;
    if (shift <= 0) return exact(x);
    const std::int64_t size = parts.significand;
    std::int64_t count = sign_of(x) != 0 ? -size : size;
    count = shift <= bits_ ? count << (bits_ - shift) : count >> std::min(shift - bits_, 63);
    return assemble((count + (random & word_mask_)) >> bits_);
  }

 private:
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

  /// A multiple of the quantum; of wl 1 only zero is a code.
  [[nodiscard]] Bits exact(Bits x) const { return limit_ == 0 || magnitude_of(x) == 0 ? 0 : x; }

  [[nodiscard]] Bits assemble(std::int64_t count) const {
    const bool is_negative = count < 0;
    const std::int64_t size = std::min(is_negative ? -count : count, limit_);
    if (size == 0) return 0;
    return (is_negative ? fp32::kSignBit : 0) | assembled(static_cast<std::uint32_t>(size), field_);
  }

  int bits_;
  std::uint32_t word_mask_;
  std::int64_t limit_;
  int field_ = 0;  ///< the quantum is 2^(field - 150)
};

}  // namespace

void block_strict(const BlockCall& call, const BlockLayout& layout, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results) {
  const std::vector<Bits> maxima = block_maxima(layout, values);
  const std::optional<BlockTable> table = block_table(call, values.size());
  for_each_run(layout, [&](std::size_t block, std::size_t first, std::size_t size) {
    const Bits largest = maxima[block];
    if (largest == 0 || largest >= fp32::kInfinity) {
      const auto run = results.subspan(first, size);
      std::fill(run.begin(), run.end(), largest == 0 ? 0 : kQuietNan);
      return;
    }
    const int field = exponent_field(largest);
    if (table && BlockTable::takes(call.wl, field)) {
      const int dropped = 23 - static_cast<int>(call.wl);
      const std::int32_t mask = (1 << dropped) - 1;
      if (call.rounding == Rounding::kStochastic) {
        for (std::size_t i = first; i < first + size; ++i) {
          const std::int32_t word = static_cast<std::int32_t>(random[i]) & mask;
          results[i] = (*table)((signed_floor(values[i], field + 2) + word) >> dropped, field);
        }
        return;
      }
      for (std::size_t i = first; i < first + size; ++i) {
        results[i] = (*table)(signed_to_even(values[i], field + 2 + dropped), field);
      }
      return;
    }
    const Block quantize(call, largest);
    if (call.rounding == Rounding::kStochastic) {
      for (std::size_t i = first; i < first + size; ++i) {
        results[i] = quantize.stochastic(values[i], random[i]);
      }
      return;
    }
    for (std::size_t i = first; i < first + size; ++i) results[i] = quantize.nearest(values[i]);
  });
}

}  // namespace mx::emulators::qtorch

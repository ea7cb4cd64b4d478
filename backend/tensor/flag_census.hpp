// The flags of a tensor whose codes a fast path computed, as the reference gives them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/block/quantizer.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// Flags of a tensor so far, shared by the calls that work on it.
using Flags = std::atomic<std::uint16_t>;

/// What is looked at: a tensor and its codes and scales.
struct QuantizedTensor {
  const BlockedShape& shape;
  std::span<const std::byte> source;
  CounterRandom random;
  std::span<std::byte> codes;  ///< one byte each
  std::span<std::byte> scales;
};

/// Flags are an OR, so most blocks add nothing to those of the blocks before them. Codes, scales
/// and status words bound what a block may add; the reference answers the few that may add
/// something.
class FlagCensus {
 public:
  FlagCensus(const Quantizer& reference, const QuantizedTensor& tensor, Flags& seen);

  /// May a run of blocks that lie together add a flag? Quick, and never wrong with "no". Under
  /// real-valued scales it needs their `status` words, under powers of two the scales say enough.
  [[nodiscard]] bool may_add(std::uint64_t first_element, std::uint64_t elements,
                             std::uint64_t first_block, std::uint64_t blocks,
                             std::span<const std::uint16_t> status = {}) const;

  /// Adds the flags of one block whose status word (spec R6) is known.
  void add(std::uint64_t block, std::uint16_t status);

 private:
  struct Extremes {
    bool any_small = false;
    bool any_large = false;
  };
  [[nodiscard]] Extremes extremes(std::span<const std::byte> codes) const;
  [[nodiscard]] std::uint16_t missing() const;
  [[nodiscard]] std::uint16_t possible(std::uint64_t block, std::uint16_t status) const;
  [[nodiscard]] bool any_small(std::uint64_t first_element, std::uint64_t elements) const;
  [[nodiscard]] bool is_special(std::byte scale) const;
  [[nodiscard]] bool is_small(std::uint64_t element) const;
  struct Roundings {
    bool any = false;
    bool any_small = false;
  };
  [[nodiscard]] Roundings roundings(std::uint64_t block, std::uint8_t scale) const;

  const Quantizer& reference_;
  QuantizedTensor tensor_;
  Flags& seen_;
  std::size_t word_bytes_;
  bool is_scaled_;          ///< the rule gives real-valued scales
  std::uint16_t relevant_;  ///< flags of elements that blocks under plain scales may raise
  std::array<Unpacked, 256> values_;  ///< of the codes
  std::uint8_t magnitude_;            ///< mask of a code's magnitude
  std::uint8_t inverted_;             ///< two's complement: what a negative code is turned over by
  std::uint8_t small_limit_;          ///< the largest magnitude that may have underflowed
  std::uint8_t large_limit_;          ///< the smallest that may have overflowed
};

}  // namespace mx::backend

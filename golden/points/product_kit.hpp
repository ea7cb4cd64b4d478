// Products with exponents of one's choice, as two codes and the scales of their blocks. Nothing
// here rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "golden/points/operand_kit.hpp"
#include "reference/unit/unit.hpp"

namespace mx::golden {

/// The operands of one sum of products: a pair of codes for each product, a pair of scales for each
/// block; no scales where the unit takes none.
struct ProductCodes {
  std::span<std::uint64_t> a_scales, b_scales, a, b;

  [[nodiscard]] std::size_t size() const { return a.size(); }
};

class ProductKit {
 public:
  explicit ProductKit(const UnitConfig& config);

  [[nodiscard]] const OperandKit& a() const { return a_; }
  [[nodiscard]] const OperandKit& b() const { return b_; }
  /// Only where the unit takes scales.
  [[nodiscard]] const OperandKit& scale() const { return *scale_; }
  [[nodiscard]] bool has_scales() const { return scale_.has_value(); }

  /// An exponent that a product of elements can have.
  [[nodiscard]] int any_exponent(Draw& draw) const;
  /// The scales of a lane's block, as an exponent.
  [[nodiscard]] int scaled_by(const ProductCodes& x, std::size_t lane) const;
  /// The product of a lane's elements, without scales.
  [[nodiscard]] Unpacked product(const ProductCodes& x, std::size_t lane) const;

  /// A product of about 2^exponent, scales included, or the nearest that there is; any sign.
  void put(Draw& draw, const ProductCodes& x, std::size_t lane, int exponent) const;
  /// The same of exactly 2^exponent, where there is one.
  void put_power(Draw& draw, const ProductCodes& x, std::size_t lane, int exponent,
                 bool is_negative) const;
  /// A lane's product becomes a zero.
  static void clear(Draw& draw, const ProductCodes& x, std::size_t lane);
  /// Brings products beyond the result's range into it.
  void tame(Draw& draw, const ProductCodes& x, const ElementFormat& result) const;

  /// The scales of all blocks become those of the first.
  static void level_scales(const ProductCodes& x);
  /// Scales of a block that bring products to about 2^target.
  void set_scales(Draw& draw, int target, const ProductCodes& x, std::size_t block) const;
  /// Elements alone may be too narrow for a window: the scales of other blocks than the lane's are
  /// so many binades lower, as far as there are such scales.
  void part_blocks(const ProductCodes& x, std::size_t lane, int by) const;

 private:
  struct Exponents {
    int ours, theirs;
  };
  [[nodiscard]] Exponents factors(Draw& draw, int sum) const;
  [[nodiscard]] std::size_t block_of(std::size_t lane) const {
    return lane / static_cast<std::size_t>(block_size_);
  }

  OperandKit a_, b_;
  std::optional<OperandKit> scale_;
  int block_size_ = 1;
  Binades a_binades_, b_binades_;
};

}  // namespace mx::golden

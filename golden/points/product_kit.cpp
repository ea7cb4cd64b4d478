#include "golden/points/product_kit.hpp"

#include <algorithm>
#include <cstdlib>

namespace mx::golden {

ProductKit::ProductKit(const UnitConfig& config)
    : a_(config.a.element),
      b_(config.b.element),
      a_binades_(config.a.element),
      b_binades_(config.b.element) {
  if (!config.a.scale) return;
  scale_.emplace(config.a.scale->format);
  block_size_ = config.a.scale->block_size;
}

int ProductKit::any_exponent(Draw& draw) const {
  const int low = a_binades_.lowest + b_binades_.lowest;
  const int high = a_binades_.highest + b_binades_.highest;
  return low + static_cast<int>(draw.below(static_cast<std::uint64_t>(high - low) + 1));
}

int ProductKit::scaled_by(const ProductCodes& x, std::size_t lane) const {
  if (!scale_) return 0;
  const std::size_t j = block_of(lane);
  return decode(scale_->format(), x.a_scales[j]).exponent +
         decode(scale_->format(), x.b_scales[j]).exponent;
}

Unpacked ProductKit::product(const ProductCodes& x, std::size_t lane) const {
  return multiply(decode(a_.format(), x.a[lane]), decode(b_.format(), x.b[lane]));
}

ProductKit::Exponents ProductKit::factors(Draw& draw, int sum) const {
  const int low = std::clamp(sum - b_binades_.highest, a_binades_.lowest, a_binades_.highest);
  const int high = std::clamp(sum - b_binades_.lowest, low, a_binades_.highest);
  const int ours = low + static_cast<int>(draw.below(static_cast<std::uint64_t>(high - low) + 1));
  return {ours, std::clamp(sum - ours, b_binades_.lowest, b_binades_.highest)};
}

void ProductKit::put(Draw& draw, const ProductCodes& x, std::size_t lane, int exponent) const {
  const auto [ours, theirs] = factors(draw, exponent - scaled_by(x, lane));
  x.a[lane] = a_.in_binade(draw, ours);
  x.b[lane] = b_.in_binade(draw, theirs);
}

void ProductKit::put_power(Draw& draw, const ProductCodes& x, std::size_t lane, int exponent,
                           bool is_negative) const {
  const auto [ours, theirs] = factors(draw, exponent - scaled_by(x, lane));
  x.a[lane] = is_negative ? a_.negated(unpack_integer(false, 1, ours)) : a_.power(ours);
  x.b[lane] = b_.power(theirs);
}

void ProductKit::clear(Draw& draw, const ProductCodes& x, std::size_t lane) {
  (draw.small(2) == 0 ? x.a : x.b)[lane] = 0;
}

void ProductKit::tame(Draw& draw, const ProductCodes& x, const ElementFormat& result) const {
  constexpr int kRoom = 8;  // of a sum of 256 products
  const int most = result.emax() - kRoom;
  for (std::size_t lane = 0; lane < x.size(); ++lane) {
    const Unpacked a = decode(a_.format(), x.a[lane]);
    const Unpacked b = decode(b_.format(), x.b[lane]);
    const bool is_product = a.cls == ValueClass::kFinite && b.cls == ValueClass::kFinite;
    if (!is_product || a.exponent + b.exponent + scaled_by(x, lane) <= most) continue;
    put(draw, x, lane, most - static_cast<int>(draw.small(2 * kRoom)));
  }
}

void ProductKit::level_scales(const ProductCodes& x) {
  for (std::uint64_t& scale : x.a_scales) scale = x.a_scales[0];
  for (std::uint64_t& scale : x.b_scales) scale = x.b_scales[0];
}

void ProductKit::set_scales(Draw& draw, int target, const ProductCodes& x,
                            std::size_t block) const {
  const int sum = target - any_exponent(draw);
  const auto room = static_cast<std::uint32_t>(1 + std::min(16, std::abs(sum)));
  const int ours = sum / 2 + static_cast<int>(draw.small(room)) - static_cast<int>(room) / 2;
  x.a_scales[block] = scale_->in_binade(draw, ours);
  x.b_scales[block] = scale_->in_binade(draw, sum - ours);
}

void ProductKit::part_blocks(const ProductCodes& x, std::size_t lane, int by) const {
  const std::size_t kept = block_of(lane);
  for (std::size_t j = 0; j < x.a_scales.size(); ++j) {
    const int sum = j == kept ? by - by / 2 : -(by / 2);
    x.a_scales[j] = scale_->power(sum / 2);
    x.b_scales[j] = scale_->power(sum - sum / 2);
  }
}

}  // namespace mx::golden

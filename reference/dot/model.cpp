#include "reference/dot/model.hpp"

#include <array>

namespace mx {
namespace {

constexpr std::array kDotModes = {
    Token<DotMode>{DotMode::kExactOnce, "exact_once"},
    Token<DotMode>{DotMode::kFp32Seq, "fp32_seq"}, Token<DotMode>{DotMode::kFp32Tree, "fp32_tree"},
    Token<DotMode>{DotMode::kBlockExactFp32Seq, "block_exact_fp32_seq"},
    Token<DotMode>{DotMode::kAccumulator, "accumulator"}};
constexpr std::array kDotOrders = {Token<DotOrder>{DotOrder::kSequential, "sequential"},
                                   Token<DotOrder>{DotOrder::kStrided, "strided"},
                                   Token<DotOrder>{DotOrder::kReversed, "reversed"}};
constexpr std::array kDotCarries = {Token<DotCarry>{DotCarry::kAligned, "aligned"},
                                    Token<DotCarry>{DotCarry::kAfterwards, "afterwards"}};
constexpr std::array kDotAligns = {Token<DotAlign>{DotAlign::kLeadingOne, "leading_one"},
                                   Token<DotAlign>{DotAlign::kExponentSum, "exponent_sum"}};
constexpr std::array kDotNormalizes = {Token<DotNormalize>{DotNormalize::kEveryStep, "every_step"},
                                       Token<DotNormalize>{DotNormalize::kAtEnd, "at_end"}};
constexpr std::array kDotZeroSigns = {Token<DotZeroSign>{DotZeroSign::kPositive, "positive"},
                                      Token<DotZeroSign>{DotZeroSign::kIeee, "ieee"}};

template <typename E, std::size_t kSize>
constexpr bool is_complete(const std::array<Token<E>, kSize>& rows, E last) {
  return are_sound(std::span<const Token<E>>(rows)) && rows.back().value == last;
}
static_assert(is_complete(kDotModes, DotMode::kAccumulator));
static_assert(is_complete(kDotOrders, DotOrder::kReversed));
static_assert(is_complete(kDotCarries, DotCarry::kAfterwards));
static_assert(is_complete(kDotAligns, DotAlign::kExponentSum));
static_assert(is_complete(kDotNormalizes, DotNormalize::kAtEnd));
static_assert(is_complete(kDotZeroSigns, DotZeroSign::kIeee));

}  // namespace

template <>
std::span<const Token<DotMode>> tokens<DotMode>() {
  return kDotModes;
}
template <>
std::span<const Token<DotOrder>> tokens<DotOrder>() {
  return kDotOrders;
}
template <>
std::span<const Token<DotCarry>> tokens<DotCarry>() {
  return kDotCarries;
}
template <>
std::span<const Token<DotAlign>> tokens<DotAlign>() {
  return kDotAligns;
}
template <>
std::span<const Token<DotNormalize>> tokens<DotNormalize>() {
  return kDotNormalizes;
}
template <>
std::span<const Token<DotZeroSign>> tokens<DotZeroSign>() {
  return kDotZeroSigns;
}

}  // namespace mx

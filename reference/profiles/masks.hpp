// What profiles leave open, as bits with tokens and reasons. spec F23.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mx {

/// A set of ElementMask and BlockMask bits, which do not overlap.
using Masks = std::uint32_t;

/// Inputs of a conversion for which the source of a profile is silent, or which the policies cannot
/// express, as bits. Comparisons skip them. Of a block they say the same of each element brought to
/// its scale.
enum ElementMask : std::uint32_t {
  kMaskNan = 1,
  kMaskNegativeNan = 1 << 1,
  kMaskInf = 1 << 2,
  kMaskNegative = 1 << 3,     ///< negative numbers, -0 and -Inf
  kMaskBelowNormal = 1 << 4,  ///< 0 < |x| < the destination's smallest normal value
  kMaskBelowLowest = 1 << 5,  ///< 0 < |x| < the destination's smallest positive value
  kMaskOverflow = 1 << 6,     ///< finite |x| above the destination's largest value
  kMaskNanPayload = 1 << 7,   ///< NaN codes other than the source's canonical one of either sign
  kMaskBelowHalf = 1 << 8,    ///< the largest source value below half the smallest positive value
  kMaskLog2Slip = 1 << 9,     ///< values whose log2, in the source's type, rounds up to an integer
  kMaskLog2Top = 1 << 10,     ///< those of them whose log2 rounds up to emax + 1
  kMaskFineBelowNormal = 1 << 11,   ///< |x| < smallest normal, no multiple of 2^-23 times it
  kMaskNegativeOverflow = 1 << 12,  ///< finite x below minus the destination's largest value
  kMaskNegativeInf = 1 << 13,
  kMaskAll = 1 << 14  ///< everything: listed, but not modelled
};

/// The same for blocks.
enum BlockMask : std::uint32_t {
  kMaskNanBlock = 1 << 15,               ///< blocks with a NaN: everything
  kMaskNanBlockCodes = 1 << 16,          ///< blocks with a NaN: every element code
  kMaskSpecialLanes = 1 << 17,           ///< the codes of NaN and Inf elements in blocks with a NaN
  kMaskInfBlock = 1 << 18,               ///< blocks with an Inf: everything
  kMaskInfBlockCodes = 1 << 19,          ///< blocks with an Inf and no NaN: every element code
  kMaskZeroBlock = 1 << 20,              ///< blocks of zeros: the scale
  kMaskTinyBlock = 1 << 21,              ///< 0 < largest magnitude < 2^-125: everything
  kMaskClampedScale = 1 << 22,           ///< the rule leaves the scale's range: everything
  kMaskHugeBlock = 1 << 23,              ///< largest magnitude >= 2^126: everything
  kMaskSubnormalBlock = 1 << 24,         ///< 0 < largest magnitude < 2^-126: everything
  kMaskHalfLanes = 1 << 25,              ///< elements just below half the smallest element
  kMaskLog2Lanes = 1 << 26,              ///< elements within 44 ulp (binary32) below a power of two
  kMaskFineLanes = 1 << 27,              ///< elements that an addition in binary32 rounds first
  kMaskNegativeOverflowLanes = 1 << 28,  ///< elements below minus the largest one
  kMaskZeroBlockCodes = 1 << 29,         ///< blocks of zeros: every element code
  kMaskAllBlocks = 1 << 30               ///< everything: listed, but not modelled
};

/// A mask's spelling in files, and what it covers, for people.
struct MaskFacts {
  Masks bit;
  std::string_view token;
  std::string_view text;
};

/// Every mask, in the order of the bits.
inline constexpr std::array kMaskFacts = {
    MaskFacts{kMaskNan, "nan", "NaN"},
    MaskFacts{kMaskNegativeNan, "negative_nan", "-NaN"},
    MaskFacts{kMaskInf, "inf", "Inf"},
    MaskFacts{kMaskNegative, "negative", "negative values"},
    MaskFacts{kMaskBelowNormal, "below_normal", "below the smallest normal value"},
    MaskFacts{kMaskBelowLowest, "below_lowest", "below the smallest value"},
    MaskFacts{kMaskOverflow, "overflow", "overflow"},
    MaskFacts{kMaskNanPayload, "nan_payload", "NaN with a payload"},
    MaskFacts{kMaskBelowHalf, "below_half", "the value just below half the smallest one"},
    MaskFacts{kMaskLog2Slip, "log2_slip", "values whose log2 slips"},
    MaskFacts{kMaskLog2Top, "log2_top", "the largest values, whose log2 slips"},
    MaskFacts{kMaskFineBelowNormal, "fine_below_normal",
              "subnormal results that an addition rounds first"},
    MaskFacts{kMaskNegativeOverflow, "negative_overflow", "negative overflow"},
    MaskFacts{kMaskNegativeInf, "negative_inf", "-Inf"},
    MaskFacts{kMaskAll, "unmodelled", "everything (not modelled)"},
    MaskFacts{kMaskNanBlock, "nan_block", "blocks with NaN"},
    MaskFacts{kMaskNanBlockCodes, "nan_block_codes", "codes of blocks with NaN"},
    MaskFacts{kMaskSpecialLanes, "special_lanes", "NaN and Inf elements of blocks with NaN"},
    MaskFacts{kMaskInfBlock, "inf_block", "blocks with Inf"},
    MaskFacts{kMaskInfBlockCodes, "inf_block_codes", "codes of blocks with Inf"},
    MaskFacts{kMaskZeroBlock, "zero_block", "scale of zero blocks"},
    MaskFacts{kMaskTinyBlock, "tiny_block", "maximum below 2^-125"},
    MaskFacts{kMaskClampedScale, "clamped_scale", "scales outside the range"},
    MaskFacts{kMaskHugeBlock, "huge_block", "maximum from 2^126"},
    MaskFacts{kMaskSubnormalBlock, "subnormal_block", "maximum below 2^-126"},
    MaskFacts{kMaskHalfLanes, "half_lanes", "elements just below half the smallest one"},
    MaskFacts{kMaskLog2Lanes, "log2_lanes", "elements just below a power of two"},
    MaskFacts{kMaskFineLanes, "fine_lanes", "elements that an addition rounds first"},
    MaskFacts{kMaskNegativeOverflowLanes, "negative_overflow_lanes", "negative overflow"},
    MaskFacts{kMaskZeroBlockCodes, "zero_block_codes", "codes of zero blocks"},
    MaskFacts{kMaskAllBlocks, "unmodelled_blocks", "everything (not modelled)"}};

inline constexpr Masks kElementMasks = kMaskNanBlock - 1;
inline constexpr Masks kBlockMasks = (kMaskAllBlocks - kMaskNanBlock) + kMaskAllBlocks;

static_assert([] {
  for (std::size_t i = 0; i < kMaskFacts.size(); ++i) {
    if (kMaskFacts[i].bit != Masks{1} << i) return false;
  }
  return kMaskFacts.back().bit == kMaskAllBlocks && (kElementMasks & kBlockMasks) == 0 &&
         (kElementMasks | kBlockMasks) == (Masks{1} << kMaskFacts.size()) - 1;
}());

/// The tokens of a conversion's masks, and of a block's, which may hold masks of elements too. In
/// the order of the bits; empty for 0.
[[nodiscard]] std::vector<std::string_view> element_mask_tokens(Masks masks);
[[nodiscard]] std::vector<std::string_view> block_mask_tokens(Masks masks);

/// "nan,inf"; "none" for 0.
[[nodiscard]] std::string mask_list(Masks masks);

/// What the masks cover, for people: "NaN, Inf"; empty for 0.
[[nodiscard]] std::string mask_text(Masks masks);

/// The masks of a comma-separated list of tokens, "none" alone for 0. Nothing for a token that is
/// unknown or twice in the list, and for a block's mask in an element's list.
[[nodiscard]] std::optional<Masks> parse_element_masks(std::string_view comma_list);
[[nodiscard]] std::optional<Masks> parse_block_masks(std::string_view comma_list);

}  // namespace mx

// Named profiles: what one version of one system does with single values and with blocks, as data.
// spec F16, S1.3 and S12; docs/profiles.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/element/random_source.hpp"

namespace mx {

/// A set of ElementMask or of BlockMask bits.
using Masks = std::uint32_t;

/// Inputs of a conversion for which the source of a profile is silent, or which the policies cannot
/// express, as bits. Comparisons skip them.
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
  kMaskLog2Slip = 1 << 9,     ///< binary32 values whose binary32 log2 rounds up to an integer
  kMaskLog2Top = 1 << 10,     ///< those of them whose log2 rounds up to 128
  kMaskFineBelowNormal = 1 << 11,   ///< |x| < smallest normal, no multiple of 2^-23 times it
  kMaskNegativeOverflow = 1 << 12,  ///< finite x below minus the destination's largest value
  kMaskNegativeInf = 1 << 13,
  kMaskAll = 1 << 14  ///< everything: listed, but not modelled
};

/// The same for blocks.
enum BlockMask : std::uint32_t {
  kMaskNanBlock = 1,                     ///< blocks with a NaN: everything
  kMaskNanBlockCodes = 1 << 1,           ///< blocks with a NaN: every element code
  kMaskSpecialLanes = 1 << 2,            ///< the codes of NaN and Inf elements in blocks with a NaN
  kMaskInfBlock = 1 << 3,                ///< blocks with an Inf: everything
  kMaskInfBlockCodes = 1 << 4,           ///< blocks with an Inf and no NaN: every element code
  kMaskZeroBlock = 1 << 5,               ///< blocks of zeros: the scale
  kMaskTinyBlock = 1 << 6,               ///< 0 < largest magnitude < 2^-125: everything
  kMaskClampedScale = 1 << 7,            ///< the rule leaves the scale's range: everything
  kMaskHugeBlock = 1 << 8,               ///< largest magnitude >= 2^126: everything
  kMaskSubnormalBlock = 1 << 9,          ///< 0 < largest magnitude < 2^-126: everything
  kMaskHalfLanes = 1 << 10,              ///< elements just below half the smallest element
  kMaskLog2Lanes = 1 << 11,              ///< elements within 44 ulp (binary32) below a power of two
  kMaskFineLanes = 1 << 12,              ///< elements that an addition in binary32 rounds first
  kMaskNegativeOverflowLanes = 1 << 13,  ///< elements below minus the largest one
  kMaskZeroBlockCodes = 1 << 14,         ///< blocks of zeros: every element code
  kMaskAllBlocks = 1 << 15               ///< everything: listed, but not modelled
};

/// An option that a system documents besides its default.
struct ProfileVariant {
  std::string_view name;      ///< "nosat", "rceil", "toward_zero"
  std::string_view settings;  ///< what it sets: "rule=rceil ratio_op=fp32_rcp_mul"
  Masks masks = 0;            ///< masked in addition
};

/// Single values. Lists of formats are names separated by blanks; `*` is every format, `binary*`
/// the P3109 family. The first row that speaks of a source and a destination holds.
struct ElementRow {
  std::string_view destinations;
  std::string_view sources = "fp32 bf16 fp16";
  ElementPolicy policy = {};
  std::span<const ProfileVariant> variants = {};
  Masks masks = 0;                                     ///< bits of ElementMask
  std::optional<std::uint64_t> canonical_nan = {};     ///< in place of the descriptor's
  Parity parity = Parity::kCodeLsb;                    ///< of destinations without significand bits
  RandomSource random_source = RandomSource::kDirect;  ///< of its stochastic variants
};

/// Blocks: the complete policies of a block format.
struct BlockRow {
  std::string_view formats;
  std::string_view sources = "fp32 bf16 fp16";
  ElementPolicy element = {};
  /// Its `rule` counts where `rule_of_format` is false; otherwise BlockFormat::rule does.
  BlockPolicy block = {};
  bool rule_of_format = false;
  std::span<const ProfileVariant> variants = {};
  Masks masks = 0;                                  ///< bits of BlockMask
  std::optional<std::uint64_t> canonical_nan = {};  ///< of the element format
  const ElementFormat* element_format = nullptr;    ///< in place of the block format's
};

/// One version of one system. A profile without element rows (block rows) leaves that side at
/// mxgold-default.
struct Profile {
  std::string_view name;
  std::string_view system;
  std::string_view version;
  std::string_view source;       ///< document and section, or repository file @ commit
  std::string_view description;  ///< one line; what is missing and why, if anything is
  std::span<const ElementRow> elements = {};
  std::span<const BlockRow> blocks = {};
};

/// Every profile, mxgold-default first.
[[nodiscard]] std::span<const Profile> all_profiles();

/// The profile of a name, or nullptr.
[[nodiscard]] const Profile* find_profile(std::string_view name);

/// The row that speaks of a conversion or a block format; nullptr where the profile has none.
[[nodiscard]] const ElementRow* find_row(const Profile& profile, const ElementFormat& source,
                                         const ElementFormat& destination);
[[nodiscard]] const BlockRow* find_row(const Profile& profile, const BlockFormat& format,
                                       const ElementFormat& source);

/// The conversion under a profile, by its default or by variants, several joined by `+`
/// ("toward_zero+nosat"). Nothing if the profile
/// has element rows and none speaks of it or it is not modelled, or if it has no such variant. The
/// destination may differ from the one given in its canonical NaN and its parity, which profiles
/// may override.
[[nodiscard]] std::optional<ConversionConfig> element_conversion(const Profile& profile,
                                                                 const ElementFormat& source,
                                                                 const ElementFormat& destination,
                                                                 std::string_view variant = {});

/// The block configuration under a profile, tensor level 1. A profile without block rows gives the
/// block side of mxgold-default under its own element policy. Nothing if the profile does not speak
/// of the format or has no such variant, or if Quantizer::problem() objects.
[[nodiscard]] std::optional<QuantizerConfig> block_config(const Profile& profile,
                                                          const BlockFormat& format,
                                                          const ElementFormat& source,
                                                          std::string_view variant = {});

/// The variants for a conversion or a block format, "" (the default) first; empty where the profile
/// does not speak of it.
[[nodiscard]] std::vector<std::string_view> element_variants(const Profile& profile,
                                                             const ElementFormat& source,
                                                             const ElementFormat& destination);
[[nodiscard]] std::vector<std::string_view> block_variants(const Profile& profile,
                                                           const BlockFormat& format,
                                                           const ElementFormat& source);

/// The masks of a conversion: bits of ElementMask; those of a block format: bits of BlockMask.
[[nodiscard]] Masks element_masks(const Profile& profile, const ElementFormat& source,
                                  const ElementFormat& destination, std::string_view variant = {});
[[nodiscard]] Masks block_masks(const Profile& profile, const BlockFormat& format,
                                const ElementFormat& source, std::string_view variant = {});

/// Is the answer to this source code left open under these masks?
[[nodiscard]] bool is_masked(Masks masks, const ConversionConfig& conversion,
                             std::uint64_t source_code);

/// What of a block's answer is left open.
struct MaskedBlock {
  bool scale = false;
  bool codes = false;            ///< every element code
  Masks lanes = 0;               ///< which elements besides: for is_lane_masked
  std::uint64_t scale_code = 0;  ///< of the profile's own answer
};

/// `result` is the profile's own answer to the block (kBlockCodesMasked counts too).
[[nodiscard]] MaskedBlock masked_block(Masks masks, const QuantizerConfig& config,
                                       std::span<const std::uint64_t> source,
                                       const BlockResult& result);

/// Is the code of one element left open?
[[nodiscard]] bool is_lane_masked(const MaskedBlock& masked, const QuantizerConfig& config,
                                  std::uint64_t source_code);

}  // namespace mx

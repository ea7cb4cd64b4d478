// Named profiles: what one version of one system does with single values and with blocks, as data.
// spec F16, S1.3 and S12; docs/profiles.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/element/random_source.hpp"
#include "reference/profiles/masks.hpp"

namespace mx {

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
  std::optional<Parity> parity = {};                   ///< the same, without significand bits
  RandomSource random_source = RandomSource::kDirect;  ///< of its stochastic variants
  bool policy_of_destination = false;  ///< default_policy() of the destination in place of `policy`
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
  int least_block = 1;  ///< elements; the row does not speak of smaller blocks
};

/// One version of one system. It speaks of what it has rows for, and of nothing else.
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

/// A profile and its variant, "torchao-0.18:rceil". The profile is nullptr where none is called so.
struct NamedProfile {
  const Profile* profile = nullptr;
  std::string_view variant;
};
[[nodiscard]] NamedProfile named_profile(std::string_view name);

/// A variant's last part makes a mixture, "blocks-as=mxgold-default": what is of single values
/// comes from the profile, what is of blocks from the one that is named here, which may have a
/// variant.
inline constexpr std::string_view kBlocksAs = "blocks-as=";
struct VariantParts {
  std::string_view own;        ///< the profile's variants
  std::string_view blocks_as;  ///< a profile, as named_profile() takes it; "" for no mixture
};
[[nodiscard]] VariantParts parts_of(std::string_view variant);
/// The name of a profile with that part: "onnx-ref:saturate_0+blocks-as=mxgold-default".
[[nodiscard]] std::string with_blocks_as(std::string_view name, std::string_view blocks_as);

/// What a file means by the profile of a block format. Before mixtures had names, the name of a
/// profile without block rows meant one with mxgold-default.
[[nodiscard]] std::string name_in_files(std::string_view name);

/// The row that speaks of a conversion or a block format; nullptr where the profile has none.
[[nodiscard]] const ElementRow* find_row(const Profile& profile, const ElementFormat& source,
                                         const ElementFormat& destination);
[[nodiscard]] const BlockRow* find_row(const Profile& profile, const BlockFormat& format,
                                       const ElementFormat& source);

/// The conversion under a profile, by its default or by variants, several joined by `+`
/// ("toward_zero+nosat"). Nothing if no row speaks of it or it is not modelled, or if it has no
/// such variant. The destination may differ from the one given in its canonical NaN and its parity,
/// which profiles may override.
[[nodiscard]] std::optional<ConversionConfig> element_conversion(const Profile& profile,
                                                                 const ElementFormat& source,
                                                                 const ElementFormat& destination,
                                                                 std::string_view variant = {});

/// The block configuration under a profile, tensor level 1. Nothing if the profile, or one that a
/// mixture is made of, does not speak of the format or has no such variant, or if
/// Quantizer::problem() objects for more than a format without a rule of its own.
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

/// The masks of a conversion: bits of ElementMask; those of a block format: bits of BlockMask, of a
/// mixture also those of the conversion to its elements.
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
  Unpacked amax = {};            ///< the block's largest finite magnitude
};

/// `result` is the profile's own answer to the block (kBlockCodesMasked counts too). The
/// configuration is the one that gave it, tensor level included.
[[nodiscard]] MaskedBlock masked_block(Masks masks, const QuantizerConfig& config,
                                       std::span<const std::uint64_t> source,
                                       const BlockResult& result);

/// Is the code of one element left open? Masks of single values ask what the scale makes of it;
/// `lane` matters where there are sublevels.
[[nodiscard]] bool is_lane_masked(const MaskedBlock& masked, const QuantizerConfig& config,
                                  std::uint64_t source_code, std::size_t lane = 0);

/// Which masks leave which part of an answer open: for people, and for files that mark it. A
/// conversion has one element.
struct OpenFields {
  Masks scale = 0;
  std::vector<Masks> elements;
  bool codes_masked = false;  ///< kBlockCodesMasked: no code means anything, whatever the profile

  [[nodiscard]] bool is_open(std::size_t i) const { return codes_masked || elements[i] != 0; }
};
[[nodiscard]] OpenFields open_fields(Masks masks, const ConversionConfig& conversion,
                                     std::uint64_t source_code);
/// As masked_block().
[[nodiscard]] OpenFields open_fields(Masks masks, const QuantizerConfig& config,
                                     std::span<const std::uint64_t> source,
                                     const BlockResult& result);

}  // namespace mx

// Blocks: k elements and one shared scale. spec F11 and F12.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// What is true of a quantized block, as bits. The low bits are the OR of the elements' Flag bits.
enum BlockFlag : std::uint16_t {
  kBlockScaleClamped = 1 << 8,  ///< the rule's scale lies outside the scale format's range
  kBlockZero = 1 << 9,          ///< the maximum is 0 and no special rule applied
  kBlockHasInf = 1 << 10,
  kBlockHasNan = 1 << 11,
  kBlockNanScale = 1 << 12,    ///< the scale code is NaN
  kBlockCodesMasked = 1 << 13  ///< element codes are don't-care (NaN scale, nan_scale_codes)
};

struct BlockResult {
  std::uint64_t scale_code = 0;
  std::uint16_t flags = 0;
  constexpr bool operator==(const BlockResult&) const = default;
};

/// What a block needs to know of the tensor it is part of: spec F11.4 and F12.1
/// step 9. The default stands for a tensor scale of 1, so for one level.
struct TensorLevel {
  /// binary32 pattern of the largest finite magnitude of the tensor: nvfp4_te, nvfp4_4over6,
  /// nvfp4_ct and nvfp4_modelopt_static derive their encoding scale from it, fp32_tensor its scale;
  /// 0: unknown.
  std::uint32_t amax = 0;
  /// binary32 pattern of the stored tensor scale, a positive finite number: nvfp4_exact,
  /// nvfp4_torchao and nvfp4_modelopt divide by it, decoding multiplies by it. Of nvfp4_ct it is
  /// the global scale, by which decoding divides (reference/format/way_back.hpp).
  std::uint32_t scale = 0x3F800000;
  constexpr bool operator==(const TensorLevel&) const = default;
};

/// Everything that decides how a block becomes codes.
struct QuantizerConfig {
  ElementFormat source;
  BlockFormat format;
  ElementPolicy element;
  BlockPolicy block;
  TensorLevel tensor = {};
};

/// The tensor level under a configuration's rule for a tensor whose largest finite magnitude is
/// `amax` (zero if there is none). The stored scale: nvfp4_exact max(fl32(amax / 2688), 2^-149),
/// or 1 if amax is 0 (2688: the largest element times the largest block scale); nvfp4_torchao,
/// nvfp4_modelopt and nvfp4_modelopt_static fl32(amax / 2688); nvfp4_te and nvfp4_4over6 fl32(1 /
/// S_enc), nvfp4_ct its global scale; 1 for other rules.
[[nodiscard]] TensorLevel tensor_level(const QuantizerConfig& config, const Unpacked& amax);

/// How products of scale and element become codes of the output: spec F12.2.
struct Dequantizing {
  Rounding rounding = Rounding::kTiesToEven;  ///< not a stochastic one
  ResultSubnormals dst_ftz = ResultSubnormals::kKeep;
  constexpr bool operator==(const Dequantizing&) const = default;
};

/// Why a scale is what it is.
struct ScaleTrace {
  Unpacked amax;             ///< largest magnitude seen, under amax_over
  std::int64_t argmax = -1;  ///< its first lane; -1 if no lane takes part
  int unclamped = 0;  ///< the rule's scale code before clamping (real-valued rules: after it)
  bool rule_applied = false;
};

/// Quantizes and dequantizes blocks and tensors under one configuration. A value type; all
/// functions are const and allocate nothing.
///
/// The lanes of a two-dimensional tile come line by line. A block's scale code is the code in its
/// scale format, with the bits of sublevels above it (BlockFormat::sublevels).
class Quantizer {
 public:
  /// The quantizer of a configuration, or why it cannot be used: what refusal() says.
  [[nodiscard]] static Checked<Quantizer> make(const QuantizerConfig& config);

  /// Why a configuration cannot be used ("" if it can): block size outside 1..1024, random_bits
  /// outside 1..32, an invalid descriptor, a rule that the formats do not fit (a power-of-two rule
  /// without an exponent-only scale, a vendor's rule with another scale format), binary32
  /// arithmetic on a wider source without staging.
  [[nodiscard]] static std::string_view problem(const QuantizerConfig& config);

  /// problem() in more words where it is the format's own rule that does not fit: a user's format
  /// that names none has floor, and only ways back where its scale is no power of two. Then the
  /// rules that would fit are named.
  [[nodiscard]] static std::string refusal(const QuantizerConfig& config);

  [[nodiscard]] const QuantizerConfig& config() const { return config_; }

  /// Quantizes one block of source codes (1 .. elements() of them, any number where the extent is
  /// an axis or a tensor; fewer is a partial block, whose missing elements count as +0).
  /// codes.size() == source.size(). `random` holds R for each element for stochastic roundings and
  /// may be empty otherwise; the rule stoch_exp takes the low bits of random[0] for the scale, so
  /// it needs at least that word.
  BlockResult quantize_block(std::span<const std::uint64_t> source,
                             std::span<const std::uint32_t> random,
                             std::span<std::uint64_t> codes) const;

  /// The scale decision alone, and why.
  [[nodiscard]] ScaleTrace explain_scale(std::span<const std::uint64_t> source,
                                         std::span<const std::uint32_t> random = {}) const;

  /// One element under a given scale code, and why. The scale must not be NaN. `lane` matters where
  /// there are sublevels; `amax`, the block's maximum, only under the rule sbfp, which divides by
  /// the unrounded ratio (zero: by the stored scale).
  [[nodiscard]] Encoded explain_element(std::uint64_t source, std::uint64_t scale_code,
                                        std::uint32_t random, Trace& trace, std::size_t lane = 0,
                                        const Unpacked& amax = {}) const;

  /// The number that explain_element encodes: the element as the policies see it, brought to the
  /// scale (spec F12.1 step 7). Sticky where it needs more than 64 bits.
  [[nodiscard]] Unpacked scaled_element(std::uint64_t source, std::uint64_t scale_code,
                                        std::size_t lane = 0, const Unpacked& amax = {}) const;

  /// The scale code alone, as a number: the scale times the factors of the lane's sublevels,
  /// without the tensor scale.
  [[nodiscard]] Unpacked scale_value(std::uint64_t scale_code, std::size_t lane = 0) const;

  /// Dequantizes codes under a scale into `output` format codes: scale * element * tensor scale,
  /// exactly, rounded once (nvfp4_torchao and nvfp4_modelopt: fl32(code * fl32(tensor scale *
  /// scale))).
  void dequantize_block(std::uint64_t scale_code, std::span<const std::uint64_t> codes,
                        const ElementFormat& output, std::span<std::uint64_t> values,
                        const Dequantizing& how = {}) const;

 private:
  explicit Quantizer(const QuantizerConfig& config) : config_(config) {}

  QuantizerConfig config_;
};

}  // namespace mx

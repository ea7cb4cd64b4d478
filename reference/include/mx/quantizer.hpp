// Blocks: k elements and one shared scale. formats.md sections 11 and 12.
#pragma once

#include <cstdint>
#include <span>

#include "mx/encode.hpp"
#include "mx/format_table.hpp"
#include "mx/policy.hpp"

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

/// Everything that decides how a block becomes codes.
struct QuantizerConfig {
  ElementFormat source;
  BlockFormat format;
  ElementPolicy element;
  BlockPolicy block;
};

/// Why a scale is what it is.
struct ScaleTrace {
  Unpacked amax;      ///< largest magnitude seen, under amax_over
  int argmax = -1;    ///< its first lane; -1 if no lane takes part
  int unclamped = 0;  ///< the rule's scale code before clamping
  bool rule_applied = false;
};

/// Quantizes and dequantizes blocks and tensors under one configuration. A value type; all
/// functions are const and allocate nothing.
class Quantizer {
 public:
  /// The configuration must satisfy problem(config).empty().
  explicit Quantizer(const QuantizerConfig& config) : config_(config) {}

  /// Why a configuration cannot be used ("" if it can): block size outside 1..1024, a scale format
  /// that is not a power of two, random_bits outside 1..32, an invalid descriptor.
  [[nodiscard]] static std::string_view problem(const QuantizerConfig& config);

  [[nodiscard]] const QuantizerConfig& config() const { return config_; }

  /// Quantizes one block of source codes (1 .. block_size of them; fewer is a partial block, whose
  /// missing elements count as +0). codes.size() == source.size(). `random` holds R for each
  /// element for stochastic roundings and may be empty otherwise.
  BlockResult quantize_block(std::span<const std::uint64_t> source,
                             std::span<const std::uint32_t> random,
                             std::span<std::uint64_t> codes) const;

  /// The scale decision alone, and why.
  [[nodiscard]] ScaleTrace explain_scale(std::span<const std::uint64_t> source) const;

  /// One element under a given scale code, and why. The scale must not be NaN.
  [[nodiscard]] Encoded explain_element(std::uint64_t source, std::uint64_t scale_code,
                                        std::uint32_t random, Trace& trace) const;

  /// Dequantizes codes under a scale into `output` format codes, each rounded once, ties_to_even.
  void dequantize_block(std::uint64_t scale_code, std::span<const std::uint64_t> codes,
                        const ElementFormat& output, std::span<std::uint64_t> values) const;

 private:
  QuantizerConfig config_;
};

}  // namespace mx

// The table of formats: data in one place. RTL constants, documentation tables and listings are
// generated from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "reference/format/format.hpp"
#include "reference/format/rows.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// How far a block reaches along its axis: block_size elements (the last block may be short), the
/// whole axis or the whole tensor, where block_size says nothing.
#define MX_BLOCK_EXTENT(X) \
  X(kElements, "elements") \
  X(kAxis, "axis")         \
  X(kTensor, "tensor")
MX_POLICY(BlockExtent, MX_BLOCK_EXTENT);

/// The second, tensor-wide scale of two-level formats.
#define MX_TENSOR_SCALE(X) \
  X(kNone, "none")         \
  X(kFp32, "fp32")
MX_POLICY(TensorScale, MX_TENSOR_SCALE);

/// What the element code "sign 1, magnitude 0" means when it is decoded. Formats for which it is no
/// zero never encode it: negative results of magnitude 0 become +0.
#define MX_NEGATIVE_ZERO_DATUM(X)     \
  X(kZero, "zero")                    \
  X(kMinusInfinity, "minus_infinity") \
  X(kMinusTwoTo16, "minus_two_to_16")
MX_POLICY(NegativeZeroDatum, MX_NEGATIVE_ZERO_DATUM);

/// A block format: elements that share a scale. spec F5.
struct BlockFormat {
  std::string_view name;
  ElementFormat element;
  ScaleFormat scale;
  int block_size = 32;  ///< elements along the axis, 1..1024
  int tile_lines = 1;   ///< lines of a two-dimensional tile, along the dimension before the axis
  BlockExtent extent = BlockExtent::kElements;
  TensorScale tensor_scale = TensorScale::kNone;
  /// Elements that share one more bit, a factor of 1 or 2, level by level; 0: no such level. A
  /// block's scale code then holds, low bits first, the scale, the bits of level one, the bits of
  /// level two.
  std::array<int, 2> sublevels = {};
  /// Sign-magnitude elements that are rounded to this many bits and then cut; 0: no cut.
  int cut_from = 0;
  NegativeZeroDatum negative_zero = NegativeZeroDatum::kZero;
  std::optional<int> rule_emax = {};   ///< e_max of the power-of-two rules, if not the element's
  std::uint64_t scale_limit = 0;       ///< the largest code the rules choose; 0: the format's
  ScaleRule rule = ScaleRule::kFloor;  ///< the rule that belongs to the format
  std::string_view defined_by = {};

  /// Block formats are equal if their facts are, without names and sources.
  constexpr bool operator==(const BlockFormat& other) const {
    const auto facts = [](const BlockFormat& f) {
      return std::tie(f.element, f.scale, f.block_size, f.tile_lines, f.extent, f.tensor_scale,
                      f.sublevels, f.cut_from, f.negative_zero, f.rule_emax, f.scale_limit, f.rule);
    };
    return facts(*this) == facts(other);
  }

  /// Elements of a whole block (extent kElements).
  [[nodiscard]] constexpr int elements() const { return block_size * tile_lines; }
  /// Bits of a block's scale code.
  [[nodiscard]] constexpr int scale_bits() const {
    int bits = scale.bits;
    for (const int group : sublevels) bits += group == 0 ? 0 : (block_size + group - 1) / group;
    return bits;
  }
  /// Does a word stand for a block's scale code?
  [[nodiscard]] constexpr bool takes_scale(std::uint64_t word) const {
    return scale_bits() == scale.bits ? scale.takes(word)
                                      : scale_bits() == 64 || word >> scale_bits() == 0;
  }
  /// Bytes a stored scale code takes: the scale format's, or enough for the levels below it.
  [[nodiscard]] constexpr int scale_bytes() const {
    if (scale_bits() == scale.bits) return scale.storage_bits / 8;
    return scale_bits() <= 16 ? 2 : scale_bits() <= 32 ? 4 : 8;
  }
};

/// A format that is known by name only: no text defines its bits, so nothing here computes it.
struct NamedOnlyFormat {
  std::string_view name;
  std::string_view what;    ///< the facts that are known
  std::string_view source;  ///< where they are from
};

/// The format that a staging rounds to first (spec F9.5); nullptr where that is none of its own.
[[nodiscard]] constexpr const ElementFormat* staging_format(Staging staging) {
  switch (staging) {
    case Staging::kNone:
    case Staging::kViaUnbounded:
      return nullptr;
    case Staging::kViaFp16:
      return &formats::fp16;
    case Staging::kViaBf16:
      return &formats::bf16;
    case Staging::kViaFp32:
      return &formats::fp32;
  }
  return nullptr;
}

/// Does `format` hold every finite value of `source`? Both are floats with subnormals.
[[nodiscard]] constexpr bool holds_all(const ElementFormat& format, const ElementFormat& source) {
  return format.man_bits >= source.man_bits && format.emax() >= source.emax() &&
         format.emin() - format.man_bits <= source.emin() - source.man_bits;
}

/// Every format of format_rows.hpp, in table order.
[[nodiscard]] std::span<const ElementFormat> all_formats();
/// The block formats of OCP MX 1.0, elements of 32 under e8m0: mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2,
/// mxfp6_e2m3, mxfp4, mxint8.
[[nodiscard]] std::span<const BlockFormat> mx_block_formats();
/// Every block format whose procedure is known, those of MX first.
[[nodiscard]] std::span<const BlockFormat> all_block_formats();
/// Formats that are listed and nothing more.
[[nodiscard]] std::span<const NamedOnlyFormat> named_only_formats();

/// The format of a token of spec F1.3, or nullptr.
[[nodiscard]] const ElementFormat* find_format(std::string_view name);
[[nodiscard]] const BlockFormat* find_block_format(std::string_view name);

/// Why a descriptor is not valid (spec F6.2), or an empty view.
[[nodiscard]] std::string_view invalid_reason(const ElementFormat& format);

}  // namespace mx

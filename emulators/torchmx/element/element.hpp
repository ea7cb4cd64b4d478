// One element under its shared exponent: the two ways in which torchmx computes its code, and the
// table that answers for both. spec S6.3 (TX-F, TX-I, TX-H).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "emulators/common/machine.hpp"
#include "emulators/torchmx/dtypes.hpp"

namespace mx {

/// How elements are quantized: by a binary32 division, or field by field as hardware would
/// (MX_HARDWARE_EXACT_QUANTIZATION).
#define MX_TORCHMX_PATH(X)   \
  X(kSimulated, "simulated") \
  X(kHwExact, "hw_exact")
MX_POLICY(TorchmxPath, MX_TORCHMX_PATH);

}  // namespace mx

namespace mx::emulators::torchmx {

using Path = TorchmxPath;

/// 2^(byte - 127) as binary32, NaN for FF.
[[nodiscard]] constexpr Bits get_fp_scale(std::uint8_t shared_exponent) {
  if (shared_exponent == kE8m0ExponentNanVal) return 0x7FC00000;
  return shared_exponent == 0 ? 0x00400000 : Bits{shared_exponent} << 23;
}

/// The code of a binary32 value under a scale byte, by the simulated path: divide, clamp, NaN to
/// +0, round ties to even.
[[nodiscard]] std::uint8_t simulated_code(Bits value, std::uint8_t shared_exponent,
                                          const DType& elem_dtype, Mode mode);

/// The code of a bfloat16 word by the hardware-exact path; elem_dtype is a floating one. Under FF
/// its subnormal codes are not masked.
[[nodiscard]] std::uint8_t hw_exact_code(std::uint16_t word, std::uint8_t shared_exponent,
                                         const DType& elem_dtype);

/// The codes of finite bfloat16 words under scales other than FF, where both paths agree: a code
/// depends on the word's distance from the scale only.
class CodeTable {
 public:
  CodeTable(const DType& elem_dtype, Mode mode);

  [[nodiscard]] std::uint8_t operator()(std::uint16_t word, std::uint8_t shared_exponent) const {
    const int magnitude = word & 0x7FFF;
    const int position = magnitude < 0x80 ? subnormal_[magnitude] : magnitude;
    int index = position - shared_exponent * 128 - first_;
    index = index < 0 ? 0 : index > last_ ? last_ : index;
    return codes_[static_cast<std::size_t>(index) * 2 + (word >> 15)];
  }

  /// Under the scale that a block chose, if it is no clamped one, no word lies above the table; and
  /// if subnormal words become zeros, normal() gives the codes of all.
  [[nodiscard]] bool is_normal(std::uint8_t shared_exponent) const {
    return shared_exponent > 0 && shared_exponent * 128 + first_ >= 0x80;
  }
  void normal(std::span<const std::byte> words, std::uint8_t shared_exponent,
              std::uint8_t* codes) const {
    // Copies, so that no stored code can be taken to change them. The places of a stretch come
    // before the codes: compilers turn their arithmetic into vector code.
    const auto first = static_cast<std::int16_t>(shared_exponent * 128 + first_);
    const std::uint8_t* const table = codes_.data();
    std::array<std::uint16_t, kStretch> places;
    const std::size_t count = words.size() / 2;
    for (std::size_t from = 0; from < count; from += kStretch) {
      const std::size_t some = std::min(kStretch, count - from);
      for (std::size_t i = 0; i < some; ++i) {
        std::uint16_t word = 0;
        std::memcpy(&word, words.data() + 2 * (from + i), 2);
        const auto index = static_cast<std::int16_t>((word & 0x7FFF) - first);
        const auto place = static_cast<std::uint16_t>(index < 0 ? 0 : index);
        places[i] = static_cast<std::uint16_t>(2 * place | word >> 15);
      }
      for (std::size_t i = 0; i < some; ++i) codes[from + i] = table[places[i]];
    }
  }

 private:
  /// So many places are found before their codes are read.
  static constexpr std::size_t kStretch = 64;

  int first_ = 0;                    ///< 128 * (exponent - scale) of the first entry
  int last_ = 0;                     ///< index of the last entry, where codes are saturated
  std::vector<std::uint8_t> codes_;  ///< for each magnitude: the positive one, the negative one
  int subnormal_[128] = {};          ///< words below the normal range, as if it went on
};

/// The table of an element type; made once.
[[nodiscard]] const CodeTable& code_table(const DType& elem_dtype, Mode mode);

}  // namespace mx::emulators::torchmx

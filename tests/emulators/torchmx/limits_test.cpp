// SPDX-License-Identifier: Apache-2.0
// Where the elements of torchmx saturate and vanish: the limit, its neighbours and its negative.
#include "tests/emulators/limits.hpp"

#include "emulators/torchmx/element/element.hpp"
#include "emulators/torchmx/quantize.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

/// The ends of the binades of a type as bfloat16 words, a last place of bfloat16 around each.
std::vector<std::uint16_t> words_at_limits(const DType& type) {
  std::vector<std::uint16_t> words;
  const int kept = std::min(type == kInt8 ? 6 : type.mantissa_bits, 7);
  for (const Bits limit : ends_of_binades(kept)) {
    for (const int off : {-1, 0, 1}) {
      const int word = static_cast<int>(limit >> 16) + off;
      if (word < 0 || word > 0x7F80) continue;
      words.push_back(static_cast<std::uint16_t>(word));
      words.push_back(static_cast<std::uint16_t>(word | 0x8000));
    }
  }
  return words;
}

TEST(TorchmxLimits, CodesByEveryPath) {
  for (const DType& type : kSupportedElemDtypes) {
    const std::vector<std::uint16_t> words = words_at_limits(type);
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const CodeTable& table = code_table(type, mode);
      for (int top = 0; top < 255; top += top < 20 || top > 234 ? 1 : 9) {
        const std::uint8_t scale = shared_exponent_of(top, type, mode);
        for (const std::uint16_t word : words) {
          if ((word & 0x7FFF) >> 7 > top) continue;
          const std::uint8_t code = simulated_code(Bits{word} << 16, scale, type, mode);
          ASSERT_EQ(table(word, scale), code) << type.name << std::hex << word << " " << top;
          if (type != kInt8 && mode == Mode::kCompat) {
            ASSERT_EQ(hw_exact_code(word, scale, type), code) << type.name << std::hex << word;
          }
          if (!table.is_normal(scale)) continue;
          std::uint8_t shorter = 0;
          table.normal(std::as_bytes(std::span(&word, 1)), scale, &shorter);
          ASSERT_EQ(shorter, code) << type.name << std::hex << word << " " << top;
        }
      }
    }
  }
}

/// Blocks whose maximum is a limit, whole and through the public function.
TEST(TorchmxLimits, BlocksAreTheirElements) {
  for (const DType& type : kSupportedElemDtypes) {
    if (type == kFloat4E2m1) continue;  // packed; its codes are above
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      for (const std::uint16_t most : words_at_limits(type)) {
        if ((most & 0x7F80) == 0x7F80 || (most >> 7 & 0xFF) % 16 > 1) continue;
        const Words block = {most, static_cast<std::uint16_t>(most ^ 0x8000), most & 0x7F80U, 0};
        const Outcome got = quantized(bf16s(block), type.name, 4, {mode, Path::kSimulated});
        ASSERT_EQ(got.problem, "");
        for (std::size_t i = 0; i < block.size(); ++i) {
          const auto scale = static_cast<std::uint8_t>(got.scale[0]);
          ASSERT_EQ(got.data[i],
                    simulated_code(static_cast<Bits>(block[i]) << 16, scale, type, mode))
              << type.name << std::hex << most;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mx::emulators::torchmx

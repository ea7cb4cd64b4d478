// SPDX-License-Identifier: Apache-2.0
// Where the elements of microxcaling saturate and vanish: the limit, its neighbours and its
// negative.
#include "tests/emulators/limits.hpp"

#include "emulators/microxcaling/kernels/block_kernels.hpp"
#include "emulators/microxcaling/kernels/literal.hpp"
#include "emulators/microxcaling/quantize_mx.hpp"
#include "tests/emulators/microxcaling/casts.hpp"

namespace mx::emulators::microxcaling {
namespace {

constexpr RoundingMode kRoundings[] = {RoundingMode::kNearest, RoundingMode::kFloor,
                                       RoundingMode::kEven};

/// The ends of the binades of a config's numbers as words of a type, with both signs.
template <typename T>
std::vector<Word> words_at_limits(const ElementConfig& config) {
  const int kept = std::clamp(config.bits - 2, 0, T::kStored);
  std::vector<Word> words;
  for (Word field = 0; field < static_cast<Word>(T::kTop); ++field) {
    const Word above = (field + 1) << T::kStored;
    const Word last_place = Word{1} << (T::kStored - kept);
    for (const Word limit : {field << T::kStored, above - last_place, above - last_place / 2}) {
      for (const Word each : {limit - (limit == 0 ? 0 : 1), limit, limit + 1}) {
        words.push_back(each);
        words.push_back(each | T::kSign);
      }
    }
  }
  return words;
}

template <typename T>
void compare_elements_at_limits() {
  for (const Token<ElemFormat>& format : tokens<ElemFormat>()) {
    for (const RoundingMode mode : kRoundings) {
      for (const int switches : {0, 3}) {
        ElementConfig config = element_config(format.value);
        config.round = mode;
        config.saturate_normals = (switches & 1) != 0;
        config.allow_denorm = (switches & 2) != 0;
        const PythonElement<T> quick(config);
        for (const Word word : words_at_limits<T>(config)) {
          ASSERT_EQ(quick(word), literal_element(T::kType, config, word, 0))
              << format.text << " " << token_of(mode) << switches << std::hex << " " << word;
        }
      }
    }
  }
}

TEST(MicroxcalingLimits, Elements) {
  compare_elements_at_limits<Fp32>();
  compare_elements_at_limits<Bf16>();
  compare_elements_at_limits<Fp16>();
}

/// A block of every word that does not exceed its maximum: each element by the plain operations,
/// all by the lanes of whole numbers, and the public function.
template <typename T>
void compare_blocks_at_limits() {
  for (const Token<ElemFormat>& format : tokens<ElemFormat>()) {
    if (T::kType == TensorType::kFp16 && format.value == ElemFormat::kBfloat16) continue;
    for (const RoundingMode mode : kRoundings) {
      const BlockConfig config{.elem_format = format.value, .round = mode};
      const PythonBlocks<T> blocks(config);
      const ElementConfig element = element_in_block(config);
      const std::vector<Word> words = words_at_limits<T>(element);
      for (const int field : {T::kBias - 3, T::kBias, T::kBias + 5}) {
        const Word most = ((static_cast<Word>(field) + 1) << T::kStored) - 1;
        const auto plan = blocks.plan(most);
        if (plan.kind != Scale::Kind::kPower) continue;
        std::vector<Word> x = {most};
        for (const Word word : words) {
          const int below = field - T::field(word & ~T::kSign);
          if (below >= 0 && below < 30) x.push_back(word);
        }
        std::vector<Word> expected;
        for (const Word word : x) {
          expected.push_back(literal_block_element(T::kType, element, word, plan.exponent, 0));
          ASSERT_EQ(blocks.apply(plan, word, 0), expected.back())
              << format.text << " " << token_of(mode) << std::hex << " " << word << " in " << most;
        }
        if constexpr (T::kType == TensorType::kFp32) {
          const std::vector<Bits> row(x.begin(), x.end());
          std::vector<Bits> out(x.size());
          if (!blocks.apply_all(plan, row, out)) continue;
          for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(out[i], expected[i]) << format.text << std::hex << " " << x[i];
          }
        }
      }
    }
  }
}

TEST(MicroxcalingLimits, Blocks) {
  compare_blocks_at_limits<Fp32>();
  compare_blocks_at_limits<Bf16>();
  compare_blocks_at_limits<Fp16>();
}

/// The C++ functions and strict: many at once and alone.
TEST(MicroxcalingLimits, RowsAreTheirValues) {
  for (const Token<ElemFormat>& format : tokens<ElemFormat>()) {
    const ElementConfig config = element_config(format.value);
    const Patterns x = around(ends_of_binades(std::clamp(config.bits - 2, 0, 22), 90, 160), 1);
    const std::string text = "quantize_elemwise(elem_format=" + std::string(format.text);
    const KernelElement kernel(config);
    expect_one_answer(
        text + " cpp", x, [&](const Patterns& row) { return cast(text + ",path=cpp)", row); },
        [&](Bits each) { return kernel(each); });
    const ExactElement exact(config);
    expect_one_answer(
        text + " strict", x, [&](const Patterns& row) { return cast(text + ")", row, strict()); },
        [&](Bits each) { return static_cast<Bits>(exact.apply<Fp32>(each)); });
  }
}

}  // namespace
}  // namespace mx::emulators::microxcaling

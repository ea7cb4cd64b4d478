// Negative control of the way back: the judge and its stimulus catch each wrong variant of the
// arithmetic. The same loops over the unchanged arithmetic find nothing.
#include <gtest/gtest.h>

#include "dequantize_mutants.hpp"
#include "fast/cuda/plan.hpp"
#include "fast/cuda_dequantize/plan.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/dequantize_judge.hpp"

namespace mx::fast {

// The mutants need what a plan computes with.
struct DequantizePlanAccess {
  [[nodiscard]] static const StreamDequantizePlan::Constants& of(const StreamDequantizePlan& plan) {
    return *plan.constants_;
  }
};

namespace test {
namespace {

struct Question {
  DequantizeJob job;
  StreamLayout layout;
  LaidOut in;
  StreamDequantizePlan::Constants constants;
  std::vector<std::byte> words;
};

/// Every code under every scale: e5m2, e4m3fn and e4m3fnuz, which have every kind of code, a
/// fixed-point format, and packed ones; bf16, fp16, whose subnormals the short decoder rounds, and
/// fp32, whose units it decodes word by word.
Question question(DequantizeJob job, bool columns) {
  const std::size_t codes = std::size_t{1} << job.format.element.bits;
  const std::size_t all = std::max<std::size_t>(codes, 32);
  const BlockLayout shape = columns ? BlockLayout{1, all, 256} : BlockLayout{256, all, 1};
  std::vector<std::byte> in(256 * all);
  std::vector<std::byte> scales(256 * all / 32);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::byte>((columns ? i / 256 : i) % codes);
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    scales[i] = static_cast<std::byte>(columns ? i % 256 : i / (all / 32));
  }
  const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
  const StreamLayout layout{shape, false, !columns, !columns};
  return {job, layout, laid_out(job, layout, in, scales), DequantizePlanAccess::of(plan),
          reference_words(job, shape, in, scales)};
}

const std::vector<Question>& questions() {
  static const std::vector<Question> all = [] {
    std::vector<Question> made;
    for (const ElementFormat* element : {&formats::e5m2, &formats::e4m3fn, &formats::e4m3fnuz,
                                         &formats::int8, &formats::e3m2fn, &formats::e2m1fn}) {
      made.push_back(question(default_decoding(*element, formats::fp32), false));
      for (const bool columns : {false, true}) {
        DequantizeJob job = default_decoding(*element, columns ? formats::bf16 : formats::fp16);
        made.push_back(question(job, columns));
        job.rounding = Rounding::kTowardPositive;
        made.push_back(question(job, columns));
        job.rounding = Rounding::kAwayFromZero;
        job.dst_ftz = columns ? ResultSubnormals::kFlushBeforeRounding
                              : ResultSubnormals::kFlushAfterRounding;
        made.push_back(question(job, columns));
      }
    }
    return made;
  }();
  return all;
}

// Functions for each variant: its namespace is all that differs.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define MX_JUDGE(name, space)                                                                 \
  template <class Words, space::Codes kKind, cuda::Packing kPacking>                          \
  void short_##name(const space::Mode& mode, const Question& q, std::span<std::byte> words) { \
    const auto* const codes = reinterpret_cast<const std::uint8_t*>(q.in.codes.data());       \
    constexpr std::size_t kCodes = space::CodeUnit<Words>::kCodes;                            \
    space::Run run;                                                                           \
    run.outer = q.layout.shape.outer;                                                         \
    run.length = q.layout.shape.length;                                                       \
    run.blocks_last = true;                                                                   \
    run.swizzled = q.layout.swizzled;                                                         \
    for (std::size_t unit = 0; unit * 16 < words.size(); ++unit) {                            \
      const auto place = space::place_of(run, 32, unit * kCodes);                             \
      const auto scale = std::to_integer<std::uint32_t>(q.in.scales[place.scale]);            \
      space::store_words(words.data(), unit,                                                  \
                         space::decode_unit<Words, kKind, kPacking>(                          \
                             mode, space::load_codes<Words, kPacking>(codes, unit), scale));  \
    }                                                                                         \
  }                                                                                           \
  template <class Words>                                                                      \
  void judge_one_##name(const Question& q, DequantizeTally& tally) {                          \
    space::Mode mode;                                                                         \
    std::memcpy(static_cast<void*>(&mode), &q.constants.mode, sizeof mode);                   \
    space::Run run;                                                                           \
    run.codes = reinterpret_cast<const std::uint8_t*>(q.in.codes.data());                     \
    run.scales = reinterpret_cast<const std::uint8_t*>(q.in.scales.data());                   \
    run.outer = q.layout.shape.outer;                                                         \
    run.length = q.layout.shape.length;                                                       \
    run.inner = q.layout.shape.inner;                                                         \
    run.packing = cuda::packing_of(q.job.format.element.bits, q.layout.packed);               \
    run.blocks_last = run.inner == 1;                                                         \
    run.swizzled = q.layout.swizzled;                                                         \
    std::vector<std::byte> words(q.words.size());                                             \
    for (std::size_t i = 0; i < q.layout.shape.elements(); ++i) {                             \
      const auto place = space::place_of(run, 32, i);                                         \
      const std::uint32_t code = space::code_at(run.codes, run.packing, place.code);          \
      const auto word = static_cast<typename Words::Word>(                                    \
          space::decode_word<Words>(mode, code, run.scales[place.scale]));                    \
      std::memcpy(words.data() + i * sizeof word, &word, sizeof word);                        \
    }                                                                                         \
    compare_stream_words(q.job.output, q.words, words, "words", tally);                       \
    if (run.inner != 1) return;                                                               \
    using enum space::Codes;                                                                  \
    if (run.packing == cuda::Packing::kNibbles) {                                             \
      short_##name<Words, kNumbers, cuda::Packing::kNibbles>(mode, q, words);                 \
    } else if (run.packing == cuda::Packing::kDense6) {                                       \
      short_##name<Words, kNumbers, cuda::Packing::kDense6>(mode, q, words);                  \
    } else if (q.constants.codes == cuda_dequantize::Codes::kTwosComplement) {                \
      short_##name<Words, kTwosComplement, cuda::Packing::kBytes>(mode, q, words);            \
    } else {                                                                                  \
      short_##name<Words, kWithSpecials, cuda::Packing::kBytes>(mode, q, words);              \
    }                                                                                         \
    compare_stream_words(q.job.output, q.words, words, "units", tally);                       \
  }                                                                                           \
  DequantizeTally judge_##name() {                                                            \
    DequantizeTally tally;                                                                    \
    for (const Question& q : questions()) {                                                   \
      if (q.constants.words == dequantize::Words::kBf16) {                                    \
        judge_one_##name<cuda::Bf16>(q, tally);                                               \
      } else if (q.constants.words == dequantize::Words::kFp32) {                             \
        judge_one_##name<cuda::Fp32>(q, tally);                                               \
      } else {                                                                                \
        judge_one_##name<cuda::Fp16>(q, tally);                                               \
      }                                                                                       \
    }                                                                                         \
    return tally;                                                                             \
  }

#define MX_MUTANT(name)                                             \
  MX_JUDGE(name, ::mx::fast::mutant::name::cuda_dequantize)         \
  TEST(DequantizeMutant, name) {                                    \
    const DequantizeTally tally = judge_##name();                   \
    EXPECT_GT(tally.mismatches, 0u) << "the mutant survives";       \
    RecordProperty("mismatches", std::to_string(tally.mismatches)); \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

MX_JUDGE(unchanged, ::mx::fast::cuda_dequantize)

TEST(DequantizeMutant, UnchangedArithmeticPasses) {
  const DequantizeTally tally = judge_unchanged();
  EXPECT_GT(tally.elements, 1'000'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

#include "dequantize_mutants.inc"

}  // namespace
}  // namespace test
}  // namespace mx::fast

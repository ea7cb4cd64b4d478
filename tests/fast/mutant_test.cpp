// Negative control: the judge and its stimulus catch each wrong variant of the arithmetic. The same
// loops over the unchanged arithmetic find nothing, so what is caught is the change.
#include <gtest/gtest.h>

#include <array>

#include "fast/cpu/resolve.hpp"
#include "fast/cuda/block.hpp"
#include "fast/cuda/units.hpp"
#include "mutants.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

/// What is asked of every variant: e4m3fn and int8 by default, which the short encoder answers,
/// too; a directed rounding under another rule; a stochastic one; ties away from zero, by the
/// short encoder as well.
std::vector<BlockJob> jobs() {
  std::vector<BlockJob> all = {stream_job(formats::fp32, formats::e4m3fn),
                               stream_job(formats::fp32, formats::int8)};
  all.push_back(all[0]);
  all[2].element.rounding = Rounding::kTowardPositive;
  all[2].block.rule = ScaleRule::kEvenUp;
  all.push_back(all[0]);
  all[3].element.rounding = Rounding::kStochasticC;
  all[3].element.random_bits = 5;
  all[3].block.rule = ScaleRule::kCeil;
  all.push_back(all[0]);
  all[4].element.rounding = Rounding::kTiesToAway;
  return all;
}

struct Question {
  BlockJob job;
  std::vector<std::byte> words;
  StreamLayout layout;
  StreamAnswer answer;
};

constexpr StreamRandom kRandom{nullptr, 42, 0};

const std::vector<Question>& questions() {
  static const std::vector<Question> all = [] {
    std::vector<Question> made;
    for (const BlockJob& job : jobs()) {
      std::vector<std::uint32_t> codes;
      const Sink keep = [&](std::span<const std::uint32_t> piece) {
        codes.insert(codes.end(), piece.begin(), piece.end());
      };
      thresholds_at_every_scale(formats::fp32, job.format.element, keep);
      random_blocks(formats::fp32, 1, 2048, keep);
      // Maxima just above a power of two, which ceil alone tells from it.
      for (std::uint32_t field = 1; field < 255; ++field) {
        std::array<std::uint32_t, 32> block{};
        block[field % 32] = field << 23 | 1;
        keep(block);
      }
      const StreamLayout layout{{codes.size() / 32, 32, 1}, false, false, true};
      Question question{job, to_bytes(formats::fp32, codes), layout, {}};
      question.answer = reference_answer(job, layout, question.words, kRandom);
      made.push_back(std::move(question));
    }
    return made;
  }();
  return all;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a namespace cannot be a template argument.

/// All questions to one arithmetic: block by block, and by the short encoder where there is one.
#define MX_JUDGE(judge, space)                                                                    \
  StreamTally judge() {                                                                           \
    StreamTally tally;                                                                            \
    for (const Question& q : questions()) {                                                       \
      BlockJob plain = q.job;                                                                     \
      space::Mode mode;                                                                           \
      if (is_stochastic(plain.element.rounding)) {                                                \
        plain.element.rounding = Rounding::kTiesToEven;                                           \
        mode.drawing = space::Drawing::kC;                                                        \
        mode.random_bits = plain.element.random_bits;                                             \
      }                                                                                           \
      mode.block = cpu::resolve_block(plain).value();                                             \
      StreamAnswer got = q.answer;                                                                \
      std::ranges::fill(got.codes, std::byte{0xA5});                                              \
      std::ranges::fill(got.status, 0xA5A5);                                                      \
      for (std::byte & each : got.scales) each = std::byte{0};                                    \
      space::Run run;                                                                             \
      run.source = q.words.data();                                                                \
      run.outer = q.layout.shape.outer;                                                           \
      run.length = 32;                                                                            \
      run.out = {reinterpret_cast<std::uint8_t*>(got.codes.data()),                               \
                 reinterpret_cast<std::uint8_t*>(got.scales.data()), got.status.data()};          \
      run.swizzled = true;                                                                        \
      run.random.seed = kRandom.seed;                                                             \
      const bool draws = mode.drawing != space::Drawing::kNone;                                   \
      for (std::size_t b = 0; b < run.outer; ++b) {                                               \
        const space::SoloLane solo{};                                                             \
        if (draws) {                                                                              \
          space::quantize_block<space::Fp32, true, true>(mode, run, solo, b, true);               \
        } else {                                                                                  \
          space::quantize_block<space::Fp32, false, true>(mode, run, solo, b, true);              \
        }                                                                                         \
      }                                                                                           \
      compare_answers(q.answer, got, "blocks", tally);                                            \
      tally.elements += run.outer * 32;                                                           \
      const bool is_away = q.job.element.rounding == Rounding::kTiesToAway;                       \
      const bool is_short = mode.block.element.is_plain || is_away;                               \
      if (draws || !is_short || mode.block.element.sign_bit == 0) continue;                       \
      for (std::size_t b = 0; b < run.outer; ++b) {                                               \
        std::uint32_t amax = 0;                                                                   \
        for (std::size_t i = 0; i < 4; ++i) {                                                     \
          const auto unit = space::load_unit<space::Fp32>(run.source, b * 32 + i * 8);            \
          amax = std::max(amax, space::largest_of(unit));                                         \
        }                                                                                         \
        const auto scale = space::scale_of<space::Fp32>(mode.block, amax);                        \
        std::uint32_t report = scale.status | static_cast<std::uint32_t>(scale.code);             \
        for (std::size_t i = 0; i < 4; ++i) {                                                     \
          const auto unit = space::load_unit<space::Fp32>(run.source, b * 32 + i * 8);            \
          using Even = space::PlainElement<3, 8, false>;                                          \
          using Away = space::PlainElement<3, 8, false, space::Ties::kAway>;                      \
          const auto encode = is_away ? &space::encode_unit<space::Fp32, Away, space::NoDraws>    \
                                      : &space::encode_unit<space::Fp32, Even, space::NoDraws>;   \
          const auto encoded =                                                                    \
              encode(mode, scale, amax, unit, space::Packing::kBytes, space::NoDraws{});          \
          space::store_unit<8>(run.out.codes, space::Packing::kBytes, b * 4 + i, encoded.packed); \
          report |= encoded.report;                                                               \
        }                                                                                         \
        got.status[b] = static_cast<std::uint16_t>(report);                                       \
      }                                                                                           \
      compare_answers(q.answer, got, "units", tally);                                             \
    }                                                                                             \
    return tally;                                                                                 \
  }

#define MX_MUTANT(name)                                             \
  MX_JUDGE(judge_##name, ::mx::fast::mutant::name::cuda)            \
  TEST(Mutant, name) {                                              \
    const StreamTally tally = judge_##name();                       \
    EXPECT_GT(tally.mismatches, 0u) << "the mutant survives";       \
    RecordProperty("mismatches", std::to_string(tally.mismatches)); \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

MX_JUDGE(judge_unchanged, ::mx::fast::cuda)

TEST(Mutant, UnchangedArithmeticPasses) {
  const StreamTally tally = judge_unchanged();
  EXPECT_GT(tally.elements, 400'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

#include "mutants.inc"

}  // namespace
}  // namespace mx::fast::test

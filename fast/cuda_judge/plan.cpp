#include "fast/cuda_judge/plan.hpp"

#include <algorithm>
#include <string>

#include "fast/cpu/resolve.hpp"
#include "fast/cuda/calls.hpp"
#include "fast/environment/default_floats.hpp"

namespace mx::fast {

using cuda_judge::Step;
using cuda_judge::Tally;

namespace {

/// Does a configuration have a short encoder? As the kernels of blocks choose it.
bool has_short(const cpu::ElementConstants& c) {
  const auto is = [&](int man_bits, unsigned sign_bit) {
    return c.is_plain && c.man_bits == man_bits && c.sign_bit == sign_bit;
  };
  return is(3, 0x80) || is(2, 0x80) || is(3, 0x20) || is(2, 0x20) || is(1, 0x08) ||
         cuda::is_plain_int8(c);
}

constexpr Status kRunProblem = {Error::kBadSize, "words are asked for in whole runs of 256"};

}  // namespace

namespace cuda_judge {

std::string_view table_problem(std::span<const AnswerStep> steps) {
  if (steps.empty() || steps[0].first != 0) return "the first answer is not that of word 0";
  if (steps.size() > kMostSteps) return "more answers than the table holds";
  const auto not_above = [](const AnswerStep& a, const AnswerStep& b) {
    return a.first >= b.first;
  };
  return std::ranges::adjacent_find(steps, not_above) == steps.end() ? "" : "answers out of order";
}

std::vector<Step> table_of(std::span<const AnswerStep> steps) {
  std::vector<Step> table;
  for (const AnswerStep& each : steps) table.push_back({each.first, each.code});
  return table;
}

WordVerdict verdict_of(const Tally& tally) {
  if (tally.mismatches == 0) return {};
  return {tally.mismatches, static_cast<std::uint32_t>(tally.first >> 8),
          static_cast<std::uint8_t>(tally.first & 0xFF)};
}

}  // namespace cuda_judge

Checked<WordJudge> WordJudge::make(const ElementJob& job, int scale_exponent, Encoder encoder) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::ElementConstants> element = cpu::resolve_element(job.destination, job.policy);
  if (!element) return Problem{std::string(element.problem())};
  Constants constants;
  constants.source = *source;
  constants.conversion.mode.block.element = *element;
  constants.conversion.scale_exponent = scale_exponent;
  constants.is_short = encoder == Encoder::kAsBlocks && has_short(*element);
  constants.segment_bits = *source == cpu::Source::kFp32 ? 24 : 16;
  return WordJudge(std::make_shared<const Constants>(constants));
}

bool WordJudge::is_short() const { return constants_->is_short; }

std::uint32_t WordJudge::segment_words() const {
  return std::uint32_t{1} << constants_->segment_bits;
}

Status WordJudge::judge_on_host(std::span<const AnswerStep> steps, std::uint32_t first,
                                std::span<WordVerdict> verdicts) const {
  if (const std::string_view why = cuda_judge::table_problem(steps); !why.empty()) {
    return {Error::kBadSize, why};
  }
  const DefaultFloats floats;
  const std::vector<Step> table = cuda_judge::table_of(steps);
  const std::uint32_t runs = segment_words() / cuda_judge::kRun;
  cuda_judge::with_types(*constants_, [&]<class Source, class Element>() {
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const std::uint32_t from = (first + static_cast<std::uint32_t>(i)) * runs;
      Tally all{0, cuda_judge::kNone};
      for (std::uint32_t run = 0; run < runs; ++run) {
        const Tally own = cuda_judge::judge_run<Source, Element>(
            constants_->conversion, table.data(), static_cast<int>(table.size()),
            (from + run) * cuda_judge::kRun, cuda_judge::kRun);
        all.mismatches += own.mismatches;
        all.first = std::min(all.first, own.first);
      }
      verdicts[i] = cuda_judge::verdict_of(all);
    }
  });
  return {};
}

Status WordJudge::codes_on_host(std::uint32_t first, std::span<std::byte> codes) const {
  if (first % cuda_judge::kRun != 0 || codes.size() % cuda_judge::kRun != 0) return kRunProblem;
  const DefaultFloats floats;
  cuda_judge::with_types(*constants_, [&]<class Source, class Element>() {
    for (std::size_t at = 0; at < codes.size(); at += cuda_judge::kRun) {
      const std::uint32_t from = first + static_cast<std::uint32_t>(at);
      cuda_judge::convert_run<Source, Element>(constants_->conversion, from, cuda_judge::kRun,
                                               [&](std::uint32_t word, std::uint32_t code) {
                                                 codes[at + (word - from)] =
                                                     static_cast<std::byte>(code);
                                               });
    }
  });
  return {};
}

}  // namespace mx::fast

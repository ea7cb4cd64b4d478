#include "cli/identify/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/identify/answer.hpp"
#include "cli/identify/probes.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/vector_file.hpp"
#include "reference/block/back.hpp"

namespace mx::cli {
namespace {

using golden::DequantizeCase;
using golden::Field;

/// Policies that may have given a file.
struct Candidate {
  Dequantizing how;
  DequantOverflow overflow = DequantOverflow::kInf;
  bool by_torchao = false;

  [[nodiscard]] std::string text() const {
    return fmt::format("rounding {}, dst_ftz {}, dequant_overflow {}{}", token_of(how.rounding),
                       token_of(how.dst_ftz), token_of(overflow),
                       by_torchao ? ", rule nvfp4_torchao" : "");
  }
};

/// The reference's own defaults come first: of several that explain a file they are the plainest.
std::vector<Candidate> candidates_for(const golden::VectorHeader& header) {
  const bool is_nvfp4 = std::ranges::all_of(header.configs, [](const auto& each) {
    return std::get<DequantizeCase>(each.what).format.tensor_scale != TensorScale::kNone;
  });
  std::vector<Candidate> list;
  for (const bool by_torchao : {false, true}) {
    if (by_torchao && !is_nvfp4) continue;
    for (const auto& rounding : tokens<Rounding>()) {
      if (is_stochastic(rounding.value)) continue;
      for (const auto& ftz : tokens<ResultSubnormals>()) {
        for (const auto& overflow : tokens<DequantOverflow>()) {
          if (!std::ranges::all_of(header.configs, [&](const auto& each) {
                return back_problem(overflow.value, std::get<DequantizeCase>(each.what).result)
                    .empty();
              })) {
            continue;
          }
          list.push_back({{rounding.value, ftz.value}, overflow.value, by_torchao});
        }
      }
    }
  }
  return list;
}

/// The configurations of the file with a candidate's policies; those that cannot be are left alone.
golden::VectorHeader under(const Candidate& candidate, golden::VectorHeader header) {
  for (golden::Configuration& each : header.configs) {
    DequantizeCase what = std::get<DequantizeCase>(each.what);
    what.how = candidate.how;
    what.overflow = candidate.overflow;
    if (candidate.by_torchao) {
      what.rule = ScaleRule::kNvfp4Torchao;
    } else if (facts_of(what.rule).returns_in_fp32) {
      what.rule = what.format.rule;
    }
    if (golden::problem_of({what, {}}).empty()) each.what = what;
  }
  return header;
}

Maker score(const golden::VectorHeader& header, const golden::RecordBatch& seen,
            const Candidate& candidate, RecordTally& tally) {
  Maker maker{.name = candidate.text(), .first = {}, .facts = {}};
  maker.facts = {{"rounding", token_of(candidate.how.rounding)},
                 {"dst_ftz", token_of(candidate.how.dst_ftz)},
                 {"dequant_overflow", token_of(candidate.overflow)},
                 {"nvfp4_torchao", candidate.by_torchao}};
  const golden::VectorHeader own = under(candidate, header);
  golden::RecordBatch expected = seen;
  golden::ReferenceAnswerer(own).answer(expected, 0, expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t n = seen.elements(Field::kA, i);
    for (std::size_t lane = 0; lane < n; ++lane) {
      const std::uint64_t right = expected.of(Field::kCode, i)[lane];
      const std::uint64_t given = seen.of(Field::kCode, i)[lane];
      tally.note(i, right == given);
      ++maker.compared;
      if (right == given) {
        ++maker.agree;
      } else if (maker.first.empty()) {
        maker.first = fmt::format(
            "record {} lane {}: scale {:x}, code {:x}: expected {:x}, seen {:x}", i, lane,
            seen.word(Field::kAScale, i), seen.of(Field::kA, i)[lane], right, given);
      }
    }
  }
  return maker;
}

/// What parts those that explain a file, among codes of its first configuration.
Partings parting_values(const golden::VectorHeader& header,
                        const std::vector<Candidate>& explaining) {
  golden::VectorHeader one = header;
  one.configs.resize(1);
  const golden::RecordBatch operands = probes_of(one);
  std::vector<golden::RecordBatch> answers;
  std::vector<std::string> names;
  for (const Candidate& each : explaining) {
    const golden::VectorHeader own = under(each, one);
    golden::ReferenceAnswerer(own).answer(answers.emplace_back(operands), 0, operands.size());
    names.push_back(each.text());
  }
  const std::size_t lanes = operands.lanes(Field::kCode);
  const int bits = std::get<DequantizeCase>(one.configs[0].what).result.bits;
  return partings_of(
      names, operands.size() * lanes,
      [&](std::size_t maker, std::size_t at) {
        return golden::hex(answers[maker].of(Field::kCode, at / lanes)[at % lanes], bits);
      },
      [&](std::size_t at) {
        return fmt::format("scale {:x} code {:x}", operands.word(Field::kAScale, at / lanes),
                           operands.of(Field::kA, at / lanes)[at % lanes]);
      });
}

}  // namespace

Exit identify_values(const std::string& path, bool is_verbose, bool is_json) {
  golden::VectorHeader header;
  const golden::RecordBatch seen =
      golden::read_records(path, header, emulators::make_cast, golden::ReadMode::kAnswers);
  const auto& first = std::get<DequantizeCase>(header.configs.front().what);
  WholeAnswer answer{.what = fmt::format("{} -> {}", first.format.name, first.result.name),
                     .kind = "sets of policies",
                     .words = "values",
                     .makers = {},
                     .tally = RecordTally(seen.size()),
                     .partings = {},
                     .notes = {}};
  std::vector<Candidate> explaining;
  for (const Candidate& each : candidates_for(header)) {
    answer.makers.push_back(score(header, seen, each, answer.tally));
    if (answer.makers.back().explains()) explaining.push_back(each);
  }
  answer.partings = parting_values(header, explaining);
  return report(std::move(answer), is_verbose, is_json);
}

}  // namespace mx::cli

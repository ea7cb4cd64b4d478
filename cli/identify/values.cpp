#include "cli/identify/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/files/vector_file.hpp"
#include "reference/block/back.hpp"

namespace mx::cli {
namespace {

using golden::DequantizeCase;
using golden::Field;

constexpr std::size_t kNearest = 5;

/// Policies, and how much of the file they give.
struct Candidate {
  Dequantizing how;
  DequantOverflow overflow = DequantOverflow::kInf;
  bool by_torchao = false;
  std::uint64_t agree = 0;
  std::uint64_t compared = 0;
  std::string first;  ///< where it differs first

  [[nodiscard]] bool explains() const { return compared != 0 && agree == compared; }
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
          list.push_back({{rounding.value, ftz.value}, overflow.value, by_torchao, 0, 0, {}});
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

void score(const golden::VectorHeader& header, const golden::RecordBatch& seen,
           Candidate& candidate) {
  const golden::VectorHeader own = under(candidate, header);
  golden::RecordBatch expected = seen;
  golden::ReferenceAnswerer(own).answer(expected, 0, expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t n = seen.elements(Field::kA, i);
    for (std::size_t lane = 0; lane < n; ++lane) {
      const std::uint64_t right = expected.of(Field::kCode, i)[lane];
      const std::uint64_t given = seen.of(Field::kCode, i)[lane];
      ++candidate.compared;
      if (right == given) {
        ++candidate.agree;
      } else if (candidate.first.empty()) {
        candidate.first = fmt::format(
            "record {} lane {}: scale {:x}, code {:x}: expected {:x}, seen {:x}", i, lane,
            seen.word(Field::kAScale, i), seen.of(Field::kA, i)[lane], right, given);
      }
    }
  }
}

void print_values(const std::vector<Candidate>& list) {
  bool explains_any = false;
  for (const Candidate& each : list) {
    if (!each.explains()) continue;
    explains_any = true;
    fmt::print("explains all {} values: {}\n", each.compared, each.text());
  }
  if (explains_any) return;
  fmt::print("no policies explain every value; nearest:\n");
  for (const Candidate& each : std::span(list).first(std::min(kNearest, list.size()))) {
    fmt::print("  {}: {} of {} values; {}\n", each.text(), each.agree, each.compared, each.first);
  }
}

void print_values_json(const std::vector<Candidate>& list) {
  auto json = nlohmann::ordered_json::array();
  for (const Candidate& each : list) {
    json.push_back({{"rounding", token_of(each.how.rounding)},
                    {"dst_ftz", token_of(each.how.dst_ftz)},
                    {"dequant_overflow", token_of(each.overflow)},
                    {"nvfp4_torchao", each.by_torchao},
                    {"explains", each.explains()},
                    {"agree", each.agree},
                    {"compared", each.compared},
                    {"first_difference", each.first}});
  }
  fmt::print("{}\n", golden::dumped(json, 2));
}

}  // namespace

Exit identify_values(const std::string& path, bool is_json) {
  golden::VectorHeader header;
  const golden::RecordBatch seen =
      golden::read_records(path, header, emulators::make_cast, golden::ReadMode::kAnswers);
  std::vector<Candidate> list = candidates_for(header);
  for (Candidate& each : list) score(header, seen, each);
  std::ranges::stable_sort(
      list, [](const Candidate& a, const Candidate& b) { return a.agree > b.agree; });
  is_json ? print_values_json(list) : print_values(list);
  if (list.front().compared == 0) return Exit::kBadInput;
  return list.front().explains() ? Exit::kPass : Exit::kMismatch;
}

}  // namespace mx::cli

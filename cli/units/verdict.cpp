#include "cli/units/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

using nlohmann::ordered_json;

std::string name_of(const UnitVerdict& verdict) {
  if (verdict.chunk == 0) return std::string(verdict.unit->name);
  return fmt::format("{} in chunks of {}", verdict.unit->name, verdict.chunk);
}

ordered_json json_of(const UnitVerdict& verdict, const ElementFormat& result) {
  ordered_json json{{"unit", verdict.unit->name},
                    {"compared", compared(verdict)},
                    {"equal", verdict.equal},
                    {"open", verdict.open},
                    {"different", verdict.different}};
  if (verdict.chunk != 0) json["chunk"] = verdict.chunk;
  if (verdict.different != 0) {
    json["first_different"] = {{"index", verdict.first},
                               {"expected", golden::hex_code(result, verdict.want)},
                               {"unit_gives", golden::hex_code(result, verdict.got)}};
  }
  return json;
}

void print(const UnitVerdict& verdict, const ElementFormat& result) {
  const std::uint64_t all = compared(verdict) + verdict.open;
  std::string text =
      fmt::format("{}: {} of {} results equal", name_of(verdict), verdict.equal, all);
  if (verdict.open != 0) {
    text += fmt::format(", {} not compared in NaN code or sign of zero", verdict.open);
  }
  if (verdict.different != 0) {
    text += fmt::format(", {} differ; the first, {}: expected {}, the unit gives {}",
                        verdict.different, verdict.first, golden::hex_code(result, verdict.want),
                        golden::hex_code(result, verdict.got));
  }
  fmt::print("{}\n", text);
}

}  // namespace

UnitVerdict unit_verdict(const MatrixUnit& unit, const ElementFormat& result,
                         std::span<const std::uint64_t> unit_gives,
                         std::span<const std::uint64_t> expected) {
  UnitVerdict verdict{.unit = &unit};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    switch (match(unit, result, unit_gives[i], expected[i])) {
      case UnitMatch::kEqual:
        ++verdict.equal;
        break;
      case UnitMatch::kOpen:
        ++verdict.open;
        break;
      case UnitMatch::kDifferent:
        if (verdict.different++ == 0) {
          verdict.first = i;
          verdict.want = expected[i];
          verdict.got = unit_gives[i];
        }
    }
  }
  return verdict;
}

Exit report_verdicts(std::span<const UnitVerdict> verdicts, const ElementFormat& result,
                     std::size_t left_out, bool is_json) {
  if (verdicts.empty()) fail(Exit::kUsage, "no unit takes these operands (mxgold list units)");
  ordered_json all = ordered_json::array();
  std::vector<std::string> explaining;
  for (const UnitVerdict& verdict : verdicts) {
    if (explains(verdict)) explaining.push_back(name_of(verdict));
    all.push_back(json_of(verdict, result));
  }
  if (is_json) {
    const ordered_json json{
        {"units", all}, {"explained_by", explaining}, {"do_not_take_the_operands", left_out}};
    fmt::print("{}\n", golden::dumped(json, 2));
  } else {
    for (const UnitVerdict& verdict : verdicts) print(verdict, result);
    if (verdicts.size() > 1 || left_out > 0) {
      fmt::print("{}; {} units do not take these operands\n",
                 explaining.empty() ? "no unit explains every result"
                                    : fmt::format("explained by {}", fmt::join(explaining, ", ")),
                 left_out);
    }
    if (explaining.size() > 1) fmt::print("these operands do not tell them apart\n");
  }
  if (!explaining.empty()) return Exit::kPass;
  if (std::ranges::any_of(verdicts, [](const auto& each) { return compared(each) != 0; })) {
    return Exit::kMismatch;
  }
  fmt::print(stderr,
             "nothing to compare: every result is open, a NaN whose code or a zero whose sign no "
             "source settles; give operands with other results\n");
  return Exit::kBadInput;
}

}  // namespace mx::cli

#include "cli/prove/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mx::cli {
namespace {

std::string line_of(const KindCost& cost) {
  return fmt::format("{:9} {:3} statements {:8.1f} s CPU, controls {:8.1f} s CPU\n", cost.kind,
                     cost.statements, cost.cpu_seconds, cost.control_cpu_seconds);
}

}  // namespace

std::vector<KindCost> costs_of(std::span<const Outcome> outcomes) {
  std::vector<KindCost> costs;
  for (const Outcome& each : outcomes) {
    const std::string& name = each.obligation.name;
    const std::string kind = name.substr(0, name.find('.'));
    auto at = std::ranges::find(costs, kind, &KindCost::kind);
    if (at == costs.end()) at = costs.insert(at, {.kind = kind});
    ++at->statements;
    at->cpu_seconds += each.answer.cpu_seconds;
    at->control_cpu_seconds += each.control.cpu_seconds;
  }
  return costs;
}

std::string cost_text(std::span<const Outcome> outcomes) {
  const std::vector<KindCost> costs = costs_of(outcomes);
  KindCost all{.kind = "in all"};
  std::string text;
  for (const KindCost& each : costs) {
    text += line_of(each);
    all.statements += each.statements;
    all.cpu_seconds += each.cpu_seconds;
    all.control_cpu_seconds += each.control_cpu_seconds;
  }
  if (costs.size() < 2) return text;
  return text + line_of(all) +
         fmt::format("          {:.1f} minutes of processor time with controls\n",
                     (all.cpu_seconds + all.control_cpu_seconds) / 60);
}

}  // namespace mx::cli

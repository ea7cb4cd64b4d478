#include "golden/deviation/deviating_device.hpp"

#include <algorithm>
#include <string_view>

#include "golden/answers/verdict.hpp"

namespace mx::golden {

DeviatingDevice::DeviatingDevice(const VectorHeader& header, std::vector<Deviation> deviations)
    : header_(&header), deviations_(std::move(deviations)) {}

DeviatingAnswers* DeviatingDevice::of(std::size_t config) {
  const auto [entry, is_new] = answers_.try_emplace(config);
  if (!is_new) return entry->second.get();
  DeviatingConfiguration changed{.configuration = header_->configs[config]};
  bool is_changed = false;
  std::vector<std::string_view> policies;  // that are changed already, so that no change follows on
  for (const Deviation& each : deviations_) {
    if (std::ranges::find(policies, each.field) != policies.end()) continue;
    if (!apply(each, changed)) continue;
    is_changed = true;
    if (find_policy_field(each.field) != nullptr) policies.push_back(each.field);
  }
  if (!is_changed) return nullptr;
  auto made = std::make_unique<DeviatingAnswers>(*header_, std::move(changed));
  if (made->is_possible()) entry->second = std::move(made);
  return entry->second.get();
}

bool DeviatingDevice::gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                            const OpenAnswer& open) {
  DeviatingAnswers* const answers = of(expected.config(i));
  if (answers != nullptr) return answers->gives(expected, actual, i, open);
  Verdict ignored;
  return compare_answer(expected, actual, i, open, ignored);
}

}  // namespace mx::golden

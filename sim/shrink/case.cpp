#include "sim/shrink/case.hpp"

#include <map>

namespace mx::sim {

std::size_t words_in_use(const Case& failure, const Slots& slots) {
  std::size_t count = 0;
  for (const Question& question : failure.questions) {
    const std::vector<Slot> kinds = slots(failure.configs[question.config]);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      count += question.words[i] != kinds[i].rest ? 1U : 0U;
    }
  }
  return count;
}

Case without_idle_configurations(const Case& failure) {
  Case result = failure;
  result.configs.clear();
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (Question& question : result.questions) {
    const auto [entry, is_new] =
        numbers.try_emplace(question.config, static_cast<std::uint32_t>(result.configs.size()));
    if (is_new) result.configs.push_back(failure.configs[question.config]);
    question.config = entry->second;
  }
  return result;
}

}  // namespace mx::sim

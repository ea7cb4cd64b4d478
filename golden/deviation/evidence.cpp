// SPDX-License-Identifier: Apache-2.0
#include "golden/deviation/evidence.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "golden/deviation/deviating_device.hpp"

namespace mx::golden {

Evidence evidence_of(const VectorHeader& header, std::span<const AnswerAt> wrong,
                     std::span<const AnswerAt> right) {
  const auto answer = [wrong, right](std::size_t i) -> const AnswerAt& {
    return i < wrong.size() ? wrong[i] : right[i - wrong.size()];
  };
  Evidence evidence{.wrong = wrong.size(), .right = right.size(), .device = {}, .concerns = {}};
  evidence.device = [&header, answer](std::vector<Deviation> deviations) -> Gives {
    const auto device = std::make_shared<DeviatingDevice>(header, std::move(deviations));
    return [device, answer](std::size_t i) {
      const AnswerAt& at = answer(i);
      return device->gives(at.expected, at.actual, at.i, at.open);
    };
  };
  evidence.concerns = [&header, answer](const Deviation& deviation, std::size_t i) {
    const AnswerAt& at = answer(i);
    DeviatingConfiguration changed{.configuration = header.configs[at.expected.config(at.i)]};
    return apply(deviation, changed);
  };
  return evidence;
}

}  // namespace mx::golden

// SPDX-License-Identifier: Apache-2.0
// Devices of records that the causes' tests make, and their runs.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/configuration/policies.hpp"
#include "sim/record/run.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::sim::test {

/// A device whose answers the test makes, record by record.
class MadeDevice : public RecordDevice {
 public:
  using Answer = std::function<void(golden::RecordBatch& batch, std::size_t i)>;
  explicit MadeDevice(Answer answer) : answer_(std::move(answer)) {}

  [[nodiscard]] std::string_view name() const override { return "made"; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override {
    golden::RecordBatch batch(header.shape());
    while (next(batch)) {
      for (std::size_t i = 0; i < batch.size(); ++i) answer_(batch, i);
      take(batch);
    }
  }

 private:
  Answer answer_;
};

/// The reference under configurations of its own.
inline MadeDevice::Answer reference_under(const golden::VectorHeader& header,
                                          std::vector<golden::Configuration> configs) {
  const auto other = std::make_shared<golden::VectorHeader>(header);
  other->configs = std::move(configs);
  const auto reference = std::make_shared<golden::ReferenceAnswerer>(*other);
  // The answerer reads the header as long as it lives.
  return [other, reference](golden::RecordBatch& batch, std::size_t i) {
    reference->answer(batch, i, i + 1);
  };
}

/// The run of a set; options say what is kept, compared and waived.
inline RecordRun run_set(const golden::GoldenSet& set, RecordDevice& device,
                         RecordRunOptions options = {}) {
  RecordInput input;
  input.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    batch = golden::RecordBatch(set.header.shape());
    batch.append(set.records, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  };
  options.keep_mismatches = std::max<std::size_t>(options.keep_mismatches, 64);
  options.for_each_piece = [](std::size_t count, const auto& work) { work(0, count); };
  return run_records(set.header, input, device, options);
}

/// The configuration with a policy changed; nothing where that cannot be.
inline std::optional<golden::Configuration> with_policy(const golden::Configuration& base,
                                                        const PolicyField& field,
                                                        std::string_view value) {
  Policies policies = golden::policies_of(base).value();
  if (!field.write(policies, value)) return {};
  const golden::Configuration other = golden::with_policies(base, policies);
  if (!golden::problem_of(other).empty() || golden::takes_random(other)) return {};
  return other;
}

}  // namespace mx::sim::test

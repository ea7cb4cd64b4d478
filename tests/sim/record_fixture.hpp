// Records for the tests of devices that have no clock: the smoke suite of any configuration.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "golden/stimulus/stimulus.hpp"
#include "golden/vectors/header.hpp"
#include "sim/record/run.hpp"

namespace mx::sim::test {

/// The header of a suite with its count.
inline golden::VectorHeader suite_header(std::vector<golden::Configuration> configs, int lanes,
                                         golden::Lengths lengths = golden::Lengths::kFull) {
  golden::VectorHeader header;
  header.op = configs.front().operation();
  header.configs = std::move(configs);
  header.lanes = lanes;
  header.lengths = lengths;
  header.suite = "smoke";
  if (std::ranges::any_of(header.configs, golden::takes_random)) {
    header.random_words = golden::RandomWords::kPresent;
  }
  header.count = golden::Stimulus(header).size();
  return header;
}

/// Records [0, count) of the suite that the header names.
inline RecordInput suite_input(const golden::VectorHeader& header) {
  const auto stimulus = std::make_shared<const golden::Stimulus>(header);
  RecordInput input;
  input.fill = [stimulus](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    stimulus->fill(first, last, batch);
  };
  return input;
}

/// In this thread, piece by piece.
inline RecordRunOptions one_thread() {
  RecordRunOptions options;
  options.for_each_piece = [](std::size_t count, const auto& work) { work(0, count); };
  return options;
}

}  // namespace mx::sim::test

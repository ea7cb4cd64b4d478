// The parts of a suite run: which configurations, with which blocks. Their order in the run is
// SuiteSource's business.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/stimulus/suite.hpp"
#include "sim/stimulus/suite_source.hpp"
#include "sim/stimulus/walk.hpp"

namespace mx::sim {

/// A suite of golden/ with a name, for one configuration or for several that take turns. Directed
/// sets are kept as words, a quarter of the suite's own size; seeded ones are drawn when they are
/// needed.
class Part {
 public:
  /// Configurations [first, first + configs.size()) of the run.
  Part(std::span<const golden::Configuration> configs, std::uint32_t first,
       const golden::SuiteOptions& options, const std::string& name);

  /// Blocks given one by one, of configuration `number`.
  Part(const golden::Configuration& configuration, std::uint32_t number, std::string name,
       std::span<const WalkBlock> blocks);

  /// Builds the stimulus, with what parts share. Until then a part of a suite has no size.
  void prepare(golden::DirectedShelf& shelf);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const;
  /// Configuration and lane mask differ from block to block.
  [[nodiscard]] bool has_policies() const { return configs_.size() > 1; }

  /// Writes source, random, keep and config of blocks [first, first + out.size()). `batch` is
  /// scratch.
  void fill(std::uint64_t first, std::span<BlockIn> out, golden::RecordBatch& batch) const;

 private:
  [[nodiscard]] golden::VectorHeader header() const;
  [[nodiscard]] bool is_seeded() const {
    return options_.kind == golden::SuiteKind::kRandom ||
           options_.kind == golden::SuiteKind::kPolicy;
  }
  void keep_words(const golden::Suite& suite);

  std::vector<golden::Configuration> configs_;
  std::uint32_t first_;
  golden::SuiteOptions options_;
  std::string name_;
  golden::RecordShape shape_;
  std::vector<std::unique_ptr<const golden::Suite>> suites_;  // seeded parts
  std::vector<std::uint32_t> source_;                         // directed parts, as the next
  std::vector<std::uint32_t> random_;
  std::vector<std::uint32_t> keep_;  // parts of blocks given one by one
};

/// Parts of a whole suite run, prepared.
struct SuiteParts {
  Configurations configs;
  std::vector<Part> parts;
  std::size_t configurations = 0;
  std::size_t left_out = 0;
  std::string first_refusal;
};

[[nodiscard]] SuiteParts make_parts(const SuiteOptions& options);

}  // namespace mx::sim

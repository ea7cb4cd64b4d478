// The parts of a suite run: which configurations, with which blocks. Their order in the run is
// SuiteSource's business.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/stimulus/stimulus.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim {

/// A suite of golden/ with a name. Directed sets are kept as words, a quarter of the suite's own
/// size; seeded ones are drawn when they are needed.
class Part {
 public:
  Part(const golden::BlockSuiteOptions& options, const std::string& name);

  /// Builds the stimulus. Until then the part has no size.
  void prepare();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const;
  /// Configuration and lane mask differ from block to block.
  [[nodiscard]] bool has_policies() const { return options_.kind == golden::SuiteKind::kPolicy; }

  /// Writes source, random and config_word of blocks [first, first + out.size()); false where the
  /// random words were left alone. `batch` is scratch.
  bool fill(std::uint64_t first, std::span<BlockIn> out, golden::BlockBatch& batch) const;

 private:
  [[nodiscard]] bool is_seeded() const {
    return has_policies() || options_.kind == golden::SuiteKind::kRandom;
  }
  void keep_words(const golden::BlockSuite& suite);

  golden::BlockSuiteOptions options_;
  std::string name_;
  std::unique_ptr<const golden::BlockSuite> suite_;  // seeded parts
  std::uint32_t config_word_ = 0;                    // directed parts, as the next two
  std::vector<std::uint32_t> source_;
  std::vector<std::uint32_t> random_;
};

/// Parts of a whole suite run, prepared.
struct SuiteParts {
  std::vector<Part> parts;
  std::size_t configurations = 0;
  std::size_t left_out = 0;
};

[[nodiscard]] SuiteParts make_parts(const SuiteOptions& options);

}  // namespace mx::sim

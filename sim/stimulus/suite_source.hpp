// The suites of golden/ for every configuration of a run, shuffled together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::sim {

/// Which configurations: the cross product of the four lists, default policies otherwise.
struct Selection {
  std::vector<ElementFormat> formats;
  std::vector<Rounding> roundings;
  std::vector<ScaleRule> rules;
  std::vector<ElementFormat> sources;

  /// What the RTL's default build does: six formats, eight roundings, four rules, three sources.
  [[nodiscard]] static Selection all();
};

enum class SuiteSize : std::uint8_t {
  kSmoke,  ///< a reduced directed set for each configuration, some random blocks
  kFull    ///< the whole directed set and many random blocks
};

struct SuiteOptions {
  Selection selection;
  SuiteSize size = SuiteSize::kSmoke;
  std::uint64_t seed = 0;
  std::uint64_t elements = 0;  ///< random elements for each configuration; 0: by size
  golden::ConfigWordContext context;
  unsigned threads = 1;  ///< that prepare the directed sets
  /// Configurations the device cannot compute are left out.
  std::function<bool(std::uint32_t)> supports;
};

/// Every configuration's directed and random blocks, and (where the device supports policies)
/// blocks of random configurations and lane masks. The order is shuffled by the seed, so that
/// neighbours differ in configuration, and high halves of 16-bit slots, tlast and unused random
/// words are noise.
class SuiteSource : public BlockSource {
 public:
  explicit SuiteSource(const SuiteOptions& options);
  ~SuiteSource() override;

  [[nodiscard]] std::uint64_t size() const override;
  [[nodiscard]] const golden::ConfigWordContext& context() const override;
  void fill(std::uint64_t first, std::span<BlockIn> blocks) const override;
  [[nodiscard]] std::string describe(std::uint64_t index) const override;

  /// Configurations of the selection that take part, and those left out as unsupported.
  [[nodiscard]] std::size_t configurations() const;
  [[nodiscard]] std::size_t left_out() const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace mx::sim

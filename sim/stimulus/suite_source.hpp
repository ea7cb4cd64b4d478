// The suites of golden/ for every configuration of a run, shuffled together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/policy/fields.hpp"
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
  /// Every configuration of the lists, sources slowest, roundings fastest: in the order of `run`.
  [[nodiscard]] Configurations configurations(int random_bits) const;
};

enum class SuiteSize : std::uint8_t {
  kSmoke,  ///< a reduced directed set for each configuration, some random blocks
  kFull    ///< the whole directed set and many random blocks
};

/// Does a suite add configurations to those it is given: corners and drawn policies?
enum class ExtraPolicies : std::uint8_t { kAbsent, kPresent };

/// A policy that was told: every configuration of the suite has one of its values.
struct ToldPolicy {
  const PolicyField* field = nullptr;
  std::vector<std::string> values;  ///< tokens of the field, at least one
  [[nodiscard]] bool allows(const QuantizerConfig& config) const;
};

struct SuiteOptions {
  Configurations configs;
  ExtraPolicies extras = ExtraPolicies::kPresent;
  /// What also holds for the configurations that the suite adds.
  std::vector<ToldPolicy> told;
  SuiteSize size = SuiteSize::kSmoke;
  std::uint64_t seed = 0;
  std::uint64_t elements = 0;  ///< random elements for each configuration; 0: by size
  int random_bits = 8;         ///< random words that no answer depends on have so many bits
  unsigned threads = 1;        ///< that prepare the directed sets
  /// Why the device does not compute a configuration; such ones are left out.
  std::function<std::string(const QuantizerConfig&)> refusal;
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
  [[nodiscard]] const Configurations& configs() const override;
  void fill(std::uint64_t first, std::span<BlockIn> blocks) const override;
  [[nodiscard]] std::string describe(std::uint64_t index) const override;

  /// Configurations that were given and take part, those left out, and why the first of them is.
  [[nodiscard]] std::size_t configurations() const;
  [[nodiscard]] std::size_t left_out() const;
  [[nodiscard]] const std::string& first_refusal() const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace mx::sim

// The smoke suite against one mutant, until the first block that tells.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/drive/driver.hpp"
#include "sim/netlist/netlist.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim {

/// How a mutant was caught.
struct Kill {
  std::uint64_t block = 0;  ///< of the run over the stimulus, in its order
  std::string where;        ///< the part of the suite and the vector, or the segment
  std::string what;         ///< the difference, or the specification that was broken
};

/// Is an answer compared with the reference's? kAbsent is the control: nothing but the protocol
/// can be caught then.
enum class Comparison : std::uint8_t { kPresent, kAbsent };

/// How much of the stimulus: the first blocks; what walks, and stalls and resets of every kind; or
/// what is left after that.
enum class Portion : std::uint8_t { kFirst, kMost, kRest };

/// The smoke suite of `mxgold run --dut rtl --suite smoke`, with its answers, kept whole: first a
/// few of its blocks, then those that walk, then all of them in their order with stalls and resets.
/// Where blocks have 16 elements each of the suite's blocks gives two.
class TrialStimulus {
 public:
  /// All but kRest, which complete() adds.
  TrialStimulus(const NetlistBuild& build, std::uint64_t seed);
  ~TrialStimulus();
  void complete();

  /// How mutant `number` of the library is caught; nothing if it never is.
  [[nodiscard]] std::optional<Kill> try_mutant(const NetlistLibrary& library, int number,
                                               Portion portion, Comparison comparison) const;

  /// Those that were made so far.
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

 private:
  struct Segment;
  [[nodiscard]] std::span<const Segment> segments_of(Portion portion) const;
  struct Segment {
    DriveOptions drive;
    std::uint64_t first = 0;
    std::string name;
    std::vector<BlockIn> blocks;
    std::vector<BlockOut> expected;
  };

  void add(std::string name, const DriveOptions& drive, std::vector<BlockIn> blocks);
  void add_walks(const SuiteOptions& options);
  void add_suite(std::uint64_t first_segment, std::uint64_t last_segment);

  NetlistBuild build_;
  std::uint64_t seed_;
  std::uint64_t blocks_ = 0;
  std::unique_ptr<SuiteSource> suite_;
  std::vector<Segment> segments_;
  std::size_t first_segments_ = 0;
  std::size_t most_segments_ = 0;
};

}  // namespace mx::sim

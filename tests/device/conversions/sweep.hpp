// Every word of a part, chunk by chunk, on all cores: the forms' words against the rule's.
#pragma once

#include <memory>
#include <vector>

#include "tests/device/conversions/lane.hpp"
#include "tests/device/conversions/part.hpp"
#include "tests/device/conversions/tally.hpp"

namespace mx::device {

/// The I-th of N equal parts of all binary32 words; they are cut by binades, so that each part has
/// the ties of every format. Shorter sources are whole in every part.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

class Sweep {
 public:
  /// For parts whose forms take `bytes` bytes a word together, at most.
  Sweep(Where where, std::size_t bytes, Shard shard);

  /// A tally for each form. `rule` is the part's, or a wrong one.
  [[nodiscard]] std::vector<Tally> run(const Part& part, const Rule& rule);

  /// What each form makes of some words.
  [[nodiscard]] std::vector<std::vector<Code>> ask(const Part& part,
                                                   const std::vector<Code>& inputs);

 private:
  Shard shard_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

/// Zeros, smallest numbers, infinities and NaN of both signs; nothing for narrow sources.
[[nodiscard]] std::vector<Code> special_words(const ElementFormat& source);

}  // namespace mx::device

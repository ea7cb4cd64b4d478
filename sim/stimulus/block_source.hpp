// Where blocks come from: a numbered sequence that anyone can read anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "sim/block/block.hpp"
#include "sim/block/model.hpp"

namespace mx::sim {

/// There is nothing to run, or what there is cannot be read: exit code 3.
class StimulusError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A sequence of blocks. Block i is a pure function of the source and i, whatever was read before
/// and in whichever thread: shards, threads and replays read the same blocks.
class BlockSource {
 public:
  BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  virtual ~BlockSource() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// What the numbers of the blocks mean.
  [[nodiscard]] virtual const Configurations& configs() const = 0;

  /// Writes blocks [first, first + blocks.size()). Thread-safe.
  virtual void fill(std::uint64_t first, std::span<BlockIn> blocks) const = 0;

  /// The answers of the source itself (golden files), for blocks [first, first + out.size()). False
  /// where it has none: the reference computes them.
  [[nodiscard]] virtual bool answers(std::uint64_t first, std::span<BlockOut> out) const {
    static_cast<void>(first);
    static_cast<void>(out);
    return false;
  }

  /// Where block i comes from, for a person: "suite full, directed, block 17 of ...".
  [[nodiscard]] virtual std::string describe(std::uint64_t index) const = 0;
};

}  // namespace mx::sim

// Blocks and answers of a golden file.
#pragma once

#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::sim {

class VectorSource : public BlockSource {
 public:
  /// Reads and checks the whole file. Throws golden::VectorError for a bad file and StimulusError
  /// for a good one that holds no blocks of 32.
  explicit VectorSource(const std::string& path);

  [[nodiscard]] std::uint64_t size() const override { return blocks_.size(); }
  [[nodiscard]] const golden::ConfigWordContext& context() const override {
    return header_.context;
  }
  void fill(std::uint64_t first, std::span<BlockIn> blocks) const override;
  [[nodiscard]] bool answers(std::uint64_t first, std::span<BlockOut> out) const override;
  [[nodiscard]] std::string describe(std::uint64_t index) const override;

  [[nodiscard]] const golden::VectorHeader& header() const { return header_; }
  /// Where no vector has random words, no answer depends on N: the device's may stand for it.
  void adopt_random_bits(int random_bits) {
    if (header_.random_words == golden::RandomWords::kAbsent) {
      header_.context.random_bits = random_bits;
    }
  }
  /// The configuration words that occur, ascending.
  [[nodiscard]] std::vector<std::uint32_t> configurations() const;

 private:
  std::string path_;
  golden::VectorHeader header_;
  std::vector<BlockIn> blocks_;
  std::vector<BlockOut> answers_;
};

}  // namespace mx::sim

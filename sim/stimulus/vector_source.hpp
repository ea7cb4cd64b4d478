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
  /// for a good one that holds no blocks of 32 bytes of codes.
  explicit VectorSource(const std::string& path) : VectorSource(path, path) {}
  /// `name`: what blocks of it are called.
  VectorSource(const std::string& path, std::string name);

  /// Could the blocks of such a file stand on the streams of 32 lanes? "" or why not.
  [[nodiscard]] static std::string problem(const golden::VectorHeader& header);

  [[nodiscard]] std::uint64_t size() const override { return blocks_.size(); }
  [[nodiscard]] const Configurations& configs() const override { return header_.configs; }
  void fill(std::uint64_t first, std::span<BlockIn> blocks) const override;
  [[nodiscard]] bool answers(std::uint64_t first, std::span<BlockOut> out) const override;
  [[nodiscard]] std::string describe(std::uint64_t index) const override;

  [[nodiscard]] const golden::VectorHeader& header() const { return header_; }

 private:
  std::string path_;
  golden::VectorHeader header_;
  std::vector<BlockIn> blocks_;
  std::vector<BlockOut> answers_;
};

}  // namespace mx::sim

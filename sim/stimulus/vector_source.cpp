#include "sim/stimulus/vector_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/files/vector_file.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kPiece = 4096;

void convert(const golden::BlockBatch& batch, std::size_t i, BlockIn& block, BlockOut& answer) {
  const auto source = batch.source_of(i);
  const auto codes = batch.codes_of(i);
  const auto random = batch.random_of(i);
  block.config_word = batch.config_word[i];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    block.source[lane] = static_cast<std::uint32_t>(source[lane]);
    answer.codes[lane] = static_cast<std::uint8_t>(codes[lane]);
  }
  std::ranges::copy(random, block.random.begin());
  answer.status = batch.status[i];
}

}  // namespace

VectorSource::VectorSource(const std::string& path) : path_(path) {
  golden::VectorReader reader(path);
  header_ = reader.header();
  if (header_.op != golden::RecordKind::kBlock) {
    throw StimulusError(fmt::format(
        "{}: holds element conversions (op {}); a block device needs block vectors (mxgold gen "
        "--op block)",
        path, to_string(header_.op)));
  }
  if (header_.context.block_size != kLanes) {
    throw StimulusError(fmt::format("{}: blocks of {}; the harness drives blocks of {}", path,
                                    header_.context.block_size, kLanes));
  }
  golden::BlockBatch batch;
  while (const std::size_t count = reader.read(batch, kPiece)) {
    const std::size_t first = blocks_.size();
    blocks_.resize(first + count);
    answers_.resize(first + count);
    for (std::size_t i = 0; i < count; ++i) {
      convert(batch, i, blocks_[first + i], answers_[first + i]);
    }
  }
}

void VectorSource::fill(std::uint64_t first, std::span<BlockIn> blocks) const {
  std::ranges::copy(std::span(blocks_).subspan(first, blocks.size()), blocks.begin());
}

bool VectorSource::answers(std::uint64_t first, std::span<BlockOut> out) const {
  std::ranges::copy(std::span(answers_).subspan(first, out.size()), out.begin());
  return true;
}

std::vector<std::uint32_t> VectorSource::configurations() const {
  std::vector<std::uint32_t> words;
  for (const BlockIn& block : blocks_) {
    if (words.empty() || words.back() != block.config_word) words.push_back(block.config_word);
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::string VectorSource::describe(std::uint64_t index) const {
  return fmt::format("{}, vector {}", path_, index);
}

}  // namespace mx::sim
